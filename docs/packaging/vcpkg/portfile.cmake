# REPO, and SHA512 of the archive of the tag: of the release that is packaged.
vcpkg_from_github(OUT_SOURCE_PATH source REPO FIXME REF "v${VERSION}" SHA512 0 HEAD_REF main)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES cuda PARPRIMS_CUDA)
vcpkg_cmake_configure(SOURCE_PATH "${source}" OPTIONS ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/parprims)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
