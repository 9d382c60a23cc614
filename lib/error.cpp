#include <parprims/detail/runtime/error.inl.hpp>
