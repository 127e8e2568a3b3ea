// SPDX-License-Identifier: MIT
#include "run/prepared.h"

#include <string.h>

// ------------------------------------------------------------------ the table
// By the system's address, open addressing; never more than half full.
static uint32_t place_of(const keel_world *world, const keel_system *system) {
    const uint32_t mask = world->prepared_capacity - 1;
    uint32_t at = (uint32_t)((uintptr_t)system / 16) & mask;
    while (world->prepared[at] && world->prepared[at]->system != system)
        at = (at + 1) & mask;
    return at;
}

static bool grow(keel_world *world) {
    if ((world->prepared_count + 1) * 2 <= world->prepared_capacity) return true;
    const uint32_t old_capacity = world->prepared_capacity;
    const uint32_t capacity = old_capacity ? old_capacity * 2 : 32;
    keeli_prepared **old = world->prepared;
    keeli_prepared **fresh =
        keeli_new_zeroed(&world->heap, capacity * sizeof *fresh, sizeof(void *));
    if (!fresh) return false;
    world->prepared = fresh;
    world->prepared_capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; ++i)
        if (old[i]) fresh[place_of(world, old[i]->system)] = old[i];
    keeli_free(&world->heap, old, old_capacity * sizeof *old, sizeof(void *));
    return true;
}

// ------------------------------------------------------------------ what can be kept
// Terms with lists of components and custom views could change behind their pointers, and plain
// pointers to components made at run time could be used for others.
static bool can_keep(const keel_world *world, const keel_system *system, const keeli_view *view) {
    if (world->share_depth || view->holder.everything) return false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term *term = &system->terms[t];
        if (term->others || term->custom || (term->component && !term->component->slot))
            return false;
    }
    return true;
}

// Do the terms still say what they said?
static bool is_same(const keeli_prepared *p) {
    const keeli_view *view = p->view;
    const keel_term *terms = p->system->terms;
    if (p->name != p->system->name) return false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term *a = &p->terms[t], *b = &terms[t];
        if (a->kind != b->kind || a->component != b->component || b->others || b->custom ||
            a->data_size != b->data_size || a->name != b->name)
            return false;
        if (!a->component) continue;
        const keeli_storage *s = view->storages[view->terms[t].first];
        if (!a->component->slot || keeli_atomic_load(a->component->slot) != s->slot) return false;
        if (s->component.is_unique && !s->unique) return false; // the long way says so
    }
    return terms[view->term_count].kind == KEEL_TERM_END;
}

keeli_prepared *keeli_prepared_take(keel_world *world, const keel_system *system) {
    if (!world->prepared_capacity || world->share_depth) return NULL;
    keeli_prepared *p = world->prepared[place_of(world, system)];
    if (!p || p->busy || p->bindings != world->bindings || !is_same(p)) return NULL;
    p->busy = true;
    return p;
}

// ------------------------------------------------------------------ keeping
bool keeli_prepared_keep(keel_world *world, const keel_system *system, const keeli_view *view) {
    if (!can_keep(world, system, view)) return true;
    if (!grow(world)) return false;
    const uint32_t at = place_of(world, system);
    keeli_prepared *p = world->prepared[at];
    if (p && p->busy) return true;
    if (!p && !(p = KEELI_NEW(&world->heap, keeli_prepared))) return false;
    if (!world->prepared[at]) ++world->prepared_count;
    world->prepared[at] = p;
    p->system = system;
    p->name = system->name;
    p->bindings = 0; // until all is there
    if (p->view) keeli_view_free(p->view);
    p->view = keeli_view_keep(view);
    if (!p->view) return false;
    memcpy(p->terms, system->terms, view->term_count * sizeof *p->terms);
    p->bindings = world->bindings;
    return true;
}

bool keeli_loop_is_empty(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (keeli_term_must(view->terms[t].kind) &&
            !keeli_store_count(view->storages[view->terms[t].first]))
            return true;
    return false;
}

void keeli_prepared_deinit(keel_world *world) {
    for (uint32_t i = 0; i < world->prepared_capacity; ++i) {
        keeli_prepared *p = world->prepared[i];
        if (!p) continue;
        if (p->view) keeli_view_free(p->view);
        KEELI_FREE(&world->heap, keeli_prepared, p);
    }
    keeli_free(&world->heap, world->prepared, world->prepared_capacity * sizeof(void *),
               sizeof(void *));
}
