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
