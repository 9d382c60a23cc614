#include <parprims/detail/host/parallel.inl.hpp>
