// SPDX-License-Identifier: MIT
// What an open view answers: single entities, counts, spans' columns; and edits of all that match.
#include "find/iterate.h"
#include "follow/changes.h"
#include "world/borrow.h"
#include "world/report.h"

static bool is_alive(const keeli_view *view, keel_entity e) {
    return keeli_entity_is_alive(&view->world->entities, e);
}

// ------------------------------------------------------------------ one entity
// Does the view match this living entity?
static bool matches(const keeli_view *view, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        const bool any = term->kind == KEEL_TERM_ANY_OF;
        if (keeli_term_filters_changes(term->kind) && !keeli_change_matches(view, term, index))
            return false;
        if (!any && !keeli_term_must(term->kind) && term->kind != KEEL_TERM_WITHOUT) continue;
        bool there = false;
        for (uint32_t i = 0; i < term->count; ++i) {
            const keeli_storage *s = view->storages[term->first + i];
            there |= s && keeli_store_has(s, index);
        }
        if (there == (term->kind == KEEL_TERM_WITHOUT)) return false;
    }
    return true;
}

bool keel_view_contains(const keel_view *view, keel_entity e) {
    const keeli_view *state = keeli_view_of(view);
    return state && is_alive(state, e) && matches(state, e);
}

keel_result keel_view_get_all(const keel_view *view, keel_entity e, keel_span *span) {
    keeli_view *state = keeli_view_of(view);
    if (!state) return keeli_view_is_closed(view);
    if (!span)
        return keeli_misuse(state->world, KEEL_ERROR_ARGUMENT,
                            "keel_view_get_all needs a place for the span, but it is NULL");
    if (!is_alive(state, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!matches(state, e)) return KEEL_ABSENT;
    *state->one = (keel_chunk){ .form = KEEL_CHUNK_SPAN, .count = 1 };
    state->one_entity = e;
    if (state->facts.wants_entities) state->one->entities = &state->one_entity;
    for (uint32_t t = 0; t < state->term_count; ++t) {
        if (!keeli_term_has_values(state->terms[t].kind)) continue;
        keeli_storage *s = state->storages[state->terms[t].first];
        if (!s) continue;
        void *value = keeli_store_value(state->world, s, keel_entity_index(e));
        state->one->columns[t].base = value;
        if (value && keeli_term_writes(state->terms[t].kind))
            keeli_track_modified(state->world, s, keel_entity_index(e));
    }
    *span = (keel_span){ 1, state->one->entities, state->one, state };
    return KEEL_OK;
}

// ------------------------------------------------------------------ spans
static void *span_base(const keel_span *span, const keel_component *component, bool to_write) {
    if (!span || !span->state || !component) return NULL;
    const keeli_view *state = span->state;
    const keeli_storage *s = keeli_storage_find(state->world, component);
    bool only_reads = false;
    for (uint32_t t = 0; s && t < state->term_count; ++t) {
        const keel_term_kind kind = state->terms[t].kind;
        if (!keeli_term_has_values(kind) || state->storages[state->terms[t].first] != s) continue;
        if (!to_write || keeli_term_writes(kind)) return span->chunk->columns[t].base;
        only_reads = true;
    }
    // code for several views asks for what some of them have; to write what is read is a mistake
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
static keel_entity first_of(const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK) return chunk->entities[0];
    uint32_t w = 0;
    while (!chunk->words[w])
        ++w;
    return chunk->entities[w * 64 + (uint32_t)__builtin_ctzll(chunk->words[w])];
}

// How many match, or at least `enough`. False when out of memory (reported).
static bool count_to(keeli_view *view, uint32_t enough, keel_entity *first, uint32_t *result) {
    keeli_iterator *it = keeli_iterator_take_to_look(view, first != NULL);
    uint32_t count = 0;
    if (it) {
        for (const keel_chunk *c; count < enough && (c = keeli_iterator_advance(it)) != NULL;) {
            if (first && count == 0) *first = first_of(c);
            count += keeli_chunk_count(c);
        }
        keeli_iterator_give(it);
    }
    *result = count;
    return it != NULL;
}

uint32_t keel_view_count(const keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    if (!state) return 0;
    if (state->term_count == 1 && keeli_term_must(state->terms[0].kind) &&
        !state->facts.filters_changes) {
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
    if (state) (void)count_to(state, 1, &first, &count);
    return first;
}

keel_result keel_view_single(const keel_view *view, keel_entity *out) {
    keeli_view *state = keeli_view_of(view);
    if (!state) return keeli_view_is_closed(view);
    if (!out)
        return keeli_misuse(state->world, KEEL_ERROR_ARGUMENT,
                            "keel_view_single needs a place for the handle, but it is NULL");
    keel_entity first = keel_null();
    uint32_t count;
    *out = keel_null();
    if (!count_to(state, 2, &first, &count)) return KEEL_ERROR_MEMORY;
    if (count != 1) return KEEL_ERROR_COUNT;
    *out = first;
    return KEEL_OK;
}

// ------------------------------------------------------------------ columns
keel_lookup keel_lookup_of_component(keel_world *world, const keel_component *component) {
    const keel_lookup none = { .size = component ? component->size : 0 };
    if (!world) return keeli_no_world(), none;
    const keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s && (!component || !(component = keel_register_component(world, component)))) return none;
    if (!s) s = keeli_storage_find(world, component);
    if (s->component.is_unique) return none;
    if (s->flags & KEELI_IS_BOUND &&
        keeli_check_thread(world, world, s, KEEL_ACCESS_READ, NULL, "look up") < 0)
        return none;
    return (keel_lookup){ .set = s->root, .size = s->component.size, .shift = s->root->shift };
}

// ------------------------------------------------------------------ all that match
typedef KEELI_ARRAY(keel_entity) entity_list;

static void append(entity_list *list, const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK) {
        memcpy(list->items + list->count, chunk->entities, chunk->count * sizeof *list->items);
        list->count += chunk->count;
        return;
    }
    for (uint32_t w = 0; w * 64 < chunk->count; ++w)
        for (uint64_t bits = chunk->words[w]; bits; bits &= bits - 1)
            list->items[list->count++] = chunk->entities[w * 64 + (uint32_t)__builtin_ctzll(bits)];
}

static keel_result collect_from(keeli_view *view, entity_list *list) {
    keeli_iterator *it = keeli_iterator_take_to_look(view, true);
    if (!it) return KEEL_ERROR_MEMORY;
    keel_result result = KEEL_OK;
    for (const keel_chunk *c; result == KEEL_OK && (c = keeli_iterator_advance(it)) != NULL;) {
        if (KEELI_RESERVE(&view->world->heap, list, c->count)) append(list, c);
        else result = keeli_out_of_memory(view->world, "collecting entities");
    }
    keeli_iterator_give(it);
    return result;
}

static keel_result collect(keel_world *world, const keel_term *terms, const char *function,
                           entity_list *list) {
    keel_view view;
    KEEL_TRY(keeli_view_begin_inside(&view, world, NULL, NULL, terms, function));
    const keel_result result = collect_from(keeli_view_of(&view), list);
    keel_view_end(&view);
    return result;
}

keel_result keel_add_component_to_matching(keel_world *world, const keel_term *terms,
                                           const keel_component *component, const void *value) {
    if (!world) return keeli_no_world();
    entity_list list = { 0 };
    keel_result result = collect(world, terms, "keel_add_component_to_matching", &list);
    if (result == KEEL_OK)
        result = keel_add_component_to_many(world, list.items, list.count, component, value, 0);
    if (result == KEEL_OK && !list.count) result = KEEL_ABSENT;
    KEELI_RELEASE(&world->heap, &list);
    return result;
}

keel_result keel_delete_component_from_matching(keel_world *world, const keel_term *terms,
                                                const keel_component *component) {
    if (!world) return keeli_no_world();
    entity_list list = { 0 };
    keel_result result = collect(world, terms, "keel_delete_component_from_matching", &list);
    if (result == KEEL_OK)
        result = keel_delete_component_from_many(world, list.items, list.count, component);
    KEELI_RELEASE(&world->heap, &list);
    return result;
}
