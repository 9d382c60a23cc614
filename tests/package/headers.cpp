// A user's program that links parprims::headers, in two translation units, since everything must be inline in it.
#include "expect.hpp"

#include <parprims/parprims.hpp>

#include <cstdint>
#include <vector>

namespace pp = parprims;

float total_elsewhere(const std::vector<float>& values);

int main(int argc, char** argv)
{
    expect_backend(argc, argv);
    const std::vector<float> values = {0.5f, 1.5f, 2.5f, 3.5f, 2.0f};
    expect(pp::reduce(pp::host, values.begin(), values.end(), 1.0f) == 11.0f, "reduce");
    expect(total_elsewhere(values) == 10.0f, "reduce in another translation unit");

    std::vector<std::uint64_t> counts(4);
    pp::histogram(pp::host, values.begin(), values.end(), pp::regular_axis(4, 0.0f, 4.0f), counts.begin());
    expect(counts == std::vector<std::uint64_t>{1, 1, 2, 1}, "histogram");

    if (pp::device_count() == 0)
        expect_no_device([&] { (void)pp::to_device(values); }, "to_device without a GPU throws");
    else
        expect(pp::to_device(values).to_host() == values, "a copy to the device and back");
}
