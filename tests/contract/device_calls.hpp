/// @file
/// @brief  The calls on a GPU.
#pragma once

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/execution.hpp>

#include "calls.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

namespace contract {

/// n values in the memory of the GPU, `offset` values after an address that is a multiple of 256.
template <class T>
class device_place {
public:
    device_place(const T* values, std::size_t n, std::size_t offset)
        : n_(n), offset_(offset), memory_(bytes(values, n, offset))
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
    static pp::device_buffer<unsigned char> bytes(const T* values, std::size_t n, std::size_t offset)
    {
        std::vector<unsigned char> all((offset + n) * sizeof(T) + 1, 0xA5);
        if (values != nullptr && n != 0)
            std::memcpy(all.data() + offset * sizeof(T), static_cast<const void*>(values), n * sizeof(T));
        return pp::device_buffer<unsigned char>(std::span<const unsigned char>(all));
    }

    std::size_t n_;
    std::size_t offset_;
    pp::device_buffer<unsigned char> memory_;
};

struct device_memory {
    static auto policy(const row&) { return pp::device; }

    template <class T>
    static device_place<T> place(const std::vector<T>& values, std::size_t offset)
    {
        return {values.data(), values.size(), offset};
    }
    template <class T>
    static device_place<T> room(std::size_t n, std::size_t offset)
    {
        return {nullptr, n, offset};
    }
};

template <class V, class T, class Op>
using device_calls = public_calls<device_memory, V, T, Op>;

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
