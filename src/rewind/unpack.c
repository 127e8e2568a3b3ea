// SPDX-License-Identifier: MIT
// keel_snapshot_read: reads a snapshot from bytes (pack.h). It checks the hash, compares the
// components of both worlds, reads everything into a private world, checks that world, and then
// makes the snapshot a copy of it. unpack_runs.c, unpack_values.c and unpack_edges.c read the
// parts.
#include "rewind/unpack.h"

#include "base/bytes.h"
#include "link/relation.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdarg.h>
#include <stdio.h>

// ------------------------------------------------------------------ errors
bool keeli_unpack_fail(keeli_unpack *u, keel_result result, const char *format, ...) {
    if (u->result != KEEL_OK)
        return false;
    u->result = result;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(u->message, sizeof u->message, format, arguments);
    va_end(arguments);
    return false;
}

bool keeli_unpack_wrong(keeli_unpack *u, const char *what) {
    return keeli_unpack_fail(u, KEEL_ERROR_FORMAT, "%s: %s", u->section, what);
}

bool keeli_unpack_no_memory(keeli_unpack *u) {
    return keeli_unpack_fail(u, KEEL_ERROR_MEMORY, "out of memory");
}

bool keeli_unpack_is_well(keeli_unpack *u) {
    if (u->result == KEEL_OK && keeli_atomic_peek(&u->blank->heap.live) > u->max_bytes)
        return keeli_unpack_fail(u, KEEL_ERROR_FORMAT,
                                 "%s: the state needs more than the %llu bytes of .max_bytes",
                                 u->section, (unsigned long long)u->max_bytes);
    return u->result == KEEL_OK;
}

// ------------------------------------------------------------------ numbers
const unsigned char *keeli_unpack_bytes(keeli_unpack *u, uint64_t size) {
    if (u->result != KEEL_OK)
        return NULL;
    if (size > (uint64_t)(u->end - u->at)) {
        keeli_unpack_wrong(u, "the bytes end too early");
        return NULL;
    }
    const unsigned char *bytes = u->at;
    u->at += size;
    return bytes;
}

uint32_t keeli_unpack_u8(keeli_unpack *u) {
    const unsigned char *b = keeli_unpack_bytes(u, 1);
    return b ? *b : 0;
}

uint32_t keeli_unpack_u32(keeli_unpack *u) {
    const unsigned char *b = keeli_unpack_bytes(u, 4);
    return b ? keeli_unpack_at(b, 0) : 0;
}

uint64_t keeli_unpack_u64(keeli_unpack *u) {
    const unsigned char *b = keeli_unpack_bytes(u, 8);
    return b ? keeli_unpack_at(b, 0) | (uint64_t)keeli_unpack_at(b, 1) << 32 : 0;
}

const char *keeli_unpack_text(keeli_unpack *u) {
    const uint32_t length = keeli_unpack_u32(u);
    const unsigned char *text = keeli_unpack_bytes(u, (uint64_t)length + 1);
    if (!text)
        return "";
    if (text[length] || memchr(text, 0, length)) {
        keeli_unpack_wrong(u, "a text has a zero in it, or none at its end");
        return "";
    }
    return (const char *)text;
}

uint32_t keeli_unpack_count(keeli_unpack *u, uint32_t least, uint32_t most) {
    const uint32_t count = keeli_unpack_u32(u);
    const bool is_too_large = count > most || (uint64_t)count * least > (uint64_t)(u->end - u->at);
    if (!is_too_large)
        return count;
    keeli_unpack_wrong(u, "a count is higher than the bytes, or a limit, allow");
    return 0;
}

// ------------------------------------------------------------------ entities
bool keeli_unpack_is_alive(keeli_unpack *u, uint32_t index) {
    const keeli_entity_index *ix = &u->blank->entities;
    const bool is_alive = index < ix->size &&
                          !(ix->root.versions[index / KEELI_PAGE][index % KEELI_PAGE] & KEELI_DEAD);
    return is_alive || keeli_unpack_wrong(u, "an index is not that of a living entity");
}

bool keeli_unpack_search(keeli_unpack *u) {
    const uint32_t size = u->blank->entities.size;
    if (u->marks.count < size) {
        if (!KEELI_RESERVE(&u->blank->heap, &u->marks, size - u->marks.count))
            return keeli_unpack_no_memory(u);
        memset(u->marks.items, 0, size * sizeof *u->marks.items);
        u->marks.count = size;
        u->mark = 0;
    }
    ++u->mark;
    return true;
}

keeli_storage *keeli_unpack_component(keeli_unpack *u, uint32_t number) {
    if (number >= u->components.count) {
        keeli_unpack_wrong(u, "it names a component that the bytes do not have");
        return NULL;
    }
    const keeli_packed_component *c = &u->components.items[number];
    if (!c->storage)
        keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                          "component '%.60s': it is not registered here, and %s name it; register "
                          "all components, in one order, before the snapshot is read",
                          c->name, u->section);
    return c->storage;
}

// Copies a list of numbers to memory of the private world. NULL if it is empty, or on error.
static uint32_t *copy_numbers(keeli_unpack *u, uint32_t count) {
    const unsigned char *bytes = keeli_unpack_bytes(u, (uint64_t)count * 4);
    if (!bytes || !count)
        return NULL;
    uint32_t *numbers = keeli_new(&u->blank->heap, count * sizeof *numbers, _Alignof(uint32_t));
    if (!numbers) {
        keeli_unpack_no_memory(u);
        return NULL;
    }
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = keeli_unpack_at(bytes, i);
    return numbers;
}

static bool unpack_entities(keeli_unpack *u) {
    keeli_heap *heap = &u->blank->heap;
    u->section = "entities";
    const uint32_t size = keeli_unpack_u32(u), gap_first = keeli_unpack_u32(u);
    if (size > u->max_entities || size > KEEL_MAX_ENTITY_INDEX)
        return keeli_unpack_fail(u, KEEL_ERROR_FORMAT,
                                 "entities: there are %u indices, and .max_entities is %u",
                                 (unsigned)size, (unsigned)u->max_entities);

    const uint32_t *versions = copy_numbers(u, size);
    const uint32_t free_count = keeli_unpack_count(u, 4, size);
    const uint32_t *free = copy_numbers(u, free_count);
    const uint32_t held_count = keeli_unpack_count(u, 4, size);
    const uint32_t *held = copy_numbers(u, held_count);
    keel_result result = u->result;
    if (result == KEEL_OK)
        result =
            keeli_entity_index_fill(&u->blank->entities, heap, (keeli_index_list){ versions, size },
                                    (keeli_index_list){ free, free_count },
                                    (keeli_index_list){ held, held_count }, gap_first);
    keeli_free(heap, (void *)(uintptr_t)versions, size * sizeof *versions, _Alignof(uint32_t));
    keeli_free(heap, (void *)(uintptr_t)free, free_count * sizeof *free, _Alignof(uint32_t));
    keeli_free(heap, (void *)(uintptr_t)held, held_count * sizeof *held, _Alignof(uint32_t));
    if (result == KEEL_ERROR_MEMORY)
        return keeli_unpack_no_memory(u);
    if (result < 0)
        return keeli_unpack_wrong(u, "the lists of free indices and their versions disagree");
    return keeli_unpack_is_well(u);
}

// ------------------------------------------------------------------ components
static const char *kind_text(keeli_packed_kind kind) {
    static const char *const texts[] = { "component", "unique", "type of events", "relation" };
    return texts[kind];
}

static bool differs(keeli_unpack *u, const keeli_storage *s, const char *what) {
    return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA, "%s '%.60s': %s",
                             kind_text(keeli_packed_kind_of(s)), s->component.name, what);
}

// Compares a number of both sides. `unit` follows the number in the message: "bytes".
static bool compare_number(keeli_unpack *u, const keeli_storage *s, const char *what,
                           uint32_t there, uint32_t here) {
    char text[100];
    if (u->result != KEEL_OK || there == here)
        return u->result == KEEL_OK;
    snprintf(text, sizeof text, what, (unsigned)there, (unsigned)here);
    return differs(u, s, text);
}

// Compares the fields of a value or of a struct in it.
static bool compare_fields(keeli_unpack *u, const keeli_storage *s, const keel_field *fields,
                           uint32_t count) {
    char text[160];
    if (!compare_number(u, s, "%u fields there, %u here", keeli_unpack_u32(u), count))
        return false;

    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        const char *name = keeli_unpack_text(u);
        const uint32_t type = keeli_unpack_u8(u), offset = keeli_unpack_u32(u);
        const uint32_t length = keeli_unpack_u32(u);
        if (u->result != KEEL_OK)
            return false;
        if (strcmp(name, f->name) != 0) {
            snprintf(text, sizeof text, "the field '%.50s' there is '%.50s' here", name, f->name);
            return differs(u, s, text);
        }
        if (type != (uint32_t)f->type || offset != f->offset || length != f->count) {
            snprintf(text, sizeof text,
                     "the field '%.50s' has type %u, offset %u, length %u there, %u, %u, %u here",
                     name, (unsigned)type, (unsigned)offset, (unsigned)length, (unsigned)f->type,
                     (unsigned)f->offset, (unsigned)f->count);
            return differs(u, s, text);
        }
        const bool has_fields = f->type == KEEL_FIELD_STRUCT && f->of;
        if (!compare_fields(u, s, has_fields ? f->of->fields : NULL,
                            has_fields ? f->of->field_count : 0))
            return false;
    }
    return true;
}

// Compares a component, of which the bytes have the content, with that of this world.
static bool compare_component(keeli_unpack *u, const keeli_storage *s) {
    const keel_component *c = &s->component;
    const uint32_t kind = keeli_unpack_u8(u), options = keeli_unpack_u8(u);
    const uint32_t size = keeli_unpack_u32(u), align = keeli_unpack_u32(u);
    if (!compare_number(u, s, "%u bytes there, %u here", size, c->size) ||
        !compare_number(u, s, "alignment %u there, %u here", align, c->align))
        return false;

    if (kind != (uint32_t)s->kind) {
        char text[100];
        const bool is_known = kind <= KEEL_ARCHETYPE;
        snprintf(text, sizeof text, "stored as %s there, as %s here",
                 is_known ? keeli_storage_text((keel_storage)kind) : "something else",
                 keeli_storage_text(s->kind));
        return differs(u, s, text);
    }
    if (options != keeli_packed_options(c))
        return differs(u, s,
                       ".exclusive, .symmetric, .acyclic or .transient is not the same there "
                       "and here");
    return compare_fields(u, s, c->fields, c->field_count);
}

// Returns the component of this name and kind, NULL if this world does not know it.
static keeli_storage *find_named(const keeli_unpack *u, keeli_packed_kind kind, const char *name) {
    for (uint32_t i = 0; i < u->blank->storages.count; ++i) {
        keeli_storage *s = u->blank->storages.items[i];
        if (keeli_packed_kind_of(s) == kind && strcmp(s->component.name, name) == 0)
            return s;
    }
    return NULL;
}

static bool unknown_component(keeli_unpack *u, keeli_packed_kind kind, const char *name) {
    return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                             "%s '%.60s': it is not registered here; register all components, in "
                             "one order, before the snapshot is read",
                             kind_text(kind), name);
}

// Reads a component. `*last` is the component of this world that was matched last.
static bool unpack_component(keeli_unpack *u, const keeli_storage **last) {
    const uint32_t content = keeli_unpack_u8(u), kind = keeli_unpack_u8(u);
    const char *name = keeli_unpack_text(u);
    if (content >= KEELI_PACKED_CONTENTS || kind >= KEELI_PACKED_KINDS)
        return keeli_unpack_wrong(u, "a component is of no kind");
    keeli_storage *s = find_named(u, (keeli_packed_kind)kind, name);
    const bool is_left_here = s && keeli_image_leaves(s);
    if (u->result != KEEL_OK)
        return false;

    if (!s && content == KEELI_PACKED_ALL)
        return unknown_component(u, (keeli_packed_kind)kind, name);
    if (s && content == KEELI_PACKED_LEFT && !is_left_here)
        return differs(u, s, "it is .transient there, and not here");
    if (s && *last && s->position <= (*last)->position) {
        char text[140];
        snprintf(text, sizeof text,
                 "it is registered after '%.40s' there, and before it here; register all "
                 "components in one order",
                 (*last)->component.name);
        return differs(u, s, text);
    }
    if (s)
        *last = s;
    *KEELI_APPEND(&u->components) =
        (keeli_packed_component){ s, name, (keeli_packed_content)content };
    return content != KEELI_PACKED_ALL || compare_component(u, s);
}

static bool unpack_components(keeli_unpack *u) {
    const keeli_storage *last = NULL;
    u->section = "components";
    const uint32_t count = keeli_unpack_count(u, 7, UINT16_MAX);
    if (!KEELI_RESERVE(&u->blank->heap, &u->components, count))
        return keeli_unpack_no_memory(u);
    bool is_well = u->result == KEEL_OK;
    for (uint32_t i = 0; is_well && i < count; ++i)
        is_well = unpack_component(u, &last);
    return is_well;
}

// ------------------------------------------------------------------ head and end
static bool unpack_head(keeli_unpack *u) {
    u->section = "head";
    const unsigned char *head = keeli_unpack_bytes(u, 12);
    if (!head || memcmp(head, KEELI_PACK_SIGNATURE, 8) != 0) {
        u->result = KEEL_OK;
        return keeli_unpack_fail(u, KEEL_ERROR_FORMAT,
                                 "head: these are not the bytes of keel_snapshot_write of this "
                                 "version");
    }
    if (head[8] != keeli_is_big_endian())
        return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                                 "head: the bytes are those of a machine with the other byte "
                                 "order; values are not exchanged between them");
    if (head[9] != KEEL_ENTITY_INDEX_BITS)
        return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                                 "head: handles have %u bits of index there, %u here; build both "
                                 "programs with the same KEEL_ENTITY_32",
                                 (unsigned)head[9], (unsigned)KEEL_ENTITY_INDEX_BITS);
    return true;
}

uint64_t keeli_packed_hash(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0;
    for (size_t at = 0; at < size; at += KEELI_PACK_CHUNK) {
        const size_t left = size - at;
        hash = keeli_hash(bytes + at, left < KEELI_PACK_CHUNK ? left : KEELI_PACK_CHUNK, hash);
    }
    // the writer ends with a chunk that may be empty
    return size % KEELI_PACK_CHUNK ? hash : keeli_hash(bytes, 0, hash);
}

// Checks the hash behind all other bytes, and leaves it out. It finds accidents early; all numbers
// are checked as if there were none.
static bool check_hash(keeli_unpack *u) {
    u->section = "end";
    if (u->end - u->at < 8)
        return keeli_unpack_wrong(u, "the bytes end too early");
    u->end -= 8;
    const uint64_t hash = keeli_packed_hash(u->first, (size_t)(u->end - u->first));
    const uint64_t there = keeli_unpack_at(u->end, 0) | (uint64_t)keeli_unpack_at(u->end, 1) << 32;
    return hash == there || keeli_unpack_wrong(u, "the bytes are damaged: their hash is wrong");
}

static bool unpack_time(keeli_unpack *u) {
    const uint64_t latest = UINT64_MAX / 4; // so that nothing that counts on from here overflows
    u->section = "world";
    const uint64_t tick = keeli_unpack_u64(u), base = keeli_unpack_u64(u);
    u->blank->commands.dropped = keeli_unpack_u64(u);
    if (tick > latest || base > tick || tick - base >= KEELI_TICK_SPAN)
        return keeli_unpack_wrong(u, "the ticks are out of range");
    u->blank->changes.tick = tick;
    u->blank->changes.tick_base = base;
    return u->result == KEEL_OK;
}

// ------------------------------------------------------------------ the whole
// Checks what depends on several components.
static bool check_whole(keeli_unpack *u) {
    u->section = "names";
    if (!keeli_unpack_enter_names(u))
        return false;
    u->section = "components";
    if (!keeli_required_are_there(u->blank))
        return keeli_unpack_wrong(u, "an entity lacks a component that another one requires");
    u->section = "relations";
    for (const keeli_relation *r = u->blank->relations.all; r; r = r->next)
        if (!keeli_relation_is_valid(r))
            return keeli_unpack_wrong(u, "the edges and the components of their ends disagree");
    return keeli_unpack_check_runs(u);
}

static bool unpack_all(keeli_unpack *u) {
    if (!unpack_head(u) || !check_hash(u) || !unpack_components(u) || !keeli_unpack_runs(u) ||
        !unpack_time(u) || !unpack_entities(u) || !keeli_unpack_rows(u))
        return false;
    for (uint32_t i = 0; i < u->components.count; ++i) {
        const keeli_packed_component *c = &u->components.items[i];
        if (c->content == KEELI_PACKED_ALL && !keeli_unpack_values(u, c->storage))
            return false;
    }
    u->section = "end";
    if (u->at != u->end)
        return keeli_unpack_wrong(u, "more bytes follow");
    return check_whole(u) && keeli_unpack_is_well(u);
}

static void unpack_end(keeli_unpack *u) {
    keeli_heap *heap = &u->blank->heap;
    KEELI_RELEASE(heap, &u->components);
    KEELI_RELEASE(heap, &u->readers);
    KEELI_RELEASE(heap, &u->nodes);
    KEELI_RELEASE(heap, &u->groups);
    KEELI_RELEASE(heap, &u->marks);
    keel_world_destroy(u->blank);
}

static keel_result read_bytes(keeli_unpack *u) {
    keel_world *world = u->world;
    u->blank = keeli_snapshot_blank(u->snapshot);
    if (!u->blank)
        return keel_last_error(world)->result;

    keel_result result = KEEL_OK;
    if (unpack_all(u) && keeli_unpack_take_runs(u))
        result = keeli_snapshot_become(u->snapshot, u->blank, keeli_unpack_map_reader, u);
    else if (u->result == KEEL_ERROR_MEMORY)
        result = keeli_out_of_memory(world, "reading a snapshot");
    else
        result = keeli_error(world, u->result, "cannot read '%.60s': %s", u->snapshot->image->name,
                             u->message);
    unpack_end(u);
    return result;
}

static keel_result read_checked(keel_snapshot *snapshot, const void *bytes, size_t size,
                                const keel_snapshot_read_options *options) {
    KEEL_TRY(keeli_snapshot_check_owner(snapshot, "read bytes into"));
    KEEL_TRY(keeli_snapshot_may_begin(snapshot, "a snapshot is read"));
    if (!bytes)
        return keeli_misuse(snapshot->world, KEEL_ERROR_ARGUMENT,
                            "keel_snapshot_read needs bytes, but they are NULL");

    const unsigned char *first = bytes;
    keeli_unpack u = { .first = first,
                       .at = first,
                       .end = first + size,
                       .section = "head",
                       .snapshot = snapshot,
                       .world = snapshot->world,
                       .max_bytes = UINT64_C(1) << 30,
                       .max_entities = 1u << 24 };
    if (options && options->max_bytes)
        u.max_bytes = options->max_bytes;
    if (options && options->max_entities)
        u.max_entities = options->max_entities;
    KEEL_TRY(keeli_snapshot_write_begin(snapshot, "read bytes into"));
    return keeli_snapshot_write_end(snapshot, read_bytes(&u));
}

keel_result keel_snapshot_read(keel_snapshot *snapshot, const void *bytes, size_t size,
                               const keel_snapshot_read_options *options) {
    const keel_result result = read_checked(snapshot, bytes, size, options);
    const bool is_told = result < 0 && options && options->error;
    if (!is_told)
        return result;
    *options->error = (keel_error){ .result = result };
    if (snapshot && snapshot->self == snapshot && snapshot->world)
        *options->error = *keel_last_error(snapshot->world);
    return result;
}
