#define PARPRIMS_VALUE float
#include "exact.inl.hpp"
