// SPDX-License-Identifier: MIT
// Saves a domain as a checkpoint, and begins one with it, on any number of ranks. Each rank saves
// its world as a part; a manifest names the parts of all. A restart loads each part into a world of
// its own, and packs the entities of that world like those that move to another rank.
#include "manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef KEELI_MPI_NO_SAVES
keel_result keel_domain_save(keel_domain *d, const char *folder) {
    if (!d || !folder) return KEEL_ERROR_ARGUMENT;
    return keeli_domain_fail(d, KEEL_ERROR_FILE, "keel::mpi is built without keel::save");
}

keel_result keeli_checkpoint_restart(keel_domain *d) {
    return keeli_domain_fail(d, KEEL_ERROR_FILE, "keel::mpi is built without keel::save");
}
#else
#include "../stage.h"

#include <keel_save.h>
#include <unistd.h>

// ------------------------------------------------------------------ saving
// Rank 0 tells it to all ranks before they save.
typedef struct save_head {
    uint64_t number;
    bool is_new; // the folder
} save_head;

// Fails if an entity has no id: it would be lost.
static keel_result check_entities(keel_domain *d) {
    if (keel_entity_count(d->world) == keel_component_count(d->world, KEEL_OF(keel_global_id)))
        return KEEL_OK;
    keel_entity e = keel_next_entity(d->world, keel_null());
    while (!keel_is_null(e) && keel_has_component(d->world, e, KEEL_OF(keel_global_id)))
        e = keel_next_entity(d->world, e);
    if (keel_is_null(e)) return KEEL_OK;
    const char *name = keel_name_of(d->world, e);
    return keeli_domain_fail(d, KEEL_ERROR_UNKNOWN,
                             "entity %u%s%.60s has no keel_global_id, or a disabled one: give it "
                             "one, or delete it before keel_domain_save",
                             (unsigned)keel_entity_index(e), name ? ", " : "", name ? name : "");
}

// Gives ids to new entities, and tells deaths, as at the end of a step.
static keel_result finish_step(keel_domain *d) {
    const keel_result given = keeli_ids_update(d), buried = keeli_deaths_settle(d);
    KEEL_TRY(given);
    KEEL_TRY(buried);
    return check_entities(d);
}

// Rank 0 makes the folder, and chooses a number for the files.
static keel_result agree_on_head(keel_domain *d, const char *folder, keel_result own,
                                 save_head *head) {
    *head = (save_head){ 0 };
    const bool is_first = d->desc.ranks.rank == 0;
    if (own >= 0 && is_first)
        own = keeli_checkpoint_folder(d, folder, &head->is_new, &head->number);
    own = keeli_domain_agree(d, own, 0);
    if (own < 0 && head->is_new) (void)rmdir(folder);
    KEEL_TRY(own);
    KEEL_TRY(keeli_domain_tell_all(d, head, is_first ? sizeof *head : 0));
    if (d->receive[0].size != sizeof *head)
        return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "rank 0 told no number of the checkpoint");
    memcpy(head, d->receive[0].bytes, sizeof *head);
    return KEEL_OK;
}

// Collects the parts of all ranks. On rank 0, writes the manifest.
static keel_result write_manifest(keel_domain *d, const char *folder, const mpi_part *own,
                                  bool *is_there) {
    const uint32_t count = d->desc.ranks.count;
    KEEL_TRY(keeli_domain_tell_all(d, own, sizeof *own));
    if (d->desc.ranks.rank) return KEEL_OK;
    mpi_manifest m = { d->status.steps, keeli_schema_hash(d), count, NULL };
    m.parts = calloc(count, sizeof *m.parts);
    if (!m.parts) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "a checkpoint: out of memory");
    keel_result result = KEEL_OK;
    for (uint32_t r = 0; r < count && result == KEEL_OK; ++r) {
        if (d->receive[r].size == sizeof *own)
            memcpy(&m.parts[r], d->receive[r].bytes, sizeof *own);
        result = keeli_checkpoint_check_part(d, folder, &m.parts[r]);
    }
    if (result == KEEL_OK) result = keeli_checkpoint_write_manifest(d, folder, &m, is_there);
    free(m.parts);
    return result;
}

// All parts are written when the manifest is, and all old ones are there until it is in place. Only
// rank 0, which knows whether it is, deletes files.
keel_result keel_domain_save(keel_domain *d, const char *folder) {
    if (!d) return KEEL_ERROR_ARGUMENT;
    save_head head;
    mpi_part part = { .size = 0 };
    bool is_there = false;
    keel_result result = finish_step(d);
    if (!folder || !*folder)
        result = keeli_domain_fail(d, KEEL_ERROR_ARGUMENT, "keel_domain_save needs a folder");
    KEEL_TRY(agree_on_head(d, folder, result, &head));
    result = keeli_checkpoint_write_part(d, folder, head.number, &part);
    result = keeli_domain_agree(d, result, 0);
    if (result >= 0) result = keeli_domain_agree(d, write_manifest(d, folder, &part, &is_there), 0);
    if (d->desc.ranks.rank) return result;
    if (result >= 0) keeli_checkpoint_delete(folder, head.number, true);
    else if (!is_there) keeli_checkpoint_delete(folder, head.number, false);
    if (result < 0 && head.is_new) (void)rmdir(folder);
    return result;
}

// ------------------------------------------------------------------ restarting
typedef struct restart {
    mpi_manifest manifest;
    mpi_bytes entities;  // packed, from the parts that this rank loads
    keel_world *uniques; // a part without its entities
} restart;

// Rank 0 reads the manifest for all.
static keel_result load_manifest(keel_domain *d, mpi_manifest *manifest) {
    void *text = NULL;
    size_t size = 0;
    char *path = keeli_checkpoint_path(d->desc.restart, "manifest");
    keel_result result = KEEL_OK;
    if (!path) result = keeli_domain_fail(d, KEEL_ERROR_MEMORY, "a restart: out of memory");
    else if (!d->desc.ranks.rank)
        result = keeli_checkpoint_read_file(d, path, MPI_MANIFEST_BYTES, &text, &size);
    result = keeli_domain_agree(d, result, 0);
    if (result >= 0) result = keeli_domain_tell_all(d, text, size);
    free(text);
    if (result >= 0) {
        const char *why;
        const char *first = d->receive[0].size ? d->receive[0].bytes : "";
        size = strnlen(first, d->receive[0].size); // zeros are behind the text
        result = keeli_manifest_read(manifest, first, size, &why);
        if (result < 0) (void)keeli_domain_fail(d, result, "cannot read '%.150s': %s", path, why);
        result = keeli_domain_agree(d, result, 0);
    }
    free(path);
    return result;
}

// The entities that a part owns: its list in the order in which entities move, and all.
typedef struct part_lists {
    mpi_list *moving, all;
} part_lists;

// Adds who has no leader here, with its followers.
static bool list_part_span(keel_domain *part, const keel_span *span, void *data) {
    part_lists *lists = data;
    for (uint32_t i = 0; i < span->count; ++i) {
        const keel_entity e = span->entities[i], leader = keeli_together_leader(part, e);
        const bool is_first =
            keel_is_null(leader) || keel_has_component(part->world, leader, KEEL_OF(keel_ghost));
        if (is_first && !keeli_together_list(part, e, lists->moving)) return false;
    }
    return keeli_list_span(part, span, &lists->all);
}

// Returns an entity of the circle that this one follows.
static keel_entity find_circle(const keel_domain *part, keel_entity e, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) // then all that is only behind the circle is passed
        e = keeli_together_leader(part, e);
    return e;
}

// Adds those that are missing, since they follow each other in a circle, or one that does. False
// when out of memory.
static bool list_circles(keel_domain *part, const part_lists *lists) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < lists->all.count; ++i) {
        const uint32_t index = keel_entity_index(lists->all.items[i]);
        most = index > most ? index : most;
    }
    bool *is_listed = calloc((size_t)most + 1, sizeof *is_listed);
    bool has_room = is_listed != NULL;
    for (uint32_t i = 0, marked = 0; i < lists->all.count && has_room; ++i) {
        for (; marked < lists->moving->count; ++marked)
            is_listed[keel_entity_index(lists->moving->items[marked])] = true;
        const keel_entity e = lists->all.items[i];
        if (!is_listed[keel_entity_index(e)])
            has_room =
                keeli_together_list(part, find_circle(part, e, lists->all.count), lists->moving);
    }
    free(is_listed);
    return has_room;
}

// Lists followers behind their leaders, in their order there: so their order will be the same.
static keel_result list_part(keel_domain *part, mpi_list *list) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    part_lists lists = { .moving = list };
    keel_result result = keeli_each_span(part, terms, "a restart", list_part_span, &lists);
    if (result >= 0 && list->count < lists.all.count && !list_circles(part, &lists))
        result = keeli_domain_fail(part, KEEL_ERROR_MEMORY, "a restart: out of memory");
    free(lists.all.items);
    return result;
}

// Makes a domain of the world of a part, with what packing needs, and no other ranks. NULL when out
// of memory.
static keel_domain *begin_part(const keel_domain *d, keel_world *world) {
    keel_domain *part = calloc(1, sizeof *part);
    if (!part) return NULL;
    part->world = world;
    part->desc = d->desc;
    part->desc.ranks.count = 1;
    part->serial = d->serial;
    part->desc.position = keel_register_component(world, d->desc.position);
    part->lists = calloc(1 + MPI_MORE_LISTS, sizeof *part->lists);
    part->reader = keel_reader_create(world, "keel::mpi: ids");
    if (part->desc.position && part->lists && part->reader) return part;
    keel_domain_end(part);
    return NULL;
}

// Packs the entities that a part owns.
static keel_result pack_part(keel_domain *d, keel_world *world, mpi_bytes *out) {
    keel_domain *part = begin_part(d, world);
    if (!part) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "a restart: out of memory");
    keel_result result = keeli_columns_begin(part);
    if (result >= 0) result = keeli_ids_begin(part);
    if (result >= 0) result = list_part(part, &part->lists[1]);
    if (result >= 0) result = keeli_columns_pack(part, &part->lists[1], out);
    d->serial = part->serial;
    if (result < 0) d->error = part->error;
    keel_domain_end(part);
    return result;
}

// Makes a world know the components of the domain's, and its templates of prefabs, with their
// handles.
static keel_result prepare_world(keel_domain *d, keel_world *world) {
    keel_result result = stage_register(world, d->world, NULL);
    if (result >= 0 && d->template_count) {
        keel_world *templates = keel_templates(world);
        result = templates ? keel_copy_world(d->template_world, templates) : KEEL_ERROR_MEMORY;
    }
    return result >= 0
               ? KEEL_OK
               : keeli_domain_fail(d, result, "a restart: %.180s", keel_result_text(result));
}

enum { UNKNOWN_NAME = 128 };

// Keeps the name of a component that the program does not know, the first one.
static void note_unknown(const keel_load_note *note, void *name) {
    char *const text = name;
    if (note->change == KEEL_LOAD_SKIPPED_COMPONENT && !*text)
        (void)snprintf(text, UNKNOWN_NAME, "%s", note->component);
}

// Loads the bytes of a part.
static keel_result load_bytes(keel_domain *d, const mpi_manifest *m, const mpi_part *part,
                              const void *bytes, size_t size, keel_world *world) {
    keel_error error = { .result = KEEL_OK };
    char unknown[UNKNOWN_NAME] = "";
    const keel_load_options options = { .error = &error,
                                        .max_bytes = UINT64_C(1) << 40,
                                        .max_entities = UINT32_MAX,
                                        .unknown = KEEL_UNKNOWN_SKIP,
                                        .report = note_unknown,
                                        .report_data = unknown };
    const keel_result result = keel_load_from(world, bytes, size, &options);
    if (result >= 0 && *unknown)
        return keeli_domain_fail(d, KEEL_ERROR_SCHEMA,
                                 "the checkpoint has '%.80s', which this program has not "
                                 "registered; register it before keel_domain_begin",
                                 unknown);
    if (result >= 0) return KEEL_OK;
    return keeli_domain_fail(
        d, result, "'%.60s': %.130s%s", part->name, error.message,
        m->schema == keeli_schema_hash(d) ? "" : " (a program with other components saved it)");
}

// Loads the file of a part into a world that knows the same components.
static keel_result load_world(keel_domain *d, const mpi_manifest *m, const mpi_part *part,
                              const char *path, keel_world *world) {
    void *bytes;
    size_t size;
    KEEL_TRY(keeli_checkpoint_read_file(d, path, SIZE_MAX - 1, &bytes, &size));
    keel_result result = KEEL_OK;
    if (size != part->size)
        result = keeli_domain_fail(d, KEEL_ERROR_FORMAT,
                                   "'%.120s' has %llu bytes, not %llu as the manifest says: it is "
                                   "truncated, or of another checkpoint",
                                   path, (unsigned long long)size, (unsigned long long)part->size);
    else if (keeli_manifest_hash(bytes, size) != part->hash)
        result = keeli_domain_fail(d, KEEL_ERROR_FORMAT,
                                   "'%.120s' does not have the hash that the manifest says: it is "
                                   "damaged, or of another checkpoint",
                                   path);
    else result = prepare_world(d, world);
    if (result >= 0) result = load_bytes(d, m, part, bytes, size, world);
    free(bytes);
    return result;
}

static keel_result load_part(keel_domain *d, restart *r, uint32_t number) {
    const mpi_part *part = &r->manifest.parts[number];
    const uint32_t ranks = d->desc.ranks.count, rank = d->desc.ranks.rank;
    char *path = keeli_checkpoint_path(d->desc.restart, part->name);
    keel_world *world = stage_create("a part of a checkpoint", (keel_allocator){ 0 });
    keel_result result = path && world
                             ? load_world(d, &r->manifest, part, path, world)
                             : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "a restart: out of memory");
    free(path);
    if (result >= 0 && number % ranks == rank) result = pack_part(d, world, &r->entities);
    if (result >= 0 && number == rank % r->manifest.count) {
        (void)keel_clear_entities(world);
        r->uniques = world;
        return KEEL_OK;
    }
    keel_world_destroy(world);
    return result < 0 ? result : KEEL_OK;
}

// Loads the parts of this rank, and packs their entities. The domain's world does not change.
static keel_result load_parts(keel_domain *d, restart *r) {
    const mpi_manifest *m = &r->manifest;
    if (keel_entity_count(d->world))
        return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                 "the world of a restart has entities: begin with an empty one");
    for (const keel_reduced *one = d->desc.reduced; one && one->unique; ++one)
        if (!keel_register_component(d->world, one->unique)) return keeli_domain_fail_world(d);
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->parts[i].serial > d->serial) d->serial = m->parts[i].serial;
    for (uint32_t i = 0; i < m->count; ++i)
        if (i % d->desc.ranks.count == d->desc.ranks.rank || i == d->desc.ranks.rank % m->count)
            KEEL_TRY(load_part(d, r, i));
    return KEEL_OK;
}

static keel_result unpack(keel_domain *d, restart *r) {
    const keel_rank_bytes bytes = { r->entities.items, r->entities.size };
    KEEL_TRY(keeli_columns_unpack(d, bytes, d->desc.ranks.rank));
    keeli_map_free(&d->arrived);
    d->status.received = 0; // none came from another rank
    return keeli_ids_update(d);
}

// Moves the uniques of a part to the world.
static keel_result take_uniques(keel_domain *d, keel_world *from) {
    for (const keel_component *c = NULL; (c = keel_next_unique(from, c)) != NULL;) {
        if (!keel_get_unique_value(from, c)) continue;
        const keel_component *to = keel_register_component(d->world, c);
        void *value = malloc(c->size + 1u);
        keel_result result =
            to && value ? keel_remove_unique_value(from, c, value) : KEEL_ERROR_MEMORY;
        if (result >= 0) result = keel_set_unique_value(d->world, to, value);
        free(value);
        if (result < 0)
            return keeli_domain_fail(d, result, "a restart cannot set unique '%.80s': %s", c->name,
                                     keel_result_text(result));
    }
    return KEEL_OK;
}

keel_result keeli_checkpoint_restart(keel_domain *d) {
    restart r = { .uniques = NULL };
    keel_result result = load_manifest(d, &r.manifest);
    if (result >= 0) result = keeli_domain_agree(d, load_parts(d, &r), 0);
    const bool is_empty = result >= 0;
    if (result >= 0) result = keeli_domain_agree(d, unpack(d, &r), 0);
    if (result >= 0) result = keel_domain_balance(d);
    if (result >= 0) result = keeli_domain_agree(d, take_uniques(d, r.uniques), 0);
    if (result >= 0) d->status.steps = r.manifest.steps;
    else if (is_empty) (void)keel_clear_entities(d->world);
    keel_world_destroy(r.uniques);
    free(r.manifest.parts);
    free(r.entities.items);
    return result;
}
#endif
