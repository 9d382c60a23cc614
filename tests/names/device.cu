// The calls on the device: see names.py.
#include "calls.hpp"
#include "kernel.hpp"

#include <parprims/simt/launch.hpp>
#include <parprims/slices.hpp>

namespace {

using value = hostile::value<int, 4>;
using wide = hostile::value<long, 120>;
using narrow = hostile::value<signed char, 1>;

}  // namespace

void call(const value* x, value* y, const wide* wide_x, wide* wide_y, const narrow* narrow_x, narrow* narrow_y,
          const outputs& to)
{
    namespace pp = parprims;
    hostile::alone group;
    pp::slices slices(pp::device, group, 4);
    const value init{};
    calls_of_ranks(pp::device, x, y, init, to);
    calls_of_ranks(pp::distributed(slices), x, y, init, to);
    calls_of_one_process(pp::device, x, y, init, to);
    calls_of_sizes(pp::device, x, y, init, to);
    calls_of_one_process(pp::device, wide_x, wide_y, wide{}, to);
    (void)pp::reduce(pp::device, wide_x, wide_x + 4, wide{}, hostile::add{});
    pp::inclusive_scan(pp::device, wide_x, wide_x + 4, wide_y, hostile::add{});
    (void)pp::reduce(pp::device, narrow_x, narrow_x + 4, narrow{}, hostile::add{});
    pp::inclusive_scan(pp::device, narrow_x, narrow_x + 4, narrow_y, hostile::add{});
    pp::inclusive_scan(pp::device.with(pp::three_phase_scan{}), x, x + 4, y, hostile::add{});
    simt::launch(pp::device, 1, 32, hostile::users_kernel{x, y, nullptr});
}
