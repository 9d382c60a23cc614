# Decides PARPRIMS_HAS_CUDA, enables the language, and names the runtime to link in PARPRIMS_CUDART.

set(PARPRIMS_HAS_CUDA 0)
set(PARPRIMS_CUDART "")

# A project that embeds this one and has no CUDA of its own does not expect to compile kernels.
set(parprims_cuda "${PARPRIMS_CUDA}")
get_property(parprims_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(PARPRIMS_CUDA STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL AND NOT "CUDA" IN_LIST parprims_languages)
    set(parprims_cuda OFF)
    message(STATUS "parprims: the host backend alone is built; for that of CUDA, enable_language(CUDA) before, or set PARPRIMS_CUDA=ON")
endif()

# NVIDIA's packages install nvcc in /usr/local/cuda and leave PATH alone, and CMake looks in PATH only.
if(parprims_cuda AND NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PARPRIMS_NVCC nvcc PATHS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    if(PARPRIMS_NVCC)
        set(CMAKE_CUDA_COMPILER "${PARPRIMS_NVCC}" CACHE FILEPATH "CUDA compiler")
    endif()
endif()

if(parprims_cuda STREQUAL "AUTO")
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        set(PARPRIMS_HAS_CUDA 1)
    else()
        message(STATUS "parprims: no CUDA compiler found: the host backend alone is built")
    endif()
elseif(parprims_cuda)
    set(PARPRIMS_HAS_CUDA 1)
endif()

if(PARPRIMS_HAS_CUDA)
    # Machine code for the data-centre and consumer lines in use, and PTX of the last for everything newer.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
        set(CMAKE_CUDA_ARCHITECTURES "75-real;80-real;90" CACHE STRING "GPU architectures")
    endif()
    enable_language(CUDA)
    include(ParprimsCudaStandard)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
        message(FATAL_ERROR "parprims needs CUDA 12.8 or later (cudaStreamGetDevice); found ${CMAKE_CUDA_COMPILER_VERSION}. "
                            "Name a newer nvcc in CUDACXX, or set PARPRIMS_CUDA=OFF for the CPU backend alone")
    endif()
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
    find_package(CUDAToolkit REQUIRED)
    unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
    if(PARPRIMS_CUDA_RUNTIME_SHARED)
        set(PARPRIMS_CUDART CUDA::cudart)
    else()
        set(PARPRIMS_CUDART CUDA::cudart_static)
    endif()
    message(STATUS "parprims: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
endif()
