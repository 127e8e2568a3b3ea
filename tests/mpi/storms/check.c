// SPDX-License-Identifier: MIT
// Looks for what is wrong: on each rank alone, and with what all ranks have together on rank 0,
// which also has the same storm in plain Keel.
#include "storm.h"

#include <stdarg.h>
#include <stdio.h>

void storm_problem(storm_rank *rank, const char *format, ...) {
    if (rank->problem[0]) return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(rank->problem, sizeof rank->problem, format, arguments);
    va_end(arguments);
}

// ------------------------------------------------------------------ one rank
void storm_check_rank(keel_world *w, storm_rank *rank, uint32_t step) {
    (void)step;
    if (!keel_world_check(w, NULL)) storm_problem(rank, "keel_world_check finds a mistake");
}

void storm_check_leaks(keel_world *w, storm_rank *rank) {
    (void)w;
    (void)rank;
}

// ------------------------------------------------------------------ what ranks tell
typedef struct check_bytes {
    unsigned char *items;
    size_t size, room;
} check_bytes;

static void check_append(check_bytes *b, const void *bytes, size_t size) {
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->items = storm_room(b->items, b->room, 1);
    }
    if (size) memcpy(b->items + b->size, bytes, size);
    b->size += size;
}

typedef struct check_head {
    uint32_t records, owned, ghosts, ids;
    char problem[STORM_PROBLEM];
} check_head;

static void check_write(keel_world *w, storm_rank *rank, check_bytes *out) {
    storm_census own = storm_census_of(w, rank->plan, rank);
    check_bytes ids = { NULL, 0, 0 };
    KEEL_EACH(w, KEEL_READ(keel_global_id, id), KEEL_WITH(keel_ghost))
        check_append(&ids, &id->value, sizeof id->value);
    check_head head = { own.count, rank->owned.count, rank->ghosts.count,
                        (uint32_t)(ids.size / sizeof(uint64_t)), "" };
    memcpy(head.problem, rank->problem, sizeof head.problem);
    check_append(out, &head, sizeof head);
    check_append(out, own.items, own.count * sizeof *own.items);
    check_append(out, rank->owned.items, rank->owned.count * sizeof *rank->owned.items);
    check_append(out, rank->ghosts.items, rank->ghosts.count * sizeof *rank->ghosts.items);
    check_append(out, ids.items, ids.size);
    free(own.items);
    free(ids.items);
}

// What all ranks have.
typedef struct check_all {
    storm_rank *rank; // rank 0, which keeps the problem
    check_bytes records, owned;
    check_bytes ghosts, ids; // with the rank before each
    uint32_t step;
} check_all;
typedef struct check_ghost {
    uint32_t rank;
    storm_sight sight;
} check_ghost;

static void check_read(check_all *all, uint32_t from, keel_rank_bytes in) {
    check_head head;
    const unsigned char *at = in.bytes;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    if (head.problem[0])
        storm_problem(all->rank, "step %u: rank %u: %.180s", (unsigned)all->step, (unsigned)from,
                      head.problem);
    check_append(&all->records, at, head.records * sizeof(storm_record));
    at += head.records * sizeof(storm_record);
    check_append(&all->owned, at, head.owned * sizeof(storm_sight));
    at += head.owned * sizeof(storm_sight);
    for (uint32_t i = 0; i < head.ghosts + head.ids; ++i) {
        const bool is_id = i >= head.ghosts;
        check_ghost ghost = { .rank = from };
        memcpy(&ghost.sight, at, is_id ? sizeof(uint64_t) : sizeof(storm_sight));
        at += is_id ? sizeof(uint64_t) : sizeof(storm_sight);
        check_append(is_id ? &all->ids : &all->ghosts, &ghost, sizeof ghost);
    }
}

// ------------------------------------------------------------------ comparing
// Records and sights begin with the id.
static int check_order(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void check_record(check_all *all, const storm_record *found, const storm_record *expected) {
    for (uint32_t i = 0; storm_aspect_name(i); ++i)
        if (found->aspects[i] != expected->aspects[i])
            storm_problem(all->rank, "step %u: entity %llx: another %s", (unsigned)all->step,
                          (unsigned long long)found->id, storm_aspect_name(i));
}

// Compares all entities with those of plain Keel.
static void check_records(check_all *all, const storm_census *plain) {
    const storm_record *found = (const storm_record *)(const void *)all->records.items;
    const size_t count = all->records.size / sizeof *found;
    if (count) qsort(all->records.items, count, sizeof *found, check_order);
    for (size_t i = 0; i + 1 < count; ++i)
        if (found[i].id == found[i + 1].id)
            storm_problem(all->rank, "step %u: two ranks own entity %llx", (unsigned)all->step,
                          (unsigned long long)found[i].id);
    for (size_t i = 0, k = 0; i < count || k < plain->count;) {
        const uint64_t a = i < count ? found[i].id : UINT64_MAX;
        const uint64_t b = k < plain->count ? plain->items[k].id : UINT64_MAX;
        if (a != b)
            storm_problem(all->rank, "step %u: entity %llx %s", (unsigned)all->step,
                          (unsigned long long)(a < b ? a : b),
                          a < b ? "should be dead" : "is lost");
        if (a == b) check_record(all, &found[i], &plain->items[k]);
        i += a <= b;
        k += b <= a;
    }
}

// Compares ghosts with their entities, at the begin of the step, and looks for those of the dead.
static void check_ghosts(check_all *all) {
    const check_ghost *ghosts = (const check_ghost *)(const void *)all->ghosts.items;
    const size_t count = all->owned.size / sizeof(storm_sight);
    if (count) qsort(all->owned.items, count, sizeof(storm_sight), check_order);
    for (size_t i = 0; i < all->ghosts.size / sizeof *ghosts; ++i) {
        const storm_sight *own =
            count ? bsearch(&ghosts[i].sight, all->owned.items, count, sizeof *own, check_order)
                  : NULL;
        if (!own || own->hash != ghosts[i].sight.hash)
            storm_problem(all->rank, "step %u: the ghost of %llx on rank %u is %s",
                          (unsigned)all->step, (unsigned long long)ghosts[i].sight.id,
                          (unsigned)ghosts[i].rank, own ? "not as it" : "of nobody");
    }
    const size_t records = all->records.size / sizeof(storm_record);
    const check_ghost *ids = (const check_ghost *)(const void *)all->ids.items;
    // without handles and relations nobody notices them before the next refresh
    for (size_t i = 0; i < all->ids.size / sizeof *ids && all->rank->plan->is_rich; ++i)
        if (!records ||
            !bsearch(&ids[i].sight, all->records.items, records, sizeof(storm_record), check_order))
            storm_problem(all->rank, "step %u: rank %u has a ghost of %llx, who is dead",
                          (unsigned)all->step, (unsigned)ids[i].rank,
                          (unsigned long long)ids[i].sight.id);
}

bool storm_compare(keel_ranks ranks, keel_world *w, storm_rank *rank, const storm_plain *plain,
                   uint32_t step) {
    keel_rank_bytes out[64] = { { NULL, 0 } }, in[64];
    check_bytes own = { NULL, 0, 0 };
    check_write(w, rank, &own);
    out[0] = (keel_rank_bytes){ own.items, own.size };
    bool is_well = ranks.exchange(ranks.self, out, in);
    if (!is_well) storm_problem(rank, "another rank has stopped");
    if (is_well && ranks.rank == 0) {
        check_all all = { .rank = rank, .step = step };
        rank->problem[0] = 0; // what rank 0 told itself comes in its turn
        for (uint32_t r = 0; r < ranks.count; ++r)
            check_read(&all, r, in[r]);
        check_records(&all, &plain->censuses[step]);
        check_ghosts(&all);
        free(all.records.items);
        free(all.owned.items);
        free(all.ghosts.items);
        free(all.ids.items);
    }
    free(own.items);
    const unsigned char verdict = rank->problem[0] != 0;
    for (uint32_t r = 0; r < ranks.count; ++r)
        out[r] = ranks.rank == 0 ? (keel_rank_bytes){ &verdict, 1 } : (keel_rank_bytes){ NULL, 0 };
    is_well = is_well && ranks.exchange(ranks.self, out, in);
    return is_well && in[0].size == 1 && *(const unsigned char *)in[0].bytes == 0;
}
