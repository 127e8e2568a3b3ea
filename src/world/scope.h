// SPDX-License-Identifier: MIT
// Scopes: what stands behind the first argument of a verb, what may be looked at through it, and
// edits through it, which are made now or recorded (record.c).
#pragma once
#include "world/borrow.h"

#include <keel/scope.h>

// How a context begins (run/context.h).
typedef struct keeli_inside {
    keel_scope scope;
    keel_world *world;
    keeli_holder *holder; // of what its system declared
    keeli_reader *reader; // what it has seen of changes, or NULL
    const char *kind;     // "system" or "view": for messages
    bool is_split;        // several threads run it, so that what it writes cannot be looked at
    bool failed;          // by keel_fail, or
    bool is_denied;       // since it touched what it did not declare
} keeli_inside;

struct keel_reader {
    keel_scope scope;
    keeli_reader reader; // its name is owned
    keel_world *world;
    struct keel_reader *next;
};

// Who calls.
typedef struct keeli_caller {
    keel_world *world;
    const keeli_holder *holder; // of what a view or system may touch; NULL: the world's owner
    const keeli_holder *editor; // the same for edits: who declared the whole world is its owner
    const keeli_reader *reader; // whose changes it looks at; NULL: of somebody outside of systems
    const keeli_inside *inside; // a context, or NULL
    keel_commands *commands;    // where edits are recorded; NULL: they are made now
} keeli_caller;

// KEEL_OK, KEEL_ERROR_ARGUMENT: NULL, closed, destroyed.
keel_result keeli_caller_is(const keel_scope *scope, keeli_caller *who);
// The same, and NULL is reported.
keel_result keeli_caller_must_be(const keel_scope *scope, keeli_caller *who);
static inline bool keeli_is_world(const keel_scope *scope) {
    return scope && scope->kind == KEELI_SCOPE_WORLD;
}
// For those who know that it is one.
static inline keel_world *keeli_world_of(const keel_scope *scope) {
    return (keel_world *)(uintptr_t)scope;
}
// NULL: there is none, or nobody may look at it now.
const keel_world *keeli_world_elsewhere(const keel_scope *scope);
static inline const keel_world *keeli_world_behind(const keel_scope *scope) {
    return keeli_is_world(scope) ? keeli_world_of(scope) : keeli_world_elsewhere(scope);
}
// NULL: it is something else.
static inline keel_commands *keeli_commands_of(keel_scope *scope) {
    return scope && scope->kind == KEELI_SCOPE_COMMANDS ? (keel_commands *)scope : NULL;
}

// Tell that it is closed: KEEL_ERROR_ARGUMENT.
keel_result keeli_view_is_closed(const keel_view *view);

// Tell that: KEEL_ERROR_ARGUMENT.
keel_result keeli_reader_edits_nothing(keel_world *world);

// May it look at the storage like this? False: it did not declare that, which is reported.
bool keeli_may_look_up(const keeli_caller *who, const keeli_storage *s, keel_access access);
// The storage of a component or unique that it may look at like this, or NULL.
keeli_storage *keeli_look_up(const keeli_caller *who, const keel_component *component,
                             keel_access access);

// ------------------------------------------------------------------ edits, now or later
// What a recorded edit does. Those from KEELI_RECORD_EDIT on may touch whatever an entity has.
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

// A view or context edits: the lock of edits is taken, until keeli_edit_end.
keel_result keeli_edit_begin(keel_scope *scope, keeli_caller *who);
keel_result keeli_edit_end(const keeli_caller *who, keel_result result);
// For what a world does now, or commands record: views and contexts do not. `verb`: "set a unique".
keel_result keeli_edit_outside(keel_scope *scope, keeli_caller *who, const char *verb);

// Edits that need no more than an entity, or an entity and a component, and can be recorded: make
// it or record it, as the scope says.
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
// Edits of a relation between an entity and another one, or (null) whatever it is related to.
typedef keel_result keeli_edit_pair_fn(keel_world *world, const keeli_holder *holder, keel_entity e,
                                       const keel_component *relation, keel_entity other,
                                       const void *value);
keel_result keeli_edit_pair(keel_scope *scope, keel_entity e, const keel_component *relation,
                            keel_entity other, const void *value, keeli_edit_pair_fn *edit);
// Edits of an entity with another one that may touch whatever it has.
typedef keel_result keeli_edit_two_fn(keel_world *world, const keeli_holder *holder, keel_entity e,
                                      keel_entity other);
// Record the others.
keel_entity keeli_record_add_entity(keel_commands *list, const keel_value *values);
keel_entity keeli_record_add_child(keel_commands *list, keel_entity parent,
                                   const keel_value *values);
keel_result keeli_record_add(keel_commands *list, keel_entity e, const keel_value *values,
                             uint32_t count);
keel_result keeli_record_removal(keel_commands *list, bool deletes, keel_entity e,
                                 const keel_component *const *components, uint32_t count);
keel_result keeli_record_two(keel_commands *list, keel_entity e, keel_entity other,
                             keeli_edit_two_fn *edit);
// NULL or "": the name goes.
keel_result keeli_record_name(keel_commands *list, keel_entity e, const char *name);
keel_result keeli_record_event(keel_commands *list, const keel_component *event, const void *value);
// A component or unique and its value, handed over: KEELI_RECORD_REPLACE, KEELI_RECORD_SET_UNIQUE,
// and (without a value) KEELI_RECORD_REMOVE_UNIQUE.
keel_result keeli_record_value(keel_commands *list, keeli_action does, keel_entity e,
                               const keel_component *component, const void *value);
// `count` new entities, handles in `out` (NULL: nobody wants them).
keel_result keeli_record_add_entities(keel_commands *list, uint32_t count, keel_entity *out,
                                      const keel_value_column *columns);
keel_result keeli_record_clone(keel_commands *list, keel_entity prototype, uint32_t count,
                               keel_entity *out);
// Whom a record is about, in its arena.
typedef struct keeli_entity_list {
    uint32_t count;
    uint32_t each; // a spawned prefab: entities of one copy; otherwise 1
    keel_entity items[];
} keeli_entity_list;
// Copies of the template `root`, of which each has `each` entities; handles of the roots in `out`.
typedef keel_result keeli_edit_spawn_fn(keel_world *world, keel_entity root,
                                        keeli_entity_list *held, const keel_value_column *columns);
keel_result keeli_record_spawn(keel_commands *list, keel_entity root, uint32_t each, uint32_t count,
                               keel_entity *out, const keel_value_column *columns,
                               keeli_edit_spawn_fn *edit);
// What is done with many: KEELI_RECORD_ADD_MANY with its column, KEELI_RECORD_DELETE_MANY with its
// component, KEELI_RECORD_DELETE_ENTITIES with NULL.
keel_result keeli_record_many(keel_commands *list, keeli_action does, const keel_entity *entities,
                              uint32_t count, const keel_value_column *column);
// What is done with all that match when it is applied. `column`: a component and, when it is added,
// the one value for all; NULL: there is none.
typedef keel_result keeli_edit_matching_fn(keel_world *world, const keel_term *terms,
                                           const keel_component *component, const void *value);
keel_result keeli_record_matching(keel_commands *list, const keel_term *terms,
                                  const keel_value_column *column, keeli_edit_matching_fn *edit);
// How many there are in a list of values; NULL: none.
uint32_t keeli_count_values(const keel_value *values);

// What keel_if_missing gives out.
extern const keel_component keeli_if_missing;

// A component and, when the record adds it, its value (NULL: zeros), or values of many entities. Of
// KEELI_RECORD_MATCHING: what the terms name, and last what is added or deleted.
typedef struct keeli_command_part {
    uint32_t number; // 0: forgotten; or, with a count, keel_if_missing
    uint32_t count;  // of values
    void *value;     // in the arena, owned until it is handed over
} keeli_command_part;

typedef struct keeli_command {
    struct keeli_command *next;
    keeli_action does;
    uint32_t count; // of parts
    keel_entity entity, parent;
    union {
        keeli_edit_fn *edit;           // KEELI_RECORD_EDIT
        keeli_edit_of_fn *edit_of;     // KEELI_RECORD_EDIT_OF, of the one component
        keeli_edit_pair_fn *edit_pair; // KEELI_RECORD_EDIT_PAIR, with `parent`
        keeli_edit_two_fn *edit_two;   // KEELI_RECORD_EDIT_TWO, with `parent`
        keeli_edit_matching_fn *edit_matching;
        keeli_edit_spawn_fn *edit_spawn;
        keel_command_fn *function; // KEELI_RECORD_CALL
    };
    union {
        void *data;              // KEELI_RECORD_CALL: the user's; KEELI_RECORD_NAME: the name
        keeli_entity_list *many; // whom, or who is made
        keel_term *terms;        // KEELI_RECORD_MATCHING
    };
    keeli_command_part parts[];
} keeli_command;

// NULL: the component is not known any more.
static inline keeli_storage *keeli_part_storage(const keel_world *world,
                                                const keeli_command_part *p) {
    return p->number ? world->root.storages[p->number] : NULL;
}
// Its values are dropped, and it is forgotten.
void keeli_part_drop(const keel_world *world, keeli_command_part *p);
