#define PARPRIMS_VALUE std::int32_t
#include "comparing.inl.hpp"
