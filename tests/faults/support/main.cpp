#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <parprims/detail/runtime/slots.inl.hpp>

#include "loop.hpp"

#include <chrono>
#include <cstdio>

int main(int argc, char** argv)
{
    parprims::detail::runtime::max_spin_time = std::chrono::microseconds(0);
    doctest::Context context(argc, argv);
    const int result = context.run();
    std::printf("%u faults tried\n", faults_tried());
    return result;
}
