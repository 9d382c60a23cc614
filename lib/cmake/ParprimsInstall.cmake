# cmake --install: headers, library, and a package for find_package(parprims).

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/parprims")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/parprims" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS parprims parprims_headers EXPORT parprims)
install(
    EXPORT parprims
    FILE parprimsTargets.cmake
    NAMESPACE parprims::
    DESTINATION "${package_dir}")

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
          "${CMAKE_CURRENT_LIST_DIR}/ParprimsHighway.cmake" "${CMAKE_CURRENT_LIST_DIR}/ParprimsCudaStandard.cmake"
    DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
