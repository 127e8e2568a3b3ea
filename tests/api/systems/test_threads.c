// SPDX-License-Identifier: MIT
// Components and uniques that are bound to threads: what each rule allows where. Where two threads
// touch a world in owner mode, one waits for the other.
#include "support/elsewhere.h"
#include "support/view_fixture.h"

#include <string.h>

// Written by the world's thread only; read by all.
typedef struct Window {
    uint32_t width;
} Window;
// One thread at a time: reading counts, too.
typedef struct Counter {
    uint32_t *reads; // not atomic
} Counter;
// The world's thread only.
typedef struct Script {
    uint32_t state;
} Script;
KEEL_COMPONENT(Window, .threads = KEEL_THREADS_OWNER_WRITES);
KEEL_UNIQUE(Window, .threads = KEEL_THREADS_OWNER_WRITES);
KEEL_COMPONENT(Counter, .threads = KEEL_THREADS_ONE_AT_A_TIME);
KEEL_UNIQUE(Counter, .threads = KEEL_THREADS_ONE_AT_A_TIME);
KEEL_COMPONENT(Script, .threads = KEEL_THREADS_OWNER_ONLY, .storage = KEEL_INDEXED);
KEEL_UNIQUE(Script, .threads = KEEL_THREADS_OWNER_ONLY);

// A world with one entity of everything, and what another thread found out about it.
enum { FINDINGS = 24 };
typedef struct scene {
    api_fixture f;
    keel_world *world;
    keel_entity e, plain; // one with all, one with Number only
    keel_result results[FINDINGS];
    const void *pointers[FINDINGS];
    uint32_t result_count, pointer_count;
} scene;

static void begin(scene *s) {
    *s = (scene){ 0 };
    api_begin(&s->f);
    s->world = s->f.world;
    s->e = keel_add_entity(s->world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Window, { 640 }),
                           KEEL_INIT(Counter), KEEL_INIT(Script, { 7 }));
    s->plain = keel_add_entity(s->world, KEEL_INIT(Number, { 2 }));
    keel_set_unique(s->world, Window, { 800 });
    keel_set_unique(s->world, Counter, { NULL });
    keel_set_unique(s->world, Script, { 9 });
    assert_no_error(s->world);
}
static void end(scene *s) { api_end(&s->f); }

static void found(scene *s, keel_result result) { s->results[s->result_count++] = result; }
static void found_pointer(scene *s, const void *p) { s->pointers[s->pointer_count++] = p; }
static void assert_all_found(scene *s, keel_result result) {
    assert_true(s->result_count > 0 || s->pointer_count > 0);
    for (uint32_t i = 0; i < s->result_count; ++i)
        if (s->results[i] != result)
            fail_msg("call %u: %s", (unsigned)i, keel_result_text(s->results[i]));
    for (uint32_t i = 0; i < s->pointer_count; ++i)
        if ((s->pointers[i] == NULL) != (result < 0)) fail_msg("pointer %u", (unsigned)i);
    s->result_count = s->pointer_count = 0;
}

// Open a view and end it.
static keel_result open_once(scene *s, const keel_term *terms) {
    keel_view view;
    const keel_result result = keel_view_begin(&view, s->world, terms, "a view elsewhere");
    if (result == KEEL_OK) keel_view_end(&view);
    return result;
}

// ------------------------------------------------------------------ adding
static void *add_owned(void *data) {
    scene *s = data;
    keel_commands *commands = keel_world_commands(s->world);
    found(s, keel_add(s->world, s->plain, Window, { 1 }));
    found(s, keel_add(s->world, s->e, Window, { 1 })); // overwriting
    found(s, keel_add(s->world, s->plain, Script, { 1 }));
    found(s, keel_add_values(s->world, s->plain, KEEL_INIT(Number), KEEL_INIT(Window)));
    found(s, keel_add_entities(s->world, 2, NULL, KEEL_FILL(Script)));
    found(s, keel_set_unique(s->world, Window, { 1 }));
    found(s, keel_set_unique(s->world, Script, { 1 }));
    found(s, keel_add(commands, s->plain, Window, { 1 }));
    found(s, keel_add(commands, s->plain, Script, { 1 }));
    found_pointer(s, keel_get_or_add(s->world, s->plain, Window));
    found_pointer(s, keel_get_or_add(s->world, s->plain, Script));
    if (!keel_is_null(keel_add_entity(s->world, KEEL_INIT(Window)))) found(s, KEEL_OK);
    if (!keel_is_null(keel_add_entity(commands, KEEL_INIT(Window)))) found(s, KEEL_OK);
    if (!keel_is_null(keel_clone_entity(s->world, s->e))) found(s, KEEL_OK);
    return NULL;
}

static void *add_others(void *data) {
    scene *s = data;
    found(s, keel_add(s->world, s->plain, Number, { 3 }));
    found(s, keel_add(s->world, s->plain, Counter));
    found(s, keel_set_unique(s->world, Counter, { NULL }));
    found(s, keel_delete(s->world, s->plain, Counter));
    return NULL;
}

static void owned_values_are_added_in_the_worlds_thread(void **state) {
    (void)state;
    scene s;
    begin(&s);
    const uint32_t before = keel_entity_count(s.world);
    elsewhere(add_owned, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "'Window'");
    assert_int_equal(keel_entity_count(s.world), before);
    assert_false(keel_has(s.world, s.plain, Window) || keel_has(s.world, s.plain, Script));
    assert_int_equal(keel_get(s.world, s.e, Window)->width, 640);
    assert_int_equal(keel_apply_commands(s.world), KEEL_OK);
    assert_int_equal(keel_entity_count(s.world), before);
    elsewhere(add_others, &s); // whose values may come from any thread
    assert_all_found(&s, KEEL_OK);
    (void)add_owned(&s); // at home
    for (uint32_t i = 0; i < s.result_count; ++i)
        assert_int_equal(s.results[i], KEEL_OK);
    end(&s);
}

// A component that the world does not know yet.
typedef struct Late {
    uint32_t value;
} Late;
KEEL_COMPONENT(Late, .threads = KEEL_THREADS_OWNER_ONLY);

static void *register_late(void *data) {
    scene *s = data;
    found_pointer(s, keel_register_component(s->world, KEEL_OF(Late)));
    found(s, open_once(s, KEEL_TERMS(KEEL_READ(Late, l))));
    return NULL;
}

static void owned_storages_are_made_in_the_worlds_thread(void **state) {
    (void)state;
    scene s;
    begin(&s);
    elsewhere(register_late, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "'Late'");
    assert_null(keel_find_component(s.world, "Late"));
    (void)register_late(&s);
    assert_all_found(&s, KEEL_OK);
    end(&s);
}

// ------------------------------------------------------------------ OWNER_WRITES
static void *read_window(void *data) {
    scene *s = data;
    keel_lookup windows = keel_lookup_of(s->world, Window);
    found(s, open_once(s, KEEL_TERMS(KEEL_READ(Window, w))));
    found(s, open_once(s, KEEL_TERMS(KEEL_OPTIONAL_READ(Window, w), KEEL_WRITE(Number, n))));
    found(s, open_once(s, KEEL_TERMS(KEEL_UNIQUE_READ(Window, w))));
    found_pointer(s, keel_get(s->world, s->e, Window));
    found_pointer(s, keel_get_unique(s->world, Window));
    found_pointer(s, keel_lookup_get(&windows, s->e, Window));
    return NULL;
}

static void *write_window(void *data) {
    scene *s = data;
    found(s, open_once(s, KEEL_TERMS(KEEL_WRITE(Window, w))));
    found(s, open_once(s, KEEL_TERMS(KEEL_OPTIONAL_WRITE(Window, w), KEEL_READ(Number, n))));
    found(s, open_once(s, KEEL_TERMS(KEEL_MAY_EDIT(Window))));
    found(s, open_once(s, KEEL_TERMS(KEEL_UNIQUE_WRITE(Window, w))));
    return NULL;
}

static void *edit_window(void *data) {
    scene *s = data;
    (void)write_window(s);
    found(s, keel_delete(s->world, s->e, Window));
    found(s, keel_remove(s->world, s->e, Window));
    found(s, keel_clear(s->world, Window));
    found(s, keel_strip(s->world, s->e));
    found(s, keel_delete_entity(s->world, s->e));
    found(s, keel_delete_entities_having(s->world, Number));
    found(s, keel_clear_entities(s->world));
    found(s, keel_remove_unique(s->world, Window));
    found(s, keel_unregister_component(s->world, KEEL_OF(Window)));
    found_pointer(s, keel_get_mut(s->world, s->e, Window));
    found_pointer(s, keel_get_unique_mut(s->world, Window));
    return NULL;
}

static void others_only_read_what_the_owner_writes(void **state) {
    (void)state;
    scene s;
    begin(&s);
    elsewhere(read_window, &s);
    assert_all_found(&s, KEEL_OK);
    elsewhere(edit_window, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "a view elsewhere cannot write 'Window'");
    assert_true(keel_is_alive(s.world, s.e) && keel_has(s.world, s.e, Window));
    assert_int_equal(keel_share_begin(s.world), KEEL_OK);
    elsewhere(read_window, &s);
    assert_all_found(&s, KEEL_OK);
    elsewhere(write_window, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "KEEL_THREADS_OWNER_WRITES");
    (void)write_window(&s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_share_end(s.world), KEEL_OK);
    end(&s);
}

// ------------------------------------------------------------------ OWNER_ONLY
static void *use_script(void *data) {
    scene *s = data;
    keel_lookup scripts = keel_lookup_of(s->world, Script);
    found(s, open_once(s, KEEL_TERMS(KEEL_READ(Script, x))));
    found(s, open_once(s, KEEL_TERMS(KEEL_WRITE(Script, x))));
    found(s, open_once(s, KEEL_TERMS(KEEL_UNIQUE_READ(Script, x))));
    found(s, open_once(s, KEEL_TERMS(KEEL_MAY_READ(Script))));
    found_pointer(s, keel_get(s->world, s->e, Script));
    found_pointer(s, keel_get_unique(s->world, Script));
    found_pointer(s, keel_lookup_get(&scripts, s->e, Script));
    return NULL;
}

static void *edit_script(void *data) {
    scene *s = data;
    (void)use_script(s);
    found(s, keel_delete(s->world, s->e, Script));
    found(s, keel_disable(s->world, s->e, Script));
    found(s, keel_delete_entity(s->world, s->e));
    found(s, keel_remove_unique(s->world, Script));
    found(s, keel_world_trim(s->world));
    found_pointer(s, keel_get_mut(s->world, s->e, Script));
    found_pointer(s, keel_get_unique_mut(s->world, Script));
    return NULL;
}

static void only_the_owner_uses_what_is_its_own(void **state) {
    (void)state;
    scene s;
    begin(&s);
    elsewhere(edit_script, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "KEEL_THREADS_OWNER_ONLY");
    assert_int_equal(keel_get(s.world, s.e, Script)->state, 7);
    (void)use_script(&s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_share_begin(s.world), KEEL_OK);
    elsewhere(use_script, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    (void)use_script(&s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_share_end(s.world), KEEL_OK);
    keel_clear_errors(s.world);
    end(&s);
}

static void *delete_from_above(void *data) {
    scene *s = data;
    const keel_entity parent = keel_parent_of(s->world, s->e), list[] = { s->plain, s->e };
    found(s, keel_delete_tree(s->world, parent));
    found(s, keel_delete_tree(s->world, keel_parent_of(s->world, parent)));
    found(s, keel_delete_entities(s->world, list, 2));
    return NULL;
}

static void what_is_below_or_listed_counts(void **state) {
    (void)state;
    scene s;
    begin(&s);
    assert_int_equal(keel_attach(s.world, s.e, s.plain), KEEL_OK);
    const keel_entity root = keel_add_entity(s.world);
    assert_int_equal(keel_attach(s.world, s.plain, root), KEEL_OK);
    elsewhere(delete_from_above, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "KEEL_THREADS_OWNER");
    assert_int_equal(keel_entity_count(s.world), 3);
    assert_int_equal(keel_delete_tree(s.world, root), KEEL_OK);
    assert_int_equal(keel_entity_count(s.world), 0);
    end(&s);
}

static void *delete_it(void *data) {
    scene *s = data;
    found(s, keel_delete_entity(s->world, s->e));
    found(s, keel_delete_entities_having(s->world, Script));
    found(s, keel_strip(s->world, s->e));
    return NULL;
}

static void a_refused_deletion_takes_nothing(void **state) {
    (void)state;
    scene s;
    begin(&s);
    assert_int_equal(keel_add(s.world, s.e, Other, { 3 }), KEEL_OK); // the last to come
    elsewhere(delete_it, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "KEEL_THREADS_OWNER");
    assert_true(keel_has(s.world, s.e, Number) && keel_has(s.world, s.e, Other));
    end(&s);
}

// ------------------------------------------------------------------ ONE_AT_A_TIME
static void *read_counter(void *data) {
    scene *s = data;
    found(s, open_once(s, KEEL_TERMS(KEEL_READ(Counter, c))));
    found(s, open_once(s, KEEL_TERMS(KEEL_UNIQUE_READ(Counter, c))));
    found_pointer(s, keel_get(s->world, s->e, Counter));
    found_pointer(s, keel_get_unique(s->world, Counter));
    return NULL;
}
static void *write_counter(void *data) {
    scene *s = data;
    found(s, open_once(s, KEEL_TERMS(KEEL_WRITE(Counter, c), KEEL_UNIQUE_WRITE(Counter, u))));
    return NULL;
}

static void one_thread_at_a_time_even_to_read(void **state) {
    (void)state;
    scene s;
    begin(&s);
    assert_int_equal(keel_share_begin(s.world), KEEL_OK);
    elsewhere(read_counter, &s);
    elsewhere(write_counter, &s);
    assert_all_found(&s, KEEL_OK);
    const keel_term *reads = KEEL_TERMS(KEEL_READ(Counter, c), KEEL_UNIQUE_READ(Counter, u));
    keel_view view = open_view(s.world, reads), second = open_view(s.world, reads); // one thread
    elsewhere(read_counter, &s);
    assert_all_found(&s, KEEL_ERROR_BORROWED);
    assert_error(s.world, KEEL_ERROR_BORROWED, "'Counter'");
    keel_view_end(&view);
    elsewhere(read_counter, &s);
    assert_all_found(&s, KEEL_ERROR_BORROWED);
    assert_error(s.world, KEEL_ERROR_BORROWED, "KEEL_THREADS_ONE_AT_A_TIME");
    elsewhere(write_counter, &s);
    assert_all_found(&s, KEEL_ERROR_BORROWED);
    keel_view_end(&second);
    keel_clear_errors(s.world);
    elsewhere(read_counter, &s);
    elsewhere(write_counter, &s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_share_end(s.world), KEEL_OK);
    end(&s);
}

enum { THREADS = 4, ROUNDS = 2000 };
typedef struct reader {
    keel_world *world;
    uint32_t successes, wrong;
    pthread_t thread;
} reader;

static void *read_often(void *data) {
    reader *r = data;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        keel_view view, again;
        const keel_term *terms = KEEL_TERMS(KEEL_UNIQUE_READ(Counter, c));
        const keel_result result = keel_view_begin(&view, r->world, terms, "a reader");
        if (result != KEEL_OK && result != KEEL_ERROR_BORROWED) ++r->wrong;
        if (result != KEEL_OK) continue;
        if (keel_view_begin(&again, r->world, terms, "a reader") != KEEL_OK) ++r->wrong;
        ++*keel_get_unique(&view, Counter)->reads; // two at once would lose some, or worse
        ++r->successes;
        keel_view_end(&view);
        ++*keel_get_unique(&again, Counter)->reads;
        keel_view_end(&again);
    }
    return NULL;
}

static void threads_that_read_at_once_exclude_each_other(void **state) {
    (void)state;
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .log = keel_log_none });
    uint32_t reads = 0, successes = 0;
    keel_set_unique(f.world, Counter, { &reads });
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    reader readers[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        readers[i] = (reader){ .world = f.world };
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_often, &readers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
        successes += readers[i].successes;
    }
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_true(successes > 0);
    assert_int_equal(reads, 2 * successes);
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(widen, KEEL_WRITE(Window, w)) { ++w->width; }
KEEL_SYSTEM(show, KEEL_READ(Window, w), KEEL_WRITE(Number, n)) { n->value = w->width; }
KEEL_SYSTEM(think, KEEL_READ(Script, s), KEEL_WRITE(Number, n)) { n->value = s->state; }
KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Script, s)) { ++s->state; }
KEEL_SYSTEM_ONCE(count, KEEL_UNIQUE_READ(Counter, c)) { assert_null(c->reads); }

static void *run_bound(void *data) {
    scene *s = data;
    found(s, keel_run(s->world, widen));
    found(s, keel_run(s->world, think));
    found(s, keel_run(s->world, tick));
    return NULL;
}
static void *run_free(void *data) {
    scene *s = data;
    found(s, keel_run(s->world, show));
    found(s, keel_run(s->world, count));
    return NULL;
}

static void systems_are_held_to_the_rules(void **state) {
    (void)state;
    scene s;
    begin(&s);
    elsewhere(run_bound, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "widen");
    elsewhere(run_free, &s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_get(s.world, s.e, Number)->value, 640);
    for (uint32_t i = 0; i < 2; ++i) // the second time with their terms bound
        (void)run_bound(&s);
    assert_all_found(&s, KEEL_OK);
    elsewhere(run_bound, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_int_equal(keel_get_unique(s.world, Script)->state, 11);
    keel_clear_errors(s.world);
    end(&s);
}

// ------------------------------------------------------------------ commands
static void *apply(void *data) {
    scene *s = data;
    found(s, keel_apply_commands(s->world));
    return NULL;
}

static void *record_removal(void *data) {
    scene *s = data;
    found(s, keel_delete(keel_world_commands(s->world), s->plain, Script));
    return NULL;
}

static void commands_wait_for_their_thread(void **state) {
    (void)state;
    scene s;
    begin(&s);
    keel_add(keel_world_commands(s.world), s.plain, Number, { 5 });
    keel_add(keel_world_commands(s.world), s.plain, Script, { 6 });
    elsewhere(apply, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "'Script'");
    assert_int_equal(keel_get(s.world, s.plain, Number)->value, 5); // what came before
    assert_false(keel_has(s.world, s.plain, Script));
    assert_int_equal(keel_apply_commands(s.world), KEEL_OK);
    assert_int_equal(keel_get(s.world, s.plain, Script)->state, 6);
    elsewhere(record_removal, &s); // carries no value
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_apply_commands(s.world), KEEL_OK);
    assert_false(keel_has(s.world, s.plain, Script));
    end(&s);
}

// ------------------------------------------------------------------ another owner
static void *adopt(void *data) {
    scene *s = data;
    found(s, keel_adopt_world(s->world));
    return NULL;
}
static void *adopt_and_use(void *data) {
    scene *s = data;
    (void)adopt(s);
    found(s, keel_add(s->world, s->plain, Script, { 3 }));
    found_pointer(s, keel_get(s->world, s->plain, Script));
    found(s, keel_delete(s->world, s->plain, Script));
    return NULL;
}

static void a_world_is_adopted_when_nothing_is_bound(void **state) {
    (void)state;
    scene s;
    begin(&s);
    assert_int_equal(keel_adopt_world(s.world), KEEL_OK); // it is ours
    elsewhere(adopt, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "'Window'");
    keel_delete(s.world, s.e, Window, Script);
    keel_remove_unique(s.world, Window);
    keel_remove_unique(s.world, Script);
    keel_add(keel_world_commands(s.world), s.plain, Number, { 5 });
    elsewhere(adopt, &s);
    assert_all_found(&s, KEEL_ERROR_THREAD);
    assert_error(s.world, KEEL_ERROR_THREAD, "keel_apply_commands");
    assert_int_equal(keel_apply_commands(s.world), KEEL_OK);
    keel_view view = open_view(s.world, KEEL_TERMS(KEEL_READ(Number, n)));
    elsewhere(adopt, &s);
    assert_all_found(&s, KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(s.world), KEEL_OK);
    elsewhere(adopt, &s);
    assert_all_found(&s, KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(s.world), KEEL_OK);
    keel_clear_errors(s.world);
    elsewhere(adopt_and_use, &s);
    assert_all_found(&s, KEEL_OK);
    assert_int_equal(keel_add(s.world, s.plain, Script, { 3 }), KEEL_ERROR_THREAD); // not ours now
    assert_error(s.world, KEEL_ERROR_THREAD, "keel_adopt_world");
    assert_int_equal(keel_adopt_world(s.world), KEEL_OK);
    assert_int_equal(keel_add(s.world, s.plain, Script, { 3 }), KEEL_OK);
    end(&s);
}

static void *destroy(void *data) {
    scene *s = data;
    keel_world_destroy(s->world);
    return NULL;
}

static void destroying_elsewhere_is_noticed(void **state) {
    (void)state;
    scene s;
    begin(&s);
    elsewhere(destroy, &s);
    assert_int_equal(s.f.log.errors, 1);
    assert_non_null(strstr(s.f.log.last, "'Window'"));
    assert_int_equal(s.f.memory.live_bytes, 0);
}

static const struct CMUnitTest tests[] = {
    // proves S-100 S-101
    TEST(owned_values_are_added_in_the_worlds_thread,
         "values of the owner are added in the world's thread only"),
    // proves S-101
    TEST(owned_storages_are_made_in_the_worlds_thread,
         "their storages are made in the world's thread only"),
    // proves S-102
    TEST(one_thread_at_a_time_even_to_read, "one thread at a time, also to read"),
    // proves S-102
    TEST(threads_that_read_at_once_exclude_each_other,
         "threads that read at once exclude each other"),
    // proves S-103
    TEST(others_only_read_what_the_owner_writes, "other threads only read what the owner writes"),
    // proves S-104
    TEST(only_the_owner_uses_what_is_its_own, "only the world's thread uses what is its own"),
    TEST(a_refused_deletion_takes_nothing, "a deletion that is refused takes nothing"),
    TEST(what_is_below_or_listed_counts, "what is bound below an entity, or in a list, counts"),
    // proves S-105 S-106
    TEST(systems_are_held_to_the_rules,
         "systems and uniques are held to the rules, and errors name both"),
    TEST(commands_wait_for_their_thread, "commands with such values wait for their thread"),
    TEST(a_world_is_adopted_when_nothing_is_bound,
         "another thread adopts a world when nothing is bound to the old one"),
    TEST(destroying_elsewhere_is_noticed, "destroying a world in the wrong thread is noticed"),
};
int main(void) { return RUN(tests); }
