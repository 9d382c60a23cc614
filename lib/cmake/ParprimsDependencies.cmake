# Finds what is linked, and what tests and samples need beyond it. What is missing is named at once, as packages of Debian and
# Ubuntu.

set(parprims_missing "")
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# parprims_find(<apt package> <argument of find_package>...)
macro(parprims_find package name)
    find_package(${name} QUIET ${ARGN})
    if(NOT ${name}_FOUND)
        list(APPEND parprims_missing ${package})
    endif()
endmacro()

parprims_find(libtbb-dev TBB)
include(ParprimsHighway)
if(NOT TARGET hwy::hwy)
    list(APPEND parprims_missing libhwy-dev)
endif()

if(PARPRIMS_TESTS OR PARPRIMS_SAMPLES)
    parprims_find(libboost-context-dev Boost COMPONENTS context)
    parprims_find(libcli11-dev CLI11)
    parprims_find(libfmt-dev fmt)
    parprims_find(nlohmann-json3-dev nlohmann_json)
endif()
if(PARPRIMS_SAMPLES)
    parprims_find(libpng-dev PNG)
    find_package(Python3 COMPONENTS Interpreter QUIET)
endif()
if(PARPRIMS_TESTS)
    parprims_find(python3 Python3 3.11 COMPONENTS Interpreter)
    find_path(PARPRIMS_DOCTEST_INCLUDE_DIR doctest/doctest.h)
    if(NOT PARPRIMS_DOCTEST_INCLUDE_DIR)
        list(APPEND parprims_missing doctest-dev)
    endif()
endif()

if(PARPRIMS_MPI OR PARPRIMS_TESTS OR PARPRIMS_SAMPLES) # of which those over MPI are left out where there is none
    include(ParprimsMpi)
endif()
if(PARPRIMS_MPI AND NOT TARGET parprims::mpi)
    list(APPEND parprims_missing libopenmpi-dev)
endif()

if(PARPRIMS_NCCL OR PARPRIMS_TESTS OR PARPRIMS_SAMPLES)
    include(ParprimsNccl)
endif()
if(PARPRIMS_NCCL AND NOT TARGET parprims::nccl)
    list(APPEND parprims_missing libnccl-dev)
endif()

unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
if(parprims_missing)
    list(JOIN parprims_missing " " parprims_missing)
    # CMake leaves an indented line in one piece, to be copied.
    message(FATAL_ERROR "parprims: packages are missing. On Debian and Ubuntu:\n  apt install ${parprims_missing}\n")
endif()
