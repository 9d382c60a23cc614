// A user's program compiled as CUDA: any type, any operator, on both backends.
#include "expect.hpp"

#include <parprims/parprims.hpp>

#include <cstdio>
#include <vector>

namespace pp = parprims;

namespace {

struct xor_of_shorts {
    __host__ __device__ short operator()(short a, short b) const { return static_cast<short>(a ^ b); }
};

}  // namespace

int main()
{
    const std::vector<short> values = {1, 2, 4, 8, 1};
    expect(pp::reduce(pp::host, values.begin(), values.end(), short{0}, xor_of_shorts{}) == 14, "reduce on the host");
    if (pp::device_count() == 0) {
        try {
            pp::reduce(pp::device, values.data(), values.data() + values.size(), short{0}, xor_of_shorts{});
        } catch (const pp::cuda_error& error) {
            std::printf("without a GPU: %s\n", error.what());
            return 0;
        }
        expect(false, "reduce without a GPU throws");
    }
    const pp::device_buffer<short> x = pp::to_device(values);
    expect(pp::reduce(pp::device, x.begin(), x.end(), short{0}, xor_of_shorts{}) == 14, "reduce on the device");
}
