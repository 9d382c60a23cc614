/// @file
/// @brief  sequence and optional, the host backend's small stand-ins for std::vector and std::optional.
#include <doctest/doctest.h>

#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using parprims::detail::host::optional;
using parprims::detail::host::sequence;

/// Counts those that live, and throws when one too many is made.
struct counted {
    static inline int alive = 0;
    static inline int most = 1000;

    counted() { made(); }
    counted(const counted&) { made(); }
    ~counted() { --alive; }

private:
    static void made()
    {
        if (alive == most)
            throw std::runtime_error("one too many");
        ++alive;
    }
};

struct alignas(128) aligned {
    char byte = 0;
};

}  // namespace

TEST_CASE("a sequence keeps its values while it grows")
{
    sequence<std::string> words;
    for (int i = 0; i < 1000; ++i)
        words.push_back("a long enough word to be on the heap, number " + std::to_string(i));
    REQUIRE(words.size() == 1000);
    for (std::size_t i = 0; i < 1000; ++i) {
        CAPTURE(i);
        CHECK(words[i] == "a long enough word to be on the heap, number " + std::to_string(i));
    }
    words.pop_back();
    CHECK(words.back() == "a long enough word to be on the heap, number 998");
}

TEST_CASE("a sequence of a size holds zeros, and zeros where it grows")
{
    sequence<std::uint32_t> counts(100);
    for (auto& count : counts) {
        CHECK(count == 0);
        count = 7;
    }
    counts.resize(200);
    REQUIRE(counts.size() == 200);
    for (std::size_t i = 0; i < 200; ++i) {
        CAPTURE(i);
        CHECK(counts[i] == (i < 100 ? 7 : 0));
    }
}

TEST_CASE("a sequence that is moved leaves nothing behind")
{
    sequence<std::unique_ptr<int>> from;
    from.push_back(std::make_unique<int>(5));
    const sequence<std::unique_ptr<int>> to(std::move(from));
    CHECK(from.size() == 0);
    REQUIRE(to.size() == 1);
    CHECK(*to[0] == 5);
}

TEST_CASE("a sequence destroys each of its values once, also where a constructor throws")
{
    {
        sequence<counted> values(20);
        CHECK(counted::alive == 20);
        values.push_back(counted());
        CHECK(counted::alive == 21);
        values.pop_back();
        CHECK(counted::alive == 20);
        counted::most = 30;
        CHECK_THROWS_AS(values.resize(1000), std::runtime_error);  // while what there is moves
        CHECK(values.size() == 20);
        CHECK(counted::alive == 20);
        counted::most = 1000;
        values.clear();
        CHECK(counted::alive == 0);
        counted::most = 10;
        CHECK_THROWS_AS(values.resize(15), std::runtime_error);  // while new ones are made
        CHECK(counted::alive == 10);
        counted::most = 1000;
    }
    CHECK(counted::alive == 0);
    counted::most = 10;
    CHECK_THROWS_AS(sequence<counted>(20), std::runtime_error);
    CHECK(counted::alive == 0);
    counted::most = 1000;
}

TEST_CASE("a sequence aligns its values")
{
    sequence<aligned> values(3);
    CHECK(reinterpret_cast<std::uintptr_t>(values.data()) % 128 == 0);
}

TEST_CASE("a sequence of more values than any memory holds is refused")
{
    CHECK_THROWS_AS(sequence<std::uint64_t>(static_cast<std::size_t>(-1) / 4), std::bad_alloc);
}

TEST_CASE("a optional is empty until it is given a value, which copies of it have too")
{
    optional<std::string> word;
    CHECK_FALSE(word);
    CHECK_FALSE(optional<std::string>(word));
    word.emplace("a long enough word to be on the heap");
    word.emplace("and another one, which takes its place");
    const optional<std::string> copy(word);
    REQUIRE(copy);
    CHECK(*copy == "and another one, which takes its place");
    const optional<std::string> moved(std::move(word));
    REQUIRE(moved);
    CHECK(*moved == *copy);
}

TEST_CASE("a optional destroys its value once")
{
    {
        optional<counted> value;
        CHECK(counted::alive == 0);
        value.emplace(counted());
        const optional<counted> copy(value);
        CHECK(counted::alive == 2);
        value.emplace(counted());
        CHECK(counted::alive == 2);
    }
    CHECK(counted::alive == 0);
}
