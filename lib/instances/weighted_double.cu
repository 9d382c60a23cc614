#define PARPRIMS_VALUE double
#include "weights.inl.hpp"
