# Target parprims::nccl: what parprims/nccl.hpp needs beyond the library. None where no NCCL is found.

# NCCL_HOME, the system's folders, or beside the CUDA toolkit, where some packages put it.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS "$ENV{NCCL_HOME}/include" PATHS ${CUDAToolkit_INCLUDE_DIRS})
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS "$ENV{NCCL_HOME}/lib" PATHS "${CUDAToolkit_LIBRARY_DIR}" "${CUDAToolkit_LIBRARY_ROOT}"
             PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY AND NOT TARGET parprims::nccl)
    set(parprims_scope "")
    if(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
        set(parprims_scope GLOBAL)
    endif()
    add_library(parprims::nccl INTERFACE IMPORTED ${parprims_scope})
    target_include_directories(parprims::nccl INTERFACE "${NCCL_INCLUDE_DIR}")
    target_link_libraries(parprims::nccl INTERFACE "${NCCL_LIBRARY}")
endif()
