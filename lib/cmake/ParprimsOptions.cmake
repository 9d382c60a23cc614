# What a user of the build can choose. Tests and samples need packages that the library does without (ParprimsDependencies).

set(PARPRIMS_CUDA "AUTO" CACHE STRING "CUDA backend: AUTO (where there is a CUDA compiler; embedded, where the project uses CUDA), ON or OFF")
set_property(CACHE PARPRIMS_CUDA PROPERTY STRINGS AUTO ON OFF)
option(PARPRIMS_CUDA_RUNTIME_SHARED "Link the CUDA runtime as a shared library" OFF)
option(PARPRIMS_TESTS "Build the tests" OFF)
option(PARPRIMS_SAMPLES "Build the samples" OFF)
option(PARPRIMS_EXECUTOR "Build parprims::executor, which runs kernels of your own on a CPU" OFF)
option(PARPRIMS_MPI "Add the target parprims::mpi, which parprims/mpi.hpp needs" OFF)
option(PARPRIMS_NCCL "Add the target parprims::nccl, which parprims/nccl.hpp needs" OFF)
# Also where another project embeds this one: its own install(EXPORT) needs to know where our targets go.
option(PARPRIMS_INSTALL "Add the install rules" ON)
option(PARPRIMS_WERROR "A warning in our own sources is an error" OFF)
option(PARPRIMS_QUICK_KERNELS "Check that kernels compile, and make no machine code of them, as where no GPU runs them" OFF)
option(PARPRIMS_PORTABLE_BIN "Programs run on another machine: static GCC runtime, other libraries beside them" OFF)

if(PROJECT_IS_TOP_LEVEL)
    get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    # One folder of programs, so that it can be copied to a machine with a GPU.
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endif()
