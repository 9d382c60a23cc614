/// @file
/// @brief  The version of the order contract.
#pragma once

#include <parprims/detail/push_macros.hpp>

namespace parprims {

/// @brief  The version of the order contract (docs/order-contract.md) that this release keeps. Two releases with one version give the same
///         bits for every reduction and scan. Record it beside a result that is to be checked later.
/// @snippet reference.cpp order_contract_version
inline constexpr int order_contract_version = 1;

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
