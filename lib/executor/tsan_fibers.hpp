/// @file
/// @brief  What TSan takes for threads. They outlive a launch: to make one, TSan clears three quarters of a megabyte.
///
/// A launch is in order with those before it, so that its threads may go on as theirs, on their stacks. Threads of one launch
/// are not in order with each other: none may go on as another, or TSan would miss races between them.
#pragma once

#include <cstddef>

namespace parprims::detail::simt::executor {

inline constexpr std::size_t max_tsan_fibers = 768;

/// Number `i`, for the stack of this number.
void* tsan_fiber_at(std::size_t i);

/// Number `i` and its stack will be new ones, whose uses are in no order with those before.
void forget_tsan_fiber(std::size_t i);

}  // namespace parprims::detail::simt::executor
