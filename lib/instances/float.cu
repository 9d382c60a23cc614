#define PARPRIMS_VALUE float
#include "adding.inl.hpp"
#include "along.inl.hpp"
#include "comparing.inl.hpp"
