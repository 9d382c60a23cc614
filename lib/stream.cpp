#include <parprims/detail/runtime/stream.inl.hpp>
