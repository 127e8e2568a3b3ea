# SPDX-License-Identifier: MIT
# Install rules: library, headers, CMake package, pkg-config file. Everything is relative to the
# prefix, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)
set(keel_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keel)

# A debug build and a release build fit in one prefix, and CMake gives each program the one it is built as.
foreach(target keel keel_transform keel_json keel_query keel_maths keel_session keel_save keel_sqlite keel_inspect keel_mpi)
  if(TARGET ${target} AND NOT DEFINED CMAKE_DEBUG_POSTFIX)
    set_target_properties(${target} PROPERTIES DEBUG_POSTFIX d)
  endif()
endforeach()

install(TARGETS keel keel_transform keel_json keel_query keel_maths EXPORT keel-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/keel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES addons/transform/keel_transform.h addons/json/keel_json.h addons/query/keel_query.h
  addons/maths/keel_maths.h addons/maths/keel_random.h addons/maths/keel_float_check.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# In a package of its own, as not everybody who has keel has zstd.
if(TARGET keel_save)
  install(TARGETS keel_save EXPORT keel-save-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS keel_save_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES addons/save/keel_save.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT keel-save-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
endif()
if(TARGET keel_sqlite)  # nor SQLite
  install(TARGETS keel_sqlite EXPORT keel-sqlite-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES addons/sqlite/keel_sqlite.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT keel-sqlite-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
endif()
install(TARGETS keel_session EXPORT keel-session-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})  # nor ENet
install(FILES addons/session/keel_session.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT keel-session-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
set(keel_needs_session "")
if(keel_session_uses_enet)
  set(keel_needs_session enet/enet)
endif()
if(TARGET keel_inspect)  # nor libmicrohttpd
  install(TARGETS keel_inspect EXPORT keel-inspect-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(TARGET keel_inspect_tool)
    install(TARGETS keel_inspect_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  install(FILES addons/inspect/keel_inspect.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT keel-inspect-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
endif()
if(TARGET keel_mpi)  # nor MPI
  install(TARGETS keel_mpi EXPORT keel-mpi-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES addons/mpi/keel_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT keel-mpi-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
endif()
install(EXPORT keel-targets NAMESPACE keel:: DESTINATION ${keel_package_dir})
configure_package_config_file(cmake/keel-config.cmake.in keel-config.cmake
  INSTALL_DESTINATION ${keel_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface, so 0.1 is not good enough for a 0.2 request.
write_basic_package_version_file(keel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/keel-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/keel-config-version.cmake
  cmake/keel-deterministic.cmake
  DESTINATION ${keel_package_dir})

# keel.pc finds its prefix from its own place unless the install directories are absolute.
set(keel_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(KEEL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(KEEL_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(KEEL_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH keel_up /p/${keel_pc_dir} /p)
  string(REGEX REPLACE "/$" "" keel_up "${keel_up}")
  set(KEEL_PC_PREFIX "\${pcfiledir}/${keel_up}")
  set(KEEL_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(KEEL_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(KEEL_PC_CFLAGS "")
if(KEEL_ENTITY_32)
  set(KEEL_PC_CFLAGS " -DKEEL_ENTITY_32=1")
endif()
# The name of the library is known when all targets are: -l${KEEL_PC_LIBRARY} is a generator expression.
set(keel_pc_of_config ${CMAKE_CURRENT_BINARY_DIR})
if(multi_config)
  string(APPEND keel_pc_of_config /$<CONFIG>)
endif()
function(keel_install_pc template name target)
  set(KEEL_PC_LIBRARY $<TARGET_LINKER_FILE_BASE_NAME:${target}>)
  configure_file(cmake/${template} ${name}.pc.in @ONLY)
  file(GENERATE OUTPUT ${keel_pc_of_config}/${name}.pc INPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc.in)
  install(FILES ${keel_pc_of_config}/${name}.pc DESTINATION ${keel_pc_dir})
endfunction()
keel_install_pc(keel.pc.in keel keel)

function(keel_install_addon_pc name description requires)
  set(KEEL_PC_LIBS "${ARGN}")
  set(KEEL_PC_NAME ${name})
  set(KEEL_PC_DESCRIPTION ${description})
  set(KEEL_PC_REQUIRES "keel = ${PROJECT_VERSION}${requires}")
  if(requires STREQUAL "nothing")
    set(KEEL_PC_REQUIRES "")
  endif()
  keel_install_pc(keel-addon.pc.in keel-${name} keel_${name})
endfunction()
keel_install_addon_pc(json "Levels of Keel as JSON" "")
keel_install_addon_pc(query "Queries of Keel as text" "")
keel_install_addon_pc(transform "Transforms of Keel" "" " -lm")
keel_install_addon_pc(maths "Floats with the same bits on every machine" "nothing" " -lm")
set(keel_session_requires ", keel-maths")
if(keel_session_uses_enet)
  string(APPEND keel_session_requires ", libenet >= 1.3.13")
endif()
keel_install_addon_pc(session "Games of Keel on several machines" "${keel_session_requires}" " -lm")
if(TARGET keel_sqlite)
  keel_install_addon_pc(sqlite "Worlds of Keel as tables of SQLite" ", sqlite3 >= 3.37")
endif()
if(TARGET keel_inspect)
  set(keel_inspect_requires ", keel-json, keel-query")
  if(TARGET keel_save)
    string(APPEND keel_inspect_requires ", keel-save")
  endif()
  # Not as requirements: a program that links Keel statically takes these two as they are installed, which is shared;
  # `pkg-config --static` would name all that they need themselves.
  keel_install_addon_pc(inspect "A running program of Keel in the browser" "${keel_inspect_requires}" " -lmicrohttpd -ljansson")
endif()
if(TARGET keel_save)
  keel_install_addon_pc(save "Saves of Keel" ", libzstd")
endif()
if(TARGET keel_mpi)
  set(keel_mpi_requires "")
  if(TARGET keel_save)
    set(keel_mpi_requires ", keel-save")
  endif()
  # Not a requirement either, and MPI has no package of one name: the library that Keel was built with, where it is.
  set(keel_mpi_libs " -pthread -lm")
  if(keel_mpi_uses_mpi)
    foreach(library IN LISTS keel_mpi_libraries)
      string(REGEX REPLACE "^(/.*)/lib([^/]*)\\.(so|a|dylib)$" "-L\\1 -l\\2" library "${library}")
      string(APPEND keel_mpi_libs " ${library}")
    endforeach()
  endif()
  keel_install_addon_pc(mpi "Worlds of Keel on several machines" "${keel_mpi_requires}" "${keel_mpi_libs}")
endif()
