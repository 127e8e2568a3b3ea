// SPDX-License-Identifier: MIT
// For tools/fuzz image: libFuzzer chooses the strings, whose hash is made right.
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    (void)load_bytes(bytes, size, 1);
    return 0;
}
