/// @file
/// @brief  Input of a sample, made on the GPU. For files with kernels.
#pragma once

#include <parprims/simt/simt.hpp>

#include <algorithm>
#include <cstddef>

namespace samples {

/// `values[i] = f(i)`.
template <class T, class F>
struct fill_kernel {
    static constexpr unsigned max_threads = 256;
    struct shared_storage {};

    T* values;
    std::size_t n;
    F f;

    PARPRIMS_DEVICE void operator()(parprims::simt::block block, shared_storage&) const
    {
        for (std::size_t i = block.index() * block.threads() + block.thread(); i < n;
             i += block.count() * block.threads())
            values[i] = f(i);
    }
};

template <class T, class Launcher, class F>
T* make_input(Launcher& gpu, std::size_t n, F f)
{
    T* const values = gpu.template allocate<T>(n);
    if (n != 0)
        gpu.launch(std::min<std::size_t>((n + 255) / 256, 4096), 256, fill_kernel<T, F>{values, n, f});
    return values;
}

}  // namespace samples
