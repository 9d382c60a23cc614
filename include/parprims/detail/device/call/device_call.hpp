/// @file
/// @brief  A call in a file that is compiled as CUDA: from the public function to the dispatch of its algorithm.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/sized.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Nothing is late.
struct known {};

/// What a call is planned with in the place of an argument, `of`, and what is `late` of it: kernels read what lies in device memory when
/// they start. That is a size, for which a call has its bound, or an init, for which it has any value.
template <class Argument>
struct planned_argument {
    using type = Argument;
    static const Argument& of(const Argument& argument) { return argument; }
    static known late(const Argument&) { return {}; }
};
template <>
struct planned_argument<device_size> {
    using type = std::size_t;
    static std::size_t of(const device_size& size) { return size.bound; }
    static const device_size& late(const device_size& size) { return size; }
};
template <class Offsets>
struct planned_argument<late_segments<Offsets>> {
    using type = offset_segments<Offsets>;
    static const type& of(const late_segments<Offsets>& segments) { return segments; }
    static const device_size& late(const late_segments<Offsets>& segments) { return segments.size; }
};
template <class T>
struct planned_argument<device_value<T>> {
    using type = T;
    static const T& of(const device_value<T>&)
    {
        static const uninitialized<T>* const any = new uninitialized<T>;
        return any->value;
    }
    static const device_value<T>& late(const device_value<T>& init) { return init; }
};
template <class T>
struct planned_argument<device_scan_init<T>> {
    using type = scan_init<T>;
    static scan_init<T> of(const device_scan_init<T>&)
    {
        return {__builtin_addressof(planned_argument<device_value<T>>::of({}))};
    }
    static const device_scan_init<T>& late(const device_scan_init<T>& init) { return init; }
};
template <class Argument>
using planned_t = typename planned_argument<Argument>::type;

/// The size of a call that lies in device memory, or its init if not `IsSize`.
template <bool IsSize, class First, class... Rest>
auto late_among(const First& first, const Rest&... rest)
{
    using late = std::remove_cvref_t<decltype(planned_argument<First>::late(first))>;
    if constexpr (!std::is_same_v<late, known> && std::is_same_v<late, device_size> == IsSize)
        return planned_argument<First>::late(first);
    else if constexpr (sizeof...(Rest) != 0)
        return device::late_among<IsSize>(rest...);
    else
        return known{};
}

/// What an algorithm knows of a call before that has a GPU. The architectures of the file are part of the type, so files that are compiled
/// for different ones do not share what they instantiate from here on.
template <class Policy, class Targets, class Size, class Init>
struct call_site {
    const char* function;
    const Policy& policy;
    Size size;
    Init init;
};

/// Runs `Algorithm`. Its class has
///   * `check<Arguments...>()`: fails to compile, and returns false, for types that kernels cannot take;
///   * `run(site, arguments...)`, which throws or enqueues.
template <class Algorithm, class Result, class Targets = targets_of_file, class Policy, class... Arguments>
Result run_call(const char* function, const Policy& policy, const Arguments&... arguments)
{
    const auto size = device::late_among<true>(arguments...);
    const auto init = device::late_among<false>(arguments...);
    using site = call_site<Policy, Targets, std::remove_const_t<decltype(size)>, std::remove_const_t<decltype(init)>>;
    return Algorithm::run(site{function, policy, size, init}, planned_argument<Arguments>::of(arguments)...);
}

/// Runs `Algorithm`, if it can be compiled for the GPU.
template <class Algorithm, class Result = void, class Targets = targets_of_file, class Policy, class... Arguments>
Result call(const char* function, const Policy& policy, const Arguments&... arguments)
{
    if constexpr (Algorithm::template check<planned_t<Arguments>...>())
        return device::run_call<Algorithm, Result, Targets>(function, policy, arguments...);
}

/// A call on its GPU, with arguments that are valid.
template <class Targets, class Size, class Init>
class device_call {
    static constexpr bool is_sized = std::is_same_v<Size, device_size>;
    static constexpr bool has_late_init = !std::is_same_v<Init, known>;
    using on_size = std::conditional_t<is_sized, sized_launcher<cuda_launcher<Targets>>, cuda_launcher<Targets>>;

public:
    /// Picks the GPU: the stream's; in the default stream that of the first of `ranges` that is in a GPU's memory.
    /// @throws invalid_argument  memory that the GPU cannot reach
    template <class Policy, class... Ranges>
    explicit device_call(const call_site<Policy, Targets, Size, Init>& site, const Ranges&... ranges)
        : launcher(site.function, site.policy, device::addresses_in(ranges...))
    {
        (launcher.check(ranges), ...);
        if constexpr (is_sized) {
            (detail::check_apart(site.function, ranges.name, ranges.first, ranges.n,
                                 static_cast<const char*>(site.size.count), site.size.bytes,
                                 "overlaps the count of the range: a block that starts late reads it late"),
             ...);
            launcher.check_range("count", static_cast<const char*>(site.size.count), 1);
            launcher.set(site.size);
        }
        if constexpr (has_late_init) {
            launcher.check_range("init", site.init.value, 1);
            launcher.set_init(site.init.value);
        }
    }

    /// Finishes a call that returns a value: calls `enqueue(output)`, and waits until the kernels have assigned to `*output`. A call
    /// of no elements returns `of_none`.
    /// @throws invalid_argument  the stream is being captured
    template <class T, class Enqueue>
    T finish(std::size_t n, const T& of_none, Enqueue enqueue) const
    {
        static_assert(block::flagged_words<T>::ready == runtime::result_slot::ready);
        static_assert(sizeof(T) <= runtime::result_slot::max_bytes);
        launcher.refuse_capture();
        if (n == 0 && !has_late_init)
            return of_none;
        const runtime::result_slot slot(sizeof(T));  // mapped: the kernel writes the value where the host reads it
        enqueue(announced_output<T>{slot.words()});
        uninitialized<T> value;
        slot.take(__builtin_addressof(value), launcher.stream());
        return value.value;
    }
    /// Finishes the form of the call that writes the value to an output.
    template <class T, class Enqueue, class Output>
    void finish(std::size_t, const T&, Enqueue enqueue, const Output& output) const
    {
        enqueue(output);
    }

    std::conditional_t<has_late_init, init_launcher<on_size, Init>, on_size> launcher;
};

}  // namespace parprims::detail::device
