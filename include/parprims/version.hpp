/// @file
/// @brief  The version of parprims, for the preprocessor and for programs, and that of the order contract.
#pragma once

/// @snippet reference.cpp version
#define PARPRIMS_VERSION 100  // major * 10000 + minor * 100 + patch

namespace parprims {

inline constexpr int version_major = PARPRIMS_VERSION / 10000;
inline constexpr int version_minor = PARPRIMS_VERSION / 100 % 100;
inline constexpr int version_patch = PARPRIMS_VERSION % 100;

/// @brief  The version of the order contract (docs/order-contract.md) that this release keeps. Two releases with one version give the same
///         bits for every reduction and scan. Record it beside a result that is to be checked later.
/// @snippet reference.cpp order_contract_version
inline constexpr int order_contract_version = 1;

}  // namespace parprims
