// SPDX-License-Identifier: MIT
// The bodies of a CSV file.
// Every check names file and line, and the first thing wrong in the order of the file is reported,
// one kind of check after the other: lines, names, parents, cycles.
#include "bodies.h"
#include "csv.h"
#include "dates.h"
#include "numbers.h"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64, MAX_NAME = 60 };

// The numbers of a line: what the column is called and where it goes.
typedef struct number_column {
    const char *name;
    size_t offset;
    bool is_angle;
} number_column;

#define AT_J2000(member) offsetof(body_row, at_j2000) + offsetof(elements, member)
#define PER_CENTURY(member) offsetof(body_row, per_century) + offsetof(elements, member)
static const number_column number_columns[] = {
    { "a", AT_J2000(a), false },
    { "e", AT_J2000(e), false },
    { "i", AT_J2000(i), true },
    { "L", AT_J2000(L), true },
    { "peri", AT_J2000(peri), true },
    { "node", AT_J2000(node), true },
    { "a_rate", PER_CENTURY(a), false },
    { "e_rate", PER_CENTURY(e), false },
    { "i_rate", PER_CENTURY(i), true },
    { "L_rate", PER_CENTURY(L), true },
    { "peri_rate", PER_CENTURY(peri), true },
    { "node_rate", PER_CENTURY(node), true },
};
enum { NUMBER_COUNT = sizeof number_columns / sizeof number_columns[0] };
static const double radians = 3.14159265358979323846 / 180;

// What is being read.
typedef struct reader {
    FILE *file;
    const char *path;
    failure *why;
    char *text;             // the line, getline's buffer
    size_t text_size;       // its size
    int line;               // number of the line, from 1
    int column_count;       // fields that each line must have; 0 before the header
    int name, parent;       // positions of these columns
    int numbers[NUMBER_COUNT]; // and of those
    int body_capacity;
} reader;

#define FAIL_AT(line_number, ...) fail_at(from->why, from->path, line_number, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static bool fail_at(failure *why, const char *path, int line,
                                                          const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail(why, "%s:%d: %s", path, line, message);
}

// ---------------------------------------------------------------- lines

static bool find_column(reader *from, char *fields[], int count, const char *name, int *position) {
    *position = -1;
    for (int k = 0; k < count; ++k) {
        if (strcmp(fields[k], name) != 0) continue;
        if (*position >= 0) return FAIL_AT(from->line, "two columns are named '%s'", name);
        *position = k;
    }
    return *position >= 0 || FAIL_AT(from->line, "the header has no column '%s'", name);
}

static bool read_header(reader *from, char *fields[], int count) {
    if (!find_column(from, fields, count, "name", &from->name)) return false;
    if (!find_column(from, fields, count, "parent", &from->parent)) return false;
    for (int k = 0; k < NUMBER_COUNT; ++k)
        if (!find_column(from, fields, count, number_columns[k].name, &from->numbers[k]))
            return false;
    from->column_count = count;
    return true;
}

static bool read_number(reader *from, char *fields[], int k, body_row *into) {
    const number_column *column = &number_columns[k];
    const char *text = fields[from->numbers[k]];
    double number;
    if (!number_parse(text, &number))
        return FAIL_AT(from->line, "%s: '%.40s' is not a number", column->name, text);
    if (column->is_angle) number *= radians;
    memcpy((char *)into + column->offset, &number, sizeof number);
    return true;
}

static body_row *add_body(reader *from, body_list *list) {
    if (list->count == from->body_capacity) {
        const int capacity = from->body_capacity ? from->body_capacity * 2 : 32;
        body_row *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (!items) return NULL;
        list->items = items;
        from->body_capacity = capacity;
    }
    body_row *added = &list->items[list->count++];
    *added = (body_row){ .parent = -1, .line = from->line };
    return added;
}

static bool read_body(reader *from, char *fields[], body_list *list) {
    const char *name = fields[from->name], *parent = fields[from->parent];
    if (!*name) return FAIL_AT(from->line, "the body has no name");
    if (strlen(name) > MAX_NAME)
        return FAIL_AT(from->line, "the name '%.20s...' is longer than %d bytes", name, MAX_NAME);
    body_row *added = add_body(from, list);
    if (!added || !(added->name = strdup(name)) || !(added->parent_name = strdup(parent)))
        return FAIL_AT(from->line, "out of memory");
    for (int k = 0; k < NUMBER_COUNT; ++k)
        if (!read_number(from, fields, k, added)) return false;
    const double e = added->at_j2000.e;
    if (e < 0 || e >= 1)
        return FAIL_AT(from->line, "e: the eccentricity %s of '%s' is not in [0, 1)",
                       fields[from->numbers[1]], name);
    if (*parent && added->at_j2000.a <= 0)
        return FAIL_AT(from->line, "a: the semi-major axis %s of '%s' is not above 0",
                       fields[from->numbers[0]], name);
    return true;
}

static bool read_line(reader *from, size_t length, body_list *list) {
    char *fields[MAX_COLUMNS], *line = from->text;
    if (strlen(line) != length) return FAIL_AT(from->line, "the line has a zero byte");
    if (from->line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3; // byte order mark
    line += strspn(line, " \t\r\n");
    if (!*line || *line == '#') return true;
    const int count = csv_split(line, fields, MAX_COLUMNS);
    if (count < 0) return FAIL_AT(from->line, "a quoted field is not closed, or text follows it");
    if (count > MAX_COLUMNS) return FAIL_AT(from->line, "more than %d fields", MAX_COLUMNS);
    if (!from->column_count) return read_header(from, fields, count);
    if (count != from->column_count)
        return FAIL_AT(from->line, "%d fields, but the header has %d", count, from->column_count);
    return read_body(from, fields, list);
}

static bool read_lines(reader *from, body_list *list) {
    for (;;) {
        errno = 0;
        const ssize_t length = getline(&from->text, &from->text_size, from->file);
        if (length < 0) break;
        ++from->line;
        if (!read_line(from, (size_t)length, list)) return false;
    }
    if (ferror(from->file) || errno == ENOMEM)
        return fail(from->why, "orrery: %s: %s", from->path, strerror(errno));
    const int line = from->line > 0 ? from->line : 1;
    if (!from->column_count) return FAIL_AT(line, "the file ends before a header line");
    if (list->count == 0) return FAIL_AT(line, "the file ends before the first body");
    return true;
}

// ---------------------------------------------------------------- names and parents

// Pointers to the bodies by name, and in the order of the file among equals.
static int compare_names(const void *a, const void *b) {
    const body_row *const *x = a, *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);
    return order ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

static bool check_duplicates(reader *from, const body_list *list, const body_row *const *by_name) {
    const body_row *first = NULL, *second = NULL; // the duplicate that comes first in the file
    for (int k = 1; k < list->count; ++k) {
        if (strcmp(by_name[k - 1]->name, by_name[k]->name) != 0) continue;
        if (second && by_name[k]->line > second->line) continue;
        first = by_name[k - 1];
        second = by_name[k];
    }
    if (!second) return true;
    return FAIL_AT(second->line, "duplicate name '%s', first on line %d", second->name,
                   first->line);
}

static bool find_parents(reader *from, body_list *list, const body_row *const *by_name) {
    for (int k = 0; k < list->count; ++k) {
        body_row *child = &list->items[k];
        if (!*child->parent_name) {
            if (list->centre >= 0)
                return FAIL_AT(child->line, "'%s' has no parent, but '%s' on line %d is the centre",
                               child->name, list->items[list->centre].name,
                               list->items[list->centre].line);
            list->centre = k;
            continue;
        }
        int low = 0, high = list->count; // binary search
        while (low < high) {
            const int middle = (low + high) / 2;
            if (strcmp(by_name[middle]->name, child->parent_name) < 0) low = middle + 1;
            else high = middle;
        }
        if (low == list->count || strcmp(by_name[low]->name, child->parent_name) != 0)
            return FAIL_AT(child->line, "unknown parent '%.60s' of '%s'", child->parent_name,
                           child->name);
        child->parent = (int)(by_name[low] - list->items);
    }
    return true;
}

static bool link_bodies(reader *from, body_list *list) {
    const body_row **by_name = malloc((size_t)list->count * sizeof *by_name);
    if (!by_name) return fail(from->why, "orrery: out of memory");
    for (int k = 0; k < list->count; ++k) by_name[k] = &list->items[k];
    qsort(by_name, (size_t)list->count, sizeof *by_name, compare_names);
    const bool linked =
        check_duplicates(from, list, by_name) && find_parents(from, list, by_name);
    free(by_name);
    return linked;
}

// ---------------------------------------------------------------- cycles

// "A, B, A": the bodies of the cycle that `first` is in.
static bool report_cycle(reader *from, const body_list *list, int first) {
    char names[256] = "";
    size_t length = 0;
    int k = first;
    do {
        const int added = snprintf(names + length, sizeof names - length, "'%s' -> ",
                                   list->items[k].name);
        length += (size_t)added;
        k = list->items[k].parent;
    } while (k != first && length + MAX_NAME + 32 < sizeof names);
    snprintf(names + length, sizeof names - length, k == first ? "'%s'" : "...",
             list->items[first].name);
    return FAIL_AT(list->items[first].line, "parent cycle: %s", names);
}

// Climb from each body to the centre or to a body that was climbed from before; a body met twice
// on one climb is in a cycle. Each body is passed a constant number of times.
static bool check_cycles(reader *from, const body_list *list) {
    int *climb = calloc((size_t)list->count, sizeof *climb); // 1 + where the climb began
    if (!climb) return fail(from->why, "orrery: out of memory");
    int in_cycle = -1;
    for (int start = 0; start < list->count && in_cycle < 0; ++start) {
        int k = start;
        while (k >= 0 && !climb[k]) {
            climb[k] = start + 1;
            k = list->items[k].parent;
        }
        if (k >= 0 && climb[k] == start + 1) in_cycle = k;
    }
    free(climb);
    return in_cycle < 0 || report_cycle(from, list, in_cycle);
}

// ---------------------------------------------------------------- the list

bool bodies_load(body_list *list, const char *path, failure *why) {
    *list = (body_list){ .path = strdup(path), .centre = -1 };
    reader from = { .file = fopen(path, "r"), .path = path, .why = why };
    if (!from.file) return fail(why, "orrery: %s: %s", path, strerror(errno));
    const bool loaded = list->path && read_lines(&from, list) && link_bodies(&from, list) &&
                        check_cycles(&from, list);
    if (!list->path) fail(why, "orrery: out of memory");
    free(from.text);
    fclose(from.file);
    return loaded;
}

bool bodies_check_span(const body_list *list, double from_jd, double to_jd, failure *why) {
    const double ends[] = { from_jd, to_jd }; // the elements are linear in time: the ends are enough
    for (int k = 0; k < list->count; ++k) {
        const body_row *checked = &list->items[k];
        for (int end = 0; end < 2 && k != list->centre; ++end) {
            const double centuries = (ends[end] - J2000) / DAYS_PER_CENTURY;
            const elements at = elements_at(&checked->at_j2000, &checked->per_century, centuries);
            char date[DATE_TEXT_SIZE];
            date_format(ends[end], date);
            if (!(at.e >= 0 && at.e < 1))
                return fail_at(why, list->path, checked->line,
                               "the eccentricity of '%s' is %g on %s, not in [0, 1)",
                               checked->name, at.e, date);
            if (!(at.a > 0))
                return fail_at(why, list->path, checked->line,
                               "the semi-major axis of '%s' is %g on %s, not above 0",
                               checked->name, at.a, date);
        }
    }
    return true;
}

void bodies_free(body_list *list) {
    for (int k = 0; k < list->count; ++k) {
        free(list->items[k].name);
        free(list->items[k].parent_name);
    }
    free(list->items);
    free(list->path);
    *list = (body_list){ .centre = -1 };
}
