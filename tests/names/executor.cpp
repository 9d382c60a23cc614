// Kernels of users' own values on the executor: see names.py.
#include "calls.hpp"

#include <parprims/simt/executor.hpp>

namespace simt = parprims::simt;
namespace executor = parprims::executor;
using users_value = hostile::value<int, 4>;

namespace hostile {

struct users_kernel {
    struct shared_storage {
        simt::shared_array<users_value, 32> values;
    };
    simt::global<const users_value> in;
    simt::global<users_value> out;

    void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        shared.values[t] = in[t];
        block.sync();
        const users_value read = shared.values[t];
        simt::store(out.data, t, simt::shuffle_down(read, 1));
    }
};

}  // namespace hostile

void call(const users_value* x, users_value* y)
{
    executor::options options;
    options.count = true;
    executor::launch(options, 1, 32, hostile::users_kernel{x, y});
    executor::name_memory(y, "y", sizeof(users_value));
}
