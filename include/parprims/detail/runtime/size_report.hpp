/// @file
/// @brief  How kernels tell the host of a size in device memory that is out of range.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parprims {
class stream_view;
}

namespace parprims::detail::runtime {

struct size_fault {
    const char* function;
    std::uint64_t size;
    std::uint64_t bound;
    std::uint64_t stream;  ///< its id; of a call that was captured, 0: its graph can run in any
    int device;
    bool is_signed;
};

/// Where a call's kernels report a fault, in page-locked memory: in a slot, as flagged words. They raise the alarm last. If the slot
/// holds a fault that no call has thrown yet, theirs is dropped.
struct size_report {
    static constexpr std::size_t slot_words = sizeof(size_fault) / 4;

    std::uint64_t* alarm;
    std::uint64_t* slot;
    size_fault fault;  ///< without the size
};

/// For a call in `where`, whose GPU is current. The memory lives until the process ends.
size_report report_of(const char* function, stream_view where, bool is_capturing, std::size_t bound, bool is_signed);

/// For a call that has waited for `where`: throws invalid_argument if a kernel in it has reported a fault, or one of a graph on its GPU.
void throw_size_fault(stream_view where);

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/size_report.inl.hpp>
#endif
