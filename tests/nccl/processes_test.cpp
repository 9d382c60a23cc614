/// @file
/// @brief  Slices over NCCL with a process for each GPU of this machine: bits, a rank that comes late, and one that is lost.
///
/// Processes are forked before anything of CUDA is called, and get NCCL's id through pipes: no mpirun is needed.
#include <parprims/error.hpp>
#include <parprims/nccl.hpp>

#include "support/slices_check.hpp"

#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;
using namespace slices_check;

namespace {

constexpr int skipped = 77;

/// What `work` returns, in a process of its own that is ended if it hangs.
pid_t start(const std::function<int()>& work)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    alarm(100);
    int status = 1;
    try {
        status = work();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(nullptr);
    _exit(status);
}

int status_of(pid_t child)
{
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// Whether `work(rank, comm)` returns 0 in a process for each rank.
bool in_processes(std::size_t ranks, const std::function<int(std::size_t, ncclComm_t)>& work)
{
    std::vector<int> pipes(2 * ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        if (pipe(&pipes[2 * rank]) != 0)
            return false;
    std::vector<pid_t> children;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        children.push_back(start([&] {
            ncclUniqueId id{};
            if (rank == 0) {
                if (ncclGetUniqueId(&id) != ncclSuccess)
                    return 1;
                for (std::size_t other = 1; other < ranks; ++other)
                    if (write(pipes[2 * other + 1], &id, sizeof id) != sizeof id)
                        return 1;
            } else if (read(pipes[2 * rank], &id, sizeof id) != sizeof id) {
                return 1;
            }
            const pp::device_guard on_gpu(static_cast<int>(rank));
            ncclComm_t comm = nullptr;
            if (ncclCommInitRank(&comm, static_cast<int>(ranks), id, static_cast<int>(rank)) != ncclSuccess)
                return 1;
            return work(rank, comm);
        }));
    bool is_good = true;
    for (const pid_t child : children)
        is_good = status_of(child) == 0 && is_good;
    for (const int end : pipes)
        close(end);
    return is_good;
}

int check_bits(std::size_t rank, std::size_t ranks, ncclComm_t comm)
{
    pp::nccl_communicator world(comm);
    std::mt19937 random(11);  // the same in every process
    for (unsigned attempt = 0; attempt < 20; ++attempt) {
        const std::size_t n = 1 + random() % 1000000;
        const std::vector<float> values = random_values<float>(n, attempt);
        const auto borders = random_borders(n, ranks, order::tile<float>, random);
        if (attempt == 3 && rank == 0)
            std::this_thread::sleep_for(std::chrono::seconds(1));
        check_rank(world, values, borders[rank], borders[rank + 1], of_one_process(values), attempt % 4);
    }
    ncclCommDestroy(comm);
    return 0;
}

/// The last rank ends without a word; the others get an error with NCCL's text, and go on alone.
int lose_a_rank(std::size_t rank, std::size_t ranks, ncclComm_t comm)
{
    pp::nccl_communicator world(comm, std::chrono::seconds(3));
    {
        const pp::stream work;
        const pp::device_buffer<float> x(std::vector<float>(1000, 1.0f), work);
        pp::slices slices(pp::device.on(work), world, x.size());
        const auto policy = pp::distributed(slices);
        if (pp::reduce(policy, x) != 1000.0f * static_cast<float>(ranks))
            return 1;
        if (rank + 1 == ranks)
            _exit(0);
        try {
            (void)pp::reduce(policy, x);
            std::fprintf(stderr, "rank %zu: a lost rank is not noticed\n", rank);
            return 1;
        } catch (const pp::nccl_error& error) {
            std::printf("rank %zu: %s\n", rank, error.what());
        }
        ncclCommAbort(comm);
    }
    const pp::stream other;
    const pp::device_buffer<float> x(std::vector<float>(1000, 1.0f), other);
    return pp::reduce(pp::device.on(other), x) == 1000.0f ? 0 : 1;
}

}  // namespace

int main()
{
    const int gpus = status_of(start([] { return pp::device_count(); }));
    if (gpus < 2) {
        std::printf("skipped: needs two GPUs\n");
        return skipped;
    }
    const auto ranks = static_cast<std::size_t>(gpus);
    const bool has_bits =
        in_processes(ranks, [&](std::size_t rank, ncclComm_t comm) { return check_bits(rank, ranks, comm); });
    const bool notices =
        in_processes(ranks, [&](std::size_t rank, ncclComm_t comm) { return lose_a_rank(rank, ranks, comm); });
    std::printf("%zu processes: bits %s, a lost rank %s\n", ranks, has_bits ? "right" : "WRONG",
                notices ? "noticed" : "NOT noticed");
    return has_bits && notices ? 0 : 1;
}
