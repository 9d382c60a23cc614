/// @file
/// @brief  Values as words of 4 bytes, for the shuffles of a GPU.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <type_traits>

namespace parprims::detail::simt {

/// A value as words of 4 bytes, the last one padded. Converted by bit_cast where possible: from a memcpy the compiler would
/// build the words byte by byte.
template <class T>
struct value_words {
    static constexpr unsigned count = (sizeof(T) + 3) / 4;
    static constexpr bool is_small = sizeof(T) <= 2;
    static constexpr bool is_whole = is_small || sizeof(T) % 4 == 0;
    using small = std::conditional_t<sizeof(T) == 1, unsigned char, unsigned short>;

    unsigned words[count];

    PARPRIMS_DEVICE static value_words of(const T& value)
    {
        if constexpr (is_small) {
            return {__builtin_bit_cast(small, value)};
        } else if constexpr (is_whole) {
            return __builtin_bit_cast(value_words, value);
        } else {
            value_words result = {};
            __builtin_memcpy(result.words, static_cast<const void*>(__builtin_addressof(value)), sizeof(T));
            return result;
        }
    }
    PARPRIMS_DEVICE T value() const
    {
        if constexpr (is_small) {
            return __builtin_bit_cast(T, static_cast<small>(words[0]));
        } else if constexpr (is_whole) {
            return __builtin_bit_cast(T, *this);
        } else {
            uninitialized<T> result;
            __builtin_memcpy(static_cast<void*>(__builtin_addressof(result)), words, sizeof(T));
            return result.value;
        }
    }
};

/// Applies a shuffle of 4 bytes to each 4-byte word of a value.
template <class T, class Shuffle>
PARPRIMS_DEVICE inline T shuffle_words(const T& value, Shuffle shuffle)
{
    constexpr unsigned count = value_words<T>::count;
    value_words<T> all = value_words<T>::of(value);
#pragma unroll(count <= max_unrolled_words ? count : 1)
    for (unsigned i = 0; i < count; ++i)
        all.words[i] = shuffle(all.words[i]);
    return all.value();
}

/// `condition ? yes : no`, word by word. For whole objects the compiler would select an address, and keep them in local memory.
template <class T>
PARPRIMS_DEVICE inline T select(bool condition, const T& yes, const T& no)
{
    constexpr unsigned count = value_words<T>::count;
    value_words<T> result = value_words<T>::of(yes);
    const value_words<T> other = value_words<T>::of(no);
#pragma unroll(count <= max_unrolled_words ? count : 1)
    for (unsigned i = 0; i < count; ++i)
        result.words[i] = condition ? result.words[i] : other.words[i];
    return result.value();
}

}  // namespace parprims::detail::simt
