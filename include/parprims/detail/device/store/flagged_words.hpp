/// @file
/// @brief  Values that blocks publish for each other or for the host, in words that carry their own ready flag.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::block {

inline constexpr unsigned no_limit = ~0u;  ///< of spins

/// The one place where a thread spins: calls `read`, which reads what another block writes, until it returns true, or until it has
/// been called `spins` times again. Whether it returned true. There is no back-off: none that was tried (__nanosleep of 32, 64, ...
/// 512 ns) took less time, and short passes took more (216927a).
template <class Read>
PARPRIMS_DEVICE inline bool spin_until(Read read, unsigned spins = no_limit)
{
    for (; !read(); spins -= spins == no_limit ? 0 : 1) {
        if (spins == 0)
            return false;
        simt::pause();
    }
    return true;
}

/// A value in words of 64 bits: four bytes of the value in the lower half, a flag in the upper half. Each word is written and
/// read in one access, so a value of any size needs no fence and no wider atomic operation, and the writer does not wait
/// for the value before it can write the flag. A word is zero until it is written.
template <class T>
struct flagged_words {
    static constexpr unsigned count = (sizeof(T) + 3) / 4;  ///< words of a value
    static constexpr std::uint64_t ready = std::uint64_t{1} << 32;

    std::uint64_t words[count];

    PARPRIMS_DEVICE flagged_words() {}

    /// The words of `value`, each with `flag`.
    PARPRIMS_DEVICE explicit flagged_words(const T& value, std::uint64_t flag = ready)
    {
        std::uint32_t parts[count] = {};
        __builtin_memcpy(parts, static_cast<const void*>(__builtin_addressof(value)), sizeof(T));
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
        for (unsigned w = 0; w < count; ++w)
            words[w] = flag | parts[w];
    }

    /// The value, whatever the flags say.
    PARPRIMS_DEVICE T value() const
    {
        std::uint32_t parts[count];
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
        for (unsigned w = 0; w < count; ++w)
            parts[w] = static_cast<std::uint32_t>(words[w]);
        uninitialized<T> result;
        __builtin_memcpy(static_cast<void*>(__builtin_addressof(result)), parts, sizeof(T));
        return result.value;
    }

    PARPRIMS_DEVICE static bool is_ready(std::uint64_t word) { return (word & ready) != 0; }
    PARPRIMS_DEVICE bool are_ready() const
    {
        std::uint64_t all = ready;
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
        for (unsigned w = 0; w < count; ++w)
            all &= words[w];
        return is_ready(all);
    }

    /// Whether a word has this flag, of 32 bits.
    PARPRIMS_DEVICE static bool has_flag(std::uint64_t word, std::uint64_t flag) { return (word ^ flag) >> 32 == 0; }
};

}  // namespace parprims::detail::block
