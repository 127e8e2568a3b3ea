// SPDX-License-Identifier: MIT
// Answers the POST requests that change the world. Each uses the verb that a program would use, so
// misuse is the error of this verb. The rules have checked that edits are allowed.
#include "answers.h"
#include "path.h"
#include "print.h"

#include <string.h>

static bool edit_is_done(keel_inspect *inspect, keeli_request *request) {
    keeli_inspect_note_edit(inspect);
    keeli_out_open(&request->out, '{');
    keeli_out_key_bool(&request->out, "ok", true);
    keeli_out_close(&request->out, '}');
    return true;
}

static bool edit_finish(keel_inspect *inspect, keeli_request *request, keel_result result) {
    return result < 0 ? keeli_request_fail_by(request, inspect->world, result)
                      : edit_is_done(inspect, request);
}

// Reads a handle of the body that must be alive. False: the request has failed.
static bool edit_read_entity(keel_inspect *inspect, keeli_request *request, const char *name,
                             keel_entity *entity) {
    const char *text = keeli_field_text(request, name);
    if (!text || !keeli_parse_handle(text, entity))
        return !keeli_request_fail(request, 400, "argument",
                                   "%s: a handle such as \"17v3\" is needed", name);
    if (!keel_is_alive(inspect->world, *entity))
        return !keeli_request_fail(request, 404, "gone", "entity %.40s is not alive", text);
    return true;
}

// Reads the name of a component that the world knows. NULL: the request has failed.
static const keel_component *edit_read_component(keel_inspect *inspect, keeli_request *request,
                                                 const char *name) {
    const char *text = keeli_field_text(request, name);
    const keel_component *component = text ? keel_find_component(inspect->world, text) : NULL;
    if (!component)
        keeli_request_fail(request, 400, "argument", "%s: '%.120s' is no component of this world",
                           name, text ? text : "");
    return component;
}

// ------------------------------------------------------------------ set
// Returns the value as a text for keel_field_parse, in `room` if it is a number. NULL: it is none.
static const char *edit_read_value(keeli_request *request, char *room, size_t size) {
    const json_t *value = json_object_get(request->fields, "value");
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value) || json_dumpb(value, room, size - 1, JSON_ENCODE_ANY) >= size)
        return NULL;
    room[json_dumpb(value, room, size - 1, JSON_ENCODE_ANY)] = '\0';
    return room;
}

static bool edit_answer_value(keel_inspect *inspect, keeli_request *request,
                              const keel_component *c, const void *value) {
    keeli_out_open(&request->out, '{');
    keeli_out_key_text(&request->out, "component", c->name);
    keeli_print_value(&request->out, inspect->world, c, value);
    keeli_out_close(&request->out, '}');
    return true;
}

// Returns whether values may be written now. The verbs would write in place although a view is
// open; code between the steps of that view does not expect it from a page.
static bool edit_may_write(keel_inspect *inspect, keeli_request *request) {
    keel_result result = keel_share_begin(inspect->world);
    if (result >= 0) result = keel_share_end(inspect->world);
    return result >= 0 || !keeli_request_fail_by(request, inspect->world, result);
}

// Returns the value of a unique, or of a component of an entity; NULL: there is none.
static const void *edit_get_value(const keel_world *world, keel_entity entity,
                                  const keel_component *c) {
    return c->is_unique ? keel_get_unique_value(world, c) : keel_get_component(world, entity, c);
}

// Counts the value as written, after it was. A value that is no text of its field is not written,
// and must not count.
static void edit_mark(keel_world *world, keel_entity entity, const keel_component *c) {
    if (c->is_unique) (void)keel_get_unique_value_mut(world, c);
    else (void)keel_get_component_mut(world, entity, c);
}

bool keeli_answer_set(keel_inspect *inspect, keeli_request *request) {
    char number[64];
    keel_field_place place;
    keel_error error;
    keel_entity entity = keel_null();
    const char *path = keeli_field_text(request, "path"),
               *text = edit_read_value(request, number, sizeof number);
    if (!path || !text)
        return keeli_request_fail(request, 400, "argument", "\"path\" and \"value\" are needed");
    const keel_component *c = keeli_path_find(inspect->world, path, &place, &error);
    if (!c) return keeli_request_fail(request, 400, "value", "%s", error.message);
    if (c->is_event)
        return keeli_request_fail(request, 400, "value",
                                  "%s is a type of events, which have no value to set", c->name);
    if (!c->is_unique && !edit_read_entity(inspect, request, "entity", &entity)) return true;
    const void *value = edit_get_value(inspect->world, entity, c);
    if (!value)
        return keeli_request_fail(request, 404, "gone", "%s %s",
                                  c->is_unique ? "there is no value of" : "the entity has no",
                                  c->name);
    if (!edit_may_write(inspect, request)) return true;
    if (keel_field_parse(&place, (void *)(uintptr_t)value, text, &error) < 0)
        return keeli_request_fail(request, 400, "value", "%s", error.message);
    edit_mark(inspect->world, entity, c);
    keeli_inspect_note_edit(inspect);
    return edit_answer_value(inspect, request, c, value);
}

// ------------------------------------------------------------------ components
bool keeli_answer_add(keel_inspect *inspect, keeli_request *request) {
    keel_entity entity;
    if (!edit_read_entity(inspect, request, "entity", &entity)) return true;
    const keel_component *c = edit_read_component(inspect, request, "component");
    if (!c) return true;
    if (keel_has_component(inspect->world, entity, c))
        return keeli_request_fail(request, 400, "argument", "the entity has %s already", c->name);
    if (keel_is_component_disabled(inspect->world, entity, c))
        return keeli_request_fail(request, 400, "argument",
                                  "the entity has %s already, which is disabled", c->name);
    return edit_finish(inspect, request, keel_add_component(inspect->world, entity, c, c->initial));
}

bool keeli_answer_remove(keel_inspect *inspect, keeli_request *request) {
    keel_entity entity;
    if (!edit_read_entity(inspect, request, "entity", &entity)) return true;
    const keel_component *c = edit_read_component(inspect, request, "component");
    if (!c) return true;
    // The verb takes enabled components only.
    const bool is_disabled = keel_is_component_disabled(inspect->world, entity, c);
    keel_result result =
        is_disabled ? keel_enable_component(inspect->world, entity, c, true) : KEEL_OK;
    if (result >= 0) result = keel_delete_component(inspect->world, entity, c);
    if (result == KEEL_ABSENT)
        return keeli_request_fail(request, 404, "gone", "the entity has no %s", c->name);
    edit_finish(inspect, request, result);
    if (result < 0 && is_disabled) keel_enable_component(inspect->world, entity, c, false);
    return true;
}

bool keeli_answer_disable(keel_inspect *inspect, keeli_request *request) {
    keel_entity entity;
    const json_t *disabled = json_object_get(request->fields, "disabled");
    if (!json_is_boolean(disabled))
        return keeli_request_fail(request, 400, "argument", "disabled: true or false is needed");
    if (!edit_read_entity(inspect, request, "entity", &entity)) return true;
    if (!keeli_field_text(request, "component"))
        return edit_finish(inspect, request,
                           keel_enable_entity(inspect->world, entity, !json_is_true(disabled)));
    const keel_component *c = edit_read_component(inspect, request, "component");
    if (!c) return true;
    const keel_result result =
        keel_enable_component(inspect->world, entity, c, !json_is_true(disabled));
    const bool has = keel_has_component(inspect->world, entity, c) ||
                     keel_is_component_disabled(inspect->world, entity, c);
    if (result == KEEL_ABSENT && !has) // and not only that it was so before
        return keeli_request_fail(request, 404, "gone", "the entity has no %s", c->name);
    return edit_finish(inspect, request, result);
}

bool keeli_answer_track(keel_inspect *inspect, keeli_request *request) {
    const keel_component *c = edit_read_component(inspect, request, "component");
    return !c ||
           edit_finish(inspect, request, keel_track_component(inspect->world, c, KEEL_TRACK_ALL));
}

// ------------------------------------------------------------------ entities
bool keeli_answer_delete(keel_inspect *inspect, keeli_request *request) {
    keel_entity entity;
    return !edit_read_entity(inspect, request, "entity", &entity) ||
           edit_finish(inspect, request, keel_delete_entity(inspect->world, entity));
}

bool keeli_answer_spawn(keel_inspect *inspect, keeli_request *request) {
    keel_entity parent = keel_null();
    const char *name = keeli_field_text(request, "name");
    if (keeli_field_text(request, "parent") &&
        !edit_read_entity(inspect, request, "parent", &parent))
        return true;
    const keel_entity made = keel_add_entity_values(inspect->world, NULL);
    if (keel_is_null(made))
        return keeli_request_fail_by(request, inspect->world,
                                     keel_last_error(inspect->world)->result);
    keel_result result = keel_is_null(parent) ? KEEL_OK : keel_attach(inspect->world, made, parent);
    if (result >= 0 && name && *name) result = keel_set_name(inspect->world, made, name);
    if (result < 0) {
        keeli_request_fail_by(request, inspect->world, result);
        keel_delete_entity(inspect->world, made);
        return true;
    }
    keeli_out_open(&request->out, '{');
    keeli_out_key(&request->out, "entity");
    keeli_print_handle(&request->out, made);
    keeli_out_close(&request->out, '}');
    return true;
}

// Reads the two ends and the relation of a request. NULL: the request has failed.
static const keel_component *edit_read_edge(keel_inspect *inspect, keeli_request *request,
                                            keel_entity *source, keel_entity *target) {
    if (!edit_read_entity(inspect, request, "entity", source) ||
        !edit_read_entity(inspect, request, "target", target))
        return NULL;
    const keel_component *relation = edit_read_component(inspect, request, "relation");
    if (!relation || relation->is_relation) return relation;
    keeli_request_fail(request, 400, "argument", "relation: %s is no relation", relation->name);
    return NULL;
}

bool keeli_answer_relate(keel_inspect *inspect, keeli_request *request) {
    keel_entity source, target;
    const keel_component *relation = edit_read_edge(inspect, request, &source, &target);
    return !relation ||
           edit_finish(inspect, request,
                       keel_relate_component(inspect->world, source, relation, target, NULL));
}

bool keeli_answer_unrelate(keel_inspect *inspect, keeli_request *request) {
    keel_entity source, target;
    const keel_component *relation = edit_read_edge(inspect, request, &source, &target);
    if (!relation) return true;
    const keel_result result = keel_unrelate_component(inspect->world, source, relation, target);
    if (result == KEEL_ABSENT)
        return keeli_request_fail(request, 404, "gone", "there is no such edge of %s",
                                  relation->name);
    return edit_finish(inspect, request, result);
}
