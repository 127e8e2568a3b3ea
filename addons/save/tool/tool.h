// SPDX-License-Identifier: MIT
// What the parts of keel-save share: a save whose components are declared as it describes them.
#pragma once
#include "../save.h"

#include <stdio.h>

// A section, as it is listed.
typedef struct section {
    char tag[5], name[256];
    uint64_t stored, raw;
    uint32_t count;     // of values, edges, entities, names
    save_schema schema; // of one with values
} section;

// A component that was declared, with all that its descriptor points to.
typedef struct declared {
    keel_component component;
    const section *from;
    uint32_t stream; // where the text about bytes of a function is, or UINT32_MAX
} declared;

typedef struct loaded_save {
    const char *path;
    keel_load_options how; // limits
    keel_error error;
    save_bytes file;
    section *sections;
    uint32_t section_count, entity_count, free_count, named_count;
    declared *declared;
    uint32_t declared_count;
    void *blocks; // of memory, in a chain
    keel_world *world;
} loaded_save;

// Read the file and its sections; declare what it has and load it. Errors are in `error`.
keel_result load_sections(loaded_save *save);
keel_result load_world(loaded_save *save);
void unload(loaded_save *save);
// Memory that goes with the save; NULL and an error when there is none.
void *new_block(loaded_save *save, size_t size);

// What a section calls its fields, as structs and arrays of them.
keel_result declare_section(loaded_save *save, const section *s, const unsigned char *texts,
                            declared *out);

const char *type_text(const save_leaf *leaf, char *text, size_t size);
void list_save(const loaded_save *save, FILE *out);
// How many differences there are.
uint32_t diff_saves(const loaded_save *a, const loaded_save *b, FILE *out);
