// SPDX-License-Identifier: MIT
#include "hooks.h"

void keeli_hook_drop(const keeli_storage *s, void *value) {
    keeli_inside_begin(s->world, KEELI_IN_HOOK);
    s->component.drop(value, s->component.hook_data);
    keeli_inside_end(s->world, KEELI_IN_HOOK);
}

void keeli_hook_move(const keeli_storage *s, void *to, void *from) {
    keeli_inside_begin(s->world, KEELI_IN_HOOK);
    s->component.move(to, from, s->component.hook_data);
    keeli_inside_end(s->world, KEELI_IN_HOOK);
}

bool keeli_hook_copy(const keeli_storage *s, void *to, const void *from) {
    keeli_inside_begin(s->world, KEELI_IN_HOOK);
    const bool copied = s->component.copy(to, from, s->component.hook_data);
    keeli_inside_end(s->world, KEELI_IN_HOOK);
    return copied;
}

uint64_t keeli_hook_hash(const keeli_storage *s, const void *value) {
    keeli_inside_begin(s->world, KEELI_IN_HOOK);
    const uint64_t hash = s->component.hash(value, s->component.hook_data);
    keeli_inside_end(s->world, KEELI_IN_HOOK);
    return hash;
}

void keeli_guarded_drop(void *value, void *storage) { keeli_hook_drop(storage, value); }
void keeli_guarded_move(void *to, void *from, void *storage) { keeli_hook_move(storage, to, from); }

static void around_allocator(void *world, bool begins) {
    if (begins) keeli_inside_begin(world, KEELI_IN_HOOK);
    else keeli_inside_end(world, KEELI_IN_HOOK);
}

void keeli_guard_allocator(keel_world *world) {
    world->heap.around = around_allocator;
    world->heap.owner = world;
}
