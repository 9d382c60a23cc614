/// @file
/// @brief  `device::call`: how a public function reaches its algorithm on the GPU.
///
/// An algorithm is a class with a template `run`, in its backend.hpp. A file that is compiled as CUDA instantiates it. Plain C++ does not
/// see it: there, a call goes to the compiled library, which has it for some types. A build without CUDA throws.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER
#include <parprims/detail/device/call/device_call.hpp>
#else
#include <parprims/detail/device/call/library.hpp>
#endif
