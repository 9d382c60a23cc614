/// @file
/// @brief  The sanitizers' interface for fibers. The executor is built once, without sanitizers: the functions are weak, and
///         null if the program has no such sanitizer.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old,
                                                   std::size_t* size_old);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char* file, int line);
}

namespace parprims::detail::simt::executor {

inline bool has_tsan()
{
    return __tsan_create_fiber != nullptr;
}

/// For TSan: what a thread did before `release` happens before what a thread does after `acquire` of the same address.
inline void release(void* address)
{
    if (__tsan_release != nullptr)
        __tsan_release(address);
}

inline void acquire(void* address)
{
    if (__tsan_acquire != nullptr)
        __tsan_acquire(address);
}

/// While an object exists, TSan ignores the accesses of this thread. For the executor's own data: there is no order between the
/// end of a block and the start of another one, so the reuse of memory would look like a race.
class unseen_by_tsan {
public:
    unseen_by_tsan()
    {
        if (has_tsan()) {
            AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
            AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
        }
    }
    ~unseen_by_tsan()
    {
        if (has_tsan()) {
            AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
            AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
        }
    }
    unseen_by_tsan(const unseen_by_tsan&) = delete;
    unseen_by_tsan& operator=(const unseen_by_tsan&) = delete;
};

}  // namespace parprims::detail::simt::executor
