/// @file
/// @brief  The macros of parprims: how this file is compiled.
#pragma once

#if __cplusplus < 202002L
#error parprims needs C++20: compile with -std=c++20
#include <parprims/needs_cpp20>  // there is none: stops the compiler before the errors of all that follows
#endif

/// 1 if the file is compiled as CUDA, so that it can instantiate kernels.
#if defined(__CUDACC__)
#define PARPRIMS_CUDA_COMPILER 1
#define PARPRIMS_HOST_DEVICE __host__ __device__
#define PARPRIMS_DEVICE __device__
#else
#define PARPRIMS_CUDA_COMPILER 0
#define PARPRIMS_HOST_DEVICE
#define PARPRIMS_DEVICE
#endif

/// 1 if the library was built with the CUDA backend; set by the CMake targets.
#ifndef PARPRIMS_HAS_CUDA
#define PARPRIMS_HAS_CUDA PARPRIMS_CUDA_COMPILER
#endif

/// In a header-only build (target parprims::headers) the functions of the library are inline in the user's files.
#if defined(PARPRIMS_HEADER_ONLY)
#define PARPRIMS_INLINE inline
#else
#define PARPRIMS_INLINE
#endif
