/// @file
/// @brief  One call of a scan, of `ELEMENT`s, whose kernels are read. Compiled to PTX, never run.
#include <parprims/scan.hpp>

namespace pp = parprims;

void scan(const ELEMENT* first, const ELEMENT* last, ELEMENT* out)
{
#if defined(NAMES_THREE_PHASES)
    pp::inclusive_scan(pp::device.with(pp::three_phase_scan{}), first, last, out);
#else
    pp::inclusive_scan(pp::device, first, last, out);
#endif
}
