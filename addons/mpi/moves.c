// SPDX-License-Identifier: MIT
// Lists the entities that other ranks see or own, and moves entities to the ranks that own their
// places.
#include "domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ who is near the edge
enum { BLOCK = 1024 }; // entities whose places are compared at once

// Writes which of some places of a type are outside of a box, and counts them.
#define FIND_OUTSIDE(T)                                                                            \
    for (uint32_t i = 0; i < count; ++i, values += size) {                                         \
        bool is_inside = true;                                                                     \
        for (uint32_t axis = 0; axis < d->desc.dimensions; ++axis) {                               \
            const double at = (double)*(const T *)(const void *)(values + offsets[axis]);          \
            is_inside &= at >= box->low[axis] && at < box->high[axis];                             \
        }                                                                                          \
        rows[found] = i;                                                                           \
        found += !is_inside;                                                                       \
    }                                                                                              \
    return found

static uint32_t find_outside(const keel_domain *d, const mpi_box *box, const char *values,
                             uint32_t count, uint32_t rows[BLOCK]) {
    const keel_component *c = d->desc.position;
    const size_t size = c->size;
    uint32_t found = 0, offsets[MPI_AXES] = { 0 };
    for (uint32_t axis = 0; axis < d->desc.dimensions; ++axis)
        offsets[axis] = c->fields[axis].offset;
    switch (c->fields[0].type) {
    case KEEL_FIELD_F32:
        FIND_OUTSIDE(float);
    case KEEL_FIELD_F64:
        FIND_OUTSIDE(double);
    case KEEL_FIELD_I32:
        FIND_OUTSIDE(int32_t);
    case KEEL_FIELD_U32:
        FIND_OUTSIDE(uint32_t);
    case KEEL_FIELD_I64:
        FIND_OUTSIDE(int64_t);
    default:
        FIND_OUTSIDE(uint64_t);
    }
}

// ------------------------------------------------------------------ lists
typedef struct edge_walk {
    const mpi_box *box;
    // Adds an entity outside of the box to the lists of ranks. False when out of memory
    bool (*list)(keel_domain *, keel_entity, const double *);
} edge_walk;

static bool list_span(keel_domain *d, const keel_span *span, void *data) {
    const edge_walk *w = data;
    const keel_component *position = d->desc.position;
    const char *values = keel_span_read_component(span, position);
    uint32_t rows[BLOCK];
    d->owned += span->count;
    for (uint32_t begin = 0; begin < span->count; begin += BLOCK) {
        const uint32_t count = span->count - begin < BLOCK ? span->count - begin : BLOCK;
        const uint32_t found =
            find_outside(d, w->box, values + (size_t)begin * position->size, count, rows);
        for (uint32_t i = 0; i < found; ++i) {
            const uint32_t row = begin + rows[i];
            double at[MPI_AXES];
            keeli_position_read(d, values + (size_t)row * position->size, at);
            if (!w->list(d, span->entities[row], at)) return false;
        }
    }
    return true;
}

// Lists the entities of this rank that are outside of a box.
static keel_result list_outside(keel_domain *d, const mpi_box *box,
                                bool (*list)(keel_domain *, keel_entity, const double *)) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = d->desc.position },
                                { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    edge_walk w = { box, list };
    d->owned = 0;
    return keeli_each_span(d, terms, "keel::mpi: owned entities", list_span, &w);
}

// Finds the ranks that see an entity, besides its own, and adds it to their lists.
static bool list_where_seen(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    mpi_box reach;
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        reach.low[axis] = at[axis] - d->desc.halo;
        reach.high[axis] = at[axis] + d->desc.halo;
    }
    const uint32_t count = keeli_regions_meet(d->cuts, d->desc.ranks.count, &reach, d->near);
    for (uint32_t i = 0; i < count; ++i)
        if (d->near[i] != d->desc.ranks.rank && !keeli_list_add(&d->lists[d->near[i]], e))
            return false;
    return true;
}

// Returns more than any rounding of a place and the halo.
static double margin(double edge, double halo) {
    return isinf(edge) ? 0 : (fabs(edge) + halo) * 0x1p-50;
}

keel_result keeli_list_seen(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        d->lists[r].count = 0;
    mpi_box inner = d->region; // no other rank sees entities in it
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        inner.low[axis] += d->desc.halo + margin(inner.low[axis], d->desc.halo);
        inner.high[axis] -= d->desc.halo + margin(inner.high[axis], d->desc.halo);
    }
    return list_outside(d, &inner, list_where_seen);
}

// ------------------------------------------------------------------ moves
enum { MOST_ROUNDS = 1000 }; // of one move: as long a chain of followers over ranks is a circle

static bool list_where_owned(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    if (!keel_is_null(keeli_together_leader(d, e))) return true; // its root lists it
    const uint32_t owner = keeli_region_of(d->cuts, d->desc.ranks.count, at);
    return owner == d->desc.ranks.rank || keeli_together_list(d, e, &d->lists[owner]);
}

// Returns the rank that owns the entity of a ghost, if this one knows it. A bare ghost knows it
// only in the step in which its entity left.
static uint32_t owner_of(const keel_domain *d, const keel_ghost *ghost) {
    return ghost->is_bare && ghost->stamp != d->stamp ? MPI_NO_RANK : ghost->owner;
}

static bool has_followers(const keel_domain *d, keel_entity e) {
    bool has = keel_source_count_component((keel_scope *)d->world, e, d->child) > 0;
    for (uint32_t i = 0; i < d->together_count && !has; ++i)
        has = keel_source_count_component((keel_scope *)d->world, e, d->together[i]) > 0;
    return has;
}

// Adds what follows a ghost to a list.
static bool list_followers_of(keel_domain *d, keel_entity ghost, mpi_list *list) {
    const uint32_t at = list->count;
    if (!keeli_together_list(d, ghost, list)) return false;
    --list->count; // the ghost stays
    memmove(list->items + at, list->items + at + 1, (list->count - at) * sizeof *list->items);
    return true;
}

// Lists what follows ghosts for the ranks that own them. Ghosts whose owners are not known go to a
// list of their own.
static bool list_span_of_ghosts(keel_domain *d, const keel_span *span, void *unused) {
    (void)unused;
    const keel_ghost *ghosts = keel_span_read_component(span, KEEL_OF(keel_ghost));
    for (uint32_t i = 0; i < span->count; ++i) {
        const keel_entity e = span->entities[i];
        if (!has_followers(d, e)) continue;
        const uint32_t owner = owner_of(d, &ghosts[i]);
        mpi_list *const unknown = &d->lists[d->desc.ranks.count];
        const bool has_room = owner == MPI_NO_RANK ? keeli_list_add(unknown, e)
                                                   : list_followers_of(d, e, &d->lists[owner]);
        if (!has_room) return false;
    }
    return true;
}

static keel_result list_followers(keel_domain *d) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    d->lists[d->desc.ranks.count].count = 0;
    if (!d->together_count && !keel_component_count(d->world, d->child)) return KEEL_OK;
    return keeli_each_span(d, terms, "keel::mpi: followers of ghosts", list_span_of_ghosts, NULL);
}

// Deletes entities that were packed, or makes ghosts of them.
static keel_result leave(keel_domain *d, const mpi_list *list, uint32_t owner) {
    d->status.sent += list->count;
    if (d->has_handles) return keeli_handles_leave(d, list, owner);
    return list->count && keel_delete_entities(d->world, list->items, list->count) < 0
               ? keeli_domain_fail_world(d)
               : KEEL_OK;
}

// Packs what follows a ghost whose owner is not known, for all ranks, this one, too: who owns it
// after this exchange keeps it, and it may come here.
static keel_result send_to_unknown(keel_domain *d, keel_entity ghost) {
    const keel_global_id *id = keel_get_component(d->world, ghost, KEEL_OF(keel_global_id));
    const uint64_t leader = id->value;
    mpi_list *list = &d->lists[d->desc.ranks.count + 1];
    list->count = 0;
    d->note.size = 0;
    if (!list_followers_of(d, ghost, list))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "listing followers: out of memory");
    KEEL_TRY(keeli_columns_pack(d, list, &d->note));
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        const uint64_t head[2] = { leader, d->note.size };
        if (!keeli_bytes_copy(&d->out[r], head, sizeof head) ||
            !keeli_bytes_copy(&d->out[r], d->note.items, d->note.size))
            return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing entities: out of memory");
    }
    ++d->unclaimed;
    KEEL_TRY(leave(d, list, MPI_NO_RANK));
    // it was here for them; in a world with handles, other values may refer to it
    if (!d->has_handles && keel_delete_entity(d->world, ghost) < 0)
        return keeli_domain_fail_world(d);
    return KEEL_OK;
}

// Packs the lists of entities for their owners, and deletes the entities here.
static keel_result send_lists(keel_domain *d) {
    const uint32_t ranks = d->desc.ranks.count;
    for (uint32_t r = 0; r < ranks; ++r) {
        mpi_bytes *out = &d->out[r];
        if (!keeli_bytes_add(out, sizeof(uint64_t)))
            return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing entities: out of memory");
        KEEL_TRY(keeli_columns_pack(d, &d->lists[r], out));
        const uint64_t size = out->size - sizeof size;
        memcpy(out->items, &size, sizeof size);
        d->status.bytes_moved += size;
    }
    for (uint32_t r = 0; r < ranks; ++r)
        KEEL_TRY(leave(d, &d->lists[r], r));
    return KEEL_OK;
}

// Packs the entities that move, and deletes them here.
static keel_result send_away(keel_domain *d, bool is_first) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        d->lists[r].count = 0;
    d->enabled.size = 0;
    if (is_first) KEEL_TRY(list_outside(d, &d->region, list_where_owned));
    KEEL_TRY(keeli_deaths_note(d));
    KEEL_TRY(list_followers(d));
    KEEL_TRY(send_lists(d));
    const mpi_list *unknown = &d->lists[d->desc.ranks.count];
    for (uint32_t i = 0; i < unknown->count; ++i)
        KEEL_TRY(send_to_unknown(d, unknown->items[i]));
    // entities that left did not die
    keel_reader_advance(d->known_deleted);
    keel_reader_advance(d->ghosts_deleted);
    return keeli_ids_update(d);
}

// Receives the entities of this rank from a message, and leaves the reader behind them.
static keel_result receive_owned(keel_domain *d, uint32_t from) {
    mpi_reader *r = &d->readers[from];
    *r = keeli_reader(d->receive[from]);
    if (r->at == r->end) return KEEL_OK;
    const uint64_t *size = keeli_bytes_read(r, sizeof *size);
    const void *bytes = size ? keeli_bytes_read(r, (size_t)*size) : NULL;
    if (!bytes)
        return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what rank %u sent is damaged",
                                 (unsigned)from);
    return keeli_columns_unpack(d, (keel_rank_bytes){ bytes, (size_t)*size }, from);
}

// The bytes of entities that follow one of any rank.
typedef struct told_followers {
    uint64_t leader;
    keel_rank_bytes bytes;
    uint32_t from;
} told_followers;

// Reads the rest of what a rank sent.
static keel_result read_followers(keel_domain *d, uint32_t from, mpi_bytes *all) {
    mpi_reader *r = &d->readers[from];
    while (r->at < r->end) {
        const uint64_t *head = keeli_bytes_read(r, 2 * sizeof *head);
        const void *bytes = head ? keeli_bytes_read(r, (size_t)head[1]) : NULL;
        if (!bytes)
            return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what rank %u sent is damaged",
                                     (unsigned)from);
        told_followers *one = keeli_bytes_push(all, sizeof *one);
        if (!one) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
        *one = (told_followers){ head[0], { bytes, (size_t)head[1] }, from };
    }
    return KEEL_OK;
}

// Keeps what follows entities of this rank, and what follows those.
static keel_result keep_followers(keel_domain *d, const mpi_bytes *all) {
    told_followers *told = (told_followers *)(void *)all->items;
    const size_t count = all->size / sizeof *told;
    for (bool has_kept = true; has_kept;) {
        has_kept = false;
        for (size_t i = 0; i < count; ++i) {
            const keel_entity leader = keeli_ids_find(&d->ids, told[i].leader);
            if (!told[i].bytes.bytes || !keel_is_alive(d->world, leader) ||
                keel_has_component(d->world, leader, KEEL_OF(keel_ghost)))
                continue;
            KEEL_TRY(keeli_columns_unpack(d, told[i].bytes, told[i].from));
            told[i].bytes.bytes = NULL;
            --d->unclaimed;
            has_kept = true;
        }
    }
    return KEEL_OK;
}

static keel_result receive_followers(keel_domain *d) {
    mpi_bytes all = { .items = NULL };
    keel_result result = KEEL_OK;
    for (uint32_t r = 0; r < d->desc.ranks.count && result == KEEL_OK; ++r)
        result = read_followers(d, r, &all);
    if (result == KEEL_OK) result = keep_followers(d, &all);
    free(all.items);
    return result;
}

// Finds out if entities have come that follow ghosts: their leaders have moved on.
static bool find_followed(keel_domain *d, const keel_span *span, void *unused) {
    (void)unused;
    for (uint32_t i = 0; i < span->count && !d->must_move_again; ++i)
        d->must_move_again = has_followers(d, span->entities[i]);
    return true;
}

static keel_result find_followers_of_ghosts(keel_domain *d) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    if (!d->together_count && !keel_component_count(d->world, d->child)) return KEEL_OK;
    return keeli_each_span(d, terms, "keel::mpi: followed ghosts", find_followed, NULL);
}

static keel_result move_once(keel_domain *d, keel_result so_far, bool is_first) {
    const uint32_t ranks = d->desc.ranks.count;
    keel_result result = so_far == KEEL_OK ? send_away(d, is_first) : so_far;
    if (so_far == KEEL_OK && result < 0) keeli_required_undo(d);
    for (uint32_t r = 0; r < ranks && result < 0; ++r)
        d->out[r].size = 0;
    d->must_move_again = false;
    if (result < 0) d->unclaimed = 0;
    KEEL_TRY(keeli_domain_exchange(d)); // also after an error: the others wait for it
    for (uint32_t r = 0; r < ranks && result == KEEL_OK; ++r)
        result = receive_owned(d, r);
    if (result == KEEL_OK) result = receive_followers(d);
    return result == KEEL_OK ? find_followers_of_ghosts(d) : result;
}

// Returns an error if followers have no end of their chain: it is the same on all ranks.
static keel_result refuse_circles(keel_domain *d, uint32_t rounds) {
    const bool is_lost = d->unclaimed != 0;
    d->unclaimed = 0;
    return is_lost || rounds == MOST_ROUNDS
               ? keeli_domain_fail(d, KEEL_ERROR_CYCLE,
                                   "entities of several ranks follow each other in a circle")
               : KEEL_OK;
}

keel_result keeli_move(keel_domain *d, keel_result so_far) {
    keel_result result = move_once(d, so_far, true);
    for (uint32_t rounds = 0;; ++rounds) {
        result = keeli_domain_agree(d, result, 0);
        result = result < 0 ? result : refuse_circles(d, rounds);
        if (result < 0) d->unclaimed = 0;
        if (result < 0 || !d->must_move_again) return result;
        result = move_once(d, result, false);
    }
}
