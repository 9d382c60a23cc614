#include <parprims/detail/runtime/memory_resource.inl.hpp>
