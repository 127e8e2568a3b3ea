// SPDX-License-Identifier: MIT
// Writes the content of an image as lines of text; see lines.h.
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_TEXT = 512, BYTES_SHOWN = 32 };

typedef struct lines {
    const keel_world *image;
    const keel_component *component;
    uint32_t first;
    char *text;
    size_t size;
} lines;

// Appends a line; control characters in it become dots, so that a line stays one.
static void add_line(lines *l, const char *who, const char *field, const char *value) {
    char line[3 * FIELD_TEXT];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s", who, field, value);
    if (length < 0 || (size_t)length >= sizeof line) length = sizeof line - 1;
    if (l->size + (size_t)length + 2 > LINES_BYTES) return;
    uint32_t tabs = 0;
    for (int i = 0; i < length; ++i) {
        const bool is_between = line[i] == '\t' && tabs++ < 2;
        if (!is_between && (unsigned char)line[i] < ' ') line[i] = '.';
    }
    memcpy(l->text + l->size, line, (size_t)length);
    l->size += (size_t)length;
    l->text[l->size++] = '\n';
    l->text[l->size] = '\0';
}

static void name_entity(const keel_world *image, keel_entity e, char *who, size_t size) {
    const char *name = keel_name_of(image, e);
    snprintf(who, size, "%uv%u%s%.80s%s", (unsigned)keel_entity_index(e),
             (unsigned)keel_entity_version(e), name ? " \"" : "", name ? name : "",
             name ? "\"" : "");
}

// Adds a line for each described field of a value; without fields its bytes.
static void add_value(lines *l, const char *who, const void *value) {
    const keel_component *c = l->component;
    char text[FIELD_TEXT];
    if (!c->size) {
        add_line(l, who, "", "");
        return;
    }
    for (uint32_t i = 0; i < c->field_count; ++i) {
        keel_field_place place;
        if (c->fields[i].transient ||
            keel_field_find(c, c->fields[i].name, &place, NULL) != KEEL_OK)
            continue;
        keel_field_print(&place, value, text, sizeof text);
        add_line(l, who, c->fields[i].name, text);
    }
    if (c->field_count) return;
    const unsigned char *bytes = value;
    for (uint32_t from = 0; from < c->size; from += BYTES_SHOWN) {
        char field[32], *to = text;
        snprintf(field, sizeof field, "bytes[%u]", (unsigned)from);
        for (uint32_t i = from; i < from + BYTES_SHOWN && i < c->size; ++i)
            to += snprintf(to, 4, "%02x ", bytes[i]);
        add_line(l, who, field, text);
    }
}

static bool add_run(const keel_value_run *run, void *data) {
    lines *l = data;
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t index = run->index + i;
        if (index < l->first || index - l->first >= LINES_BLOCK) continue;
        char who[128];
        name_entity(l->image, keel_entity_at(l->image, index), who, sizeof who - 12);
        if (run->disabled) strcat(who, " disabled");
        add_value(l, who, (const char *)run->values + (size_t)i * l->component->size);
    }
    return run->index < l->first + LINES_BLOCK;
}

static bool add_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    lines *l = data;
    const uint32_t index = keel_entity_index(source);
    if (index < l->first || index - l->first >= LINES_BLOCK) return true;
    char from[128], to[128], who[300];
    name_entity(l->image, source, from, sizeof from);
    name_entity(l->image, target, to, sizeof to);
    snprintf(who, sizeof who, "%s to %s", from, to);
    if (value) add_value(l, who, value);
    else add_line(l, who, "", "");
    return true;
}

static void add_entities(lines *l) {
    for (uint32_t i = l->first; i < l->first + LINES_BLOCK; ++i) {
        const keel_entity e = keel_entity_at(l->image, i);
        if (keel_is_null(e)) continue;
        char who[128];
        name_entity(l->image, e, who, sizeof who);
        add_line(l, who, "", "");
    }
}

// The names of entities are values that Keel owns: a line for each.
static void add_names(lines *l) {
    for (uint32_t i = l->first; i < l->first + LINES_BLOCK; ++i) {
        const keel_entity e = keel_entity_at(l->image, i);
        const char *name = keel_is_null(e) ? NULL : keel_name_of(l->image, e);
        char who[32];
        snprintf(who, sizeof who, "%uv%u", (unsigned)i, (unsigned)keel_entity_version(e));
        if (name) add_line(l, who, "", name);
    }
}

static void add_events(lines *l) {
    char text[32];
    snprintf(text, sizeof text, "%u", (unsigned)keel_event_count_of(l->image, l->component));
    add_line(l, "the queue", "count", text);
}

void keeli_lines_write(const keel_world *image, const keel_component *component, uint32_t first,
                       char text[LINES_BYTES]) {
    lines l = { .image = image, .component = component, .first = first, .text = text };
    text[0] = '\0';
    if (component == &keel_entities) {
        add_entities(&l);
    } else if (component->is_event) {
        add_events(&l);
    } else if (component->is_unique) {
        const void *value = keel_get_unique_value(image, component);
        if (value) add_value(&l, "the unique", value);
    } else if (component->is_relation) {
        (void)keel_visit_edges(image, component, add_edge, &l);
    } else if (strcmp(component->name, "keel_name") == 0) {
        add_names(&l);
    } else {
        (void)keel_visit_values(image, component, add_run, &l);
    }
}

// ------------------------------------------------------------------ comparing
typedef struct line {
    const char *who, *field, *value;
    int who_length, field_length, value_length;
    const char *next;
} line;

// Splits the line at `text`; false at the end.
static bool read_line(const char *text, line *out) {
    const char *end = strchr(text, '\n');
    const char *tab = end ? memchr(text, '\t', (size_t)(end - text)) : NULL;
    const char *second = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
    if (!second) return false;
    *out = (line){ .who = text,
                   .who_length = (int)(tab - text),
                   .field = tab + 1,
                   .field_length = (int)(second - tab - 1),
                   .value = second + 1,
                   .value_length = (int)(end - second - 1),
                   .next = end + 1 };
    return true;
}

// Finds the line of the same value and field.
static bool find_line(const char *text, const line *like, line *out) {
    for (const char *at = text; read_line(at, out); at = out->next)
        if (out->who_length == like->who_length && out->field_length == like->field_length &&
            memcmp(out->who, like->who,
                   (size_t)like->who_length + (size_t)like->field_length + 1) == 0)
            return true;
    return false;
}

bool keeli_lines_compare(const char *component, const char *const texts[2],
                         const char *const sides[2], char *text, size_t size) {
    line a, b;
    for (const char *at = texts[0]; read_line(at, &a); at = a.next) {
        if (!find_line(texts[1], &a, &b)) {
            snprintf(text, size, "%s of %.*s: %s, but not %s", component, a.who_length, a.who,
                     sides[0], sides[1]);
            return true;
        }
        if (a.value_length == b.value_length &&
            memcmp(a.value, b.value, (size_t)a.value_length) == 0)
            continue;
        snprintf(text, size, "%s%s%.*s of %.*s: %.*s %s, %.*s %s", component,
                 a.field_length ? "." : "", a.field_length, a.field, a.who_length, a.who,
                 a.value_length < 60 ? a.value_length : 60, a.value, sides[0],
                 b.value_length < 60 ? b.value_length : 60, b.value, sides[1]);
        return true;
    }
    for (const char *at = texts[1]; read_line(at, &b); at = b.next)
        if (!find_line(texts[0], &b, &a)) {
            snprintf(text, size, "%s of %.*s: %s, but not %s", component, b.who_length, b.who,
                     sides[1], sides[0]);
            return true;
        }
    return false;
}

// Returns the first index of the first block in which a component differs.
static uint32_t find_block(const keel_world *const images[2], const keel_component *component,
                           uint32_t blocks) {
    for (uint32_t i = 0; i < blocks; ++i) {
        uint64_t a = 0, b = 0;
        const uint32_t first = i * LINES_BLOCK;
        if (keel_hash_blocks(images[0], component, first, LINES_BLOCK, 1, &a) < 0 ||
            keel_hash_blocks(images[1], component, first, LINES_BLOCK, 1, &b) < 0 || a != b)
            return first;
    }
    return 0;
}

static void compare_component(const keel_world *const images[2], const char *const sides[2],
                              const keel_component *component, uint32_t blocks, char *text,
                              size_t size) {
    char *texts = malloc(2 * (size_t)LINES_BYTES);
    snprintf(text, size, "%s", component->name);
    if (!texts) return;
    const uint32_t first = find_block(images, component, blocks);
    for (int i = 0; i < 2; ++i)
        keeli_lines_write(images[i], component, first, texts + (size_t)i * LINES_BYTES);
    const char *const both[2] = { texts, texts + LINES_BYTES };
    if (!keeli_lines_compare(component->name, both, sides, text, size))
        snprintf(text, size, "%s, among the entities %u to %u", component->name, (unsigned)first,
                 (unsigned)first + LINES_BLOCK - 1);
    free(texts);
}

bool keeli_images_compare(const keel_world *const images[2], const char *const sides[2], char *text,
                          size_t size) {
    keel_hash_part *a = malloc(2 * LINES_PARTS * sizeof *a), *b = a + LINES_PARTS;
    if (!a) return false;
    const uint32_t a_count = keel_world_hash_parts(images[0], a, LINES_PARTS);
    const uint32_t b_count = keel_world_hash_parts(images[1], b, LINES_PARTS);
    bool differs = false;
    for (uint32_t i = 0; i < LINES_PARTS && (i < a_count || i < b_count) && !differs; ++i) {
        const bool is_same_part =
            i < a_count && i < b_count && strcmp(a[i].component->name, b[i].component->name) == 0;
        if (is_same_part && a[i].hash == b[i].hash) continue;
        const keel_hash_part *part = i < a_count ? &a[i] : &b[i];
        if (!is_same_part && i < a_count && i < b_count &&
            strcmp(b[i].component->name, a[i].component->name) < 0)
            part = &b[i];
        const uint32_t blocks =
            is_same_part && b[i].blocks > part->blocks ? b[i].blocks : part->blocks;
        compare_component(images, sides, part->component, blocks, text, size);
        differs = true;
    }
    free(a);
    return differs;
}
