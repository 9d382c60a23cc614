#define PARPRIMS_VALUE std::uint64_t
#include "adding.inl.hpp"
#include "comparing.inl.hpp"
