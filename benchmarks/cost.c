// SPDX-License-Identifier: MIT
// keel_cost: what each operation costs in instructions, counted by callgrind. Run by tools/cost.
#define BENCH_SUFFIX world
#define BENCH_STORAGE KEEL_SPARSE_SET
#include "cost.h"

#include <valgrind/callgrind.h>

static const char *const follower_names[COST_FOLLOWERS] = { "plain", "grouped", "tracked",
                                                            "observed" };

static void fail(const cost_run *run, const char *name, keel_result result) {
    fprintf(stderr, "keel_cost: %s: %s %s\n", name, keel_result_text(result),
            keel_last_error(run->world)->message);
    exit(1);
}

static void make_entities(cost_run *run, const cost_case *c, const cost_table *table) {
    if (c->components == COST_FRESH) return;
    if (c->components == COST_RECYCLED) {
        bench_delete_ascending(run->world);
        return;
    }
    bench_expect(keel_clear_entities(run->world));
    table->populate(run->world, run->e, COST_COUNT, c->components);
}

static void measure_case(cost_run *run, const cost_case *c, const cost_table *table,
                         cost_follower follower) {
    const uint32_t operations = c->operations ? c->operations : COST_COUNT;
    char name[128];
    snprintf(name, sizeof name, "%s|%s|%s|%u", table->name, c->name, follower_names[follower],
             operations);
    if (c->components == COST_RECYCLED) table->populate(run->world, run->e, COST_COUNT, 2);
    for (int pass = 0; pass < 2; ++pass) {
        make_entities(run, c, table);
        if (c->before) bench_expect(c->before(run));
        if (pass) CALLGRIND_TOGGLE_COLLECT;
        const keel_result result = c->pass(run);
        if (pass) CALLGRIND_TOGGLE_COLLECT;
        if (result != KEEL_OK || keel_last_error(run->world)->result != KEEL_OK)
            fail(run, name, result);
    }
    CALLGRIND_DUMP_STATS_AT(name); // and all counters are zero again
}

void cost_measure(const cost_table *table) {
    static cost_run run;
    for (size_t k = 0; k < table->count; ++k) {
        const cost_case *c = &table->cases[k];
        if (c->storages && !(c->storages & 1u << table->storage)) continue;
        for (cost_follower follower = 0; follower < COST_FOLLOWERS; ++follower) {
            if (c->followers && !(c->followers & 1u << follower)) continue;
            run = (cost_run){ .world = bench_world_of(1), .other = bench_world_of(1) };
            table->follow(&run, follower);
            measure_case(&run, c, table, follower);
            keel_world_destroy(run.world);
            keel_world_destroy(run.other);
        }
    }
}

// ---- what does not depend on the storage of a component ----
typedef struct Clock {
    uint64_t ticks;
} Clock;
KEEL_UNIQUE(Clock);
typedef struct Hit {
    uint32_t who, damage;
} Hit;
KEEL_EVENT(Hit);
KEEL_RELATION(PartOf, .exclusive = true);
KEEL_RELATION(Likes);

COST_EACH(create_empty) { return cost_made(run, i, keel_add_entity(world)); }
COST_EACH(delete_one) { return keel_delete_entity(world, e); }
COST_EACH(is_alive) { return keel_is_alive(world, e) ? KEEL_OK : KEEL_ABSENT; }

static keel_result create_many(cost_run *run) {
    return keel_add_entities(run->world, COST_COUNT, run->e);
}
static keel_result delete_many(cost_run *run) {
    return keel_delete_entities(run->world, run->e, COST_COUNT);
}

// One root, and eight children for each of them in order.
enum { CHILDREN = 8 };
static inline keel_entity parent_of(const cost_run *run, uint32_t i) {
    return run->e[(i - 1) / CHILDREN];
}

static keel_result attach_all(cost_run *run) {
    int results = 0;
    for (uint32_t i = 1; i < COST_COUNT; ++i)
        results |= keel_attach(run->world, run->e[i], parent_of(run, i));
    return (keel_result)results;
}
static keel_result detach_all(cost_run *run) {
    int results = 0;
    for (uint32_t i = 1; i < COST_COUNT; ++i)
        results |= keel_detach(run->world, run->e[i]);
    return (keel_result)results;
}
static keel_result delete_tree(cost_run *run) { return keel_delete_tree(run->world, run->e[0]); }
static keel_result walk_parents(cost_run *run) {
    for (uint32_t i = 0; i < COST_COUNT; ++i)
        run->sum += keel_parent_of(run->world, run->e[i]).bits;
    return KEEL_OK;
}
static keel_result walk_children(cost_run *run) {
    for (uint32_t i = 0; i <= COST_COUNT / CHILDREN; ++i) {
        KEEL_EACH_CHILD(run->world, run->e[i], child) {
            run->sum += child.bits;
        }
    }
    return KEEL_OK;
}
static keel_result walk_descendants(cost_run *run) {
    KEEL_EACH_DESCENDANT(run->world, run->e[0], descendant) {
        run->sum += descendant.bits;
    }
    return KEEL_OK;
}

static keel_result relate_all(cost_run *run) {
    int results = 0;
    for (uint32_t i = 1; i < COST_COUNT; ++i)
        results |= keel_relate(run->world, run->e[i], PartOf, parent_of(run, i));
    return (keel_result)results;
}
static keel_result relate_many(cost_run *run) {
    int results = 0;
    for (uint32_t i = 0; i < COST_COUNT; ++i)
        results |= keel_relate(run->world, run->e[i], Likes, run->e[i * 7 % COST_COUNT]);
    return (keel_result)results;
}
static keel_result unrelate_all(cost_run *run) {
    int results = 0;
    for (uint32_t i = 1; i < COST_COUNT; ++i)
        results |= keel_unrelate_all(run->world, run->e[i], PartOf);
    return (keel_result)results;
}
static keel_result unrelate_sources(cost_run *run) {
    int results = 0;
    for (uint32_t i = 0; i <= (COST_COUNT - 2) / CHILDREN; ++i)
        results |= keel_unrelate_sources(run->world, PartOf, run->e[i]);
    return (keel_result)results;
}
static keel_result walk_sources(cost_run *run) {
    for (uint32_t i = 0; i <= COST_COUNT / CHILDREN; ++i) {
        KEEL_EACH_SOURCE(run->world, run->e[i], PartOf, source) { run->sum += source.bits; }
    }
    return KEEL_OK;
}
COST_EACH(target_of) {
    run->sum += keel_target_of(world, e, PartOf).bits;
    return KEEL_OK;
}

COST_EACH(set_unique) { return keel_set_unique(world, Clock, { i }); }
COST_EACH(get_unique) { return cost_seen(run, keel_get_unique(world, Clock)); }
static keel_result set_clock(cost_run *run) { return keel_set_unique(run->world, Clock, { 1 }); }
COST_EACH(send) { return keel_send(world, Hit, { i, 1 }); }
static keel_result receive(cost_run *run) {
    KEEL_EACH_EVENT(run->world, Hit, hit) {
        run->sum += hit->damage;
    }
    return KEEL_OK;
}

static const cost_case cases[] = {
    { "create_empty, fresh", create_empty, NULL, COST_FRESH, 0, COST_ONCE, 0 },
    { "create_empty, recycled", create_empty, NULL, COST_RECYCLED, 0, COST_ONCE, 0 },
    { "add_entities, empty, fresh", create_many, NULL, COST_FRESH, 0, COST_ONCE, 0 },
    { "add_entities, empty, recycled", create_many, NULL, COST_RECYCLED, 0, COST_ONCE, 0 },
    { "delete_entity, empty", delete_one, NULL, 0, 0, COST_ONCE, 0 },
    { "delete_entities, empty", delete_many, NULL, 0, 0, COST_ONCE, 0 },
    { "is_alive", is_alive, NULL, 0, 0, COST_ONCE, 0 },
    { "attach", attach_all, NULL, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "detach", detach_all, attach_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "delete_tree, empty", delete_tree, attach_all, 0, 0, COST_ONCE, 0 },
    { "parent_of", walk_parents, attach_all, 0, 0, COST_ONCE, 0 },
    { "children, each", walk_children, attach_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "descendants, each", walk_descendants, attach_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "relate", relate_all, NULL, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "relate, to many", relate_many, NULL, 0, 0, COST_ONCE, 0 },
    { "unrelate_all", unrelate_all, relate_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "unrelate_sources, each", unrelate_sources, relate_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "target_of", target_of, relate_all, 0, 0, COST_ONCE, 0 },
    { "sources, each", walk_sources, relate_all, 0, COST_COUNT - 1, COST_ONCE, 0 },
    { "set_unique", set_unique, NULL, 0, 0, COST_ONCE, 0 },
    { "get_unique", get_unique, set_clock, 0, 0, COST_ONCE, 0 },
    { "send", send, NULL, 0, 0, COST_ONCE, 0 },
    { "receive", receive, send, 0, 0, COST_ONCE, 0 },
};

static void follow_nothing(cost_run *run, cost_follower follower) {
    (void)follower;
    bench_expect(keel_register(run->world, Position, Velocity));
}

static const cost_table cost_table_world = { "world",        KEEL_SPARSE_SET,
                                             cases,          sizeof cases / sizeof cases[0],
                                             follow_nothing, bench_populate };

int main(void) {
    cost_measure(&cost_table_world);
    cost_measure(&cost_table_sparse);
    cost_measure(&cost_table_indexed);
    cost_measure(&cost_table_archetype);
    return 0;
}
