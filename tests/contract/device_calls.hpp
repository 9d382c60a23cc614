/// @file
/// @brief  The calls on a GPU, with the sizes of their ranges from the host, or in its memory.
#pragma once

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/execution.hpp>
#include <parprims/sized_on_device.hpp>

#include "calls.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

namespace contract {

/// n values in the memory of the GPU, `offset` values after an address that is a multiple of 256.
template <class T>
class device_place {
public:
    /// @param  spare  room behind the values
    device_place(const T* values, std::size_t n, std::size_t offset, std::size_t spare = 0)
        : n_(n), offset_(offset), memory_(bytes(values, n, offset, spare))
    {
    }
    T* begin() const { return reinterpret_cast<T*>(const_cast<unsigned char*>(memory_.data()) + offset_ * sizeof(T)); }
    T* end() const { return begin() + n_; }
    std::vector<T> read() const
    {
        std::vector<unsigned char> all(memory_.size());
        memory_.copy_to(std::span(all));
        std::vector<T> result(n_);
        if (n_ != 0)
            std::memcpy(static_cast<void*>(result.data()), all.data() + offset_ * sizeof(T), n_ * sizeof(T));
        return result;
    }

private:
    static pp::device_buffer<unsigned char> bytes(const T* values, std::size_t n, std::size_t offset, std::size_t spare)
    {
        std::vector<unsigned char> all((offset + n + spare) * sizeof(T) + 1, 0xA5);
        if (values != nullptr && n != 0)
            std::memcpy(all.data() + offset * sizeof(T), static_cast<const void*>(values), n * sizeof(T));
        return pp::device_buffer<unsigned char>(std::span<const unsigned char>(all));
    }

    std::size_t n_;
    std::size_t offset_;
    pp::device_buffer<unsigned char> memory_;
};

/// What a call is planned for whose size, n, lies in the memory of the GPU: n itself, or more.
constexpr std::size_t bound_of(std::size_t n)
{
    return n + (n + 1) % 3 * 9000;
}

/// Values whose number lies in the memory of the GPU. Behind them is other memory up to the bound, in which the count must not lie.
template <class T>
class sized_place : public device_place<T> {
public:
    /// @param  n  of elements, or of the segments of n + 1 offsets
    sized_place(const std::vector<T>& values, std::size_t offset, std::size_t n)
        : device_place<T>(values.data(), values.size(), offset, bound_of(n) - n), bound_(bound_of(n)),
          count_(std::span<const std::uint64_t>(std::vector<std::uint64_t>{n}))
    {
    }
    auto begin() const { return range().begin(); }
    auto end() const { return range().end(); }

private:
    auto range() const
    {
        const T* const first = device_place<T>::begin();
        return pp::sized_on_device(first, count_.data(), bound_);
    }

    std::size_t bound_;
    pp::device_buffer<std::uint64_t> count_;
};

/// @tparam  IsSized  the sizes of ranges, and the numbers of segments, lie in the memory of the GPU
template <bool IsSized>
struct device_memory {
    static auto policy(const row&) { return pp::device; }

    template <class T>
    static auto place(const std::vector<T>& values, std::size_t offset)
    {
        if constexpr (IsSized)
            return sized_place<T>(values, offset, values.size());
        else
            return place_of_segments(values, offset);
    }
    template <class T>
    static device_place<T> place_of_segments(const std::vector<T>& values, std::size_t offset)
    {
        return {values.data(), values.size(), offset};
    }
    template <class T>
    static auto offsets(const std::vector<T>& values)
    {
        if constexpr (IsSized)
            return sized_place<T>(values, 0, values.size() - 1);
        else
            return place_of_segments(values, 0);
    }
    /// For the results of as many elements as a call may be planned for.
    template <class T>
    static device_place<T> room(std::size_t n, std::size_t offset)
    {
        return {nullptr, n, offset, IsSized ? bound_of(n) - n : 0};
    }
};

template <class V, class T, class Op>
using device_calls = public_calls<device_memory<false>, V, T, Op>;
template <class V, class T, class Op>
using sized_calls = public_calls<device_memory<true>, V, T, Op>;

/// For ctest. Says so where there is no GPU.
inline constexpr int skipped = 77;
inline bool has_gpu()
{
    const bool found = pp::device_count() > 0;
    if (!found)
        std::printf("skipped: no GPU\n");
    return found;
}

}  // namespace contract
