// expect: trivially copyable
#include <parprims/device_buffer.hpp>

#include <string>

parprims::device_buffer<std::string> names(4);
