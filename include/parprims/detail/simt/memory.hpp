/// @file
/// @brief  Arrays in global and shared memory, for kernels: elements are read and written by `[]`.
///
/// Under nvcc an element is a plain reference. On the executor it is a proxy, so that accesses can be counted.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail::simt {

/// An array in global memory, as a member of a kernel. A pointer converts to it.
///
/// Give the type of a value that is read: `const float x = in[i];`, not `auto`.
template <class T>
struct global {
    T* data;

    PARPRIMS_HOST_DEVICE constexpr global(T* first) : data(first) {}

    PARPRIMS_DEVICE reference<T> operator[](index i) const { return simt::at(data, i); }
};

/// An array in shared memory, as a member of a kernel's `shared_storage`: `shared_array<float, 32, 33>` for
/// `float tile[32][33]`. Without a size it must be the last member; the launch sets its size.
template <class T, std::size_t... Sizes>
struct shared_array;

template <class T, std::size_t Size, std::size_t... Sizes>
struct shared_array<T, Size, Sizes...> {
    shared_array<T, Sizes...> rows[Size];

    PARPRIMS_DEVICE auto& operator[](index i) { return rows[simt::position(simt::check_index(i, Size))]; }
    PARPRIMS_DEVICE auto& operator[](index i) const { return rows[simt::position(simt::check_index(i, Size))]; }
};

template <class T, std::size_t Size>
struct shared_array<T, Size> {
    T values[Size];

    PARPRIMS_DEVICE reference<T> operator[](index i) { return simt::at(values, simt::check_index(i, Size)); }
    PARPRIMS_DEVICE reference<const T> operator[](index i) const
    {
        return simt::at(values, simt::check_index(i, Size));
    }
    PARPRIMS_DEVICE T* data() { return values; }
};

template <class T>
struct shared_array<T> {
    T values[1];

    PARPRIMS_DEVICE reference<T> operator[](index i) { return simt::at(data(), i); }
    PARPRIMS_DEVICE reference<const T> operator[](index i) const { return simt::at<const T>(values, i); }
    PARPRIMS_DEVICE T* data() { return values; }
};

}  // namespace parprims::detail::simt
