#define PARPRIMS_VALUE double
#include "adding.inl.hpp"
#include "along.inl.hpp"
#include "comparing.inl.hpp"
