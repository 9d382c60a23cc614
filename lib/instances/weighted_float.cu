#define PARPRIMS_VALUE float
#include "weights.inl.hpp"
