// SPDX-License-Identifier: MIT
// Uniques: one value each, in its own allocation.
#include "edit/edit.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

static size_t bytes_of(const keel_component *c) {
    return c->size ? c->size : 1; // a unique tag is set or not
}

keel_result keel_set_unique_value(keel_world *world, const keel_component *unique,
                                  const void *value) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, unique, true, &result);
    if (!s) return result;
    if (s->events)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "'%s' is a type of events; keel_send them",
                            s->component.name);
    KEEL_TRY(keeli_may_edit(world, NULL, s, "set"));
    const keel_component *c = &s->component;
    if (s->unique) {
        if (value == s->unique) return s->changed_at = world->changes.tick, KEEL_OK;
        keeli_value_drop(s, s->unique);
        s->changed_at = world->changes.tick;
    } else {
        s->unique = keeli_new(&world->heap, bytes_of(c), c->align);
        if (!s->unique) return keeli_out_of_memory(world, "setting a unique");
        s->set_at = world->changes.tick;
        s->changed_at = 0;
    }
    if (!value) memset(s->unique, 0, bytes_of(c));
    else keeli_value_move(s, s->unique, (void *)(uintptr_t)value); // handed over
    return KEEL_OK;
}

const void *(keel_get_unique_value)(const keel_scope *scope, const keel_component *unique) {
    keeli_caller who;
    const keeli_storage *s =
        keeli_caller_is(scope, &who) < 0 ? NULL : keeli_look_up(&who, unique, KEEL_ACCESS_READ);
    return s ? s->unique : NULL;
}

void *(keel_get_unique_value_mut)(keel_scope *scope, const keel_component *unique) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0) return NULL;
    keeli_storage *s = keeli_look_up(&who, unique, KEEL_ACCESS_WRITE);
    if (!s || !s->unique) return NULL;
    if (!who.holder && keeli_may_edit(who.world, NULL, s, "write") < 0) return NULL;
    s->changed_at = who.holder ? keeli_holder_now(who.world, who.holder) : who.world->changes.tick;
    return s->unique;
}

keel_result keel_remove_unique_value(keel_world *world, const keel_component *unique, void *out) {
    if (!world) return keeli_no_world();
    keeli_storage *s = unique ? keeli_storage_find(world, unique) : NULL;
    if (!s || !s->unique) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, NULL, s, "remove"));
    const keel_component *c = &s->component;
    if (out) keeli_value_move(s, out, s->unique);
    else keeli_value_drop(s, s->unique);
    keeli_free(&world->heap, s->unique, bytes_of(c), c->align);
    s->unique = NULL;
    return KEEL_OK;
}
