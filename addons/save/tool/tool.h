// SPDX-License-Identifier: MIT
// The shared part of the tools keel-save and keel-inspect: a save that is loaded without the
// program that wrote it, with components declared from the save's own schemas. It is no part of the
// library keel::save.
#pragma once
#include "../save.h"

#include <stdio.h>

// The content of the head of a section.
typedef struct section {
    char tag[5], name[256];
    uint64_t stored, raw; // compressed and uncompressed bytes
    uint32_t count;       // number of values, edges, entities or names
    save_schema schema;   // fields of the values; empty if the section has no values
} section;

// A component declared from a section.
typedef struct declared {
    keel_component component;
    const section *from;
    uint32_t stream; // offset in a value of the text with the size and hash of the bytes of .save;
                     // UINT32_MAX if there are none
} declared;

typedef struct loaded_save {
    const char *path;
    keel_load_options how; // only the limits are set
    keel_error error;
    save_bytes file;
    section *sections;
    uint32_t section_count, entity_count, free_count, named_count;
    declared *declared;
    uint32_t declared_count;
    void *blocks; // list of the blocks that new_block allocated
    keel_world *world;
} loaded_save;

// Reads the file and the heads of its sections. An error is in `save->error`.
keel_result load_sections(loaded_save *save);
// Declares the components of the sections, and loads the world. An error is in `save->error`.
keel_result load_world(loaded_save *save);
void unload(loaded_save *save);
// Allocates zeroed memory that unload frees. NULL and an error if memory runs out.
void *new_block(loaded_save *save, size_t size);

// Declares the component of a section, with fields made from the paths of its leaves. `rows` are
// the rows of the section, which have the lengths of texts.
keel_result declare_section(loaded_save *save, const section *s, const unsigned char *rows,
                            declared *out);

const char *type_text(const save_leaf *leaf, char *text, size_t size);
void list_save(const loaded_save *save, FILE *out);
// Prints the differences. Returns their number.
uint32_t diff_saves(const loaded_save *a, const loaded_save *b, FILE *out);
