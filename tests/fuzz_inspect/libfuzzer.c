// SPDX-License-Identifier: MIT
// The program of tools/fuzz inspect: libFuzzer chooses the strings.
#include "ask.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    (void)ask_bytes(bytes, size);
    return 0;
}
