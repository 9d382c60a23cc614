#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "loop.hpp"

#include <cstdio>

int main(int argc, char** argv)
{
    doctest::Context context(argc, argv);
    const int result = context.run();
    std::printf("%u faults tried\n", faults_tried());
    return result;
}
