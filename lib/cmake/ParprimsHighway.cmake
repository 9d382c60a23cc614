# Target hwy::hwy, from Highway's own package, or from its header and library where that package is not installed.

find_package(hwy CONFIG QUIET)
if(NOT TARGET hwy::hwy)
    find_path(PARPRIMS_HWY_INCLUDE_DIR hwy/highway.h)
    find_library(PARPRIMS_HWY_LIBRARY hwy)
    if(PARPRIMS_HWY_INCLUDE_DIR AND PARPRIMS_HWY_LIBRARY)
        add_library(hwy::hwy UNKNOWN IMPORTED GLOBAL)
        set_target_properties(hwy::hwy PROPERTIES IMPORTED_LOCATION "${PARPRIMS_HWY_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${PARPRIMS_HWY_INCLUDE_DIR}")
    endif()
endif()
