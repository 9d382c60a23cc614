#include "tsan_fibers.hpp"

#include "sanitizers.hpp"
#include "stacks.hpp"

namespace parprims::detail::simt::executor {

namespace {

void* fibers[max_tsan_fibers] = {};

}  // namespace

void* tsan_fiber_at(std::size_t i)
{
    if (fibers[i] == nullptr)
        fibers[i] = __tsan_create_fiber(0);
    return fibers[i];
}

void forget_tsan_fiber(std::size_t i)
{
    if (fibers[i] == nullptr)
        return;
    __tsan_destroy_fiber(fibers[i]);
    fibers[i] = nullptr;
    renew(stack_at(i, 0));
}

}  // namespace parprims::detail::simt::executor
