// SPDX-License-Identifier: MIT
// Answers GET entities: lists of entities in pages, for the tree and the list.
#include "answers.h"
#include "past.h"
#include "print.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 100, MAX_ROWS = 1000, NAMES = 12 };

static void entities_write_components(keeli_out *out, const keel_world *world, keel_entity entity) {
    int names = 0;
    keeli_out_key_open(out, "components", '[');
    for (const keel_component *c = keel_next_component_of(world, entity, NULL); c && names < NAMES;
         c = keel_next_component_of(world, entity, c), ++names)
        keeli_out_text(out, c->name);
    keeli_out_close(out, ']');
}

static void entities_write_row(keeli_out *out, const keel_world *world, keel_entity entity) {
    keeli_out_open(out, '{');
    keeli_print_identity(out, world, entity);
    keeli_out_key_number(out, "children", keel_child_count(world, entity));
    entities_write_components(out, world, entity);
    keeli_out_close(out, '}');
}

// The list that is asked for: all entities, those without a parent, or the children of one.
typedef struct entities_list {
    const keel_world *world;
    keel_entity parent;
    bool roots;
} entities_list;

// Returns the next candidate for a row: with `roots` it may have a parent.
static keel_entity entities_next(const entities_list *list, keel_entity after) {
    if (keel_is_null(list->parent)) return keel_next_entity(list->world, after);
    return keel_is_null(after) ? keel_first_child(list->world, list->parent)
                               : keel_next_child(list->world, list->parent, after);
}

static bool entities_has(const entities_list *list, keel_entity entity) {
    return !list->roots || keel_is_null(keel_parent_of(list->world, entity));
}

static uint64_t entities_count(const entities_list *list) {
    const keel_world *world = list->world;
    if (!keel_is_null(list->parent)) return keel_child_count(world, list->parent);
    const keel_component *child = keel_find_component(world, KEEL_COMPONENT_keel_child.type);
    return keel_entity_count(world) -
           (list->roots && child ? keel_component_count(world, child) : 0);
}

static bool entities_read_arguments(keeli_request *request, entities_list *list, keel_entity *after,
                                    uint64_t *limit) {
    const char *parent = keeli_argument(request, "parent"),
               *from = keeli_argument(request, "after");
    *after = list->parent = keel_null();
    list->roots = parent && !strcmp(parent, "none");
    if (parent && !list->roots && !keeli_parse_handle(parent, &list->parent))
        return !keeli_request_fail(request, 400, "argument", "parent: '%.40s' is no handle",
                                   parent);
    if (from && !keeli_parse_handle(from, after))
        return !keeli_request_fail(request, 400, "argument", "after: '%.40s' is no handle", from);
    if (!keel_is_null(list->parent) && !keel_is_alive(list->world, list->parent))
        return !keeli_request_fail(request, 404, "gone", "the parent %.40s is not alive", parent);
    // There is no way on from a child that is none any more; an empty page would look like the end.
    if (!keel_is_null(list->parent) && from &&
        !keel_is_same(keel_parent_of(list->world, *after), list->parent))
        return !keeli_request_fail(request, 404, "gone",
                                   "after: %.40s is no child of %.40s any more; begin again", from,
                                   parent);
    *limit = ROWS;
    keeli_argument_number(request, "limit", limit);
    if (*limit > MAX_ROWS) *limit = MAX_ROWS;
    return true;
}

// Writes rows until the page is full or time is up. Returns how many. `*last` receives the last
// candidate, `*is_end` whether no other one is left.
static uint64_t entities_write_rows(keel_inspect *inspect, keeli_out *out,
                                    const entities_list *list, uint64_t limit, keel_entity *last,
                                    bool *is_end) {
    enum { BETWEEN_LOOKS = 64 };
    uint64_t rows = 0;
    keel_entity next = entities_next(list, *last);
    for (uint32_t i = 1; !keel_is_null(next) && rows < limit; ++i) {
        const bool is_row = entities_has(list, next);
        if (is_row) entities_write_row(out, list->world, next);
        rows += is_row;
        *last = next;
        next = entities_next(list, next);
        if ((is_row || i % BETWEEN_LOOKS == 0) && keeli_inspect_is_late(inspect)) break;
    }
    *is_end = keel_is_null(next);
    return rows;
}

// Keeps where the search for the first row has come to, for the next frame.
static bool entities_wait(keeli_request *request, keel_entity last) {
    if (!request->job) request->job = malloc(sizeof last);
    if (!request->job)
        return keeli_request_fail(request, 500, "memory", "out of memory: listing entities");
    memcpy(request->job, &last, sizeof last);
    request->free_job = free;
    keeli_out_clear(&request->out);
    return false;
}

bool keeli_answer_entities(keel_inspect *inspect, keeli_request *request) {
    uint64_t frame, limit;
    keel_entity last;
    bool is_end = false, is_done = true;
    entities_list list = { .world = keeli_past_enter(inspect, request, "frame", &frame) };
    if (!list.world) return true;
    if (!entities_read_arguments(request, &list, &last, &limit)) {
        keeli_past_leave(inspect, frame);
        return true;
    }

    keeli_out *out = &request->out;
    if (request->job) memcpy(&last, request->job, sizeof last);
    keeli_out_open(out, '{');
    keeli_out_key_open(out, "entities", '[');
    // One row at least: an answer without one would look like the end.
    if (!entities_write_rows(inspect, out, &list, limit, &last, &is_end) && !is_end && limit) {
        is_done = entities_wait(request, last);
    } else {
        keeli_out_close(out, ']');
        keeli_out_key(out, "next");
        keeli_print_handle(out, is_end ? keel_null() : last);
        keeli_out_key_number(out, "total", entities_count(&list));
        keeli_out_close(out, '}');
    }
    keeli_past_leave(inspect, frame);
    return is_done;
}
