// Elements that are read and never written, on the executor: they need neither a default constructor nor an assignment.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

using namespace kernel_test;

namespace {

/// Can be copied, but not assigned.
template <class Number>
struct fixed {
    const Number number;

    explicit fixed(Number x) : number(x) {}
};

/// Tries to make itself of anything, also of a tuple.
struct from_any {
    float number;

    template <class X>
    from_any(const X& x) : number(static_cast<float>(x))
    {
    }
};

struct number_of {
    template <class X>
    std::uint64_t operator()(const X& x) const
    {
        return static_cast<std::uint64_t>(x.number);
    }
    template <class X, class Y>
    std::uint64_t operator()(const parprims::tuple<X, Y>& pair) const
    {
        return (*this)(get<0>(pair)) + (*this)(get<1>(pair));
    }
    template <class X>
    std::uint64_t operator()(const parprims::tuple<X>& one) const
    {
        return (*this)(get<0>(one));
    }
};

struct next_of {
    std::uint64_t operator()(std::uint64_t x) const { return x + 1; }
};

struct is_odd {
    bool operator()(std::uint64_t x) const { return x % 2 != 0; }
};

/// Copies and scans by key the numbers of one array, which are keys, too.
template <class Iterator>
void check_keys(Iterator first, std::size_t n)
{
    CAPTURE(n);
    memory<std::uint64_t> out(n);
    memory<std::size_t> count(1);
    launcher on(schedule_of(n), {2});
    device::enqueue_copy_if(on, first, n, out.data(), is_odd{}, device::converted_output<std::size_t*>{count.data()});
    bool is_right = true;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (const std::uint64_t x = first[static_cast<std::ptrdiff_t>(i)]; x % 2 != 0)
            is_right = is_right && out[kept++] == x;
    CHECK(is_right);
    CHECK(count[0] == kept);

    device::enqueue_scan_by_key<scan_kind::inclusive, std::uint64_t>(on, first, n, first, out.data(), nullptr,
                                                                     parprims::equal_to{}, parprims::plus{});
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t x = first[static_cast<std::ptrdiff_t>(i)];
        sum = i > 0 && first[static_cast<std::ptrdiff_t>(i) - 1] == x ? sum + x : x;
        is_right = is_right && out[i] == sum;
    }
    CHECK(is_right);
}

/// Scans, reduces and transforms `number_of` each of n elements.
template <class Iterator>
void check_functions(Iterator first, std::size_t n)
{
    CAPTURE(n);
    memory<std::uint64_t> out(n);
    std::uint64_t sum = 0;
    const auto is_running_sum = [&] {
        sum = 0;
        bool is_right = true;
        for (std::size_t i = 0; i < n; ++i) {
            sum += first[static_cast<std::ptrdiff_t>(i)];
            is_right = is_right && out[i] == sum;
        }
        return is_right;
    };
    for (const unsigned small_tiles_per_sm : {0, 1000}) {
        CAPTURE(small_tiles_per_sm);
        scan<scan_kind::inclusive, std::uint64_t>(schedule_of(n), parprims::scan_config{64, 1, 2, small_tiles_per_sm},
                                                  {2}, first, n, out.data(), std::nullopt, parprims::plus{},
                                                  parprims::identity{});
        CHECK(is_running_sum());
    }
    CHECK(reduce<std::uint64_t>(schedule_of(n), {64, 1, 1}, {2}, first, n, std::uint64_t{3}, parprims::plus{},
                                parprims::identity{}) == 3 + sum);
    launcher on(schedule_of(n + 1), {2});
    device::enqueue_transform<std::uint64_t>(on, first, n, out.data(), next_of{});
    bool is_right = true;
    for (std::size_t i = 0; i < n; ++i)
        is_right = is_right && out[i] == first[static_cast<std::ptrdiff_t>(i)] + 1;
    CHECK(is_right);
}

}  // namespace

TEST_CASE_TEMPLATE("calls read elements that cannot be assigned", X, fixed<float>, fixed<std::uint8_t>, from_any)
{
    const std::size_t n = 2 * order::tile<std::uint64_t> + 40;
    memory<X> values(n, sizeof(X));
    for (std::size_t i = 0; i < n; ++i)
        std::construct_at(values.data() + i, static_cast<decltype(X::number)>(i / 3 % 100));
    const X* const first = values.data();
    using parprims::transform_iterator;
    const transform_iterator numbers(first, number_of{});
    check_functions(numbers, n);
    if constexpr (std::is_same_v<X, fixed<float>>) {
        check_functions(transform_iterator(numbers, next_of{}), n);
    } else {
        check_keys(numbers, n);
        check_functions(transform_iterator(parprims::zip_iterator(first, first + 1), number_of{}), n - 1);
    }
    if constexpr (std::is_same_v<X, from_any>)
        check_functions(transform_iterator(parprims::zip_iterator(first), number_of{}), n);
}
