// SPDX-License-Identifier: MIT
// Lines of comma-separated values.
#include "csv.h"
#include <string.h>

static const char blanks[] = " \t\r\n";

// Take the quotes off a field that starts behind its opening quote; returns what follows the
// closing one, or NULL when there is none. Two quotes in a row stand for one.
static char *unquote(char *from) {
    char *to = from;
    while (*from) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        if (*from == '"') ++from;
        *to++ = *from++;
    }
    return NULL;
}

static char *trim(char *field) {
    field += strspn(field, blanks);
    size_t length = strlen(field);
    while (length > 0 && strchr(blanks, field[length - 1])) --length;
    field[length] = '\0';
    return field;
}

int csv_split(char *line, char *fields[], int capacity) {
    for (int count = 0;;) {
        char *field = line + strspn(line, " \t");
        const bool is_quoted = *field == '"';
        if (is_quoted) line = unquote(++field);
        if (!line) return -1;
        if (is_quoted && line[strspn(line, blanks)] != ',' && line[strspn(line, blanks)])
            return -1;
        char *comma = strchr(line, ',');
        if (comma) *comma = '\0';
        if (count < capacity) fields[count] = is_quoted ? field : trim(field);
        ++count;
        if (!comma) return count;
        line = comma + 1;
    }
}

void csv_write_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"") && text[0] != ' ') {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; ++text) {
        if (*text == '"') putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}
