#include <parprims/detail/runtime/runtime.inl.hpp>
