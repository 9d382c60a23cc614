/// @file
/// @brief  A call of an algorithm in the compiled library, for plain C++.
#pragma once

#include <parprims/config.hpp>

namespace parprims::detail::device {

/// Explicitly instantiated in lib/instances, for the calls that library.hpp lists.
template <class Algorithm, class Result, class Policy, class... Arguments>
struct prebuilt {
#if defined(PARPRIMS_HEADER_ONLY)
    static_assert(sizeof(Result*) == 0,
                  "parprims::headers has no kernels for g++: compile this file as CUDA (with nvcc), or link "
                  "parprims::parprims");
#endif
    static Result run(const char* function, const Policy& policy, const Arguments&... arguments);
};

}  // namespace parprims::detail::device
