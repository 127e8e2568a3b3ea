// SPDX-License-Identifier: MIT
// Tells other ranks which entities died, so that no handle names them any more. A program that
// deletes a ghost deletes its entity: the rank that owns it hears of it in the same way.
#include "domain.h"

#include <string.h>

// Appends the ids of the deleted that a reader has not seen. `id_of` finds the id in a value.
static bool note(keel_domain *d, keel_reader *reader, const keel_component *c,
                 uint64_t (*id_of)(const void *)) {
    keel_removal_walk walk = keel_removals((keel_scope *)reader, c, KEEL_TRACK_DELETION);
    while (keel_removal_next(&walk)) {
        uint64_t *at = keeli_bytes_add(&d->dead_ids, sizeof *at);
        if (!at) return false;
        *at = id_of(walk.removal.value);
    }
    keel_reader_advance(reader);
    return true;
}

static uint64_t id_of_known(const void *value) { return ((const keel_known_ghost *)value)->id; }
static uint64_t id_of_ghost(const void *value) { return ((const keel_ghost *)value)->id; }

keel_result keeli_deaths_note(keel_domain *d) {
    const bool has_room = note(d, d->known_deleted, KEEL_OF(keel_known_ghost), id_of_known) &&
                          note(d, d->ghosts_deleted, KEEL_OF(keel_ghost), id_of_ghost);
    return has_room ? KEEL_OK
                    : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "telling deaths: out of memory");
}

// Deletes the entities with some ids, ghosts and owned ones. Deletions may cause others here.
static keel_result bury(keel_domain *d, const uint64_t *ids, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const keel_entity e = keeli_ids_find(&d->ids, ids[i]);
        if (keel_is_alive(d->world, e) && keel_delete_entity(d->world, e) < 0)
            return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

keel_result keeli_deaths_tell(keel_domain *d) {
    keel_result result = KEEL_OK;
    for (;;) { // the first time, all ranks have told each other already
        bool is_over = true;
        for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
            const size_t count = d->told[r].size / sizeof(uint64_t);
            is_over &= !count;
            if (result == KEEL_OK) result = bury(d, d->told[r].bytes, count);
        }
        if (is_over) return result == KEEL_OK ? keeli_ids_update(d) : result;
        d->dead_ids.size = 0;
        keel_reader_advance(
            d->ghosts_deleted); // ghosts that were deleted here are known to be dead
        if (result == KEEL_OK) result = keeli_deaths_note(d);
        KEEL_TRY(keeli_domain_tell_all(d, d->dead_ids.items, d->dead_ids.size));
        memcpy(d->told, d->receive, d->desc.ranks.count * sizeof *d->told);
    }
}

keel_result keeli_deaths_settle(keel_domain *d) {
    const keel_result noted = keeli_deaths_note(d);
    KEEL_TRY(keeli_domain_tell_all(d, d->dead_ids.items, d->dead_ids.size));
    d->dead_ids.size = 0;
    memcpy(d->told, d->receive, d->desc.ranks.count * sizeof *d->told);
    const keel_result told = keeli_deaths_tell(d);
    return noted < 0 ? noted : told;
}
