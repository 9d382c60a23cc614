/// @file
/// @brief  An array in page-locked host memory: copies run at full speed, and kernels can access it.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/buffer.hpp>
#include <parprims/detail/runtime/runtime.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace parprims {

/// @brief  Owns `size()` elements of T in page-locked host memory. Move-only; `clone` makes a copy.
///
/// The host uses it like an array, and every GPU accesses it at the same address: calls with `parprims::host` and with
/// `parprims::device` take it. No function here is in stream order. Synchronise the stream before the host reads what a GPU
/// writes, or overwrites what a GPU reads. Allocation is slow: keep and reuse buffers.
///
/// A buffer of no elements makes no CUDA call. Destruction never throws; it may wait for the GPU.
///
/// @tparam T  trivially copyable, aligned to at most 256 bytes; needs no default constructor
/// @snippet device.cpp pinned
template <class T>
class pinned_buffer {
    static_assert(detail::check_buffer_type<T>());

public:
    using value_type = T;

    /// @brief  No elements.
    pinned_buffer() noexcept = default;

    /// @brief  `n` uninitialised elements.
    /// @throws out_of_memory  with the requested bytes
    /// @throws cuda_error     no GPU, or this build has no CUDA support
    explicit pinned_buffer(std::size_t n)
        : data_(
              static_cast<T*>(detail::runtime::allocate_pinned(detail::buffer_bytes<T>(n, "page-locked host memory")))),
          size_(n)
    {
    }

    /// @brief  A copy of `values`, a contiguous range on the host.
    /// @throws out_of_memory, cuda_error  as above
    template <class Range>
        requires(detail::host_range_of<Range, T> && !std::same_as<std::remove_cvref_t<Range>, pinned_buffer>)
    explicit pinned_buffer(Range&& values) : pinned_buffer(std::ranges::size(values))
    {
        copy_from(values);
    }

    pinned_buffer(pinned_buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    pinned_buffer& operator=(pinned_buffer&& other) noexcept
    {
        pinned_buffer taken(std::move(other));  // frees the old memory, also in a self-assignment
        std::swap(data_, taken.data_);
        std::swap(size_, taken.size_);
        return *this;
    }
    pinned_buffer(const pinned_buffer&) = delete;
    pinned_buffer& operator=(const pinned_buffer&) = delete;
    ~pinned_buffer() { detail::runtime::free_pinned(data_); }

    /// @brief  A copy, made by the host before the call returns. Does not wait for kernels that write the buffer.
    /// @throws out_of_memory, cuda_error  as the constructor
    [[nodiscard]] pinned_buffer clone() const
    {
        pinned_buffer copy(size_);
        copy.copy_from(*this);
        return copy;
    }

    /// @brief  The elements as they are now. Does not wait for kernels that write the buffer.
    /// @throws out_of_memory  no room for them on the host
    [[nodiscard]] std::vector<T> to_host() const
    {
        return detail::filled_vector<T>(size_, [this](T* target) { copy_bytes(target, data_); });
    }

    /// @brief  Overwrites the elements with `values` from the host.
    /// @throws invalid_argument  the number of values is not `size()`
    template <class Range>
        requires detail::host_range_of<Range, T>
    void copy_from(Range&& values)
    {
        detail::check_same_size("parprims::pinned_buffer::copy_from", "values", std::ranges::size(values), size_);
        copy_bytes(data_, std::ranges::data(values));
    }

    /// @brief  Writes the elements to `target` on the host.
    /// @throws invalid_argument  the size of `target` is not `size()`
    template <class Range>
        requires detail::writable_host_range_of<Range, T>
    void copy_to(Range&& target) const
    {
        detail::check_same_size("parprims::pinned_buffer::copy_to", "target", std::ranges::size(target), size_);
        copy_bytes(std::ranges::data(target), data_);
    }

    /// @pre  `i < size()`
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T* begin() noexcept { return data_; }
    const T* begin() const noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* end() const noexcept { return data_ + size_; }
    const T* cbegin() const noexcept { return data_; }
    const T* cend() const noexcept { return data_ + size_; }

    std::size_t size() const noexcept { return size_; }
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
    void copy_bytes(void* to, const void* from) const
    {
        if (!empty())
            std::memmove(to, from, size_bytes());
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
