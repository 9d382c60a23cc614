#define PARPRIMS_VALUE double
#include "exact.inl.hpp"
