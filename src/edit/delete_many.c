// SPDX-License-Identifier: MIT
// Deleting many entities. Those that follow each other in one block of 64 indices go together: what
// the block has is looked up once, and bits are cleared a word at a time.
#include "edit/edit.h"

// Entities in one block, in order of deletion.
typedef struct run {
    const keel_entity *entities;
    uint32_t count, first; // index of the block
    uint64_t bits;         // who of it
} run;

// The run at the start of a list that is not empty.
static run next_run(const keel_entity *list, uint32_t count) {
    run r = { .entities = list, .first = keel_entity_index(list[0]) / 64 * 64 };
    for (uint32_t i; r.count < count; ++r.count) {
        i = keel_entity_index(list[r.count]) - r.first;
        if (i >= 64) break;
        r.bits |= (uint64_t)1 << i;
    }
    return r;
}

static void take_slots(keeli_sparse_set *set, const run *r, uint64_t bits) {
    for (uint32_t i = 0; i < r->count; ++i) {
        const uint32_t index = keel_entity_index(r->entities[i]);
        if (!(bits >> (index % 64) & 1)) continue;
        const uint32_t *cells = set->sparse[index / KEELI_SPARSE_PAGE];
        keeli_sparse_set_take_plain(set, cells[index % KEELI_SPARSE_PAGE], index);
    }
}

// After their values are gone: archetypes let the run's rows go.
static void take_rows(keel_world *world, const run *r) {
    for (uint32_t i = 0; i < r->count; ++i) {
        const uint32_t place = *keeli_row_of(world, keel_entity_index(r->entities[i]));
        if (place != KEELI_NO_ROW)
            keeli_archetype_take(&world->archetypes, &world->entities, place);
    }
}

// Take a plain component from all of the run that have it. True when they have it in their rows,
// which stay as they are.
static inline bool take(keel_world *world, keeli_storage *s, const run *r) {
    // it is in the block's list: the page is there
    const uint64_t word = s->presence.pages[r->first / 4096][r->first / 64 % KEELI_PAGE_WORDS];
    const uint64_t bits = word & r->bits;
    if (!bits) return false;
    if (keeli_presence_clear_bits(&s->presence, r->first, bits))
        keeli_store_unlist_block(world, s, r->first);
    if (s->kind == KEEL_ARCHETYPE) return true;
    if (s->kind == KEEL_SPARSE_SET) take_slots(&s->set, r, bits);
    else keeli_indexed_set_remove_bits(&s->indexed, &world->heap, r->first, bits);
    return false;
}

// Take all components of the run; false when one of them is not plain bytes.
static bool take_all(keel_world *world, const run *r) {
    const uint32_t page = r->first / 4096;
    if (page >= world->lists.capacity || !world->lists.pages[page]) return true;
    keeli_component_list *list = keeli_list_of(&world->lists, r->first);
    const uint16_t *numbers = keeli_list_numbers(list);
    keeli_storage *const *storages = world->by_ordinal.items;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        flags |= storages[numbers[i]]->flags;
    if (flags & ~(uint32_t)KEELI_IS_LINK) return false;
    bool rows = false;
    for (uint32_t i = list->count; i--;) // downwards: when a number goes the last takes its place
        rows |= take(world, storages[numbers[i]], r);
    if (rows) take_rows(world, r);
    return true;
}

void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count) {
    const bool is_plain = !world->holders && !world->share_depth && !world->observed;
    uint32_t done = 0; // these have no components any more, but live
    while (done < count) {
        const run r = next_run(list + done, count - done);
        if (is_plain && take_all(world, &r)) {
            done += r.count;
            continue;
        }
        keeli_entity_index_delete_many(&world->entities, list, done);
        for (uint32_t i = 0; i < r.count; ++i)
            keeli_commit_delete_entity(world, r.entities[i]);
        list += done + r.count;
        count -= done + r.count;
        done = 0;
    }
    keeli_entity_index_delete_many(&world->entities, list, done);
    keeli_validate_entities(world);
}
