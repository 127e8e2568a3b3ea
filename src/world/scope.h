// SPDX-License-Identifier: MIT
// Scopes: what stands behind the first argument of a verb, and what may be looked at through it.
// Edits through one begin in edit/edit.h.
#pragma once
#include "world/borrow.h"

#include <keel/scope.h>

// The kinds of scopes; 0 is none any more.
enum {
    KEELI_SCOPE_WORLD = 0x4b65656c,
    KEELI_SCOPE_VIEW,
    KEELI_SCOPE_COMMANDS,
    KEELI_SCOPE_CONTEXT,
    KEELI_SCOPE_READER
};

// How a context begins (run/context.h).
typedef struct keeli_inside {
    keel_scope scope;
    keel_world *world;
    keeli_holder *holder; // of what its system declared
    keeli_reader *reader; // what it has seen of changes, or NULL
    const char *kind;     // "system" or "view": for messages
    bool is_split;        // several threads run it, so that what it writes cannot be looked at
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
static inline bool keeli_is_world(const keel_scope *scope) {
    return scope && scope->kind == KEELI_SCOPE_WORLD;
}
// For those who know that it is one.
static inline keel_world *keeli_world_of(const keel_scope *scope) {
    return (keel_world *)(uintptr_t)scope;
}

// Tell that it is closed: KEEL_ERROR_ARGUMENT.
keel_result keeli_view_is_closed(const keel_view *view);

// May it look at the storage like this? False: it did not declare that, which is reported.
bool keeli_may_look_up(const keeli_caller *who, const keeli_storage *s, keel_access access);
// The storage of a component or unique that it may look at like this, or NULL.
keeli_storage *keeli_look_up(const keeli_caller *who, const keel_component *component,
                             keel_access access);
