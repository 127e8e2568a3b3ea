// SPDX-License-Identifier: MIT
// What a system may do with its context: look things up, and edit, within what it declared.
#include "run/context.h"

#include "find/iterate.h"
#include "follow/changes.h"
#include "world/borrow.h"
#include "world/report.h"

#include <keel/typed.h>

// What the context's edits are done on behalf of.
static const keeli_holder *holder_of(const keel_context *context) {
    return keeli_context_has_world(context) ? NULL : &context->view->holder;
}

keel_result keeli_context_elsewhere(keel_context *context, const char *does) {
    return keeli_misuse(context->world, KEEL_ERROR_THREAD,
                        "a piece of a loop of %s '%s' %s; that is for the system itself, before or "
                        "after the loop",
                        keeli_context_kind(context), context->system->name, does);
}

keel_commands *keel_context_commands(keel_context *context) {
    const bool has_some = context && context->commands && !context->commands->for_events;
    return has_some ? context->commands : NULL;
}

uint32_t keel_context_worker(const keel_context *context) {
    return context ? context->worker->number : 0;
}

void *keel_context_scratch(keel_context *context, size_t size, size_t align) {
    if (!context) return NULL;
    const bool is_align = align && (align & (align - 1)) == 0;
    if (!is_align) {
        keeli_misuse(context->world, KEEL_ERROR_ARGUMENT,
                     "%s '%s' asks for scratch memory with an alignment of %zu; it must be a "
                     "power of two",
                     keeli_context_kind(context), context->system->name, align);
        return NULL;
    }
    if (!keeli_context_is_here(context, "asks for its scratch memory (use keel_piece_scratch)"))
        return NULL;
    keeli_arena *scratch = context->scratch ? context->scratch : &context->worker->scratch;
    void *memory = keeli_arena_new(scratch, &context->world->heap, size, align);
    if (!memory) keeli_out_of_memory(context->world, "giving out scratch memory");
    return memory;
}

uint64_t keel_context_last_run(const keel_context *context) {
    return context && context->reader ? context->reader->last : 0;
}

uint64_t keel_context_this_run(const keel_context *context) { return context ? context->tick : 0; }

void *keel_context_data(keel_context *context, size_t size) {
    return context && size == context->data_size ? context->data : NULL;
}

keel_world *keel_context_world(keel_context *context) {
    if (!context) return NULL;
    if (keeli_context_has_world(context)) return context->world;
    keeli_misuse(context->world, KEEL_ERROR_ACCESS,
                 "%s '%s' did not declare KEEL_WORLD, so it cannot have the whole world",
                 keeli_context_kind(context), context->system->name);
    return NULL;
}

bool keel_context_is_alive(const keel_context *context, keel_entity e) {
    return context && keeli_entity_is_alive(&context->world->entities, e);
}

// ------------------------------------------------------------------ look-ups
// What other threads write now cannot be looked up.
static keeli_storage *split_looks(keel_context *context, const keeli_storage *s) {
    keeli_misuse(context->world, KEEL_ERROR_ACCESS,
                 "system '%s' is split over several threads and writes '%s', so it cannot look at "
                 "that of other entities; run the step without .parallel",
                 context->system->name, s->component.name);
    return NULL;
}

// The component is found and the system declared at least `access` to it.
static keeli_storage *declared(keel_context *context, const keel_component *component,
                               keel_access access) {
    if (!context || !component) return NULL;
    keeli_storage *s = keeli_storage_find(context->world, component);
    if (!s) return NULL;
    if (s->flags & KEELI_IS_BOUND && keeli_check_thread(context->world, context->world, s, access,
                                                        context->system->name, "look up") < 0)
        return NULL;
    const keel_access held = keeli_holder_access(&context->view->holder, s);
    if (context->loop && held > KEEL_ACCESS_READ) return split_looks(context, s);
    if (held >= access) return s;
    const char *name = s->component.name;
    const bool to_write = access == KEEL_ACCESS_WRITE;
    keeli_misuse(context->world, KEEL_ERROR_ACCESS,
                 "%s '%s' looks up '%s' but did not declare it; add %s%s(%s) to its parameters",
                 keeli_context_kind(context), context->system->name, name,
                 s->component.is_unique ? "KEEL_UNIQUE_" : "KEEL_MAY_", to_write ? "WRITE" : "READ",
                 name);
    return NULL;
}

static void *value_of(keel_context *context, keel_entity e, const keel_component *component,
                      keel_access access) {
    keeli_storage *s = declared(context, component, access);
    if (!s || !keel_context_is_alive(context, e)) return NULL;
    void *value = keeli_store_value(context->world, s, keel_entity_index(e));
    if (value && access == KEEL_ACCESS_WRITE)
        keeli_track_modified(context->world, s, keel_entity_index(e));
    return value;
}

const void *keel_context_get_component(keel_context *context, keel_entity e,
                                       const keel_component *component) {
    return value_of(context, e, component, KEEL_ACCESS_READ);
}

void *keel_context_get_component_mut(keel_context *context, keel_entity e,
                                     const keel_component *component) {
    return value_of(context, e, component, KEEL_ACCESS_WRITE);
}

bool keel_context_has_component(keel_context *context, keel_entity e,
                                const keel_component *component) {
    return value_of(context, e, component, KEEL_ACCESS_READ) != NULL;
}

const void *keel_context_get_unique_value(keel_context *context, const keel_component *unique) {
    const keeli_storage *s = declared(context, unique, KEEL_ACCESS_READ);
    return s ? s->unique : NULL;
}

void *keel_context_get_unique_value_mut(keel_context *context, const keel_component *unique) {
    keeli_storage *s = declared(context, unique, KEEL_ACCESS_WRITE);
    if (s && s->unique) s->changed_at = context->tick;
    return s ? s->unique : NULL;
}

// ------------------------------------------------------------------ edits
static const keeli_holder *edit_begin(const keel_context *context) {
    keeli_edit_lock(context->world, holder_of(context));
    return holder_of(context);
}

static keel_result edit_end(const keel_context *context, keel_result result) {
    keeli_edit_unlock(context->world, holder_of(context));
    return result;
}

keel_result keel_context_add_component(keel_context *context, keel_entity e,
                                       const keel_component *component, const void *value) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    const keeli_holder *holder = edit_begin(context);
    return edit_end(context, keeli_edit_add(context->world, holder, e, component, value));
}

keel_result keel_context_add_values(keel_context *context, keel_entity e,
                                    const keel_value *values) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    const keeli_holder *holder = edit_begin(context);
    return edit_end(context, keeli_edit_add_values(context->world, holder, e, values));
}

keel_result keel_context_remove_component(keel_context *context, keel_entity e,
                                          const keel_component *component, void *out) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    const keeli_holder *holder = edit_begin(context);
    return edit_end(context, keeli_edit_remove(context->world, holder, e, component, out));
}

keel_result keel_context_delete_components(keel_context *context, keel_entity e,
                                           const keel_component *const *components) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    const keeli_holder *holder = edit_begin(context);
    return edit_end(context, keeli_edit_delete_components(context->world, holder, e, components));
}

// ------------------------------------------------------------------ hierarchy
static bool may_read_children(keel_context *context) {
    return declared(context, KEEL_OF(keel_child), KEEL_ACCESS_READ) != NULL;
}
static bool may_read_links(keel_context *context) {
    return declared(context, KEEL_OF(keel_parent), KEEL_ACCESS_READ) && may_read_children(context);
}

keel_entity keel_context_parent_of(keel_context *context, keel_entity e) {
    return may_read_children(context) ? keel_world_parent_of(context->world, e) : keel_null();
}

keel_entity keel_context_first_child(keel_context *context, keel_entity parent) {
    return declared(context, KEEL_OF(keel_parent), KEEL_ACCESS_READ)
               ? keel_world_first_child(context->world, parent)
               : keel_null();
}

keel_entity keel_context_next_child(keel_context *context, keel_entity parent, keel_entity child) {
    return may_read_links(context) ? keel_world_next_child(context->world, parent, child)
                                   : keel_null();
}

const struct keeli_links *keeli_context_links(keel_context *context, keel_entity of) {
    return may_read_links(context) ? keeli_world_links(context->world, of) : NULL;
}

keel_entity keel_context_next_descendant(keel_context *context, keel_entity root,
                                         keel_entity after) {
    return may_read_links(context) ? keel_world_next_descendant(context->world, root, after)
                                   : keel_null();
}

keel_entity keel_context_next_descendant_breadth(keel_context *context, keel_entity root,
                                                 keel_entity after) {
    return may_read_links(context) ? keel_world_next_descendant_breadth(context->world, root, after)
                                   : keel_null();
}

bool keeli_context_has_failed(const keel_context *context) { return context->failed; }

void keeli_context_answer(keel_context *context, bool answer) { context->answer = answer; }

// ------------------------------------------------------------------ views and loops inside a
// system
// Views inside of a split system read what all its threads read.
static keel_result check_split_view(keel_context *context, const keel_term *terms) {
    for (const keel_term *t = terms; t && t->kind != KEEL_TERM_END; ++t)
        for (const keel_component *c = t->component, *const *other = t->others; c;
             c = other ? *other++ : NULL) {
            const keeli_storage *s = keeli_storage_find(context->world, c);
            if (s && keeli_holder_access(&context->view->holder, s) > KEEL_ACCESS_READ)
                return split_looks(context, s), KEEL_ERROR_ACCESS;
        }
    return KEEL_OK;
}

typedef struct newly_tracked {
    keel_world *world;
    keeli_storage *storage;
    uint32_t kinds;
    bool is_done;
} newly_tracked;

static void switch_tracking_on(void *data) {
    newly_tracked *n = data;
    n->is_done = keeli_track(n->world, n->storage, n->kinds);
}

// In a workload the first who asks for changes of what it may read has them tracked, too: nobody
// writes that component now, so the place in the linear order decides from when on. Who is refused
// this (in shared mode, or as it is not declared) hears why when the view is bound.
static keel_result track_for(keel_context *context, const keel_term *terms) {
    keel_world *world = context->world;
    if (!world->refused || context->is_inner || !keeli_worker_is_here(world, context->worker))
        return KEEL_OK;
    for (const keel_term *t = terms; t && t->kind != KEEL_TERM_END; ++t) {
        const uint32_t kinds = keeli_term_tracks(t->kind);
        keeli_storage *s = kinds && t->component ? keeli_storage_find(world, t->component) : NULL;
        if (!s || !(kinds & ~s->tracking.kinds)) continue;
        if (!keeli_holder_access(&context->view->holder, s)) continue;
        newly_tracked n = { world, s, kinds, false };
        keeli_context_alone(context, false, switch_tracking_on, &n);
        if (!n.is_done) return keeli_out_of_memory(world, "tracking a component");
    }
    return KEEL_OK;
}

keel_result keel_view_begin_in(keel_view *view, keel_context *context, const keel_term *terms,
                               const char *where) {
    if (view) *view = (keel_view){ 0 };
    if (!view || !context) return KEEL_ERROR_ARGUMENT;
    keeli_atomic_store(&context->world->views.any_inner, 1);
    if (context->loop) KEEL_TRY(check_split_view(context, terms));
    KEEL_TRY(track_for(context, terms));
    return keeli_view_begin_inside(view, context->world, &context->view->holder, context->reader,
                                   terms, where);
}

// ------------------------------------------------------------------ changes
keel_result keel_context_mark_component(keel_context *context, keel_entity e,
                                        const keel_component *component) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    keeli_storage *s = declared(context, component, KEEL_ACCESS_WRITE);
    if (!s)
        return component && keeli_storage_find(context->world, component) ? KEEL_ERROR_ACCESS
                                                                          : KEEL_ABSENT;
    if (!keel_context_is_alive(context, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_store_has(s, keel_entity_index(e))) return KEEL_ABSENT;
    keeli_track_modified(context->world, s, keel_entity_index(e));
    return KEEL_OK;
}

uint32_t keel_context_changes_of(keel_context *context, keel_entity e,
                                 const keel_component *component) {
    const keeli_storage *s = declared(context, component, KEEL_ACCESS_READ);
    if (!s || !keel_context_is_alive(context, e)) return 0;
    return keeli_changes_of(context->world, s, context->reader, keel_entity_index(e));
}

uint32_t keel_context_unique_changes(keel_context *context, const keel_component *unique) {
    const keeli_storage *s = declared(context, unique, KEEL_ACCESS_READ);
    return s ? keeli_unique_changes(s, context->reader) : 0;
}

keel_removal_walk keel_context_removals(keel_context *context, const keel_component *component,
                                        uint32_t kinds) {
    keeli_storage *s = declared(context, component, KEEL_ACCESS_READ);
    return keeli_removals_begin(context ? context->world : NULL, s,
                                context ? context->reader : NULL, kinds);
}

uint64_t keel_context_missed(keel_context *context, const keel_component *component) {
    const keeli_storage *s = declared(context, component, KEEL_ACCESS_READ);
    return s ? keeli_missed(context->world, s, context->reader) : 0;
}

// ------------------------------------------------------------------ loops in ordinary code
void keeli_cursor_begin_since(keeli_cursor *cursor, keel_reader *reader, const keel_term *terms,
                              bool spans, const char *where) {
    *cursor = (keeli_cursor){ .whole = true, .spans = spans };
    if (keel_view_begin_since(&cursor->view, reader, terms, where) == KEEL_OK)
        (void)keel_iterator_begin(&cursor->iterator, &cursor->view);
}

void keeli_cursor_begin(keeli_cursor *cursor, keel_world *world, keel_context *context,
                        const keel_term *terms, bool spans, const char *where) {
    *cursor = (keeli_cursor){ .whole = true, .spans = spans };
    const keel_result result = context ? keel_view_begin_in(&cursor->view, context, terms, where)
                                       : keel_view_begin(&cursor->view, world, terms, where);
    if (result == KEEL_OK) (void)keel_iterator_begin(&cursor->iterator, &cursor->view);
}

bool keeli_cursor_refill(keeli_cursor *cursor) {
    keel_span span;
    for (;;) {
        if (cursor->spans) {
            if (!keel_iterator_next_span(&cursor->iterator, &span)) return false;
            cursor->chunk = span.chunk;
            return true;
        }
        const keel_chunk *chunk = keel_iterator_next(&cursor->iterator);
        cursor->chunk = chunk;
        if (!chunk) return false;
        uint32_t at = 0;
        if (chunk->form == KEEL_CHUNK_MASK)
            while (at < chunk->count && !(chunk->words[at / 64] >> (at % 64) & 1))
                ++at;
        cursor->position = at;
        if (at < chunk->count) return true;
    }
}

void keeli_cursor_end(keeli_cursor *cursor) {
    // left early: the rest of the chunk was not visited
    if (!cursor->spans && cursor->chunk)
        keeli_iterator_visited(&cursor->iterator, cursor->position + 1);
    keel_iterator_end(&cursor->iterator);
    keel_view_end(&cursor->view);
}
