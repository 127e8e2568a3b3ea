// SPDX-License-Identifier: MIT
// A world becomes the image of another one: the same handles, alive and free, the same values in
// the same places, the same order of everything, the same ticks, events and removed values. What
// only speeds reading up is not taken over but made anew, and its keys go up, so that nothing stale
// is ever taken for current. Two worlds are the same in this sense exactly when the same calls lead
// to the same results from then on; what systems know of their runs is in runs.h.
#pragma once
#include "world/scope.h"
#include "world/storage.h"

#include <keel/snapshot.h>

// Does it hold values, of entities, a unique or events?
static inline bool keeli_holds_values(const keeli_storage *s) {
    return s->presence.count || s->disabled.count || s->unique || s->tracking.removed.count ||
           (s->events && s->events->count);
}

// Values of this storage stay as they are: a transient component, but for one in archetypes, whose
// rows come as a whole.
static inline bool keeli_image_leaves(const keeli_storage *s) {
    return s->component.transient && !keeli_store_has_rows(s);
}

// What is made while all may still fail: copies of values with hooks, and of what is swapped whole.
typedef struct keeli_staged {
    void *values; // in the storage's order, then the disabled ones by index
    uint32_t count, made;
    void *unique;
    keeli_queue removed, events;
    keeli_edges edges;
    const keeli_edges *from_edges; // without values: they come to where they lay; NULL: the same
    keeli_change *logs[2]; // of ticks: insertions, modifications; NULL: the size is the same
    bool has_removed, has_events, has_edges, has_unique; // they were made
    bool is_same;                    // who has a value did not change, nor where
    bool is_in_place;                // no value has another place
    bool is_ticked;                  // ticks of modifications tell which values were written since
    bool keeps_values, keeps_unique; // which were not written
} keeli_staged;

// Write plain bytes of values of `to`; `memory` is what was allocated there.
void keeli_image_write(const keel_world *to, void *memory, char *at, const char *from,
                       size_t bytes);

typedef struct keeli_image {
    keel_world *to;
    const keel_world *from;
    keel_world *teller;               // the one that is no snapshot's; keeps errors
    uint32_t since;                   // the epoch when both were the same; 0: never
    uint32_t tick;                    // then
    bool checks;                      // what was not stamped is compared
    uint64_t copied;                  // bytes of values
    KEELI_ARRAY(keeli_staged) staged; // by position in `to`
    keeli_archetypes archetypes;
    bool same_numbers; // of components in lists of blocks
    bool same_lists;   // of blocks
    bool same_rows, same_handles;
    bool has_archetypes; // those of `to` are not like those of `from`
} keeli_image;

// Make everything that can fail, KEEL_OK, KEEL_ERROR_MEMORY or KEEL_ERROR_COPY: then nothing has
// changed and all was given back. `to` knows all components of `from`.
// `flags`: KEEL_SNAPSHOT_*.
keel_result keeli_image_reserve(keeli_image *image, keel_world *to, const keel_world *from,
                                keel_world *teller, uint32_t flags);
// This cannot fail. Readers of queues are taken over by `keeps`, which gives the reader of `to`
// that a reader of `from` stands for; NULL: it is none any more.
typedef const keeli_reader *keeli_reader_map(void *data, const keeli_reader *reader);
void keeli_image_commit(keeli_image *image, keeli_reader_map *keeps, void *data);
// Instead of that.
void keeli_image_cancel(keeli_image *image);
