/// @file
/// @brief  Sample `ranks_nccl`: the same over the GPUs of this machine, one thread and one slice for each.
///
/// usage: ranks_nccl FILE PICTURE.svg
#include "analysis.hpp"
#include "files.hpp"

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/nccl.hpp>
#include <parprims/slices.hpp>
#include <parprims/stream.hpp>

#include <nccl.h>

#include <exception>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pp = parprims;

namespace {

/// What one rank does on the current GPU. Fills in its points of the curve.
ranks::summary run(ncclComm_t comm, std::span<const float> all, ranks::curve& sums)
{
    const pp::stream stream;
    pp::nccl_communicator world(comm);
    const std::size_t n = all.size();
    const std::size_t begin = ranks::begin_of(world.rank(), world.size(), n);
    const std::size_t end = ranks::begin_of(world.rank() + 1, world.size(), n);
    const pp::device_buffer<float> slice(all.subspan(begin, end - begin), stream);
    const float* const first = slice.data();
    const float* const last = first + slice.size();

    pp::slices slices(pp::device.on(stream), world, slice.size());
    const auto policy = pp::distributed(slices);
    pp::device_buffer<std::uint64_t> counts(ranks::bins, stream);
    ranks::summary found = ranks::summarize(policy, first, last, n, counts.data(), [&] { return counts.to_host(); });
    pp::device_buffer<double> running(slice.size(), stream);
    pp::transform_inclusive_scan(policy, first, last, running.data(), pp::plus{}, ranks::to_double{});
    slices.check();

    const std::vector<double> results = running.to_host();
    for (std::size_t i = 0; i < ranks::points; ++i)
        if (const std::size_t place = ranks::place_of(i, n); place >= begin && place < end)
            sums[i] = results[place - begin];
    return found;
}

void run_on_all(const ranks::files& names)
{
    const int gpus = pp::device_count();
    if (gpus == 0)
        ranks::refuse("a GPU is needed, and there is none here");
    ranks::check(names);
    std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
    if (ncclCommInitAll(comms.data(), gpus, nullptr) != ncclSuccess)
        throw std::runtime_error("NCCL cannot use the GPUs");
    const std::vector<float> all = ranks::read_floats(names.data, 0, ranks::count_floats(names.data));

    ranks::summary found;
    ranks::curve sums{};
    std::vector<std::exception_ptr> thrown(comms.size());
    std::vector<std::thread> threads;
    for (int gpu = 0; gpu < gpus; ++gpu)
        threads.emplace_back([&, gpu, rank = static_cast<std::size_t>(gpu)] {
            try {
                const pp::device_guard on_gpu(gpu);
                const ranks::summary mine = run(comms[rank], all, sums);
                if (rank == 0)
                    found = mine;
            } catch (...) {
                thrown[rank] = std::current_exception();
            }
        });
    for (std::thread& each : threads)
        each.join();
    for (const std::exception_ptr& error : thrown)
        if (error)
            std::rethrow_exception(error);
    for (ncclComm_t comm : comms)
        ncclCommDestroy(comm);
    ranks::report(found, sums, names.picture);
}

}  // namespace

int main(int count, char** arguments)
{
    return ranks::run_program("ranks_nccl", count, arguments, run_on_all);
}
