# SPDX-License-Identifier: MIT
# Builds Keel for vcpkg from the checkout that this port stands in (packaging/README.md). An add-on whose
# library is not asked for is left out, also where the library happens to be installed.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    enet KEEL_SESSION_ENET
    inspect KEEL_INSPECT
    mpi KEEL_MPI
    save KEEL_SAVE
    sqlite KEEL_SQLITE
)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME keel CONFIG_PATH lib/cmake/keel)
vcpkg_fixup_pkgconfig()
if("save" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES keel-save AUTO_CLEAN)
endif()
if("save" IN_LIST FEATURES AND "inspect" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES keel-inspect AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
