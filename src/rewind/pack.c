// SPDX-License-Identifier: MIT
// keel_snapshot_write: writes a snapshot as bytes, in the order that pack.h describes. It reads
// only the image and the runs of the snapshot, so any thread may call it while the world continues.
// pack_values.c writes the values of components.
#include "rewind/pack.h"

#include "base/bytes.h"
#include "rewind/image.h"
#include "world/borrow.h"
#include "world/report.h"

// ------------------------------------------------------------------ the stream
// Hands a chunk to the sink.
static void flush_chunk(keeli_pack *p, const void *bytes, size_t size) {
    p->hash = keeli_hash(bytes, size, p->hash);
    if (size && !p->is_failed)
        p->is_failed = !p->sink.write(p->sink.context, bytes, size);
}

void keeli_pack_bytes(keeli_pack *p, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        if (!p->used && size >= KEELI_PACK_CHUNK) { // no copy is needed
            flush_chunk(p, at, KEELI_PACK_CHUNK);
            at += KEELI_PACK_CHUNK;
            size -= KEELI_PACK_CHUNK;
            continue;
        }
        const size_t left = KEELI_PACK_CHUNK - p->used;
        const size_t part = size < left ? size : left;
        memcpy(p->bytes + p->used, at, part);
        p->used += (uint32_t)part;
        at += part;
        size -= part;
        if (p->used < KEELI_PACK_CHUNK)
            continue;
        p->used = 0;
        flush_chunk(p, p->bytes, KEELI_PACK_CHUNK);
    }
}

// Writes the lowest `size` bytes of a number.
static void pack_number(keeli_pack *p, uint64_t number, uint32_t size) {
    unsigned char bytes[8];
    for (uint32_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(number >> 8 * i);
    keeli_pack_bytes(p, bytes, size);
}

void keeli_pack_u8(keeli_pack *p, uint32_t number) { pack_number(p, number, 1); }

// Indices and versions are most of the numbers, so they have a fast path.
void keeli_pack_u32(keeli_pack *p, uint32_t number) {
    const unsigned char bytes[4] = { (unsigned char)number, (unsigned char)(number >> 8),
                                     (unsigned char)(number >> 16), (unsigned char)(number >> 24) };
    if (p->used + 4 >= KEELI_PACK_CHUNK) {
        keeli_pack_bytes(p, bytes, 4);
        return;
    }
    memcpy(p->bytes + p->used, bytes, 4);
    p->used += 4;
}

void keeli_pack_u64(keeli_pack *p, uint64_t number) { pack_number(p, number, 8); }

void keeli_pack_text(keeli_pack *p, const char *text) {
    const size_t length = text ? strlen(text) : 0;
    keeli_pack_u32(p, (uint32_t)length);
    keeli_pack_bytes(p, length ? text : "", length + 1);
}

void keeli_pack_end(keeli_pack *p) {
    const uint32_t rest = p->used;
    p->used = 0;
    flush_chunk(p, p->bytes, rest);
    const uint64_t hash = p->hash;
    pack_number(p, hash, 8);
    flush_chunk(p, p->bytes, p->used);
}

// ------------------------------------------------------------------ components
static bool has_readers(const keeli_queue *q) { return q && (q->readers.count || q->world_reads); }

static keeli_packed_content content_of(const keeli_storage *s) {
    if (keeli_image_leaves(s))
        return KEELI_PACKED_LEFT;
    const bool has_reader = has_readers(s->events) || has_readers(&s->tracking.removed);
    return keeli_store_is_new(s) && !has_reader ? KEELI_PACKED_NOTHING : KEELI_PACKED_ALL;
}

static void pack_fields(keeli_pack *p, const keel_field *fields, uint32_t count) {
    keeli_pack_u32(p, count);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        keeli_pack_text(p, f->name);
        keeli_pack_u8(p, (uint32_t)f->type);
        keeli_pack_u32(p, f->offset);
        keeli_pack_u32(p, f->count);
        const bool has_fields = f->type == KEEL_FIELD_STRUCT && f->of;
        pack_fields(p, has_fields ? f->of->fields : NULL, has_fields ? f->of->field_count : 0);
    }
}

static void pack_component(keeli_pack *p, const keeli_storage *s) {
    const keel_component *c = &s->component;
    const keeli_packed_content content = content_of(s);
    keeli_pack_u8(p, (uint32_t)content);
    keeli_pack_u8(p, (uint32_t)keeli_packed_kind_of(s));
    keeli_pack_text(p, c->name);
    if (content != KEELI_PACKED_ALL)
        return;

    keeli_pack_u8(p, (uint32_t)s->kind);
    keeli_pack_u8(p, keeli_packed_options(c));
    keeli_pack_u32(p, c->size);
    keeli_pack_u32(p, c->align);
    pack_fields(p, c->fields, c->field_count);
}

// ------------------------------------------------------------------ runs
uint32_t keeli_pack_reader(const keeli_pack *p, const keeli_reader *reader) {
    const keeli_runs *runs = &p->snapshot->taken->runs;
    if (!reader)
        return KEELI_PACKED_NONE;
    for (uint32_t i = 0; i < runs->readers.count; ++i)
        if (runs->readers.items[i].at == reader)
            return i;
    return KEELI_PACKED_NONE;
}

// Returns the number of the component with this process-wide number.
static uint32_t component_at(const keeli_pack *p, uint32_t slot) {
    const struct keeli_world_root *root = &p->image->root;
    const keeli_storage *s = slot < root->storage_capacity ? root->storages[slot] : NULL;
    return s ? s->position : KEELI_PACKED_NONE;
}

static void pack_readers(keeli_pack *p, const keeli_runs *runs) {
    keeli_pack_u32(p, runs->readers.count);
    for (uint32_t i = 0; i < runs->readers.count; ++i) {
        const keeli_kept_reader *reader = &runs->readers.items[i];
        keeli_pack_u8(p, (uint32_t)reader->kind);
        keeli_pack_u8(p, reader->is_kept);
        keeli_pack_text(p, runs->text.items + runs->labels.items[i].name);
        keeli_pack_u64(p, reader->last);
    }
}

// True if the node may have a state. Nodes without one are written, too, so that the nodes that
// wait for a schedule elsewhere have the order of those of the schedule.
static bool has_state(const keeli_kept_node *node) {
    return node->kind == KEEL_NODE_SYSTEM || node->kind == KEEL_NODE_BEGIN;
}

static void pack_node(keeli_pack *p, const keeli_runs *runs, const keeli_kept_node *node) {
    const uint32_t at = runs->readers.count + (uint32_t)(node - runs->nodes.items);
    const keeli_label *label = &runs->labels.items[at];
    keeli_pack_u8(p, (uint32_t)node->kind);
    keeli_pack_u32(p, node->place);
    keeli_pack_text(p, runs->text.items + label->workload);
    keeli_pack_text(p, runs->text.items + label->name);
    keeli_pack_u8(p, node->is_limited);
    keeli_pack_u32(p, node->is_limited ? node->runs : 0);
    keeli_pack_u64(p, node->passed);
    keeli_pack_u32(p, node->idle_slot ? component_at(p, node->idle_slot) : KEELI_PACKED_NONE);
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        keeli_pack_u32(p, node->want[k]);
        keeli_pack_u32(p, node->most[k]);
        keeli_pack_u32(p, keeli_pack_reader(p, node->readers[k]));
    }
}

static void pack_group(keeli_pack *p, const keeli_runs *runs, const keeli_kept_group *group) {
    const uint32_t at =
        runs->readers.count + runs->nodes.count + (uint32_t)(group - runs->groups.items);
    keeli_pack_text(p, runs->text.items + runs->labels.items[at].name);
    keeli_pack_u32(p, group->owned_count);
    keeli_pack_u32(p, group->must_count);
    keeli_pack_u32(p, group->storage_count);
    for (uint32_t i = 0; i < group->storage_count; ++i)
        keeli_pack_u32(p, component_at(p, runs->slots.items[group->first_slot + i]));
    keeli_pack_u32(p, group->length);
    keeli_pack_u32(p, group->count);
    for (uint32_t i = 0; i < group->count; ++i)
        keeli_pack_u32(p, keeli_index_of(runs->members.items[group->first + i]));
}

static void pack_runs(keeli_pack *p) {
    const keeli_runs *runs = &p->snapshot->taken->runs;
    uint32_t used = 0;
    pack_readers(p, runs);
    for (uint32_t i = 0; i < runs->nodes.count; ++i)
        used += has_state(&runs->nodes.items[i]);
    keeli_pack_u32(p, used);
    for (uint32_t i = 0; i < runs->nodes.count; ++i)
        if (has_state(&runs->nodes.items[i]))
            pack_node(p, runs, &runs->nodes.items[i]);
    keeli_pack_u32(p, runs->groups.count);
    for (uint32_t i = 0; i < runs->groups.count; ++i)
        pack_group(p, runs, &runs->groups.items[i]);
}

// ------------------------------------------------------------------ entities and rows
// Returns the version of an index as it is written: 0 for a gap.
static uint32_t packed_version(const keeli_entity_index *ix, uint32_t i) {
    const uint32_t version = ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE];
    return version & KEELI_DEAD && *keeli_row_of(ix, i) == KEELI_GAP ? 0 : version;
}

static void pack_entities(keeli_pack *p) {
    const keeli_entity_index *ix = &p->image->entities;
    keeli_pack_u32(p, ix->size);
    keeli_pack_u32(p, ix->gap_first);
    for (uint32_t i = 0; i < ix->size; ++i)
        keeli_pack_u32(p, packed_version(ix, i));

    keeli_pack_u32(p, ix->free_count);
    for (uint32_t i = ix->free_head; i != KEELI_FREE_END; i = *keeli_row_of(ix, i))
        keeli_pack_u32(p, i);

    keeli_pack_u32(p, ix->held);
    if (!ix->held)
        return;
    for (uint32_t i = 0; i < ix->size; ++i)
        if (packed_version(ix, i) & KEELI_DEAD && *keeli_row_of(ix, i) == KEELI_HELD)
            keeli_pack_u32(p, i);
}

static void pack_rows(keeli_pack *p) {
    const keeli_archetypes *a = &p->image->archetypes;
    keeli_pack_u32(p, a->count - 1);
    for (uint32_t i = 1; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        keeli_pack_u32(p, archetype->column_count);
        for (uint32_t c = 0; c < archetype->column_count; ++c)
            keeli_pack_u32(p, component_at(p, archetype->columns[c]->number));
        keeli_pack_columns(p, archetype);
    }
}

// ------------------------------------------------------------------ the whole
// Returns an error if the bytes of a component's values are not all that there is of them, or if
// another thread owns them.
static keel_result check_component(keel_world *teller, const keeli_storage *s) {
    if (content_of(s) != KEELI_PACKED_ALL || !keeli_holds_values(s))
        return KEEL_OK;
    if (keeli_is_hooked(s))
        return keeli_error(teller, KEEL_ERROR_COPY,
                           "cannot write a snapshot: values of '%s' have hooks, so they are more "
                           "than their bytes; make the component .transient, or keep what it owns "
                           "in a component without hooks",
                           s->component.name);
    if (!(s->flags & KEELI_IS_BOUND))
        return KEEL_OK;
    return keeli_check_thread(s->world, teller, s, KEEL_ACCESS_READ, NULL, "write");
}

static void pack_all(keeli_pack *p) {
    const keel_world *image = p->image;
    keeli_pack_bytes(p, KEELI_PACK_SIGNATURE, 8);
    keeli_pack_u8(p, keeli_is_big_endian());
    keeli_pack_u8(p, KEEL_ENTITY_INDEX_BITS);
    keeli_pack_u8(p, 0);
    keeli_pack_u8(p, 0);

    keeli_pack_u32(p, image->storages.count);
    for (uint32_t i = 0; i < image->storages.count; ++i)
        pack_component(p, image->storages.items[i]);
    pack_runs(p);
    keeli_pack_u64(p, image->changes.tick);
    keeli_pack_u64(p, image->changes.tick_base);
    keeli_pack_u64(p, image->commands.dropped);
    pack_entities(p);
    pack_rows(p);
    for (uint32_t i = 0; i < image->storages.count; ++i)
        if (content_of(image->storages.items[i]) == KEELI_PACKED_ALL)
            keeli_pack_values(p, image->storages.items[i]);
    keeli_pack_end(p);
}

static keel_result write_image(const keel_snapshot *snapshot, const keel_world *image,
                               keel_snapshot_sink sink) {
    keel_world *teller = snapshot->world ? snapshot->world : snapshot->image;
    const keeli_runs *runs = &snapshot->taken->runs;
    for (uint32_t i = 0; i < image->storages.count; ++i)
        KEEL_TRY(check_component(teller, image->storages.items[i]));
    if (runs->readers.count > KEELI_PACKED_MOST || runs->nodes.count > KEELI_PACKED_MOST ||
        runs->groups.count > KEELI_PACKED_MOST)
        return keeli_error(teller, KEEL_ERROR_FULL,
                           "cannot write snapshot '%s': it has more than %d readers, steps or "
                           "groups",
                           image->name, (int)KEELI_PACKED_MOST);

    keeli_pack p;
    p.snapshot = snapshot;
    p.image = image;
    p.sink = sink;
    p.hash = 0;
    p.used = 0;
    p.is_failed = p.is_out_of_memory = false;
    keeli_heap_init(&p.heap, (keel_allocator){ .resize = NULL });
    pack_all(&p);
    keeli_heap_deinit(&p.heap);
    if (p.is_out_of_memory)
        return keeli_out_of_memory(teller, "writing a snapshot");
    if (!p.is_failed)
        return KEEL_OK;
    return keeli_error(teller, KEEL_ERROR_FILE,
                       "cannot write snapshot '%s': the function of the sink returned false",
                       image->name);
}

keel_result keel_snapshot_write(keel_snapshot *snapshot, keel_snapshot_sink sink) {
    const keel_world *image;
    const keel_result begun = keel_snapshot_read_begin(snapshot, &image);
    if (begun != KEEL_OK)
        return begun;

    keel_result result;
    if (sink.write)
        result = write_image(snapshot, image, sink);
    else
        result =
            keeli_misuse(snapshot->world ? snapshot->world : snapshot->image, KEEL_ERROR_ARGUMENT,
                         "keel_snapshot_write needs a function that writes the bytes, but it "
                         "is NULL");
    keel_snapshot_read_end(snapshot);
    return result;
}
