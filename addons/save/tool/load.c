// SPDX-License-Identifier: MIT
// Loads a save without the program that wrote it, in two steps: reads the heads of its sections,
// and then loads a world whose components are declared from these heads. The declarations are made
// in declare.c. The tools keel-save and keel-inspect call it.
#include "../../stage.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static keel_result no_memory(loaded_save *save) {
    return save_fail(&save->error, KEEL_ERROR_MEMORY, "out of memory");
}

static section *new_section(loaded_save *save) {
    const size_t count = save->section_count + 1u;
    section *grown = realloc(save->sections, count * sizeof *grown);
    if (!grown) return NULL;
    save->sections = grown;
    section *s = &grown[save->section_count++];
    *s = (section){ .raw = 0 };
    return s;
}

static bool has_values(const section *s) {
    return !strcmp(s->tag, "COMP") || !strcmp(s->tag, "RELA") || !strcmp(s->tag, "UNIQ");
}

// Reads the name, the count and the schema of a section, as far as its kind has them. The values
// are read and checked by load_world.
static keel_result read_head(loaded_save *save, save_reader *r, save_bytes *info, section *s) {
    const bool is_named = has_values(s) || !strcmp(s->tag, "DISA");
    if (is_named && !save_take_text(r, s->name, sizeof s->name))
        return save_impossible(r, "the name of its component is damaged");
    if (has_values(s)) KEEL_TRY(save_read_schema(r, &s->schema, info));
    if (!strcmp(s->tag, "UNIQ")) s->count = 1;
    else if (is_named || !strcmp(s->tag, "PARE")) s->count = (uint32_t)save_take_number(r, 4);
    if (!strcmp(s->tag, "ENTS")) {
        s->count = save->entity_count = (uint32_t)save_take_number(r, 4);
        save->free_count = (uint32_t)save_take_number(r, 4);
    }
    char name[1024];
    if (strcmp(s->tag, "NAME") != 0) return r->result;
    while (save_has_more(r)) {
        (void)save_take_number(r, 4);
        if (!save_take_text(r, name, sizeof name)) return save_impossible(r, "a name is damaged");
        save->named_count = ++s->count;
    }
    return r->result;
}

static keel_result read_sections(loaded_save *save, save_reader *r, save_bytes *info) {
    KEEL_TRY(save_read_header(r));
    for (;;) {
        const unsigned char *begin = r->at;
        KEEL_TRY(save_read_section(r));
        section *s = new_section(save);
        if (!s) return no_memory(save);
        memcpy(s->tag, r->tag, sizeof s->tag);
        s->raw = r->raw;
        if (!strcmp(s->tag, "ENDS")) return KEEL_OK;
        KEEL_TRY(save_unpack_all(r));
        s->stored = (uint64_t)(r->section_end - begin);
        if (!strcmp(s->tag, "info") && !info->size) {
            *info = r->body;
            r->body = (save_bytes){ 0 };
            r->offset = 0;
            KEEL_TRY(save_finish_section(r, false));
            continue;
        }
        KEEL_TRY(read_head(save, r, info, s));
        save_bytes_free(info);
        KEEL_TRY(save_finish_section(r, true));
    }
}

static void begin(const loaded_save *save, save_reader *r, keel_error *error) {
    *r = (save_reader){ .at = save->file.data,
                        .end = save->file.data ? save->file.data + save->file.size : NULL,
                        .error = error,
                        .bytes_left = save->how.max_bytes };
}

keel_result load_sections(loaded_save *save) {
    save_reader r;
    save_bytes info = { 0 };
    if (!save->how.max_bytes) save->how.max_bytes = (uint64_t)1 << 30;
    KEEL_TRY(save_read_file(save->path, save->how.max_bytes, &save->file, &save->error));
    begin(save, &r, &save->error);
    const keel_result result = read_sections(save, &r, &info);
    save_bytes_free(&info);
    save_reader_free(&r);
    return result;
}

// ------------------------------------------------------------------ declaring
static bool is_declared(const section *s) {
    static const char *const own[] = { "keel_child", "keel_name", "keel_instance" };
    bool is_own = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        is_own = is_own || !strcmp(s->name, own[i]);
    return has_values(s) && !is_own;
}

// True if each source has one target, so that the relation can be declared exclusive. `sources` are
// in ascending order, so the edges of a source are adjacent.
static bool is_one_each(const unsigned char *sources, uint64_t count) {
    uint64_t i = 1;
    while (i < count && memcmp(sources + i * 4, sources + (i - 1) * 4, 4) != 0)
        ++i;
    return i >= count;
}

// Reads a section again up to its rows, and declares and registers its component.
static keel_result declare(loaded_save *save, save_reader *r, const section *s, declared *d) {
    save_schema again = { 0 };
    save_bytes none = { 0 };
    char name[256];
    KEEL_TRY(save_unpack_all(r));
    (void)save_take_text(r, name, sizeof name);
    keel_result result = save_read_schema(r, &again, &none);
    save_schema_free(&again);
    KEEL_TRY(result);
    const bool is_unique = !strcmp(s->tag, "UNIQ");
    const uint64_t columns = is_unique ? 0 : !strcmp(s->tag, "RELA") ? 2 : 1;
    const uint64_t count = is_unique ? 1 : save_take_number(r, 4);
    const unsigned char *indices = save_take(r, count * columns * 4);
    const unsigned char *rows = save_take(r, count * s->schema.row_bytes);
    if (!indices || !rows) return save_impossible(r, "its size is wrong");
    result = declare_section(save, s, rows, d);
    if (result < 0) return result;
    if (columns == 2) d->component.exclusive = d->component.size && is_one_each(indices, count);
    if (!keel_register_component(save->world, &d->component))
        return save_fail(&save->error, KEEL_ERROR_FORMAT, "'%.100s' of the save: %s", s->name,
                         keel_last_error(save->world)->message);
    return KEEL_OK;
}

static keel_result declare_all(loaded_save *save) {
    save_reader r;
    keel_result result = KEEL_OK;
    save->declared = calloc(save->section_count + 1u, sizeof *save->declared);
    if (!save->declared) return no_memory(save);
    begin(save, &r, &save->error);
    (void)save_read_header(&r);
    for (uint32_t i = 0; i + 1 < save->section_count && result == KEEL_OK; ++i) { // without ENDS
        const section *s = &save->sections[i];
        result = save_read_section(&r);
        if (result == KEEL_OK && is_declared(s))
            result = declare(save, &r, s, &save->declared[save->declared_count++]);
        r.at = r.section_end; // load_sections has checked the rest
    }
    save_reader_free(&r);
    return result;
}

keel_result load_world(loaded_save *save) {
    keel_load_options how = save->how;
    save->world = stage_create("a save", (keel_allocator){ 0 });
    if (!save->world) return no_memory(save);
    KEEL_TRY(declare_all(save));
    how.error = &save->error;
    KEEL_TRY(keel_load_from(save->world, save->file.data, save->file.size, &how));
    // the hooks only load the size and hash of .save's bytes: without them the component is written
    // by its fields
    for (uint32_t i = 0; i < save->declared_count; ++i) {
        keel_component c = save->declared[i].component;
        c.save = NULL;
        c.load = NULL;
        if (!keel_register_component(save->world, &c)) return no_memory(save);
    }
    return KEEL_OK;
}

void unload(loaded_save *save) {
    keel_world_destroy(save->world);
    for (uint32_t i = 0; i < save->section_count; ++i)
        save_schema_free(&save->sections[i].schema);
    free(save->sections);
    free(save->declared);
    save_bytes_free(&save->file);
    while (save->blocks) {
        void *next = *(void **)save->blocks;
        free(save->blocks);
        save->blocks = next;
    }
}
