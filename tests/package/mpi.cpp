// A user's program of ranks, which MPI starts, or the user: one rank then.
#include "expect.hpp"

#include <parprims/distributed.hpp>
#include <parprims/mpi.hpp>
#include <parprims/reduce.hpp>

#include <numeric>
#include <vector>

int main(int argc, char** argv)
{
    expect_backend(argc, argv);
    MPI_Init(nullptr, nullptr);
    std::vector<float> slice(1000);
    std::iota(slice.begin(), slice.end(), 0.0f);
    const parprims::mpi_communicator world(MPI_COMM_WORLD);
    const float sum = parprims::reduce(parprims::distributed(parprims::host, world), slice);
    expect(sum == 499500.0f * static_cast<float>(world.size()), "the sum of all slices");
    MPI_Finalize();
}
