/// @file
/// @brief  Where a test runs: its policy, and memory for its inputs and outputs that notices strays.
///
/// Outputs are filled with 0xA5 first and lie between guards, which `read()` checks: nothing was written outside.
#pragma once

#include <doctest/doctest.h>

#include <parprims/config.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <parprims/device_buffer.hpp>
#endif

inline constexpr unsigned char poison = 0xA5;

/// Memory of the host, aligned as the GPU's is, and poisoned.
class host_bytes {
public:
    explicit host_bytes(std::size_t n) : size_(n), memory_(static_cast<unsigned char*>(::operator new(n, alignment)))
    {
        std::memset(data(), poison, n);
    }
    unsigned char* data() const { return memory_.get(); }
    std::size_t size() const { return size_; }
    const host_bytes& image() const { return *this; }

private:
    static constexpr std::align_val_t alignment{256};
    struct release {
        void operator()(unsigned char* memory) const { ::operator delete(memory, alignment); }
    };
    std::size_t size_;
    std::unique_ptr<unsigned char[], release> memory_;
};

struct host_backend {
    static constexpr bool is_device = false;
    static constexpr parprims::host_policy policy() { return parprims::host; }
    using bytes = host_bytes;
    static bytes place(host_bytes image) { return image; }
};

#if PARPRIMS_CUDA_COMPILER

/// Memory of the current GPU.
class device_bytes {
public:
    explicit device_bytes(const host_bytes& image) : memory_(std::span<const unsigned char>(image.data(), image.size()))
    {
    }
    unsigned char* data() const { return const_cast<unsigned char*>(memory_.data()); }
    host_bytes image() const
    {
        host_bytes image(memory_.size());
        memory_.copy_to(std::span(image.data(), image.size()));
        return image;
    }

private:
    parprims::device_buffer<unsigned char> memory_;
};

struct device_backend {
    static constexpr bool is_device = true;
    static constexpr parprims::device_policy policy() { return parprims::device; }
    using bytes = device_bytes;
    static bytes place(const host_bytes& image) { return device_bytes(image); }
};

#define PARPRIMS_BACKENDS host_backend, device_backend
#else
#define PARPRIMS_BACKENDS host_backend
#endif

/// `size()` elements on a backend, `offset` elements off an address that is a multiple of 256.
template <class Backend, class T>
class placed {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// @param  values  null: the elements are poison
    placed(const T* values, std::size_t n, std::size_t offset, std::size_t bytes_after)
        : front_(guard_bytes + offset * sizeof(T)), n_(n), memory_(Backend::place(make(values, n, front_, bytes_after)))
    {
    }

    T* begin() const { return reinterpret_cast<T*>(memory_.data() + front_); }
    T* end() const { return begin() + n_; }
    std::size_t size() const { return n_; }

    /// The elements. For the device, waits for the default stream.
    std::vector<T> read() const
    {
        const auto& image = memory_.image();
        check_guards(image);
        const T* const values = reinterpret_cast<const T*>(image.data() + front_);
        return std::vector<T>(values, values + n_);
    }

    /// Whether no byte has been written since it was poisoned.
    bool untouched() const
    {
        const auto& image = memory_.image();
        return first_stray(image, 0, image.size()) == image.size();
    }

    static constexpr std::size_t guard_bytes = 512;

private:
    static host_bytes make(const T* values, std::size_t n, std::size_t front, std::size_t bytes_after)
    {
        host_bytes image(front + n * sizeof(T) + bytes_after);
        if (values != nullptr && n != 0)
            std::memcpy(image.data() + front, static_cast<const void*>(values), n * sizeof(T));
        return image;
    }

    static std::size_t first_stray(const host_bytes& image, std::size_t begin, std::size_t end)
    {
        while (begin < end && image.data()[begin] == poison)
            ++begin;
        return begin;
    }

    void check_guards(const host_bytes& image) const
    {
        const std::size_t after = front_ + n_ * sizeof(T);
        CHECK_MESSAGE(first_stray(image, 0, front_) == front_, "written before the output");
        CHECK_MESSAGE(first_stray(image, after, image.size()) == image.size(), "written after the output");
    }

    std::size_t front_;
    std::size_t n_;
    typename Backend::bytes memory_;
};

/// An input: nothing lies behind it, so that tools see a read too far.
template <class Backend, class T>
placed<Backend, T> place(const std::vector<T>& values, std::size_t offset = 0)
{
    return {values.data(), values.size(), offset, 0};
}

/// An input that is an output as well.
template <class Backend, class T>
placed<Backend, T> place_guarded(const std::vector<T>& values, std::size_t offset = 0)
{
    return {values.data(), values.size(), offset, placed<Backend, T>::guard_bytes};
}

/// An output.
template <class Backend, class T>
placed<Backend, T> poisoned(std::size_t n, std::size_t offset = 0)
{
    return {nullptr, n, offset, placed<Backend, T>::guard_bytes};
}

/// Set where a tool makes everything slow: leave the longest runs out.
inline bool is_quick()
{
    return std::getenv("PARPRIMS_QUICK") != nullptr;
}
