#include "support/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace samples {

bool is_output_open(const std::string& program)
{
    if (fcntl(STDOUT_FILENO, F_GETFD) != -1)
        return true;
    fmt::print(stderr, "{}: the output cannot be written: {}\n", program, std::strerror(errno));
    return false;
}

bool flush_output(const std::string& program)
{
    errno = 0;
    std::cout.flush();
    const bool is_flushed = std::fflush(stdout) == 0;
    if (is_flushed && std::cout.good() && std::ferror(stdout) == 0)
        return true;
    fmt::print(stderr, "{}: the output cannot be written{}{}\n", program, errno == 0 ? "" : ": ",
               errno == 0 ? "" : std::strerror(errno));
    return false;
}

}  // namespace samples
