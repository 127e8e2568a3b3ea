// SPDX-License-Identifier: MIT
// The program of tools/fuzz packet, session and replay: libFuzzer chooses the strings. The
// environment variable FUZZ_PART says what takes them.
#include "feed.h"

#include <stdlib.h>
#include <string.h>

static bool (*part)(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    const char *name = getenv("FUZZ_PART");
    if (!name) feed_stop("FUZZ_PART is packet, session or replay");
    part = strcmp(name, "packet") == 0   ? feed_packet
           : strcmp(name, "replay") == 0 ? feed_replay
                                         : feed_session;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    (void)part(bytes, size);
    return 0;
}
