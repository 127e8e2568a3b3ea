// SPDX-License-Identifier: MIT
// The bodies of a CSV file, checked: every number is finite, every parent is there, and the
// parents lead from each body to the one body that has none, the centre.
#pragma once
#include "failure.h"
#include "kepler.h"

typedef struct body_row {
    char *name;
    char *parent_name;    // empty for the centre
    int parent;           // position in the list; -1 for the centre
    int line;             // where it stands in the file
    elements at_j2000;    // the centre's are not used
    elements per_century; // how they change
} body_row;

typedef struct body_list {
    char *path;
    body_row *items; // in the order of the file
    int count;
    int centre; // position of the body without parent
} body_list;

// Load a file. Columns are found by the names in the header line; further columns are ignored, as
// are blank lines and lines that start with '#'. Lengths are in au, angles in degrees.
bool bodies_load(body_list *list, const char *path, failure *why);

// Check that every orbit stays an ellipse between two Julian dates: the elements drift.
bool bodies_check_span(const body_list *list, double from_jd, double to_jd, failure *why);

// Free what bodies_load made, also after it failed.
void bodies_free(body_list *list);
