// SPDX-License-Identifier: MIT
// Edits of one component on all entities that have it.
#include "edit/edit.h"

#include "edit/flush.h"
#include "world/report.h"

keel_result keel_clear_component(keel_world *world, const keel_component *component) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, NULL, component, "clear", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    const bool any = keeli_store_count(s) != 0;
    if (!any && !s->disabled.count) return KEEL_ABSENT;
    if (!keeli_store_reserve_clear(world, s))
        return keeli_out_of_memory(world, "clearing a component");
    keeli_store_clear(world, s);
    keeli_validate_storage(world, s);
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

// ------------------------------------------------------------------ retain
static bool is_kept(keel_world *world, const keeli_storage *s, keel_entity e, keel_retain_fn *keep,
                    void *data) {
    keeli_asking_begin(world);
    const bool kept = keep(e, keeli_store_value(world, s, keel_entity_index(e)), data);
    keeli_asking_end(world);
    return kept;
}

// Slots from the back, so that what moves into a hole was asked already.
static void retain_slots(keel_world *world, keeli_storage *s, keel_retain_fn *keep, void *data) {
    for (uint32_t slot = s->set.count; slot--;) {
        const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
        if (!is_kept(world, s, e, keep, data)) keeli_commit_delete(world, s, e);
    }
}

keel_result keel_retain_component(keel_world *world, const keel_component *component,
                                  keel_retain_fn *keep, void *data) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_known_to_edit(world, NULL, component, "retain", &result);
    if (!s) return result < 0 ? result : KEEL_ABSENT;
    if (!keep)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "keel_retain needs a function that decides");
    if (!keeli_store_reserve_clear(world, s))
        return keeli_out_of_memory(world, "retaining components");
    const uint32_t before = keeli_store_count(s);
    // what a source fills may be in a group that orders it
    if (s->kind == KEEL_SPARSE_SET && !(s->flags & KEELI_IS_SOURCE)) {
        retain_slots(world, s, keep, data);
    } else {
        for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i) {
            const keel_entity e = keeli_entity_at(&world->entities, i);
            if (!is_kept(world, s, e, keep, data)) keeli_commit_delete(world, s, e);
        }
    }
    return keeli_done(world, keeli_store_count(s) < before ? KEEL_OK : KEEL_ABSENT);
}

// ------------------------------------------------------------------ reserve
// What an entity with this index needs besides a packed place.
static bool reserve_index(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_room room = { 0 };
    if (!keeli_store_reserve_bit(world, s, index, &room)) return false;
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index);
    return s->kind != KEEL_INDEXED || keeli_indexed_set_reserve(&s->indexed, &world->heap, index);
}

// For the entities that `count` new ones would be, and for all that are alive. Each block of 64
// indices has a list of its own.
static bool reserve_indices(keel_world *world, keeli_storage *s, uint32_t count) {
    for (uint64_t i = 0; i < count; i += 64)
        if (!reserve_index(world, s, (uint32_t)i)) return false;
    uint64_t from = 0; // the block after the last one looked at
    while (from <= KEEL_ENTITY_INDEX_MAX) {
        const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
        if (keel_is_null(e)) break;
        const uint32_t index = keel_entity_index(e);
        if (!reserve_index(world, s, index)) return false;
        from = ((uint64_t)index / 64 + 1) * 64;
    }
    return true;
}

keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                   uint32_t count) {
    if (!world) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_to_edit(world, NULL, component, "reserve", &result);
    if (!s) return result;
    if (count > (uint64_t)KEEL_ENTITY_INDEX_MAX + 1)
        return keeli_error(
            world, KEEL_ERROR_FULL,
            "cannot make room for %u '%s': there are at most %llu entities at a time",
            (unsigned)count, s->component.name, (unsigned long long)KEEL_ENTITY_INDEX_MAX + 1);
    const uint32_t have = keeli_store_count(s), extra = count > have ? count - have : 0;
    if (s->kind == KEEL_SPARSE_SET && !keeli_sparse_set_reserve(&s->set, &world->heap, extra))
        return keeli_out_of_memory(world, "reserving room for components");
    if (count && !reserve_indices(world, s, count))
        return keeli_out_of_memory(world, "reserving room for components");
    return KEEL_OK;
}
