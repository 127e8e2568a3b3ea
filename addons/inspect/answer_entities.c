// SPDX-License-Identifier: MIT
// Answers GET entities: lists of entities in pages, for the tree and the list.
#include "answers.h"
#include "past.h"
#include "print.h"

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
    keeli_out_key(out, "entity");
    keeli_print_handle(out, entity);
    keeli_out_key_text(out, "name", keel_name_of(world, entity));
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

static keel_entity entities_next(const entities_list *list, keel_entity after) {
    if (!keel_is_null(list->parent))
        return keel_is_null(after) ? keel_first_child(list->world, list->parent)
                                   : keel_next_child(list->world, list->parent, after);
    keel_entity next = keel_next_entity(list->world, after);
    while (list->roots && !keel_is_null(next) && !keel_is_null(keel_parent_of(list->world, next)))
        next = keel_next_entity(list->world, next);
    return next;
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
    *limit = ROWS;
    keeli_argument_number(request, "limit", limit);
    if (*limit > MAX_ROWS) *limit = MAX_ROWS;
    return true;
}

bool keeli_answer_entities(keel_inspect *inspect, keeli_request *request) {
    uint64_t frame, limit;
    keel_entity at;
    entities_list list = { .world = keeli_past_enter(inspect, request, "frame", &frame) };
    if (!list.world) return true;
    if (!entities_read_arguments(request, &list, &at, &limit)) {
        keeli_past_leave(inspect, frame);
        return true;
    }

    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    keeli_out_key_open(out, "entities", '[');
    keel_entity last = at, next = entities_next(&list, at);
    // One row at least: the page goes on behind the last, and an answer without one would look like
    // the end.
    for (uint64_t rows = 0;
         !keel_is_null(next) && rows < limit && (!rows || !keeli_inspect_is_late(inspect));
         ++rows) {
        entities_write_row(out, list.world, next);
        last = next;
        next = entities_next(&list, next);
    }
    keeli_out_close(out, ']');
    keeli_out_key(out, "next");
    keeli_print_handle(out, keel_is_null(next) ? next : last);
    keeli_out_key_number(out, "total",
                         keel_is_null(list.parent) ? keel_entity_count(list.world)
                                                   : keel_child_count(list.world, list.parent));
    keeli_out_close(out, '}');
    keeli_past_leave(inspect, frame);
    return true;
}
