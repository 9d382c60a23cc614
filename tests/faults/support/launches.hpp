/// @file
/// @brief  Looks at the kernels that calls launch, and at what these find in memory.
#pragma once

#include <parprims/parprims.hpp>

#include "../stand_in/stand_in.hpp"
#include "raw.hpp"

#include <cstddef>
#include <functional>

inline bool is_zero(const void* memory, std::size_t bytes)
{
    const auto* const each = static_cast<const unsigned char*>(memory);
    for (std::size_t i = 0; i < bytes; ++i)
        if (each[i] != 0)
            return false;
    return true;
}

/// While one lives, `look` sees the kernels of one kind that are launched.
template <class Kernel>
class launches_of {
public:
    explicit launches_of(std::function<void(const Kernel&)> look)
    {
        stand_in::watch_launches([this, look](const void* kernel, void** parameters) {
            if (kernel != reinterpret_cast<const void*>(&parprims::detail::device::run_kernel<Kernel>))
                return;
            ++count_;
            look(*static_cast<const Kernel*>(parameters[0]));
        });
    }
    ~launches_of() { stand_in::watch_launches({}); }
    launches_of(const launches_of&) = delete;
    launches_of& operator=(const launches_of&) = delete;

    unsigned count() const { return count_; }

private:
    unsigned count_ = 0;
};

/// Runs `call(policy)` twice in one stream, and twice captured in it.
template <class Call>
void call_again_and_again(Call call)
{
    const auto work = raw_stream();
    for (int i = 0; i < 2; ++i)
        call(parprims::device.on(work.get()));
    for (int i = 0; i < 2; ++i) {
        const capture_of capture(work.get());
        call(parprims::device.on(work.get()));
    }
}
