/// @file
/// @brief  The one assertion of the consumers, which use no test framework.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void expect(bool condition, const char* what)
{
    if (condition)
        return;
    std::fprintf(stderr, "not true: %s\n", what);
    std::exit(1);
}
