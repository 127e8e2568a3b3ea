// SPDX-License-Identifier: MIT
// Scopes (scope.h): finds the caller behind the first argument of a verb, and checks what it may
// look up. Edits through a scope are in record.c.
#include "scope.h"

#include "report.h"

keel_result keeli_view_is_closed(const keel_view *view) {
    if (!view)
        return keeli_no_world();
    if (!view->world)
        return KEEL_ERROR_ARGUMENT; // no world to keep an error
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                        "a view is used that is not open: keel_view_begin failed, or keel_view_end "
                        "was called; call keel_view_begin again");
}

static keel_result caller_of_view(const keel_view *view, keeli_caller *who) {
    const keeli_holder *holder =
        (const keeli_holder *)(const void *)view->state; // its first member
    if (!holder || holder->serial != view->serial)
        return keeli_view_is_closed(view);
    *who = (keeli_caller){ .world = view->world, .holder = holder, .editor = holder };
    return KEEL_OK;
}

static void caller_inside(const keeli_inside *inside, keeli_caller *who) {
    *who = (keeli_caller){ .world = inside->world,
                           .holder = inside->holder,
                           .editor = inside->holder->everything ? NULL : inside->holder,
                           .reader = inside->reader,
                           .inside = inside };
}

static keel_result uses_the_world(keel_world *world) {
    return keeli_misuse(world, KEEL_ERROR_ACCESS,
                        "%s uses the world itself, which other systems may be writing while a "
                        "workload runs; use its context (parameter KEEL_CONTEXT), and declare the "
                        "components that it looks up",
                        KEELI_SYSTEM_HERE(world));
}

keel_result keeli_caller_is(const keel_scope *scope, keeli_caller *who) {
    if (!scope)
        return KEEL_ERROR_ARGUMENT;
    const keel_reader *reader = (const keel_reader *)scope;
    keel_commands *commands = (keel_commands *)(uintptr_t)scope;
    switch (scope->kind) {
    case KEELI_SCOPE_RUNNING:
        return uses_the_world(keeli_world_of(scope));
    case KEELI_SCOPE_WORLD:
        *who = (keeli_caller){ .world = keeli_world_of(scope) };
        return KEEL_OK;
    case KEELI_SCOPE_COMMANDS:
        *who = (keeli_caller){ .world = commands->world, .commands = commands };
        return KEEL_OK;
    case KEELI_SCOPE_CONTEXT:
        caller_inside((const keeli_inside *)scope, who);
        return KEEL_OK;
    case KEELI_SCOPE_READER:
        *who = (keeli_caller){ .world = reader->world, .reader = &reader->reader };
        return KEEL_OK;
    case KEELI_SCOPE_VIEW:
        return caller_of_view((const keel_view *)scope, who);
    }

    KEEL_ASSERT(scope->kind != KEELI_SCOPE_ENDED,
                "the context or the commands of a system are used after it has returned; use them "
                "while it runs, and keep neither");
    KEEL_ASSERT(scope->kind == 0 || scope->kind == KEELI_SCOPE_ENDED,
                "the scope is not a world, view, commands, context or reader, or that world or "
                "reader was destroyed; pass one that still exists");
    return KEEL_ERROR_ARGUMENT; // no world to keep an error
}

keel_result keeli_caller_must_be(const keel_scope *scope, keeli_caller *who) {
    return scope ? keeli_caller_is(scope, who) : keeli_no_world();
}

const keel_world *keeli_world_elsewhere(const keel_scope *scope) {
    keeli_caller who = { .world = NULL };
    (void)keeli_caller_is(scope, &who);
    return who.world;
}

keel_result keeli_reader_edits_nothing(keel_world *world) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a reader looks at changes and edits nothing; edit through its world");
}

// ------------------------------------------------------------------ looking
// Reports a look-up that the system or view did not declare. `held` is the access that it has.
static void not_declared(const keeli_caller *who, const keel_component *component,
                         keel_access access, keel_access held) {
    const bool reads = access == KEEL_ACCESS_READ;
    const char *name = component->name ? component->name : component->type;
    const char *unique = component->is_unique ? "KEEL_UNIQUE_" : NULL;
    const char *does = reads ? "READ" : "WRITE";

    if (component == &who->world->stand_in.entities.component)
        keeli_misuse(
            who->world, KEEL_ERROR_ACCESS,
            "'%s' did not declare the list of entities, which other systems may be changing; to "
            "count entities, add KEEL_MAY_EDIT_ENTITIES or KEEL_WORLD to it",
            who->holder->name);
    else if (who->inside && held >= KEEL_ACCESS_READ)
        keeli_misuse(who->world, KEEL_ERROR_ACCESS,
                     "%s '%s' looks up '%s' to write, but declared only to read it; replace that "
                     "parameter by %s",
                     who->inside->kind, who->holder->name, name,
                     unique ? "KEEL_UNIQUE_WRITE" : "KEEL_WRITE or KEEL_MAY_WRITE");
    else if (who->inside)
        keeli_misuse(who->world, KEEL_ERROR_ACCESS,
                     "%s '%s' looks up '%s' but did not declare it; add %s%s(%s) to its parameters",
                     who->inside->kind, who->holder->name, name, unique ? unique : "KEEL_MAY_",
                     does, name);
    else
        keeli_misuse(who->world, KEEL_ERROR_ACCESS,
                     "view '%s' does not %s '%s'; add %s%s to its terms", who->holder->name,
                     reads ? "read" : "write", name, unique ? unique : "KEEL_", does);
}

bool keeli_may_look_up(const keeli_caller *who, const keeli_storage *s, keel_access access) {
    const char *name = s->component.name;
    if (who->commands) {
        keeli_misuse(who->world, KEEL_ERROR_ARGUMENT,
                     "commands record edits, so '%s' cannot be looked up through them", name);
        return false;
    }
    if (who->reader && !who->inside && access > KEEL_ACCESS_READ) {
        keeli_reader_edits_nothing(who->world);
        return false;
    }
    if (!who->holder) // an edit passes here: keeli_may_edit checks it
        return access > KEEL_ACCESS_READ || !(s->flags & KEELI_IS_BOUND) ||
               keeli_may_look(who->world, s);
    if (who->inside && s->flags & KEELI_IS_BOUND &&
        keeli_check_thread(who->world, who->world, s, access, who->holder->name, "look up") < 0)
        return false;

    const keel_access held = keeli_holder_access(who->holder, s);
    if (who->inside && who->inside->is_split && held > KEEL_ACCESS_READ) {
        keeli_misuse(who->world, KEEL_ERROR_ACCESS,
                     "system '%s' is split over several threads and writes '%s', so it cannot look "
                     "up that component of other entities; run the step without .parallel",
                     who->holder->name, name);
        return false;
    }

    if (held < access)
        not_declared(who, &s->component, access, held);
    return held >= access;
}

keeli_storage *keeli_look_up(const keeli_caller *who, const keel_component *component,
                             keel_access access) {
    keeli_storage *s = component ? keeli_storage_find(who->world, component) : NULL;
    if (s)
        return keeli_may_look_up(who, s, access) ? s : NULL;

    // the world knows all components that a system declared, so the system did not declare this one
    if (component && who->inside && who->holder && !who->holder->everything && !who->commands)
        not_declared(who, component, access, KEEL_ACCESS_NONE);
    return NULL;
}
