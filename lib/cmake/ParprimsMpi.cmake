# Target parprims::mpi: what parprims/mpi.hpp needs beyond the library. None where no MPI is found.

set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings, which MPI has dropped
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND AND NOT TARGET parprims::mpi)
    set(parprims_scope "")
    if(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
        set(parprims_scope GLOBAL)
    endif()
    add_library(parprims::mpi INTERFACE IMPORTED ${parprims_scope})
    target_link_libraries(parprims::mpi INTERFACE MPI::MPI_CXX)
endif()
