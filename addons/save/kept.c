// SPDX-License-Identifier: MIT
// Keeps the sections of components that the program does not know (KEEL_UNKNOWN_KEEP), and writes
// them into the next save unchanged, without the rows of entities that have been deleted. The list
// of kept sections is a transient unique of the world, so copies, snapshots and hashes leave it
// out. read.c calls save_keep, write.c calls save_write_kept.
#include "save.h"

#include <stdlib.h>
#include <string.h>

// A kept section: COMP, RELA or UNIQ with values, or DISA, the entities that have a component
// disabled.
struct save_kept {
    save_kept *next;
    char tag[5], name[256];
    save_bytes body;
    save_schema schema;       // owns the body of the "info" section before this one; empty for DISA
    size_t head, rows, texts; // offsets in the body: end of the head, begin of rows and of texts
    uint32_t count, columns;  // number of rows; entities of a row: relation 2, unique 0, else 1
    keel_entity *entities;    // handles of the entities of all rows, first column first: the body
                              // has only indices, which may be reused before the next save
};

typedef struct keel_kept {
    save_kept *list;
} keel_kept;
static void drop_kept(void *value, void *data) {
    (void)data;
    save_kept_free(((keel_kept *)value)->list);
}
KEEL_UNIQUE(keel_kept, .transient = true, .drop = drop_kept);

void save_kept_free(save_kept *list) {
    while (list) {
        save_kept *next = list->next;
        save_bytes_free(&list->body);
        save_schema_free(&list->schema);
        free(list->entities);
        free(list);
        list = next;
    }
}

save_kept **save_kept_of(keel_world *world, bool make) {
    keel_kept *value = make ? keel_get_or_set_unique_value(world, KEEL_UNIQUE_OF(keel_kept), NULL)
                       : keel_get_unique_value(world, KEEL_UNIQUE_OF(keel_kept))
                           ? keel_get_unique_value_mut(world, KEEL_UNIQUE_OF(keel_kept))
                           : NULL;
    return value ? &value->list : NULL;
}

// ------------------------------------------------------------------ while loading
// Reads the layout of the section into `k`, fills `entities`, and checks everything that
// save_write_kept reads later.
static keel_result read_kept(save_kept *k, save_reader *r, save_bytes *info,
                             const keel_world *world) {
    const bool is_unique = !strcmp(k->tag, "UNIQ"), is_list = !strcmp(k->tag, "DISA");
    if (!is_list) KEEL_TRY(save_read_schema(r, &k->schema, info));
    k->head = r->offset;
    k->columns = is_unique ? 0 : !strcmp(k->tag, "RELA") ? 2 : 1;
    k->count = is_unique ? 1 : (uint32_t)save_take_number(r, 4);
    const uint64_t all = (uint64_t)k->count * k->columns;
    const unsigned char *indices = save_take(r, all * 4);
    k->rows = r->offset;
    const unsigned char *rows = save_take(r, (uint64_t)k->count * k->schema.row_bytes);
    k->texts = r->offset;
    const unsigned char *at = save_take(r, k->schema.text_count ? r->body.size - r->offset : 0);
    if (!indices || !rows || r->offset != r->body.size)
        return save_impossible(r, "its size is wrong");
    k->entities = malloc(((size_t)all + 1) * sizeof *k->entities);
    if (!k->entities)
        return save_fail(r->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    for (uint64_t i = 0; i < all; ++i) {
        k->entities[i] = keel_entity_at(world, (uint32_t)save_read_number(indices + i * 4, 4));
        if (keel_is_null(k->entities[i]))
            return save_impossible(r, "names an entity that does not exist");
    }
    if (!k->schema.text_count) return KEEL_OK;
    const unsigned char *end = r->body.data + r->body.size;
    for (uint32_t i = 0; i < k->count; ++i)
        if (!save_walk_texts(&k->schema, rows + (size_t)i * k->schema.row_bytes, &at, end, NULL))
            return save_impossible(r, "a text is damaged");
    return at == end ? KEEL_OK : save_impossible(r, "its size is wrong");
}

keel_result save_keep(save_kept **list, save_reader *r, save_bytes *info, const keel_world *world) {
    save_kept *k = calloc(1, sizeof *k);
    if (!k)
        return save_fail(r->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    while (*list) // append, so that the sections stay in order
        list = &(*list)->next;
    *list = k;
    memcpy(k->tag, r->tag, sizeof k->tag);
    r->offset = 0;
    (void)save_take_text(r, k->name, sizeof k->name);
    KEEL_TRY(read_kept(k, r, info, world));
    k->body = r->body; // moved, so that the reader does not free it
    r->body = (save_bytes){ 0 };
    r->offset = 0;
    return KEEL_OK;
}

// ------------------------------------------------------------------ while saving
// The parts of a section to write. `first` has the entity of each row, or in RELA the source;
// `second` the targets, in RELA only.
typedef struct kept_parts {
    save_bytes head, first, second, rows, texts;
} kept_parts;

static void put_bytes(save_bytes *to, const unsigned char *from, size_t size) {
    unsigned char *at = size ? save_bytes_more(to, size) : NULL;
    if (at) memcpy(at, from, size);
}

// Copies the parts of a kept section to `to`, without the rows of dead entities. Returns the number
// of rows copied. Texts have no index, so the texts of left-out rows must be walked, too.
static uint32_t filter(const save_kept *k, const keel_world *world, kept_parts *to) {
    const unsigned char *data = k->body.data, *text = data + k->texts, *row = data + k->rows;
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->count; ++i, row += k->schema.row_bytes) {
        const unsigned char *texts = text;
        bool is_there = true;
        if (k->schema.text_count)
            (void)save_walk_texts(&k->schema, row, &text, data + k->body.size, NULL);
        for (uint32_t column = 0; column < k->columns; ++column)
            is_there = is_there && keel_is_alive(world, k->entities[(size_t)column * k->count + i]);
        if (!is_there) continue;
        for (uint32_t column = 0; column < k->columns; ++column)
            save_put(column ? &to->second : &to->first,
                     keel_entity_index(k->entities[(size_t)column * k->count + i]), 4);
        put_bytes(&to->rows, row, k->schema.row_bytes);
        put_bytes(&to->texts, texts, (size_t)(text - texts));
        ++count;
    }
    put_bytes(&to->head, data, k->head);
    if (k->columns) save_put(&to->head, count, 4);
    return count;
}

static keel_result write_kept(save_writer *w, const save_kept *k, const keel_world *world) {
    kept_parts p = { .head = { 0 } };
    const save_part info = { &k->schema.info, 1 };
    const save_part parts[] = { { &p.head, 1 },
                                { &p.first, 4 },
                                { &p.second, 4 },
                                { &p.rows, k->schema.row_bytes ? k->schema.row_bytes : 1 },
                                { &p.texts, 1 } };
    keel_result result = KEEL_OK;
    if (filter(k, world, &p)) {
        if (k->schema.info.size) result = save_write_section(w, "info", &info, 1);
        if (result == KEEL_OK) result = save_write_section(w, k->tag, parts, 5);
    }
    save_bytes *all[] = { &p.head, &p.first, &p.second, &p.rows, &p.texts };
    for (uint32_t i = 0; i < 5; ++i)
        save_bytes_free(all[i]);
    return result;
}

keel_result save_write_kept(save_writer *w, const keel_world *world) {
    const keel_kept *kept = keel_get_unique_value(world, KEEL_UNIQUE_OF(keel_kept));
    for (const save_kept *k = kept ? kept->list : NULL; k; k = k->next) {
        if (save_find(world, k->name, !strcmp(k->tag, "UNIQ")))
            return save_fail(
                w->error, KEEL_ERROR_SCHEMA,
                "'%.100s' was registered after a load that kept its values as those of "
                "an unknown component; register it before loading",
                k->name);
        KEEL_TRY(write_kept(w, k, world));
    }
    return KEEL_OK;
}
