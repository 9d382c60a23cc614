# What every target of our own has in common.

set(parprims_bundle_script "${CMAKE_CURRENT_LIST_DIR}/BundleLibraries.cmake")

# parprims_configure_target(<target>): C++20, our warnings, and which CUDA runtime goes with it.
function(parprims_configure_target target)
    set(warnings -Wall -Wextra -Wconversion)
    set(cuda_warnings -Xcompiler=-Wall,-Wextra,-Wconversion)
    if(PARPRIMS_WERROR)
        list(APPEND warnings -Werror)
        list(APPEND cuda_warnings --Werror=all-warnings)
    endif()
    target_compile_options(
        ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_warnings}>")
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF)
    target_compile_features(${target} PRIVATE cxx_std_20)
    if(PARPRIMS_HAS_CUDA)
        target_compile_features(${target} PRIVATE cuda_std_20)
        if(PARPRIMS_CUDA_RUNTIME_SHARED)
            set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
        else()
            set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
        endif()
    endif()
endfunction()

# parprims_compile_fast(): host code of this folder at -Og. For what runs briefly: -O1 takes up to twice as long to compile.
macro(parprims_compile_fast)
    string(REPLACE -O3 -Og CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
    string(REPLACE -O3 -Xcompiler=-Og CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
endmacro()

# parprims_quick_kernels(<target>): its kernels need only compile, since nothing runs them. Half the time of nvcc, or less.
function(parprims_quick_kernels target)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES 90-virtual)
    if(PARPRIMS_HAS_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>")
    endif()
endfunction()

# parprims_check_kernels(<target>): with quick kernels, only syntax and types of its device code are checked, which takes three quarters
# of the time of nvcc. Calls of host functions in device code are not seen then: lib/, docs/examples and compile_fail see them.
function(parprims_check_kernels target)
    if(PARPRIMS_QUICK_KERNELS AND PARPRIMS_HAS_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-fdevice-syntax-only>")
    endif()
endfunction()

# parprims_join_sources(<file> <source>...): a file of this folder's build that includes sources, by paths that do not depend on where the
# repository is, so that ccache finds what another clone has compiled. For targets that include from the repository's root.
function(parprims_join_sources file)
    set(text "")
    foreach(source IN LISTS ARGN)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
        string(APPEND text "#include \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

# parprims_check_sources(<name> <source>...): a target that checks sources so, in one pass of nvcc, and makes no program of them.
# Names in the sources must differ.
function(parprims_check_sources name)
    parprims_join_sources(${name}.cu ${ARGN})
    add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cu")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    parprims_configure_target(${name})
    target_link_libraries(${name} PRIVATE parprims::parprims)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>")
    parprims_quick_kernels(${name})
    parprims_check_kernels(${name})
    set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON)
endfunction()

# parprims_add_program(<target> <source>...): a program of the tests, benches or samples, in the one folder of programs.
#
# Where there is a CUDA compiler its C++ sources are compiled as CUDA; CXX after the name keeps them plain.
function(parprims_add_program target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "CXX" "" "")
    add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
    set_property(GLOBAL APPEND PROPERTY PARPRIMS_PROGRAMS ${target})
    parprims_configure_target(${target})
    target_link_libraries(${target} PRIVATE parprims::parprims)
    if(PARPRIMS_HAS_CUDA AND NOT arg_CXX)
        set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES LANGUAGE CUDA)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>")
    endif()
    if(PARPRIMS_QUICK_KERNELS)
        parprims_quick_kernels(${target})
    endif()
    if(PARPRIMS_PORTABLE_BIN)
        # libstdc++ stays shared: with a copy of its own in the program, an exception that passes through libtbb, which
        # brings the shared one, ends the program.
        set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
        add_custom_command(
            TARGET ${target}
            POST_BUILD
            COMMAND ${CMAKE_COMMAND} "-DPROGRAM=$<TARGET_FILE:${target}>" -P "${parprims_bundle_script}"
            VERBATIM)
    endif()
endfunction()

# parprims_add_gpu_program(<target> <source>): the same for a program that does nothing without a GPU: where none runs it, a check.
function(parprims_add_gpu_program target source)
    if(PARPRIMS_QUICK_KERNELS)
        parprims_check_sources(${target} "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    else()
        parprims_add_program(${target} ${source})
    endif()
endfunction()

# Target strip-bin: makes the folder of programs small enough to be sent elsewhere. GPU code keeps its line numbers.
function(parprims_add_strip_target)
    get_property(programs GLOBAL PROPERTY PARPRIMS_PROGRAMS)
    set(commands "")
    foreach(program IN LISTS programs)
        list(APPEND commands COMMAND "${CMAKE_STRIP}" "$<TARGET_FILE:${program}>")
    endforeach()
    add_custom_target(strip-bin ${commands} DEPENDS ${programs} VERBATIM)
endfunction()
