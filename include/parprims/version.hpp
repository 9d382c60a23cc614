/// @file
/// @brief  The version of parprims, for the preprocessor and for programs.
#pragma once

/// @snippet reference.cpp version
#define PARPRIMS_VERSION 100  // major * 10000 + minor * 100 + patch

namespace parprims {

inline constexpr int version_major = PARPRIMS_VERSION / 10000;
inline constexpr int version_minor = PARPRIMS_VERSION / 100 % 100;
inline constexpr int version_patch = PARPRIMS_VERSION % 100;

}  // namespace parprims
