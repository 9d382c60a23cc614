// A kernel of a user's own, on the executor alone: neither oneTBB nor CUDA is linked.
#include <parprims/simt/executor.hpp>

#include "expect.hpp"

namespace simt = parprims::simt;
namespace executor = parprims::executor;

int main(int argc, char** argv)
{
    expect_backend(argc, argv);
    executor::buffer<int> values(64);
    const auto kernel = [values = values.data()](simt::block block) {
        simt::store(values, block.thread(), static_cast<int>(block.thread()));
    };
    executor::options options;
    options.count = true;
    const executor::statistics did = executor::launch(options, 1, 64, kernel);
    expect(values[63] == 63, "the kernel ran");
    expect(did.global_stores.sectors == 8, "its stores are counted");
}
