/// @file
/// @brief  Global and shared memory as a kernel names it: arrays whose elements are read and written by `[]`.
///
/// Under nvcc an element is a plain reference. On the executor reading and writing it can be counted.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail::simt {

/// An array in global memory. A kernel has it as a member; a pointer converts to it.
///
/// An element is a value when it is read: write `const float x = in[i];`, not `auto`.
template <class T>
struct global {
    T* data;

    PARPRIMS_HOST_DEVICE constexpr global(T* first) : data(first) {}

    PARPRIMS_DEVICE reference<T> operator[](index i) const { return at(data, i); }
};

/// An array in shared memory, as a member of a kernel's `shared_storage`: `shared_array<float, 32, 33>` is what is
/// otherwise written `float tile[32][33]`. Without a size it is the last member, and the launch decides.
template <class T, std::size_t... Sizes>
struct shared_array;

template <class T, std::size_t Size, std::size_t... Sizes>
struct shared_array<T, Size, Sizes...> {
    shared_array<T, Sizes...> rows[Size];

    PARPRIMS_DEVICE auto& operator[](index i) { return rows[position(check_index(i, Size))]; }
    PARPRIMS_DEVICE auto& operator[](index i) const { return rows[position(check_index(i, Size))]; }
};

template <class T, std::size_t Size>
struct shared_array<T, Size> {
    T values[Size];

    PARPRIMS_DEVICE reference<T> operator[](index i) { return at(values, check_index(i, Size)); }
    PARPRIMS_DEVICE reference<const T> operator[](index i) const { return at(values, check_index(i, Size)); }
    PARPRIMS_DEVICE T* data() { return values; }
};

template <class T>
struct shared_array<T> {
    T values[1];

    PARPRIMS_DEVICE reference<T> operator[](index i) { return at(data(), i); }
    PARPRIMS_DEVICE reference<const T> operator[](index i) const { return at<const T>(values, i); }
    PARPRIMS_DEVICE T* data() { return values; }
};

}  // namespace parprims::detail::simt
