// Scans whose input and output begin anywhere: beside CUB with the same pointers, and beside aligned pointers. And of iterators:
// beside a pointer to the same values.
#include "groups.hpp"
#include "scan_bench.cuh"

#include <string>
#include <type_traits>
#include <vector>

namespace bench {

namespace {

/// An input, aligned or not, and an output that may be another.
template <class T, class A>
using scan_call = std::function<void(cudaStream_t stream, const T* in, std::size_t n, A* out)>;

template <class T, class A, class Op = pp::plus>
scan_call<T, A> scan_of_pointer(Op op = {})
{
    return [op](cudaStream_t stream, const T* in, std::size_t n, A* out) {
        our_scan<T>(pp::device.on(stream), in, n, out, op);
    };
}

/// A row of n elements: ours from x + in to y + out, the other from x + other_in to z + other_out. Both give the same values.
template <class T, class A>
void compare(report& out, const options& asked, row next, std::size_t n, const scan_call<T, A>& ours, const T* x, A* y,
             const scan_call<T, A>& other, const T* other_x, A* z)
{
    const slices<const T> in{x, n}, other_in{other_x, n};
    const slices<A> to{y, n}, other_to{z, n};
    next.work = "inclusive_scan";
    next.n = n;
    next.bytes = static_cast<double>(n * (sizeof(T) + sizeof(A)));
    const pace how = pace_of(n, static_cast<double>(n * sizeof(T)));
    measure(
        out, asked, next, how, [&](cudaStream_t stream, std::size_t slice) { ours(stream, in[slice], n, to[slice]); },
        [&](cudaStream_t stream, std::size_t slice) { other(stream, other_in[slice], n, other_to[slice]); },
        [&] { return agree(to[how.slices - 1], other_to[how.slices - 1], n); });
}

/// Where input and output begin: so many elements behind a multiple of 256 bytes.
struct place {
    std::size_t in;
    std::size_t to;
};

template <class T, class A = T, class Op = pp::plus>
void bench_places(report& out, const options& asked, const std::string& type, const std::vector<place>& places,
                  Op op = {})
{
    constexpr std::size_t most_shift = 16;
    const std::size_t room = slices<T>::capacity(odd_sizes(asked).back()) + most_shift;
    const random_value<T> value{{7}};
    const auto x = filled<T>(room, value);
    pp::device_buffer<A> y(room), z(room);
    for (const std::size_t n : odd_sizes(asked)) {
        auto scratch = cub_scratch(
            [&](void* memory, std::size_t& needed) { cub_scan(memory, needed, x.data(), z.data(), n, op, nullptr); });
        const scan_call<T, A> cubs = [&](cudaStream_t stream, const T* in, std::size_t, A* to) {
            std::size_t bytes = scratch.size();
            cub_scan(scratch.data(), bytes, in, to, n, op, stream);
        };
        const auto ours = scan_of_pointer<T, A>(op);
        for (const auto [in, to] : places) {
            row next{.type = type, .variant = "from " + std::to_string(in) + " to " + std::to_string(to)};
            next.reference = "CUB";
            compare<T, A>(out, asked, next, n, ours, x.data() + in, y.data() + to, cubs, x.data() + in, z.data() + to);
            if (in + to == 0)
                continue;
            // Beside a scan of these values behind an aligned pointer.
            const auto straight = filled<T>(room - most_shift, [=] __device__(std::size_t i) { return value(i + in); });
            next.reference = "aligned pointers";
            compare<T, A>(out, asked, next, n, ours, x.data() + in, y.data() + to, ours, straight.data(), z.data());
        }
    }
}

/// Every pair of the first places, and both 16 bytes behind a cache line.
template <class T, class A = T>
void bench_all_places(report& out, const options& asked, const std::string& type)
{
    constexpr std::size_t packet = 16 / sizeof(T);
    bench_places<T, A>(out, asked, type,
                       {{0, 0}, {0, 1}, {0, 3}, {1, 0}, {1, 1}, {1, 3}, {3, 0}, {3, 1}, {3, 3}, {packet, packet}});
}

/// In place. Integers, whose sums wrap, so that scans of scans do not overflow. Calls of the two differ in number, so the check
/// has values of its own.
template <class T>
void bench_in_place(report& out, const options& asked, const std::string& type)
{
    const random_value<T> value{{8}};
    const std::size_t room = slices<T>::capacity(odd_sizes(asked).back()) + 1;
    auto y = filled<T>(room, value);
    auto z = filled<T>(room, value);
    for (const std::size_t n : odd_sizes(asked)) {
        const slices<T> shifted{y.data() + 1, n}, aligned{z.data(), n};
        row next{.work = "inclusive_scan", .type = type, .variant = "in place from 1", .n = n};
        next.reference = "aligned pointers";
        next.bytes = static_cast<double>(2 * n * sizeof(T));
        const auto once = [n](cudaStream_t stream, T* data) {
            pp::inclusive_scan(pp::device.on(stream), data, data + n, data);
        };
        measure(
            out, asked, next, pace_of(n, next.bytes / 2),
            [&](cudaStream_t stream, std::size_t slice) { once(stream, shifted[slice]); },
            [&](cudaStream_t stream, std::size_t slice) { once(stream, aligned[slice]); },
            [&] {
                fill<<<2048, 256>>>(shifted[0], n, value);
                fill<<<2048, 256>>>(aligned[0], n, value);
                check(cudaGetLastError());
                once(nullptr, shifted[0]);
                once(nullptr, aligned[0]);
                return agree(shifted[0], aligned[0], n);
            });
    }
}

struct difference {
    template <class Pair>
    __host__ __device__ auto operator()(const Pair& pair) const
    {
        return static_cast<std::remove_cvref_t<decltype(pp::get<0>(pair))>>(pp::get<0>(pair) - pp::get<1>(pair));
    }
};

template <class T, class A, class Make>
void bench_iterator(report& out, const options& asked, const std::string& type, const std::string& name, std::size_t n,
                    const T* x, Make make, const T* straight, A* y, A* z)
{
    const scan_call<T, A> ours = [make](cudaStream_t stream, const T* in, std::size_t count, A* to) {
        our_scan<T>(pp::device.on(stream), make(in), count, to);
    };
    row next{.type = type, .variant = name, .reference = "pointer"};
    compare<T, A>(out, asked, next, n, ours, x, y, scan_of_pointer<T, A>(), straight, z);
}

template <class T, class A = T>
void bench_iterators(report& out, const options& asked, const std::string& type)
{
    const std::size_t room = slices<T>::capacity(odd_sizes(asked).back()) + 1;
    const random_value<T> value{{9}};
    const auto x = filled<T>(2 * room, value);
    pp::device_buffer<A> y(room), z(room);
    for (const std::size_t n : odd_sizes(asked)) {
        const auto opposite = filled<T>(room, [=] __device__(std::size_t i) { return negated{}(value(i)); });
        const auto transformed = [](const T* in) { return pp::transform_iterator(in, negated{}); };
        bench_iterator<T, A>(out, asked, type, "transform", n, x.data(), transformed, opposite.data(), y.data(),
                             z.data());
        const auto later = filled<T>(room, [=] __device__(std::size_t i) { return negated{}(value(i + 1)); });
        bench_iterator<T, A>(out, asked, type, "transform from 1", n, x.data() + 1, transformed, later.data(), y.data(),
                             z.data());

        const auto change =
            filled<T>(room, [=] __device__(std::size_t i) { return static_cast<T>(value(i) - value(i + 1)); });
        const auto zipped = [](const T* in) {
            return pp::transform_iterator(pp::zip_iterator(in, in + 1), difference{});
        };
        bench_iterator<T, A>(out, asked, type, "zip", n, x.data(), zipped, change.data(), y.data(), z.data());
    }
}

/// One slice only, as every other element takes twice the room.
template <class T>
void bench_strided(report& out, const options& asked, const std::string& type)
{
    for (const std::size_t n : odd_sizes(asked)) {
        const random_value<T> value{{9}};
        const auto x = filled<T>(2 * n, value);
        const auto even = filled<T>(n, [=] __device__(std::size_t i) { return value(2 * i); });
        pp::device_buffer<T> y(n), z(n);
        row next{.work = "inclusive_scan", .type = type, .variant = "strided by 2", .n = n};
        next.reference = "pointer";
        next.bytes = static_cast<double>(3 * n * sizeof(T));
        pace how = pace_of(n, next.bytes);
        how.slices = 1;
        const auto first = pp::strided_iterator(static_cast<const T*>(x.data()), 2);
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t) {
                pp::inclusive_scan(pp::device.on(stream), first, first + static_cast<std::ptrdiff_t>(n), y.data());
            },
            [&](cudaStream_t stream, std::size_t) {
                pp::inclusive_scan(pp::device.on(stream), even.data(), even.data() + n, z.data());
            },
            [&] { return agree(y.data(), z.data(), n); });
    }
}

}  // namespace

void scan_places(report& out, const options& asked)
{
    bench_all_places<std::uint8_t, std::uint32_t>(out, asked, "u8 to u32");
    bench_all_places<std::int16_t, std::int32_t>(out, asked, "i16 to i32");
    bench_all_places<std::int32_t>(out, asked, "i32");
    bench_all_places<float>(out, asked, "f32");
    bench_all_places<double>(out, asked, "f64");
    bench_places<triple>(out, asked, "12-byte struct", {{0, 0}, {1, 3}, {3, 1}}, add_numbers{});
    bench_in_place<std::int32_t>(out, asked, "i32");
    bench_in_place<std::int64_t>(out, asked, "i64");
}

void scan_iterators(report& out, const options& asked)
{
    bench_iterators<std::uint8_t, std::uint32_t>(out, asked, "u8 to u32");
    bench_iterators<std::int16_t, std::int32_t>(out, asked, "i16 to i32");
    bench_iterators<float>(out, asked, "f32");
    bench_iterators<double>(out, asked, "f64");
    bench_strided<float>(out, asked, "f32");
}

}  // namespace bench
