/// @file
/// @brief  Calls by key on the executor, compared with the host.
#pragma once

#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/host/by_key.hpp>

#include <doctest/doctest.h>

#include "run.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace kernel_test {

using parprims::equal_to;
using parprims::detail::scan_kind;
namespace host = parprims::detail::host;

/// Three bytes, of which no packet holds a whole number.
struct three_bytes {
    unsigned char first, last, mixed;

    three_bytes(std::uint32_t a, std::uint32_t b)
        : first(static_cast<unsigned char>(a)), last(static_cast<unsigned char>(b)),
          mixed(static_cast<unsigned char>(a ^ b))
    {
    }
    void operator&() const = delete;
    void check() const {}  // any bytes are a value
};

/// As many bytes as no power of two has.
struct twelve_bytes {
    std::uint32_t first, last, mixed;

    twelve_bytes(std::uint32_t a, std::uint32_t b) : first(a), last(b), mixed(a ^ b) {}
    void operator&() const = delete;
    void check() const
    {
        if (mixed != (first ^ last))
            throw std::logic_error("an operator was called on something that is no value");
    }
};

/// A key of so many values in a row that the next run begins with each element, with one of `length`, or never (0).
template <class K, class T>
struct problem {
    problem(std::size_t count, unsigned length, std::uint64_t seed)
        : n(count), keys(n, seed % 5 * sizeof(K) + mix(seed) % 8 * 16),
          values(n, seed % 3 * sizeof(T) + mix(seed) / 8 % 8 * 16)
    {
        static_assert(alignof(K) <= 16 && alignof(T) <= 16);
        K next{};
        for (std::size_t i = 0; i < n; ++i) {
            if (length != 0 && mix(77 * i + seed) % length == 0)
                next = static_cast<K>(mix(i + seed));
            keys[i] = next;
        }
        fill(values);
    }

    const K* key() const { return keys.data(); }
    const T* value() const { return values.data(); }

    std::size_t n;
    memory<K> keys;
    memory<T> values;
};

inline device::gpu_properties gpu_of(std::uint64_t seed)
{
    return {1 + static_cast<unsigned>(seed % 3)};
}

template <class T>
bool same(memory<T>& a, memory<T>& b, std::size_t n)
{
    return std::memcmp(static_cast<void*>(a.data()), static_cast<void*>(b.data()), n * sizeof(T)) == 0;
}

/// A GPU with as little shared memory as compute capability 7.5 has. An executor with the usual amount never asks for less.
class least_memory_launcher : public launcher {
public:
    static constexpr bool may_have_least_shared_memory = true;
    static constexpr std::size_t shared_bytes = 64 * 1024;

    least_memory_launcher(const executor::options& how, device::gpu_properties gpu)
        : launcher(how, (gpu.shared_bytes_per_block = gpu.shared_bytes_per_multiprocessor = shared_bytes, gpu))
    {
    }
    template <class Kernel>
    void launch(const device::launch_shape& shape, const Kernel& kernel)
    {
        CHECK(shape.shared_bytes <= shared_bytes);
        launcher::launch(shape, kernel);
    }
};

template <scan_kind Kind, class Launcher = launcher, class K, class T>
void check_scan(const executor::options& how, const problem<K, T>& x)
{
    const T init = element<T>(1000);
    memory<T> out(x.n, how.seed % 7 * sizeof(T));
    memory<T> expected(x.n);
    Launcher on(how, gpu_of(how.seed));
    device::enqueue_scan_by_key<Kind, T>(on, x.key(), x.n, x.value(), out.data(), std::addressof(init), equal_to{},
                                         hash{});
    host::scan_by_key<Kind, T>(1, host::key_heads<const K*, equal_to>{x.key(), {}}, x.value(), x.n, expected.data(),
                               std::addressof(init), hash{});
    CHECK(same(out, expected, x.n));
}

template <class Launcher = launcher, class K, class T>
void check_reduce(const executor::options& how, const problem<K, T>& x)
{
    memory<K> expected_keys(x.n);
    memory<T> expected(x.n);
    const std::size_t runs =
        host::reduce_by_key<T>(1, x.key(), x.n, x.value(), expected_keys.data(), expected.data(), equal_to{}, hash{});
    memory<K> keys(runs, how.seed % 7 * sizeof(K));  // exactly so many: nothing is written behind
    memory<T> totals(runs, how.seed % 7 * sizeof(T));
    memory<std::size_t> count(1);
    Launcher on(how, gpu_of(how.seed));
    device::enqueue_reduce_by_key<T>(on, x.key(), x.n, x.value(), keys.data(), totals.data(),
                                     device::converted_output<std::size_t*>{count.data()}, equal_to{}, hash{});
    REQUIRE(count[0] == runs);
    CHECK(same(keys, expected_keys, runs));
    CHECK(same(totals, expected, runs));
}

}  // namespace kernel_test
