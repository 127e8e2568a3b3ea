// SPDX-License-Identifier: MIT
// Texts of results, the version, and the logger that drops everything.
#include <keel/base.h>

const char *keel_result_text(keel_result result) {
    switch (result) {
#define TEXT(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        KEEL_RESULTS(TEXT)
#undef TEXT
    }
    return "unknown result";
}

#define WORD_(x) #x
#define WORD(x) WORD_(x)
const char *keel_version(void) {
    return WORD(KEEL_VERSION_MAJOR) "." WORD(KEEL_VERSION_MINOR) "." WORD(KEEL_VERSION_PATCH);
}

static void drop_line(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

const keel_logger keel_log_none = { .write = drop_line };
