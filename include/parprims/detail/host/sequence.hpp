/// @file
/// @brief  The part of std::vector that the host backend needs: <vector> costs nvcc a tenth of a second in every file that calls
///         an algorithm.
#pragma once

#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// Contiguous values, move-only. Nothing leaks if a constructor of T throws or an allocation fails (out_of_memory).
template <class T>
class sequence {
public:
    sequence() = default;
    /// `n` values, value-initialised: numbers are 0.
    explicit sequence(std::size_t n) : sequence() { resize(n); }  // delegates, so that the destructor runs if it throws
    ~sequence()
    {
        clear();
        release(data_);
    }
    sequence(sequence&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          room_(std::exchange(other.room_, 0))
    {
    }
    sequence& operator=(sequence&&) = delete;

    std::size_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    /// Only grows.
    void resize(std::size_t n)
    {
        reserve(n);
        for (; size_ < n; ++size_)
            ::new (static_cast<void*>(data_ + size_)) T();
    }

    void push_back(T value)
    {
        if (size_ == room_)
            reserve(room_ < 8 ? 16 : 2 * room_);
        ::new (static_cast<void*>(data_ + size_)) T(std::move(value));
        ++size_;
    }

    void pop_back() { data_[--size_].~T(); }

    void clear()
    {
        while (size_ > 0)
            pop_back();
    }

private:
    static constexpr std::align_val_t alignment{alignof(T)};

    static void release(T* memory) { ::operator delete(static_cast<void*>(memory), alignment); }

    void reserve(std::size_t room)
    {
        if (room <= room_)
            return;
        if (room > static_cast<std::size_t>(-1) / sizeof(T))
            runtime::throw_out_of_memory(static_cast<std::size_t>(-1), "host memory");
        sequence grown;
        grown.data_ = static_cast<T*>(::operator new(room * sizeof(T), alignment, std::nothrow));
        if (grown.data_ == nullptr)
            runtime::throw_out_of_memory(room * sizeof(T), "host memory");
        grown.room_ = room;
        if constexpr (std::is_move_constructible_v<T>)
            for (; grown.size_ < size_; ++grown.size_)
                ::new (static_cast<void*>(grown.data_ + grown.size_)) T(std::move(data_[grown.size_]));
        std::swap(data_, grown.data_);
        std::swap(size_, grown.size_);
        std::swap(room_, grown.room_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

}  // namespace parprims::detail::host
