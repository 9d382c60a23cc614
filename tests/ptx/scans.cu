/// @file
/// @brief  One call of a scan, whose kernels are counted by name. Compiled to PTX, never run.
#include <parprims/scan.hpp>

namespace pp = parprims;

void scan(const float* first, const float* last, float* out)
{
#if defined(NAMES_THREE_PHASES)
    pp::inclusive_scan(pp::device.with(pp::three_phase_scan{}), first, last, out);
#else
    pp::inclusive_scan(pp::device, first, last, out);
#endif
}
