// SPDX-License-Identifier: MIT
// Looks for what is wrong: on each rank alone, and with what all ranks have together on rank 0,
// which also has the same storm in plain Keel.
#include "storm.h"

#include <stdarg.h>
#include <stdio.h>

void storm_problem(storm_rank *rank, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char text[STORM_PROBLEM];
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rank->plan->is_verbose) (void)fprintf(stderr, "%s\n", text);
    if (!rank->problem[0]) memcpy(rank->problem, text, sizeof text);
}

// ------------------------------------------------------------------ one rank
static bool check_may_have(const keel_component *c, bool is_bare) {
    static const char *const all[] = {
        "keel_global_id", "keel_ghost", "Friend", "Married", "Place", "Mood", "Red",
        "Knows",          "Aim",        "Sniper", "Zoom",    "Barrel"
    };
    for (size_t i = 0; i < (is_bare ? 4 : sizeof all / sizeof *all); ++i)
        if (strcmp(all[i], c->name) == 0) return true;
    return false;
}

// A ghost has what the domain shows, and no edges but bonds; a bare one has nothing.
static void check_ghost_parts(const keel_world *w, storm_rank *rank, keel_entity e) {
    const bool is_bare = keel_get(w, e, keel_ghost)->is_bare;
    for (const keel_component *c = NULL; (c = keel_next_component(w, c)) != NULL;)
        if ((keel_has_component(w, e, c) || keel_is_component_disabled(w, e, c)) &&
            !check_may_have(c, is_bare))
            storm_problem(rank, "the %sghost of %llx has '%s'", is_bare ? "bare " : "",
                          (unsigned long long)storm_id(w, e), c->name);
}

static int check_compare_numbers(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// What stays on its rank is not with an entity that came.
static void check_arrived(const keel_world *w, storm_rank *rank, keel_entity e, uint32_t step) {
    const uint64_t id = storm_id(w, e);
    const Life *life = keel_get(w, e, Life);
    if (!life || life->born == step) return;
    if (rank->were_count &&
        bsearch(&id, rank->were_owned, rank->were_count, sizeof id, check_compare_numbers))
        return;
    if (keel_has(w, e, Scratch) || (rank->plan->is_rich && keel_target_count(w, e, Whim)))
        storm_problem(rank, "entity %llx came with what is transient", (unsigned long long)id);
}

void storm_check_rank(keel_world *w, storm_rank *rank, uint32_t step) {
    if (!keel_world_check(w, NULL)) storm_problem(rank, "keel_world_check finds a mistake");
    const uint32_t room = keel_entity_count(w) + 1;
    uint64_t *ids = storm_room(NULL, room, sizeof *ids);
    uint32_t count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(w, e));) {
        if (storm_is_ghost(w, e)) {
            check_ghost_parts(w, rank, e);
            continue;
        }
        check_arrived(w, rank, e, step);
        ids[count++] = storm_id(w, e);
    }
    qsort(ids, count, sizeof *ids, check_compare_numbers);
    free(rank->were_owned);
    rank->were_owned = ids;
    rank->were_count = count;
}

// ------------------------------------------------------------------ ghosts that nothing refers to
typedef struct check_used {
    keel_world *w;
    uint64_t *ids; // of ghosts, room for all in each turn
    uint32_t count, room;
    const keel_component *relation;
} check_used;

static void check_use(check_used *u, keel_entity e) {
    if (keel_is_null(e) || !keel_is_alive(u->w, e) || !storm_is_ghost(u->w, e)) return;
    if (u->count == u->room) {
        u->room = 2 * u->room + 64;
        u->ids = storm_room(u->ids, u->room, sizeof *u->ids);
    }
    u->ids[u->count++] = storm_id(u->w, e);
}

static void check_use_diary(check_used *u, const Diary *diary) {
    for (uint32_t i = 0; i < diary->count; ++i)
        check_use(u, diary->entries[i].about);
}

static bool check_use_knows(const keel_value_run *run, void *data) {
    const Knows *knows = run->values;
    for (uint32_t i = 0; i < run->count; ++i, ++knows) {
        for (uint32_t k = 0; k < KNOWN; ++k)
            check_use(data, knows->who[k]);
        for (uint32_t k = 0; k < 2; ++k)
            check_use(data, knows->pairs[k].other);
    }
    return true;
}
static bool check_use_diaries(const keel_value_run *run, void *data) {
    for (uint32_t i = 0; i < run->count; ++i)
        check_use_diary(data, (const Diary *)run->values + i);
    return true;
}
static bool check_use_titles(const keel_value_run *run, void *data) {
    for (uint32_t i = 0; i < run->count; ++i)
        check_use(data, ((const Title *)run->values)[i].giver);
    return true;
}

static bool check_use_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    check_used *u = data;
    check_use(u, source);
    check_use(u, target);
    const char *name = u->relation->name;
    if (strcmp(name, "Owes") == 0) check_use(u, ((const Owes *)value)->witness);
    if (strcmp(name, "Letter") == 0) check_use(u, ((const Letter *)value)->giver);
    if (strcmp(name, "Log") == 0) check_use_diary(u, value);
    return true;
}

void storm_check_leaks(keel_world *w, storm_rank *rank) {
    check_used u = { .w = w };
    if (rank->plan->is_rich) {
        (void)keel_visit_values(w, KEEL_OF(Knows), check_use_knows, &u);
        (void)keel_visit_values(w, KEEL_OF(Diary), check_use_diaries, &u);
        (void)keel_visit_values(w, KEEL_OF(Title), check_use_titles, &u);
    }
    for (const keel_component *c = NULL; (c = keel_next_component(w, c)) != NULL;) {
        u.relation = c;
        if (c->is_relation) (void)keel_visit_edges(w, c, check_use_edge, &u);
    }
    if (u.count) qsort(u.ids, u.count, sizeof *u.ids, check_compare_numbers);
    KEEL_EACH(w, KEEL_READ(keel_global_id, id), KEEL_READ(keel_ghost, ghost))
        if (ghost->is_bare && (!u.count || !bsearch(&id->value, u.ids, u.count, sizeof *u.ids,
                                                    check_compare_numbers)))
            storm_problem(rank, "after a balance nothing refers to the bare ghost of %llx",
                          (unsigned long long)id->value);
    free(u.ids);
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
