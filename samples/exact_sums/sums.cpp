// Plain and exact sums over ranks. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "exact_sums/sums.hpp"

#include <parprims/distributed.hpp>
#include <parprims/parprims.hpp>

#include <barrier>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>

namespace pp = parprims;

namespace {

/// What the ranks of one process share.
struct meeting {
    std::barrier<> all;
    std::vector<std::byte> gathered;
};

/// The communicator of one rank, a thread: what parprims needs of MPI.
struct thread_rank {
    meeting& place;
    std::size_t number;
    std::size_t count;

    std::size_t rank() const { return number; }
    std::size_t size() const { return count; }

    void all_gather(const void* send, void* received, std::size_t bytes, pp::stream_view)
    {
        if (number == 0)
            place.gathered.resize(count * bytes);
        place.all.arrive_and_wait();
        std::memcpy(place.gathered.data() + number * bytes, send, bytes);
        place.all.arrive_and_wait();
        std::memcpy(received, place.gathered.data(), count * bytes);
        place.all.arrive_and_wait();
    }

    void all_reduce(std::uint64_t* numbers, std::size_t n, pp::stream_view stream)
    {
        std::vector<std::uint64_t> of_all(count * n);
        all_gather(numbers, of_all.data(), n * sizeof *numbers, stream);
        for (std::size_t i = 0; i < n; ++i) {
            numbers[i] = 0;
            for (std::size_t r = 0; r < count; ++r)
                numbers[i] += of_all[r * n + i];
        }
    }
};

std::span<const double> part_of(std::span<const double> x, std::size_t rank, std::size_t ranks)
{
    const std::size_t begin = x.size() * rank / ranks, end = x.size() * (rank + 1) / ranks;
    return x.subspan(begin, end - begin);
}

/// The numbers are where the policy runs.
template <class Policy>
double plain_sum_with(const Policy& policy, std::span<const double> x, std::size_t ranks)
{
    double total = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        total += pp::reduce(policy, part_of(x, rank, ranks), 0.0);
    return total;
}

}  // namespace

double plain_sum(const std::vector<double>& x, std::size_t ranks, [[maybe_unused]] const samples::place& where)
{
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device)
        return plain_sum_with(pp::device, pp::to_device(x), ranks);
#endif
    return plain_sum_with(pp::host, x, ranks);
}

double exact_sum(const std::vector<double>& x, [[maybe_unused]] const samples::place& where)
{
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device)
        return pp::reduce(pp::device, pp::to_device(x), 0.0, pp::exact_plus{});
#endif
    return pp::reduce(pp::host, x, 0.0, pp::exact_plus{});
}

double exact_sum_of_ranks(const std::vector<double>& x, std::size_t ranks)
{
    meeting place{std::barrier<>(static_cast<std::ptrdiff_t>(ranks)), {}};
    std::vector<double> sums(ranks);
    {
        std::vector<std::jthread> threads;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                thread_rank self{place, rank, ranks};
                sums[rank] = pp::reduce(pp::distributed(pp::host.threads(1), self), part_of(x, rank, ranks), 0.0,
                                        pp::exact_plus{});
            });
    }
    return sums.front();
}
