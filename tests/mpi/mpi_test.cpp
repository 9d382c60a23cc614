/// @file
/// @brief  Calls over the processes of MPI give every process the bits that one process gets. Run by mpirun, with any number.
#include <parprims/distributed.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/mpi.hpp>
#include <parprims/slices.hpp>

#include "support/borders.hpp"
#include "support/host_values.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pp = parprims;

// Slices on GPUs over MPI, where there is no NCCL: the guide's communicator compiles and links without a CUDA header, too.
template class pp::staged_communicator<pp::mpi_communicator>;

namespace {

int failures = 0;

void check(bool holds, const char* what, std::size_t rank)
{
    if (!holds) {
        std::fprintf(stderr, "rank %zu: wrong: %s\n", rank, what);
        ++failures;
    }
}

std::string error_of_too_long_message(const pp::mpi_communicator& world)
{
    std::string text;
    /// [mpi_error]
    try {
        world.all_gather(nullptr, nullptr, std::size_t{1} << 40, {});  // a terabyte from each rank
    } catch (const pp::mpi_error& error) {
        text = error.what();  // what MPI says of error.status()
    }
    /// [mpi_error]
    return text;
}

void check_example(const std::vector<float>& slice, const std::vector<float>& all)
{
    /// [distributed]
    const pp::mpi_communicator world(MPI_COMM_WORLD);
    const auto policy = pp::distributed(pp::host, world);

    const float sum = pp::reduce(policy, slice);  // of all slices, on every rank
    std::vector<float> running(slice.size());
    pp::inclusive_scan(policy, slice, running.begin());  // each rank gets its slice of the results
    std::vector<std::uint64_t> counts(100);
    pp::histogram(policy, slice, pp::regular_axis(100, 0.0f, 1.0f), counts.begin());  // all counts, on every rank
    /// [distributed]
    check(same_bits(sum, pp::reduce(pp::host, all)), "the sum of the example", world.rank());
    std::vector<std::uint64_t> expected(100);
    pp::histogram(pp::host, all, pp::regular_axis(100, 0.0f, 1.0f), expected.begin());
    check(counts == expected, "the counts of the example", world.rank());
}

/// Every algorithm, with a slice of `values`.
template <class T>
void check_division(const pp::mpi_communicator& world, const std::vector<T>& values,
                    const std::vector<std::size_t>& borders)
{
    const std::size_t rank = world.rank(), begin = borders[rank], end = borders[rank + 1];
    const auto here = pp::host.threads(1);
    const auto policy = pp::distributed(here, world);
    const T* const first = values.data() + begin;
    const T* const last = values.data() + end;
    const auto half = [](const T& x) { return x * 0.5; };

    check(same_bits(pp::reduce(policy, first, last, T{3}), pp::reduce(here, values, T{3})), "reduce", rank);
    check(same_bits(pp::reduce(policy, first, last, T{3}, pp::exact_plus{}),
                    pp::reduce(here, values, T{3}, pp::exact_plus{})),
          "an exact sum", rank);
    check(same_bits(pp::transform_reduce(policy, first, last, 0.0, pp::plus{}, half),
                    pp::transform_reduce(here, values, 0.0, pp::plus{}, half)),
          "transform_reduce", rank);

    std::vector<T> expected(values.size()), results(end - begin);
    const auto is_right = [&] {
        return first_difference(results, {expected.begin() + static_cast<std::ptrdiff_t>(begin),
                                          expected.begin() + static_cast<std::ptrdiff_t>(end)}) == end - begin;
    };
    pp::inclusive_scan(here, values, expected.begin());
    pp::inclusive_scan(policy, first, last, results.data());
    check(is_right(), "inclusive_scan", rank);
    pp::exclusive_scan(here, values, expected.begin(), T{3});
    pp::exclusive_scan(policy, first, last, results.data(), T{3});
    check(is_right(), "exclusive_scan", rank);

    const auto axis = pp::regular_axis(50, -0.1f, 0.1f).with_flow();
    std::vector<std::uint32_t> of_all(axis.extent()), counts(axis.extent());
    pp::histogram(here, values, axis, of_all.begin());
    pp::histogram(policy, first, last, axis, counts.begin());
    check(counts == of_all, "histogram", rank);

    std::vector<double> all_sums(axis.extent()), sums(axis.extent());
    pp::weighted_histogram(here, values, values.begin(), axis, all_sums.begin());
    pp::weighted_histogram(policy, first, last, first, axis, sums.begin());
    check(first_difference(sums, all_sums) == sums.size(), "weighted_histogram", rank);
}

void check_errors(const pp::mpi_communicator& world)
{
    const std::vector<float> x(100);
    const bool is_bad = world.rank() + 1 == world.size();
    try {
        pp::reduce(pp::distributed(pp::host, world), is_bad ? x.end() : x.begin(), is_bad ? x.begin() : x.end(), 0.0f);
        check(false, "no error", world.rank());
    } catch (const pp::invalid_argument& error) {
        const std::string bad = "rank " + std::to_string(world.size() - 1) + ": ";
        check(error.what() == "parprims::reduce: " + (is_bad ? "" : bad) + "last: comes before first, by 100",
              error.what(), world.rank());
    }
    const std::string text = error_of_too_long_message(world);
    check(text.starts_with("MPI_Allgather: ") && text.size() > 20, "text of an MPI error", world.rank());
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const pp::mpi_communicator too_early(MPI_COMM_WORLD);
        check(false, "a communicator before MPI_Init", 0);
    } catch (const pp::invalid_argument&) {
    }
    int threads = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
    try {
        const pp::mpi_communicator world(MPI_COMM_WORLD);
        std::mt19937 random(5);  // the same on every rank
        const auto floats = random_values<float>(40 * order::tile<float> + 77);
        const auto doubles = random_values<double>(3 * order::tile<double> + 1);
        for (unsigned division = 0; division < 5; ++division) {
            check_division(world, floats, random_borders(floats.size(), world.size(), order::tile<float>, random));
            check_division(world, doubles, random_borders(doubles.size(), world.size(), order::chunk<double>, random));
        }
        check_errors(world);
        const std::size_t begin = floats.size() * world.rank() / world.size();
        const std::size_t end = floats.size() * (world.rank() + 1) / world.size();
        check_example({floats.begin() + static_cast<std::ptrdiff_t>(begin),
                       floats.begin() + static_cast<std::ptrdiff_t>(end)},
                      floats);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
