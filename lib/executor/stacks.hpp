/// @file
/// @brief  The stacks of fibers, and TSan's fibers, which TSan treats as threads. Both are kept for later launches: otherwise a
///         short launch would spend most of its time on page faults, and TSan clears 768 KiB to make a fiber.
///
/// A launch is ordered after those before it, so its threads may continue as TSan fibers of earlier threads, on their stacks.
/// Threads of one launch are not ordered with each other: each needs a fiber of its own, or TSan misses races between them.
#pragma once

#include <cstddef>

namespace parprims::detail::simt::executor {

struct stack_memory {
    char* bottom = nullptr;
    std::size_t bytes = 0;

    char* top() const { return bottom + bytes; }
};

/// Stack number `i`, of at least `bytes`. The page below it is inaccessible, as long as the system allows so many guards.
stack_memory stack_at(std::size_t i, std::size_t bytes);

/// With more, launches of many blocks make fewer, and a program takes more memory: up to 2 GB with these.
inline constexpr std::size_t max_tsan_fibers = 1536;

/// TSan fiber number `i`, for stack number `i`.
void* tsan_fiber_at(std::size_t i);

/// Destroys TSan fiber `i` and maps fresh pages for its stack, so that their next use is not ordered with earlier ones.
void forget_tsan_fiber(std::size_t i);

}  // namespace parprims::detail::simt::executor
