/// @file
/// @brief  A call in a file that is compiled as CUDA: from the public function to the dispatch of its algorithm.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
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

/// A size from the host is an argument of its call. In the place of a device_size a call has its bound.
struct known_size {};

template <class Argument>
using planned_t = std::conditional_t<std::is_same_v<Argument, device_size>, std::size_t, Argument>;

/// The device_size among the arguments of a call.
template <class First, class... Rest>
constexpr auto size_among(const First& first, const Rest&... rest)
{
    if constexpr (std::is_same_v<First, device_size>)
        return first;
    else if constexpr (sizeof...(Rest) != 0)
        return device::size_among(rest...);
    else
        return known_size{};
}

/// What an algorithm knows of a call before that has a GPU. The architectures of the file are part of the type, so files that are compiled
/// for different ones do not share what they instantiate from here on.
template <class Policy, class Targets, class Size>
struct call_site {
    const char* function;
    const Policy& policy;
    Size size;
};

/// Runs `Algorithm`. Its class has
///   * `check<Arguments...>()`: fails to compile, and returns false, for types that kernels cannot take;
///   * `run(site, arguments...)`, which throws or enqueues.
template <class Algorithm, class Result, class Targets = targets_of_file, class Policy, class... Arguments>
Result run_call(const char* function, const Policy& policy, const Arguments&... arguments)
{
    const auto size = device::size_among(arguments...);
    using site = call_site<Policy, Targets, std::remove_const_t<decltype(size)>>;
    return Algorithm::run(site{function, policy, size}, static_cast<const planned_t<Arguments>&>(arguments)...);
}

/// Runs `Algorithm`, if it can be compiled for the GPU.
template <class Algorithm, class Result = void, class Targets = targets_of_file, class Policy, class... Arguments>
Result call(const char* function, const Policy& policy, const Arguments&... arguments)
{
    if constexpr (Algorithm::template check<planned_t<Arguments>...>())
        return device::run_call<Algorithm, Result, Targets>(function, policy, arguments...);
}

/// A call on its GPU, with arguments that are valid.
template <class Targets, class Size>
class device_call {
    static constexpr bool is_sized = std::is_same_v<Size, device_size>;

public:
    /// Picks the GPU: the stream's; in the default stream that of the first of `ranges` that is in a GPU's memory.
    /// @throws invalid_argument  memory that the GPU cannot reach
    template <class Policy, class... Ranges>
    explicit device_call(const call_site<Policy, Targets, Size>& site, const Ranges&... ranges)
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
        if (n == 0)
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

    std::conditional_t<is_sized, sized_launcher<cuda_launcher<Targets>>, cuda_launcher<Targets>> launcher;
};

}  // namespace parprims::detail::device
