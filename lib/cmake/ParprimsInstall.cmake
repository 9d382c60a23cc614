# cmake --install: headers, library, and packages for find_package(parprims) and pkg-config.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/parprims")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/parprims" "${PROJECT_BINARY_DIR}/include/parprims" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS parprims parprims_headers EXPORT parprims)
install(
    EXPORT parprims
    FILE parprimsTargets.cmake
    NAMESPACE parprims::
    DESTINATION "${package_dir}")

if(TARGET parprims_executor) # an export of its own: only who asks for the component needs Boost.Context
    install(TARGETS parprims_executor EXPORT parprims_executor)
    install(
        EXPORT parprims_executor
        FILE parprimsExecutorTargets.cmake
        NAMESPACE parprims::
        DESTINATION "${package_dir}")
endif()

get_target_property(library_type parprims TYPE)
# A static library leaves what it is made with to be linked by the program; a shared one finds it itself.
set(PARPRIMS_IS_STATIC 0)
if(library_type STREQUAL "STATIC_LIBRARY")
    set(PARPRIMS_IS_STATIC 1)
endif()
configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/parprimsConfig.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/parprimsConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/parprimsConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${CMAKE_CURRENT_BINARY_DIR}/parprimsConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/parprimsConfigVersion.cmake"
          "${CMAKE_CURRENT_LIST_DIR}/ParprimsHighway.cmake" "${CMAKE_CURRENT_LIST_DIR}/ParprimsMpi.cmake"
          "${CMAKE_CURRENT_LIST_DIR}/ParprimsNccl.cmake" "${CMAKE_CURRENT_LIST_DIR}/ParprimsCudaStandard.cmake"
    DESTINATION "${package_dir}")

# Relative to their own place: the prefix is not known before cmake --install --prefix. What a static library leaves to the
# program is in Requires and Libs, not in their .private forms, since there is no shared one beside it: so `pkg-config --libs`
# links with --static and without. The toolkit of the user's machine may be elsewhere: pkg-config --define-variable=cuda=<folder>.
string(REGEX REPLACE "[^/]+" ".." pc_to_prefix "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(pc_requires "")
set(pc_variables "")
set(pc_libs "")
set(pc_headers_variables "")
set(pc_headers_flags "")
set(pc_headers_libs "")
if(PARPRIMS_HAS_CUDA)
    get_target_property(cudart ${PARPRIMS_CUDART} IMPORTED_LOCATION)
    cmake_path(GET cudart STEM cudart)
    # Not -pthread, which nvcc does not take.
    string(REGEX REPLACE "^lib" " -L\${cuda}/lib64 -l" pc_headers_libs "${cudart} -ldl -lrt -lpthread")
    set(pc_headers_flags " -I\${cuda}/include")
    set(pc_headers_variables "cuda=/usr/local/cuda\n")
endif()
if(PARPRIMS_IS_STATIC)
    set(pc_requires "tbb, libhwy")
    set(pc_variables "${pc_headers_variables}")
    set(pc_libs "${pc_headers_libs}")
endif()
foreach(name IN ITEMS parprims parprims-headers)
    configure_file("${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# cpack -G DEB, in the build folder: a package that apt installs with what it needs.
if(PROJECT_IS_TOP_LEVEL)
    set(CPACK_GENERATOR DEB)
    set(CPACK_PACKAGE_NAME libparprims-dev)
    set(CPACK_PACKAGE_CONTACT "the authors of parprims")
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libtbb-dev (>= 2021.1), libhwy-dev (>= 1.0)")
    include(CPack)
endif()
