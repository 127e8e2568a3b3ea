// SPDX-License-Identifier: MIT
#include "run/prepared.h"

#include "follow/track.h"

#include <string.h>

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

// Does the system still say what it said?
static bool is_same(const keeli_prepared *p, const keel_system *system) {
    const keel_term *terms = system->terms;
    if (p->name != system->name || p->kind != system->kind || p->run != system->run ||
        p->function != system->function)
        return false;
    for (uint32_t t = 0; t < p->view->term_count; ++t)
        if (!keeli_is_same_term(&p->terms[t], &terms[t])) return false;
    for (uint32_t i = 0; i < p->used_count; ++i) {
        const keel_component *c = p->used_as[i];
        const keeli_storage *s = p->used[i];
        if (!c->slot || keeli_atomic_load(c->slot) != s->slot) return false;
        if (s->flags & KEELI_IS_UNIQUE && !s->unique && !s->events)
            return false; // the long way says so
    }
    return terms[p->view->term_count].kind == KEEL_TERM_END;
}

keeli_prepared *keeli_prepared_take(keel_world *world, const keel_system *system) {
    if (world->share_depth) return NULL;
    keeli_prepared *p = keeli_pointer_find(&world->prepared, system);
    if (!p || p->busy || p->bindings != world->bindings || !is_same(p, system)) return NULL;
    p->busy = true;
    return p;
}

// ------------------------------------------------------------------ nothing to do
bool keeli_prepared_is_idle(keel_world *world, keeli_prepared *p) {
    if (!p->is_loop || world->holders) return false;
    for (uint32_t i = 0; i < p->must_count; ++i)
        if (!keeli_store_count(p->must[i])) return true;
    if (!p->change_count) return false;
    if (!p->reader) p->reader = keeli_system_reader_get(world, p->system);
    for (uint32_t i = 0; p->reader && i < p->change_count; ++i) {
        if (!keeli_nothing_changed(world, p->changes[i], p->reader)) continue;
        p->reader->last = world->tick;
        keeli_tick_advance(world);
        return true;
    }
    return false;
}

static void add_once(const keeli_storage **list, uint32_t *count, const keeli_storage *s) {
    for (uint32_t i = 0; i < *count; ++i)
        if (list[i] == s) return;
    list[(*count)++] = s;
}

static void add_use(keeli_prepared *p, const keel_component *c, const keeli_storage *s) {
    for (uint32_t i = 0; i < p->used_count; ++i)
        if (p->used_as[i] == c) return;
    p->used_as[p->used_count] = c;
    p->used[p->used_count++] = s;
}

// What that and is_same look at.
static void keep_looks(keeli_prepared *p) {
    // who receives events passes them when it runs
    p->is_loop = (p->kind == KEEL_PER_ENTITY || p->kind == KEEL_PER_SPAN) && !p->view->has_events;
    p->has_data = false;
    p->used_count = p->must_count = p->change_count = 0;
    for (uint32_t t = 0; t < p->view->term_count; ++t) {
        const keel_term_kind kind = p->view->terms[t].kind;
        p->has_data |= kind == KEEL_TERM_DATA;
        if (!p->terms[t].component || !p->view->terms[t].count) continue;
        const keeli_storage *s = p->view->storages[p->view->terms[t].first];
        add_use(p, p->terms[t].component, s);
        if (keeli_term_must(kind)) add_once(p->must, &p->must_count, s);
        if (kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_CHANGED)
            add_once(p->changes, &p->change_count, s);
    }
}

// ------------------------------------------------------------------ keeping
bool keeli_prepared_keep(keel_world *world, const keel_system *system, const keeli_view *view) {
    if (!can_keep(world, system, view)) return true;
    keeli_prepared *p = keeli_pointer_find(&world->prepared, system);
    if (p && p->busy) return true;
    if (!p) {
        if (!keeli_pointer_reserve(&world->prepared, &world->heap)) return false;
        if (!(p = KEELI_NEW(&world->heap, keeli_prepared))) return false;
        keeli_pointer_add(&world->prepared, system, p);
    }
    p->system = system;
    p->name = system->name;
    p->kind = system->kind;
    p->run = system->run;
    p->function = system->function;
    p->bindings = 0; // until all is there
    if (p->view) keeli_view_free(p->view);
    p->view = keeli_view_keep(view);
    if (!p->view) return false;
    memcpy(p->terms, system->terms, view->term_count * sizeof *p->terms);
    keep_looks(p);
    p->bindings = world->bindings;
    return true;
}

bool keeli_loop_is_empty(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (!keeli_term_must(view->terms[t].kind)) continue;
        const keeli_storage *s = view->storages[view->terms[t].first]; // NULL: nobody knows it
        if (!s || !keeli_store_count(s)) return true;
    }
    return false;
}

void keeli_prepared_deinit(keel_world *world) {
    for (uint32_t i = 0; i < world->prepared.capacity; ++i) {
        keeli_prepared *p = world->prepared.items[i].value;
        if (!p) continue;
        if (p->view) keeli_view_free(p->view);
        KEELI_FREE(&world->heap, keeli_prepared, p);
    }
    keeli_pointer_table_deinit(&world->prepared, &world->heap);
}
