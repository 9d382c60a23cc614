/// @file
/// @brief  What device_buffer and pinned_buffer share.
#pragma once

#include <parprims/concepts.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>  // has the concepts and functions of <ranges> that are used here, at a tenth of nvcc's time for <ranges>
#include <type_traits>
#include <vector>

namespace parprims::detail {

/// A contiguous range of T in memory that the host can read.
template <class Range, class T>
concept host_range_of =
    std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::same_as<std::ranges::range_value_t<Range>, T> && !is_device_buffer<std::remove_cvref_t<Range>>;

/// A contiguous range of T in memory that the host can write.
template <class Range, class T>
concept writable_host_range_of =
    host_range_of<Range, T> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// Fails to compile for a type that a buffer cannot hold.
template <class T>
constexpr bool check_buffer_type()
{
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                  "parprims: the T of a buffer<T> must be an object type, neither const nor volatile");
    static_assert(std::is_trivially_copyable_v<T>,
                  "parprims: the T of a buffer<T> must be trivially copyable, because it is copied as bytes");
    static_assert(alignof(T) <= 256, "parprims: the T of a buffer<T> may be aligned to at most 256 bytes");
    return true;
}

/// n * sizeof(T); throws out_of_memory if that overflows.
template <class T>
std::size_t buffer_bytes(std::size_t n, const char* where)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (n > most / sizeof(T))
        runtime::throw_out_of_memory(most, where);
    return n * sizeof(T);
}

inline void check_same_size(const char* function, const char* argument, std::size_t given, std::size_t size)
{
    if (given != size)
        runtime::refuse(function, argument, "% elements given, the buffer has %", given, size);
}

/// A vector whose n elements `fill(T* target)` writes as bytes. T needs no default constructor. Throws out_of_memory.
template <class T, class Fill>
std::vector<T> filled_vector(std::size_t n, Fill fill)
{
    if (n == 0)
        return {};
    const std::size_t bytes = n * sizeof(T);
    if constexpr (std::is_default_constructible_v<T> && !std::is_same_v<T, bool>) {
        auto values = runtime::with_host_memory(bytes, [n] { return std::vector<T>(n); });
        fill(values.data());
        return values;
    } else {
        using allocator = typename std::vector<T>::allocator_type;
        const struct storage {
            std::size_t n;
            T* memory;
            ~storage() { allocator().deallocate(memory, n); }
        } values{n, runtime::with_host_memory(bytes, [n] { return allocator().allocate(n); })};
        fill(values.memory);
        return runtime::with_host_memory(bytes, [&] { return std::vector<T>(values.memory, values.memory + n); });
    }
}

}  // namespace parprims::detail
