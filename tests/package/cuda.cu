// A user's program compiled as CUDA: any type, any operator, on both backends.
#include "expect.hpp"

#include <parprims/parprims.hpp>

#include <vector>

namespace pp = parprims;

namespace {

struct xor_of_shorts {
    __host__ __device__ short operator()(short a, short b) const { return static_cast<short>(a ^ b); }
};

}  // namespace

int main(int argc, char** argv)
{
    expect_backend(argc, argv);
    const std::vector<short> values = {1, 2, 4, 8, 1};
    expect(pp::reduce(pp::host, values.begin(), values.end(), short{0}, xor_of_shorts{}) == 14, "reduce on the host");
    if (pp::device_count() == 0) {
        const short* first = values.data();
        expect_no_device([&] { pp::reduce(pp::device, first, first + values.size(), short{0}, xor_of_shorts{}); },
                         "reduce without a GPU throws");
        return 0;
    }
    const pp::device_buffer<short> x = pp::to_device(values);
    expect(pp::reduce(pp::device, x.begin(), x.end(), short{0}, xor_of_shorts{}) == 14, "reduce on the device");
}
