/// @file
/// @brief  The stacks of fibers. They outlive a launch, because fresh memory is what a short launch would wait for.
#pragma once

#include <cstddef>

namespace parprims::detail::simt::executor {

struct stack_memory {
    char* bottom = nullptr;
    std::size_t bytes = 0;

    char* top() const { return bottom + bytes; }
};

/// Stack number `i`, of at least `bytes`. A page below it is not accessible, as long as the system grants that many.
stack_memory stack_at(std::size_t i, std::size_t bytes);

/// Gives the stack fresh pages, so that TSan forgets who used them.
void renew(const stack_memory& stack);

}  // namespace parprims::detail::simt::executor
