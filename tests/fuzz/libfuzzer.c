// SPDX-License-Identifier: MIT
// The same for libFuzzer: clang -fsanitize=fuzzer,address, in place of main.c (tools/fuzz).
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_play(bytes, size, false);
    return 0;
}
