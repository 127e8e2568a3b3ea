// SPDX-License-Identifier: MIT
// The hash of a world: a sum of one well-mixed term for each living entity, each component of an
// entity and each unique. A sum does not know its order, so storages, packed order, archetypes and
// order of registration leave no trace in it. While a snapshot exists, the sums of blocks of 64
// places are cached, and computed anew only when a stamp says that a value was written
// (rewind/blocks.h). The image of a snapshot caches them, too, and several threads may hash it at
// once: one of them uses the caches. rewind/state_hash.c, which hashes more than values, calls
// keeli_hash_value.
#include "base/bytes.h"
#include "edit/edit.h"

#include "world/borrow.h"
#include "world/field.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/storage.h"

enum { COMPONENT_TERM = 1, DISABLED_TERM, UNIQUE_TERM, EVENT_TERM }; // equal values of each differ

// Which bytes of a value count: one run of them, or the bits of a mask, or all fields one by one.
typedef struct value_form {
    const keeli_storage *storage;
    uint32_t offset, size; // the run's; size UINT32_MAX: by a hook, by `mask` or by fields
    const uint8_t *mask;   // NULL: none
} value_form;

// Plain fields that follow each other without a gap are one run.
static value_form form_of(const keeli_storage *s) {
    const keel_component *c = &s->component;
    value_form form = { .storage = s, .size = c->size };
    if (c->hash || (!c->no_padding && !c->field_count && s->mask)) {
        form.size = UINT32_MAX;
        form.mask = s->mask;
        return form;
    }
    if (c->no_padding || !c->field_count)
        return form;
    form.offset = c->fields[0].offset;
    form.size = 0;
    for (uint32_t i = 0; i < c->field_count; ++i) {
        const keel_field *f = &c->fields[i];
        if (f->offset != form.offset + form.size || !keeli_field_is_plain(f)) {
            form.size = UINT32_MAX;
            break;
        }
        form.size += (uint32_t)keeli_field_bytes(f);
    }
    return form;
}

// Returns the hash of the bytes of a value whose padding counts as zero.
static uint64_t hash_of_masked(const value_form *form, const char *bytes, uint64_t seed) {
    const uint32_t size = form->storage->component.size;
    unsigned char part[256];
    for (uint32_t at = 0; at < size; at += sizeof part) {
        const uint32_t count = keeli_least(size - at, sizeof part);
        for (uint32_t i = 0; i < count; ++i)
            part[i] = (unsigned char)bytes[at + i] & form->mask[at + i];
        seed = keeli_hash(part, count, seed);
    }
    return seed;
}

static uint64_t hash_of_value(const value_form *form, const void *value, uint64_t seed) {
    const keel_component *c = &form->storage->component;
    const char *bytes = value ? value : ""; // events without a value: C allows no NULL + 0
    if (c->hash) {
        const uint64_t own = keeli_hook_hash(form->storage, value);
        return keeli_hash(&own, sizeof own, seed);
    }
    if (form->size != UINT32_MAX)
        return keeli_hash(bytes + form->offset, form->size, seed);
    if (form->mask)
        return hash_of_masked(form, bytes, seed);
    return keeli_fields_hash(c->fields, c->field_count, bytes, seed);
}

uint64_t keeli_hash_value(const keeli_storage *s, const void *value, uint64_t seed) {
    const value_form form = form_of(s);
    return hash_of_value(&form, value, seed);
}

static uint64_t seed_of(const keeli_storage *s, uint64_t term) {
    return keeli_hash(s->component.name, strlen(s->component.name), term);
}

// ------------------------------------------------------------------ values in a row
// Returns the sum of the terms of values at equal distances. Inlined with a constant size.
static inline __attribute__((always_inline)) uint64_t
sum_of_size(const keel_entity *entities, uint32_t count, const char *values, uint32_t stride,
            uint32_t size, uint64_t seed) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t own = keeli_hash_mix(seed + entities[i].bits);
        sum += keeli_hash_short(values + (size_t)i * stride, size, own);
    }
    return sum;
}

// The sum of the terms of a component, while its values are visited.
typedef struct value_sum {
    const keel_world *world;
    const keeli_storage *storage;
    value_form form;
    uint64_t seed;
    keeli_hash_cache *cache; // NULL: no parts are cached
} value_sum;

static uint64_t sum_of_row(const value_sum *of, const keel_entity *entities, uint32_t count,
                           const void *values) {
    const uint32_t stride = of->storage->size;
    const char *first = (const char *)values + of->form.offset;
    switch (of->form.size) {
    case 4:
        return sum_of_size(entities, count, first, stride, 4, of->seed);
    case 8:
        return sum_of_size(entities, count, first, stride, 8, of->seed);
    case 12:
        return sum_of_size(entities, count, first, stride, 12, of->seed);
    case 16:
        return sum_of_size(entities, count, first, stride, 16, of->seed);
    case 24:
        return sum_of_size(entities, count, first, stride, 24, of->seed);
    default:
        break;
    }

    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const void *value = (const char *)values + (size_t)i * stride;
        sum += hash_of_value(&of->form, value, keeli_hash_mix(of->seed + entities[i].bits));
    }
    return sum;
}

// Returns the sum of adjacent places, which may lie on several pages of values.
static uint64_t sum_of_places(const value_sum *of, const keel_entity *entities, uint32_t place,
                              uint32_t count) {
    const keeli_storage *s = of->storage;
    if (!s->size) // a tag
        return sum_of_row(of, entities, count, "");

    uint64_t sum = 0;
    while (count) {
        const uint32_t on_page = s->root->mask + 1 - (place & s->root->mask);
        const uint32_t n = keeli_least(count, on_page);
        sum += sum_of_row(of, entities, n, keeli_store_at(s, place));
        entities += n;
        place += n;
        count -= n;
    }
    return sum;
}

// ------------------------------------------------------------------ cached parts
// Makes the calling thread the one that uses the caches. False if another thread uses them: the
// caller must hash without. Call caches_end only if it was true.
static bool caches_begin(keel_world *world) {
    int32_t nobody = 0;
    return keeli_atomic_swap(&world->hashing, &nobody, 1);
}
static void caches_end(keel_world *world, bool has_begun) {
    if (has_begun)
        keeli_atomic_store(&world->hashing, 0);
}

// Makes as many parts as there are stamps.
static void resize_cache(keel_world *world, keeli_storage *s) {
    keeli_hash_cache *cache = &s->hashed;
    const uint32_t count = s->stamps.count;
    if (cache->count == count)
        return;
    keeli_store_release_hashes(world, s);
    cache->parts = keeli_new(&world->heap, count * sizeof *cache->parts, _Alignof(keeli_hash_part));
    cache->count = cache->parts ? count : 0;
}

// Returns the cache of a component, without parts that a counter invalidates. NULL if its writes
// are not stamped, because there is no snapshot, or stamps do not tell of all of them; and in an
// image that was not taken since it was hashed first.
static keeli_hash_cache *cache_of(keel_world *world, keeli_storage *s) {
    const keel_component *c = &s->component;
    keeli_hash_cache *cache = &s->hashed;
    const bool is_image = world->access.is_image;
    const bool is_stamped = s->flags & KEELI_IS_STAMPED && s->stamps.from <= world->epoch;
    if ((!is_stamped && !is_image) || c->hash || c->copy || c->drop)
        return NULL;

    const uint64_t moves = keeli_store_has_rows(s) ? world->archetypes.moves : s->set.moves;
    const bool has_all = is_image || cache->count == s->stamps.count;
    const bool is_same = cache->values == s->presence.count && cache->moves == moves &&
                         cache->cleared == s->presence.cleared && has_all;
    if (is_same)
        return cache;

    if (!is_image) // takes make room in an image, as threads without an allocator may hash it
        resize_cache(world, s);
    if (!cache->parts)
        return NULL;

    memset(cache->parts, 0, cache->count * sizeof *cache->parts);
    cache->values = s->presence.count;
    cache->moves = moves;
    cache->cleared = s->presence.cleared;
    return cache;
}

// True if the sum of a block is cached and valid; it goes to `*sum`.
static bool find_part(const value_sum *of, uint32_t block, uint64_t *sum) {
    if (!of->cache || block >= of->cache->count)
        return false;
    const keeli_stamps *stamps = &of->storage->stamps;
    const keeli_hash_part *part = &of->cache->parts[block];
    *sum = part->sum;
    if (of->world->access.is_image)
        return part->epoch != 0;
    return stamps->items[block] < part->epoch && stamps->all < part->epoch;
}

// Caches the sum of a block. Returns the sum.
static uint64_t store_part(const value_sum *of, uint32_t block, uint64_t sum) {
    const uint32_t epoch = of->world->access.is_image ? 1 : of->world->epoch;
    if (of->cache && block < of->cache->count)
        of->cache->parts[block] = (keeli_hash_part){ sum, epoch };
    return sum;
}

// Returns the sum of a block of at most 64 places.
static uint64_t sum_of_block(const value_sum *of, const keel_entity *entities, uint32_t place,
                             uint32_t count) {
    uint64_t sum;
    if (find_part(of, place / 64, &sum))
        return sum;
    return store_part(of, place / 64, sum_of_places(of, entities, place, count));
}

// ------------------------------------------------------------------ values of a component
static uint64_t sum_of_set(const value_sum *of) {
    const keeli_sparse_set *set = &of->storage->set;
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < set->count; slot += 64) {
        const uint32_t count = keeli_least(set->count - slot, 64);
        sum += sum_of_block(of, keeli_sparse_set_entity(set, slot), slot, count);
    }
    return sum;
}

static uint64_t sum_of_rows(const value_sum *of) {
    const keeli_archetypes *all = &of->world->archetypes;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->count; ++i) {
        const keeli_archetype *a = all->all[i];
        if (!a->row_count || keeli_archetype_column(a, of->storage->row.number) == UINT32_MAX)
            continue;

        for (uint32_t b = 0; b < a->block_count; ++b) {
            const keeli_block *block = a->blocks[b];
            const uint32_t place = block->number << KEELI_ROW_SHIFT;
            for (uint32_t row = 0; row < block->count; row += 64) {
                const uint32_t count = keeli_least(block->count - row, 64);
                sum += sum_of_block(of, block->entities + row, place + row, count);
            }
        }
    }
    return sum;
}

// Returns the sum of the values of a word of 64 indices, run by run. `bits` are the indices that
// count.
static uint64_t sum_of_word(const value_sum *of, uint32_t first, uint64_t bits) {
    const uint32_t *versions =
        of->world->entities.root.versions[first / KEELI_PAGE] + first % KEELI_PAGE;
    keel_entity entities[64];
    uint64_t sum = 0;
    while (bits) {
        const uint32_t from = (uint32_t)__builtin_ctzll(bits);
        const uint64_t rest = ~(bits >> from); // 0: all 64
        const uint32_t count = rest ? keeli_least((uint32_t)__builtin_ctzll(rest), 64 - from) : 64;
        for (uint32_t i = 0; i < count; ++i) {
            const keel_entity_bits upper = versions[from + i];
            entities[i].bits = upper << KEEL_ENTITY_INDEX_BITS | (first + from + i);
        }
        sum += sum_of_places(of, entities, first + from, count);
        bits = from + count < 64 ? bits >> (from + count) << (from + count) : 0;
    }
    return sum;
}

static uint64_t sum_of_indexed(const value_sum *of) {
    const keeli_storage *s = of->storage;
    uint64_t sum = 0;
    for (uint32_t page = 0; (page = keeli_presence_next_page(&s->presence, page)) != UINT32_MAX;
         ++page) {
        for (uint32_t w = page * KEELI_PAGE_WORDS; w / KEELI_PAGE_WORDS == page; ++w) {
            const uint64_t bits = keeli_presence_word(&s->presence, w);
            if (!bits)
                continue;

            uint64_t own;
            if (!find_part(of, w, &own))
                own = store_part(of, w, sum_of_word(of, w * 64, bits));
            sum += own;
        }
    }
    return sum;
}

static value_sum sum_begin(const keel_world *world, const keeli_storage *s, uint64_t term) {
    return (value_sum){
        .world = world,
        .storage = s,
        .form = form_of(s),
        .seed = seed_of(s, term),
    };
}

static uint64_t sum_of_enabled(keel_world *world, keeli_storage *s, bool is_cached) {
    value_sum of = sum_begin(world, s, COMPONENT_TERM);
    of.cache = is_cached ? cache_of(world, s) : NULL;
    if (keeli_store_is_sparse(s))
        return sum_of_set(&of);
    return keeli_store_has_rows(s) ? sum_of_rows(&of) : sum_of_indexed(&of);
}

// Returns the sum of the values of entities with an index from `from` to `to` - 1: of those whose
// bits are in `who`, one of the storage's two bitmaps.
static uint64_t sum_of_range(const keel_world *world, const keeli_storage *s,
                             const keeli_presence *who, uint32_t from, uint32_t to) {
    const bool is_enabled = who == &s->presence;
    const value_sum of = sum_begin(world, s, is_enabled ? COMPONENT_TERM : DISABLED_TERM);
    uint64_t sum = 0;
    for (uint32_t i = from; (i = keeli_presence_next(who, i)) < to; ++i) {
        const keel_entity e = keeli_entity_at(&world->entities, i);
        const void *value = "";
        if (s->size && is_enabled)
            value = keeli_store_value_there(s, i);
        else if (s->size)
            value = keeli_store_disabled_value(s, i);
        sum += sum_of_row(&of, &e, 1, value);
    }
    return sum;
}

// Events have an order, so that each goes into the hash of those after it.
static uint64_t hash_of_events(const keeli_storage *s) {
    const keeli_queue *queue = s->events;
    const value_form form = form_of(s);
    const uint64_t end = keeli_queue_end(queue);
    uint64_t number = keeli_queue_waiting(queue), hash = seed_of(s, EVENT_TERM);
    if (number == end)
        return 0;
    for (; number < end; ++number)
        hash = hash_of_value(&form, keeli_queue_at(queue, number), keeli_hash_mix(hash));
    return hash;
}

static uint64_t add_sibling(const keel_world *world, uint32_t child, uint64_t term) {
    const uint32_t previous = keeli_link_at(&world->relations.child->edges.chains, child)->previous;
    if (previous == KEELI_NO_EDGE)
        return term;
    return keeli_hash_mix(term + keeli_entity_at(&world->entities, previous).bits);
}

// Returns the sum of the edges of sources with an index from `from` to `to` - 1. The order of
// relating does not count, except for siblings in the hierarchy.
static uint64_t sum_of_edges(const keel_world *world, const keeli_storage *s, uint32_t from,
                             uint32_t to) {
    const keeli_edges *edges = &s->relation->edges;
    const uint64_t seed = seed_of(s, COMPONENT_TERM);
    const bool has_values = keeli_edges_have_values(edges);
    const value_form form = form_of(s);
    uint64_t sum = 0;
    for (uint32_t i = from; (i = keeli_presence_next(&s->presence, i)) < to; ++i) {
        const uint64_t source = keeli_hash_mix(seed + keeli_entity_at(&world->entities, i).bits);
        KEELI_EACH_EDGE(at, edges, KEELI_TARGETS, i) {
            const uint32_t other = keeli_edge_other(edges, KEELI_TARGETS, i, at);
            const keel_entity target = keeli_entity_at(&world->entities, other);
            uint64_t term = keeli_hash_mix(source + target.bits);
            if (s->relation == world->relations.child)
                term = add_sibling(world, i, term);
            sum += has_values ? hash_of_value(&form, keeli_edge_value(edges, i, at), term) : term;
        }
    }
    return sum;
}

// Returns the sum of all edges. That of edges without values changes only with `edits`.
static uint64_t sum_of_all_edges(const keel_world *world, keeli_storage *s, bool is_cached) {
    const keeli_edges *edges = &s->relation->edges;
    keeli_hash_cache *cache = &s->hashed;
    if (!is_cached || keeli_edges_have_values(edges))
        return sum_of_edges(world, s, 0, UINT32_MAX);

    if (cache->edge_edits != edges->edits) {
        cache->edge_sum = sum_of_edges(world, s, 0, UINT32_MAX);
        cache->edge_edits = edges->edits;
    }
    return cache->edge_sum;
}

// Returns the sum of the terms of the living entities with an index from `from` to `to` - 1.
static uint64_t sum_of_handles(const keeli_entity_index *ix, uint32_t from, uint32_t to) {
    uint64_t sum = 0;
    keel_entity e = keeli_entity_index_next(ix, from);
    while (!keel_is_null(e) && keeli_index_of(e) < to) {
        sum += keeli_hash_mix(e.bits);
        e = keeli_entity_index_next(ix, keeli_index_of(e) + 1);
    }
    return sum;
}

// Returns the sum of the terms of all living entities, which changes only when an entity is added
// or deleted.
static uint64_t sum_of_entities(keel_world *world, bool is_cached) {
    const keeli_entity_index *ix = &world->entities;
    if (!is_cached)
        return sum_of_handles(ix, 0, UINT32_MAX);
    const uint32_t alive = keeli_entity_count(ix);
    if (world->hashed_entities.alive != alive || world->hashed_entities.frees != ix->frees) {
        world->hashed_entities.sum = sum_of_handles(ix, 0, UINT32_MAX);
        world->hashed_entities.alive = alive;
        world->hashed_entities.frees = ix->frees;
    }
    return world->hashed_entities.sum;
}

// True if the component has no part in hashes: it is transient, or only a relation's own record of
// who is a target.
static bool is_left_out(const keeli_storage *s) {
    return s->component.transient || keeli_store_has_sources(s);
}

// Returns the hash of a component, or of the list of entities (stand_in.entities). `is_cached`: the
// caller has begun to use the caches.
static uint64_t sum_of_storage(keel_world *world, keeli_storage *s, bool is_cached) {
    if (s == &world->stand_in.entities)
        return sum_of_entities(world, is_cached);
    if (is_left_out(s))
        return 0;
    if (s->relation)
        return sum_of_all_edges(world, s, is_cached) +
               (s->size ? sum_of_enabled(world, s, is_cached) : 0);
    if (s->events)
        return hash_of_events(s);
    if (s->unique)
        return keeli_hash_value(s, s->unique, seed_of(s, UNIQUE_TERM));
    return sum_of_enabled(world, s, is_cached) +
           sum_of_range(world, s, &s->disabled, 0, UINT32_MAX);
}

// Returns the hash of the world, or of one storage if `s` is not NULL.
static uint64_t sum_of(keel_world *world, keeli_storage *s) {
    const bool is_cached = caches_begin(world);
    if (!keeli_atomic_peek(&world->was_hashed))
        keeli_atomic_put(&world->was_hashed, 1);

    uint64_t sum = sum_of_storage(world, s ? s : &world->stand_in.entities, is_cached);
    const uint32_t others = s ? 0 : world->storages.count;
    for (uint32_t i = 0; i < others; ++i)
        sum += sum_of_storage(world, world->storages.items[i], is_cached);
    caches_end(world, is_cached);
    return sum;
}

// Returns the part of sum_of_storage of entities with an index from `from` to `to` - 1. All of a
// unique and of events belongs to index 0.
static uint64_t sum_between(keel_world *world, keeli_storage *s, uint32_t from, uint32_t to) {
    if (s == &world->stand_in.entities)
        return sum_of_handles(&world->entities, from, to);
    if (is_left_out(s))
        return 0;
    if (s->flags & KEELI_IS_UNIQUE)
        return from == 0 ? sum_of_storage(world, s, false) : 0;
    const bool has_values = !s->relation || s->size;
    return (s->relation ? sum_of_edges(world, s, from, to) : 0) +
           (has_values ? sum_of_range(world, s, &s->presence, from, to) : 0) +
           sum_of_range(world, s, &s->disabled, from, to);
}

// True if the component says which bytes of its values to hash. Values with hooks may own memory,
// so their bytes alone do not say what they are.
static bool has_form(const keeli_storage *s) {
    const keel_component *c = &s->component;
    if (c->transient || !c->size || c->hash || c->no_padding || c->field_count)
        return true;
    return s->knows_padding && !c->drop && !c->copy;
}

// True if the component has nothing to hash.
static bool is_empty(const keeli_storage *s) {
    const bool has_events =
        s->events && keeli_queue_waiting(s->events) < keeli_queue_end(s->events);
    return !s->unique && !s->presence.count && !s->disabled.count && !has_events;
}

// Returns an error if the component has values that it does not say how to hash.
static keel_result check_form(keel_world *world, const keeli_storage *s) {
    if (has_form(s))
        return KEEL_OK;
    if (is_empty(s))
        return KEEL_OK;

    const bool has_hooks = s->component.drop || s->component.copy;
    return keeli_error(world, KEEL_ERROR_HASH,
                       "cannot hash '%s': %s; declare it with .no_padding = true when every byte "
                       "counts, with KEEL_HAS_FIELDS (KEEL_FIELDS names what counts), with a .hash "
                       "hook, or with .transient = true to leave it out",
                       s->component.name,
                       has_hooks ? "its values may own memory, as they have a drop or copy hook"
                                 : "some bytes of its values may be padding, which this compiler "
                                   "does not tell");
}

// Returns an error unless the world may be hashed now. `where`: the place for hashes, not NULL.
static keel_result may_hash(const keel_world *world, keel_world *teller, const char *call,
                            const void *where) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!where)
        return keeli_misuse(teller, KEEL_ERROR_ARGUMENT,
                            "%s needs a place for hashes, but it is NULL", call);
    return keeli_may_read_all(world, teller, "hash");
}

keel_result keeli_may_hash_world(const keel_world *world, keel_world *teller, const char *call,
                                 const void *where) {
    KEEL_TRY(may_hash(world, teller, call, where));
    for (uint32_t i = 0; i < world->storages.count; ++i)
        KEEL_TRY(check_form(teller, world->storages.items[i]));
    return KEEL_OK;
}

// Hashing a const world changes its caches and its errors only.
static keel_world *own_of(const keel_world *world) { return (keel_world *)(uintptr_t)world; }

uint64_t keeli_world_sum(const keel_world *world) { return sum_of(own_of(world), NULL); }

keel_result keel_world_hash(const keel_world *world, uint64_t *hash) {
    KEEL_TRY(keeli_may_hash_world(world, own_of(world), "keel_world_hash", hash));
    *hash = keeli_world_sum(world);
    return KEEL_OK;
}

// Finds what to hash: `*out` is NULL for a component that the world does not know. Returns an error
// if the component is NULL or cannot be hashed.
static keel_result find_hashed(keel_world *world, const keel_component *component,
                               keeli_storage **out) {
    *out = NULL;
    if (!component)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the component to hash is NULL");
    if (component == &keel_entities) {
        *out = &world->stand_in.entities;
        return KEEL_OK;
    }
    *out = keeli_storage_find(world, component);
    return *out ? check_form(world, *out) : KEEL_OK;
}

keel_result keel_hash_component(const keel_world *world, const keel_component *component,
                                uint64_t *hash) {
    keel_world *own = own_of(world);
    keeli_storage *s;
    KEEL_TRY(may_hash(world, own, "keel_hash_component", hash));
    KEEL_TRY(find_hashed(own, component, &s));
    *hash = s ? sum_of(own, s) : 0;
    return KEEL_OK;
}

keel_result keel_hash_blocks(const keel_world *world, const keel_component *component,
                             uint32_t first, uint32_t size, uint32_t count, uint64_t *hashes) {
    keel_world *own = own_of(world);
    keeli_storage *s;
    KEEL_TRY(may_hash(world, own, "keel_hash_blocks", hashes));
    KEEL_TRY(find_hashed(own, component, &s));
    if (!size)
        return keeli_misuse(
            own, KEEL_ERROR_ARGUMENT,
            "the size of a block is 0; it is the number of indices that a block has");

    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t begin = first + (uint64_t)i * size, end = begin + size;
        const uint32_t from = begin < UINT32_MAX ? (uint32_t)begin : UINT32_MAX;
        const uint32_t to = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
        hashes[i] = s ? sum_between(own, s, from, to) : 0;
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ all parts
// True if the component is a part of its own. A component that nobody has is none, so that it makes
// no difference whether a world knows it.
static bool is_part(const keeli_storage *s) { return !is_left_out(s) && !is_empty(s); }

// Returns the number of blocks of 64 indices up to the last one that the part has something in.
static uint32_t blocks_of_part(const keel_world *world, const keeli_storage *s) {
    if (s == &world->stand_in.entities)
        return (world->entities.size + 63) / 64;
    if (s->flags & KEELI_IS_UNIQUE)
        return 1;
    const uint32_t enabled = keeli_presence_last(&s->presence);
    const uint32_t disabled = keeli_presence_last(&s->disabled);
    const uint32_t blocks = enabled == UINT32_MAX ? 0 : enabled / 64 + 1;
    const uint32_t others = disabled == UINT32_MAX ? 0 : disabled / 64 + 1;
    return blocks > others ? blocks : others;
}

// Inserts a component into a list that is sorted by name. A full list loses its last component.
static uint32_t insert_part(keel_hash_part *parts, uint32_t count, uint32_t capacity,
                            const keel_component *component) {
    uint32_t at = count;
    while (at && strcmp(parts[at - 1].component->name, component->name) > 0)
        --at;
    if (at == capacity)
        return count;
    const uint32_t moved = (count < capacity ? count : capacity - 1) - at;
    memmove(parts + at + 1, parts + at, moved * sizeof *parts);
    parts[at].component = component;
    return count < capacity ? count + 1 : count;
}

static void fill_part(keel_world *world, keeli_storage *s, keel_hash_part *part, bool is_cached) {
    part->hash = sum_of_storage(world, s, is_cached);
    part->blocks = blocks_of_part(world, s);
}

static void fill_parts(keel_world *world, keel_hash_part *parts, uint32_t capacity) {
    const bool is_cached = caches_begin(world);
    uint32_t count = 0;
    parts[0].component = &keel_entities;
    fill_part(world, &world->stand_in.entities, &parts[0], is_cached);
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (is_part(s))
            count = insert_part(parts + 1, count, capacity - 1, &s->component);
    }
    for (uint32_t i = 1; i <= count; ++i)
        fill_part(world, keeli_storage_find(world, parts[i].component), &parts[i], is_cached);
    caches_end(world, is_cached);
}

uint32_t keel_world_hash_parts(const keel_world *world, keel_hash_part *parts, uint32_t capacity) {
    keel_world *own = own_of(world);
    const void *where = capacity ? (const void *)parts : (const void *)&capacity;
    if (keeli_may_hash_world(world, own, "keel_world_hash_parts", where) < 0)
        return 0;
    if (capacity)
        fill_parts(own, parts, capacity);
    uint32_t count = 1;
    for (uint32_t i = 0; i < world->storages.count; ++i)
        count += is_part(world->storages.items[i]);
    return count;
}
