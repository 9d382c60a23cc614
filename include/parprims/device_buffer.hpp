/// @file
/// @brief  An array in device memory: owned, move-only, in stream order.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/buffer.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace parprims {

/// @brief  Owns `size()` elements of T in the memory of a GPU. Move-only; `clone` makes a copy.
///
/// Stream order: the memory is allocated and freed in `stream()`.
///   * Work enqueued in `stream()` between construction and destruction may use the buffer; no synchronisation is needed.
///   * Work in another stream must wait for `stream()` first (with an `event`), and `stream()` must wait for that work
///     before the buffer is destroyed. Copies between buffers do both.
///   * The stream and the resource must outlive the buffer.
///
/// The memory is on the stream's GPU. With the default stream, or one that is being captured, it is on the GPU that was
/// current at construction. Later calls use that GPU, whichever is current then.
///
/// Copies from and to host memory: a copy of pageable memory (`std::vector`, `std::array`, ...) is done when the call
/// returns. A copy of page-locked or managed memory (`pinned_buffer`, `cudaHostRegister`, `cudaMallocManaged`) is enqueued
/// in `stream()`: the call does not wait, and the memory must stay valid until the copy is done. `to_host` always waits.
///
/// A buffer of no elements has no memory and makes no CUDA call: it works without a GPU. Destruction never throws and
/// never waits.
///
/// @tparam T  trivially copyable, aligned to at most 256 bytes; needs no default constructor
/// @snippet device.cpp buffers
template <class T>
class device_buffer {
    static_assert(detail::check_buffer_type<T>());

public:
    using value_type = T;

    /// @brief  No elements.
    device_buffer() noexcept = default;

    /// @brief  `n` uninitialised elements. The allocation is enqueued in `where`; does not block.
    /// @param  resource  null: the default resource of the GPU
    /// @throws out_of_memory  with the requested bytes
    /// @throws cuda_error     no GPU, or the context is lost
    explicit device_buffer(std::size_t n, stream_view where = {}, memory_resource* resource = nullptr)
        : stream_(where), resource_(resource)
    {
        const std::size_t bytes = detail::buffer_bytes<T>(n, "device memory");
        if (n == 0)
            return;
        const detail::runtime::call_scope scope("parprims::device_buffer", where, nullptr);
        if (resource_ == nullptr)
            resource_ = &default_memory_resource();
        data_ = static_cast<T*>(resource_->allocate(bytes, where));
        size_ = n;
        device_ = scope.device();
    }

    /// @brief  A copy of `values`, a contiguous range on the host. Waits as described above.
    /// @throws out_of_memory, cuda_error  as above
    /// @throws invalid_argument  the stream is being captured and `values` are pageable
    template <class Range>
        requires detail::host_range_of<Range, T>
    explicit device_buffer(Range&& values, stream_view where = {}, memory_resource* resource = nullptr)
        : device_buffer(std::ranges::size(values), where, resource)
    {
        copy_from(values);
    }

    device_buffer(device_buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          device_(std::exchange(other.device_, -1)), stream_(other.stream_), resource_(other.resource_)
    {
    }
    device_buffer& operator=(device_buffer&& other) noexcept
    {
        device_buffer taken(std::move(other));  // frees the old memory, also in a self-assignment
        std::swap(data_, taken.data_);
        std::swap(size_, taken.size_);
        std::swap(device_, taken.device_);
        std::swap(stream_, taken.stream_);
        std::swap(resource_, taken.resource_);
        return *this;
    }
    device_buffer(const device_buffer&) = delete;
    device_buffer& operator=(const device_buffer&) = delete;
    ~device_buffer()
    {
        if (data_ != nullptr)
            detail::runtime::deallocate(*resource_, data_, size_bytes(), stream_, device_);
    }

    /// @brief  A copy with stream `where`, on that stream's GPU (with the default stream: on this buffer's GPU). Does not block.
    ///
    /// The copy waits for the work enqueued in `stream()` so far; later work in `stream()` waits for the copy.
    /// @throws out_of_memory, cuda_error  as the constructor
    [[nodiscard]] device_buffer clone(stream_view where) const
    {
        if (empty())
            return device_buffer(0, where);
        const detail::runtime::call_scope scope("parprims::device_buffer::clone", where, data_);
        device_buffer copy(size_, where, scope.device() == device_ ? resource_ : nullptr);
        copy.copy_from(*this);
        return copy;
    }
    /// @brief  A copy with stream `stream()`.
    [[nodiscard]] device_buffer clone() const { return clone(stream_); }

    /// @brief  The elements, copied to the host. Waits for `stream()`.
    /// @throws out_of_memory     no room for them on the host
    /// @throws invalid_argument  the stream is being captured
    /// @throws cuda_error        an operation enqueued before failed
    [[nodiscard]] std::vector<T> to_host() const
    {
        return detail::filled_vector<T>(size_, [this](T* target) {
            detail::runtime::copy_host("parprims::device_buffer::to_host", target, data_, size_bytes(), target, stream_,
                                       detail::runtime::waiting::always);
        });
    }

    /// @brief  Overwrites the elements with `values` from the host. Waits as described above.
    /// @throws invalid_argument  the number of values is not `size()`; the stream is being captured and `values` are pageable
    /// @throws cuda_error        the copy, or an operation enqueued before, failed
    template <class Range>
        requires detail::host_range_of<Range, T>
    void copy_from(Range&& values)
    {
        constexpr const char* function = "parprims::device_buffer::copy_from";
        detail::check_same_size(function, "values", std::ranges::size(values), size_);
        const T* const source = std::ranges::data(values);
        if (!empty())
            detail::runtime::copy_host(function, data_, source, size_bytes(), source, stream_);
    }

    /// @brief  Overwrites the elements with those of `other`. The copy is enqueued in `stream()`. Does not block.
    ///
    /// The copy waits for the work enqueued in `other.stream()` so far; later work in `other.stream()` waits for the copy.
    /// @throws invalid_argument  the sizes differ
    /// @throws cuda_error        as `copy_from` of host memory
    void copy_from(const device_buffer& other)
    {
        detail::check_same_size("parprims::device_buffer::copy_from", "other", other.size_, size_);
        if (!empty() && data_ != other.data_)
            detail::runtime::copy_between(data_, {device_, stream_}, other.data_, {other.device_, other.stream_},
                                          size_bytes());
    }

    /// @brief  Writes the elements to `target` on the host. Waits as described above: page-locked or managed memory holds
    ///         the elements after the next `stream().synchronize()`.
    /// @throws invalid_argument  the size of `target` is not `size()`; the stream is being captured and `target` is pageable
    /// @throws cuda_error        as `copy_from`
    template <class Range>
        requires detail::writable_host_range_of<Range, T>
    void copy_to(Range&& target) const
    {
        constexpr const char* function = "parprims::device_buffer::copy_to";
        detail::check_same_size(function, "target", std::ranges::size(target), size_);
        T* const out = std::ranges::data(target);
        if (!empty())
            detail::runtime::copy_host(function, out, data_, size_bytes(), out, stream_);
    }

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
    /// @brief  The stream in which the memory is allocated and freed.
    stream_view stream() const noexcept { return stream_; }
    /// @brief  The resource that allocated the memory; may be null for a buffer of no elements.
    memory_resource* resource() const noexcept { return resource_; }
    /// @brief  The GPU that holds the memory; -1 for a buffer of no elements.
    int device() const noexcept { return device_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    int device_ = -1;
    stream_view stream_;
    memory_resource* resource_ = nullptr;
};

/// @brief  A `device_buffer` with a copy of `values`: any contiguous range on the host.
///
/// Pageable values have been read when the call returns. Page-locked values must stay valid until the copy in `where` is done.
/// @throws out_of_memory, cuda_error, invalid_argument  as the constructors of `device_buffer`
template <std::ranges::contiguous_range Range>
    requires detail::host_range_of<Range, std::ranges::range_value_t<Range>>
[[nodiscard]] device_buffer<std::ranges::range_value_t<Range>> to_device(Range&& values, stream_view where = {})
{
    return device_buffer<std::ranges::range_value_t<Range>>(values, where);
}

/// @brief  `to_device({1, 2, 3})`.
/// @snippet device.cpp buffers
template <class T>
[[nodiscard]] device_buffer<T> to_device(std::initializer_list<T> values, stream_view where = {})
{
    return device_buffer<T>(std::span(values.begin(), values.size()), where);
}

/// @brief  `to_device(pointer, pointer + n)`.
template <std::contiguous_iterator Iterator, std::sized_sentinel_for<Iterator> Sentinel>
[[nodiscard]] device_buffer<std::iter_value_t<Iterator>> to_device(Iterator first, Sentinel last,
                                                                   stream_view where = {})
{
    return device_buffer<std::iter_value_t<Iterator>>(std::span(first, last), where);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
