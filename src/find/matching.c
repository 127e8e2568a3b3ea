// SPDX-License-Identifier: MIT
// One component on all entities that a view matches: they are collected first, then edited.
#include "find/iterate.h"
#include "world/report.h"

#include <string.h>

typedef KEELI_ARRAY(keel_entity) entity_list;

static void append(entity_list *list, const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK) {
        memcpy(list->items + list->count, chunk->entities, chunk->count * sizeof *list->items);
        list->count += chunk->count;
        return;
    }
    for (uint32_t w = 0; w * 64 < chunk->count; ++w)
        for (uint64_t bits = chunk->words[w]; bits; bits &= bits - 1)
            list->items[list->count++] = chunk->entities[w * 64 + (uint32_t)__builtin_ctzll(bits)];
}

static keel_result collect_from(keeli_view *view, entity_list *list) {
    keeli_iterator *it = keeli_iterator_take_to_look(view, true);
    if (!it) return KEEL_ERROR_MEMORY;
    keel_result result = KEEL_OK;
    for (const keel_chunk *c; result == KEEL_OK && (c = keeli_iterator_advance(it)) != NULL;) {
        if (KEELI_RESERVE(&view->world->heap, list, c->count)) append(list, c);
        else result = keeli_out_of_memory(view->world, "collecting entities");
    }
    keeli_iterator_give(it);
    return result;
}

static keel_result collect(keel_world *world, const keel_term *terms, const char *function,
                           entity_list *list) {
    keel_view view;
    KEEL_TRY(keel_view_begin(&view, world, terms, function));
    const keel_result result = collect_from(keeli_view_of(&view), list);
    keel_view_end(&view);
    return result;
}

keel_result keel_add_component_to_matching(keel_world *world, const keel_term *terms,
                                           const keel_component *component, const void *value) {
    if (!world) return keeli_no_world();
    entity_list list = { 0 };
    keel_result result = collect(world, terms, "keel_add_component_to_matching", &list);
    if (result == KEEL_OK)
        result = keel_add_component_to_many(world, list.items, list.count, component, value, 0);
    if (result == KEEL_OK && !list.count) result = KEEL_ABSENT;
    KEELI_RELEASE(&world->heap, &list);
    return result;
}

keel_result keel_delete_component_from_matching(keel_world *world, const keel_term *terms,
                                                const keel_component *component) {
    if (!world) return keeli_no_world();
    entity_list list = { 0 };
    keel_result result = collect(world, terms, "keel_delete_component_from_matching", &list);
    if (result == KEEL_OK)
        result = keel_delete_component_from_many(world, list.items, list.count, component);
    KEELI_RELEASE(&world->heap, &list);
    return result;
}
