// SPDX-License-Identifier: MIT
// The program of tools/fuzz query: libFuzzer chooses the texts.
#include "query.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    (void)query_ask(bytes, size);
    return 0;
}
