// SPDX-License-Identifier: MIT
// Where absence is a bug: keel_at stops the program and says why; checked builds tell of writes to
// entities that are not alive, and of the use of what was destroyed.
#include "support/view_fixture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ keel_at
static jmp_buf back;
static char said[500];

static bool come_back(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)file, (void)line;
    snprintf(said, sizeof said, "%s", message);
    longjmp(back, 1);
}

typedef const void *look_fn(keel_scope *scope, keel_entity e);
static const void *look_at(keel_scope *scope, keel_entity e) { return keel_at(scope, e, Number); }
static const void *look_at_mut(keel_scope *scope, keel_entity e) {
    return keel_at_mut(scope, e, Number);
}

static void assert_stops(look_fn *look, keel_scope *scope, keel_entity e, const char *why) {
    said[0] = 0;
    keel_set_assert_handler(come_back);
    if (setjmp(back) == 0) {
        (void)look(scope, e);
        fail_msg("it did not stop");
    }
    keel_set_assert_handler(NULL);
    if (!strstr(said, why)) fail_msg("no '%s' in: %s", why, said);
    assert_non_null(strstr(said, "test_absence.c:"));
    assert_non_null(strstr(said, "'Number'"));
}

static void keel_at_stops_the_program(void **state) {
    (void)state;
    look_fn *const looks[] = { look_at, look_at_mut };
    for (uint32_t i = 0; i < 2; ++i) {
        api_fixture f;
        api_begin(&f);
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
        const keel_entity without = keel_add_entity(f.world), dead = keel_add_entity(f.world);
        (void)keel_delete_entity(f.world, dead);
        keel_scope *world = KEEL_SCOPE(f.world);
        assert_int_equal(((const Number *)looks[i](world, e))->value, 7);
        assert_stops(looks[i], world, keel_null(), "is null");
        assert_stops(looks[i], world, dead, "was deleted");
        assert_stops(looks[i], world, without, "has no such component");
        keel_view view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n)));
        assert_int_equal(((const Number *)looks[i](KEEL_SCOPE(&view), e))->value, 7);
        assert_stops(looks[i], KEEL_SCOPE(&view), dead, "was deleted");
        keel_view_end(&view);
        keel_view other = open_view(f.world, KEEL_TERMS(KEEL_READ(Third, t)));
        assert_stops(looks[i], KEEL_SCOPE(&other), e, "does not");
        keel_view_end(&other);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ keel_get_mut
static uint32_t asserted;
static bool count_and_go_on(const char *condition, const char *message, const char *file,
                            int line) {
    (void)condition, (void)message, (void)file, (void)line;
    ++asserted;
    return false;
}
static bool is_checked(void) {
    keel_set_assert_handler(count_and_go_on);
    asserted = 0;
    (void)keel_apply_commands(NULL);
    keel_set_assert_handler(NULL);
    return asserted > 0;
}

static void a_write_to_the_dead_is_in_the_log(void **state) {
    (void)state;
    const bool checked = is_checked();
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Third));
    const keel_entity without = keel_add_entity(f.world);
    assert_null(keel_get_mut(f.world, without, Number)); // ordinary
    assert_int_equal(f.log.warnings, 0);
    (void)keel_delete_entity(f.world, e);
    assert_null(keel_get(f.world, e, Number)); // reading is for asking
    assert_int_equal(f.log.warnings, 0);
    for (uint32_t i = 0; i < 3; ++i)
        assert_null(keel_get_mut(f.world, e, Number));
    assert_int_equal(f.log.warnings, checked);
    if (checked)
        assert_non_null(
            strstr(f.log.last, "keel_get_mut of 'Number' is NULL: the entity is not alive"));
    assert_null(keel_get_mut(f.world, keel_null(), Third)); // once for each component
    assert_int_equal(f.log.warnings, 2 * checked);
    if (checked) assert_non_null(strstr(f.log.last, "'Third' is NULL: the entity is null"));
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ what was destroyed
// Memory that is never given to others, so that what was destroyed can be looked at.
enum { MEMORY = 4 << 20 };
typedef struct pile {
    size_t used;
    _Alignas(64) unsigned char bytes[MEMORY];
} pile;
static pile memory;

static void *take(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    pile *p = context;
    if (!new_size) return NULL;
    const size_t at = (p->used + align - 1) / align * align;
    if (at + new_size > MEMORY) return NULL;
    p->used = at + new_size;
    if (block) memcpy(p->bytes + at, block, old_size < new_size ? old_size : new_size);
    return p->bytes + at;
}

KEEL_SYSTEM_ONCE(nothing) {}
KEEL_WORKLOAD(nothings, KEEL_STEP(nothing));

static void a_destroyed_world_is_noticed(void **state) {
    (void)state;
    const bool checked = is_checked();
    memory.used = 0;
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .allocator = { take, &memory }, .log = keel_log_none });
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Number, { 1 }));
    keel_reader *reader = keel_reader_create(world, "reader"),
                *other = keel_reader_create(world, "other");
    keel_reader_destroy(other);
    keel_set_assert_handler(count_and_go_on);
    asserted = 0;
    assert_int_equal(keel_event_count_of(KEEL_SCOPE(other), NULL), 0);
    assert_int_equal(asserted, checked);
    keel_world_destroy(world);
    if (checked) {
        asserted = 0;
        assert_int_equal(keel_add(world, e, Number), KEEL_ERROR_ARGUMENT);
        assert_int_equal(asserted, 1);
        assert_int_equal(keel_delete_entity(world, e), KEEL_ERROR_ARGUMENT);
        assert_null(keel_get(world, e, Number));
        assert_null(keel_get_mut(world, e, Number));
        assert_true(keel_is_null(keel_add_entity(world)));
        assert_int_equal(keel_run(world, nothing), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_run_workload(world, nothings), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_apply_commands(world), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_share_begin(world), KEEL_ERROR_ARGUMENT);
        KEEL_EACH(world, KEEL_READ(Number, n))
            fail_msg("%u", (unsigned)n->value);
        keel_world_destroy(world);
        assert_in_range(asserted, 8, 12);
        asserted = 0;
        assert_int_equal(keel_event_count_of(KEEL_SCOPE(reader), NULL), 0); // went with the world
        assert_int_equal(asserted, 1);
        keel_reader_advance(reader);
        keel_reader_keep(reader);
        keel_reader_destroy(reader);
        assert_int_equal(asserted, 4);
    }
    keel_set_assert_handler(NULL);
}

// ------------------------------------------------------------------ what was kept too long
static keel_commands *kept_commands;
KEEL_SYSTEM_ONCE(keeps, KEEL_COMMANDS(commands)) {
    kept_commands = commands;
    keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
}
KEEL_WORKLOAD(keeping, KEEL_STEP(keeps));

static void what_a_system_had_is_over(void **state) {
    (void)state;
    api_fixture f;
    const bool checked = is_checked();
    api_begin(&f);
    keel_set_assert_handler(count_and_go_on);
    for (uint32_t in_workload = 0; in_workload < 2; ++in_workload) {
        if (in_workload) assert_int_equal(keel_run_workload(f.world, keeping), KEEL_OK);
        else assert_int_equal(keel_run(f.world, keeps), KEEL_OK);
        asserted = 0;
        assert_true(keel_is_null(keel_add_entity(kept_commands, KEEL_INIT(Number, { 2 }))));
        assert_int_equal(keel_strip(kept_commands, keel_null()), KEEL_ERROR_ARGUMENT);
        assert_int_equal(asserted, checked ? 2 : 0);
        assert_int_equal(keel_entity_count(f.world), in_workload + 1);
    }
    keel_set_assert_handler(NULL);
    api_end(&f);
}

static void a_loop_keeps_its_world(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    uint32_t count = 0;
    KEEL_EACH(f.world, KEEL_READ(Number, n)) {
        keel_world_destroy(f.world);
        assert_error(f.world, KEEL_ERROR_BORROWED, "destroyed by code that it runs");
        count += (uint32_t)n->value;
        if (count) break;
    }
    assert_int_equal(count, 1);
    api_end(&f); // and it ends afterwards, also when the loop was left
}

typedef struct Row {
    int value;
} Row;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
typedef struct Spot {
    int value;
} Spot;
KEEL_COMPONENT(Spot, .storage = KEEL_INDEXED);

static void a_lookup_of_what_was_unregistered_finds_nothing(void **state) {
    (void)state;
    const keel_component *const components[] = { KEEL_OF(Number), KEEL_OF(Row), KEEL_OF(Spot) };
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t again = 0; again < 3; ++again) {
            const keel_component *c = components[i];
            assert_non_null(keel_register_component(f.world, c));
            const keel_lookup kept = keel_lookup_of_component(f.world, c);
            const keel_entity e = keel_add_entity(f.world);
            const int value = 7;
            assert_int_equal(keel_add_component(f.world, e, c, &value), KEEL_OK);
            assert_int_equal(*(const int *)keel_column_get_value(&kept, e), 7);
            assert_int_equal(keel_unregister_component(f.world, c), KEEL_OK);
            assert_null(keel_column_get_value(&kept, e));
            assert_null((keel_column_get_value)(&kept, e));
        }
    api_end(&f);
}

static void destroyed_snapshots_are_noticed(void **state) {
    (void)state;
    const bool checked = is_checked();
    memory.used = 0;
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .allocator = { take, &memory }, .log = keel_log_none });
    const keel_world *image;
    keel_snapshot *snapshot = keel_snapshot_create(world, "snapshot");
    keel_ring *ring = keel_ring_create(world, 2);
    keel_history *history = keel_history_create(world, MEMORY);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    keel_snapshot_destroy(snapshot);
    keel_ring_destroy(ring);
    keel_history_destroy(history);
    keel_set_assert_handler(count_and_go_on);
    asserted = 0;
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_snapshot_set_flags(snapshot, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_snapshot_to_world(snapshot, world), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_ERROR_ARGUMENT);
    keel_snapshot_destroy(snapshot);
    assert_int_equal(keel_ring_reserve(ring), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_ring_take(ring, 2), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_rollback(ring, 1), KEEL_ERROR_ARGUMENT);
    keel_ring_destroy(ring);
    assert_int_equal(keel_history_push(history), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_history_back(history), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_history_forward(history), KEEL_ERROR_ARGUMENT);
    keel_history_destroy(history);
    assert_int_equal(asserted, checked ? 14 : 0);
    keel_set_assert_handler(NULL);
    keel_world_destroy(world);
}

// ------------------------------------------------------------------ pointers kept across an edit
typedef struct Packed {
    uint32_t value;
} Packed;
typedef struct Placed {
    uint32_t value;
} Placed;
typedef struct Rowed {
    uint32_t value;
} Rowed;
KEEL_COMPONENT(Packed, .storage = KEEL_SPARSE_SET);
KEEL_COMPONENT(Placed, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Rowed, .storage = KEEL_ARCHETYPE);
typedef struct Moved {
    uint32_t value;
} Moved;
KEEL_COMPONENT(Moved, .storage = KEEL_ARCHETYPE);

static void a_kept_pointer_shows(void **state) {
    (void)state;
    const uint32_t gone = 0xDDDDDDDD;
    memory.used = 0;
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .allocator = { take, &memory }, .log = keel_log_none });
    keel_entity e[2];
    for (uint32_t i = 0; i < 2; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Packed, { i }), KEEL_INIT(Placed, { i }),
                               KEEL_INIT(Rowed, { i }));
    // the last value moves into the hole that another one leaves
    const Packed *packed = keel_get(world, e[1], Packed);
    assert_int_equal(keel_delete(world, e[0], Packed), KEEL_OK);
    assert_int_equal(keel_get(world, e[1], Packed)->value, 1);
    if (is_checked()) assert_int_equal(packed->value, gone);
    // values grow out of their first piece of memory
    packed = keel_get(world, e[1], Packed);
    for (uint32_t i = 0; i < 100; ++i)
        (void)keel_add_entity(world, KEEL_INIT(Packed, { i }));
    assert_int_equal(keel_get(world, e[1], Packed)->value, 1);
    if (is_checked()) assert_int_equal(packed->value, gone);
    // a value that stays at its index
    const Placed *placed = keel_get(world, e[0], Placed);
    assert_int_equal(keel_remove(world, e[0], Placed, &(Placed){ 0 }), KEEL_OK);
    if (is_checked()) assert_int_equal(placed->value, gone);
    // a row goes to another table
    const Rowed *rowed = keel_get(world, e[1], Rowed);
    assert_int_equal(keel_add(world, e[1], Moved, { 2 }), KEEL_OK);
    assert_int_equal(keel_get(world, e[1], Rowed)->value, 1);
    if (is_checked()) assert_int_equal(rowed->value, gone);
    keel_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    TEST(keel_at_stops_the_program, "keel_at stops the program and says why, in every build"),
    TEST(a_write_to_the_dead_is_in_the_log,
         "checked builds log that keel_get_mut met a handle that is not alive"),
    TEST(a_destroyed_world_is_noticed,
         "checked builds notice the use of a world or reader that was destroyed"),
    TEST(what_a_system_had_is_over, "commands are over when their system has returned"),
    TEST(a_loop_keeps_its_world, "a world is not destroyed in a loop over it"),
    TEST(a_lookup_of_what_was_unregistered_finds_nothing,
         "a lookup finds nothing when its component was unregistered"),
    TEST(destroyed_snapshots_are_noticed, "and of snapshots, rings and histories"),
    TEST(a_kept_pointer_shows, "checked builds write 0xDD where values went away or moved"),
};

int main(void) { return RUN(tests); }
