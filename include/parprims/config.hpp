/// @file
/// @brief  The macros of parprims, which say how a file is compiled.
#pragma once

#if __cplusplus < 202002L
#error parprims needs C++20: compile with -std=c++20
#include <parprims/needs_cpp20>  // does not exist: a missing header ends the compilation at once
#endif

/// 1 if the file is compiled as CUDA, so that it can instantiate kernels.
#if defined(__CUDACC__)
#define PARPRIMS_CUDA_COMPILER 1
/// Before a function that both backends call: `__host__ __device__` if the file is compiled as CUDA, otherwise nothing.
#define PARPRIMS_HOST_DEVICE __host__ __device__
#define PARPRIMS_DEVICE __device__
#elif defined(__HIP__)
// The kernels compile, and a launcher may run them; there is no backend for calls (docs/amd.md).
#define PARPRIMS_CUDA_COMPILER 0
#define PARPRIMS_HOST_DEVICE __attribute__((host, device))
#define PARPRIMS_DEVICE __attribute__((device))
#else
#define PARPRIMS_CUDA_COMPILER 0
#define PARPRIMS_HOST_DEVICE
#define PARPRIMS_DEVICE
#endif

// Bins are found, and sums are made exact, by what a compiler with these options rearranges. nvcc's --use_fast_math defines no macro:
// on the GPU it flushes subnormal floats, and nothing else of ours changes.
#if (defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)) && \
    !defined(PARPRIMS_ALLOW_FAST_MATH)
#error \
    "parprims: -ffast-math, -Ofast and -ffinite-math-only change bins and bits; go without, or define PARPRIMS_ALLOW_FAST_MATH"
#endif

/// 1 if the library was built with the CUDA backend. The build writes it into detail/build_config.hpp, which is installed.
#ifndef PARPRIMS_HAS_CUDA
#if __has_include(<parprims/detail/build_config.hpp>)
#include <parprims/detail/build_config.hpp>
#elif defined(PARPRIMS_HEADER_ONLY)
#define PARPRIMS_HAS_CUDA PARPRIMS_CUDA_COMPILER
#else
#error "parprims: detail/build_config.hpp is missing: include the installed headers, or <build folder>/include as well"
#endif
#endif

/// In a header-only build (target parprims::headers) the functions of the library are inline in the user's files.
#if defined(PARPRIMS_HEADER_ONLY)
#define PARPRIMS_INLINE inline
#else
#define PARPRIMS_INLINE
#endif

/// Around functions for host and device that call what a user may not have marked for the GPU: nvcc does not warn of it there, in each
/// kernel. detail/device/call/callable.hpp refuses such functions in a call on the device, in one error.
#if PARPRIMS_CUDA_COMPILER
#define PARPRIMS_BEGIN_UNMARKED_CALLS \
    _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 2391, 20011, 20013, 20014, 20015")
#define PARPRIMS_END_UNMARKED_CALLS _Pragma("nv_diagnostic pop")
#else
#define PARPRIMS_BEGIN_UNMARKED_CALLS
#define PARPRIMS_END_UNMARKED_CALLS
#endif
