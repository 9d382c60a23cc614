#include "stacks.hpp"

#include "sanitizers.hpp"

#include <sys/mman.h>

#include <new>
#include <vector>

namespace parprims::detail::simt::executor {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t max_guarded = 8192;  // each guard page splits a mapping; the system limits their number

void* tsan_fibers[max_tsan_fibers] = {};

char* map(void* address, std::size_t bytes, int flags)
{
    void* const memory =
        mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    return static_cast<char*>(memory);
}

}  // namespace

stack_memory stack_at(std::size_t i, std::size_t bytes)
{
    static std::vector<stack_memory> stacks;
    bytes = (bytes + page - 1) / page * page;
    if (i >= stacks.size())
        stacks.resize(i + 1);
    stack_memory& stack = stacks[i];
    if (stack.bytes < bytes) {
        if (stack.bytes != 0)
            munmap(stack.bottom - page, stack.bytes + page);
        stack = {};
        char* const memory = map(nullptr, bytes + page, 0);
        if (i < max_guarded)
            mprotect(memory, page, PROT_NONE);
        stack = {memory + page, bytes};
    }
    return stack;
}

void* tsan_fiber_at(std::size_t i)
{
    if (tsan_fibers[i] == nullptr)
        tsan_fibers[i] = __tsan_create_fiber(0);
    return tsan_fibers[i];
}

void forget_tsan_fiber(std::size_t i)
{
    if (tsan_fibers[i] == nullptr)
        return;
    __tsan_destroy_fiber(tsan_fibers[i]);
    tsan_fibers[i] = nullptr;
    const stack_memory stack = stack_at(i, 0);
    munmap(stack.bottom, stack.bytes);
    map(stack.bottom, stack.bytes, MAP_FIXED);
}

}  // namespace parprims::detail::simt::executor
