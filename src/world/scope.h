// SPDX-License-Identifier: MIT
// Scopes: the object behind the first argument of a verb (a world, view, context, reader or list of
// commands), what the caller may look up through it, and edits through it, which are made now or
// recorded (record.c). It makes no edits itself: verbs (edit/) hand it the functions that do, and
// edit/commands.c applies the records.
#pragma once
#include "world/borrow.h"

#include <keel/scope.h>

// The beginning of every context (run/context.h): the parts of it that the layers below run/ need.
typedef struct keeli_inside {
    keel_scope scope;
    keel_world *world;
    keeli_holder *holder; // the system's borrows of the storages that it declared
    keeli_reader *reader; // state of the changes that the system has seen, or NULL
    const char *kind;     // "system" or "view": for messages
    bool is_split;        // several threads run the system, so it may not look up what it writes
    bool failed;          // the system failed: it called keel_fail, or `is_denied`
    bool is_denied;       // the system used a component that it did not declare
} keeli_inside;

struct keel_reader {
    keel_scope scope;
    keeli_reader reader; // its name is owned
    keel_world *world;
    struct keel_reader *next;
};

// The caller of a verb.
typedef struct keeli_caller {
    keel_world *world;
    const keeli_holder *holder; // the storages that a view or system may use; NULL: the caller is
                                // the world's owner, or records commands
    const keeli_holder *editor; // `holder`, but NULL if a system declared the whole world
    const keeli_reader *reader; // state of the changes that the caller has seen; NULL: the
                                // caller is neither a system nor a reader
    const keeli_inside *inside; // the context that is the scope; NULL: the scope is something else
    keel_commands *commands;    // list that records the caller's edits; NULL: they are made at once
} keeli_caller;

// Finds the caller behind a scope. Returns KEEL_OK, or KEEL_ERROR_ARGUMENT if the scope is NULL,
// closed or destroyed.
keel_result keeli_caller_is(const keel_scope *scope, keeli_caller *who);
// As keeli_caller_is, but a scope that is NULL is reported as a misuse.
keel_result keeli_caller_must_be(const keel_scope *scope, keeli_caller *who);
static inline bool keeli_is_world(const keel_scope *scope) {
    return scope && scope->kind == KEELI_SCOPE_WORLD;
}
// Casts a scope that is known to be a world.
static inline keel_world *keeli_world_of(const keel_scope *scope) {
    return (keel_world *)(uintptr_t)scope;
}
// Returns the world behind any scope. NULL if there is none, or if it may not be read now.
const keel_world *keeli_world_elsewhere(const keel_scope *scope);
static inline const keel_world *keeli_world_behind(const keel_scope *scope) {
    return keeli_is_world(scope) ? keeli_world_of(scope) : keeli_world_elsewhere(scope);
}
// Returns the list of commands that a scope is, NULL if it is something else.
static inline keel_commands *keeli_commands_of(keel_scope *scope) {
    return scope && scope->kind == KEELI_SCOPE_COMMANDS ? (keel_commands *)scope : NULL;
}

// Reports that the view is not open. Returns KEEL_ERROR_ARGUMENT.
keel_result keeli_view_is_closed(const keel_view *view);

// Reports that a reader cannot edit. Returns KEEL_ERROR_ARGUMENT.
keel_result keeli_reader_edits_nothing(keel_world *world);

// True if the caller may look up values of the storage with this access. If not, reports why: most
// often, the system or view did not declare it.
bool keeli_may_look_up(const keeli_caller *who, const keeli_storage *s, keel_access access);
// Returns the storage of a component or unique if the caller may look it up, or NULL.
keeli_storage *keeli_look_up(const keeli_caller *who, const keel_component *component,
                             keel_access access);

// ------------------------------------------------------------------ edits, now or later
// The kinds of recorded edits. The kinds from KEELI_RECORD_EDIT on may touch any component of an
// entity.
typedef enum keeli_action {
    KEELI_RECORD_ADD_ENTITY,
    KEELI_RECORD_ADD_ENTITIES,
    KEELI_RECORD_ADD,
    KEELI_RECORD_ADD_MANY,
    KEELI_RECORD_REPLACE,
    KEELI_RECORD_REMOVE,
    KEELI_RECORD_DELETE,
    KEELI_RECORD_DELETE_MANY,
    KEELI_RECORD_SEND,
    KEELI_RECORD_NAME,
    KEELI_RECORD_SET_UNIQUE,
    KEELI_RECORD_REMOVE_UNIQUE,
    KEELI_RECORD_EDIT_OF,
    KEELI_RECORD_EDIT_PAIR,
    KEELI_RECORD_EDIT,
    KEELI_RECORD_EDIT_TWO,
    KEELI_RECORD_ADD_CHILD,
    KEELI_RECORD_CLONE,
    KEELI_RECORD_SPAWN,
    KEELI_RECORD_DELETE_ENTITIES,
    KEELI_RECORD_MATCHING,
    KEELI_RECORD_CALL
} keeli_action;

// Enclose an edit through a view or context: hold the lock of edits in between.
keel_result keeli_edit_begin(keel_scope *scope, keeli_caller *who);
keel_result keeli_edit_end(const keeli_caller *who, keel_result result);
// Finds the caller of a verb that only a world (now) or commands (recorded) accept. Returns an
// error for views, contexts and readers. `verb` is part of the message: "set uniques".
keel_result keeli_edit_outside(keel_scope *scope, keeli_caller *who, const char *verb);

// Make or record, as the scope says, an edit that needs only an entity, or an entity and a
// component.
typedef keel_result keeli_edit_fn(keel_world *world, const keeli_holder *holder, keel_entity e);
typedef keel_result keeli_edit_of_fn(keel_world *world, const keeli_holder *holder, keel_entity e,
                                     const keel_component *component);
keel_result keeli_edit_of_elsewhere(keel_scope *scope, keel_entity e,
                                    const keel_component *component, keeli_edit_of_fn *edit);
keel_result keeli_edit_elsewhere(keel_scope *scope, keel_entity e, keeli_edit_fn *edit);
static inline keel_result keeli_edit_entity(keel_scope *scope, keel_entity e, keeli_edit_fn *edit) {
    return keeli_is_world(scope) ? edit(keeli_world_of(scope), NULL, e)
                                 : keeli_edit_elsewhere(scope, e, edit);
}
static inline keel_result keeli_edit_component(keel_scope *scope, keel_entity e,
                                               const keel_component *component,
                                               keeli_edit_of_fn *edit) {
    return keeli_is_world(scope) ? edit(keeli_world_of(scope), NULL, e, component)
                                 : keeli_edit_of_elsewhere(scope, e, component, edit);
}
// The same for an edit of a relation between an entity and another one, or (`other` null) all that
// it is related to.
typedef keel_result keeli_edit_pair_fn(keel_world *world, const keeli_holder *holder, keel_entity e,
                                       const keel_component *relation, keel_entity other,
                                       const void *value);
keel_result keeli_edit_pair(keel_scope *scope, keel_entity e, const keel_component *relation,
                            keel_entity other, const void *value, keeli_edit_pair_fn *edit);
// An edit of an entity with another one that may touch any component of both.
typedef keel_result keeli_edit_two_fn(keel_world *world, const keeli_holder *holder, keel_entity e,
                                      keel_entity other);
// The functions from here on record the edits that need more than an entity and a component.
keel_entity keeli_record_add_entity(keel_commands *list, const keel_value *values);
keel_entity keeli_record_add_child(keel_commands *list, keel_entity parent,
                                   const keel_value *values);
keel_result keeli_record_add(keel_commands *list, keel_entity e, const keel_value *values,
                             uint32_t count);
keel_result keeli_record_removal(keel_commands *list, bool deletes, keel_entity e,
                                 const keel_component *const *components, uint32_t count);
keel_result keeli_record_two(keel_commands *list, keel_entity e, keel_entity other,
                             keeli_edit_two_fn *edit);
// Records a new name. NULL or "": the name is removed.
keel_result keeli_record_name(keel_commands *list, keel_entity e, const char *name);
keel_result keeli_record_event(keel_commands *list, const keel_component *event, const void *value);
// Records an edit of one component or unique, and moves its value into the record. `does` is
// KEELI_RECORD_REPLACE, KEELI_RECORD_SET_UNIQUE, or (`value` NULL) KEELI_RECORD_REMOVE_UNIQUE.
keel_result keeli_record_value(keel_commands *list, keeli_action does, keel_entity e,
                               const keel_component *component, const void *value);
// Records `count` new entities. Writes their handles to `out` unless it is NULL.
keel_result keeli_record_add_entities(keel_commands *list, uint32_t count, keel_entity *out,
                                      const keel_value_column *columns);
keel_result keeli_record_clone(keel_commands *list, keel_entity prototype, uint32_t count,
                               keel_entity *out);
// The entities that a record edits or adds; in the arena of the list.
typedef struct keeli_entity_list {
    uint32_t count;
    uint32_t each; // number of entities in one copy of a spawned prefab; otherwise 1
    keel_entity items[];
} keeli_entity_list;
// Records `count` copies of the template `root`, each of `each` entities. Writes the handles of the
// copies' roots to `out`.
typedef keel_result keeli_edit_spawn_fn(keel_world *world, keel_entity root,
                                        keeli_entity_list *held, const keel_value_column *columns);
keel_result keeli_record_spawn(keel_commands *list, keel_entity root, uint32_t each, uint32_t count,
                               keel_entity *out, const keel_value_column *columns,
                               keeli_edit_spawn_fn *edit);
// Records an edit of many entities: KEELI_RECORD_ADD_MANY with its column, KEELI_RECORD_DELETE_MANY
// with its component, KEELI_RECORD_DELETE_ENTITIES with NULL.
keel_result keeli_record_many(keel_commands *list, keeli_action does, const keel_entity *entities,
                              uint32_t count, const keel_value_column *column);
// Records an edit of all entities that match when it is applied. `column`: a component and, if it
// is added, one value for all entities; NULL for edits without a component.
typedef keel_result keeli_edit_matching_fn(keel_world *world, const keel_term *terms,
                                           const keel_component *component, const void *value);
keel_result keeli_record_matching(keel_commands *list, const keel_term *terms,
                                  const keel_value_column *column, keeli_edit_matching_fn *edit);
// Returns the length of a list of values, 0 for NULL.
uint32_t keeli_count_values(const keel_value *values);

// The component that keel_if_missing returns.
extern const keel_component keeli_if_missing;

// A component that a record names, and the values if the record adds it. In KEELI_RECORD_MATCHING
// the first parts name the components of the terms; the last one, if there is a column, names the
// component that is added or deleted.
typedef struct keeli_command_part {
    uint32_t number; // process-wide number of the component. 0: the part was dropped; or, if
                     // `count` is not 0, the part stands for keel_if_missing
    uint32_t count;  // number of values; 0: the value is zeros
    void *value;     // the values, in the arena; owned until they are moved out
} keeli_command_part;

typedef struct keeli_command {
    struct keeli_command *next;
    keeli_action does;
    uint32_t count; // number of parts
    keel_entity entity, parent;
    union {
        keeli_edit_fn *edit;           // KEELI_RECORD_EDIT
        keeli_edit_of_fn *edit_of;     // KEELI_RECORD_EDIT_OF, with its one component
        keeli_edit_pair_fn *edit_pair; // KEELI_RECORD_EDIT_PAIR, with `parent`
        keeli_edit_two_fn *edit_two;   // KEELI_RECORD_EDIT_TWO, with `parent`
        keeli_edit_matching_fn *edit_matching;
        keeli_edit_spawn_fn *edit_spawn;
        keel_command_fn *function; // KEELI_RECORD_CALL
    };
    union {
        void *data;              // KEELI_RECORD_CALL: the user's; KEELI_RECORD_NAME: the name
        keeli_entity_list *many; // the entities that are edited or made
        keel_term *terms;        // KEELI_RECORD_MATCHING
    };
    keeli_command_part parts[];
} keeli_command;

// Returns the storage of a part, NULL if its component was unregistered or the part has no number.
static inline keeli_storage *keeli_part_storage(const keel_world *world,
                                                const keeli_command_part *p) {
    return p->number ? world->root.storages[p->number] : NULL;
}
// Drops the values of a part and clears it.
void keeli_part_drop(const keel_world *world, keeli_command_part *p);
