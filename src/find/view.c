// SPDX-License-Identifier: MIT
// Opening and closing views: terms are checked, storages resolved and borrowed.
#include "find/view.h"

#include "find/iterate.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ states
// By hand: views are opened often.
static void copy_name(char *to, const char *from) {
    uint32_t n = 0;
    for (; from[n] && n < sizeof((keeli_holder *)0)->name - 1; ++n)
        to[n] = from[n];
    to[n] = 0;
}

// The parts stand behind each other in the order of their alignment.
static keeli_view *new_view(keel_world *world, uint32_t terms, uint32_t storages, uint32_t chunks,
                            size_t more) {
    const size_t bytes = sizeof(keeli_view) + chunks * sizeof(keel_chunk) +
                         terms * sizeof(keeli_bound_term) + storages * sizeof(keeli_storage *) +
                         more;
    keeli_view *view = keeli_new_zeroed(&world->heap, bytes, _Alignof(keeli_view));
    if (!view) return NULL;
    keel_chunk *one = (keel_chunk *)(view + 1);
    view->world = world;
    view->bytes = (uint32_t)bytes;
    view->one = chunks ? one : NULL;
    view->terms = (keeli_bound_term *)(void *)(one + chunks);
    view->storages = (keeli_storage **)(void *)(view->terms + terms);
    return view;
}

void keeli_view_free(keeli_view *view) {
    keeli_heap *heap = &view->world->heap;
    keeli_holder_deinit(view->world, &view->holder);
    keeli_arena_deinit(&view->scratch, heap);
    if (view->kept) keeli_kept_lists_free(view->kept->lists);
    keeli_free(heap, view, view->bytes, _Alignof(keeli_view));
}

keeli_view *keeli_view_new(keel_world *world, const char *name) {
    keeli_view *view = new_view(world, 0, 0, 0, 0);
    if (view) keeli_view_reset(view, name);
    return view;
}

static bool copy_uses(keel_world *world, keeli_holder *to, const keeli_holder *from) {
    if (!KEELI_RESERVE(&world->heap, &to->uses, from->uses.count)) return false;
    for (uint32_t i = 0; i < from->uses.count; ++i) {
        to->uses.items[i] = from->uses.items[i];
        to->uses.items[i].inner = 0;
    }
    to->uses.count = from->uses.count;
    return true;
}

static bool names_components(const keeli_view *view) {
    for (uint32_t i = 0; i < view->storage_count; ++i)
        if (!view->storages[i] || !view->storages[i]->component.is_unique) return true;
    return false;
}

keeli_view *keeli_view_keep(const keeli_view *view) {
    keel_world *world = view->world;
    const uint32_t terms = view->term_count, storages = view->storage_count;
    const bool has_plan = !view->facts.filters_changes && names_components(view);
    const size_t plan_bytes = has_plan ? keeli_kept_plan_bytes(terms) : 0;
    keeli_view *kept = new_view(world, terms, storages, 0, plan_bytes);
    if (!kept) return NULL;
    if (has_plan) {
        kept->kept = (keeli_kept_plan *)(void *)(kept->storages + storages);
        keeli_kept_plan_init(kept->kept, terms);
    }
    if (!copy_uses(world, &kept->holder, &view->holder)) return keeli_view_free(kept), NULL;
    kept->holder.everything = view->holder.everything;
    kept->holder.is_system = view->holder.is_system;
    copy_name(kept->holder.name, view->holder.name);
    memcpy(kept->terms, view->terms, view->term_count * sizeof *view->terms);
    memcpy(kept->storages, view->storages, view->storage_count * sizeof *view->storages);
    kept->term_count = view->term_count;
    kept->storage_count = view->storage_count;
    kept->facts = view->facts;
    keeli_world_lock(world);
    kept->holder.serial = ++world->views.serial;
    keeli_world_unlock(world);
    return kept;
}

// With room for what most views hold, so that it does not matter which view gets which state.
static keeli_view *new_state(keel_world *world) {
    enum { USES = 16 };
    keeli_view *view = new_view(world, KEEL_MAX_TERMS, KEELI_MAX_BOUND, 1, 0);
    if (!view) return NULL;
    if (KEELI_RESERVE(&world->heap, &view->holder.uses, USES)) return view;
    keeli_view_free(view);
    return NULL;
}

static void link_state(keel_world *world, keeli_view *view, uint64_t serial) {
    view->holder.serial = serial;
    view->next = world->views.all;
    world->views.all = view;
}

keeli_view *keeli_view_take(keel_world *world, const char *where) {
    keeli_world_lock(world);
    keeli_view *view = world->views.all;
    while (view && view->holder.serial)
        view = view->next;
    if (view) view->holder.serial = ++world->views.serial;
    keeli_world_unlock(world);
    if (!view) {
        view = new_state(world);
        if (!view) return keeli_out_of_memory(world, "opening a view"), NULL;
        keeli_world_lock(world);
        link_state(world, view, ++world->views.serial);
        keeli_world_unlock(world);
    }
    keeli_view_reset(view, where);
    return view;
}

bool keeli_views_reserve(keel_world *world, uint32_t count) {
    for (const keeli_view *view = world->views.all; view && count; view = view->next)
        --count;
    while (count--) {
        keeli_view *view = new_state(world);
        if (!view) return false;
        link_state(world, view, 0);
    }
    return true;
}

void keeli_view_reset(keeli_view *view, const char *where) {
    view->holder.uses.count = 0;
    view->holder.everything = view->holder.is_system = false;
    view->holder.parent = NULL;
    view->term_count = view->storage_count = 0;
    view->facts = (keeli_view_facts){ 0 };
    view->holder.tick = 0;
    view->reader = NULL;
    copy_name(view->holder.name, where ? keeli_base_name(where) : "a view");
}

// Whoever opened it learns how many it has to look for at its end.
static void put_inside(keeli_view *view, keeli_holder *inside) {
    view->inside = inside;
    if (inside) ++inside->opened;
}

void keeli_view_give(keeli_view *view) {
    keeli_world_lock(view->world);
    view->holder.serial = 0;
    if (view->inside) --view->inside->opened;
    view->inside = NULL;
    view->custom = NULL;
    view->value = NULL;
    keeli_world_unlock(view->world);
}

void keeli_view_is_custom(keeli_view *view, const keel_custom_view *kind, void *value,
                          keeli_holder *inside, bool is_parameter) {
    keeli_world_lock(view->world);
    view->custom = kind;
    view->value = value;
    view->is_parameter = is_parameter;
    view->in_hands = true;
    put_inside(view, inside);
    keeli_world_unlock(view->world);
}

keeli_view *keeli_view_of(const keel_view *view) {
    return view && view->state && view->state->holder.serial == view->serial ? view->state : NULL;
}

void keeli_views_deinit(keel_world *world) {
    for (keeli_view *view = world->views.all, *next; view; view = next) {
        next = view->next;
        if (view->holder.open)
            keeli_warn(world, "the world is destroyed while %s is open; end it first",
                       view->holder.name);
        keeli_view_free(view);
    }
    world->views.all = NULL;
}

// ------------------------------------------------------------------ public
keel_result keeli_view_begin_inside(keel_view *handle, keel_world *world, keeli_holder *inside,
                                    const keeli_reader *reader, const keel_term *terms,
                                    const char *where) {
    *handle = (keel_view){ .scope.kind = KEELI_SCOPE_VIEW, .world = world };
    keeli_view *view = keeli_view_take(world, where);
    if (!view) return KEEL_ERROR_MEMORY;
    view->holder.parent = keeli_lender(inside);
    view->thread = keeli_thread_id();
    view->reader = reader;
    keel_result result = keeli_view_bind(view, terms, NULL);
    if (result == KEEL_OK) result = keeli_view_check_uniques(view, terms);
    if (result == KEEL_OK) result = keeli_holder_open(world, &view->holder);
    if (result < 0) {
        keeli_view_give(view);
        return result;
    }
    if (inside) {
        keeli_world_lock(world);
        put_inside(view, inside);
        keeli_world_unlock(world);
    }
    handle->state = view;
    handle->serial = view->holder.serial;
    return KEEL_OK;
}

void keeli_view_close(keeli_view *view) {
    keeli_iterators_end_of(view);
    keeli_holder_close(view->world, &view->holder);
    keeli_view_give(view);
}

keel_result keeli_view_may_end(const keeli_view *view) {
    if (!view->world->access.concurrent || view->thread == keeli_thread_id()) return KEEL_OK;
    return keeli_misuse(view->world, KEEL_ERROR_THREAD,
                        "view '%s' is ended in another thread than the one that began it, which "
                        "may be using it; end it there",
                        view->holder.name);
}

void keel_view_end(keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    if (state && keeli_atomic_peek(&state->loops)) { // whoever of its threads asks
        (void)keeli_misuse(state->world, KEEL_ERROR_BORROWED,
                           "view '%s' is ended in a parallel loop over it; end it after the loop",
                           state->holder.name);
        return;
    }
    if (state && keeli_view_may_end(state) < 0) return;
    if (view) view->state = NULL;
    if (state) keeli_view_close(state);
}

keeli_view *keeli_view_last_inside(keel_world *world, const keeli_holder *inside) {
    keeli_view *last = NULL;
    keeli_world_lock(world);
    const bool any = !inside || inside->opened;
    for (keeli_view *view = world->views.all; view && any; view = view->next)
        if (view->holder.serial && view->inside == inside && (inside || view->custom) &&
            (!last || view->holder.serial > last->holder.serial))
            last = view;
    keeli_world_unlock(world);
    return last;
}
