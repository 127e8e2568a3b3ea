# SPDX-License-Identifier: MIT
# What every target of this repository is built with.

# Language level and warnings.
function(keel_own_target target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<BOOL:${KEEL_WERROR}>:-Werror>)
endfunction()

# Definitions that src/ headers look at. Tests that include those headers need the same ones, or an
# inline function would differ between the library and the test.
function(keel_internal_definitions target)
  if(NOT KEEL_CHECKED STREQUAL "AUTO")
    target_compile_definitions(${target} PRIVATE KEELI_CHECKED=$<BOOL:${KEEL_CHECKED}>)
  endif()
  if(KEEL_VALIDATE)
    target_compile_definitions(${target} PRIVATE KEELI_VALIDATE=1)
  endif()
  if(KEEL_PERTURB)
    target_compile_definitions(${target} PRIVATE KEELI_PERTURB=1)
  endif()
endfunction()

# Programs below these folders whose tests are not played (KEEL_TEST_PLAY, KEEL_TEST_LEAVE) are not built. The target
# keel_played builds the others, and of the libraries only those that they link.
function(keel_leave_tests)
  if(NOT KEEL_TEST_PLAY)
    return()
  endif()
  foreach(folder IN LISTS ARGN)
    if(folder STREQUAL "${PROJECT_SOURCE_DIR}/examples" AND NOT KEEL_BUILD_EXAMPLES)
      continue()
    endif()
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    keel_leave_tests(${below})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(NOT type STREQUAL EXECUTABLE)
        continue()
      elseif(NOT target MATCHES "${KEEL_TEST_PLAY}" OR (KEEL_TEST_LEAVE AND target MATCHES "${KEEL_TEST_LEAVE}"))
        set_property(TARGET ${target} PROPERTY EXCLUDE_FROM_ALL ON)
      else()
        add_dependencies(keel_played ${target})
      endif()
    endforeach()
  endforeach()
endfunction()
