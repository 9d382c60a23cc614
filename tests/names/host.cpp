// The calls on the host, of one process and of ranks: see names.py.
#include "calls.hpp"

#include <parprims/distributed.hpp>

namespace {

using value = hostile::value<int, 4>;
using wide = hostile::value<long, 120>;

}  // namespace

void call(const value* x, value* y, const wide* wide_x, wide* wide_y, const outputs& to)
{
    namespace pp = parprims;
    hostile::alone group;
    const value init{};
    calls_of_ranks(pp::host, x, y, init, to);
    calls_of_ranks(pp::distributed(pp::host, group), x, y, init, to);
    calls_of_one_process(pp::host, x, y, init, to);
    calls_of_ranges(pp::host, x, y, init, to);
    calls_of_sizes(pp::host, x, y, init, to);
    calls_of_one_process(pp::host, wide_x, wide_y, wide{}, to);

    // The iterators of parprims over the user's.
    const pp::transform_iterator read(pp::strided_iterator(x, 1), hostile::same{});
    const pp::transform_output_iterator written(pp::permutation_iterator(y, to.offsets), hostile::same{});
    calls_of_ranks(pp::host, read, written, init, to);
    calls_of_one_process(pp::host, read, written, init, to);
    calls_of_one_process(pp::host, pp::constant_iterator(init), pp::discard_iterator(), init, to);
}
