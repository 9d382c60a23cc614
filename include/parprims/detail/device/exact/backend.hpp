/// @file
/// @brief  Exact sums on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/lines_dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/lines.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// init + the sum of terms to `*output`; without an output it waits for the value and returns it. In the checks `plus` stands for the
/// operator, which is not called.
struct exact_sum_call {
    template <class Iterator, class, class T, class, class Transform, class... Output>
    static constexpr bool check()
    {
        return check_call<T, Iterator, plus, Transform, Output...>();
    }

    template <class Site, class Iterator, class T, class ExactPlus, class Transform, class... Output>
    static auto run(const Site& site, Iterator first, std::size_t n, const T& init, ExactPlus, Transform transform,
                    Output... output)
    {
        check_on_gpu<combines<T, Iterator, plus, Transform>, assigns<T, Output>...>();
        device_call call(site, device::input_range<Transform>(first, n), call_range("out", output, 1)...);
        const auto enqueue = [&](auto result) {
            using terms = exact::terms<iter_value_t<Iterator>, Transform>;
            device::enqueue_exact_sum<terms>(call.launcher, first, n, result, init, transform);
        };
        return call.finish(n, init, enqueue, output...);
    }
};

/// init + the sum of each segment.
struct exact_segments_call {
    template <class Segments, class Iterator, class Output, class T, class>
    static constexpr bool check()
    {
        return check_call<T, Iterator, plus, identity, Segments, Output>();
    }

    template <class Site, class Segments, class Iterator, class Output, class T, class ExactPlus>
    static void run(const Site& site, const Segments& segments, Iterator first, Output out, const T& init, ExactPlus)
    {
        check_on_gpu<combines<T, Iterator, plus>, finds_segments<Segments>, assigns<T, Output>>();
        device_call call(site, call_range("first", first, segments.n), call_range("out", out, segments.count),
                         device::offsets_of(segments));
        if (segments.count != 0)
            device::enqueue_exact_segments<exact::sum_terms<iter_value_t<Iterator>, T>>(call.launcher, segments, first,
                                                                                        device::make_output(out), init);
    }
};

/// init + the sum of each line of an array.
struct exact_lines_call {
    template <class Lines, class T, class, class Transform>
    static constexpr bool check()
    {
        return check_call<T, typename Lines::iterator, plus, Transform, typename Lines::output>();
    }

    template <class Site, class Iterator, class Output, class T, class ExactPlus, class Transform>
    static void run(const Site& site, const checked_lines<Iterator, Output>& checked, const T& init, ExactPlus,
                    Transform transform)
    {
        check_on_gpu<combines<T, Iterator, plus, Transform>, assigns<T, Output>>();
        device_call call(site, call_range("view", checked.input.begin(), checked.input.reach()),
                         call_range("out", checked.out.begin(), checked.out.reach()));
        const auto first = detail::transformed(checked.input.first, transform);
        using terms = exact::sum_terms<iter_value_t<decltype(first)>, T>;
        device::enqueue_exact_lines<terms>(call.launcher, checked.lines, first, checked.out.first, init);
    }
};

/// The sums of runs of equal keys, and their number, as reduce_by_key_call has it.
struct exact_by_key_call {
    template <class Keys, class, class Values, class KeysOut, class ValuesOut, class Equal, class, class... Count>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Keys>, Keys, Equal>() &&
               check_call<exact::real<iter_value_t<Values>>, Values, plus, identity, KeysOut, ValuesOut, Count...>();
    }

    template <class Site, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class ExactPlus,
              class... Count>
    static auto run(const Site& site, Keys keys, std::size_t n, Values values, KeysOut keys_out, ValuesOut values_out,
                    Equal equal, ExactPlus, Count... count)
    {
        using value_type = iter_value_t<Values>;
        using T = exact::real<value_type>;
        check_on_gpu<combines<T, Values, plus>, compares<Keys, Equal>, assigns<iter_value_t<Keys>, KeysOut>,
                     assigns<T, ValuesOut>, assigns<std::size_t, Count>...>();
        device_call call(site, call_range("keys_first", keys, n), call_range("values_first", values, n),
                         call_range("keys_out", keys_out, n != 0), call_range("values_out", values_out, n != 0),
                         call_range("count", count, 1)...);
        const auto enqueue = [&](auto result) {
            device::enqueue_exact_by_key<exact::sum_terms<value_type, T>, T>(call.launcher, keys, n, values, keys_out,
                                                                             values_out, equal, result);
        };
        return call.finish(n, std::size_t{0}, enqueue, converted_output<Count>{count}...);
    }
};

}  // namespace parprims::detail::device

#endif
