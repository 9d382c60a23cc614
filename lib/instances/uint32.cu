#define PARPRIMS_VALUE std::uint32_t
#include "adding.inl.hpp"
#include "comparing.inl.hpp"
