/// @file
/// @brief  Sample `ranks_mpi`: a file of floats, a part of it read by each process of MPI. Prints the same bits for any number.
///
/// usage: mpirun -n RANKS ranks_mpi FILE PICTURE.svg
#include "analysis.hpp"

#include <parprims/mpi.hpp>

#include <cstdio>
#include <exception>
#include <vector>

namespace pp = parprims;

namespace {

void run(const char* file, const char* picture)
{
    const pp::mpi_communicator world(MPI_COMM_WORLD);
    const auto policy = pp::distributed(pp::host, world);

    // Each rank reads its slice.
    const std::size_t n = ranks::count_floats(file);
    const auto begin_of = [&](std::size_t rank) { return ranks::begin_of(rank, world.size(), n); };
    const std::size_t begin = begin_of(world.rank());
    const std::vector<float> slice = ranks::read_floats(file, begin, begin_of(world.rank() + 1));
    const float* const first = slice.data();
    const float* const last = first + slice.size();

    std::vector<std::uint64_t> counts(ranks::bins);
    const ranks::summary found = ranks::summarize(policy, first, last, n, counts.begin(), [&] { return counts; });
    std::vector<double> running(slice.size());
    pp::transform_inclusive_scan(policy, first, last, running.data(), pp::plus{}, ranks::to_double{});

    // Each point of the curve comes from the rank that has it.
    ranks::curve mine{};
    for (std::size_t i = 0; i < ranks::points; ++i)
        if (const std::size_t place = ranks::place_of(i, n); place >= begin && place < begin + slice.size())
            mine[i] = running[place - begin];
    std::vector<ranks::curve> all(world.size());
    world.all_gather(&mine, all.data(), sizeof mine, {});
    if (world.rank() != 0)
        return;
    ranks::curve sums{};
    for (std::size_t i = 0, rank = 0; i < ranks::points; ++i) {
        while (begin_of(rank + 1) <= ranks::place_of(i, n))
            ++rank;
        sums[i] = all[rank][i];
    }
    ranks::report(found, sums, picture);
}

}  // namespace

int main(int count, char** arguments)
{
    int provided = 0;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    try {
        if (count != 3)
            throw std::runtime_error("usage: mpirun -n RANKS ranks_mpi FILE PICTURE.svg");
        run(arguments[1], arguments[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ranks_mpi: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return MPI_Finalize();
}
