#define PARPRIMS_VALUE float
#include "adding.inl.hpp"
#include "comparing.inl.hpp"
