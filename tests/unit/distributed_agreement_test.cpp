/// @file
/// @brief  Ranks that differ in an argument, and ranks that throw what is no std::exception: every rank is told.
#include <doctest/doctest.h>

#include <parprims/distributed.hpp>
#include <parprims/error.hpp>

#include "support/thread_group.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::size_t agreeing_ranks = 3;

/// What each of three ranks gets where `call(policy, is_odd)` is called on all; one of them is odd.
template <class Call>
std::vector<std::exception_ptr> errors_with_an_odd_rank(Call call)
{
    thread_group group(agreeing_ranks);
    return group.run([&](thread_group::member& self) { call(pp::distributed(pp::host, self), self.rank() == 1); });
}

template <class Call>
void check_disagreement(Call call)
{
    for (const auto& error : errors_with_an_odd_rank(call))
        CHECK(text_of(error).find(": rank 1: calls another function than rank 0, or with another") !=
              std::string::npos);
    for (const bool are_odd : {false, true})
        for (const auto& error : errors_with_an_odd_rank([&](const auto& policy, bool) { call(policy, are_odd); }))
            CHECK(text_of(error) == "");
}

}  // namespace

TEST_CASE("own_counters on some ranks only is refused on every rank")
{
    const std::vector<float> x(100, 0.5f);
    const auto axis = pp::regular_axis(4, 0.0f, 1.0f);
    check_disagreement([&](const auto& policy, bool is_odd) {
        std::vector<std::uint32_t> counts(4);
        if (is_odd)
            pp::histogram(policy, x, axis, counts.begin(), pp::own_counters);
        else
            pp::histogram(policy, x, axis, counts.begin());
    });
}

TEST_CASE("an axis without bins is refused on every rank")
{
    struct no_bins {
        std::size_t bins() const { return 0; }
        std::size_t extent() const { return 0; }
        bool has_flow() const { return false; }
        std::size_t slot(float) const { return 0; }
    };
    const std::vector<float> x(100, 0.5f);
    const auto check = [](const std::string& function, auto call) {
        for (const auto& error : errors_with_an_odd_rank(call))
            CHECK(text_of(error) == function + ": axis: has no bins");
    };
    float out = 0;
    check("parprims::histogram", [&](const auto& policy, bool) { pp::histogram(policy, x, no_bins{}, &out); });
    check("parprims::histogram",
          [&](const auto& policy, bool) { pp::histogram(policy, x, no_bins{}, &out, pp::own_counters); });
    check("parprims::weighted_histogram",
          [&](const auto& policy, bool) { pp::weighted_histogram(policy, x, x.begin(), no_bins{}, &out); });
}

TEST_CASE("what one rank says is cut for the others after 227 characters")
{
    for (const std::size_t length : {226, 227, 228, 229, 5000}) {
        CAPTURE(length);
        const std::string text(length, 'x');
        const auto told = errors_with_an_odd_rank([&](const auto& policy, bool is_odd) {
            pp::reduce(policy, std::vector<int>(10, 1), 0, [&, is_odd](int a, int b) {
                if (is_odd && b == 1)
                    throw std::runtime_error(text);
                return a + b;
            });
        });
        CHECK(text_of(told[0]) == "parprims::reduce: rank 1: " + text.substr(0, 227));
        CHECK(text_of(told[1]) == text);
    }
}

TEST_CASE("what is thrown and no std::exception ends the call on every rank")
{
    const std::vector<int> x(10, 1);
    const auto told = errors_with_an_odd_rank([&](const auto& policy, bool is_odd) {
        pp::reduce(policy, x, 0, [is_odd](int a, int b) { return is_odd && b == 1 ? throw 13 : a + b; });
    });
    CHECK(text_of(told[1]) == "not a std::exception");
    for (const std::size_t rank : {0, 2}) {
        REQUIRE(told[rank] != nullptr);
        CHECK(text_of(told[rank]) == "parprims::reduce: rank 1: an exception that is not a std::exception");
        CHECK_THROWS_AS(std::rethrow_exception(told[rank]), pp::rank_error);
    }
}
