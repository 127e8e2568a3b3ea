// SPDX-License-Identifier: MIT
// The command `keel-save list`: prints the sections of a save, with counts, sizes and fields. It
// needs only the heads of the sections, which load_sections has read. main.c calls it.
#include "tool.h"

#include <inttypes.h>
#include <string.h>

// Writes the type of a leaf, a field that is no struct, into `text`, such as `f32[3]` or
// `u8 (enum)`. Returns `text`.
const char *type_text(const save_leaf *leaf, char *text, size_t size) {
    // indexed by keel_field_type; the last is SAVE_STREAM, the bytes that the hook .save wrote
    static const char *const names[] = { "bytes",  "bool", "i8",         "u8",
                                         "i16",    "u16",  "i32",        "u32",
                                         "i64",    "u64",  "f32",        "f64",
                                         "entity", "text", "owned text", "bytes of .save" };
    const char *of = !leaf->of ? "" : leaf->of->is_flags ? " (flags)" : " (enum)";
    if (leaf->count == 1) (void)snprintf(text, size, "%s%s", names[leaf->type], of);
    else (void)snprintf(text, size, "%s[%u]%s", names[leaf->type], (unsigned)leaf->count, of);
    return text;
}

// Returns the kind of component whose values the section has.
static const char *what_it_is(const section *s) {
    return !strcmp(s->tag, "RELA") ? "relation" : !strcmp(s->tag, "UNIQ") ? "unique" : "component";
}

static void list_schema(const section *s, FILE *out) {
    char type[64];
    for (uint32_t i = 0; i < s->schema.leaf_count; ++i) {
        const save_leaf *l = &s->schema.leaves[i];
        const char *path = l->path[0] ? l->path : l->type == SAVE_STREAM ? "(.save)" : "(value)";
        fprintf(out, "    %-24s %s", path, type_text(l, type, sizeof type));
        if (l->of)
            for (uint32_t k = 0; k < l->of->value_count; ++k)
                fprintf(out, "%s%s = %" PRId64, k ? ", " : ": ", l->of->values[k].name,
                        l->of->values[k].value);
        fprintf(out, "\n");
    }
}

void list_save(const loaded_save *save, FILE *out) {
    const unsigned char *head = save->file.data;
    uint64_t raw = 0;
    for (uint32_t i = 0; i < save->section_count; ++i)
        raw += save->sections[i].raw;
    fprintf(out, "%s: format %u.%u, %zu bytes, %" PRIu64 " unpacked\n", save->path,
            (unsigned)save_read_number(head + 8, 2), (unsigned)save_read_number(head + 10, 2),
            save->file.size, raw);
    fprintf(out, "%u entities, %u free handles, %u names\n", (unsigned)save->entity_count,
            (unsigned)save->free_count, (unsigned)save->named_count);
    for (uint32_t i = 0; i < save->section_count; ++i) {
        const section *s = &save->sections[i];
        if (!strcmp(s->tag, "PARE")) fprintf(out, "%u children\n", (unsigned)s->count);
        if (!strcmp(s->tag, "DISA"))
            fprintf(out, "%u disabled of '%s'\n", (unsigned)s->count, s->name);
        // only sections of values have a schema
        if (strcmp(s->tag, "COMP") != 0 && strcmp(s->tag, "RELA") != 0 &&
            strcmp(s->tag, "UNIQ") != 0)
            continue;
        fprintf(out, "%s '%s'", what_it_is(s), s->name);
        if (s->schema.version) fprintf(out, ", version %u", (unsigned)s->schema.version);
        if (strcmp(s->tag, "UNIQ") != 0) fprintf(out, ", %u times", (unsigned)s->count);
        fprintf(out, ", %" PRIu64 " bytes, %" PRIu64 " unpacked\n", s->stored, s->raw);
        list_schema(s, out);
    }
}
