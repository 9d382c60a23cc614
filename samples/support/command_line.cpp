#include "support/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <iostream>

namespace samples {

bool is_output_open(const std::string& program)
{
    if (fcntl(STDOUT_FILENO, F_GETFD) != -1)
        return true;
    fmt::print(stderr, "{}: the output cannot be written\n", program);
    return false;
}

bool flush_output(const std::string& program)
{
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::cout.good() && std::ferror(stdout) == 0)
        return true;
    fmt::print(stderr, "{}: the output cannot be written\n", program);  // why, the write that failed has not kept
    return false;
}

}  // namespace samples
