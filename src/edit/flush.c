// SPDX-License-Identifier: MIT
// The end of an edit.

#include "edit/flush.h"
#include "edit/commands.h"
#include "world/report.h"

enum { rounds_at_most = 64 };

// What is asked for while this is applied makes the next round.
static keel_result apply_round(keel_world *world) {
    keel_commands *now = world->followers.reaction;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return keeli_out_of_memory(world, "applying what observers asked for");
    world->followers.reaction = next;
    world->followers.has_reactions = false;
    const keel_result result = keeli_commands_apply_now(world, now);
    if (!keeli_commands_is_empty(next)) world->followers.has_reactions = true;
    return result;
}

static void react(keel_world *world) {
    // whoever is at it, or uses storages, comes by when all is free
    if (world->applying || world->followers.calling || world->holders || world->share_depth) return;
    if (world->reacting) return;
    uint32_t rounds = 0;
    world->reacting = true;
    while (world->followers.has_reactions && rounds++ < rounds_at_most)
        if (apply_round(world) == KEEL_ERROR_MEMORY) break;
    world->reacting = false;
    if (!world->followers.has_reactions || rounds <= rounds_at_most) return;
    keel_commands *next = keeli_commands_take(world);
    if (!next) return;
    keeli_commands_discard(world, world->followers.reaction);
    world->followers.reaction = next;
    world->followers.has_reactions = false;
    keeli_error(world, KEEL_ERROR_CYCLE,
                "observers answer each other's edits without end: what they asked for after %d "
                "rounds is dropped",
                (int)rounds_at_most);
}

void keeli_flush(keel_world *world) {
    if (world->followers.has_noted) keeli_view_observers_flush(world);
    if (world->followers.has_reactions) react(world);
}

keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                              keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    return keeli_done(world, keeli_observe_view(world, terms, kinds, function, data));
}
