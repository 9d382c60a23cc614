/// @file
/// @brief  Sample `ranks_mpi`: a file of floats, a part of it read by each process of MPI. Prints the same bits for any number.
///
/// usage: mpirun -n RANKS ranks_mpi FILE PICTURE.svg
#include "analysis.hpp"
#include "files.hpp"

#include <parprims/mpi.hpp>

#include <vector>

namespace pp = parprims;

namespace {

void run(const ranks::files& names)
{
    const pp::mpi_communicator world(MPI_COMM_WORLD);
    const auto policy = pp::distributed(pp::host, world);

    // Each rank reads its slice.
    const std::size_t n = ranks::count_floats(names.data);
    const auto begin_of = [&](std::size_t rank) { return ranks::begin_of(rank, world.size(), n); };
    const std::size_t begin = begin_of(world.rank());
    const std::vector<float> slice = ranks::read_floats(names.data, begin, begin_of(world.rank() + 1));
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
    ranks::report(found, sums, names.picture);
}

}  // namespace

int main(int count, char** arguments)
{
    int provided = 0;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    int rank = 0, goes_on = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto run_program = [&](const auto& what) {
        if (const int code = ranks::run_program("ranks_mpi", count, arguments, what); code != 0)
            MPI_Abort(MPI_COMM_WORLD, code);  // the others wait for this one
    };
    // One rank reads the command line and tries the files, so that one says what is wrong with them.
    if (rank == 0)
        run_program([&](const ranks::files& names) {
            ranks::check(names);
            goes_on = 1;
        });
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (goes_on != 0)
        run_program(run);
    return MPI_Finalize();
}
