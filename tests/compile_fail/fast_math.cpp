// Options that change the arithmetic.
//
// compiles -ffast-math -DPARPRIMS_ALLOW_FAST_MATH
//
// expect FAST -ffast-math: parprims: -ffast-math, -Ofast and -ffinite-math-only change bins and bits
// expect OFAST -Ofast: parprims: -ffast-math, -Ofast and -ffinite-math-only change bins and bits
// expect FINITE -ffinite-math-only: parprims: -ffast-math, -Ofast and -ffinite-math-only change bins and bits
#include <parprims/axis.hpp>
