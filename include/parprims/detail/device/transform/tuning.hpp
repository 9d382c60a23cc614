/// @file
/// @brief  The launch numbers of `transform`. None can change a result. None has been compared with others.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned transform_threads = 256;
/// Bytes of registers of a lane for results at most, so that its loads overlap.
inline constexpr std::size_t max_transformed_bytes = 64;
inline constexpr unsigned max_transformed_items = 16;  ///< results of a lane at most

}  // namespace parprims::detail::device
