/// @file
/// @brief  Pairs in the order of their keys, whose number lies where a call before has left it. parprims has no sort: this is that of the
///         standard library, and on a GPU CUB's.
#pragma once

#include <parprims/config.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/execution.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <cub/device/device_radix_sort.cuh>

#include <stdexcept>
#endif

template <class Policy>
class pair_sort;

template <>
class pair_sort<parprims::host_policy> {
public:
    pair_sort(const parprims::host_policy&, std::size_t bound) : keys_(bound), values_(bound) {}

    /// @brief  Where what is to be sorted goes.
    std::uint64_t* keys() { return keys_.data(); }
    std::uint32_t* values() { return values_.data(); }
    const std::uint64_t* sorted_keys() const { return keys_.data(); }
    const std::uint32_t* sorted_values() const { return values_.data(); }

    void pad() {}
    void operator()(const std::uint32_t* count)
    {
        pairs_.resize(*count);
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            pairs_[i] = {keys_[i], values_[i]};
        std::ranges::sort(pairs_);
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            keys_[i] = pairs_[i].first;
            values_[i] = pairs_[i].second;
        }
    }

private:
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> values_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs_;
};

#if PARPRIMS_CUDA_COMPILER

/// @brief  CUB has to know how many pairs there are when it is called. So it sorts as many as there may be: those behind the count have the
///         largest key.
template <>
class pair_sort<parprims::device_policy> {
public:
    pair_sort(const parprims::device_policy& on, std::size_t bound)
        : stream_(on.stream()), bound_(bound), keys_(bound, stream_), sorted_keys_(bound, stream_),
          values_(bound, stream_), sorted_values_(bound, stream_), scratch_(sort(nullptr, 0), stream_)
    {
    }

    std::uint64_t* keys() { return keys_.data(); }
    std::uint32_t* values() { return values_.data(); }
    const std::uint64_t* sorted_keys() const { return sorted_keys_.data(); }
    const std::uint32_t* sorted_values() const { return sorted_values_.data(); }

    void pad() { check(cudaMemsetAsync(keys_.data(), 0xff, bound_ * sizeof(std::uint64_t), stream_.get())); }
    void operator()(const std::uint32_t*) { sort(scratch_.data(), scratch_.size()); }

private:
    std::size_t sort(unsigned char* scratch, std::size_t bytes)
    {
        check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_.data(), sorted_keys_.data(), values_.data(),
                                              sorted_values_.data(), bound_, 0, 64, stream_.get()));
        return bytes;
    }
    static void check(cudaError_t status)
    {
        if (status != cudaSuccess)
            throw std::runtime_error(cudaGetErrorString(status));
    }

    parprims::stream_view stream_;
    std::size_t bound_;
    parprims::device_buffer<std::uint64_t> keys_, sorted_keys_;
    parprims::device_buffer<std::uint32_t> values_, sorted_values_;
    parprims::device_buffer<unsigned char> scratch_;
};

#endif
