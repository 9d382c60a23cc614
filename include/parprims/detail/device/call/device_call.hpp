/// @file
/// @brief  A call in a file that is compiled as CUDA: from the public function to the dispatch of its algorithm.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What an algorithm knows of a call before that has a GPU. The architectures of the file are part of the type, so files that are compiled
/// for different ones do not share what they instantiate from here on.
template <class Policy, class Targets>
struct call_site {
    const char* function;
    const Policy& policy;
};

/// Runs `Algorithm`, if it can be compiled for the GPU. Its class has
///   * `check<Arguments...>()`: fails to compile, and returns false, for types that kernels cannot take;
///   * `run(site, arguments...)`, which throws or enqueues.
template <class Algorithm, class Result = void, class Targets = targets_of_file, class Policy, class... Arguments>
Result call(const char* function, const Policy& policy, const Arguments&... arguments)
{
    if constexpr (Algorithm::template check<Arguments...>())
        return Algorithm::run(call_site<Policy, Targets>{function, policy}, arguments...);
}

/// A call on its GPU, with arguments that are valid.
template <class Targets>
class device_call {
public:
    /// Picks the GPU: the stream's; in the default stream that of the first of `ranges` that is in a GPU's memory.
    /// @throws invalid_argument  memory that the GPU cannot reach
    template <class Policy, class... Ranges>
    explicit device_call(const call_site<Policy, Targets>& site, const Ranges&... ranges)
        : launcher(site.function, site.policy, device::addresses_in(ranges...))
    {
        (launcher.check(ranges), ...);
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

    cuda_launcher<Targets> launcher;
};

}  // namespace parprims::detail::device
