#include <parprims/detail/runtime/error.inl.hpp>
#include <parprims/detail/runtime/refuse.inl.hpp>
