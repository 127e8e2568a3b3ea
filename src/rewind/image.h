// SPDX-License-Identifier: MIT
// Images: one world becomes a copy of another one, with the same handles (alive and free), the same
// values in the same places, the same order of everything, and the same ticks, events and removed
// values. Caches are not copied but emptied, and their keys are raised, so that no stale entry is
// ever used. The copy is complete if every further call has the same result in both worlds. The
// progress of readers, steps and groups is not part of the image: runs.h copies it. Called by
// snapshot.c.
#pragma once
#include "world/scope.h"
#include "world/storage.h"

#include <keel/snapshot.h>

// True if the storage holds values: of entities, of a unique, of events or removed ones.
static inline bool keeli_holds_values(const keeli_storage *s) {
    return s->presence.count || s->disabled.count || s->unique || s->tracking.removed.count ||
           (s->events && s->events->count);
}

// True if the image leaves the values of this storage as they are: of a transient component, except
// one in archetypes, whose rows are copied as a whole.
static inline bool keeli_image_leaves(const keeli_storage *s) {
    return s->component.transient && !keeli_store_has_rows(s);
}

// The parts of a storage's copy that may fail, made before anything changes: copies of values with
// hooks, and of parts that the commit exchanges as a whole.
typedef struct keeli_staged {
    void *values;         // copies in the order of the storage, then the disabled ones by index
    uint32_t count, made; // room for values, and number of values copied so far
    void *unique;
    keeli_queue removed, events;
    keeli_edges edges;             // copy of edges whose values have hooks
    const keeli_edges *from_edges; // edges to copy from, with plain values or none; NULL: none
    keeli_edge_changes changes;    // blocks of edges to copy
    keeli_change *logs[2]; // new logs of ticks, of insertions and of modifications; NULL: the log
                           // has the needed capacity already
    bool has_removed, has_events, has_edges, has_unique; // these members have to be freed
    uint32_t kinds_before;                               // tracked kinds of changes before the copy
    // The following are set by compare.c before the copy: the parts that need not be copied.
    bool is_known;     // the storage was the same in both worlds once, and all writes since are
                       // stamped
    bool is_same;      // the same entities have values in both worlds, in the same places
    bool is_in_place;  // no value of the storage has another place in the other world
    bool is_ticked;    // ticks of modifications tell which values were written since
    bool keeps_values; // hooked values or names need not be copied, as they are the same
    bool keeps_edges;  // edges need not be copied, as they are the same
    bool keeps_unique; // the unique need not be copied, as it is the same
} keeli_staged;

// Writes plain bytes of values of `to`. `memory` is the allocation that `at` is part of.
void keeli_image_write(const keel_world *to, void *memory, char *at, const char *from,
                       size_t bytes);

typedef struct keeli_image {
    keel_world *to;
    const keel_world *from;
    keel_world *teller; // the live world of the two, to which errors are reported
    uint32_t since;     // epoch of the live world when both were last the same; 0: never, or
                        // everything has to be copied
    uint32_t tick;      // tick of the snapshot, relative to the live world's tick_base
    bool checks;        // values in blocks without a newer stamp are compared, too
    uint64_t copied;    // bytes of plain values that were copied
    KEELI_ARRAY(keeli_staged) staged; // by position of the component in `to`
    keeli_archetypes archetypes;      // archetypes like those of `from`, if `has_archetypes`
    bool same_numbers;                // components have the same numbers in component lists
    bool same_lists;                  // component lists need not be copied
    bool same_rows;                   // rows need not be copied
    bool same_handles;                // handles need not be copied
    bool has_archetypes;              // the archetypes of `to` are not like those of `from`
} keeli_image;

// Returns the storage of the same component in the world to copy from. `t` is a storage of
// `image->to` here and below.
static inline keeli_storage *keeli_image_source(const keeli_image *image, const keeli_storage *t) {
    return image->from->root.storages[t->slot];
}
// Returns the storage in the live world, which has stamps; that of a snapshot has none.
static inline keeli_storage *keeli_image_live(const keeli_image *image, const keeli_storage *t) {
    return image->teller->root.storages[t->slot];
}
// True if the world is copied to a snapshot; otherwise it is restored from one.
static inline bool keeli_image_is_take(const keeli_image *image) {
    return image->teller != image->to;
}
// True if values are copied one by one, by a copy hook or as names.
static inline bool keeli_copies_singly(const keeli_storage *s) {
    return s->component.copy || s == s->world->names.storage;
}

// Allocates and copies everything that can fail. Returns KEEL_OK. On KEEL_ERROR_MEMORY and
// KEEL_ERROR_COPY neither world has changed and everything was freed. `to` must know all components
// of `from`. `flags` are bits KEEL_SNAPSHOT_*.
keel_result keeli_image_reserve(keeli_image *image, keel_world *to, const keel_world *from,
                                keel_world *teller, uint32_t flags);
// Returns the reader of `to` for a reader of `from`, or NULL if the reader does not exist any more.
typedef const keeli_reader *keeli_reader_map(void *data, const keeli_reader *reader);
// Makes `to` the image, after keeli_image_reserve; cannot fail. Calls `keeps` with `data` for each
// reader of a copied queue, to replace or remove the reader.
void keeli_image_commit(keeli_image *image, keeli_reader_map *keeps, void *data);
// Frees what keeli_image_reserve made, instead of a commit.
void keeli_image_cancel(keeli_image *image);
