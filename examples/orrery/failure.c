// SPDX-License-Identifier: MIT
// Why something failed: one line for the user.
#include "failure.h"
#include <stdarg.h>
#include <stdio.h>

bool fail(failure *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    for (char *at = why->text; *at; ++at)
        if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
    return false;
}
