// Kernels of users' own values on the executor: see names.py.
#include "calls.hpp"
#include "kernel.hpp"

#include <parprims/simt/calls.hpp>
#include <parprims/simt/executor.hpp>
#include <parprims/simt/launcher.hpp>

namespace executor = parprims::executor;

void call(const users_value* x, users_value* y, unsigned* counts)
{
    executor::options options;
    options.count = true;
    executor::launch(options, 1, 32, hostile::users_kernel{x, y, counts});
    executor::name_memory(y, "y", sizeof(users_value));

    executor::launcher launcher(options);
    y[0] = executor::reduce(launcher, x, 4, users_value{}, hostile::add{});
    executor::inclusive_scan(launcher, x, 4, y, hostile::add{});
    executor::histogram(launcher, reinterpret_cast<const int*>(y), 4, parprims::regular_axis(4, 0, 4), counts);
    (void)launcher.take_statistics();
}
