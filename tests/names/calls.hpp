/// @file
/// @brief  Every call, with values, iterators and functions from a namespace of the user's. names.py says what is in it.
#pragma once

#include <parprims/parprims.hpp>

#include <cstddef>
#include <cstdint>

namespace hostile {

/// Its address is by std::addressof only.
template <class Number, std::size_t Rest>
struct value {
    Number number;
    unsigned char rest[Rest];

    friend PARPRIMS_HOST_DEVICE value operator+(value a, const value& b)
    {
        a.number = static_cast<Number>(a.number + b.number);
        return a;
    }
    friend PARPRIMS_HOST_DEVICE bool operator<(const value& a, const value& b) { return a.number < b.number; }
    friend PARPRIMS_HOST_DEVICE bool operator==(const value& a, const value& b) { return a.number == b.number; }
    void operator&() const = delete;
};

struct add {
    template <class Value>
    PARPRIMS_HOST_DEVICE Value operator()(const Value& a, const Value& b) const
    {
        return a + b;
    }
};
struct same {
    template <class Value>
    PARPRIMS_HOST_DEVICE Value operator()(const Value& a) const
    {
        return a;
    }
};
struct before {
    template <class Value>
    PARPRIMS_HOST_DEVICE bool operator()(const Value& a, const Value& b) const
    {
        return a < b;
    }
};
struct alike {
    template <class Value>
    PARPRIMS_HOST_DEVICE bool operator()(const Value& a, const Value& b) const
    {
        return a == b;
    }
};
struct odd {
    template <class Value>
    PARPRIMS_HOST_DEVICE bool operator()(const Value& a) const
    {
        return a.number % 2 != 0;
    }
};
struct bin {
    template <class Value>
    PARPRIMS_HOST_DEVICE int operator()(const Value& a) const
    {
        return a.number;
    }
};
struct number {
    template <class Value>
    PARPRIMS_HOST_DEVICE float operator()(const Value& a) const
    {
        return static_cast<float>(a.number);
    }
};

template <class Iterator>
struct range {
    Iterator first;
    Iterator last;

    Iterator begin() const { return first; }
    Iterator end() const { return last; }
};

/// Of one rank.
struct alone {
    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    template <class Stream>
    void all_gather(const void*, void*, std::size_t, Stream) const
    {
    }
    template <class Stream>
    void all_reduce(std::uint64_t*, std::size_t, Stream) const
    {
    }
};

}  // namespace hostile

/// What the calls write besides values.
struct outputs {
    const int* offsets;
    std::uint64_t* counts;
    float* sums;
    parprims::profile_bin<float>* bins;
};

/// The calls that several ranks have, too, of four elements from `x` on.
template <class Policy, class Input, class Output, class Value>
void calls_of_ranks(const Policy& on, Input x, Output y, const Value& init, const outputs& to)
{
    namespace pp = parprims;
    const auto end = x + 4;
    (void)pp::reduce(on, x, end, init, hostile::add{});
    (void)pp::reduce(on, x, end, init);
    (void)pp::transform_reduce(on, x, end, init, hostile::add{}, hostile::same{});
    (void)pp::transform_reduce(on, x, end, x, init, hostile::add{}, hostile::add{});
    pp::reduce_into(on, x, end, y, init, hostile::add{});
    pp::transform_reduce_into(on, x, end, y, init, hostile::add{}, hostile::same{});
    pp::transform_reduce_into(on, x, end, x, y, init, hostile::add{}, hostile::add{});
    pp::inclusive_scan(on, x, end, y, hostile::add{});
    pp::inclusive_scan(on, x, end, y, hostile::add{}, init);
    pp::exclusive_scan(on, x, end, y, init, hostile::add{});
    pp::transform_inclusive_scan(on, x, end, y, hostile::add{}, hostile::same{});
    pp::transform_exclusive_scan(on, x, end, y, init, hostile::add{}, hostile::same{});

    const pp::function_axis axis(4, hostile::bin{});
    const pp::product_axis grid(axis, axis);
    const pp::zip_iterator pairs(x, x);
    const pp::transform_iterator numbers(x, hostile::number{});
    const pp::regular_axis widths(4, 0.0f, 4.0f);
    const pp::variable_axis edges{0.0f, 1.0f, 4.0f};
    pp::histogram(on, x, end, axis, to.counts);
    pp::histogram(on, pairs, pairs + 4, grid, to.counts);
    pp::histogram(on, numbers, numbers + 4, widths, to.counts);
    pp::histogram(on, numbers, numbers + 4, edges.with_flow(), to.counts);
    pp::weighted_histogram(on, x, end, numbers, axis, to.sums);
}

template <class Policy, class Input, class Output, class Value>
void calls_of_one_process(const Policy& on, Input x, Output y, const Value& init, const outputs& to)
{
    namespace pp = parprims;
    const auto end = x + 4;
    const int* const offsets = to.offsets;
    const pp::transform_iterator numbers(x, hostile::number{});
    (void)pp::transform_reduce(on, x, end, 0.0, pp::exact_plus{}, hostile::number{});
    pp::segmented_reduce(on, numbers, numbers + 4, 2, to.sums, 0.0, pp::exact_plus{});
    pp::segmented_reduce(on, numbers, numbers + 4, offsets, offsets + 2, to.sums, 0.0, pp::exact_plus{});
    (void)pp::reduce_by_key(on, x, end, numbers, y, to.sums, hostile::alike{}, pp::exact_plus{});
    pp::inclusive_scan_by_key(on, x, end, x, y, hostile::alike{}, hostile::add{});
    pp::exclusive_scan_by_key(on, x, end, x, y, init, hostile::alike{}, hostile::add{});
    (void)pp::reduce_by_key(on, x, end, x, y, y + 2, hostile::alike{}, hostile::add{});
    pp::reduce_by_key_into(on, x, end, x, y, y + 2, to.counts, hostile::alike{}, hostile::add{});
    pp::segmented_reduce(on, x, end, 2, y, init, hostile::add{});
    pp::segmented_reduce(on, x, end, offsets, offsets + 2, y, init, hostile::add{});
    pp::reduce(on, pp::matrix(x, 2, 2), pp::along(0), y, init, hostile::add{});
    pp::reduce(on, pp::matrix(x, 2, 2), pp::along(0, 1), pp::strided_view(y, {1}, {1}).data_handle(), init,
               hostile::add{});
    pp::reduce(on, pp::strided_view(x, {1, 2, 2}, {4, 2, 1}), pp::along(0, 2), pp::strided_view(y, {2}, {1}), init);
    pp::transform_reduce(on, pp::matrix(x, 2, 2), pp::along(1), y, init, hostile::add{}, hostile::same{});
    pp::max_element(on, pp::matrix(x, 2, 2), pp::along(1), to.counts);
    pp::inclusive_scan(on, pp::matrix(x, 2, 2), pp::along(1), y, hostile::add{}, init);
    pp::exclusive_scan(on, pp::matrix(x, 2, 2), pp::along(0), pp::matrix(y, 2, 2), init, hostile::add{});
    pp::minmax_element(on, pp::matrix(x, 2, 2), pp::along(0), pp::matrix(to.counts, 2, 2), hostile::before{});
    pp::segmented_inclusive_scan(on, x, end, 2, y, hostile::add{});
    pp::segmented_inclusive_scan(on, x, end, offsets, offsets + 2, y, hostile::add{});
    pp::segmented_exclusive_scan(on, x, end, 2, y, init, hostile::add{});
    pp::segmented_exclusive_scan(on, x, end, offsets, offsets + 2, y, init, hostile::add{});
    pp::segmented_min_element(on, x, end, 2, to.counts, hostile::before{});
    pp::segmented_max_element(on, x, end, offsets, offsets + 2, to.counts);
    pp::segmented_minmax_element(on, x, end, offsets, offsets + 2, to.counts, hostile::before{});
    (void)pp::min_element(on, x, end, hostile::before{});
    (void)pp::max_element(on, x, end);
    (void)pp::minmax_element(on, x, end);
    pp::min_element_into(on, x, end, to.counts, hostile::before{});
    pp::max_element_into(on, x, end, to.counts);
    pp::minmax_element_into(on, x, end, to.counts);
    (void)pp::copy_if(on, x, end, y, hostile::odd{});
    pp::copy_if_into(on, x, end, y, to.counts, hostile::odd{});
    (void)pp::copy_if(on, x, end, x, y, hostile::odd{});
    pp::copy_if_into(on, x, end, x, y, to.counts, hostile::odd{});
    (void)pp::unique_copy(on, x, end, y, hostile::alike{});
    pp::unique_copy_into(on, x, end, y, to.counts, hostile::alike{});
    (void)pp::unique_by_key_copy(on, x, end, x, y, y + 2, hostile::alike{});
    pp::unique_by_key_copy_into(on, x, end, x, y, y + 2, to.counts, hostile::alike{});
    (void)pp::run_length_encode(on, x, end, y, to.counts, hostile::alike{});
    pp::run_length_encode_into(on, x, end, y, to.counts, to.counts + 4, hostile::alike{});
    (void)pp::run_length_encode_non_trivial(on, x, end, to.counts, to.counts + 2, hostile::alike{});
    pp::run_length_encode_non_trivial_into(on, x, end, to.counts, to.counts + 2, to.counts + 4, hostile::alike{});
    (void)pp::partition_copy(on, x, end, y, y + 2, hostile::odd{});
    pp::partition_copy_into(on, x, end, y, y + 2, to.counts, hostile::odd{});
    pp::transform(on, x, end, y, hostile::same{});
    pp::transform(on, x, end, x, y, hostile::add{});

    const pp::function_axis axis(4, hostile::bin{});
    pp::histogram(on, x, end, axis, to.counts, pp::accumulate);
    pp::segmented_histogram(on, x, end, 2, axis, to.counts);
    pp::segmented_histogram(on, x, end, offsets, offsets + 2, axis, to.counts);
    pp::segmented_weighted_histogram(on, x, end, 2, pp::transform_iterator(x, hostile::number{}), axis, to.sums);
    pp::histogram(on, pp::matrix(x, 2, 2), pp::along(0), axis, to.counts);
    pp::weighted_histogram(on, pp::matrix(x, 2, 2), pp::along(0), pp::matrix(numbers, 2, 2), axis, to.sums);
    pp::profile(on, pp::matrix(x, 2, 2), pp::along(0), pp::matrix(numbers, 2, 2), axis, to.bins);
    pp::segmented_profile(on, x, end, 2, pp::transform_iterator(x, hostile::number{}), axis, to.bins);
    pp::channel_histograms(on, pp::matrix(x, 2, 2), to.counts, axis, axis);
    pp::profile(on, x, end, pp::transform_iterator(x, hostile::number{}), axis, to.bins);
}

template <class Policy, class Value>
void calls_of_ranges(const Policy& on, const Value* first, Value* y, const Value& init, const outputs& to)
{
    namespace pp = parprims;
    const hostile::range x{first, first + 4};
    const hostile::range offsets{to.offsets, to.offsets + 2};
    const pp::function_axis axis(4, hostile::bin{});
    const pp::transform_iterator numbers(first, hostile::number{});
    (void)pp::reduce(on, x, init, hostile::add{});
    (void)pp::transform_reduce(on, x, init, hostile::add{}, hostile::same{});
    pp::reduce_into(on, x, y, init, hostile::add{});
    pp::transform_reduce_into(on, x, y, init, hostile::add{}, hostile::same{});
    pp::inclusive_scan(on, x, y, hostile::add{});
    pp::exclusive_scan(on, x, y, init, hostile::add{});
    pp::transform_inclusive_scan(on, x, y, hostile::add{}, hostile::same{});
    pp::transform_exclusive_scan(on, x, y, init, hostile::add{}, hostile::same{});
    pp::inclusive_scan_by_key(on, x, x, y, hostile::alike{}, hostile::add{});
    pp::exclusive_scan_by_key(on, x, x, y, init, hostile::alike{}, hostile::add{});
    (void)pp::reduce_by_key(on, x, x, y, y + 2, hostile::alike{}, hostile::add{});
    pp::reduce_by_key_into(on, x, x, y, y + 2, to.counts, hostile::alike{}, hostile::add{});
    pp::segmented_reduce(on, x, 2, y, init, hostile::add{});
    pp::segmented_reduce(on, x, offsets, y, init, hostile::add{});
    pp::segmented_inclusive_scan(on, x, offsets, y, hostile::add{});
    pp::segmented_exclusive_scan(on, x, offsets, y, init, hostile::add{});
    pp::segmented_min_element(on, x, 2, to.counts, hostile::before{});
    pp::segmented_minmax_element(on, x, offsets, to.counts);
    (void)pp::min_element(on, x, hostile::before{});
    (void)pp::max_element(on, x);
    (void)pp::minmax_element(on, x);
    (void)pp::copy_if(on, x, y, hostile::odd{});
    pp::copy_if_into(on, x, y, to.counts, hostile::odd{});
    (void)pp::copy_if(on, x, x, y, hostile::odd{});
    pp::copy_if_into(on, x, x, y, to.counts, hostile::odd{});
    (void)pp::unique_copy(on, x, y, hostile::alike{});
    pp::unique_copy_into(on, x, y, to.counts, hostile::alike{});
    (void)pp::unique_by_key_copy(on, x, x, y, y + 2, hostile::alike{});
    pp::unique_by_key_copy_into(on, x, x, y, y + 2, to.counts, hostile::alike{});
    (void)pp::run_length_encode(on, x, y, to.counts, hostile::alike{});
    pp::run_length_encode_non_trivial_into(on, x, to.counts, to.counts + 2, to.counts + 4, hostile::alike{});
    (void)pp::partition_copy(on, x, y, y + 2, hostile::odd{});
    pp::partition_copy_into(on, x, y, y + 2, to.counts, hostile::odd{});
    pp::transform(on, x, y, hostile::same{});
    pp::histogram(on, x, axis, to.counts);
    pp::histogram(on, x, axis, to.counts, pp::accumulate);
    pp::weighted_histogram(on, x, numbers, axis, to.sums);
    pp::segmented_weighted_histogram(on, x, offsets, numbers, axis, to.sums);
    pp::profile(on, x, numbers, axis, to.bins);
}

/// The calls that take a size in device memory.
template <class Policy, class Value>
void calls_of_sizes(const Policy& on, const Value* first, Value* y, const Value& init, const outputs& to)
{
    namespace pp = parprims;
    const auto x = pp::sized_on_device(first, to.offsets, 4);
    (void)pp::reduce(on, x, init, hostile::add{});
    pp::reduce_into(on, x, y, init, hostile::add{});
    pp::transform_reduce_into(on, x, y, init, hostile::add{}, hostile::same{});
    pp::inclusive_scan(on, x, y, hostile::add{});
    pp::transform_exclusive_scan(on, x, y, init, hostile::add{}, hostile::same{});
    (void)pp::copy_if(on, x, y, hostile::odd{});
    pp::copy_if_into(on, x, y, to.counts, hostile::odd{});
    pp::copy_if_into(on, x, x, y, to.counts, hostile::odd{});
    pp::unique_copy_into(on, x, y, to.counts, hostile::alike{});
    pp::unique_by_key_copy_into(on, x, x, y, y + 2, to.counts, hostile::alike{});
    pp::partition_copy_into(on, x, y, y + 2, to.counts, hostile::odd{});
    pp::transform(on, x, y, hostile::same{});
    pp::minmax_element_into(on, x, to.counts, hostile::before{});
    pp::histogram(on, x, pp::function_axis(4, hostile::bin{}), to.counts, pp::accumulate);
    pp::weighted_histogram(on, x, to.sums, pp::function_axis(4, hostile::bin{}), to.sums + 1);
    pp::inclusive_scan_by_key(on, x, x, y, hostile::alike{}, hostile::add{});
    pp::reduce_by_key_into(on, x, x, y, y + 2, to.counts, hostile::alike{}, hostile::add{});
    const auto offsets = pp::sized_on_device(to.offsets, to.counts, 1);
    pp::segmented_reduce(on, first, first + 4, offsets.begin(), offsets.end(), y, init, hostile::add{});
    pp::segmented_inclusive_scan(on, first, first + 4, offsets.begin(), offsets.end(), y, hostile::add{});
    pp::segmented_histogram(on, first, first + 4, offsets.begin(), offsets.end(), pp::function_axis(4, hostile::bin{}),
                            to.counts + 1);
    pp::segmented_weighted_histogram(on, first, first + 4, offsets.begin(), offsets.end(), to.sums,
                                     pp::function_axis(4, hostile::bin{}), to.sums + 1);
    pp::reduce_into(on, x, y, pp::value_at(first), hostile::add{});
    pp::exclusive_scan(on, x, y, pp::value_at(first), hostile::add{});
    pp::exclusive_scan_by_key(on, x, x, y, pp::value_at(first), hostile::alike{}, hostile::add{});
}
