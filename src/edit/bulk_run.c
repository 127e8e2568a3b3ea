// SPDX-License-Identifier: MIT
#include "edit/bulk_run.h"

#include "base/memory.h"

uint32_t keeli_run_length(const keel_entity *entities, uint32_t count) {
    const uint32_t first = keel_entity_index(entities[0]);
    enum { few = 8 }; // most runs of shuffled handles are shorter
    uint32_t n = 1;
    while (n < count && n < few && keel_entity_index(entities[n]) == first + n)
        ++n;
    if (n < few) return n;
    // in blocks of handles with equal versions, long enough that compilers make vector code of it
    enum { block = 128 };
    for (; n + block <= count; n += block) {
        const keel_entity *e = entities + n;
        const keel_entity_bits from = entities[0].bits + n;
        keel_entity_bits broken = 0;
        for (uint32_t i = 0; i < block; ++i)
            broken |= (e[i].bits - from) ^ i;
        if (broken) break;
    }
    while (n < count && keel_entity_index(entities[n]) == first + n)
        ++n;
    return n;
}

// ------------------------------------------------------------------ values
// Fill places that lie side by side.
static void put_values(char *to, const char *values, size_t stride, uint32_t count, uint32_t size) {
    if (!values) {
        memset(to, 0, (size_t)count * size);
    } else if (stride == size) {
        memcpy(to, values, (size_t)count * size);
    } else {
        for (uint32_t i = 0; i < count; ++i)
            keeli_bytes_put(to + (size_t)i * size, values + i * stride, size);
    }
}

// Fill `count` places from `place` on, page by page.
static void put_paged(const keeli_storage *s, uint32_t place, const char *values, size_t stride,
                      uint32_t count) {
    const uint32_t page = (uint32_t)1 << s->root->shift;
    while (s->size && count) {
        const uint32_t n = keeli_least(count, page - (place & (page - 1)));
        put_values(keeli_store_at(s, place), values, stride, n, s->size);
        if (values) values += n * stride;
        place += n;
        count -= n;
    }
}

// Rows that came one after the other go on from block to block.
static void put_rows(const keel_world *world, const keeli_storage *s, const keel_entity *entities,
                     const char *values, size_t stride, uint32_t count) {
    while (s->size && count) {
        const uint32_t place = *keeli_row_of(world, keel_entity_index(*entities));
        const keeli_block *block = keeli_block_of(&world->archetypes, place);
        const uint32_t n = keeli_least(count, block->count - (place & KEELI_ROW_MASK));
        put_values(keeli_row_value(&s->row, place), values, stride, n, s->size);
        if (values) values += n * stride;
        entities += n;
        count -= n;
    }
}

// ------------------------------------------------------------------ bits
static void set_bits(keel_world *world, keeli_storage *s, uint32_t index, uint32_t count) {
    keeli_presence *p = &s->presence;
    p->count += count;
    while (count) {
        const uint32_t at = index % 64, n = keeli_least(count, 64 - at);
        uint64_t *word = &p->pages[index / 4096][index / 64 % KEELI_PAGE_WORDS];
        if (*word == 0) {
            keeli_presence_began(p, index);
            keeli_store_list_block(world, s, index);
        }
        *word |= (n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << at;
        index += n;
        count -= n;
    }
}

void keeli_store_push_run(keel_world *world, keeli_storage *s, const keel_entity *entities,
                          uint32_t count, const void *values, size_t stride) {
    const uint32_t index = keel_entity_index(entities[0]);
    set_bits(world, s, index, count);
    if (s->kind == KEEL_SPARSE_SET) {
        const uint32_t slot = keeli_sparse_set_push_range(&s->set, entities, count);
        put_paged(s, slot, values, stride, count);
    } else if (s->kind == KEEL_INDEXED) {
        keeli_indexed_set_add_range(&s->indexed, index, count);
        put_paged(s, index, values, stride, count);
    } else {
        put_rows(world, s, entities, values, stride, count);
    }
}
