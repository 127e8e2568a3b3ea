// SPDX-License-Identifier: MIT
// Numbers from text, strictly.
#include "numbers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, double *number) {
    // strtod alone would take leading spaces, "nan", "inf" and "0x10".
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) return false;
    *number = value;
    return true;
}

bool integer_parse(const char *text, uint64_t maximum, uint64_t *number) {
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; ++text) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (digit > maximum || value > (maximum - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}
