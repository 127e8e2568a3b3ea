// SPDX-License-Identifier: MIT
// The page of the protocol names each type of packet and each kind of chunk, with its number:
// docs/reference/session_protocol.md is compared with addons/session/packet.h and replay_file.h.
#include "support/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads a file of the sources; NULL when the program runs by hand, elsewhere.
static char *read_source(const char *name) {
    const char *docs = getenv("KEEL_DOCS");
    char path[1024];
    if (!docs) return NULL;
    (void)snprintf(path, sizeof path, "%s/../%s", docs, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    (void)fclose(file);
    return text;
}

// Looks for a row of each constant of an enum, from its begin to its last one, which is none
// itself.
static uint32_t find_rows(const char *page, const char *header, const char *begin,
                          const char *prefix) {
    char *text = read_source(header);
    const char *at = strstr(text, begin);
    uint32_t number = 0;
    assert_non_null(at);
    while ((at = strstr(at, prefix)) != NULL) {
        char name[64] = "", row[96];
        at += strlen(prefix);
        for (size_t i = 0; isupper((unsigned char)at[i]) && i + 1 < sizeof name; ++i)
            name[i] = at[i];
        if (strcmp(name, "TYPES") == 0 || strcmp(name, "KINDS") == 0) break;
        (void)snprintf(row, sizeof row, "\n| %u | %s | ", (unsigned)++number, name);
        if (!strstr(page, row)) fail_msg("the page has no row '%s'", row + 1);
    }
    free(text);
    return number;
}

static void the_page_has_a_row_for_each_packet_and_chunk(void **unused) {
    (void)unused;
    char *page = read_source("docs/reference/session_protocol.md");
    if (!page) skip();
    assert_int_equal(
        find_rows(page, "addons/session/packet.h", "typedef enum packet_type {", "    PACKET_"),
        19);
    assert_int_equal(find_rows(page, "addons/session/replay_file.h", "typedef enum replay_kind {",
                               "    REPLAY_"),
                     5);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_a_row_for_each_packet_and_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
