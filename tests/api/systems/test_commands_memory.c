// SPDX-License-Identifier: MIT
// Commands when memory runs out, and the values they carry: nothing is lost, nothing is applied
// twice, each value is released once and lies where its type needs it.
#include "support/api_types.h"

#include <stdlib.h>
#include <string.h>

// Another component, and a unique, that own the same.
typedef Owned Second;
KEEL_COMPONENT(Second, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_UNIQUE(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);

enum { OLD = 8 };

static void begin(api_fixture *f, keel_entity *e) {
    api_begin(f);
    for (uint32_t i = 0; i < OLD; ++i)
        e[i] = keel_add_entity(f->world, KEEL_INIT(Number, { i }), KEEL_INIT(Position));
    assert_int_equal(keel_attach(f->world, e[1], e[0]), KEEL_OK);
}

// A value to hand over: the caller releases it when the call fails.
static bool took(keel_result result, Owned value) {
    if (result < 0) {
        assert_int_equal(result, KEEL_ERROR_MEMORY);
        owned_release(value);
    }
    return result == KEEL_OK;
}

// ------------------------------------------------------------------ recording
static bool record_add_entity(keel_commands *commands, const keel_entity *e) {
    (void)e;
    Owned value = owned_make(); // its bytes are moved away only when it was taken over
    const bool done =
        !keel_is_null(keel_add_entity(commands, KEEL_INIT(Number, { 1 }),
                                      (keel_value){ KEEL_OF(Owned), &value }, KEEL_INIT(Large)));
    return took(done ? KEEL_OK : KEEL_ERROR_MEMORY, value);
}
static bool record_add_child(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    const bool done = !keel_is_null(
        keel_add_child(commands, e[2], (keel_value){ KEEL_OF(Owned), &value }, KEEL_INIT(Large)));
    return took(done ? KEEL_OK : KEEL_ERROR_MEMORY, value);
}
static bool record_add(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    return took(keel_add_component(commands, e[3], KEEL_OF(Owned), &value), value);
}
static bool record_add_values(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    const Large large = { { 4 } };
    const keel_result result = keel_add_values(commands, e[4], KEEL_INIT(Large, large),
                                               (keel_value){ KEEL_OF(Owned), &value },
                                               KEEL_INIT(Large, large), KEEL_INIT(Third));
    return took(result, value);
}
static bool record_remove(keel_commands *commands, const keel_entity *e) {
    return keel_remove(commands, e[5], Number) == KEEL_OK;
}
static bool record_delete(keel_commands *commands, const keel_entity *e) {
    return keel_delete(commands, e[5], Number, Position, Third, Other) == KEEL_OK;
}
static bool record_delete_entity(keel_commands *commands, const keel_entity *e) {
    return keel_delete_entity(commands, e[5]) == KEEL_OK;
}
static bool record_attach(keel_commands *commands, const keel_entity *e) {
    return keel_attach(commands, e[6], e[7]) == KEEL_OK;
}
static keel_result delete_the_largest(keel_world *world, void *data) {
    const unsigned char *bytes = data;
    for (uint32_t i = 0; i < 5000; ++i)
        assert_int_equal(bytes[i], 0x5A);
    return keel_clear(world, Position);
}
static bool record_call(keel_commands *commands, const keel_entity *e) {
    (void)e;
    unsigned char data[5000];
    memset(data, 0x5A, sizeof data);
    return keel_commands_call(commands, delete_the_largest, data, sizeof data) == KEEL_OK;
}

static bool record_add_entities(keel_commands *commands, const keel_entity *e) {
    (void)e;
    Owned values[2] = { owned_make(), owned_make() }, same = owned_make();
    keel_entity made[2];
    const keel_value_column columns[] = { { KEEL_OF(Owned), values, sizeof values[0] },
                                          { KEEL_OF(Second), &same, 0 },
                                          { KEEL_OF(Large), NULL, 0 },
                                          { NULL, NULL, 0 } };
    const keel_result result = keel_add_entity_columns(commands, 2, made, columns);
    owned_release(same); // it was copied
    return (void)took(result, values[0]), took(result, values[1]);
}
static bool record_clone(keel_commands *commands, const keel_entity *e) {
    keel_entity made[3];
    return keel_clone_entities(commands, e[0], 3, made) == KEEL_OK;
}
static bool record_add_if_missing(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    const keel_value list[] = { { keel_if_missing(), NULL },
                                { KEEL_OF(Owned), &value },
                                { NULL, NULL } };
    return took(keel_add_component_values(commands, e[3], list), value);
}
static bool record_replace(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    return took(keel_replace_component(commands, e[0], KEEL_OF(Owned), &value), value);
}
static bool record_add_many(keel_commands *commands, const keel_entity *e) {
    Owned values[3] = { owned_make(), owned_make(), owned_make() };
    const keel_result result =
        keel_add_component_to_many(commands, e + 2, 3, KEEL_OF(Owned), values, sizeof values[0]);
    return (void)took(result, values[0]), (void)took(result, values[1]), took(result, values[2]);
}
static bool record_fill_many(keel_commands *commands, const keel_entity *e) {
    Owned value = owned_make();
    const keel_result result =
        keel_add_component_to_many(commands, e, 3, KEEL_OF(Second), &value, 0);
    owned_release(value);
    return result == KEEL_OK;
}
static bool record_delete_many(keel_commands *commands, const keel_entity *e) {
    return keel_delete_many(commands, e, 2, Second) == KEEL_OK;
}
static bool record_delete_entities(keel_commands *commands, const keel_entity *e) {
    return keel_delete_entities(commands, e + 6, 2) == KEEL_OK;
}
static bool record_matching(keel_commands *commands, const keel_entity *e) {
    (void)e;
    Owned value = owned_make();
    const keel_result result = keel_add_component_to_matching(
        commands, KEEL_TERMS(KEEL_ANY_OF(Number, Other), KEEL_WITHOUT(Third)), KEEL_OF(Owned),
        &value);
    owned_release(value);
    return result == KEEL_OK;
}
static bool record_set_unique(keel_commands *commands, const keel_entity *e) {
    (void)e;
    Owned value = owned_make();
    return took(keel_set_unique_value(commands, KEEL_UNIQUE_OF(Owned), &value), value);
}

typedef bool record_fn(keel_commands *commands, const keel_entity *e);
// The last ones copy values when they are applied.
static record_fn *const recorders[] = {
    record_add_entity,   record_add_child,      record_add,           record_add_values,
    record_remove,       record_delete,         record_attach,        record_call,
    record_clone,        record_add_if_missing, record_replace,       record_add_many,
    record_delete_many,  record_set_unique,     record_delete_entity, record_delete_entities,
    record_add_entities, record_fill_many,      record_matching
};
enum { RECORDERS = sizeof recorders / sizeof recorders[0], COPIERS = 3 };

static keel_result do_nothing(keel_world *world, void *data) {
    (void)world;
    (void)data;
    return KEEL_OK;
}

// Record when `used` bytes of the first block of memory are taken already.
static void fail_to_record(record_fn *record, size_t used, bool warm) {
    api_fixture f;
    keel_entity e[OLD];
    begin(&f, e);
    keel_commands *commands = keel_world_commands(f.world);
    char *filler = calloc(1, used + 1);
    assert_non_null(filler);
    if (warm) assert_int_equal(keel_commands_call(commands, do_nothing, filler, used), KEEL_OK);
    free(filler);
    char *before = world_text(f.world, NULL);
    bool done = false;
    for (size_t n = 0; !done; ++n) {
        counting_allocator_fail_after(&f.memory, n);
        done = record(commands, e);
        counting_allocator_never_fail(&f.memory);
        if (done) break;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(owned.living, 0);
        if (n % 2) assert_int_equal(keel_apply_commands(f.world), KEEL_OK); // nothing was recorded
        assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
        char *after = world_text(f.world, NULL);
        assert_string_equal(after, before);
        free(after);
    }
    assert_same_text(world_text(f.world, NULL), before);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
    assert_int_equal(owned.empty_drops, 0);
    api_end(&f);
}

static void what_cannot_be_recorded_changes_nothing(void **state) {
    (void)state;
    const size_t step = test_rounds(80) < 80 ? 64 : 16;
    for (uint32_t r = 0; r < RECORDERS; ++r) {
        owned_begin();
        fail_to_record(recorders[r], 0, false);
        // wherever the end of a block of 16 KiB falls
        for (size_t used = 15000; used < 16400; used += step)
            fail_to_record(recorders[r], used, true);
        assert_owned_end();
    }
}

// ------------------------------------------------------------------ applying
// All recorders, twice; in the end `e` is deleted so that a few commands find it dead.
static void record_everything(keel_commands *commands, const keel_entity *e) {
    for (uint32_t i = 0; i < 2 * (RECORDERS - COPIERS); ++i)
        assert_true(recorders[i % (RECORDERS - COPIERS)](commands, e));
    assert_int_equal(keel_delete_entity(commands, e[3]), KEEL_OK);
    assert_true(record_add(commands, e));
    keel_entity chain = keel_add_entity(commands, KEEL_INIT(Number, { 100 }));
    for (uint32_t i = 0; i < 40; ++i)
        chain = keel_add_child(commands, chain, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    assert_false(keel_is_null(chain));
}

// The world after everything was applied without trouble, as text.
static char *expected_text(uint64_t *dropped) {
    api_fixture f;
    keel_entity e[OLD];
    owned_begin();
    begin(&f, e);
    record_everything(keel_world_commands(f.world), e);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    char *text = world_text(f.world, NULL);
    *dropped = keel_world_statistics(f.world).dropped_commands;
    api_end(&f);
    assert_owned_end();
    return text;
}

KEEL_SYSTEM_ONCE(count_runs, KEEL_DATA(uint32_t, runs)) { ++*runs; }

// Apply until it works, failing `step` allocations later each time.
static void apply_with_failures(api_fixture *f, size_t first, size_t step, bool by_run) {
    uint32_t runs = 0;
    keel_result result = KEEL_ERROR_MEMORY;
    for (size_t n = first; result == KEEL_ERROR_MEMORY; n += step) {
        assert_int_equal(runs, 0);
        counting_allocator_fail_after(&f->memory, n);
        result =
            by_run ? keel_run_with(f->world, count_runs, &runs) : keel_apply_commands(f->world);
        counting_allocator_never_fail(&f->memory);
        if (result == KEEL_ERROR_MEMORY) assert_error(f->world, KEEL_ERROR_MEMORY, NULL);
        assert_true(keel_world_check(f->world, NULL));
        assert_true(n < 10000);
    }
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(runs, by_run ? 1 : 0);
}

static void applying_goes_on_where_memory_ran_out(void **state) {
    (void)state;
    uint64_t dropped;
    char *expected = expected_text(&dropped);
    assert_int_equal(dropped, 5); // on entities 5 and 6 in the second round, on entity 3 after it
    for (size_t first = 0; first < 30; ++first)
        for (size_t step = 1; step <= 3; step += 2) {
            api_fixture f;
            keel_entity e[OLD];
            owned_begin();
            begin(&f, e);
            record_everything(keel_world_commands(f.world), e);
            apply_with_failures(&f, first, step, first % 2);
            assert_int_equal(keel_world_statistics(f.world).dropped_commands, dropped);
            char *text = world_text(f.world, NULL);
            assert_string_equal(text, expected);
            free(text);
            api_end(&f);
            assert_owned_end();
        }
    free(expected);
}

// How many values there are in the end, however often copies of them were made.
static void copies_are_made_again(void **state) {
    (void)state;
    for (size_t first = 0; first < 40; ++first) {
        api_fixture f;
        keel_entity e[OLD];
        owned_begin();
        begin(&f, e);
        keel_commands *commands = keel_world_commands(f.world);
        assert_int_equal(keel_add(f.world, e[0], Owned, owned_make()), KEEL_OK);
        for (uint32_t i = RECORDERS - COPIERS; i < RECORDERS; ++i)
            assert_true(recorders[i](commands, e));
        assert_true(record_clone(commands, e));
        apply_with_failures(&f, first, 1 + first % 2, first % 3 == 0);
        assert_int_equal(keel_world_statistics(f.world).dropped_commands, 0);
        assert_int_equal(keel_count(f.world, Second), 2 + 3 + 3);  // new ones, filled ones, clones
        assert_int_equal(keel_count(f.world, Owned), 2 + OLD + 3); // and all that match
        assert_int_equal(keel_entity_count(f.world), OLD + 2 + 3);
        assert_int_equal(owned.living, 8 + 2 + OLD + 3);
        api_end(&f);
        assert_owned_end();
    }
}

// The same for a copy hook that fails: that command alone does nothing.
static void a_copy_that_fails_is_dropped(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[OLD];
    owned_begin();
    begin(&f, e);
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_add(f.world, e[0], Owned, owned_make()), KEEL_OK);
    keel_entity made[3], other;
    assert_int_equal(keel_clone_entities(commands, e[0], 3, made), KEEL_OK);
    assert_int_equal(keel_add(commands, made[2], Other, { 1 }), KEEL_OK);
    other = keel_add_entity(commands, KEEL_INIT(Number, { 1 }));
    owned.copies_left = 2;
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_COPY);
    assert_false(keel_is_alive(f.world, made[0]) || keel_is_alive(f.world, made[2]));
    assert_true(keel_is_alive(f.world, other));
    assert_int_equal(keel_entity_count(f.world), OLD + 1);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands,
                     1); // on the clone that never came
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
    assert_owned_end();
}

static void a_world_may_end_in_the_middle_of_applying(void **state) {
    (void)state;
    for (size_t n = 0; n < 40; ++n) {
        api_fixture f;
        keel_entity e[OLD];
        owned_begin();
        begin(&f, e);
        record_everything(keel_world_commands(f.world), e);
        counting_allocator_fail_after(&f.memory, n);
        (void)keel_apply_commands(f.world);
        counting_allocator_never_fail(&f.memory);
        record_everything(keel_world_commands(f.world), e); // and more behind it
        api_end(&f);
        assert_owned_end();
    }
}

KEEL_SYSTEM_ONCE(record_in_task, KEEL_COMMANDS(commands), KEEL_DATA(keel_entity, e)) {
    (void)keel_add(commands, *e, Number, { 2 });
}

static void a_system_joins_the_queue_behind_what_was_not_applied(void **state) {
    (void)state;
    for (size_t n = 0; n < 12; ++n) {
        api_fixture f;
        keel_entity e[OLD];
        begin(&f, e);
        keel_commands *commands = keel_world_commands(f.world);
        const keel_entity made = keel_add_entity(commands, KEEL_INIT(Large), KEEL_INIT(Other));
        assert_int_equal(keel_add(commands, e[0], Number, { 1 }), KEEL_OK);
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result = keel_run_with(f.world, record_in_task, &e[0]);
        counting_allocator_never_fail(&f.memory);
        if (result != KEEL_OK) {
            assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
            assert_int_equal(keel_run_with(f.world, record_in_task, &e[0]), KEEL_OK);
        }
        assert_int_equal(keel_get(f.world, e[0], Number)->value, 2);
        assert_true(keel_has(f.world, made, Large));
        api_end(&f);
    }
}

// ------------------------------------------------------------------ values
static void values_are_released_once_wherever_they_end(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[OLD];
    owned_begin();
    begin(&f, e);
    keel_commands *commands = keel_world_commands(f.world);
    assert_true(record_add(commands, e)); // token 1, overwritten by 2, which is removed
    assert_true(record_add(commands, e));
    assert_int_equal(keel_remove(commands, e[3], Owned), KEEL_OK);
    assert_true(record_add(commands, e)); // stays
    assert_int_equal(keel_add_values(commands, e[4], KEEL_INIT(Owned, owned_make()),
                                     KEEL_INIT(Owned, owned_make())),
                     KEEL_OK); // the second wins
    assert_int_equal(owned.drops, 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(owned.drops, 3);
    assert_int_equal(keel_get(f.world, e[3], Owned)->token, 3);
    assert_int_equal(keel_get(f.world, e[4], Owned)->token, 5);
    assert_int_equal(owned.copies, 0); // commands hand over, they do not copy
    assert_true(record_add(commands, e));
    api_end(&f); // the world's two, and the one still recorded
    assert_int_equal(owned.drops, 6);
    assert_int_equal(owned.empty_drops, 0);
    assert_owned_end();
}

static void an_unregistered_component_takes_recorded_values_along(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[OLD];
    owned_begin();
    begin(&f, e);
    keel_commands *commands = keel_world_commands(f.world);
    assert_true(record_add(commands, e));
    assert_true(record_add_entity(commands, e));
    assert_int_equal(keel_remove(commands, e[4], Owned), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owned)), KEEL_OK);
    assert_int_equal(owned.drops, 2);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), OLD + 1); // with its other components
    assert_int_equal(keel_count(f.world, Large), 1);
    assert_true(record_add(commands, e)); // known again
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_count(f.world, Owned), 1);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ sizes and alignments
static uint32_t misplaced;
static void check_move(void *to, void *from, void *hook_data) {
    const keel_component *c = hook_data;
    if ((uintptr_t)to % c->align) ++misplaced;
    memcpy(to, from, c->size);
}

// A value of this size and alignment goes through a list of commands, in between others.
static void check_layout(api_fixture *f, uint32_t size, uint32_t align) {
    keel_component c = { .name = "layout", .size = size, .align = align, .move = check_move };
    c.hook_data = &c;
    unsigned char *value = aligned_alloc(4096, 65536);
    assert_non_null(value);
    keel_commands *commands = keel_world_commands(f->world);
    keel_entity e[3];
    for (uint32_t i = 0; i < 3; ++i) {
        memset(value, (int)(0xA0 + i), 65536);
        e[i] = keel_add_entity(commands, KEEL_INIT(Other, { i }), (keel_value){ &c, value });
        assert_false(keel_is_null(e[i]));
    }
    assert_int_equal(keel_apply_commands(f->world), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        const unsigned char *now = keel_get_component(f->world, e[i], &c);
        assert_int_equal((uintptr_t)now % align, 0);
        for (uint32_t k = 0; k < size; ++k)
            if (now[k] != 0xA0 + i) fail_msg("size %u: byte %u differs", size, k);
    }
    assert_int_equal(keel_unregister_component(f->world, &c), KEEL_OK);
    free(value);
}

static void values_keep_their_size_and_alignment(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    misplaced = 0;
    for (uint32_t align = 1; align <= 4096; align *= 2) {
        check_layout(&f, align, align);
        check_layout(&f, align * 3, align);
        check_layout(&f, 16384, align);
        check_layout(&f, KEEL_MAX_COMPONENT_SIZE, align);
    }
    assert_int_equal(misplaced, 0);
    api_end(&f);
}

static keel_result check_data(keel_world *world, void *data) {
    (void)world;
    assert_int_equal((uintptr_t)data % _Alignof(max_align_t), 0);
    return *(const char *)data == 'd' ? KEEL_OK : KEEL_ERROR_UNKNOWN;
}

static void data_of_calls_is_aligned_for_any_type(void **state) {
    (void)state;
    api_fixture f;
    char data[40] = "d";
    api_begin(&f);
    for (size_t size = 1; size < sizeof data; ++size)
        assert_int_equal(keel_commands_call(keel_world_commands(f.world), check_data, data, size),
                         KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ a warm frame
KEEL_SYSTEM(churn, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (n->value % 2) (void)keel_add_entity(commands, KEEL_INIT(Number, { n->value }));
    if (n->value % 2) (void)keel_delete_entity(commands, e);
    else (void)keel_add(commands, e, Other, { n->value });
}

static void a_warm_frame_needs_no_memory(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 2000; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    size_t calls = 0;
    for (int frame = 0; frame < 12; ++frame) {
        if (frame == 6) calls = f.memory.growing_calls;
        const keel_entity e = keel_next_entity(f.world, keel_null());
        assert_int_equal(keel_add(keel_world_commands(f.world), e, Third, { 1 }), KEEL_OK);
        assert_int_equal(keel_run(f.world, churn), KEEL_OK);
        assert_int_equal(keel_add(keel_world_commands(f.world), e, Third, { 2 }), KEEL_OK);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_entity_count(f.world), 2000);
    }
    assert_int_equal(f.memory.growing_calls, calls);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(what_cannot_be_recorded_changes_nothing,
         "what cannot be recorded for lack of memory changes nothing"),
    TEST(copies_are_made_again, "copies are made again when memory is back"),
    TEST(a_copy_that_fails_is_dropped, "what cannot be copied when it is applied is dropped"),
    TEST(applying_goes_on_where_memory_ran_out,
         "applying goes on where memory ran out, and nothing is lost"),
    TEST(a_world_may_end_in_the_middle_of_applying, "a world may end in the middle of applying"),
    TEST(a_system_joins_the_queue_behind_what_was_not_applied,
         "a system joins the queue behind what was not applied"),
    TEST(values_are_released_once_wherever_they_end,
         "recorded values are released once, wherever they end"),
    TEST(an_unregistered_component_takes_recorded_values_along,
         "an unregistered component takes its recorded values along"),
    TEST(values_keep_their_size_and_alignment, "recorded values keep their size and alignment"),
    TEST(data_of_calls_is_aligned_for_any_type, "the data of calls is aligned for any type"),
    TEST(a_warm_frame_needs_no_memory, "a warm frame with commands needs no memory"),
};

int main(void) { return RUN(tests); }
