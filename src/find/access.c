// SPDX-License-Identifier: MIT
// What an open view answers: single entities, counts, spans' columns; edits within what it holds,
// and of all that match.
#include "find/iterate.h"
#include "follow/changes.h"
#include "world/borrow.h"
#include "world/report.h"

static bool is_alive(const keeli_view *view, keel_entity e) {
    return keeli_entity_is_alive(&view->world->entities, e);
}

// Tell that the view does not do this.
static void *not_held(const keeli_view *view, const keeli_storage *s, keel_access access) {
    const bool reads = access == KEEL_ACCESS_READ;
    keeli_misuse(view->world, KEEL_ERROR_ACCESS,
                 "view '%s' does not %s '%s'; add %s%s to its terms", view->holder.name,
                 reads ? "read" : "write", s->component.name,
                 s->component.is_unique ? "KEEL_UNIQUE_" : "KEEL_", reads ? "READ" : "WRITE");
    return NULL;
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

// The value of a component, if the view holds at least `access` to it.
static void *value_of(const keel_view *view, keel_entity e, const keel_component *component,
                      keel_access access) {
    const keeli_view *state = keeli_view_of(view);
    keeli_storage *s = state && component ? keeli_storage_find(state->world, component) : NULL;
    if (!s || !is_alive(state, e)) return NULL;
    if (keeli_holder_access(&state->holder, s) < access) return not_held(state, s, access);
    void *value = keeli_store_value(state->world, s, keel_entity_index(e));
    if (value && access == KEEL_ACCESS_WRITE)
        keeli_track_modified(state->world, s, keel_entity_index(e));
    return value;
}

const void *keel_view_get_component(const keel_view *view, keel_entity e,
                                    const keel_component *component) {
    return value_of(view, e, component, KEEL_ACCESS_READ);
}

void *keel_view_get_component_mut(const keel_view *view, keel_entity e,
                                  const keel_component *component) {
    return value_of(view, e, component, KEEL_ACCESS_WRITE);
}

bool keel_view_has_component(const keel_view *view, keel_entity e,
                             const keel_component *component) {
    return value_of(view, e, component, KEEL_ACCESS_READ) != NULL;
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
    return only_reads ? not_held(state, s, KEEL_ACCESS_WRITE) : NULL;
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

// ------------------------------------------------------------------ uniques
static void *unique_of(const keel_view *view, const keel_component *unique, keel_access access) {
    const keeli_view *state = keeli_view_of(view);
    keeli_storage *s = state && unique ? keeli_storage_find(state->world, unique) : NULL;
    if (!s) return NULL;
    if (keeli_holder_access(&state->holder, s) < access) return not_held(state, s, access);
    if (access == KEEL_ACCESS_WRITE) s->changed_at = keeli_holder_now(state->world, &state->holder);
    return s->unique;
}

const void *keel_view_get_unique_value(const keel_view *view, const keel_component *unique) {
    return unique_of(view, unique, KEEL_ACCESS_READ);
}

void *keel_view_get_unique_value_mut(const keel_view *view, const keel_component *unique) {
    return unique_of(view, unique, KEEL_ACCESS_WRITE);
}

// ------------------------------------------------------------------ edits
// NULL: the view is closed.
static const keeli_view *edit_begin(const keel_view *view) {
    const keeli_view *v = keeli_view_of(view);
    if (v) keeli_edit_lock(v->world, &v->holder);
    return v;
}

static keel_result edit_end(const keeli_view *v, keel_result result) {
    keeli_edit_unlock(v->world, &v->holder);
    return result;
}

keel_entity keel_view_add_entity(const keel_view *view, const keel_value *values) {
    const keeli_view *v = edit_begin(view);
    if (!v) return (void)keeli_view_is_closed(view), keel_null();
    const keel_entity result = keeli_edit_add_entity(v->world, &v->holder, values);
    (void)edit_end(v, KEEL_OK);
    return result;
}

keel_result keel_view_delete_entity(const keel_view *view, keel_entity e) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_delete_entity(v->world, &v->holder, e))
             : keeli_view_is_closed(view);
}

keel_result keel_view_strip(const keel_view *view, keel_entity e) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_strip(v->world, &v->holder, e)) : keeli_view_is_closed(view);
}

keel_result keel_view_delete_entities_with(const keel_view *view, const keel_component *component) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_delete_entities_with(v->world, &v->holder, component))
             : keeli_view_is_closed(view);
}

keel_result keel_view_add_component(const keel_view *view, keel_entity e,
                                    const keel_component *component, const void *value) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_add(v->world, &v->holder, e, component, value))
             : keeli_view_is_closed(view);
}

keel_result keel_view_add_component_unchecked(const keel_view *view, keel_entity e,
                                              const keel_component *component, const void *value) {
    return keel_view_add_component(view, e, component, value);
}

keel_result keel_view_add_values(const keel_view *view, keel_entity e, const keel_value *values) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_add_values(v->world, &v->holder, e, values))
             : keeli_view_is_closed(view);
}

keel_result keel_view_remove_component(const keel_view *view, keel_entity e,
                                       const keel_component *component, void *out) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_remove(v->world, &v->holder, e, component, out))
             : keeli_view_is_closed(view);
}

keel_result keel_view_remove_values(const keel_view *view, keel_entity e, const keel_out *outs) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_remove_values(v->world, &v->holder, e, outs))
             : keeli_view_is_closed(view);
}

keel_result keel_view_delete_components(const keel_view *view, keel_entity e,
                                        const keel_component *const *components) {
    const keeli_view *v = edit_begin(view);
    return v ? edit_end(v, keeli_edit_delete_components(v->world, &v->holder, e, components))
             : keeli_view_is_closed(view);
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
    KEEL_TRY(keel_view_begin(&view, world, terms, function));
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
