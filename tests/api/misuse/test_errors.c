// SPDX-License-Identifier: MIT
// What is returned, kept, logged and asserted when something goes wrong.
#include "support/view_fixture.h"

#include <string.h>

typedef struct Fixed {
    uint32_t value;
} Fixed;
KEEL_COMPONENT(Fixed, .drop = owned_drop); // cannot be copied

// ------------------------------------------------------------------ assertions
static struct {
    uint32_t calls;
    char condition[64], message[300], file[200];
    int line;
} asserted;

static bool note_and_go_on(const char *condition, const char *message, const char *file, int line) {
    ++asserted.calls;
    asserted.line = line;
    strncpy(asserted.condition, condition, sizeof asserted.condition - 1);
    strncpy(asserted.message, message, sizeof asserted.message - 1);
    strncpy(asserted.file, file, sizeof asserted.file - 1);
    return false;
}

static void notice_assertions(void) {
    memset(&asserted, 0, sizeof asserted);
    keel_set_assert_handler(note_and_go_on);
}

// Only checked builds call the handler: find out by a mistake.
static bool is_checked(void) {
    notice_assertions();
    (void)keel_apply_commands(NULL);
    const bool checked = asserted.calls > 0;
    notice_assertions();
    return checked;
}

// ------------------------------------------------------------------ one way to each result
typedef keel_result wrong_fn(api_fixture *f, keel_entity e);

static keel_result absent(api_fixture *f, keel_entity e) { return keel_remove(f->world, e, Third); }
static keel_result dead(api_fixture *f, keel_entity e) {
    (void)e;
    return keel_add(f->world, keel_null(), Number);
}
static keel_result memory(api_fixture *f, keel_entity e) {
    counting_allocator_fail_once(&f->memory, 0);
    return keel_add(f->world, e, Large);
}
static keel_result full(api_fixture *f, keel_entity e) {
    (void)e;
    return keel_add_entity_columns(f->world, UINT32_MAX, NULL, NULL);
}
static keel_result occupied(api_fixture *f, keel_entity e) {
    return keel_add_entity_at(f->world, e);
}
static keel_result borrowed(api_fixture *f, keel_entity e) {
    keel_view view = open_view(f->world, KEEL_TERMS(KEEL_READ(Number, n)));
    const keel_result result = keel_remove(f->world, e, Number);
    keel_view_end(&view);
    return result;
}
static keel_result iterating(api_fixture *f, keel_entity e) {
    keel_view view = open_view(f->world, KEEL_TERMS(KEEL_EDIT(Number, n)));
    keel_iterator walk;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    const keel_result result = keel_remove(&view, e, Number);
    keel_view_end(&view);
    return result;
}
static keel_result shared(api_fixture *f, keel_entity e) {
    assert_int_equal(keel_share_begin(f->world), KEEL_OK);
    const keel_result result = keel_remove(f->world, e, Number);
    assert_int_equal(keel_share_end(f->world), KEEL_OK);
    return result;
}
static keel_result access_undeclared(api_fixture *f, keel_entity e) {
    keel_view view = open_view(f->world, KEEL_TERMS(KEEL_READ(Number, n)));
    const keel_result result = keel_remove(&view, e, Number);
    keel_view_end(&view);
    return result;
}
static keel_result component(api_fixture *f, keel_entity e) {
    static const keel_component clash = { .name = "Number", .size = 64, .file = "b.c" };
    return keel_add_component(f->world, e, &clash, NULL);
}
static keel_result missing_unique(api_fixture *f, keel_entity e) {
    (void)e;
    keel_view view;
    return keel_view_begin(&view, f->world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), "here");
}
static keel_result unknown(api_fixture *f, keel_entity e) {
    (void)e;
    return keel_run_named(f->world, "nowhere");
}
KEEL_SYSTEM_ONCE(failing, KEEL_CONTEXT(context)) {
    keel_fail(context, context, "it was %s", "bad");
}
static keel_result system_failed(api_fixture *f, keel_entity e) {
    (void)e;
    return keel_run(f->world, failing);
}
static keel_result argument(api_fixture *f, keel_entity e) {
    return keel_add_component(f->world, e, NULL, NULL);
}
static keel_result cycle(api_fixture *f, keel_entity e) { return keel_attach(f->world, e, e); }
static keel_result copy(api_fixture *f, keel_entity e) {
    (void)e;
    const keel_entity owner = keel_add_entity(f->world, KEEL_INIT(Fixed));
    return keel_clone_entities(f->world, owner, 2, NULL);
}
static keel_result not_one(api_fixture *f, keel_entity e) {
    keel_view view = open_view(f->world, KEEL_TERMS(KEEL_READ(Third, t)));
    const keel_result result = keel_view_single(&view, &e);
    keel_view_end(&view);
    return result;
}

static const struct way {
    wrong_fn *go;
    keel_result result;
    bool kept, asserts;
} ways[] = {
    { absent, KEEL_ABSENT, false, false },
    { dead, KEEL_ERROR_DEAD_ENTITY, false, false },
    { memory, KEEL_ERROR_MEMORY, true, false },
    { full, KEEL_ERROR_FULL, true, false },
    { occupied, KEEL_ERROR_OCCUPIED, true, false },
    { borrowed, KEEL_ERROR_BORROWED, true, false },
    { iterating, KEEL_ERROR_ITERATING, true, false },
    { shared, KEEL_ERROR_SHARED, true, false },
    { component, KEEL_ERROR_COMPONENT, true, false },
    { missing_unique, KEEL_ERROR_MISSING_UNIQUE, true, false },
    { unknown, KEEL_ERROR_UNKNOWN, true, false },
    { system_failed, KEEL_ERROR_SYSTEM, true, false },
    { cycle, KEEL_ERROR_CYCLE, true, false },
    { copy, KEEL_ERROR_COPY, true, false },
    { not_one, KEEL_ERROR_COUNT, false, false },
    { access_undeclared, KEEL_ERROR_ACCESS, true, true },
    { argument, KEEL_ERROR_ARGUMENT, true, true },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_kept(api_fixture *f, const struct way *way) {
    const keel_error error = *keel_first_error(f->world), last = *keel_last_error(f->world);
    keel_clear_errors(f->world);
    assert_int_equal(last.result, way->result < 0 ? way->result : KEEL_OK);
    assert_int_equal(last.message[0] != '\0', way->result < 0);
    assert_int_equal(error.result, way->kept ? way->result : KEEL_OK);
    assert_int_equal(f->log.errors, way->kept);
    assert_int_equal(f->log.warnings, 0);
    if (!way->kept) return;
    assert_string_equal(f->log.last, error.message);
    assert_in_range(strlen(error.message), 10, sizeof error.message - 1);
    assert_null(strchr(error.message, '\n'));
    assert_string_equal(error.system, way->go == system_failed ? "failing" : "");
    assert_int_equal(error.object != NULL, way->go == system_failed);
}

static void each_error_has_its_class(void **state) {
    (void)state;
    const bool checked = is_checked();
    for (uint32_t mode = 0; mode < 2; ++mode)
        for (uint32_t i = 0; i < WAYS; ++i) {
            api_fixture f;
            api_begin_with(&f, (keel_world_desc){ .on_misuse = mode ? KEEL_MISUSE_RETURN
                                                                    : KEEL_MISUSE_ASSERT });
            const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
            notice_assertions();
            assert_int_equal(ways[i].go(&f, e), ways[i].result);
            assert_int_equal(asserted.calls, checked && !mode && ways[i].asserts);
            check_kept(&f, &ways[i]);
            assert_int_equal(keel_get(f.world, e, Number)->value, 1);
            api_end(&f);
        }
    keel_set_assert_handler(NULL);
}

static void an_assertion_says_what_and_where(void **state) {
    (void)state;
    if (!is_checked()) skip();
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_ASSERT });
    notice_assertions();
    assert_int_equal(argument(&f, keel_add_entity(f.world)), KEEL_ERROR_ARGUMENT);
    assert_int_equal(asserted.calls, 1);
    assert_string_equal(asserted.message, keel_last_error(f.world)->message);
    assert_non_null(strstr(asserted.message, "the component is NULL"));
    assert_true(asserted.condition[0] && asserted.file[0] && asserted.line > 0);
    keel_set_assert_handler(NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ the first error
static void the_first_and_the_last_error_are_kept(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_OK);
    assert_string_equal(keel_last_error(f.world)->message, "");
    assert_int_equal(cycle(&f, e), KEEL_ERROR_CYCLE);
    assert_int_equal(unknown(&f, e), KEEL_ERROR_UNKNOWN);
    assert_int_equal(argument(&f, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(f.log.errors, 3); // all are logged
    assert_int_equal(keel_first_error(f.world)->result, KEEL_ERROR_CYCLE);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_ARGUMENT);
    assert_string_equal(keel_last_error(f.world)->message, f.log.last);
    assert_int_equal(keel_add(f.world, e, Number), KEEL_OK); // success does not wipe them
    assert_int_equal(keel_first_error(f.world)->result, KEEL_ERROR_CYCLE);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_int_equal(keel_first_error(f.world)->result, KEEL_OK);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_OK);
    assert_string_equal(keel_last_error(f.world)->message, "");
    assert_int_equal(unknown(&f, e), KEEL_ERROR_UNKNOWN);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_UNKNOWN);
    assert_error(f.world, KEEL_ERROR_UNKNOWN, "nowhere"); // the next first one
    api_end(&f);
}

static void a_failure_of_a_system_carries_its_object(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_run(f.world, failing), KEEL_ERROR_SYSTEM);
    const keel_error error = *keel_first_error(f.world);
    keel_clear_errors(f.world);
    assert_string_equal(error.system, "failing");
    assert_non_null(error.object);
    assert_string_equal(error.message, "system 'failing': it was bad");
    assert_null(keel_last_error(f.world)->object);
    assert_string_equal(keel_last_error(f.world)->system, "");
    api_end(&f);
}

static void long_names_are_cut(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    const keel_component a = { .name = name, .size = 4 }, b = { .name = name, .size = 8 };
    assert_non_null(keel_register_component(f.world, &a));
    assert_null(keel_register_component(f.world, &b));
    assert_int_equal(strlen(keel_last_error(f.world)->message), 255);
    assert_error(f.world, KEEL_ERROR_COMPONENT, "nnnn");
    assert_int_equal(keel_run_named(f.world, name), KEEL_ERROR_UNKNOWN);
    assert_error(f.world, KEEL_ERROR_UNKNOWN, "nnnn");
    api_end(&f);
}

// ------------------------------------------------------------------ texts and NULL
static keel_world *const no_world = NULL;

static void every_result_has_a_text(void **state) {
    (void)state;
#define CHECK_TEXT(name, number, text)                                                             \
    assert_int_equal(name, number);                                                                \
    assert_string_equal(keel_result_text(name), text);
    KEEL_RESULTS(CHECK_TEXT)
    assert_string_equal(keel_result_text((keel_result)(-99)), "unknown result");
    assert_string_equal(keel_result_text((keel_result)2), "unknown result");
}

static keel_result try_both(keel_result first, bool *went_on) {
    KEEL_TRY(first);
    *went_on = true;
    return KEEL_OK;
}

static void try_hands_errors_up_and_goes_on_otherwise(void **state) {
    (void)state;
    bool went_on = false;
    assert_int_equal(try_both(KEEL_ERROR_FULL, &went_on), KEEL_ERROR_FULL);
    assert_false(went_on);
    assert_int_equal(try_both(KEEL_ABSENT, &went_on), KEEL_OK);
    assert_true(went_on);
}

// Nothing crashes; looking answers nothing, edits are errors.
static void a_null_world_is_an_error(void **state) {
    (void)state;
    notice_assertions();
    const keel_entity e = handle_at(0, 0);
    keel_view view;
    memset(&view, 0xAB, sizeof view);
    const keel_result results[] = {
        keel_add(no_world, e, Number),
        keel_add_entity_at(no_world, e),
        keel_add_entity_columns(no_world, 1, NULL, NULL),
        keel_clone_entities(no_world, e, 1, NULL),
        keel_delete_entity(no_world, e),
        keel_delete_entities(no_world, &e, 1),
        keel_delete_entities_having(no_world, Number),
        keel_clear_entities(no_world),
        keel_remove(no_world, e, Number),
        keel_delete(no_world, e, Number),
        keel_strip(no_world, e),
        keel_clear(no_world, Number),
        keel_reserve(no_world, Number, 1),
        keel_reserve_component(no_world, &keel_entities, 1),
        keel_attach(no_world, e, e),
        keel_detach(no_world, e),
        keel_unlink(no_world, e),
        keel_unlink_tree(no_world, e),
        keel_delete_tree(no_world, e),
        keel_set_unique(no_world, Time, { 0, 0 }),
        keel_remove_unique(no_world, Time),
        keel_view_begin(&view, no_world, KEEL_TERMS(KEEL_READ(Number, n)), "nowhere"),
        keel_run(no_world, failing),
        keel_run_named(no_world, "x"),
        keel_apply_commands(no_world),
        keel_share_begin(no_world),
        keel_share_end(no_world),
        keel_world_trim(no_world),
        keel_unregister_component(no_world, KEEL_OF(Number)),
    };
    for (uint32_t i = 0; i < sizeof results / sizeof *results; ++i)
        assert_int_equal(results[i], KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_view_count(&view), 0); // closed, not garbage
    keel_view_end(&view);
    keel_set_assert_handler(NULL);
}

static void looking_into_no_world_finds_nothing(void **state) {
    (void)state;
    notice_assertions();
    const keel_entity e = handle_at(0, 0);
    assert_null(keel_get(no_world, e, Number));
    assert_null(keel_get_mut(no_world, e, Number));
    assert_false(keel_has(no_world, e, Number));
    assert_false(keel_is_alive(no_world, e));
    assert_true(keel_is_null(keel_add_entity(no_world)));
    assert_true(keel_is_null(keel_clone_entity(no_world, e)));
    assert_true(keel_is_null(keel_next_entity(no_world, keel_null())));
    assert_true(keel_is_null(keel_parent_of(no_world, e)));
    assert_null(keel_get_unique(no_world, Time));
    assert_null(keel_get_unique_mut(no_world, Time));
    assert_null(keel_register_component(no_world, KEEL_OF(Number)));
    assert_null(keel_find_component(no_world, "Number"));
    assert_null(keel_next_component(no_world, NULL));
    assert_null(keel_world_commands(no_world));
    assert_int_equal(keel_entity_count(no_world), 0);
    assert_int_equal(keel_count(no_world, Number), 0);
    assert_int_equal(keel_last_error(no_world)->result, KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_first_error(no_world)->result, KEEL_ERROR_ARGUMENT);
    keel_clear_errors(no_world);
    keel_set_assert_handler(NULL);
}

// The call before is the one that the last error tells of, also where it met a dead entity, and
// where a function of the caller's failed.
static keel_result refuse(keel_world *world, void *data) {
    (void)world, (void)data;
    return KEEL_ERROR_ARGUMENT;
}
static void a_dead_entity_leaves_its_own_error(void **state) {
    api_fixture f;
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world), gone = keel_add_entity(f.world);
    keel_delete_entity(f.world, gone);
    assert_int_equal(keel_attach(f.world, e, e), KEEL_ERROR_CYCLE); // an older one
    assert_int_equal(keel_attach(f.world, gone, e), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_DEAD_ENTITY);
    assert_non_null(
        strstr(keel_last_error(f.world)->message, "keel_attach: the entity 1v0 is not"));
    assert_int_equal(keel_first_error(f.world)->result, KEEL_ERROR_CYCLE);
    assert_int_equal(keel_add(f.world, keel_null(), Number, { 1 }), KEEL_ERROR_DEAD_ENTITY);
    assert_non_null(strstr(keel_last_error(f.world)->message, "keel_add: the entity is null"));
    assert_int_equal(f.log.errors, 1); // ordinary in a game: nothing is logged

    keel_clear_errors(f.world);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_OK);
    assert_int_equal(keel_commands_call(keel_world_commands(f.world), refuse, NULL, 0), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a function of keel_commands_call failed");

    // a command that is dropped is no failure
    const keel_entity late = keel_add_entity(f.world);
    assert_int_equal(keel_add(keel_world_commands(f.world), late, Number, { 1 }), KEEL_OK);
    keel_delete_entity(f.world, late);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_OK);
    api_end(&f);
}

// An allocator and a logger may forget errors where the world's lock is held.
static keel_world *forgetful;
static void *resize_and_forget(void *context, void *block, size_t old_size, size_t new_size,
                               size_t align) {
    if (forgetful) keel_clear_errors(forgetful);
    const counting_allocator *memory = context;
    return memory->allocator.resize(memory->allocator.context, block, old_size, new_size, align);
}
static void log_and_forget(void *context, keel_log_level level, const char *message) {
    (void)context, (void)level, (void)message;
    if (forgetful) keel_clear_errors(forgetful);
}
static void errors_are_forgotten_anywhere(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .allocator = { .resize = resize_and_forget, .context = &memory },
                            .log = { .write = log_and_forget } });
    forgetful = world;
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    for (uint32_t i = 0; i < 1000; ++i)
        assert_int_equal(keel_add(keel_world_commands(world), e, Number, { i }), KEEL_OK);
    assert_int_equal(keel_add(world, e, Number, { 1 }), KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(world), KEEL_OK);
    assert_int_equal(keel_apply_commands(world), KEEL_OK);
    forgetful = NULL;
    keel_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(each_error_has_its_class, "each error is returned, kept, logged and asserted by class"),
    TEST(an_assertion_says_what_and_where, "an assertion says what was wrong and where"),
    TEST(the_first_and_the_last_error_are_kept,
         "the first and the last error are kept until they are cleared (B7)"),
    TEST(a_failure_of_a_system_carries_its_object, "a failing system hands its object out"),
    TEST(long_names_are_cut, "long names are cut to fit the message"),
    TEST(every_result_has_a_text, "every result has its number and its text"),
    TEST(try_hands_errors_up_and_goes_on_otherwise, "KEEL_TRY hands errors up, absence not"),
    TEST(a_null_world_is_an_error, "edits of no world are errors"),
    TEST(looking_into_no_world_finds_nothing, "looking into no world finds nothing"),
    TEST(a_dead_entity_leaves_its_own_error,
         "a call that meets a dead entity leaves its own error"),
    TEST(errors_are_forgotten_anywhere, "errors are forgotten in allocators and loggers, too"),
};
int main(void) { return RUN(tests); }
