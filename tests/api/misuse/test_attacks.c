// SPDX-License-Identifier: MIT
// Hooks and callbacks that call the world, calls of several threads at once, and calls on a world
// that was destroyed.
#include "support/api_types.h"

#include <pthread.h>
#include <string.h>

// ------------------------------------------------------------------ C1: commands of several
// threads
enum { THREADS = 4, EACH = 500 };

static void *record_some(void *data) {
    keel_world *world = data;
    for (uint32_t i = 0; i < EACH; ++i) {
        keel_commands *commands = keel_world_commands(world);
        assert_false(keel_is_null(keel_add_entity(commands, KEEL_INIT(Number, { i }))));
    }
    return NULL;
}

static void test_each_thread_records_for_itself(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    (void)keel_register(f.world, Number);
    assert_int_equal(keel_reserve(f.world, keel_entities, THREADS * EACH), KEEL_OK);
    keel_commands *own = keel_world_commands(f.world);
    assert_false(keel_is_null(keel_add_entity(own)));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, record_some, f.world), 0);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), THREADS * EACH + 1);
    assert_int_equal(keel_count(f.world, Number), THREADS * EACH);
    api_end(&f);
}

static void *record_elsewhere(void *data) {
    assert_int_equal((keel_strip)(data, keel_null()), KEEL_ERROR_THREAD);
    return NULL;
}

static void test_lists_are_not_shared(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    keel_commands *before = keel_world_commands(f.world);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    keel_commands *lists[] = { before, keel_world_commands(f.world) };
    for (int i = 0; i < 2; ++i) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record_elsewhere, KEEL_SCOPE(lists[i])), 0);
        pthread_join(thread, NULL);
    }
    assert_error(f.world, KEEL_ERROR_THREAD, "belong to another thread");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ C2, C3: hooks
typedef struct Busy {
    uint32_t value;
} Busy;
static struct {
    keel_world *from, *to;
    keel_entity e;
    keel_result moved, recorded;
    bool fails;
} busy;

static void busy_move(void *to, void *from, void *data) {
    (void)data;
    memcpy(to, from, sizeof(Busy));
    if (!busy.from) return;
    busy.moved = keel_delete_entity(busy.from, busy.e);
}
static bool busy_copy(void *to, const void *from, void *data) {
    (void)data;
    memcpy(to, from, sizeof(Busy));
    if (!busy.to) return true;
    busy.recorded = keel_is_null(keel_add_entity(keel_world_commands(busy.to)))
                        ? keel_last_error(busy.to)->result
                        : KEEL_OK;
    return !busy.fails;
}
KEEL_COMPONENT(Busy, .move = busy_move, .copy = busy_copy, .no_padding = true);

static void test_moving_guards_both_worlds(void **state) {
    api_fixture f, g;
    (void)state;
    api_begin(&f);
    api_begin(&g);
    memset(&busy, 0, sizeof busy);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Busy, { 7 }));
    busy.from = f.world;
    busy.e = e;
    const keel_entity there = keel_move_entity(f.world, e, g.world);
    busy.from = NULL;
    assert_int_equal(busy.moved, KEEL_ERROR_SHARED);
    assert_int_equal(keel_get(g.world, there, Busy)->value, 7);
    assert_false(keel_is_alive(f.world, e));
    keel_clear_errors(f.world);
    api_end(&f);
    api_end(&g);
}

static void test_hooks_record_nothing(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    memset(&busy, 0, sizeof busy);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Busy, { 7 }));
    busy.to = f.world;
    busy.fails = true;
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_int_equal(busy.recorded, KEEL_ERROR_SHARED);
    busy.to = NULL;
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 1);
    keel_clear_errors(f.world);
    api_end(&f); // the index of entities is whole
}

// ------------------------------------------------------------------ C5: loggers and allocators
static keel_world *logged;
static uint32_t lines;
static void log_and_err(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
    if (++lines < 100 && logged) (void)keel_sort(logged, Number, NULL, NULL); // one more error
}

static void test_a_logger_may_make_errors(void **state) {
    (void)state;
    lines = 0;
    logged = keel_world_create(
        &(keel_world_desc){ .log = { log_and_err, NULL }, .on_misuse = KEEL_MISUSE_RETURN });
    (void)keel_register(logged, Number);
    assert_int_equal(keel_sort(logged, Number, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(lines, 1); // its own are not logged
    keel_world_destroy(logged);
    logged = NULL;
}

static struct {
    counting_allocator memory;
    keel_world *world;
    uint32_t calls;
    bool inside;
} caller;
static void *resize_and_call(void *context, void *block, size_t old_size, size_t new_size,
                             size_t align) {
    (void)context;
    if (new_size && caller.world && !caller.inside) {
        caller.inside = true;
        ++caller.calls;
        keel_view view;
        assert_true(keel_view_begin(&view, caller.world, KEEL_TERMS(KEEL_READ(Number, n)), "x") <
                    0);
        assert_null(keel_world_commands(caller.world));
        keel_world_destroy(caller.world); // refused
        caller.inside = false;
    }
    return caller.memory.allocator.resize(&caller.memory, block, old_size, new_size, align);
}

static void test_an_allocator_may_call_a_shared_world(void **state) {
    (void)state;
    memset(&caller, 0, sizeof caller);
    counting_allocator_init(&caller.memory);
    keel_world *world =
        keel_world_create(&(keel_world_desc){ .allocator = { resize_and_call, NULL },
                                              .log = keel_log_none,
                                              .on_misuse = KEEL_MISUSE_RETURN });
    (void)keel_add_entity(world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    caller.world = world;
    keel_view views[20];
    for (int i = 0; i < 20; ++i)
        assert_int_equal(
            keel_view_begin(&views[i], world, KEEL_TERMS(KEEL_READ(Number, n)), "a view"), KEEL_OK);
    caller.world = NULL;
    assert_true(caller.calls > 0);
    for (int i = 0; i < 20; ++i)
        keel_view_end(&views[i]);
    assert_int_equal(keel_share_end(world), KEEL_OK);
    keel_world_destroy(world);
    assert_int_equal(caller.memory.live_bytes, 0);
}

// ------------------------------------------------------------------ C6: readers
static void test_readers_know_that_they_are_stale(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    keel_reader *reader = keel_reader_create(f.world, "reader");
    keel_reader_destroy(reader);
    keel_reader_destroy(reader);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "destroyed");
    keel_reader_advance(reader);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "destroyed");
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_null(keel_reader_create(f.world, "another"));
    assert_error(f.world, KEEL_ERROR_SHARED, "several threads");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    reader = keel_reader_create(f.world, "another");
    assert_non_null(reader);
    keel_reader_advance(reader);
    assert_no_error(f.world);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_thread_records_for_itself),
        cmocka_unit_test(test_lists_are_not_shared),
        cmocka_unit_test(test_moving_guards_both_worlds),
        cmocka_unit_test(test_hooks_record_nothing),
        cmocka_unit_test(test_a_logger_may_make_errors),
        cmocka_unit_test(test_an_allocator_may_call_a_shared_world),
        cmocka_unit_test(test_readers_know_that_they_are_stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
