/// @file
/// @brief  What the programs share that run a kernel with a bug planted in it: seed after seed, and how that ended.
#pragma once

#include "planted.hpp"  // first: headers with bugs read it

#include <parprims/detail/simt/simt.hpp>

#include "../support/run.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace mutants {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool has_tsan = true;  // a launch takes long
#else
inline constexpr bool has_tsan = false;
#endif

/// An answer that differs from the oracle's, or an operator that was called on no value.
inline void require(bool holds, const char* name)
{
    if (holds)
        return;
    std::printf("wrong answer: %s\n", name);
    std::fflush(stdout);
    std::_Exit(1);  // not to be followed by what a sanitizer says of a kernel that has gone wrong
}

/// `main` of a program, whose arguments are a number of seeds and the number of the bug that is on, or 0: calls `check(seed)` for each
/// seed. See TOOLS in mutants.py for the exit status.
template <class Check>
int run(int count, char** arguments, Check check)
{
    const std::uint64_t seeds = count < 2 ? 1 : std::strtoull(arguments[1], nullptr, 10);
    planted = count < 3 ? 0 : static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
    try {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
            std::fflush(stdout);
            check(seed);
        }
    } catch (const kernel_test::executor::error& error) {
        std::printf("executor: %s\n", error.what());
        std::fflush(stdout);
        std::_Exit(2);
    } catch (const std::exception& error) {
        require(false, error.what());
    }
    return 0;
}

}  // namespace mutants
