// SPDX-License-Identifier: MIT
// Writes the content of a component to the bytes of a snapshot: values, disabled values, ticks,
// queues and edges. Values without padding are copied by runs. pack.c calls this file.
#include "rewind/pack.h"

#include "world/field.h"
#include "world/names.h"
#include "world/storage.h"

#include <keel/typed.h>

// ------------------------------------------------------------------ bytes of values
// The values of one component, and which of their bytes count.
typedef struct packed_form {
    const keeli_storage *s;
    uint32_t size;
    uint8_t *mask; // bits that count; NULL: all
} packed_form;

static bool is_named(const keeli_storage *s) { return s == s->world->names.storage; }

// Clears the bits of transient fields, which belong to this process.
static void clear_transient(uint8_t *mask, const keel_field *fields, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        if (f->transient) {
            memset(mask + f->offset, 0, (size_t)keeli_field_bytes(f));
            continue;
        }
        if (keeli_field_type(f) != KEEL_FIELD_STRUCT)
            continue;
        for (uint32_t k = 0; k < keeli_field_elements(f); ++k)
            clear_transient(mask + f->offset + (size_t)k * f->of->size, f->of->fields,
                            f->of->field_count);
    }
}

// Finds out which bytes of the values count. `size` is that of a value; 0: there are none.
static packed_form form_of(keeli_pack *p, const keeli_storage *s, uint32_t size) {
    const keel_component *c = &s->component;
    packed_form form = { .s = s, .size = size };
    const bool has_padding = c->clear_padding && !c->no_padding;
    if (!size || is_named(s) || (!has_padding && !c->field_count))
        return form;

    form.mask = keeli_new(&p->heap, size, c->align);
    if (!form.mask) {
        p->is_out_of_memory = true;
        return form;
    }
    memset(form.mask, 0xFF, size);
    if (has_padding)
        c->clear_padding(form.mask);
    clear_transient(form.mask, c->fields, c->field_count);

    uint32_t at = 0;
    while (at < size && form.mask[at] == 0xFF)
        ++at;
    if (at == size) {
        keeli_free(&p->heap, form.mask, size, c->align);
        form.mask = NULL;
    }
    return form;
}

static void form_end(keeli_pack *p, const packed_form *form) {
    keeli_free(&p->heap, form->mask, form->size, form->s->component.align);
}

static void pack_masked(keeli_pack *p, const packed_form *form, const char *value) {
    unsigned char part[256];
    for (uint32_t at = 0; at < form->size; at += (uint32_t)sizeof part) {
        const uint32_t count = keeli_least(form->size - at, (uint32_t)sizeof part);
        for (uint32_t i = 0; i < count; ++i)
            part[i] = (unsigned char)value[at + i] & form->mask[at + i];
        keeli_pack_bytes(p, part, count);
    }
}

// Writes `count` adjacent values.
static void pack_run(keeli_pack *p, const packed_form *form, const void *values, uint32_t count) {
    const char *at = values;
    if (!form->size)
        return;
    if (is_named(form->s)) {
        for (uint32_t i = 0; i < count; ++i)
            keeli_pack_text(p, ((const keel_name *)values)[i].text);
        return;
    }
    if (!form->mask) {
        keeli_pack_bytes(p, values, (size_t)count * form->size);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
        pack_masked(p, form, at + (size_t)i * form->size);
}

// ------------------------------------------------------------------ values of entities
static void pack_sparse(keeli_pack *p, const packed_form *form, const keeli_sparse_set *set) {
    keeli_pack_u32(p, set->count);
    for (uint32_t slot = 0; slot < set->count; ++slot)
        keeli_pack_u32(p, keeli_index_of(*keeli_sparse_set_entity(set, slot)));
    if (!form->size)
        return;
    for (uint32_t slot = 0, n; slot < set->count; slot += n) {
        n = keeli_least(set->count - slot, set->root.mask + 1 - (slot & set->root.mask));
        pack_run(p, form, keeli_sparse_set_value(set, slot), n);
    }
}

// Writes the values of a block by runs of adjacent ones.
static void pack_block(keeli_pack *p, const packed_form *form, const keeli_indexed_set *set,
                       uint32_t first, uint64_t bits) {
    const bool is_whole = keeli_indexed_set_has_whole_blocks(set);
    while (form->size && bits) {
        const uint32_t at = (uint32_t)__builtin_ctzll(bits);
        const uint64_t rest = ~(bits >> at);
        uint32_t n = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        if (!is_whole)
            n = 1;
        pack_run(p, form, keeli_indexed_set_value(set, first + at), n);
        bits = at + n < 64 ? bits >> (at + n) << (at + n) : 0;
    }
}

// Writes the bits of a bitmap by blocks of 64 indices, and behind each the values of its indices.
static void pack_bits(keeli_pack *p, const packed_form *form, const keeli_presence *bits,
                      const keeli_indexed_set *set) {
    uint32_t blocks = 0;
    for (uint32_t i = 0; (i = keeli_presence_next(bits, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        ++blocks;
    keeli_pack_u32(p, blocks);
    for (uint32_t i = 0; (i = keeli_presence_next(bits, i)) != UINT32_MAX; i = (i / 64 + 1) * 64) {
        const uint64_t word = keeli_presence_word(bits, i / 64);
        keeli_pack_u32(p, i / 64);
        keeli_pack_u64(p, word);
        pack_block(p, form, set, i / 64 * 64, word);
    }
}

void keeli_pack_columns(keeli_pack *p, const keeli_archetype *archetype) {
    keeli_pack_u32(p, archetype->row_count);
    for (uint32_t b = 0; b < archetype->block_count; ++b)
        for (uint32_t row = 0; row < archetype->blocks[b]->count; ++row)
            keeli_pack_u32(p, keeli_index_of(archetype->blocks[b]->entities[row]));

    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        const keeli_row_component *column = archetype->columns[c];
        const keeli_storage *s = p->image->root.storages[column->number];
        const packed_form form = form_of(p, s, column->size);
        for (uint32_t b = 0; form.size && b < archetype->block_count; ++b) {
            const keeli_block *block = archetype->blocks[b];
            if (block->count)
                pack_run(p, &form, keeli_row_value(column, block->number << KEELI_ROW_SHIFT),
                         block->count);
        }
        form_end(p, &form);
    }
}

// ------------------------------------------------------------------ ticks and queues
static void pack_tick_block(keeli_pack *p, const keeli_tick_page *page, uint32_t number,
                            uint32_t at) {
    keeli_pack_u32(p, number);
    keeli_pack_u32(p, page->whole[at]);
    keeli_pack_u32(p, page->latest[at]);
    for (uint32_t i = 0; i < 64; ++i)
        keeli_pack_u32(p, page->slots[at * 64 + i]);
}

// Writes the blocks of a page that have ticks, and at least one: that the page has memory decides
// which ticks are pushed down. Returns their number. `p` NULL: only counts.
static uint32_t pack_tick_page(keeli_pack *p, const keeli_tick_page *page, uint32_t first) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < KEELI_TICK_BLOCKS; ++b) {
        if (!page->latest[b])
            continue;
        ++count;
        if (p)
            pack_tick_block(p, page, first + b, b);
    }
    if (!count && p)
        pack_tick_block(p, page, first, 0);
    return count ? count : 1;
}

static void pack_ticks(keeli_pack *p, const keeli_ticks *t) {
    keeli_pack_u32(p, t->all);
    keeli_pack_u32(p, t->latest);
    keeli_pack_u32(p, t->log_from);
    keeli_pack_u32(p, t->log_capacity);
    uint32_t blocks = 0;
    for (uint32_t page = 0; page < t->table.count; ++page)
        if (t->pages[page] != &keeli_no_ticks)
            blocks += pack_tick_page(NULL, t->pages[page], 0);
    keeli_pack_u32(p, blocks);
    for (uint32_t page = 0; page < t->table.count; ++page)
        if (t->pages[page] != &keeli_no_ticks)
            (void)pack_tick_page(p, t->pages[page], page * KEELI_TICK_BLOCKS);

    keeli_pack_u32(p, t->log_count);
    for (uint32_t i = 0; i < t->log_count; ++i) {
        keeli_pack_u32(p, t->log[i].index);
        keeli_pack_u32(p, t->log[i].tick);
    }
}

static void pack_queue_readers(keeli_pack *p, const keeli_queue *q) {
    keeli_pack_u32(p, q->readers.count);
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_queue_reader *r = &q->readers.items[i];
        keeli_pack_u32(p, keeli_pack_reader(p, r->reader));
        keeli_pack_u8(p, (uint32_t)r->is_system | (uint32_t)r->is_warned << 1);
        keeli_pack_u64(p, r->next);
        keeli_pack_u64(p, r->shown);
    }
}

static void pack_queue(keeli_pack *p, packed_form form, const keeli_queue *q) {
    form.size = q->size;
    keeli_pack_u32(p, q->limit);
    keeli_pack_u8(p, (uint32_t)q->world_reads | (uint32_t)q->world.is_warned << 1 |
                         (uint32_t)q->is_warned << 2);
    const uint64_t numbers[] = { q->begin,      q->fresh,      q->dropped_tick, q->cleared[0],
                                 q->cleared[1], q->world.next, q->world.shown,  q->mark };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        keeli_pack_u64(p, numbers[i]);
    pack_queue_readers(p, q);

    keeli_pack_u32(p, q->count);
    for (uint64_t i = q->begin; i < keeli_queue_end(q); ++i) {
        if (q->of_removed) {
            const keeli_removed *removed = keeli_queue_removed_at(q, i);
            keeli_pack_u64(p, removed->entity.bits);
            keeli_pack_u64(p, removed->tick);
            keeli_pack_u8(p, (uint32_t)removed->deleted);
        }
        if (keeli_queue_has_value(q, i))
            pack_run(p, &form, keeli_queue_at(q, i), 1);
    }
}

// ------------------------------------------------------------------ edges
// Writes the sources of each target, in the order of its chain.
static void pack_chains(keeli_pack *p, const keeli_relation *r) {
    const keeli_edges *edges = &r->edges;
    keeli_pack_u32(p, r->targets->presence.count);
    KEELI_EACH_BIT(target, &r->targets->presence) {
        keeli_pack_u32(p, target);
        keeli_pack_u32(p, keeli_edge_count(edges, KEELI_SOURCES, target));
        KEELI_EACH_EDGE(at, edges, KEELI_SOURCES, target)
            keeli_pack_u32(p, keeli_edge_other(edges, KEELI_SOURCES, target, at));
    }
}

// Writes a list of edges with its holes, so that places stay valid. An entry of a source has the
// place of its other direction, if the relation is symmetric; an entry of a target has the place in
// the list of its source.
static void pack_edge_list(keeli_pack *p, const keeli_edges *edges, keeli_end end, uint32_t index) {
    const keeli_edge_side *side = keeli_edge_side_of(edges, end);
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    keeli_pack_u32(p, index);
    keeli_pack_u32(p, list->used);
    for (uint32_t place = 0; place < list->used; ++place) {
        const uint32_t other = *keeli_edge_entry(list, side->stride, place);
        keeli_pack_u32(p, other);
        if (other == KEELI_HOLE)
            continue;
        if (end == KEELI_SOURCES)
            keeli_pack_u32(p, keeli_edge_twin(edges, end, index, place));
        else if (edges->is_symmetric)
            keeli_pack_u32(p, keeli_edge_back(edges, index, place));
    }
}

static void pack_lists(keeli_pack *p, const packed_form *form, const keeli_relation *r) {
    const keeli_edges *edges = &r->edges;
    keeli_pack_u32(p, edges->count);
    keeli_pack_u32(p, r->sources->presence.count);
    KEELI_EACH_BIT(source, &r->sources->presence) {
        pack_edge_list(p, edges, KEELI_TARGETS, source);
        KEELI_EACH_EDGE(at, edges, KEELI_TARGETS, source)
            if (keeli_edge_has_value(edges, source, at))
                pack_run(p, form, keeli_edge_value(edges, source, at), 1);
    }
    keeli_pack_u32(p, r->targets->presence.count);
    KEELI_EACH_BIT(target, &r->targets->presence)
        pack_edge_list(p, edges, KEELI_SOURCES, target);
}

// ------------------------------------------------------------------ a component
static void pack_unique(keeli_pack *p, const packed_form *form, const keeli_storage *s) {
    keeli_pack_u8(p, s->unique != NULL);
    if (s->unique)
        pack_run(p, form, s->unique, 1);
}

static void pack_entity_values(keeli_pack *p, const packed_form *form, const keeli_storage *s) {
    if (keeli_store_is_sparse(s))
        pack_sparse(p, form, &s->set);
    else if (keeli_store_is_by_index(s))
        pack_bits(p, form, &s->presence, &s->indexed);
    pack_bits(p, form, &s->disabled, &s->indexed);
}

void keeli_pack_values(keeli_pack *p, const keeli_storage *s) {
    const packed_form form = form_of(p, s, s->component.size);
    packed_form own =
        form; // the form of values of entities: a relation with values of edges has none
    own.size = s->size;
    const bool has_edges = s->relation && !keeli_store_has_sources(s);
    if (s->events)
        pack_queue(p, form, s->events);
    else if (s->component.is_unique)
        pack_unique(p, &form, s);
    else if (!keeli_store_has_sources(s)) // targets follow from the edges
        pack_entity_values(p, &own, s);

    const keeli_tracking *t = &s->tracking;
    keeli_pack_u64(p, s->set_at);
    keeli_pack_u64(p, s->changed_at);
    keeli_pack_u64(p, s->cleared_inserted);
    keeli_pack_u64(p, s->cleared_modified);
    keeli_pack_u32(p, t->kinds_then);
    pack_ticks(p, &t->inserted);
    pack_ticks(p, &t->modified);
    pack_queue(p, form, &t->removed);

    if (has_edges && s->relation->edges.is_chained)
        pack_chains(p, s->relation);
    else if (has_edges)
        pack_lists(p, &form, s->relation);
    form_end(p, &form);
}
