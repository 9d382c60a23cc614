// The reduction kernel for wide values on the executor: their way through shared memory, and the order contract.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/counted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>

using namespace kernel_test;

namespace {

/// A value that is aligned to more than its words.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) aligned : checked<Bytes> {
    using checked<Bytes>::checked;
};

template <class T, class Iterator, class Transform = parprims::identity>
void check_reduce(Iterator first, std::size_t n, std::uint64_t seed, const Transform& transform = {})
{
    using value_type = std::iter_value_t<Iterator>;
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<value_type>(first, n, init, hash{}, transform);
    const parprims::reduce_config config{
        32u << seed % 4, 1, static_cast<unsigned>(seed / 4 % 4) == 3 ? 4u : static_cast<unsigned>(seed / 4 % 4)};
    const device::gpu_properties gpu{1 + static_cast<unsigned>(seed * 7 % 5)};
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(config.subtree_chunks);
    REQUIRE(same_bits(reduce(schedule_of(seed), config, gpu, first, n, init, hash{}, transform), expected));

    // In one block, or with words for each other.
    device::gpu_properties large = gpu;
    large.multiprocessors = 64;
    const std::optional<T> small =
        small_reduce(schedule_of(seed), config.block_threads, large, first, n, init, hash{}, transform);
    REQUIRE(small.has_value() == (n != 0 && std::max(sizeof(T), sizeof(value_type)) <= device::max_small_bytes));
    if (small)
        REQUIRE(same_bits(*small, expected));
}

template <class T>
void check_offsets()
{
    constexpr std::size_t chunk = order::chunk<T>;
    std::uint64_t seed = sizeof(T);
    for (const std::size_t n : sizes(5 * chunk + 1, {order::row<T>, chunk}, seed, 8))
        for (std::size_t offset = 0; offset < 16; offset += alignof(T)) {
            CAPTURE(offset);
            memory<T> input(n, offset);
            fill(input);
            check_reduce<T>(static_cast<const T*>(input.data()), n, ++seed * 5 / 2);
        }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce of wide values keeps the order contract at every offset", T, checked<20>, checked<24>,
                   checked<32>, checked<40>, checked<64>, checked<96>, checked<100>, checked<128>, aligned<40, 8>,
                   aligned<32, 16>)
{
    if constexpr (!has_tsan || sizeof(T) == 40)
        check_offsets<T>();
}

namespace {

/// Lane's elements of each row of a batch and a half, through a ring of two batches of two rows.
template <class T>
executor::statistics staged(std::size_t offset)
{
    using ring = parprims::detail::block::row_ring<T, 2, 2>;
    constexpr std::size_t n = 3 * simt::warp_size - 1;
    memory<T> input(n, offset);
    memory<T> read(n);
    fill(input);
    const T* const first = input.data();
    struct kernel {
        struct alignas(128) shared_storage {
            std::byte bytes[ring::bytes];
        };
        const T* first;
        T* read;
        void operator()(simt::block block, shared_storage& shared) const
        {
            const unsigned packet_bytes = ring::packet_bytes_of(first);
            ring::copy(shared.bytes, 0, first, n, packet_bytes);
            ring::copy(shared.bytes, 1, first + ring::batch, n - ring::batch, packet_bytes);
            for (unsigned row = 0; row < 3; ++row) {
                row < 2 ? simt::wait_copies<1>() : simt::wait_copies<0>();
                simt::sync_warp();
                const unsigned i = row * simt::warp_size + block.lane();
                if (i < n)
                    std::construct_at(read + i, ring::read(shared.bytes, row / 2, row % 2));
            }
        }
    };
    executor::options how;
    how.count = true;
    const auto done =
        launch(how, 1, simt::warp_size, sizeof(typename kernel::shared_storage), kernel{first, read.data()});
    CHECK(std::memcmp(static_cast<const void*>(read.data()), first, n * sizeof(T)) == 0);
    return done;
}

}  // namespace

TEST_CASE_TEMPLATE("a warp reads wide values from shared memory without bank conflicts", T, checked<20>, checked<24>,
                   checked<32>, checked<40>, checked<48>, checked<64>, checked<96>, checked<100>, checked<128>,
                   checked<256>, aligned<40, 8>, aligned<64, 16>)
{
    if constexpr (!has_tsan || sizeof(T) == 20)
        for (std::size_t offset = 0; offset < 16; offset += alignof(T)) {
            CAPTURE(offset);
            const auto done = staged<T>(offset);
            CHECK(done.shared_loads.extra_passes == 0);
            CHECK(done.shared_stores.extra_passes == 0);
            CHECK(done.shared_stores.bytes == done.global_loads.bytes);
        }
}

namespace {

/// Makes a wide value of a narrow one, or of another wide one.
template <class To>
struct widened {
    template <class From>
    To operator()(const From& from) const
    {
        if constexpr (std::is_arithmetic_v<From>)
            return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(from >> 7)};
        else
            return {from.first + 3, from.last * 5};
    }
};

template <class From, class To>
void check_functions(std::uint64_t seed)
{
    for (const std::size_t n : {std::size_t{31}, std::size_t{100}, order::chunk<To> + 17, 3 * order::chunk<To>}) {
        memory<From> input(n, 2 * alignof(From));
        fill(input);
        using pointer = const From*;
        check_reduce<To>(pointer(input.data()), n, ++seed, widened<To>{});
        check_reduce<To>(parprims::transform_iterator<widened<To>, pointer>(input.data(), {}), n, ++seed);
        using strided = parprims::strided_iterator<pointer>;
        check_reduce<To>(parprims::transform_iterator<widened<To>, strided>(strided(input.data(), 1), {}), n, ++seed);
    }
}

}  // namespace

TEST_CASE("reduce of wide values keeps the order contract for functions of what an iterator refers to")
{
    check_functions<std::uint32_t, checked<40>>(1);
    if constexpr (!has_tsan) {
        check_functions<checked<24>, checked<64>>(7);
        check_functions<checked<64>, checked<24>>(13);
    }
    check_functions<checked<1500>, checked<24>>(19);  // a row is more than a ring may have
}

namespace {

/// Aligned to less than a word, so that elements are loaded one by one.
struct bytes_of_20 {
    unsigned char bytes[20];
};

struct xor_bytes {
    bytes_of_20 operator()(const bytes_of_20& a, const bytes_of_20& b) const
    {
        bytes_of_20 both;
        for (unsigned i = 0; i < 20; ++i)
            both.bytes[i] = static_cast<unsigned char>(3 * a.bytes[i] ^ b.bytes[(i + 1) % 20]);
        return both;
    }
};

}  // namespace

TEST_CASE("reduce of wide values keeps the order contract for values that are aligned to less than a word")
{
    std::uint64_t seed = 0;
    for (const std::size_t n : {std::size_t{1}, order::chunk<bytes_of_20> - 5, 6 * order::chunk<bytes_of_20> + 40})
        for (const std::size_t offset : {0, 1, 4}) {
            memory<bytes_of_20> input(n, offset);
            for (std::size_t i = 0; i < n; ++i)
                for (unsigned k = 0; k < 20; ++k)
                    input[i].bytes[k] = static_cast<unsigned char>(mix(20 * i + k) >> 9);
            const bytes_of_20* const first = input.data();
            const bytes_of_20 init{{1, 2, 3}};
            const auto expected = order_oracle::reduce<bytes_of_20>(first, n, init, xor_bytes{}, parprims::identity{});
            CAPTURE(n);
            CAPTURE(offset);
            CHECK(same_bits(reduce(schedule_of(++seed), {64, 1, 1}, {3}, first, n, init, xor_bytes{},
                                   parprims::identity{}),
                            expected));
        }
}
