#define PARPRIMS_VALUE std::int64_t
#include "comparing.inl.hpp"
