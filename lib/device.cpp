#include <parprims/detail/runtime/device.inl.hpp>
