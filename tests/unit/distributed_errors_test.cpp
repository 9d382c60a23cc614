/// @file
/// @brief  What fails on one rank fails on every rank, no rank hangs, and the next call works.
#include <doctest/doctest.h>

#include <parprims/distributed.hpp>
#include <parprims/error.hpp>

#include "support/thread_group.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

constexpr auto all_succeed = static_cast<std::size_t>(-1);
thread_local std::size_t allocations_left = all_succeed;  // that succeed in this thread before one fails

}  // namespace

// The forms that the library calls for host memory.
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    if (allocations_left != all_succeed && allocations_left-- == 0)
        return nullptr;  // and no later one fails: none are left is all_succeed
    const auto align = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(align, (bytes + align - 1) / align * align);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept  // inlined, g++ takes it for a mismatch
{
    std::free(memory);
}

namespace {

using member = thread_group::member;
using policy = pp::distributed_policy<pp::host_policy, member>;

constexpr std::size_t ranks = 5;
constexpr std::size_t bad = 3;      // the rank on which something fails
constexpr std::size_t n = 100'000;  // of each slice: many chunks, several tiles

/// What each rank is told when `call(policy, rank)` is called on all of them. Then they reduce, which works.
template <class Call>
std::vector<std::exception_ptr> errors_of(Call call)
{
    thread_group group(ranks);
    std::vector<std::exception_ptr> told(ranks);
    const auto thrown = group.run([&](member& self) {
        const policy where = pp::distributed(pp::host, self);
        try {
            call(where, self.rank());
        } catch (...) {
            told[self.rank()] = std::current_exception();
        }
        const std::vector<std::uint32_t> ones(10 * self.rank(), 1);
        if (pp::reduce(where, ones) != 100)
            throw std::runtime_error("the call after an error is wrong");
    });
    for (const auto& error : thrown)
        CHECK(text_of(error) == "");
    return told;
}

template <class Error>
bool is(const std::exception_ptr& thrown)
{
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const Error&) {
        return true;
    } catch (...) {
    }
    return false;
}

/// `Error` with `text` on the bad rank, `Other` with `other_text` on the others.
template <class Error, class Other, class Call>
void check_errors(const std::string& text, const std::string& other_text, Call call)
{
    const auto told = errors_of(call);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        CAPTURE(rank);
        CHECK((rank == bad ? is<Error>(told[rank]) : is<Other>(told[rank])));
        CHECK(text_of(told[rank]) == (rank == bad ? text : other_text));
    }
}

/// An operator that throws `Error` when it meets 13.
template <class Error>
struct failing {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const
    {
        if (a == 13 || b == 13)
            throw Error("13 is unlucky");
        return 1;
    }
};

struct no_memory : pp::out_of_memory {
    explicit no_memory(const char*) : pp::out_of_memory(4096, "host memory") {}
};

/// A slice of ones; the bad rank has `value` at element `place`.
std::vector<std::uint32_t> ones_but(std::size_t rank, std::size_t place, std::uint32_t value)
{
    std::vector<std::uint32_t> x(n, 1);
    if (rank == bad)
        x[place] = value;
    return x;
}

}  // namespace

TEST_CASE("a bad argument on one rank is refused on every rank, which the error names")
{
    const std::vector<std::uint32_t> x(n, 1);
    const std::uint32_t* const null = nullptr;
    const auto check = [](const std::string& function, const std::string& reason, auto call) {
        check_errors<pp::invalid_argument, pp::invalid_argument>(function + ": " + reason,
                                                                 function + ": rank 3: " + reason, call);
    };
    check("parprims::reduce", "last: comes before first, by 2", [&](const policy& where, std::size_t rank) {
        pp::reduce(where, x.begin() + 2, rank == bad ? x.begin() : x.end(), 0u);
    });
    check("parprims::reduce_into", "out: null pointer with n = 1", [&](const policy& where, std::size_t rank) {
        std::uint32_t out = 0;
        pp::reduce_into(where, x, rank == bad ? nullptr : &out, 0u);
    });
    check("parprims::transform_reduce", "first2: null pointer with n = 100000",
          [&](const policy& where, std::size_t rank) {
              pp::transform_reduce(where, x.data(), x.data() + n, rank == bad ? null : x.data(), 0u);
          });
    check("parprims::inclusive_scan", "out: overlaps [first, last) in part; use out == first or separate memory",
          [&](const policy& where, std::size_t rank) {
              std::vector<std::uint32_t> y(n + 1);
              pp::inclusive_scan(where, y.data() + 1, y.data() + 1 + n, y.data() + (rank == bad ? 0 : 1));
          });
    check("parprims::histogram", "counts: null pointer with n = 4", [&](const policy& where, std::size_t rank) {
        std::vector<std::uint32_t> counts(4);
        pp::histogram(where, x, pp::integer_axis(0, 4), rank == bad ? nullptr : counts.data());
    });
    check("parprims::histogram", "counts: overlaps [first, last); use separate memory",
          [&](const policy& where, std::size_t rank) {
              std::vector<std::uint32_t> y(n + 4);
              pp::histogram(where, y.data(), y.data() + n, pp::integer_axis(0, 4), &y[n - (rank == bad ? 1 : 0)]);
          });
}

TEST_CASE("ranks that call different functions, types, operators or axes are all refused")
{
    const std::vector<std::uint32_t> x(n, 1);
    const std::vector<std::int32_t> y(n, 1);
    const auto check = [](auto call) {
        for (const auto& error : errors_of(call)) {
            CHECK(is<pp::invalid_argument>(error));
            CHECK(text_of(error).find(": rank 3: calls another function than rank 0, or with another type of "
                                      "values, operator or axis, or another number of bins") != std::string::npos);
        }
    };
    check([&](const policy& where, std::size_t rank) {
        std::vector<std::uint32_t> out(n);
        if (rank == bad)
            pp::inclusive_scan(where, x, out.begin());
        else
            pp::reduce(where, x, 0u);
    });
    check([&](const policy& where, std::size_t rank) {
        if (rank == bad)
            pp::reduce(where, y, 0u);
        else
            pp::reduce(where, x, 0u);
    });
    check([&](const policy& where, std::size_t rank) {
        if (rank == bad)
            pp::reduce(where, x, 0u, pp::maximum{});
        else
            pp::reduce(where, x, 0u);
    });
    check([&](const policy& where, std::size_t rank) {
        std::vector<std::uint32_t> out(n);
        if (rank == bad)
            pp::inclusive_scan(where, x, out.begin(), pp::plus{}, 1u);
        else
            pp::inclusive_scan(where, x, out.begin(), pp::plus{});
    });
    check([&](const policy& where, std::size_t rank) {
        std::vector<std::uint32_t> counts(5);
        pp::histogram(where, x, pp::integer_axis(0, rank == bad ? 5 : 4), counts.begin());
    });
    check([&](const policy& where, std::size_t rank) {  // as many counters, of other bins
        std::vector<std::uint32_t> counts(7);
        if (rank == bad)
            pp::histogram(where, x, pp::integer_axis(0, 4).with_flow(), counts.begin());
        else
            pp::histogram(where, x, pp::integer_axis(0, 7), counts.begin());
    });
    check([&](const policy& where, std::size_t rank) {  // as many bins, of another axis
        std::vector<std::uint32_t> counts(4);
        if (rank == bad)
            pp::histogram(where, x, pp::regular_axis(4, 0.0, 4.0), counts.begin());
        else
            pp::histogram(where, x, pp::integer_axis(0, 4), counts.begin());
    });
    check([&](const policy& where, std::size_t rank) {
        std::vector<double> out(n);
        if (rank == bad)
            pp::exclusive_scan(where, y, out.begin(), 0.0);
        else
            pp::exclusive_scan(where, x, out.begin(), 0.0);
    });
}

TEST_CASE("what an operator throws on one rank ends the call on every rank")
{
    check_errors<std::runtime_error, pp::rank_error>("13 is unlucky", "parprims::reduce: rank 3: 13 is unlucky",
                                                     [&](const policy& where, std::size_t rank) {
                                                         const auto x = ones_but(rank, n / 2, 13);
                                                         pp::reduce(where, x, 0u, failing<std::runtime_error>());
                                                     });
    // The first element lies in a chunk that two ranks share, so every rank meets it.
    check_errors<std::runtime_error, std::runtime_error>("13 is unlucky", "13 is unlucky",
                                                         [&](const policy& where, std::size_t rank) {
                                                             const auto x = ones_but(rank, 0, 13);
                                                             pp::reduce(where, x, 0u, failing<std::runtime_error>());
                                                         });
    check_errors<no_memory, pp::out_of_memory>("parprims: out of memory: 4096 bytes of host memory",
                                               "parprims: out of memory: 4096 bytes of host memory of rank 3",
                                               [&](const policy& where, std::size_t rank) {
                                                   const auto x = ones_but(rank, n / 2, 13);
                                                   pp::reduce(where, x, 0u, failing<no_memory>());
                                               });
    check_errors<std::runtime_error, pp::rank_error>(
        "a sample", "parprims::histogram: rank 3: a sample", [&](const policy& where, std::size_t rank) {
            const auto x = ones_but(rank, n / 2, 13);
            std::vector<std::uint32_t> counts(4);
            const auto axis = pp::function_axis(4, [](std::uint32_t sample) -> std::size_t {
                if (sample == 13)
                    throw std::runtime_error("a sample");
                return sample;
            });
            pp::histogram(where, x, axis, counts.begin());
        });
}

TEST_CASE("the other ranks are told the rank whose operator threw")
{
    const auto told = errors_of([](const policy& where, std::size_t rank) {
        const auto x = ones_but(rank, n / 2, 13);
        std::size_t failed = 99;
        /// [rank_error]
        try {
            pp::reduce(where, x, 0u, failing<std::domain_error>());
        } catch (const pp::rank_error& error) {
            failed = error.rank();  // the operator threw there, not here
        }
        /// [rank_error]
        if (failed != bad)
            throw std::runtime_error("another rank");
    });
    for (std::size_t rank = 0; rank < ranks; ++rank)
        CHECK(text_of(told[rank]) == (rank == bad ? "13 is unlucky" : ""));
}

TEST_CASE("an allocation that fails on one rank is out_of_memory on every rank, whichever it is")
{
    const auto check = [](auto call) {
        std::size_t failed = 0;
        for (bool fails = true; fails; ++failed) {
            CAPTURE(failed);
            const auto told = errors_of([&](const policy& where, std::size_t rank) {
                allocations_left = rank == bad ? failed : all_succeed;
                call(pp::distributed(where.local().threads(1), where.group()));
                allocations_left = all_succeed;
            });
            fails = told[0] != nullptr;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                CHECK((fails ? is<pp::out_of_memory>(told[rank]) : told[rank] == nullptr));
                CHECK(text_of(told[rank]).ends_with("of rank 3") == (fails && rank != bad));
            }
        }
        CHECK(failed > 4);
    };
    const std::vector<std::uint32_t> x(n, 1);
    check([&](const policy& where) { pp::reduce(where, x); });
    check([&](const policy& where) {
        std::vector<std::uint32_t> out(n);
        pp::inclusive_scan(where, x, out.begin());
    });
    check([&](const policy& where) {
        std::vector<double> sums(1000);
        pp::histogram(where, x, pp::integer_axis(0, 1000), sums.begin());
        pp::weighted_histogram(where, x, x.begin(), pp::integer_axis(0, 1000), sums.begin());
    });
}

TEST_CASE("many ranks need memory for what they tell each other, and say so if one has none")
{
    constexpr std::size_t many = 70;
    thread_group group(many);
    std::vector<std::uint32_t> x(3, 1);
    const auto thrown = group.run([&](member& self) {
        allocations_left = self.rank() == bad ? 0 : all_succeed;
        pp::reduce(pp::distributed(pp::host.threads(1), self), x);
    });
    for (const auto& error : thrown)
        CHECK(is<pp::out_of_memory>(error));
}

TEST_CASE("what an operator throws while one rank writes its results ends a scan on every rank")
{
    // The 12 of the first rank meets the bad rank's 13 only in the second pass: it travels as the prefix.
    check_errors<std::runtime_error, pp::rank_error>("met", "parprims::inclusive_scan: rank 3: met",
                                                     [&](const policy& where, std::size_t rank) {
                                                         std::vector<std::uint32_t> x(n, 1), out(n);
                                                         const auto op = [rank](std::uint32_t a, std::uint32_t b) {
                                                             if (rank == bad && a == 12)
                                                                 throw std::runtime_error("met");
                                                             return std::max(a, b);
                                                         };
                                                         if (rank == 0)
                                                             x[0] = 12;
                                                         pp::inclusive_scan(where, x, out.begin(), op);
                                                     });
}

TEST_CASE("more samples than a counter holds are refused even if each slice is short enough")
{
    const auto told = errors_of([](const policy& where, std::size_t) {
        std::vector<std::int32_t> counts(2);
        const pp::constant_iterator<int> samples(1);
        pp::histogram(where, samples, samples + (std::ptrdiff_t{1} << 29), pp::integer_axis(0, 2), counts.begin());
    });
    for (const auto& error : told)
        CHECK(text_of(error) == "parprims::histogram: counts: a counter holds at most 2147483647, n is 2684354560");
}

TEST_CASE("slices that together are too long to count are refused")
{
    const auto told = errors_of([](const policy& where, std::size_t) {
        const pp::constant_iterator<int> ones(1);
        pp::reduce(where, ones, ones + (std::ptrdiff_t{1} << 61), 0);
    });
    for (const auto& error : told)
        CHECK(text_of(error) == "parprims::reduce: last: the slices together have more elements than can be counted");
}
