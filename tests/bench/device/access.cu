// What an input costs that is no aligned pointer: beside the same values behind one. Both give the same bits.
#include "device_support.cuh"
#include "groups.hpp"

namespace bench {

namespace {

/// The values of an array from element `from` on.
template <class Value>
struct later_value {
    Value value;
    std::size_t from;

    __host__ __device__ auto operator()(std::size_t i) const { return value(i + from); }
};

/// 0 or 1.
template <class K>
struct random_key {
    random_word word;

    __host__ __device__ K operator()(std::size_t i) const { return static_cast<K>(word(i) >> 7 & 1); }
};

struct is_positive {
    template <class T>
    __host__ __device__ bool operator()(const T& x) const
    {
        return x > 0;
    }
};

template <class T>
struct negated_value {
    random_value<T> value;

    __host__ __device__ T operator()(std::size_t i) const { return negated{}(value(i)); }
};

std::vector<std::size_t> few_sizes(const options& asked)
{
    std::vector<std::size_t> result;
    for (const unsigned k : {12u, 16u, 20u, 24u, 28u, 30u})
        if (k <= asked.log2)
            result.push_back(std::size_t{1} << k);
    return result;
}

/// @tparam A         what values are converted to and combined in
/// @param  make      makes the input of a slice
/// @param  straight  the same values behind an aligned pointer
template <class A, class T, class Make>
void reduce_from(report& out, const options& asked, const row& what, Make make, const T* straight)
{
    pp::device_buffer<A> ours(most_calls), others(most_calls);
    for (const std::size_t n : few_sizes(asked)) {
        const slices<const T> in{straight, n};
        const auto bytes = static_cast<double>(n * sizeof(T));
        const pace how = pace_of(n, bytes);
        row next = what;
        next.work = "reduce";
        next.n = n;
        next.bytes = bytes;
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                const auto first = make(in[slice] - straight);
                pp::reduce_into(pp::device.on(stream), first, first + static_cast<std::ptrdiff_t>(n),
                                ours.data() + slice, A{});
            },
            [&](cudaStream_t stream, std::size_t slice) {
                pp::reduce_into(pp::device.on(stream), in[slice], in[slice] + n, others.data() + slice, A{});
            },
            [&] { return agree(ours.data(), others.data(), how.slices); });
    }
}

template <class A, class T, class Make>
void scan_from(report& out, const options& asked, const row& what, Make make, const T* straight)
{
    const std::size_t room = slices<T>::capacity(few_sizes(asked).back());
    pp::device_buffer<A> ours(room), others(room);
    for (const std::size_t n : few_sizes(asked)) {
        const slices<const T> in{straight, n};
        const slices<A> our_out{ours.data(), n}, other_out{others.data(), n};
        const auto bytes = static_cast<double>(n * (sizeof(T) + sizeof(A)));
        const pace how = pace_of(n, static_cast<double>(n * sizeof(T)));
        row next = what;
        next.work = "inclusive_scan";
        next.n = n;
        next.bytes = bytes;
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                our_scan<T>(pp::device.on(stream), make(in[slice] - straight), n, our_out[slice]);
            },
            [&](cudaStream_t stream, std::size_t slice) {
                our_scan<T>(pp::device.on(stream), in[slice], n, other_out[slice]);
            },
            [&] { return agree(our_out[how.slices - 1], other_out[how.slices - 1], n); });
    }
}

/// The elements that are kept: from `x`, and from `straight`.
template <class T>
void copy_if_from(report& out, const options& asked, const row& what, const T* x, const T* straight)
{
    const std::size_t room = slices<T>::capacity(few_sizes(asked).back());
    pp::device_buffer<T> ours(room), others(room);
    pp::device_buffer<std::size_t> our_counts(most_calls), other_counts(most_calls);
    for (const std::size_t n : few_sizes(asked)) {
        const slices<const T> in{x, n}, other_in{straight, n};
        const slices<T> our_out{ours.data(), n}, other_out{others.data(), n};
        row next = what;
        next.work = "copy_if";
        next.n = n;
        next.bytes = 1.5 * static_cast<double>(n * sizeof(T));
        const pace how = pace_of(n, next.bytes / 1.5);
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::copy_if_into(pp::device.on(stream), in[slice], in[slice] + n, our_out[slice],
                                 our_counts.data() + slice, is_positive{});
            },
            [&](cudaStream_t stream, std::size_t slice) {
                pp::copy_if_into(pp::device.on(stream), other_in[slice], other_in[slice] + n, other_out[slice],
                                 other_counts.data() + slice, is_positive{});
            },
            [&] {
                const std::size_t last = how.slices - 1;
                return agree(our_counts.data(), other_counts.data(), how.slices) &&
                       agree(our_out[last], other_out[last], our_counts.to_host()[last]);
            });
    }
}

/// The scan by keys that begin as the values do: from `x`, and from `straight`.
template <class K, class T>
void scan_by_key_from(report& out, const options& asked, const row& what, const T* x, const T* straight,
                      std::size_t from)
{
    const std::size_t room = slices<K>::capacity(few_sizes(asked).back());
    const auto keys = filled<K>(room + from, random_key<K>{{7}});
    const auto straight_keys = filled<K>(room, later_value<random_key<K>>{{{7}}, from});
    pp::device_buffer<T> ours(room), others(room);
    for (const std::size_t n : few_sizes(asked)) {
        const slices<const K> k{keys.data() + from, n}, other_k{straight_keys.data(), n};
        const slices<const T> in{x, n}, other_in{straight, n};
        const slices<T> our_out{ours.data(), n}, other_out{others.data(), n};
        row next = what;
        next.work = "inclusive_scan_by_key";
        next.n = n;
        next.bytes = static_cast<double>(n * (sizeof(K) + 2 * sizeof(T)));
        const pace how = pace_of(n, static_cast<double>(n * sizeof(T)));
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::inclusive_scan_by_key(pp::device.on(stream), k[slice], k[slice] + n, in[slice], our_out[slice]);
            },
            [&](cudaStream_t stream, std::size_t slice) {
                pp::inclusive_scan_by_key(pp::device.on(stream), other_k[slice], other_k[slice] + n, other_in[slice],
                                          other_out[slice]);
            },
            [&] { return agree(our_out[how.slices - 1], other_out[how.slices - 1], n); });
    }
}

/// Calls with an array from its element `from` on; `sums` names the type of sums.
template <class T, class A>
void bench_array_from(report& out, const options& asked, row what, const random_value<T>& value, const T* x,
                      std::size_t from, const std::string& sums)
{
    using key = std::conditional_t<sizeof(T) == 1, std::int8_t, std::int32_t>;
    const std::size_t room = slices<T>::capacity(few_sizes(asked).back());
    const auto straight = filled<T>(room, later_value<random_value<T>>{value, from});
    const auto make = [&](std::ptrdiff_t element) { return x + from + element; };
    row summed = what;
    summed.type = sums;
    reduce_from<A>(out, asked, summed, make, straight.data());
    scan_from<A>(out, asked, summed, make, straight.data());
    copy_if_from<T>(out, asked, what, x + from, straight.data());
    scan_by_key_from<key, T>(out, asked, what, x + from, straight.data(), from);
}

/// Calls with every kind of input. Sums are of type A.
template <class T, class A>
void bench_access(report& out, const options& asked, const std::string& type, const std::string& sums)
{
    const std::size_t room = slices<T>::capacity(few_sizes(asked).back());
    const random_value<T> value{{5}};
    constexpr std::size_t packet = 16 / sizeof(T);
    const auto x = filled<T>(room + packet, value);
    row what{.type = type, .reference = "aligned"};
    what.variant = "misaligned by one";
    bench_array_from<T, A>(out, asked, what, value, x.data(), 1, sums);
    what.variant = "16 bytes behind a cache line";
    bench_array_from<T, A>(out, asked, what, value, x.data(), packet, sums);
    const auto straight = filled<T>(room, negated_value<T>{value});
    const auto make = [&](std::ptrdiff_t from) { return pp::transform_iterator(x.data() + from, negated{}); };
    what.type = sums;
    what.variant = "transform iterator";
    reduce_from<A>(out, asked, what, make, straight.data());
    scan_from<A>(out, asked, what, make, straight.data());
}

template <class Sample>
void bench_histogram_access(report& out, const options& asked, const std::string& type)
{
    constexpr int bins = 256;
    const std::size_t room = slices<Sample>::capacity(few_sizes(asked).back());
    const auto x = filled<Sample>(room + 1, [] __device__(std::size_t i) {
        return static_cast<Sample>(random_word{3}(i) % bins);
    });
    const auto straight = filled<Sample>(room, [] __device__(std::size_t i) {
        return static_cast<Sample>(random_word{3}(i + 1) % bins);
    });
    pp::device_buffer<std::uint32_t> ours(bins), others(bins);
    const auto axis = pp::regular_axis(bins, 0, bins);
    for (const std::size_t n : few_sizes(asked)) {
        const slices<const Sample> from{x.data() + 1, n}, in{straight.data(), n};
        const auto bytes = static_cast<double>(n * sizeof(Sample));
        row next{.work = "histogram", .type = type, .variant = "misaligned by one", .n = n, .bytes = bytes};
        next.reference = "aligned";
        next.bins = bins;
        next.spread = "uniform";
        measure(
            out, asked, next, pace_of(n, bytes),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::histogram(pp::device.on(stream), from[slice], from[slice] + n, axis, ours.data());
            },
            [&](cudaStream_t stream, std::size_t slice) {
                pp::histogram(pp::device.on(stream), in[slice], in[slice] + n, axis, others.data());
            },
            [&] { return agree(ours.data(), others.data(), bins); });
    }
}

}  // namespace

void access(report& out, const options& asked)
{
    bench_access<float, float>(out, asked, "f32", "f32");
    bench_access<std::int8_t, std::int32_t>(out, asked, "i8", "i8 to i32");
    bench_histogram_access<std::int32_t>(out, asked, "i32");
    bench_histogram_access<std::uint8_t>(out, asked, "u8");
}

}  // namespace bench
