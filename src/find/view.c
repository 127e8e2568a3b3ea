// SPDX-License-Identifier: MIT
// Views. Opens and closes views, binding their terms (terms.c) and borrowing their storages; says
// whether a view matches an entity, counts matches, and finds the columns of spans; edits all
// entities that match. This does not iterate: see iterate.c. Users, systems, loops and custom views
// (src/run/) call it.
#include "find/view.h"

#include "find/iterate.h"
#include "find/relation.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ states
// Copies a name by a loop, which is cheaper than a call: views are opened often.
static void copy_holder_name(char *to, const char *from) {
    uint32_t n = 0;
    for (; from[n] && n < sizeof((keeli_holder *)0)->name - 1; ++n)
        to[n] = from[n];
    to[n] = 0;
}

// Allocates a view, and behind it chunks, terms and storages, in the order of their alignment, and
// `more` bytes. NULL when out of memory.
static keeli_view *new_view(keel_world *world, uint32_t terms, uint32_t storages, uint32_t chunks,
                            size_t more) {
    const size_t bytes = sizeof(keeli_view) + chunks * sizeof(keel_chunk) +
                         terms * sizeof(keeli_bound_term) + storages * sizeof(keeli_storage *) +
                         more;
    keeli_view *view = keeli_new_zeroed(&world->heap, bytes, _Alignof(keeli_view));
    if (!view)
        return NULL;
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
    if (view->kept)
        keeli_kept_lists_free(view->kept->lists);
    keeli_free(heap, view, view->bytes, _Alignof(keeli_view));
}

keeli_view *keeli_view_new(keel_world *world, const char *name) {
    keeli_view *view = new_view(world, 0, 0, 0, 0);
    if (view)
        keeli_view_reset(view, name);
    return view;
}

static bool copy_uses(keel_world *world, keeli_holder *to, const keeli_holder *from) {
    if (!KEELI_RESERVE(&world->heap, &to->uses, from->uses.count))
        return false;
    for (uint32_t i = 0; i < from->uses.count; ++i) {
        to->uses.items[i] = from->uses.items[i];
        to->uses.items[i].inner = 0;
    }
    to->uses.count = from->uses.count;
    return true;
}

static bool names_components(const keeli_view *view) {
    for (uint32_t i = 0; i < view->storage_count; ++i)
        if (!view->storages[i] || !view->storages[i]->component.is_unique)
            return true;
    return false;
}

keeli_view *keeli_view_duplicate(const keeli_view *view) {
    keel_world *world = view->world;
    const uint32_t terms = view->term_count, storages = view->storage_count;
    const bool has_plan = !view->facts.filters_changes && names_components(view);
    const size_t plan_bytes = has_plan ? keeli_kept_plan_bytes(terms) : 0;
    keeli_view *kept = new_view(world, terms, storages, 0, plan_bytes);
    if (!kept)
        return NULL;
    if (has_plan) {
        kept->kept = (keeli_kept_plan *)(void *)(kept->storages + storages);
        keeli_kept_plan_init(kept->kept, terms);
    }
    if (!copy_uses(world, &kept->holder, &view->holder)) {
        keeli_view_free(kept);
        return NULL;
    }

    kept->holder.everything = view->holder.everything;
    kept->holder.is_system = view->holder.is_system;
    copy_holder_name(kept->holder.name, view->holder.name);
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

// Allocates a state of the world's list. It has room for any terms, and for as many borrows as most
// views have, so that any view can use any state. NULL when out of memory.
static keeli_view *new_listed_view(keel_world *world) {
    enum { USES = KEELI_SIZE(16, 1) };
    keeli_view *view = new_view(world, KEEL_MAX_TERMS, KEELI_MAX_BOUND, 1, 0);
    if (!view)
        return NULL;
    if (KEELI_RESERVE(&world->heap, &view->holder.uses, USES))
        return view;
    keeli_view_free(view);
    return NULL;
}

static void link_listed_view(keel_world *world, keeli_view *view, uint64_t serial) {
    view->holder.serial = serial;
    view->next = world->views.all;
    world->views.all = view;
}

keeli_view *keeli_view_acquire(keel_world *world, const char *where) {
    keeli_world_lock(world);
    keeli_view *view = world->views.all;
    while (view && view->holder.serial)
        view = view->next;
    if (view)
        view->holder.serial = ++world->views.serial;
    keeli_world_unlock(world);
    if (!view) {
        view = new_listed_view(world);
        if (!view) {
            (void)keeli_out_of_memory(world, "opening a view");
            return NULL;
        }
        keeli_world_lock(world);
        link_listed_view(world, view, ++world->views.serial);
        keeli_world_unlock(world);
    }
    keeli_view_reset(view, where);
    return view;
}

bool keeli_views_reserve(keel_world *world, uint32_t count) {
    for (const keeli_view *view = world->views.all; view && count; view = view->next)
        --count;
    while (count--) {
        keeli_view *view = new_listed_view(world);
        if (!view)
            return false;
        link_listed_view(world, view, 0);
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
    copy_holder_name(view->holder.name, where ? keeli_base_name(where) : "a view");
}

// Notes the holder that opened a view. The holder counts the open views, so that its end need not
// search the world's list if there are none.
static void put_inside(keeli_view *view, keeli_holder *inside) {
    view->inside = inside;
    if (inside)
        ++inside->opened;
}

void keeli_view_release(keeli_view *view) {
    keeli_world_lock(view->world);
    view->holder.serial = 0;
    if (view->inside)
        --view->inside->opened;
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
    if (!view || !view->state)
        return NULL;
    return view->state->holder.serial == view->serial ? view->state : NULL;
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
    if (keeli_is_in_allocator(world))
        return keeli_world_is_editable(world);
    keeli_view *view = keeli_view_acquire(world, where);
    if (!view)
        return KEEL_ERROR_MEMORY;
    view->holder.parent = keeli_lender(inside);
    view->thread = keeli_thread_id();
    view->is_loop = false;
    view->reader = reader;
    keel_result result = keeli_view_bind(view, terms, NULL);
    if (result == KEEL_OK)
        result = keeli_view_check_uniques(view, terms);
    if (result == KEEL_OK)
        result = keeli_holder_open(world, &view->holder);
    if (result < 0) {
        keeli_view_release(view);
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
    keeli_view_release(view);
}

keel_result keeli_view_may_end(const keeli_view *view) {
    if (!view->world->access.concurrent || view->thread == keeli_thread_id())
        return KEEL_OK;
    return keeli_misuse(view->world, KEEL_ERROR_THREAD,
                        "view '%s' is ended in another thread than the one that began it, which "
                        "may be using it; end it in the thread that began it",
                        view->holder.name);
}

void keel_view_end(keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    // This is refused in all threads, also in the thread of the loop.
    if (state && keeli_atomic_peek(&state->loops)) {
        (void)keeli_misuse(state->world, KEEL_ERROR_BORROWED,
                           "view '%s' is ended in a parallel loop over it; end it after the loop",
                           state->holder.name);
        return;
    }
    if (state && keeli_view_may_end(state) < 0)
        return;
    if (view)
        view->state = NULL;
    if (state)
        keeli_view_close(state);
}

keeli_view *keeli_view_last_inside(keel_world *world, const keeli_holder *inside) {
    keeli_view *last = NULL;
    keeli_world_lock(world);
    const bool may_have_views = !inside || inside->opened;
    if (may_have_views) {
        for (keeli_view *view = world->views.all; view; view = view->next) {
            if (!view->holder.serial || view->inside != inside)
                continue;
            if (!inside && !view->custom)
                continue;
            if (!last || view->holder.serial > last->holder.serial)
                last = view;
        }
    }
    keeli_world_unlock(world);
    return last;
}

// ------------------------------------------------------------------ one entity
static bool is_living(const keeli_view *view, keel_entity e) {
    return keeli_entity_is_alive(&view->world->entities, e);
}

static bool is_in_list(const keeli_view_facts *facts, keel_entity e) {
    for (uint32_t i = 0; i < facts->among_count; ++i)
        if (keel_is_same(facts->among[i], e))
            return true;
    return false;
}

// Returns the index of the entity whose value the term hands out for `index`: the same entity, or
// the one that a relation leads to. UINT32_MAX if there is none.
static uint32_t value_source_of(const keeli_view *view, const keeli_bound_term *term,
                                uint32_t index) {
    if (!keeli_term_is_through(term->kind))
        return index;
    return keeli_through(view->storages[term->first + 1], view->storages[term->first],
                         keeli_term_is_up(term->kind), index);
}

static bool is_related(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    const keel_entity to = view->facts.related_to;
    const keeli_storage *relation = view->storages[term->first];
    return relation && is_living(view, to) &&
           keeli_is_source_of(relation, index, keeli_index_of(to));
}

// True if an entity has any of the components of a term.
static bool has_any(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    bool there = false;
    for (uint32_t i = 0; i < term->count; ++i) {
        const keeli_storage *s = view->storages[term->first + i];
        there |= s && keeli_store_has(s, index);
    }
    return there;
}

// True if a term lets a living entity pass.
static bool passes(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    const keel_term_kind kind = term->kind;
    if (keeli_term_filters_changes(kind) && !keeli_change_matches(view, term, index))
        return false;
    if (kind == KEEL_TERM_CHANGED_UP)
        return keeli_is_below_change(view, term, index);
    if (kind == KEEL_TERM_RELATED && !is_related(view, term, index))
        return false;
    if (keeli_term_is_through(kind))
        return keeli_term_may_lack(kind) || value_source_of(view, term, index) != UINT32_MAX;
    if (kind == KEEL_TERM_WITHOUT)
        return !has_any(view, term, index);
    const bool asks_presence = kind == KEEL_TERM_ANY_OF || keeli_term_must(kind);
    return !asks_presence || has_any(view, term, index);
}

bool keeli_view_passes(const keeli_view *view, const keeli_bound_term *term, keel_entity e) {
    if (term->kind == KEEL_TERM_AMONG)
        return is_in_list(&view->facts, e);
    return passes(view, term, keeli_index_of(e));
}

// True if a living entity matches the view.
static bool matches(const keeli_view *view, keel_entity e) {
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (!keeli_view_passes(view, &view->terms[t], e))
            return false;
    return true;
}

bool keel_view_contains(const keel_view *view, keel_entity e) {
    const keeli_view *state = keeli_view_of(view);
    return state && is_living(state, e) && matches(state, e);
}

keel_result keel_view_get_all(const keel_view *view, keel_entity e, keel_span *span) {
    keeli_view *state = keeli_view_of(view);
    if (!state)
        return keeli_view_is_closed(view);
    if (!span)
        return keeli_misuse(state->world, KEEL_ERROR_ARGUMENT,
                            "keel_view_get_all needs a place for the span, but it is NULL");
    if (!is_living(state, e))
        return keeli_dead_entity(state->world, "keel_view_get_all", e);
    if (!matches(state, e))
        return KEEL_ABSENT;

    *state->one = (keel_chunk){ .form = KEEL_CHUNK_SPAN, .count = 1 };
    state->one_entity = e;
    if (state->facts.wants_entities)
        state->one->entities = &state->one_entity;
    for (uint32_t t = 0; t < state->term_count; ++t) {
        if (!keeli_term_has_values(state->terms[t].kind))
            continue;
        keeli_storage *s = state->storages[state->terms[t].first];
        if (!s)
            continue;
        const uint32_t index = value_source_of(state, &state->terms[t], keeli_index_of(e));
        void *value = keeli_store_value(state->world, s, index);
        state->one->columns[t].base = value;
        if (value && keeli_term_writes(state->terms[t].kind))
            keeli_track_modified(state->world, s, index);
    }
    *span = (keel_span){ 1, state->one->entities, state->one, state };
    return KEEL_OK;
}

// ------------------------------------------------------------------ spans
static void *span_base(const keel_span *span, const keel_component *component, bool to_write) {
    if (!span || !span->state || !component)
        return NULL;
    const keeli_view *state = span->state;
    const keeli_storage *s = keeli_storage_find(state->world, component);
    if (!s)
        return NULL;

    bool only_reads = false;
    for (uint32_t t = 0; t < state->term_count; ++t) {
        const keel_term_kind kind = state->terms[t].kind;
        if (!keeli_term_has_values(kind) || state->storages[state->terms[t].first] != s)
            continue;
        if (!to_write || keeli_term_writes(kind))
            return span->chunk->columns[t].base;
        only_reads = true;
    }

    // Reports an error only if the user asks to write a component that the view reads. Asking for a
    // component that the view does not name is no error: code that serves several views does so.
    if (only_reads)
        (void)keeli_may_look_up(&(keeli_caller){ .world = state->world, .holder = &state->holder },
                                s, KEEL_ACCESS_WRITE);
    return NULL;
}

const void *keel_span_read_component(const keel_span *span, const keel_component *component) {
    return span_base(span, component, false);
}

void *keel_span_write_component(const keel_span *span, const keel_component *component) {
    return span_base(span, component, true);
}

// ------------------------------------------------------------------ counting
static keel_entity first_of_chunk(const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK)
        return chunk->entities[0];
    uint32_t w = 0;
    while (!chunk->words[w])
        ++w;
    return chunk->entities[w * 64 + (uint32_t)__builtin_ctzll(chunk->words[w])];
}

// Counts the entities that match into `*result`, and stops once there are `enough`. If `first` is
// not NULL, also sets it to the first entity. False when out of memory (reported).
static bool count_to(keeli_view *view, uint32_t enough, keel_entity *first, uint32_t *result) {
    *result = 0;
    keeli_iterator *it = keeli_iterator_begin_to_look(view, first != NULL);
    if (!it)
        return false;

    uint32_t count = 0;
    while (count < enough) {
        const keel_chunk *c = keeli_iterator_advance(it);
        if (!c)
            break;
        if (first && count == 0)
            *first = first_of_chunk(c);
        count += keeli_chunk_count(c);
    }
    keeli_iterator_end(it);
    *result = count;
    return true;
}

uint32_t keel_view_count(const keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    if (!state)
        return 0;
    // KEEL_RELATED requires the relation of all its sources, but visits those of one target only
    const keel_term_kind kind = state->term_count == 1 ? state->terms[0].kind : KEEL_TERM_NONE;
    const bool is_one_component = keeli_term_must(kind) && kind != KEEL_TERM_RELATED;
    if (is_one_component && !state->facts.filters_changes) {
        const keeli_storage *s = state->storages[0];
        return s ? keeli_store_count(s) : 0;
    }
    uint32_t count;
    (void)count_to(state, UINT32_MAX, NULL, &count);
    return count;
}

keel_entity keel_view_first(const keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    keel_entity first = keel_null();
    uint32_t count;
    if (state)
        (void)count_to(state, 1, &first, &count);
    return first;
}

keel_result keel_view_single(const keel_view *view, keel_entity *out) {
    keeli_view *state = keeli_view_of(view);
    if (!state)
        return keeli_view_is_closed(view);
    if (!out)
        return keeli_misuse(state->world, KEEL_ERROR_ARGUMENT,
                            "keel_view_single needs a place for the handle, but it is NULL");
    keel_entity first = keel_null();
    uint32_t count;
    *out = keel_null();
    if (!count_to(state, 2, &first, &count))
        return keeli_out_of_memory(state->world, "looking for the one entity of a view");
    if (count != 1)
        return keeli_quiet_error(state->world, KEEL_ERROR_COUNT,
                                 "keel_view_single: %s entity matches the view '%s'",
                                 count ? "more than one" : "no", state->holder.name);
    *out = first;
    return KEEL_OK;
}

// ------------------------------------------------------------------ columns
keel_lookup keel_lookup_of_component(keel_world *world, const keel_component *component) {
    const keel_lookup none = { .size = component ? component->size : 0 };
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return none;
    }
    if (!component)
        return none;

    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s) {
        component = keel_register_component(world, component);
        if (!component)
            return none;
        s = keeli_storage_find(world, component);
    }
    if (s->component.is_unique || keeli_store_has_edge_values(s))
        return none;
    if (s->flags & KEELI_IS_BOUND && // analyzer: `s` is registered now, so it is not NULL
        keeli_check_thread(world, world, s, KEEL_ACCESS_READ, NULL, "look up") < 0)
        return none;
    return (keel_lookup){ .set = s->root, .size = s->component.size, .shift = s->root->shift };
}

// ------------------------------------------------------------------ all entities that match
static void append_chunk(keeli_handle_list *list, const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK) {
        memcpy(list->items + list->count, chunk->entities, chunk->count * sizeof *list->items);
        list->count += chunk->count;
        return;
    }
    for (uint32_t w = 0; w * 64 < chunk->count; ++w)
        for (uint64_t bits = chunk->words[w]; bits; bits &= bits - 1)
            *KEELI_APPEND(list) = chunk->entities[w * 64 + (uint32_t)__builtin_ctzll(bits)];
}

keel_result keeli_view_collect(keeli_iterator *it, keeli_handle_list *list) {
    if (!it)
        return KEEL_ERROR_MEMORY;
    keel_world *world = it->view->world;
    keel_result result = KEEL_OK;
    while (result == KEEL_OK) {
        const keel_chunk *c = keeli_iterator_advance(it);
        if (!c)
            break;
        if (KEELI_RESERVE(&world->heap, list, c->count))
            append_chunk(list, c);
        else
            result = keeli_out_of_memory(world, "collecting entities");
    }
    keeli_iterator_end(it);
    return result;
}

static keel_result collect_matching(keel_world *world, const keel_term *terms, const char *function,
                                    keeli_handle_list *list) {
    keel_view view;
    KEEL_TRY(keeli_view_begin_inside(&view, world, NULL, NULL, terms, function));
    keeli_iterator *it = keeli_iterator_begin_to_look(keeli_view_of(&view), true);
    const keel_result result = keeli_view_collect(it, list);
    keel_view_end(&view);
    return result;
}

static keel_result add_to_matching(keel_world *world, const keel_term *terms,
                                   const keel_component *component, const void *value) {
    keeli_handle_list list = { 0 };
    keel_result result = collect_matching(world, terms, "keel_add_component_to_matching", &list);
    if (result == KEEL_OK)
        result = keel_add_component_to_many(world, list.items, list.count, component, value, 0);
    if (result == KEEL_OK && !list.count)
        result = KEEL_ABSENT;
    KEELI_RELEASE(&world->heap, &list);
    return result;
}

static keel_result delete_from_matching(keel_world *world, const keel_term *terms,
                                        const keel_component *component, const void *value) {
    (void)value;
    keeli_handle_list list = { 0 };
    keel_result result =
        collect_matching(world, terms, "keel_delete_component_from_matching", &list);
    if (result == KEEL_OK)
        result = keel_delete_component_from_many(world, list.items, list.count, component);
    KEELI_RELEASE(&world->heap, &list);
    return result;
}

static keel_result delete_matching(keel_world *world, const keel_term *terms,
                                   const keel_component *component, const void *value) {
    (void)component, (void)value;
    keeli_handle_list list = { 0 };
    keel_result result = collect_matching(world, terms, "keel_delete_entities_matching", &list);

    // Deletes in reverse order, so that new entities get the indices in the order of the view.
    for (uint32_t i = 0, k = list.count; i + 1 < k; ++i) {
        const keel_entity first = list.items[i];
        list.items[i] = list.items[--k];
        list.items[k] = first;
    }
    if (result == KEEL_OK)
        result = keel_delete_entities(world, list.items, list.count);
    KEELI_RELEASE(&world->heap, &list);
    return result;
}

// Edits all entities that match: at once, or if the scope records commands, when these are applied.
static keel_result edit_matching(keel_scope *scope, const keel_term *terms,
                                 const keel_value_column *column, keeli_edit_matching_fn *edit) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_outside(scope, &who, "edit all that match"));
    if (who.commands)
        return keeli_record_matching(who.commands, terms, column, edit);
    return edit(who.world, terms, column ? column->component : NULL,
                column ? column->values : NULL);
}

keel_result(keel_add_component_to_matching)(keel_scope *scope, const keel_term *terms,
                                            const keel_component *component, const void *value) {
    return edit_matching(scope, terms, &(keel_value_column){ component, value, 0 },
                         add_to_matching);
}

keel_result(keel_delete_component_from_matching)(keel_scope *scope, const keel_term *terms,
                                                 const keel_component *component) {
    return edit_matching(scope, terms, &(keel_value_column){ component, NULL, 0 },
                         delete_from_matching);
}

keel_result(keel_delete_entities_matching)(keel_scope *scope, const keel_term *terms) {
    return edit_matching(scope, terms, NULL, delete_matching);
}

void *keeli_column_find(const keel_lookup *column, keel_entity e, size_t size) {
    return keeli_column_at(column, e, size, column->shift);
}

const void *(keel_column_get_value)(const keel_lookup *column, keel_entity e) {
    return keel_column_get_value(column, e);
}
