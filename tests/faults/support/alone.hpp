/// @file
/// @brief  A communicator of one rank, and a stand-in for the kernels by which ranks report failures to each other.
#pragma once

#include <parprims/slices.hpp>

#include "../stand_in/stand_in.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

/// A group of one rank. The memory of the stand-in's GPUs is the host's.
struct alone {
    std::function<void()> afterwards = [] {};
    void* received = nullptr;
    unsigned calls = 0;

    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, parprims::stream_view)
    {
        std::memcpy(recv, send, bytes);
        received = recv;
        ++calls;
        afterwards();
    }
    void all_reduce(std::uint64_t*, std::size_t, parprims::stream_view)
    {
        ++calls;
        afterwards();
    }
};

/// While it lives, does on the CPU what the kernels do that send and check reports of failures, as the stand-in for the
/// runtime runs no kernels. Counts their launches.
class failures {
public:
    failures()
    {
        stand_in::watch_launches([this](const void* kernel, void** parameters) {
            if (const auto* const failure = as<parprims::detail::device::rank_failure_kernel>(kernel, parameters)) {
                ++told_;
                words_of(failure->group.sent)[1] = 1;
            }
            if (const auto* const check = as<parprims::detail::device::rank_check_kernel>(kernel, parameters)) {
                const parprims::detail::device::rank_view& group = check->messages.group;
                if (std::exchange(words_of(group.received)[1], 0) != 0)
                    group.failure[0] = 1;
                words_of(group.sent)[1] = 0;  // as the kernels of a good call do
            }
            if (const auto* const words = as<parprims::detail::device::rank_count_words_kernel>(kernel, parameters)) {
                words->words[0] = words->failed;
                words->words[1] = words->call;
            }
            check_words(as<parprims::detail::device::rank_counts_kernel<std::uint64_t>>(kernel, parameters));
            check_words(as<parprims::detail::device::rank_sums_kernel<float, float>>(kernel, parameters));
        });
    }
    ~failures() { stand_in::watch_launches({}); }
    failures(const failures&) = delete;
    failures& operator=(const failures&) = delete;

    static std::uint64_t* words_of(void* message) { return static_cast<std::uint64_t*>(message); }

    unsigned told() const { return told_; }        ///< launches of rank_failure_kernel
    unsigned counted() const { return counted_; }  ///< launches of rank_counts_kernel and rank_sums_kernel

private:
    template <class Kernel>
    static const Kernel* as(const void* kernel, void** parameters)
    {
        return kernel == reinterpret_cast<const void*>(&parprims::detail::device::run_kernel<Kernel>)
                   ? static_cast<const Kernel*>(parameters[0])
                   : nullptr;
    }

    template <class Kernel>
    void check_words(const Kernel* kernel)
    {
        if (kernel == nullptr)
            return;
        ++counted_;
        if (kernel->words[0] != 0 || kernel->words[1] != kernel->call * kernel->ranks)
            kernel->failure[0] = 1;
    }

    unsigned told_ = 0, counted_ = 0;
};
