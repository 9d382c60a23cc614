/// @file
/// @brief  The number of the bug that is on, which the headers with planted bugs read: mutants.py. Included before them.
#pragma once

namespace mutants {

inline unsigned planted = 0;  // none

}  // namespace mutants
