/// @file
/// @brief  Slices over NCCL: a rank for each GPU of this machine, a thread for each rank.
#include <doctest/doctest.h>

#include <parprims/nccl.hpp>

#include "support/weighted_slices_check.hpp"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace pp = parprims;
using namespace slices_check;

namespace {

/// A communicator for each GPU.
class all_gpus {
public:
    all_gpus() : groups_(static_cast<std::size_t>(pp::device_count()))
    {
        if (ncclCommInitAll(groups_.data(), static_cast<int>(groups_.size()), nullptr) != ncclSuccess)
            throw std::runtime_error("ncclCommInitAll");
    }
    all_gpus(const all_gpus&) = delete;
    ~all_gpus()
    {
        for (ncclComm_t group : groups_)
            ncclCommDestroy(group);
    }
    std::size_t size() const { return groups_.size(); }
    ncclComm_t operator[](std::size_t rank) const { return groups_[rank]; }

private:
    std::vector<ncclComm_t> groups_;
};

}  // namespace

TEST_CASE("random slices over NCCL have the bits of one process [device]")
{
    const all_gpus gpus;
    std::mt19937 random(3);
    for (unsigned attempt = 0; attempt < 120; ++attempt) {
        const std::size_t n = attempt < 20 ? attempt * 1000 : 1 + random() % 1000000;
        const std::vector<float> values = random_values<float>(n, attempt);
        const answers expected = of_one_process(values);
        const auto borders = random_borders(n, gpus.size(), order::tile<float>, random);
        CAPTURE(borders);
        for (const std::string& text : in_threads(gpus.size(), [&](std::size_t rank) {
                 const pp::device_guard on_gpu(static_cast<int>(rank));
                 pp::nccl_communicator world(gpus[rank]);
                 check_rank(world, values, borders[rank], borders[rank + 1], expected, attempt % 4);
             }))
            CHECK(text == "");
    }
}

TEST_CASE("weights of random slices over NCCL have the bits of one process [device]")
{
    const all_gpus gpus;
    std::mt19937 random(5);
    for (unsigned attempt = 0; attempt < 100; ++attempt) {
        // Every tenth time, slices are so long that their largest weight is guessed.
        const std::size_t most = attempt % 10 == 9 ? 4'000'000 : 200'000;
        const weighted_input input(attempt < 9 ? attempt * 700 : 1 + random() % most, attempt);
        const auto borders = random_borders(input.x.size(), gpus.size(), 1024, random);
        CAPTURE(borders);
        for (const std::string& text : in_threads(gpus.size(), [&](std::size_t rank) {
                 const pp::device_guard on_gpu(static_cast<int>(rank));
                 pp::nccl_communicator world(gpus[rank]);
                 check_weights(world, input, borders[rank], borders[rank + 1], attempt);
             }))
            CHECK(text == "");
    }
}

TEST_CASE("the example of slices [device]")
{
    const all_gpus gpus;
    for (const std::string& text : in_threads(gpus.size(), [&](std::size_t rank) {
             const pp::device_guard on_gpu(static_cast<int>(rank));
             const ncclComm_t comm = gpus[rank];
             const pp::stream stream;
             const pp::device_buffer<float> slice(std::vector<float>(1000, 1.0f), stream);
             pp::device_buffer<float> running(1000, stream);
             /// [slices]
             pp::nccl_communicator world(comm);                              // an ncclComm_t of yours
             pp::slices slices(pp::device.on(stream), world, slice.size());  // all ranks together, once
             const auto policy = pp::distributed(slices);
             const float sum = pp::reduce(policy, slice);         // of all slices, on every rank
             pp::inclusive_scan(policy, slice, running.begin());  // enqueued; each rank gets its slice of the results
             slices.check();                                      // waits, and throws what failed on any rank
             /// [slices]
             if (sum != 1000.0f * static_cast<float>(gpus.size()) ||
                 running.to_host().back() != 1000.0f * static_cast<float>(rank + 1))
                 throw std::runtime_error("wrong");
         }))
        CHECK(text == "");
}

TEST_CASE("calls over slices can be captured into a graph, and see new input at each launch [device]")
{
    const all_gpus gpus;
    const std::size_t n = 100003;
    for (const std::string& text : in_threads(gpus.size(), [&](std::size_t rank) {
             const pp::device_guard on_gpu(static_cast<int>(rank));
             pp::nccl_communicator world(gpus[rank]);
             const pp::stream work;
             pp::device_buffer<float> x(n, work), y(n, work), sum(1, work);
             pp::device_buffer<std::uint32_t> counts(axis.extent(), work);
             pp::device_buffer<float> weights(axis.extent(), work);
             pp::slices slices(pp::device.on(work), world, n);
             const auto policy = pp::distributed(slices);
             const auto demand = [](bool holds) {
                 if (!holds)
                     throw std::runtime_error("wrong, or an error of CUDA");
             };
             cudaStream_t const stream = work.get();
             cudaGraph_t graph = nullptr;
             cudaGraphExec_t executable = nullptr;
             demand(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
             pp::reduce_into(policy, x.data(), x.data() + n, sum.data(), 0.0f);
             pp::inclusive_scan(policy, x.data(), x.data() + n, y.data());
             pp::histogram(policy, x.data(), x.data() + n, axis, counts.data());
             pp::weighted_histogram(policy, x.data(), x.data() + n, x.data(), axis, weights.data());
             demand(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
             demand(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
             for (unsigned seed = 0; seed < 3; ++seed) {
                 const std::vector<float> all = random_values<float>(n * gpus.size(), seed);
                 const answers expected = of_one_process(all);
                 const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * n);
                 x.copy_from(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(n)));
                 demand(cudaGraphLaunch(executable, stream) == cudaSuccess);
                 slices.check();
                 const auto first = expected.inclusive.begin() + static_cast<std::ptrdiff_t>(rank * n);
                 demand(same(sum.to_host(), {expected.sum}));
                 demand(same(y.to_host(), std::vector<float>(first, first + static_cast<std::ptrdiff_t>(n))));
                 demand(same(counts.to_host(), expected.counts));
                 demand(same(weights.to_host(), expected.weights));
             }
             demand(cudaGraphExecDestroy(executable) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
         }))
        CHECK(text == "");
}

TEST_CASE("an error of NCCL has its text [device]")
{
    /// [nccl_error]
    try {
        const pp::nccl_communicator none(nullptr);
        FAIL("no communicator");
    } catch (const pp::nccl_error& error) {
        CHECK(error.status() == ncclInvalidArgument);
        CHECK(std::string(error.what()).starts_with("ncclCommUserRank: "));
    }
    /// [nccl_error]
}
