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
# Several programs are linked at a time and need the same libraries. Copies, not links: links may be lost on the way.
file(LOCK "${folder}/../bundle.lock" GUARD PROCESS)
foreach(library IN LISTS libraries)
    cmake_path(GET library FILENAME name)
    file(REAL_PATH "${library}" source)
    if(NOT source STREQUAL "${folder}/${name}")
        file(COPY_FILE "${source}" "${folder}/${name}" ONLY_IF_DIFFERENT)
    endif()
endforeach()
