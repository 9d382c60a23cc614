/// @file
/// @brief  The assertions of the consumers, which use no test framework.
#pragma once

#include <parprims/config.hpp>
#include <parprims/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

inline void expect(bool condition, const char* what)
{
    if (condition)
        return;
    std::fprintf(stderr, "not true: %s\n", what);
    std::exit(1);
}

/// The program's argument is the backend that the library was built with: "cuda" or "host". The headers must say the same.
inline void expect_backend(int argc, char** argv)
{
    expect(argc == 2, "there is one argument");
    expect(PARPRIMS_HAS_CUDA == (std::string_view(argv[1]) == "cuda"), "the headers know the library's backend");
}

/// `call` fails for want of a GPU, or of the CUDA backend where the library has none.
template <class Call>
void expect_no_device(Call call, const char* what)
{
    try {
        call();
    } catch (const parprims::cuda_error& error) {
        std::printf("%s: %s\n", what, error.what());
        const bool has_no_backend = std::string_view(error.what()).find("no CUDA support") != std::string_view::npos;
        expect(has_no_backend == !PARPRIMS_HAS_CUDA, "the error names what is missing");
        return;
    }
    expect(false, what);
}
