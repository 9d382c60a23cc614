/// @file
/// @brief  Kernels of a few lines for tests of the executor itself, and what it says of them.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kernel_test {

namespace simt = parprims::detail::simt;

/// A kernel from a lambda; its shared storage is an array.
template <class Body>
struct small_kernel {
    struct shared_storage {
        std::uint32_t words[1];
    };
    Body body;
    void operator()(simt::block block, shared_storage& shared) const { body(block, shared.words); }
};

/// Words of global memory that are zero at first.
struct zeros : memory<std::uint32_t> {
    zeros(std::size_t count = 1) : memory(count) { std::fill(begin(), end(), 0); }
};

template <class Body>
executor::statistics run(const executor::options& how, std::size_t blocks, unsigned threads, std::size_t words,
                         Body body, unsigned cluster_blocks = 1)
{
    return launch(how, blocks, threads, words * 4, small_kernel<Body>{body}, cluster_blocks);
}

/// What an error says, or nothing where there is none.
template <class Body>
std::string error_of(Body body)
{
    try {
        body();
    } catch (const executor::error& error) {
        return error.what();
    }
    return "";
}

template <class Body>
std::string error_of(const executor::options& how, std::size_t blocks, unsigned threads, Body body,
                     unsigned cluster_blocks = 1)
{
    return error_of([&] { run(how, blocks, threads, 64, body, cluster_blocks); });
}

/// For how many of 20 seeds `holds` says no.
template <class Holds>
unsigned failures(Holds holds)
{
    unsigned count = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        count += holds(schedule_of(seed)) ? 0 : 1;
    return count;
}

inline bool says(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace kernel_test
