// SPDX-License-Identifier: MIT
// Memory that runs out while four workers are at it: pieces that record, create, add and send,
// beside systems that do. Whichever allocation fails, the run ends and says so, structures are
// whole, no byte is left, and with memory the next runs succeed.
#include "support/api_fixture.h"

#include <stdio.h>

typedef struct Hit {
    uint32_t value;
} Hit;
KEEL_EVENT(Hit, .no_padding = true);
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true);
typedef struct Cell {
    uint32_t value;
} Cell;
KEEL_COMPONENT(Cell, .storage = KEEL_INDEXED, .no_padding = true);

typedef struct Seed {
    uint32_t value;
} Seed;
KEEL_COMPONENT(Seed, .no_padding = true);
typedef struct Extra {
    uint32_t value;
} Extra;
KEEL_COMPONENT(Extra, .no_padding = true);
typedef struct Child {
    uint32_t value;
} Child;
KEEL_COMPONENT(Child, .no_padding = true);

enum { ENTITIES = 300, WORKERS = 4, RUNS = 2 };

KEEL_SYSTEM(give, KEEL_READ(Seed, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (n->value % 3 == 0) (void)keel_add(commands, e, Row, { n->value });
    if (n->value % 3 == 1) (void)keel_add(commands, e, Cell, { n->value });
    if (n->value % 16 == 0) (void)keel_add_entity(commands, KEEL_INIT(Extra, { n->value }));
}
KEEL_SYSTEM(send_hits, KEEL_READ(Seed, n), KEEL_SEND(Hit, hits)) {
    if (n->value % 4 == 0) (void)keel_send(hits, Hit, { n->value });
}
KEEL_SYSTEM_ONCE(hear, KEEL_RECEIVE(Hit, hits)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        assert_int_equal(hit->value % 4, 0);
}
KEEL_SYSTEM_ONCE(spawn, KEEL_COMMANDS(commands)) {
    for (uint32_t i = 0; i < 40; ++i)
        (void)keel_add_entity(commands, KEEL_INIT(Child, { i }), KEEL_INIT(Row, { i }));
}
KEEL_SYSTEM(write_others, KEEL_WRITE(Extra, o)) { ++o->value; }
KEEL_WORKLOAD(busy, KEEL_STEP(give, .parallel = true), KEEL_STEP(send_hits, .parallel = true),
              KEEL_STEP(spawn), KEEL_STEP(hear), KEEL_STEP(write_others, .parallel = true));

static void begin(api_fixture *f) {
    api_begin_workers(f, WORKERS);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        (void)keel_add_entity(f->world, KEEL_INIT(Seed, { i }));
    assert_no_error(f->world);
}

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    if (keel_world_hash(world, &hash) != KEEL_OK) fail_msg("%s", keel_first_error(world)->message);
    return hash;
}

// Of the first run, and of RUNS of them.
typedef struct reference {
    size_t allocations;
    uint64_t first, last;
} reference;

static reference run_with_memory(void) {
    api_fixture f;
    begin(&f);
    const size_t before = f.memory.growing_calls;
    reference r = { 0 };
    for (uint32_t i = 0; i < RUNS; ++i) {
        assert_int_equal(keel_run_workload(f.world, busy), KEEL_OK);
        if (!i) r.first = hash_of(f.world);
    }
    r.allocations = f.memory.growing_calls - before;
    r.last = hash_of(f.world);
    api_end(&f);
    return r;
}

// Returns whether an allocation failed.
static bool run_without(size_t point, bool once, const reference *r) {
    api_fixture f;
    begin(&f);
    const size_t before = f.memory.failures;
    if (once) counting_allocator_fail_once(&f.memory, point);
    else counting_allocator_fail_after(&f.memory, point);
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; i < RUNS && result == KEEL_OK; ++i)
        result = keel_run_workload(f.world, busy);
    const keel_error error = *keel_first_error(f.world);
    const bool has_failed = f.memory.failures > before;
    counting_allocator_never_fail(&f.memory);
    if (result != KEEL_OK) {
        assert_true(has_failed);
        assert_true(result == KEEL_ERROR_MEMORY || result == KEEL_ERROR_SYSTEM);
        assert_int_not_equal(error.result, KEEL_OK);
        assert_true(error.message[0] != 0);
    } else if (error.result == KEEL_OK) { // it went another way, to the same end
        assert_true(hash_of(f.world) == r->last);
    } else assert_int_equal(error.result, KEEL_ERROR_MEMORY); // a system made nothing of it
    keel_error broken;
    if (!keel_world_check(f.world, &broken))
        fail_msg("after allocation %zu: %s", point, broken.message);
    keel_clear_errors(f.world);
    for (uint32_t i = 0; i < RUNS; ++i)
        assert_int_equal(keel_run_workload(f.world, busy), KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
    return has_failed;
}

static void each_allocation_of_four_workers_may_fail(void **state) {
    (void)state;
    const reference r = run_with_memory();
    assert_true(run_with_memory().last == r.last); // whoever was faster
    const size_t most = test_rounds(100000);       // few under valgrind and the thread sanitizer
    const size_t step = most >= 100000 ? 1 : 1 + r.allocations / 40;
    uint32_t points = 0;
    for (size_t point = 0; point < r.allocations + 8; point += step) {
        points += run_without(point, true, &r);
        points += run_without(point, false, &r);
    }
    print_message("%u failing allocations of about %zu, once and from there on\n", points,
                  r.allocations);
    assert_true(points >= 20);
}

static const struct CMUnitTest tests[] = {
    TEST(each_allocation_of_four_workers_may_fail,
         "each allocation of a run on four workers may fail"),
};
int main(void) { return RUN(tests); }
