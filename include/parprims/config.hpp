/// @file
/// @brief  The few macros of parprims, and what the compiler at hand can do.
#pragma once

/// 1 where the file is compiled as CUDA, so that kernels can be instantiated in it.
#if defined(__CUDACC__)
#define PARPRIMS_CUDA_COMPILER 1
#define PARPRIMS_HOST_DEVICE __host__ __device__
#define PARPRIMS_DEVICE __device__
#else
#define PARPRIMS_CUDA_COMPILER 0
#define PARPRIMS_HOST_DEVICE
#define PARPRIMS_DEVICE
#endif

/// 1 where the library was built with the CUDA backend; set by the CMake targets.
#ifndef PARPRIMS_HAS_CUDA
#define PARPRIMS_HAS_CUDA PARPRIMS_CUDA_COMPILER
#endif

/// In a header-only build (target parprims::headers) the runtime part is compiled into its users as inline functions.
#if defined(PARPRIMS_HEADER_ONLY)
#define PARPRIMS_INLINE inline
#else
#define PARPRIMS_INLINE
#endif
