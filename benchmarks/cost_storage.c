// SPDX-License-Identifier: MIT
// The cases of keel_cost that depend on how components are stored. Compiled once per storage.
#include "cost.h"

#define COST_TABLE BENCH_NAME_OF(cost_table_, BENCH_SUFFIX)
#define BENCH_NAME_OF(a, b) BENCH_NAME_OF_1(a, b)
#define BENCH_NAME_OF_1(a, b) a##b
#define COST_TEXT(suffix) COST_TEXT_1(suffix)
#define COST_TEXT_1(suffix) #suffix

static void note(const keel_change *event, void *data) {
    (void)event;
    ++*(uint64_t *)data;
}

static void follow(cost_run *run, cost_follower follower) {
    keel_world *world = run->world;
    bench_expect(keel_register(world, Position, Velocity, Acceleration));
    bench_expect(keel_register(run->other, Position, Velocity, Acceleration));
    const uint32_t all = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    if (follower == COST_GROUPED) {
        run->group = BENCH_STORAGE == KEEL_SPARSE_SET
                         ? keel_group_create(world, KEEL_OWNED(Position, Velocity))
                         : keel_group_create(world, KEEL_GET(Position, Velocity));
        bench_expect(run->group ? KEEL_OK : keel_last_error(world)->result);
    } else if (follower == COST_TRACKED) {
        bench_expect(keel_track(world, Position, KEEL_TRACK_ALL));
        bench_expect(keel_track(world, Velocity, KEEL_TRACK_ALL));
    } else if (follower == COST_OBSERVED) {
        bench_expect(keel_observe(world, Position, all, note, &run->sum));
        bench_expect(keel_observe(world, Velocity, all, note, &run->sum));
    }
}

// ---- creating ----
COST_EACH(create_1) {
    const Position p = bench_position(i);
    return cost_made(run, i, keel_add_entity(world, KEEL_INIT(Position, p)));
}
COST_EACH(create_2) {
    const Position p = bench_position(i);
    const Velocity v = bench_velocity(i);
    return cost_made(run, i,
                     keel_add_entity(world, KEEL_INIT(Position, p), KEEL_INIT(Velocity, v)));
}
COST_EACH(create_1_pointer) {
    const Position p = bench_position(i);
    const keel_value values[] = { { KEEL_OF(Position), &p }, { 0 } };
    return cost_made(run, i, keel_add_entity_values(world, values));
}
COST_EACH(create_2_pointer) {
    const Position p = bench_position(i);
    const Velocity v = bench_velocity(i);
    const keel_value values[] = { { KEEL_OF(Position), &p }, { KEEL_OF(Velocity), &v }, { 0 } };
    return cost_made(run, i, keel_add_entity_values(world, values));
}
static keel_result create_many(cost_run *run) {
    static Position p[COST_COUNT];
    static Velocity v[COST_COUNT];
    return keel_add_entities(run->world, COST_COUNT, run->e, KEEL_COLUMN(Position, p),
                             KEEL_COLUMN(Velocity, v));
}
COST_EACH(clone_one) {
    const keel_entity copy = keel_clone_entity(world, e);
    return keel_is_null(copy) ? KEEL_ERROR_MEMORY : KEEL_OK;
}
static keel_result clone_many(cost_run *run) {
    return keel_clone_entities(run->world, run->e[0], COST_COUNT, NULL);
}

// A template of two components, and how it is spawned.
static keel_prefab prefab;
static keel_result make_template(cost_run *run) {
    const Position p = bench_position(1);
    const Velocity v = bench_velocity(1);
    prefab.root =
        keel_add_entity(keel_templates(run->world), KEEL_INIT(Position, p), KEEL_INIT(Velocity, v));
    return keel_is_null(prefab.root) ? KEEL_ERROR_MEMORY : KEEL_OK;
}
COST_EACH(spawn_one) { return cost_made(run, i, keel_spawn(world, prefab)); }
static keel_result spawn_many(cost_run *run) {
    return keel_spawn_many(run->world, prefab, COST_COUNT, run->e);
}
COST_EACH(create_child) {
    const Position p = bench_position(i);
    const Velocity v = bench_velocity(i);
    const keel_entity child =
        keel_add_child(world, e, KEEL_INIT(Position, p), KEEL_INIT(Velocity, v));
    return keel_is_null(child) ? KEEL_ERROR_MEMORY : KEEL_OK;
}

// ---- adding ----
COST_EACH(add_1) { return keel_add(world, e, Velocity, { 1, (float)i }); }
COST_EACH(add_1_pointer) {
    const Velocity v = bench_velocity(i);
    return keel_add_component(world, e, KEEL_OF(Velocity), &v);
}
COST_EACH(add_2) {
    return keel_add_values(world, e, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 3, 4 }));
}
COST_EACH(get_or_add) { return cost_seen(run, keel_get_or_add(world, e, Velocity, { 1, 2 })); }
static keel_result add_to_many(cost_run *run) {
    static Velocity v[COST_COUNT];
    return keel_add_column_many(run->world, run->e, COST_COUNT, Velocity, v);
}
static keel_result add_to_matching(cost_run *run) {
    return keel_add_matching(run->world, KEEL_TERMS(KEEL_WITH(Position)), Velocity, { 1, 2 });
}

// ---- taking away ----
COST_EACH(remove_1) { return keel_remove(world, e, Velocity); }
COST_EACH(remove_absent) {
    return keel_remove(world, e, Velocity) == KEEL_ABSENT ? KEEL_OK : KEEL_ABSENT;
}
COST_EACH(remove_2) {
    Position p;
    Velocity v;
    return keel_remove_values(world, e, KEEL_OUT(Position, &p), KEEL_OUT(Velocity, &v));
}
COST_EACH(delete_1) { return keel_delete_component(world, e, KEEL_OF(Velocity)); }
COST_EACH(delete_2) { return keel_delete(world, e, Position, Velocity); }
COST_EACH(strip) { return keel_strip(world, e); }
static keel_result delete_from_many(cost_run *run) {
    return keel_delete_many(run->world, run->e, COST_COUNT, Velocity);
}
static keel_result delete_from_matching(cost_run *run) {
    return keel_delete_matching(run->world, KEEL_TERMS(KEEL_WITH(Position)), Velocity);
}
static keel_result clear(cost_run *run) { return keel_clear(run->world, Velocity); }
static bool keep_none(keel_entity e, void *value, void *data) {
    (void)e, (void)value, (void)data;
    return false;
}
static keel_result retain_none(cost_run *run) {
    return keel_retain(run->world, Velocity, keep_none, NULL);
}
COST_EACH(delete_entity) { return keel_delete_entity(world, e); }
static keel_result delete_entities(cost_run *run) {
    return keel_delete_entities(run->world, run->e, COST_COUNT);
}
static keel_result delete_any(cost_run *run) {
    return keel_delete_entities_having(run->world, Velocity);
}
static keel_result clear_entities(cost_run *run) { return keel_clear_entities(run->world); }

// ---- links, other worlds, order ----
static keel_result attach_all(cost_run *run) {
    int results = 0;
    for (uint32_t i = 1; i < COST_COUNT; ++i)
        results |= keel_attach(run->world, run->e[i], run->e[(i - 1) / 8]);
    return (keel_result)results;
}
static keel_result delete_tree(cost_run *run) { return keel_delete_tree(run->world, run->e[0]); }

COST_EACH(move) {
    const keel_entity moved = keel_move_entity(world, e, run->other);
    return keel_is_null(moved) ? KEEL_ERROR_MEMORY : KEEL_OK;
}
static keel_result empty_other(cost_run *run) { return keel_clear_entities(run->other); }

static int by_x(const void *a, const void *b, void *data) {
    (void)data;
    const float x = ((const Position *)a)->x, y = ((const Position *)b)->x;
    return (x > y) - (x < y);
}
static keel_result sort(cost_run *run) {
    return run->group ? keel_sort_with(run->world, .group = run->group, .by = KEEL_OF(Position),
                                       .compare = by_x, .data = NULL)
                      : keel_sort(run->world, Position, by_x, NULL);
}
COST_EACH(disorder) { return keel_add(world, e, Position, { (float)(i * 7919 % COST_COUNT), 0 }); }

COST_EACH(disable) { return keel_disable(world, e, Velocity); }
COST_EACH(enable) { return keel_enable(world, e, Velocity); }

// ---- commands: recorded and applied ----
COST_EACH(record_create) {
    keel_commands *later = keel_world_commands(world);
    return cost_made(
        run, i,
        keel_add_entity(later, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 3, 4 })));
}
COST_EACH(record_add) { return keel_add(keel_world_commands(world), e, Velocity, { 1, 2 }); }
COST_EACH(record_remove) { return keel_remove(keel_world_commands(world), e, Velocity); }
COST_EACH(record_delete) { return keel_delete_entity(keel_world_commands(world), e); }
static keel_result apply_after(cost_run *run, cost_pass *record) {
    const keel_result result = record(run);
    return result == KEEL_OK ? keel_apply_commands(run->world) : result;
}
static keel_result command_create(cost_run *run) { return apply_after(run, record_create); }
static keel_result command_add(cost_run *run) { return apply_after(run, record_add); }
static keel_result command_remove(cost_run *run) { return apply_after(run, record_remove); }
static keel_result command_delete(cost_run *run) { return apply_after(run, record_delete); }

// ---- looking up ----
COST_EACH(get) { return cost_seen(run, keel_get(world, e, Position)); }
COST_EACH(get_absent) { return keel_get(world, e, Velocity) ? KEEL_ABSENT : KEEL_OK; }
COST_EACH(get_mut) { return cost_seen(run, keel_get_mut(world, e, Position)); }
COST_EACH(has) { return keel_has(world, e, Position) ? KEEL_OK : KEEL_ABSENT; }
static keel_result look_up(cost_run *run) {
    const keel_lookup positions = keel_lookup_of(run->world, Position);
    for (uint32_t i = 0; i < COST_COUNT; ++i)
        if (cost_seen(run, keel_lookup_get(&positions, run->e[i], Position))) return KEEL_ABSENT;
    return KEEL_OK;
}
COST_EACH(mark) { return keel_mark(world, e, Position); }

// ---- running ----
enum { LARGE = 4096 }; // entities that a system visits
static uint64_t visited;

BENCH_SYSTEM(cost_nothing, KEEL_WRITE(Acceleration, a)) { a->x += 1; }
BENCH_SYSTEM(cost_one, KEEL_WRITE(Position, p)) { p->x += 1; }
BENCH_SYSTEM(cost_two, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) { p->x += v->x; }
BENCH_SYSTEM(cost_changed, KEEL_READ(Position, p), KEEL_MODIFIED(Position)) {
    visited += (uint64_t)p->y;
}
BENCH_TABLE(cost_empty_steps, BENCH_STEP(cost_nothing), BENCH_STEP(cost_nothing),
            BENCH_STEP(cost_nothing), BENCH_STEP(cost_nothing));
BENCH_TABLE(cost_steps, BENCH_STEP(cost_one), BENCH_STEP(cost_two), BENCH_STEP(cost_one),
            BENCH_STEP(cost_two));
enum { STEPS = 4, RUNS = 8 };

static keel_result run_nothing(cost_run *run) { return BENCH_RUN(run->world, cost_nothing); }
static keel_result run_one(cost_run *run) { return BENCH_RUN(run->world, cost_one); }
static keel_result run_two(cost_run *run) { return BENCH_RUN(run->world, cost_two); }
static keel_result run_changed(cost_run *run) { return BENCH_RUN(run->world, cost_changed); }
static keel_result run_empty_steps(cost_run *run) {
    return BENCH_RUN_WORKLOAD(run->world, cost_empty_steps);
}
static keel_result run_steps(cost_run *run) { return BENCH_RUN_WORKLOAD(run->world, cost_steps); }
static keel_result many_times(cost_run *run, cost_pass *once) {
    int results = 0;
    for (int k = 0; k < RUNS; ++k)
        results |= once(run);
    return (keel_result)results;
}
static keel_result run_nothing_often(cost_run *run) { return many_times(run, run_nothing); }
static keel_result run_one_often(cost_run *run) { return many_times(run, run_one); }
static keel_result run_two_often(cost_run *run) { return many_times(run, run_two); }
static keel_result run_changed_often(cost_run *run) { return many_times(run, run_changed); }
static keel_result run_empty_steps_often(cost_run *run) { return many_times(run, run_empty_steps); }
static keel_result run_steps_often(cost_run *run) { return many_times(run, run_steps); }
static keel_result loop_each(cost_run *run) {
    KEEL_EACH(run->world, KEEL_READ(Position, p), KEEL_READ(Velocity, v)) {
        run->sum += (uint64_t)(p->y + v->y);
    }
    return KEEL_OK;
}
// To LARGE entities.
static keel_result enlarge(cost_run *run) {
    static Position p[LARGE];
    static Velocity v[LARGE];
    const uint32_t count = LARGE - keel_entity_count(run->world);
    return keel_add_entities(run->world, count, NULL, KEEL_COLUMN(Position, p),
                             KEEL_COLUMN(Velocity, v));
}
// All seen up to now, and then every second one modified.
static keel_result modify_half(cost_run *run) {
    keel_result result = run_changed(run);
    for (uint32_t i = 0; i < COST_COUNT && result == KEEL_OK; i += 2)
        result = keel_mark(run->world, run->e[i], Position);
    return result;
}

static const cost_case cases[] = {
    { "add_entity, 1, typed", create_1, NULL, COST_FRESH, 0, 0, 0 },
    { "add_entity, 1, pointer", create_1_pointer, NULL, COST_FRESH, 0, 0, 0 },
    { "add_entity, 2, typed", create_2, NULL, COST_FRESH, 0, 0, 0 },
    { "add_entity, 2, pointer", create_2_pointer, NULL, COST_FRESH, 0, 0, 0 },
    { "add_entity, 2, recycled", create_2, NULL, COST_RECYCLED, 0, 0, 0 },
    { "add_entities, 2, fresh", create_many, NULL, COST_FRESH, 0, 0, 0 },
    { "add_entities, 2, recycled", create_many, NULL, COST_RECYCLED, 0, 0, 0 },
    { "add_child, 2", create_child, NULL, 0, 0, 0, 0 },
    { "clone_entity", clone_one, NULL, 2, 0, 0, 0 },
    { "clone_entities", clone_many, NULL, 2, 0, 0, 0 },
    { "spawn, 2", spawn_one, make_template, COST_FRESH, 0, 0, 0 },
    { "spawn_many, 2", spawn_many, make_template, COST_FRESH, 0, 0, 0 },
    { "add", add_1, NULL, 1, 0, 0, 0 },
    { "add, pointer", add_1_pointer, NULL, 1, 0, 0, 0 },
    { "add, overwrites", add_1, NULL, 2, 0, 0, 0 },
    { "add_values, 2", add_2, NULL, 0, 0, 0, 0 },
    { "get_or_add", get_or_add, NULL, 1, 0, 0, 0 },
    { "get_or_add, present", get_or_add, NULL, 2, 0, 0, 0 },
    { "add_to_many", add_to_many, NULL, 1, 0, 0, 0 },
    { "add_to_matching", add_to_matching, NULL, 1, 0, 0, 0 },
    { "remove", remove_1, NULL, 2, 0, 0, 0 },
    { "remove, absent", remove_absent, NULL, 1, 0, 0, 0 },
    { "remove_values, 2", remove_2, NULL, 2, 0, 0, 0 },
    { "delete", delete_1, NULL, 2, 0, 0, 0 },
    { "delete, 2", delete_2, NULL, 2, 0, 0, 0 },
    { "strip", strip, NULL, 2, 0, 0, 0 },
    { "delete_from_many", delete_from_many, NULL, 2, 0, 0, 0 },
    { "delete_from_matching", delete_from_matching, NULL, 2, 0, 0, 0 },
    { "clear", clear, NULL, 2, 0, 0, 0 },
    { "retain", retain_none, NULL, 2, 0, 0, 0 },
    { "delete_entity", delete_entity, NULL, 2, 0, 0, 0 },
    { "delete_entities", delete_entities, NULL, 2, 0, 0, 0 },
    { "delete_any", delete_any, NULL, 2, 0, 0, 0 },
    { "clear_entities", clear_entities, NULL, 2, 0, 0, 0 },
    { "delete_tree", delete_tree, attach_all, 2, 0, 0, 0 },
    { "move_entity", move, empty_other, 2, 0, 0, 0 },
    { "command: add_entity, 2", command_create, NULL, COST_FRESH, 0, 0, 0 },
    { "command: add", command_add, NULL, 1, 0, 0, 0 },
    { "command: remove", command_remove, NULL, 2, 0, 0, 0 },
    { "command: delete_entity", command_delete, NULL, 2, 0, 0, 0 },
    { "sort", sort, disorder, 2, 0, 0, 1 << KEEL_SPARSE_SET },
    { "disable", disable, NULL, 2, 0, 0, 0 },
    { "enable", enable, disable, 2, 0, 0, 0 },
    { "get", get, NULL, 1, 0, COST_ONCE, 0 },
    { "get, absent", get_absent, NULL, 1, 0, COST_ONCE, 0 },
    { "get_mut", get_mut, NULL, 1, 0, 0, 0 },
    { "has", has, NULL, 1, 0, COST_ONCE, 0 },
    { "column_get", look_up, NULL, 1, 0, COST_ONCE, 0 },
    { "mark", mark, NULL, 1, 0, 0, 0 },
    { "run: nothing matches", run_nothing_often, NULL, 2, RUNS, COST_ONCE, 0 },
    { "run: 1 of 4,096", run_one_often, enlarge, 2, RUNS, 0, 0 },
    { "run: 2 of 4,096", run_two_often, enlarge, 2, RUNS, 0, 0 },
    { "run: modified, none", run_changed_often, run_changed, 1, RUNS, COST_TICKS, 0 },
    { "run: modified, each of 512", run_changed, modify_half, 1, COST_COUNT / 2, COST_TICKS, 0 },
    { "workload: a step, nothing matches", run_empty_steps_often, NULL, 2, RUNS *STEPS, COST_ONCE,
      0 },
    { "workload: a step, 1,024 match", run_steps_often, NULL, 2, RUNS *STEPS, COST_ONCE, 0 },
    { "loop: 2 of 4,096", loop_each, enlarge, 2, 1, COST_ONCE, 0 },
};

const cost_table COST_TABLE = { COST_TEXT(BENCH_SUFFIX),        BENCH_STORAGE, cases,
                                sizeof cases / sizeof cases[0], follow,        bench_populate };
