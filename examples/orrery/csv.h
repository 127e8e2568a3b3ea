// SPDX-License-Identifier: MIT
// Lines of comma-separated values.
#pragma once
#include <stdbool.h>
#include <stdio.h>

// Cut a line into fields, in place: blanks around a field go, "quoted, fields" lose their quotes.
// Returns how many fields there are (also beyond `capacity`), or -1 when a quote is not closed.
int csv_split(char *line, char *fields[], int capacity);

// Write one field, in quotes when it needs them.
void csv_write_field(FILE *file, const char *text);
