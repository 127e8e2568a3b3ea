// SPDX-License-Identifier: MIT
// Brings ghosts up to date by what changed. For each rank that sees entities of this one, a table
// has a slot for each of them, with the values that were sent last. The other rank has a table with
// the same slots, of its ghosts. A ghost that did not change costs nothing, and a changed one its
// slot and its changed columns.
//
//     gone, fresh, groups; slots of the gone; slots and ids of the fresh;
//     for each group: changed columns, missing columns, count, slots; values of each changed column
#include "domain.h"

#include <stdlib.h>
#include <string.h>

// The columns of an entity that changed: bits by the number of the ghosts' column.
typedef struct change {
    uint32_t slot;
    uint16_t changed, missing;
} change;

// ------------------------------------------------------------------ what others see
static bool grow_items(void *items, size_t size, uint32_t room) {
    void *larger = realloc(*(void **)items, size * room);
    if (larger) *(void **)items = larger;
    return larger != NULL;
}

// Makes room for more slots. False when out of memory.
static bool reserve_slots(const keel_domain *d, mpi_shown *shown, uint32_t more) {
    if (!keeli_map_reserve(&shown->slots, more)) return false;
    const uint32_t need = shown->count + more;
    if (need <= shown->room) return true;
    const uint32_t room = 2 * need;
    if (!grow_items(&shown->ids, sizeof *shown->ids, room) ||
        !grow_items(&shown->entities, sizeof *shown->entities, room) ||
        !grow_items(&shown->stamps, sizeof *shown->stamps, room) ||
        !grow_items(&shown->has, sizeof *shown->has, room) ||
        !grow_items(&shown->free_slots, sizeof *shown->free_slots, room) ||
        !grow_items(&shown->values, d->ghost_size + 1, room))
        return false;
    shown->room = room;
    return true;
}

// Finds the slot of an entity. A new one is noted as fresh.
static bool find_slot(const keel_domain *d, mpi_shown *shown, keel_entity e, mpi_bytes *fresh,
                      uint32_t *out) {
    const keel_global_id *id = keel_get_component(d->world, e, KEEL_OF(keel_global_id));
    const uint64_t *known = keeli_map_find(&shown->slots, id->value);
    if (known) *out = (uint32_t)*known;
    else *out = shown->free_count ? shown->free_slots[--shown->free_count] : shown->count++;
    // one that was away may have been owned there, and its ghost is not what was sent
    if (!known || !keel_is_same(shown->entities[*out], e) ||
        keeli_map_find(&d->arrived, id->value)) {
        (void)keeli_map_add(&shown->slots, id->value, *out);
        shown->ids[*out] = id->value;
        shown->has[*out] = 0;
        uint32_t *at = keeli_bytes_push(fresh, sizeof *at);
        if (!at) return false;
        *at = *out;
    }
    shown->entities[*out] = e;
    shown->stamps[*out] = d->stamp;
    return true;
}

// Compares an entity with what was sent last, and keeps its values. A disabled component is as one
// that it lacks. A fresh one may be known to the other rank already, with old columns.
static change compare_slot(const keel_domain *d, mpi_shown *shown, uint32_t slot, bool is_fresh) {
    const keel_entity e = shown->entities[slot];
    change c = { slot, 0, 0 };
    unsigned char *sent = shown->values + (size_t)slot * d->ghost_size;
    for (uint32_t k = 0; k < d->ghost_count; ++k) {
        const keel_component *component = d->columns[d->ghost_columns[k]].component;
        const uint32_t size = component->size, bit = 1u << k;
        const bool had = shown->has[slot] & bit;
        const void *value = size ? keel_get_component(d->world, e, component) : NULL;
        const bool has = size ? value != NULL : keel_has_component(d->world, e, component);
        if (has && (!had || (size && memcmp(sent, value, size) != 0))) {
            c.changed |= (uint16_t)bit;
            if (size) memcpy(sent, value, size);
        }
        if (!has && (had || is_fresh)) c.missing |= (uint16_t)bit;
        sent += size;
    }
    shown->has[slot] = (shown->has[slot] | c.changed) & ~(uint32_t)c.missing;
    return c;
}

static uint32_t columns_of(change c) { return (uint32_t)c.changed << 16 | c.missing; }
static int compare_changes(const void *a, const void *b) {
    const change *x = a, *y = b;
    if (columns_of(*x) != columns_of(*y)) return columns_of(*x) < columns_of(*y) ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

// Notes what changed of the entities in a list, and who is not in it any more.
static bool note_changes(keel_domain *d, mpi_shown *shown, const mpi_list *list) {
    if (!reserve_slots(d, shown, list->count)) return false;
    d->fresh.size = d->gone.size = d->changes.size = 0;
    bool is_uniform = true;
    for (uint32_t i = 0; i < list->count; ++i) {
        uint32_t slot = 0;
        const size_t fresh = d->fresh.size;
        if (!find_slot(d, shown, list->items[i], &d->fresh, &slot)) return false;
        // handles and edges there may refer to it from now on
        if (d->fresh.size != fresh && !keeli_handle_mark(d, list->items[i], shown->ids[slot]))
            return false;
        const change c = compare_slot(d, shown, slot, d->fresh.size != fresh);
        if (!columns_of(c)) continue;
        change *at = keeli_bytes_push(&d->changes, sizeof *at);
        if (!at) return false;
        *at = c;
        is_uniform &= columns_of(c) == columns_of(*(const change *)(const void *)d->changes.items);
    }
    for (uint32_t slot = 0; slot < shown->count; ++slot) {
        if (!shown->ids[slot] || shown->stamps[slot] == d->stamp) continue;
        keeli_map_remove(&shown->slots, shown->ids[slot]);
        shown->ids[slot] = 0;
        uint32_t *at = keeli_bytes_push(&d->gone, sizeof *at);
        if (!at) return false;
        *at = slot;
    }
    if (!is_uniform)
        qsort(d->changes.items, d->changes.size / sizeof(change), sizeof(change), compare_changes);
    return true;
}

// Appends one column of a group of changes. False: an error was kept.
static bool write_values(keel_domain *d, const mpi_shown *shown, const change *group,
                         uint32_t count, uint32_t k, mpi_bytes *out) {
    const mpi_column *column = &d->columns[d->ghost_columns[k]];
    const size_t size = column->component->size;
    size_t offset = 0;
    for (uint32_t i = 0; i < k; ++i)
        offset += d->columns[d->ghost_columns[i]].component->size;
    unsigned char *at = keeli_bytes_add(out, size * count);
    if (!at) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing ghosts: out of memory");
        return false;
    }
    for (uint32_t i = 0; i < count; ++i, at += size) {
        memcpy(at, shown->values + group[i].slot * (size_t)d->ghost_size + offset, size);
        if (!keeli_handles_to_ids(d, column, at, true)) return false;
    }
    return true;
}

static bool write_group(keel_domain *d, const mpi_shown *shown, const change *group, uint32_t count,
                        mpi_bytes *out) {
    const uint32_t head[4] = { group->changed, group->missing, count, 0 };
    const bool has_room = keeli_bytes_copy(out, head, sizeof head);
    uint32_t *slots = has_room ? keeli_bytes_add(out, count * sizeof *slots) : NULL;
    if (!slots) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing ghosts: out of memory");
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
        slots[i] = group[i].slot;
    for (uint32_t k = 0; k < d->ghost_count; ++k)
        if (group->changed >> k & 1 && !write_values(d, shown, group, count, k, out)) return false;
    return true;
}

static bool write_all(keel_domain *d, const mpi_shown *shown, mpi_bytes *out) {
    const change *changes = (const change *)(const void *)d->changes.items;
    const uint32_t count = (uint32_t)(d->changes.size / sizeof *changes);
    const uint32_t *fresh = (const uint32_t *)(const void *)d->fresh.items;
    uint32_t head[4] = { (uint32_t)(d->gone.size / 4), (uint32_t)(d->fresh.size / 4), 0, 0 };
    if (!head[0] && !head[1] && !count) return true;
    for (uint32_t i = 0; i < count; ++i)
        head[2] += !i || columns_of(changes[i]) != columns_of(changes[i - 1]);
    bool has_room = keeli_bytes_copy(out, head, sizeof head) &&
                    keeli_bytes_copy(out, d->gone.items, d->gone.size) &&
                    keeli_bytes_copy(out, d->fresh.items, d->fresh.size);
    uint64_t *ids = has_room ? keeli_bytes_add(out, head[1] * sizeof *ids) : NULL;
    if (!ids) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing ghosts: out of memory");
        return false;
    }
    for (uint32_t i = 0; i < head[1]; ++i)
        ids[i] = shown->ids[fresh[i]];
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && columns_of(changes[end]) == columns_of(changes[begin]);)
            ++end;
        if (!write_group(d, shown, changes + begin, end - begin, out)) return false;
    }
    return true;
}

// Appends what one rank has to know of the entities in its list.
static keel_result show(keel_domain *d, uint32_t rank) {
    mpi_shown *shown = &d->shown[rank];
    if (!note_changes(d, shown, &d->lists[rank]))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing ghosts: out of memory");
    if (!write_all(d, shown, &d->out[rank])) return d->error.result;
    const uint32_t *gone = (const uint32_t *)(const void *)d->gone.items;
    for (size_t i = 0; i < d->gone.size / sizeof *gone; ++i)
        shown->free_slots[shown->free_count++] = gone[i];
    return KEEL_OK;
}

// ------------------------------------------------------------------ what this rank sees
static keel_result damaged(keel_domain *d, uint32_t from) {
    return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "the ghosts that rank %u sent are damaged",
                             (unsigned)from);
}

// Returns the entities of some slots; NULL: an error was kept.
static const keel_entity *ghosts_of(keel_domain *d, uint32_t from, const uint32_t *slots,
                                    uint32_t count) {
    const mpi_list *seen = &d->seen[from];
    d->room.size = 0;
    keel_entity *entities = keeli_bytes_add(&d->room, count * sizeof *entities);
    if (!entities) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking ghosts: out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (slots[i] >= seen->count) {
            (void)damaged(d, from);
            return NULL;
        }
        entities[i] = seen->items[slots[i]];
    }
    return entities;
}

// Reads which ghosts a rank does not show any more, and adds them to a list.
static keel_result read_gone(keel_domain *d, mpi_reader *r, uint32_t from, uint32_t head[4],
                             mpi_list *gone) {
    memset(head, 0, 4 * sizeof *head);
    if (r->at == r->end) return KEEL_OK;
    const uint32_t *numbers = keeli_bytes_read(r, 4 * sizeof *numbers);
    if (!numbers) return damaged(d, from);
    memcpy(head, numbers, 4 * sizeof *head);
    const uint32_t *slots = keeli_bytes_read(r, head[0] * sizeof *slots);
    if (r->is_short) return damaged(d, from);
    mpi_list *seen = &d->seen[from];
    for (uint32_t i = 0; i < head[0]; ++i) {
        if (slots[i] >= seen->count) return damaged(d, from);
        if (!keeli_list_add(gone, seen->items[slots[i]]))
            return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking ghosts: out of memory");
        seen->items[slots[i]] = keel_null();
    }
    d->status.ghosts -= head[0];
    return KEEL_OK;
}

// Keeps the ghost of an id, which may be here already, in a slot.
static keel_result enter_ghost(keel_domain *d, uint32_t from, uint64_t id, uint32_t slot) {
    mpi_list *seen = &d->seen[from];
    keel_entity e = keeli_ids_find(&d->ids, id);
    if (keel_is_null(e)) KEEL_TRY(keeli_ghost_create(d, id, &e));
    keel_ghost *ghost = keel_get_component_mut(d->world, e, KEEL_OF(keel_ghost));
    if (!ghost)
        return keeli_domain_fail(d, KEEL_ERROR_OCCUPIED,
                                 "ranks %u and %u both own the entity with the global id %llu; "
                                 "each entity of all ranks has an id of its own",
                                 (unsigned)d->desc.ranks.rank, (unsigned)from,
                                 (unsigned long long)id);
    ghost->stamp = d->stamp;
    ghost->owner = from;
    ghost->is_bare = false;
    while (seen->count <= slot)
        if (!keeli_list_add(seen, keel_null())) return KEEL_ERROR_MEMORY;
    d->status.ghosts += keel_is_null(seen->items[slot]);
    seen->items[slot] = e;
    return KEEL_OK;
}

static keel_result read_fresh(keel_domain *d, mpi_reader *r, uint32_t from, uint32_t count) {
    const uint32_t *slots = keeli_bytes_read(r, count * sizeof *slots);
    const uint64_t *ids = keeli_bytes_read(r, count * sizeof *ids);
    if (r->is_short) return damaged(d, from);
    for (uint32_t i = 0; i < count; ++i) {
        // slots are dense: a new one is at most the number of all that were shown
        if (slots[i] > d->seen[from].count + count || !ids[i]) return damaged(d, from);
        if (enter_ghost(d, from, ids[i], slots[i]) < 0)
            return d->error.result < 0
                       ? d->error.result
                       : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking ghosts: out of memory");
    }
    return KEEL_OK;
}

// Adds the values of a column to ghosts. The program may have deleted some of them.
static keel_result add_values(keel_domain *d, const keel_component *c, const keel_entity *entities,
                              uint32_t count, const unsigned char *values) {
    bool all_live = true;
    for (uint32_t i = 0; i < count; ++i)
        all_live &= keel_is_alive(d->world, entities[i]);
    if (all_live)
        return keel_add_component_to_many(d->world, entities, count, c, c->size ? values : NULL,
                                          c->size);
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; i < count && result >= 0; ++i)
        if (keel_is_alive(d->world, entities[i]))
            result = keel_add_component(d->world, entities[i], c, values + (size_t)i * c->size);
    return result;
}

// Deletes columns of ghosts, all at once: some may require others.
static keel_result delete_missing(keel_domain *d, const uint32_t *slots, uint32_t count,
                                  uint32_t missing, uint32_t from) {
    const keel_component *list[KEEL_MAX_TERMS + 1] = { NULL };
    for (uint32_t k = 0, length = 0; k < d->ghost_count; ++k)
        if (missing >> k & 1) list[length++] = d->ghost_components[k];
    const keel_entity *entities = list[0] ? ghosts_of(d, from, slots, count) : NULL;
    if (list[0] && !entities) return d->error.result;
    for (uint32_t i = 0; entities && i < count; ++i)
        if (keel_is_alive(d->world, entities[i]) &&
            keel_delete_components(d->world, entities[i], list) < 0)
            return keeli_domain_fail_world(d);
    return KEEL_OK;
}

static keel_result read_group(keel_domain *d, mpi_reader *r, uint32_t from) {
    const uint32_t *head = keeli_bytes_read(r, 4 * sizeof *head);
    const uint32_t *slots = head ? keeli_bytes_read(r, head[2] * sizeof *slots) : NULL;
    if (!slots || (head[0] | head[1]) >> d->ghost_count) return damaged(d, from);
    const uint32_t count = head[2];
    KEEL_TRY(delete_missing(d, slots, count, head[1], from));
    for (uint32_t k = 0; k < d->ghost_count; ++k) {
        const mpi_column *column = &d->columns[d->ghost_columns[k]];
        const keel_component *c = column->component;
        const keel_entity *entities = ghosts_of(d, from, slots, count);
        if (!entities) return d->error.result;
        if (!(head[0] >> k & 1)) continue;
        const void *values = keeli_bytes_read(r, (size_t)count * c->size);
        if (r->is_short) return damaged(d, from);
        if (column->handle_count && count) {
            values = keeli_columns_handles(d, column, values, count);
            if (!values) return d->error.result;
        }
        if (add_values(d, c, entities, count, values) < 0) return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ who is no ghost any more
// Deletes the components of a ghost.
static keel_result make_bare(keel_domain *d, keel_entity e) {
    if (keel_delete_components(d->world, e, d->ghost_components) < 0)
        return keeli_domain_fail_world(d);
    keel_ghost *ghost = keel_get_component_mut(d->world, e, KEEL_OF(keel_ghost));
    if (ghost) ghost->is_bare = true;
    return KEEL_OK;
}

// Deletes the ghosts that no rank shows any more. Where values may refer to them, only their
// components go.
static keel_result delete_gone(keel_domain *d, mpi_list *gone) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gone->count; ++i) {
        const keel_entity e = gone->items[i];
        const keel_ghost *ghost = keel_get_component(d->world, e, KEEL_OF(keel_ghost));
        if (!ghost || ghost->stamp == d->stamp) continue; // it moved here, or another rank shows it
        if (d->has_handles) KEEL_TRY(make_bare(d, e));
        else gone->items[kept++] = e;
    }
    if (kept && keel_delete_entities(d->world, gone->items, kept) < 0)
        return keeli_domain_fail_world(d);
    return KEEL_OK;
}

// Forgets what other ranks see, and what they showed: the next refresh begins anew on all ranks.
// Adds all ghosts to a list.
static bool forget_all(keel_domain *d, mpi_list *gone) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        mpi_shown *shown = &d->shown[r];
        keeli_map_free(&shown->slots);
        shown->count = shown->free_count = 0;
        for (uint32_t i = 0; i < d->seen[r].count; ++i)
            if (!keel_is_null(d->seen[r].items[i]) && !keeli_list_add(gone, d->seen[r].items[i]))
                return false;
        d->seen[r].count = 0;
    }
    d->status.ghosts = 0;
    return true;
}

static keel_result read_all(keel_domain *d, mpi_list *gone) {
    const uint32_t ranks = d->desc.ranks.count;
    keel_result result = KEEL_OK;
    // all that is gone first: another rank may show it now
    for (uint32_t r = 0; r < ranks && result == KEEL_OK; ++r) {
        d->readers[r] = keeli_reader(d->receive[r]);
        result = read_gone(d, &d->readers[r], r, d->heads[r], gone);
    }
    for (uint32_t r = 0; r < ranks && result == KEEL_OK; ++r) {
        if (d->heads[r][1]) result = read_fresh(d, &d->readers[r], r, d->heads[r][1]);
        for (uint32_t i = 0; i < d->heads[r][2] && result == KEEL_OK; ++i)
            result = read_group(d, &d->readers[r], r);
    }
    return result == KEEL_OK ? delete_gone(d, gone) : result;
}

// ------------------------------------------------------------------ who may not write
#ifndef NDEBUG
static uint64_t hash_ghost(const keel_domain *d, keel_entity e) {
    uint64_t hash = 0;
    for (uint32_t k = 0; k < d->ghost_count; ++k) {
        const keel_component *c = d->ghost_components[k];
        const void *value = c->size ? keel_get_component(d->world, e, c) : NULL;
        if (value) hash = keeli_hash_bytes(value, c->size, hash + k);
    }
    return hash;
}

// Keeps the hashes of all ghosts. False when out of memory.
static bool remember_ghosts(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        mpi_bytes *hashes = &d->seen_hashes[r];
        hashes->size = 0;
        for (uint32_t i = 0; i < d->seen[r].count; ++i) {
            uint64_t *hash = keeli_bytes_add(hashes, sizeof *hash);
            if (!hash) return false;
            *hash = hash_ghost(d, d->seen[r].items[i]);
        }
    }
    return true;
}

keel_result keeli_ghosts_check(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        const uint64_t *hashes = (const uint64_t *)(const void *)d->seen_hashes[r].items;
        for (uint32_t i = 0; i < d->seen[r].count; ++i) {
            const keel_entity e = d->seen[r].items[i];
            const keel_ghost *ghost = keel_get_component(d->world, e, KEEL_OF(keel_ghost));
            if (!ghost || hash_ghost(d, e) == hashes[i]) continue;
            return keeli_domain_fail(d, KEEL_ERROR_ACCESS,
                                     "the workload wrote values of a ghost, of the entity with the "
                                     "global id %llu; only its owner may: loops in systems say "
                                     "KEEL_WITHOUT(keel_ghost), too, and a child of a ghost goes "
                                     "to the owner",
                                     (unsigned long long)ghost->id);
        }
    }
    return KEEL_OK;
}
#else
static bool remember_ghosts(keel_domain *d) { return d != NULL; }
keel_result keeli_ghosts_check(keel_domain *d) { return d ? KEEL_OK : KEEL_ERROR_ARGUMENT; }
#endif

// ------------------------------------------------------------------ all ghosts
static keel_result show_all(keel_domain *d) {
    keel_result result = keeli_list_seen(d);
    for (uint32_t r = 0; r < d->desc.ranks.count && result == KEEL_OK; ++r) {
        result = show(d, r);
        d->status.bytes_ghosts += d->out[r].size;
    }
    for (uint32_t r = 0; r < d->desc.ranks.count && result < 0; ++r)
        d->out[r].size = 0;
    return result;
}

keel_result keeli_ghosts_refresh(keel_domain *d) {
    mpi_list *gone = &d->lists[d->desc.ranks.count];
    gone->count = 0;
    ++d->stamp;
    keel_result result = keeli_deaths_note(d);
    if (d->is_out_of_step && result == KEEL_OK && !forget_all(d, gone))
        result = keeli_domain_fail(d, KEEL_ERROR_MEMORY, "refreshing ghosts: out of memory");
    if (result == KEEL_OK) result = show_all(d);
    KEEL_TRY(keeli_domain_exchange(d)); // also after an error: the others wait for it
    if (result == KEEL_OK) result = read_all(d, gone);
    keel_reader_advance(d->ghosts_deleted); // ghosts that were deleted here did not die
    KEEL_TRY(result);
    d->is_out_of_step = false;
    keeli_map_free(&d->arrived);
    if (!remember_ghosts(d))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "refreshing ghosts: out of memory");
    return keeli_ids_update(d);
}

void keeli_ghosts_end(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        if (d->seen_hashes) free(d->seen_hashes[r].items);
        if (d->seen) free(d->seen[r].items);
        if (!d->shown) continue;
        mpi_shown *shown = &d->shown[r];
        keeli_map_free(&shown->slots);
        free(shown->ids);
        free(shown->entities);
        free(shown->stamps);
        free(shown->has);
        free(shown->free_slots);
        free(shown->values);
    }
    free(d->shown);
    free(d->seen);
    free(d->heads);
    free(d->seen_hashes);
}
