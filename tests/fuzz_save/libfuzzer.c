// SPDX-License-Identifier: MIT
// For tools/fuzz save: libFuzzer chooses the strings.
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    (void)load_string(bytes, size);
    return 0;
}
