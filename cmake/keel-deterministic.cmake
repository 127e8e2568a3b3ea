# SPDX-License-Identifier: MIT
# keel_deterministic(target): compiles the sources of a target so that their floats have the same bits on every machine.
# docs/tasks/determinism.md says what the flags do. Add it behind other flags of the target, since the last one wins.
function(keel_deterministic target)
  # -ffp-contract=off: a product and a sum are rounded twice, also where the processor can do both in one operation.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-ffp-contract=off;-fno-fast-math>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off;-fno-fast-math>
    $<$<COMPILE_LANG_AND_ID:C,MSVC>:/fp:precise>
    $<$<COMPILE_LANG_AND_ID:CXX,MSVC>:/fp:precise>)
  # The registers of x87 would compute with 64 bits.
  if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86|i[3-6]86|x86_64|AMD64|amd64)$")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:C,GNU,Clang>:-msse2;-mfpmath=sse>
      $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-msse2;-mfpmath=sse>)
  endif()
  # In standard C, gcc computes floats with the bits of double there.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^s390")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:C,GNU>:-fexcess-precision=fast>)
  endif()
endfunction()
