/// @file
/// @brief  The host backend on many threads: exceptions get out, nothing waits for ever, nothing is lost.
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>

#include <doctest/doctest.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace host = parprims::detail::host;
using parprims::identity;
using parprims::detail::scan_kind;

/// More threads than there are cores, so that they are interrupted anywhere.
struct many_threads {
    tbb::global_control control{tbb::global_control::max_allowed_parallelism, 8};
};

constexpr std::size_t n = 1'000'000;  // more than 100 tiles of std::uint32_t

std::vector<std::uint32_t> ones()
{
    return std::vector<std::uint32_t>(n, 1);
}

/// Counts how many of it there are, knows whether it is one, and is slow enough to be met in the middle of its work.
struct counted {
    static constexpr std::uint32_t alive = 0xA11FE;
    static inline std::atomic<std::ptrdiff_t> live{0};
    explicit counted(std::uint32_t x) : value(x) { ++live; }
    counted(const counted& other) : value(other.value), state(other.state) { ++live; }
    counted& operator=(const counted& other)
    {
        value = other.value;
        state = other.state;
        return *this;
    }
    ~counted()
    {
        --live;
        state = 0;
    }
    std::uint32_t value;
    volatile std::uint32_t state = alive;
};

/// Adds, and throws at the call of this number.
struct throwing_plus {
    static inline std::atomic<std::size_t> invented{0};  // calls on what is no value
    std::atomic<std::size_t>* calls;
    std::size_t last;
    counted operator()(const counted& a, const counted& b) const
    {
        invented += a.state != counted::alive || b.state != counted::alive;
        if (++*calls == last) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // others come, and wait for this thread
            throw std::runtime_error("this operator fails");
        }
        return counted(a.value + b.value);
    }
};

}  // namespace

TEST_CASE("a call takes no more threads than it is told, and than TBB may use")
{
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
    CHECK(host::concurrency(1) == 1);
    CHECK(host::concurrency(2) == 2);
    CHECK(host::concurrency(8) == 3);
    const tbb::global_control less(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(host::concurrency(8) == 1);
}

TEST_CASE("host reduce and scan let an operator's exception through and leak nothing")
{
    const many_threads threads;
    const std::vector<std::uint32_t> x(200'000, 1);
    const auto as_counted = [](std::uint32_t value) { return counted(value); };
    std::vector<std::optional<counted>> answers(x.size());
    for (const std::size_t last : {1u, 1000u, 30'000u, 150'000u, 199'999u}) {
        CAPTURE(last);
        std::atomic<std::size_t> calls{0};
        CHECK_THROWS_WITH_AS(host::reduce(8, x.data(), x.size(), counted(0), throwing_plus{&calls, last}, as_counted),
                             "this operator fails", std::runtime_error);
        calls = 0;
        const counted init(1);
        CHECK_THROWS_WITH_AS((host::scan<scan_kind::exclusive, counted>(8, x.data(), x.size(), answers.data(), &init,
                                                                        throwing_plus{&calls, last}, as_counted)),
                             "this operator fails", std::runtime_error);
    }
    answers.clear();
    CHECK(counted::live == 0);
    CHECK(throwing_plus::invented == 0);
}

TEST_CASE("host scan lets the exceptions of iterators through")
{
    struct failing_input {
        std::ptrdiff_t at;
        failing_input operator+(std::ptrdiff_t distance) const { return {at + distance}; }
        std::uint32_t operator*() const
        {
            if (at == 700'000)
                throw std::out_of_range("no such element");
            return 1;
        }
    };
    const many_threads threads;
    std::vector<std::uint32_t> answers(n);
    CHECK_THROWS_AS((host::scan<scan_kind::inclusive, std::uint32_t>(8, failing_input{0}, n, answers.data(), nullptr,
                                                                     parprims::plus{}, identity{})),
                    std::out_of_range);
}

TEST_CASE("host scan ends when it is run by every thread inside of other tasks")
{
    const many_threads threads;
    const std::vector<std::uint32_t> x = ones();
    std::atomic<std::size_t> wrong{0};
    tbb::parallel_for(0, 32, [&](int call) {
        std::vector<std::uint32_t> answers(n);
        const auto on = static_cast<unsigned>(call % 4);
        host::scan<scan_kind::inclusive, std::uint32_t>(on, x.data(), n, answers.data(), nullptr, parprims::plus{},
                                                        identity{});
        for (std::size_t i = 0; i < n; ++i)
            wrong += answers[i] != i + 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("host scan ends when its operator starts tasks and waits for them")
{
    const many_threads threads;
    const std::vector<std::uint32_t> x(150'000, 1);
    std::vector<std::uint32_t> answers(x.size());
    const auto add = [](std::uint32_t a, std::uint32_t b) {
        if ((a + b) % 1024 != 0)
            return a + b;
        std::atomic<std::uint32_t> sum{0};
        tbb::parallel_for(0, 4, [&](int part) { sum += part == 0 ? a : part == 1 ? b : 0; });
        return sum.load();
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
        host::scan<scan_kind::inclusive, std::uint32_t>(0, x.data(), x.size(), answers.data(), nullptr, add,
                                                        identity{});
        CHECK(answers.back() == x.size());
    }
}

TEST_CASE("a task of the host that waits for TBB runs no other task of its call meanwhile")
{
    const many_threads threads;
    std::atomic<bool> has_started{false}, is_waiting{false}, may_end{false};
    tbb::task_group elsewhere;
    elsewhere.run([&] {
        has_started = true;
        while (!may_end)
            std::this_thread::yield();
    });
    while (!has_started)
        std::this_thread::yield();

    std::atomic<int> nested{0}, tasks{0};
    static thread_local int depth;
    depth = 0;
    host::parallel_for(2, 64, [&](std::size_t) {
        nested += ++depth > 1;
        if (!is_waiting.exchange(true))
            elsewhere.wait();
        else if (++tasks == 16 || nested > 0)
            may_end = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --depth;
    });
    CHECK(nested == 0);
}

TEST_CASE("host scan gives the same answers again and again on more threads than cores")
{
    const many_threads threads;
    std::vector<float> x(n), expected(n), answers(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = 1.0f / static_cast<float>(i + 1);
    host::scan<scan_kind::inclusive, float>(1, x.data(), n, expected.data(), nullptr, parprims::plus{}, identity{});
    const float total = host::reduce(1, x.data(), n, 0.0f, parprims::plus{}, identity{});
    for (int repeat = 0; repeat < 20; ++repeat) {
        host::scan<scan_kind::inclusive, float>(8, x.data(), n, answers.data(), nullptr, parprims::plus{}, identity{});
        CHECK(answers == expected);
        CHECK(host::reduce(8, x.data(), n, 0.0f, parprims::plus{}, identity{}) == total);
    }
}
