# cmake -DPROGRAM=<file> -P BundleLibraries.cmake: copies the shared libraries that a program needs beside it, but for
# those of the C library, the GCC runtime and the CUDA driver, which every machine that can run it has.

file(
    GET_RUNTIME_DEPENDENCIES
    EXECUTABLES "${PROGRAM}"
    RESOLVED_DEPENDENCIES_VAR libraries
    UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\\+\\+|libcuda)\\.so")
if(missing)
    message(FATAL_ERROR "${PROGRAM} needs libraries that were not found: ${missing}")
endif()
cmake_path(GET PROGRAM PARENT_PATH folder)
foreach(library IN LISTS libraries)
    cmake_path(GET library PARENT_PATH home)
    if(NOT home STREQUAL folder)
        # Several programs are linked at a time and need the same libraries.
        file(LOCK "${folder}/.bundle.lock" GUARD PROCESS)
        file(COPY "${library}" DESTINATION "${folder}" FOLLOW_SYMLINK_CHAIN)
        file(LOCK "${folder}/.bundle.lock" RELEASE)
    endif()
endforeach()
