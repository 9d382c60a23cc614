#include <parprims/detail/runtime/launch_config.inl.hpp>
