// SPDX-License-Identifier: MIT
// From a list of bodies to a world: the entities and their hierarchy.
#include "population.h"
#include "belt.h"
#include "components.h"
#include "perturbations.h"
#include <stdlib.h>

// A function that returns a handle tells the reason for a null handle through the world.
static keel_result check_handle(const keel_world *world, keel_entity e) {
    return keel_is_null(e) ? keel_last_error(world)->result : KEEL_OK;
}

static keel_result add_centre(keel_world *world, const body_row *centre, keel_entity *added) {
    *added = keel_add_entity(world, KEEL_INIT(Name, { centre->name }), KEEL_INIT(Position));
    KEEL_TRY(check_handle(world, *added));
    return keel_set_unique(world, Centre, { *added });
}

static keel_result add_body(keel_world *world, const body_row *body, keel_entity *added) {
    const elements *at = &body->at_j2000, *rate = &body->per_century;
    *added = keel_add_entity(world, KEEL_INIT(Name, { body->name }),
                             KEEL_INIT(Drift, { *at, *rate }),
                             KEEL_INIT(Motion, { at->L - at->peri, rate->L - rate->peri }),
                             KEEL_INIT(Orbit), KEEL_INIT(Anomaly), KEEL_INIT(Local),
                             KEEL_INIT(Position)); // the systems fill these in
    KEEL_TRY(check_handle(world, *added));
    const Perturbation perturbation = { perturbations_of(body) };
    return perturbation.list.count ? keel_add(world, *added, Perturbation, perturbation) : KEEL_OK;
}

static keel_result add_all(keel_world *world, const body_list *list, keel_entity *handles) {
    for (int k = 0; k < list->count; ++k) {
        const body_row *body = &list->items[k];
        KEEL_TRY((k == list->centre ? add_centre : add_body)(world, body, &handles[k]));
    }
    // A second pass, because a file may list a moon before its planet.
    for (int k = 0; k < list->count; ++k)
        if (k != list->centre)
            KEEL_TRY(keel_attach(world, handles[k], handles[list->items[k].parent]));
    return KEEL_OK;
}

keel_result populate_bodies(keel_world *world, const body_list *list) {
    keel_entity *handles = malloc((size_t)list->count * sizeof *handles);
    if (!handles) return KEEL_ERROR_MEMORY;
    const keel_result result = add_all(world, list, handles);
    free(handles);
    return result;
}

// Asteroids are made in batches: one call for many entities, and little memory besides the world's.
enum { BATCH = 1024 };

static keel_result add_batch(keel_world *world, uint32_t count, uint64_t *random) {
    Motion motions[BATCH];
    Orbit orbits[BATCH];
    keel_entity handles[BATCH];
    for (uint32_t k = 0; k < count; ++k) {
        const elements at = belt_next(random, &motions[k].per_century);
        motions[k].at_j2000 = at.L - at.peri;
        orbits[k].path = ellipse_of(&at);
    }
    KEEL_TRY(keel_add_entities(world, count, handles, KEEL_COLUMN(Motion, motions),
                               KEEL_COLUMN(Orbit, orbits), KEEL_FILL(Anomaly), KEEL_FILL(Local),
                               KEEL_FILL(Position), KEEL_FILL(Asteroid)));
    const keel_entity centre = keel_get_unique(world, Centre)->body;
    for (uint32_t k = 0; k < count; ++k) KEEL_TRY(keel_attach(world, handles[k], centre));
    return KEEL_OK;
}

keel_result populate_belt(keel_world *world, uint32_t count, uint64_t seed) {
    uint64_t random = seed;
    for (uint32_t added = 0; added < count;) {
        const uint32_t rest = count - added, batch = rest < BATCH ? rest : BATCH;
        KEEL_TRY(add_batch(world, batch, &random));
        added += batch;
    }
    return KEEL_OK;
}
