/// @file
/// @brief  `copy_if` and the calls around it on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What `check_on_gpu` calls to see whether the predicate runs on the GPU.
template <class Iterator, class Predicate>
struct tests : applies<Iterator, Predicate> {};
template <class Iterator, class Equal>
struct tests<Iterator, starts_run<Equal>> {
    PARPRIMS_DEVICE static void run(const Iterator& first, const Equal& equal, const iter_value_t<Iterator>& value)
    {
        compares<Iterator, Equal>::run(first, equal, value);
    }
};

/// What `check_on_gpu` calls to see whether the outputs can be written on the GPU.
template <class T, class Outputs>
struct writes_kept {
    PARPRIMS_DEVICE static void run(const Outputs& to, const T& value)
    {
        if constexpr (Outputs::finds_long_runs)
            assigns<std::size_t, decltype(to.kept)>::run(to.kept, {});
        else if constexpr (Outputs::writes_kept)
            assigns<T, decltype(to.kept)>::run(to.kept, value);
        if constexpr (Outputs::writes_rejected)
            assigns<T, decltype(to.rejected)>::run(to.rejected, value);
        if constexpr (Outputs::writes_lengths) {
            assigns<std::size_t, decltype(to.other)>::run(to.other, {});
        } else if constexpr (Outputs::writes_other) {
            iterator_check<decltype(to.source)>::read(to.source);
            iterator_check<decltype(to.other)>::write(
                to.other, static_cast<const iter_value_t<decltype(to.source)>&>(*to.source));
        }
    }
};

/// Writes the number of elements that are kept to `*count`; without a count it waits for it and returns it.
struct copy_if_call {
    template <class Tested, class, class Outputs, class Predicate, class... Count>
    static constexpr bool check()
    {
        if constexpr (Outputs::writes_other && !Outputs::writes_lengths)
            if constexpr (!check_value_type<iter_value_t<decltype(Outputs::source)>>())
                return false;
        return check_kernel_call<iter_value_t<Tested>, Tested, Predicate, Outputs, Count...>();
    }

    template <class Site, class Tested, class Outputs, class Predicate, class... Count>
    static auto run(const Site& site, Tested tested, std::size_t n, const Outputs& to, Predicate predicate,
                    Count... count)
    {
        check_on_gpu<tests<Tested, Predicate>, writes_kept<iter_value_t<Tested>, Outputs>,
                     assigns<std::size_t, Count>...>();
        device_call call(site, call_range(Outputs::tested_name, tested, n),
                         call_range(Outputs::source_name, to.source, n),
                         call_range(Outputs::kept_name, to.kept, n >= Outputs::least),
                         call_range(Outputs::other_name, to.other, n >= Outputs::least),
                         call_range("out_false", to.rejected, n != 0), call_range("count", count, 1)...);
        const auto enqueue = [&](auto result) {
            device::enqueue_copy_if(call.launcher, tested, n, to, predicate, result);
        };
        return call.finish(n, std::size_t{0}, enqueue, converted_output<Count>{count}...);
    }
};

}  // namespace parprims::detail::device

#endif
