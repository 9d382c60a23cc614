/// @file
/// @brief  How the blocks of a scan tell each other their tiles' aggregates.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parprims::detail::device {

/// The status words of all tiles. A word is 64 bits: four bytes of a value and a flag that says they are there, written
/// and read as one. So a value of any size needs neither a fence nor a wider atomic: each word speaks for itself.
/// Words start as zero. Word w of tile t lies at [w * tiles + t], so that neighbouring lanes read neighbouring words.
template <class T>
struct tile_status {
    static constexpr unsigned words = (sizeof(T) + 3) / 4;
    static constexpr std::uint64_t ready = std::uint64_t{1} << 32;

    std::uint64_t* status;
    std::size_t tiles;

    static constexpr std::size_t bytes(std::size_t tiles) { return words * tiles * sizeof(std::uint64_t); }

    /// For one warp: publishes a tile's aggregate, which every lane has.
    PARPRIMS_DEVICE void publish(std::size_t tile, const T& aggregate) const
    {
        std::uint32_t parts[words] = {};
        std::memcpy(parts, static_cast<const void*>(&aggregate), sizeof(T));
#pragma unroll(words <= 8 ? words : 1)
        for (unsigned w = 0; w < words; ++w)
            if (simt::block::lane() == w % simt::warp_size)
                simt::atomic_store(status + w * tiles + tile, ready | parts[w]);
    }

    /// The words of an aggregate as they were read, once or again.
    struct reading {
        std::uint64_t words[tile_status::words];
    };
    static constexpr bool reads_ahead = words <= 4;  // more would not stay in registers

    /// Reads the words of a tile, so that they are under way together with those of other tiles.
    PARPRIMS_DEVICE void read(std::size_t tile, reading& aggregate) const
    {
        if constexpr (reads_ahead)
#pragma unroll
            for (unsigned w = 0; w < words; ++w)
                aggregate.words[w] = simt::atomic_load(status + w * tiles + tile);
    }

    /// Waits for the aggregate of a tile, of which `first` was read. Its block has taken its ticket and publishes before it
    /// waits for anybody.
    PARPRIMS_DEVICE T wait(std::size_t tile, const reading& first) const
    {
        std::uint32_t parts[words];
#pragma unroll(words <= 8 ? words : 1)
        for (unsigned w = 0; w < words; ++w) {
            std::uint64_t word = reads_ahead ? first.words[w] : simt::atomic_load(status + w * tiles + tile);
            while ((word & ready) == 0) {
                word = simt::atomic_load(status + w * tiles + tile);
                if ((word & ready) == 0)
                    simt::pause();
            }
            parts[w] = static_cast<std::uint32_t>(word);
        }
        uninitialized<T> aggregate;
        std::memcpy(static_cast<void*>(&aggregate), parts, sizeof(T));
        return aggregate.value;
    }

    /// For one warp, when nobody will look any more: all words become zero again, and the ticket.
    PARPRIMS_DEVICE void reset(unsigned long long* ticket) const
    {
        for (std::size_t i = simt::block::lane(); i < words * tiles; i += simt::warp_size)
            simt::store(status, i, 0u);
        if (simt::block::lane() == 0)
            simt::store(ticket, 0ull);
    }
};

}  // namespace parprims::detail::device
