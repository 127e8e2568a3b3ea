// SPDX-License-Identifier: MIT
// Values in storages of every kind (storage.h): disabled values, rows of archetypes, ranges, and
// functions for whole storages. The data structures themselves are in src/data/; adding and
// removing one value is inline in storage.h. Called by the same files as storage.h.
#include "storage.h"

#include "base/assert.h"
#include "registry.h"
#include "report.h"

// Makes an incomplete list name all components of its block again. False when out of memory.
static bool complete_list(keel_world *world, keeli_component_list *list, uint32_t index) {
    const uint32_t most = world->registry.by_ordinal.count;
    uint32_t count = 0;
    for (uint32_t n = 0; n < most; ++n)
        count += keeli_is_in_block(world->registry.by_ordinal.items[n], index);
    if (!keeli_component_list_reserve(&world->lists, &world->heap, list, count))
        return false;

    uint16_t *numbers = keeli_list_numbers(list);
    list->count = list->promised = 0;
    for (uint32_t n = 0; n < most; ++n)
        if (keeli_is_in_block(world->registry.by_ordinal.items[n], index))
            numbers[list->count++] = (uint16_t)n;
    return true;
}

bool keeli_reserve_listing(keel_world *world, const keeli_storage *s, uint32_t index) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (list && keeli_list_is_incomplete(list) && !complete_list(world, list, index))
        return false;
    return keeli_component_lists_reserve(&world->lists, &world->heap, index, s->ordinal);
}

void keeli_store_list_block(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_store_block_is_disabled(s, index))
        return;
    if (!s->sources.count)
        keeli_component_lists_add(&world->lists, index, s->ordinal);
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_block_began(&s->indexed, index);
}

void keeli_store_unlist_block(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_store_block_is_disabled(s, index))
        return;
    if (!s->sources.count)
        keeli_component_lists_remove(&world->lists, index, s->ordinal);
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_block_ended(&s->indexed, index);
}

bool keeli_store_reserve_disabled(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_presence_reserve(&s->disabled, &world->heap, index) &&
           keeli_presence_reserve(&s->presence, &world->heap, index) &&
           keeli_indexed_set_reserve(&s->indexed, &world->heap, index) &&
           (*keeli_listed_word(s, index) || keeli_store_block_is_disabled(s, index) ||
            keeli_reserve_listing(world, s, index));
}

// Sets the bit of the disabled value. If it is the first of its block, the component enters the
// block's list, unless an enabled value keeps it there. The page of disabled values counts the
// block, too. In KEEL_INDEXED, where enabled values lie in the same page, a block with enabled
// values is counted already.
void *keeli_store_push_disabled(keel_world *world, keeli_storage *s, uint32_t index) {
    const bool is_others = s->kind != KEEL_INDEXED,
               is_present = keeli_presence_word(&s->presence, index / 64);
    if (keeli_presence_set(&s->disabled, index)) {
        if (!is_present && !s->sources.count)
            keeli_component_lists_add(&world->lists, index, s->ordinal);
        if (!is_present || is_others)
            keeli_indexed_set_block_began(&s->indexed, index);
    }

    s->flags |= KEELI_HAS_DISABLED;
    return keeli_indexed_set_add(&s->indexed, index);
}

void keeli_store_pop_disabled(keel_world *world, keeli_storage *s, uint32_t index) {
    const bool is_others = s->kind != KEEL_INDEXED,
               is_present = keeli_presence_word(&s->presence, index / 64);
    keeli_bytes_vacate(keeli_store_disabled_value(s, index), s->size);
    if (keeli_presence_clear(&s->disabled, index)) {
        if (!is_present && !s->sources.count)
            keeli_component_lists_remove(&world->lists, index, s->ordinal);
        if (!is_present || is_others)
            keeli_indexed_set_block_ended(&s->indexed, index);
    }

    keeli_indexed_set_remove(&s->indexed, index);
    if (!s->disabled.count)
        s->flags &= ~(uint32_t)KEELI_HAS_DISABLED;
}

void keeli_store_drop_disabled(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_value_drop(s, keeli_store_disabled_value(s, index));
    keeli_store_pop_disabled(world, s, index);
}

// Disabling and enabling set the bit in one bitmap before they clear it in the other, so that the
// block is never without a bit and stays in the lists.
void keeli_store_disable(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind == KEEL_INDEXED) {
        (void)keeli_presence_set(&s->disabled, index);
        (void)keeli_presence_clear(&s->presence, index);
        s->flags |= KEELI_HAS_DISABLED;
        return;
    }

    void *from = keeli_store_value_there(s, index),
         *to = keeli_store_push_disabled(world, s, index);
    if (s->size)
        keeli_value_move(s, to, from);
    keeli_store_close(world, s, index);
}

void keeli_store_enable(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    (void)keeli_presence_set(&s->presence, index);
    if (s->kind == KEEL_INDEXED) {
        (void)keeli_presence_clear(&s->disabled, index);
        if (!s->disabled.count)
            s->flags &= ~(uint32_t)KEELI_HAS_DISABLED;
        return;
    }

    if (s->kind == KEEL_SPARSE_SET)
        (void)keeli_sparse_set_push(&s->set, e);
    if (s->size)
        keeli_value_move(s, keeli_store_value_there(s, index),
                         keeli_store_disabled_value(s, index));
    keeli_store_pop_disabled(world, s, index);
}

keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index) {
    const uint32_t place = *keeli_row_of(&world->entities, index);
    if (place >= KEELI_RETIRED)
        return world->archetypes.all[0]; // a promised handle has no row
    return keeli_block_of(&world->archetypes, place)->archetype;
}

uint32_t keeli_row_begin(keel_world *world, keel_entity e, keeli_archetype *to) {
    uint32_t *where = keeli_row_of(&world->entities, keeli_index_of(e));
    const uint32_t old = *where;
    if (to->column_count == 0)
        *where = KEELI_NO_ROW;
    else if (old == KEELI_NO_ROW)
        *where = keeli_archetype_push(&world->archetypes, to, e);
    else
        *where = keeli_archetype_copy_row(&world->archetypes, old, to);
    return old;
}

void keeli_row_end(keel_world *world, uint32_t old) {
    if (old != KEELI_NO_ROW)
        keeli_archetype_remove(&world->archetypes, &world->entities, old);
}

void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to) {
    keeli_row_end(world, keeli_row_begin(world, e, to));
}

// Returns the length of the range at the beginning of the list in which each index is `step` above
// the one before. `step` is 1, or -1 as unsigned bits of a handle, and a constant for the compiler.
static inline __attribute__((always_inline)) uint32_t
length_by(const keel_entity *entities, uint32_t count, keel_entity_bits step) {
    const uint32_t first = keeli_index_of(entities[0]), by = (uint32_t)step;
    enum { few = KEELI_SIZE(8, 1) }; // most ranges of shuffled handles are shorter
    uint32_t n = 1;
    while (n < count && n < few && keeli_index_of(entities[n]) == first + n * by)
        ++n;
    if (n < few)
        return n;

    // compares blocks of handles with equal versions, long enough for vector code
    enum { block = KEELI_SIZE(128, 2) };
    for (; n + block <= count; n += block) {
        const keel_entity *e = entities + n;
        const keel_entity_bits from = entities[0].bits + n * step;
        keel_entity_bits broken = 0;
        for (uint32_t i = 0; i < block; ++i)
            broken |= (e[i].bits - from) ^ i * step;
        if (broken)
            break;
    }

    while (n < count && keeli_index_of(entities[n]) == first + n * by)
        ++n;
    return n;
}

uint32_t keeli_range_length(const keel_entity *entities, uint32_t count) {
    return length_by(entities, count, 1);
}

keeli_range keeli_range_of(const keel_entity *entities, uint32_t count) {
    const uint32_t first = keeli_index_of(entities[0]);
    const uint32_t n = length_by(entities, count, (keel_entity_bits)0 - 1);
    if (n > 1)
        return (keeli_range){ n, first - (n - 1), true };
    return (keeli_range){ length_by(entities, count, 1), first, false };
}

// Fills `count` adjacent places. `back`: the first value goes to the last place.
static void put_values(char *to, const char *values, size_t stride, uint32_t count, uint32_t size,
                       bool back) {
    if (!values) {
        memset(to, 0, (size_t)count * size);
    } else if (stride == size && !back) {
        memcpy(to, values, (size_t)count * size);
    } else {
        const size_t step = back ? (size_t)0 - size : size; // unsigned, so adding it subtracts
        size_t at = back ? (size_t)(count - 1) * size : 0;
        for (uint32_t i = 0; i < count; ++i, at += step)
            keeli_bytes_copy_fresh(to + at, values + i * stride, size);
    }
}

// Fills places from `place` on, page by page. Rows, which were made one after the other, are filled
// block by block.
static void put_range(const keel_world *world, const keeli_storage *s, const keel_entity *entities,
                      uint32_t place, const char *values, size_t stride, uint32_t count,
                      bool back) {
    if (!s->size)
        return;
    const bool in_rows = keeli_store_has_rows(s);
    const uint32_t page = (uint32_t)1 << s->root->shift;

    for (uint32_t left = count, n; left; left -= n) {
        if (in_rows)
            place = *keeli_row_of(&world->entities, keeli_index_of(entities[count - left]));
        const uint32_t end = in_rows ? keeli_block_of(&world->archetypes, place)->count : page;
        const uint32_t rest = end - (place & (page - 1));
        n = left < rest ? left : rest;

        // if `back`, the first places get the last values
        const size_t first = back ? left - n : count - left;
        put_values(keeli_store_at(s, place), values ? values + first * stride : NULL, stride, n,
                   s->size, back);
        place += n;
    }
}

static void set_bits(keel_world *world, keeli_storage *s, uint32_t index, uint32_t count) {
    keeli_presence *p = &s->presence;
    p->count += count;
    while (count) {
        const uint32_t at = index % 64, n = count < 64 - at ? count : 64 - at;
        uint64_t *word = &p->root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
        if (*word == 0) {
            keeli_presence_began(p, index);
            keeli_store_list_block(world, s, index);
        }
        *word |= (n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << at;
        index += n;
        count -= n;
    }
}

void keeli_store_push_range(keel_world *world, keeli_storage *s, const keel_entity *entities,
                            keeli_range range, const void *values, size_t stride) {
    set_bits(world, s, range.lowest, range.count);

    uint32_t place = range.lowest;
    if (keeli_store_is_by_index(s)) {
        keeli_indexed_set_add_range(&s->indexed, range.lowest, range.count);
    } else if (keeli_store_is_sparse(s)) {
        place = s->set.count;
        keeli_sparse_set_push_range(&s->set, entities, range.count, range.descends);
    }
    put_range(world, s, entities, place, values, stride, range.count,
              range.descends && keeli_store_is_by_index(s));
}

keeli_storage *keeli_store_next_of_all(const keel_world *world, uint32_t index, uint32_t *at) {
    const uint32_t length = world->registry.by_ordinal.count;
    for (*at = *at < length ? *at : length; *at;) {
        keeli_storage *s = world->registry.by_ordinal.items[--*at];
        if (s && (keeli_presence_has(&s->presence, index) || keeli_store_is_disabled(s, index)))
            return s;
    }
    return NULL;
}

void keeli_store_connect(const keel_world *world, keeli_storage *s) {
    static uint32_t *const *const no_places = NULL;
    const struct keeli_entity_root *entities = &world->entities.root;

    struct keeli_set_root *root;
    if (s->kind == KEEL_SPARSE_SET) {
        root = &s->set.root;
        root->places = &root->sparse;
    } else if (s->kind == KEEL_INDEXED) {
        root = &s->indexed.root;
        root->places = &no_places;
    } else {
        root = &s->row.root;
        root->places = &entities->where;
    }
    root->bits = &s->presence.root;
    root->entities = entities;
    s->root = root;
}

void keeli_store_init(const keel_world *world, keeli_storage *s) {
    keel_component own = s->component;
    const keel_component *c = &own;
    if (keeli_values_are_of_edges(c)) {
        own.size = 0;
        own.drop = NULL;
        own.move = NULL;
    }

    s->kind = c->storage;
    s->size = c->size;
    if (c->is_unique)
        s->flags |= KEELI_IS_UNIQUE;
    keeli_sparse_set_init(&s->set, c);
    keeli_indexed_set_init(&s->indexed, c->size, c->align);
    keeli_queue_init(&s->tracking.removed, c, true);
    s->row = (keeli_row_component){ .number = s->slot, .size = c->size, .align = c->align };
    s->row.root = (struct keeli_set_root){ .kind = KEEL_ARCHETYPE,
                                           .shift = KEELI_ROW_SHIFT,
                                           .mask = KEELI_ROW_MASK };

    keeli_store_connect(world, s);
    s->goes_with_bit = s->kind == KEEL_ARCHETYPE ||
                       (s->kind == KEEL_INDEXED && keeli_indexed_set_has_whole_blocks(&s->indexed));
    keeli_store_update_hooks(s);
}

void keeli_store_update_hooks(keeli_storage *s) {
    const keel_component *c = &s->component;
    if (keeli_store_has_edge_values(s))
        return; // only edges have values

    if (c->drop || c->move)
        s->flags |= KEELI_HAS_HOOKS;
    else
        s->flags &= ~(uint32_t)KEELI_HAS_HOOKS;
    s->set.drop = s->row.drop = c->drop ? keeli_hook_drop : NULL;
    s->set.move = s->row.move = c->move ? keeli_hook_move : NULL;
    s->set.hook_data = s->row.hook_data = s;

    keeli_queue *const queues[] = { &s->tracking.removed, s->events };
    for (uint32_t i = 0; i < 2 && queues[i]; ++i) {
        queues[i]->drop = s->set.drop;
        queues[i]->move = s->set.move;
        queues[i]->hook_data = s;
    }
}

bool keeli_store_copy_hooks(keeli_storage *s, const keel_component *from) {
    keel_component *c = &s->component;
    if (s->flags & KEELI_IS_LINK && !keeli_store_is_valued(s) && !keeli_store_has_edge_values(s))
        return false;

    c->drop = from->drop;
    c->copy = from->copy;
    c->is_move_only = from->is_move_only;
    c->move = from->move;
    c->hash = from->hash;
    c->clear_padding = from->clear_padding;
    c->migrate = from->migrate;
    c->save = from->save;
    c->load = from->load;
    c->hook_data = from->hook_data;

    if (from->version)
        c->version = from->version; // the version that the migrate hook leads to
    if (from->initial)
        c->initial = from->initial;
    if (from->initial && !c->is_unique)
        s->flags |= KEELI_IS_MORE;
    keeli_store_update_hooks(s);
    return true;
}

void keeli_store_drop_edges(const keeli_relation *relation, keeli_edges *edges, keeli_heap *heap) {
    if (relation->sources->component.drop && keeli_edges_have_values(edges))
        for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(edges, &at); ++at.place)
            if (keeli_edge_has_value(edges, at.source, at.place))
                keeli_value_drop(relation->sources, keeli_edge_value(edges, at.source, at.place));
    keeli_edges_clear(edges, heap);
}

void keeli_store_drop_values(keel_world *world, keeli_storage *s) {
    KEELI_EACH_BIT(i, &s->disabled)
        keeli_store_drop_disabled(world, s, i);

    if (keeli_store_is_by_index(s)) {
        if (s->component.drop && !keeli_store_has_edge_values(s))
            KEELI_EACH_BIT(i, &s->presence)
                keeli_value_drop(s, keeli_store_at(s, s->size ? i : 0));
        keeli_indexed_set_clear(&s->indexed);
    }
    if (keeli_store_is_sparse(s))
        keeli_sparse_set_clear(&s->set);

    // once per block; a reactive set stays in the lists wherever it has room
    if (!s->sources.count)
        for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
            keeli_component_lists_remove(&world->lists, i, s->ordinal);

    keeli_presence_reset(&s->presence);
    if (s->relation)
        keeli_store_drop_edges(s->relation, &s->relation->edges, &world->heap);
}

void keeli_store_drop_all(keel_world *world) {
    for (uint32_t i = 0; i < world->archetypes.count; ++i)
        keeli_archetype_clear(&world->archetypes, &world->entities, world->archetypes.all[i]);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_store_drop_values(world, world->storages.items[i]);
}

bool keeli_store_is_new(const keeli_storage *s) {
    const keeli_tracking *t = &s->tracking;
    return !(s->presence.count | s->disabled.count | t->removed.begin | t->removed.count |
             t->inserted.latest | t->modified.latest | s->set_at | s->changed_at |
             s->cleared_inserted | s->cleared_modified) &&
           !s->unique && !(s->events && (s->events->begin | s->events->count));
}

void keeli_store_trim(keel_world *world, keeli_storage *s) {
    if (s->sources.count)
        return; // entities may enter a reactive set without making room

    // disabled values keep their bits, so that they can be enabled without making room
    if (!s->disabled.count)
        keeli_presence_trim(&s->presence, &world->heap);
    keeli_presence_trim(&s->disabled, &world->heap);
    keeli_sparse_set_trim(&s->set, &world->heap);
    keeli_tracking *t = &s->tracking;
    keeli_ticks_trim(&t->inserted, &world->heap, &s->presence, &s->disabled);
    keeli_ticks_trim(&t->modified, &world->heap, &s->presence, &s->disabled);
    keeli_queue_trim(&t->removed, &world->heap, keeli_removals_to_come(s));
    if (s->relation && !keeli_store_has_sources(s))
        keeli_edges_trim(&s->relation->edges, &world->heap);
    if (s->size)
        keeli_indexed_set_trim(&s->indexed, &world->heap);
}

void keeli_tracking_deinit(keel_world *world, keeli_tracking *t) {
    keeli_ticks_deinit(&t->inserted, &world->heap);
    keeli_ticks_deinit(&t->modified, &world->heap);
    keeli_queue_deinit(&t->removed, &world->heap);
    KEELI_RELEASE(&world->heap, &t->observers.list);
    *t = (keeli_tracking){ .kinds = 0 };
}

void keeli_store_release_hashes(keel_world *world, keeli_storage *s) {
    keeli_hash_cache *cache = &s->hashed;
    keeli_free(&world->heap, cache->parts, cache->count * sizeof *cache->parts,
               _Alignof(keeli_hash_part));
    cache->parts = NULL;
    cache->count = 0;
}

void keeli_store_release_stamps(keel_world *world, keeli_storage *s) {
    const keeli_stamps *stamps = &s->stamps;
    keeli_free(&world->heap, stamps->items, stamps->count * sizeof *stamps->items,
               _Alignof(uint32_t));
    s->stamps = (keeli_stamps){ 0 };
    if (s->relation && !keeli_store_has_sources(s))
        keeli_edges_release_stamps(&s->relation->edges, &world->heap);
    keeli_store_release_hashes(world, s);
}

void keeli_store_deinit(keel_world *world, keeli_storage *s) {
    keeli_store_release_stamps(world, s);
    keeli_sparse_set_deinit(&s->set, &world->heap);
    if (s->size)
        keeli_indexed_set_deinit(&s->indexed, &world->heap);
    keeli_tracking_deinit(world, &s->tracking);
    keeli_free(&world->heap, s->row.bases, s->row.base_capacity * sizeof(void *), sizeof(void *));
    KEELI_RELEASE(&world->heap, &s->collectors);
    KEELI_RELEASE(&world->heap, &s->sources);
    KEELI_RELEASE(&world->heap, &s->viewers);
    keeli_presence_deinit(&s->presence, &world->heap);
    keeli_presence_deinit(&s->disabled, &world->heap);
}

size_t keeli_store_bytes(const keeli_storage *s) {
    size_t bytes = s->presence.bytes + s->disabled.bytes + s->set.bytes + s->indexed.bytes +
                   s->row.base_capacity * sizeof(void *) + s->tracking.inserted.bytes +
                   s->tracking.modified.bytes + keeli_queue_bytes(&s->tracking.removed);
    if (s->relation && !keeli_store_has_sources(s))
        bytes += keeli_edges_bytes(&s->relation->edges);
    return bytes;
}

static uint32_t count_blocks_of(const keeli_presence *p) {
    uint32_t count = 0;
    for (uint32_t i = 0; (i = keeli_presence_next(p, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        ++count;
    return count;
}

uint32_t keeli_store_count_blocks(const keeli_storage *s) {
    const keeli_presence *p = &s->presence, *d = &s->disabled;
    uint32_t count = count_blocks_of(p);
    for (uint32_t i = 0; (i = keeli_presence_next(d, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        count += !keeli_presence_word(p, i / 64);
    return count;
}

// ------------------------------------------------------------------ checking
// True if the pages of values count as many blocks, or values, as the bitmaps have bits for.
static bool indexed_is_valid(const keeli_storage *s) {
    if (!keeli_indexed_set_is_valid(&s->indexed))
        return false;
    if (!s->size)
        return true;

    uint32_t counted = 0;
    for (uint32_t page = 0; page < s->indexed.page_count; ++page)
        counted += keeli_indexed_set_count_of(&s->indexed, page);

    const bool has_all = s->kind == KEEL_INDEXED; // otherwise disabled values only
    if (keeli_indexed_set_has_whole_blocks(&s->indexed))
        return counted == (has_all ? keeli_store_count_blocks(s) : count_blocks_of(&s->disabled));
    return counted == s->disabled.count + (has_all ? s->presence.count : 0);
}

static bool lists_are_valid(const keel_world *world, const keeli_storage *s,
                            const keeli_presence *p) {
    for (uint32_t i = 0; (i = keeli_presence_next(p, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        if (!keeli_component_lists_has(&world->lists, i, s->ordinal))
            return false;
    return true;
}

static bool disabled_is_valid(const keeli_storage *s) {
    if (!keeli_presence_is_valid(&s->disabled))
        return false;
    if ((s->disabled.count != 0) != ((s->flags & KEELI_HAS_DISABLED) != 0))
        return false;
    KEELI_EACH_BIT(i, &s->disabled)
        if (keeli_store_has(s, i))
            return false;
    return true;
}

bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s) {
    if (!keeli_presence_is_valid(&s->presence) || !disabled_is_valid(s))
        return false;
    if (!lists_are_valid(world, s, &s->presence) || !lists_are_valid(world, s, &s->disabled))
        return false;
    if (!indexed_is_valid(s))
        return false;
    if (s->kind == KEEL_SPARSE_SET &&
        (!keeli_sparse_set_is_valid(&s->set) || s->set.count != s->presence.count))
        return false;
    KEELI_EACH_BIT(i, &s->presence)
        if (keeli_store_place(world, s, i) == UINT32_MAX)
            return false;
    return true;
}

// A check visits the whole storage. So that it costs the same per edit, a storage with `count`
// values is checked after one of `count` edits only.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
bool keeli_is_turn_to_validate(uint32_t count) {
    static uint32_t edits;
    const uint32_t now = __atomic_add_fetch(&edits, 1, __ATOMIC_RELAXED);
    return count < 256 || now % count == 0;
}
void keeli_validate_entities(keel_world *world) {
    if (keeli_is_turn_to_validate(world->entities.size)) {
        KEELI_CHECK_STRUCTURE(keeli_entity_index_is_valid(&world->entities));
        KEELI_CHECK_STRUCTURE(keeli_archetypes_are_valid(&world->archetypes, &world->entities));
    }
}
#endif

// ------------------------------------------------------------------ checks of values
bool keeli_can_copy(const keeli_storage *s) {
    const keel_component *c = &s->component;
    return !c->is_move_only && (c->copy || !c->drop);
}

keel_result keeli_cannot_copy(keel_world *world, const keeli_storage *s) {
    const char *why = "the copy hook of '%s' failed; nothing was changed";
    if (s->component.is_move_only)
        why = "component '%s' cannot be copied: its C++ type has no copy constructor";
    else if (!keeli_can_copy(s))
        why = "'%s' has a drop hook but no copy hook, so it cannot be copied";
    return keeli_error(world, KEEL_ERROR_COPY, why, s->component.name);
}

keel_result keeli_check_stride(keel_world *world, const keeli_storage *s, size_t stride) {
    if (stride >= s->size)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "values of '%s' have %u bytes but a stride of %u; pass the size of an "
                        "element of the array that they are in",
                        s->component.name, (unsigned)s->size, (unsigned)stride);
}
