// SPDX-License-Identifier: MIT
// The end of an edit: followers recorded what happened, and who waits for the end of the edit is
// notified now.
#pragma once
#include "follow/follow.h"

// Edits that consist of edits: what observers record is applied when the outermost is done.
static inline void keeli_editing_begin(keel_world *world) { ++world->editing; }
static inline void keeli_editing_end(keel_world *world) { --world->editing; }
// An edit is done: tell who has entered or left observed views, and apply what observers recorded
// meanwhile. Returns `result`.
void keeli_flush(keel_world *world);
static inline keel_result keeli_done(keel_world *world, keel_result result) {
    if ((world->followers.has_reactions | world->followers.has_noted) && !world->editing)
        keeli_flush(world);
    return result;
}
// keeli_came_last, and the edit is done.
static inline keel_result keeli_came_alone(keel_world *world, keeli_storage *s, keel_entity e,
                                           const void *value) {
    keeli_came_last(world, s, e, value);
    keeli_validate_storage(world, s);
    return keeli_done(world, KEEL_OK);
}
