/// @file
/// @brief  The scale of the weights of a call, which all blocks must agree on.
///
/// A sum is that of multiples of q, which the largest weight decides (detail/numeric/fixed_point.hpp). To find that weight first
/// would take one more pass over the weights. So each block reads the same few weights, and guesses that the largest of them is the
/// largest of all. Threads record the largest weight above the guess. If there is one, a second launch adds all weights again, to
/// other sums; otherwise the second launch returns at once.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Keys of the largest weights (numeric::magnitude_key), in global memory; zero before the first launch.
struct weight_peaks {
    std::uint32_t guessed;
    std::uint32_t found;
};

/// The parameters of one of the two launches that add.
struct weighted_launch {
    weight_peaks* peaks;
    std::uint32_t* flags;  ///< of each slot: `special`
    std::uint64_t* sums;   ///< of this launch: zero before
    int bits;              ///< of a multiple: weight_traits::bits
    bool repeats;          ///< the second launch
    bool is_bounded;       ///< the caller has named `bound`: there is no second launch
    double bound;
    /// The ranks of a group have agreed on `peaks->guessed`, also with a bound: it is read, not written.
    bool has_agreed_key;
};

/// The key of a number; 0 for infinities and NaN.
template <class Real>
PARPRIMS_DEVICE std::uint32_t finite_key(Real number)
{
    return numeric::is_finite(number) ? numeric::magnitude_key(number) : 0;
}

/// The key that decides the scale: that of the launch before if there was one.
template <class W>
PARPRIMS_DEVICE std::uint32_t deciding_key(const weight_peaks* peaks)
{
    const std::uint32_t guessed = simt::load(&peaks->guessed);
    const std::uint32_t found = simt::load(&peaks->found);
    return weight_traits<W>::exponent(found) > weight_traits<W>::exponent(guessed) ? found : guessed;
}

/// Whether the guess was wrong, so that the second launch has to add.
template <class W>
PARPRIMS_DEVICE bool must_repeat(const weight_peaks* peaks)
{
    return weight_traits<W>::exponent(deciding_key<W>(peaks)) !=
           weight_traits<W>::exponent(simt::load(&peaks->guessed));
}

/// For all threads of a block: makes `*peak`, in shared memory, at least the largest `key` of the block. No barrier after.
PARPRIMS_DEVICE inline void raise_peak(simt::block block, std::uint32_t* peak, std::uint32_t key)
{
    for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
        key = larger_of(key, simt::shuffle_down(key, distance));
    if (block.lane() == 0)
        simt::atomic_max(peak, key);
}

/// For all threads of a block: the key of the largest finite |weight| that they look at. A thread looks at `weights[k *
/// stride]` for k = first, first + step, ... below `count`. `*peak` is in shared memory; after the call all threads may
/// read it.
template <class Weights>
PARPRIMS_DEVICE std::uint32_t largest_key(simt::block block, std::uint32_t* peak, const Weights& weights,
                                          std::size_t count, std::size_t stride, std::size_t first, std::size_t step)
{
    using weight_type = typename Weights::value_type;
    std::uint32_t largest = 0;
    for (std::size_t k = first; k < count; k += step)
        largest = larger_of(largest, finite_key(weight_traits<weight_type>::convert(weights[k * stride])));
    if (block.thread() == 0)
        simt::store(peak, 0u);
    block.sync();
    raise_peak(block, peak, largest);
    block.sync();
    return simt::load(peak);
}

/// Guesses the key of the largest of n weights: all blocks look at the same ones.
template <class Weights>
PARPRIMS_DEVICE std::uint32_t guess_key(simt::block block, std::uint32_t* peak, const Weights& weights, std::size_t n)
{
    const std::size_t count = smaller_of(guessed_weights, n);
    return device::largest_key(block, peak, weights, count, n / count, block.thread(), block.threads());
}

/// Raises `peaks->guessed`, zero before the launch, to the key of the largest finite |weight| among `weights[0]`,
/// `weights[stride]`, ..., `count` of them.
template <class Weights>
struct weighted_peak_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        std::uint32_t peak;
    };

    Weights weights;
    std::size_t count;
    std::size_t stride;
    weight_peaks* peaks;  // zero before

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::uint32_t key =
            device::largest_key(block, &shared.peak, weights, count, stride,
                                block.index() * block.threads() + block.thread(), block.count() * block.threads());
        if (block.thread() == 0)
            simt::atomic_max(&peaks->guessed, key);
    }
};

/// What a thread adds: an integer for each sum of a bin (`bin_words`). Unsigned, because it is cut into words.
template <class W, unsigned Values>
struct weight_integers {
    using traits = weight_traits<W>;
    static constexpr bool are_small = Values == profile_values && std::is_same_v<typename traits::real, float>;
    using scale = std::conditional_t<are_small, numeric::small_scale, typename traits::scale>;
    using integer = typename traits::scale::unsigned_integer;
    static constexpr unsigned count = Values;
    integer values[Values];

    PARPRIMS_DEVICE static weight_integers of(const scale& of_call, typename traits::real weight)
    {
        weight_integers result;
        const auto rounded = of_call.value(weight);
        result.values[0] = static_cast<integer>(rounded);
        if constexpr (Values == 2)
            result.values[1] = static_cast<integer>(of_call.square(weight));
        if constexpr (Values == profile_values) {
            result.values[1] = static_cast<integer>(static_cast<typename traits::integer>(rounded) * rounded);
            result.values[2] = 1;
        }
        return result;
    }
};

}  // namespace parprims::detail::device
