// The second translation unit of headers.cpp.
#include <parprims/parprims.hpp>

#include <vector>

float total_elsewhere(const std::vector<float>& values)
{
    return parprims::reduce(parprims::host, values.begin(), values.end(), 0.0f);
}
