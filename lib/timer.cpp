#include <parprims/detail/runtime/timer.inl.hpp>
