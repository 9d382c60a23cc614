/// @file
/// @brief  A stream that is late.
#pragma once

#include <parprims/device.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include <chrono>
#include <thread>

#if PARPRIMS_CUDA_COMPILER

static __global__ void wait_for(const volatile int* flag)
{
    while (*flag == 0) {}
}

/// Holds a stream up for a while, so that whoever does not wait for it comes too early.
class hold_up {
public:
    explicit hold_up(parprims::stream_view where, std::chrono::milliseconds time = std::chrono::milliseconds(50))
        : flag_(1)
    {
        const parprims::device_guard guard(where.device());
        flag_[0] = 0;
        wait_for<<<1, 1, 0, where.get()>>>(flag_.data());
        release_ = std::thread([this, time] {
            std::this_thread::sleep_for(time);
            *const_cast<volatile int*>(flag_.data()) = 1;
        });
    }
    ~hold_up() { release_.join(); }

private:
    parprims::pinned_buffer<int> flag_;
    std::thread release_;
};

#endif
