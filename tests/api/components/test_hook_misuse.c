// SPDX-License-Identifier: MIT
// Hooks, allocators and other functions that an edit calls, and that use the world all the same:
// they are refused, and the edit goes on.
#include "support/api_types.h"

typedef struct Caller {
    uint32_t value;
} Caller;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Stays {
    uint32_t value;
} Stays;
typedef struct Single {
    uint32_t value;
} Single;
typedef struct Later {
    uint32_t value;
} Later;

static void call_drop(void *value, void *hook_data);
static bool call_copy(void *to, const void *from, void *hook_data);
static void call_move(void *to, void *from, void *hook_data);
static uint64_t call_hash(const void *value, void *hook_data);
#define HOOKS .drop = call_drop, .copy = call_copy, .move = call_move, .hash = call_hash
KEEL_COMPONENT(Caller, .tracking = KEEL_TRACK_DELETION, HOOKS);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, HOOKS);
KEEL_COMPONENT(Stays, .storage = KEEL_INDEXED, HOOKS);
KEEL_UNIQUE(Single, HOOKS);
KEEL_EVENT(Single, HOOKS);
KEEL_COMPONENT(Later);

// ------------------------------------------------------------------ what they try
static api_fixture f;
static keel_world *w; // NULL: they do nothing
static keel_view *open_view;
static keel_entity victim;
static uint32_t calls;

static void on_number(const keel_change *event, void *data) { (void)event, (void)data; }
KEEL_SYSTEM_ONCE(write_number, KEEL_MAY_WRITE(Number)) { ++calls; }

// These may need memory first, which an allocator does not get.
static void try_reading(void) {
    keel_view view;
    assert_true(keel_run(w, write_number) < 0);
    assert_true(keel_view_begin(&view, w, KEEL_TERMS(KEEL_WRITE(Number, n)), "a view") < 0);
}

static void try_all(void) {
    if (!w) return;
    keel_world *const world = w;
    ++calls;
    assert_true(keel_is_null(keel_add_entity(world, KEEL_INIT(Number, { 1 }))));
    assert_true(keel_is_null(keel_add_entity(world)));
    assert_int_equal(keel_add(world, victim, Number, { 2 }), KEEL_ERROR_SHARED);
    assert_int_equal(keel_delete(world, victim, Number), KEEL_ERROR_SHARED);
    assert_int_equal(keel_delete_entity(world, victim), KEEL_ERROR_SHARED);
    assert_null(keel_get_mut(world, victim, Number));
    assert_int_equal(keel_set_unique(world, Time, { 1, 1 }), KEEL_ERROR_SHARED);
    assert_int_equal(keel_register(world, Later), KEEL_ERROR_SHARED);
    assert_int_equal(keel_observe(world, Number, KEEL_ON_INSERTED, on_number, NULL),
                     KEEL_ERROR_SHARED);
    try_reading();
    keel_world_destroy(world);
    if (open_view) assert_int_equal(keel_add(open_view, victim, Number, { 3 }), KEEL_ERROR_SHARED);
}

static void call_drop(void *value, void *hook_data) { (void)value, (void)hook_data, try_all(); }
static bool call_copy(void *to, const void *from, void *hook_data) {
    (void)hook_data;
    *(uint32_t *)to = *(const uint32_t *)from;
    try_all();
    return true;
}
static void call_move(void *to, void *from, void *hook_data) {
    (void)hook_data;
    *(uint32_t *)to = *(const uint32_t *)from;
    try_all();
}
static uint64_t call_hash(const void *value, void *hook_data) {
    (void)hook_data;
    try_all();
    return *(const uint32_t *)value;
}

// Since the last time something called, and said no.
static void assert_called(const char *message) {
    assert_true(calls > 0);
    calls = 0;
    assert_error(w, KEEL_ERROR_SHARED, message);
    assert_int_equal(keel_get(w, victim, Number)->value, 7);
    assert_null(keel_find_component(w, "Later"));
    assert_true(keel_world_check(w, NULL));
}
static const char *const by_hook = "a hook or an allocator cannot use the world";
static const char *const by_copy = "while it is copied into another one";
static const char *const by_function = "a function that an edit calls cannot edit the world";

static void begin(void) {
    api_begin(&f);
    victim = keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_OK);
    w = f.world;
    calls = 0;
}
static void end(void) {
    w = NULL;
    open_view = NULL;
    api_end(&f);
}

// ------------------------------------------------------------------ hooks
#define TRY_COMPONENT(T)                                                                           \
    do {                                                                                           \
        keel_entity e[3];                                                                          \
        begin();                                                                                   \
        const T values[3] = { { 1 }, { 2 }, { 3 } };                                               \
        assert_int_equal(keel_add_entities(w, 3, e, KEEL_COLUMN(T, values)), KEEL_OK);             \
        assert_called(by_hook);                                                                    \
        assert_int_equal(keel_add(w, e[1], T, { 4 }), KEEL_OK); /* overwrites */                   \
        assert_called(by_hook);                                                                    \
        assert_false(keel_is_null(keel_clone_entity(w, e[0])));                                    \
        assert_called(by_hook);                                                                    \
        assert_int_equal(keel_delete(w, e[0], T), KEEL_OK);                                        \
        if (&KEEL_COMPONENT_##T != &KEEL_COMPONENT_Caller) assert_called(by_hook);                 \
        assert_int_equal(keel_add(keel_world_commands(w), e[0], T, { 5 }), KEEL_OK);               \
        assert_called(by_hook);                                                                    \
        assert_int_equal(keel_apply_commands(w), KEEL_OK);                                         \
        assert_called(by_hook);                                                                    \
        assert_int_equal(keel_get(w, e[1], T)->value, 4);                                          \
        assert_int_equal(keel_count(w, T), 4);                                                     \
        assert_int_equal(keel_delete_entity(w, e[1]), KEEL_OK);                                    \
        assert_called(by_hook);                                                                    \
        assert_int_equal(keel_clear(w, T), KEEL_OK);                                               \
        (void)keel_clear_changes(w, T, KEEL_TRACK_ALL, KEEL_NOW);                                  \
        assert_called(by_hook);                                                                    \
        end();                                                                                     \
    } while (0)

static void hooks_of_components(void **state) {
    (void)state;
    TRY_COMPONENT(Caller);
    TRY_COMPONENT(Row);
    TRY_COMPONENT(Stays);
}

// Nothing else is there, as the rest cannot be hashed.
static void hash_hooks(void **state) {
    (void)state;
    uint64_t hash;
    api_begin(&f);
    victim = keel_add_entity(f.world, KEEL_INIT(Caller, { 5 }));
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    w = f.world;
    calls = 0;
    assert_int_equal(keel_world_hash(w, &hash), KEEL_OK);
    assert_int_equal(calls, 1);
    assert_error(w, KEEL_ERROR_SHARED, by_hook);
    end();
}

static void hooks_of_uniques_and_events(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_set_unique(w, Single, { 1 }), KEEL_OK);
    assert_called(by_hook);
    assert_int_equal(keel_set_unique(w, Single, { 2 }), KEEL_OK);
    assert_called(by_hook);
    assert_int_equal(keel_get_unique(w, Single)->value, 2);
    for (uint32_t i = 0; i < 40; ++i)
        assert_int_equal(keel_send(w, Single, { i }), KEEL_OK);
    assert_called(by_hook);
    assert_int_equal(keel_event_count(w, Single), 40);
    assert_int_equal(keel_clear_events(w, Single), KEEL_OK);
    assert_called(by_hook);
    assert_int_equal(keel_remove_unique(w, Single), KEEL_OK);
    assert_called(by_hook);
    end();
}

// An edit through a view calls them, and they have that view in hand.
static void hooks_with_an_open_view(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(w);
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT(Caller), KEEL_MAY_EDIT(Number)), "edit"),
        KEEL_OK);
    open_view = &view;
    assert_int_equal(keel_add(&view, e, Caller, { 1 }), KEEL_OK);
    open_view = NULL;
    keel_view_end(&view);
    assert_called(by_hook);
    end();
}

static void hooks_at_the_end_of_the_world(void **state) {
    (void)state;
    begin();
    (void)keel_add_entity(w, KEEL_INIT(Caller, { 1 }), KEEL_INIT(Row, { 1 }));
    assert_int_equal(keel_set_unique(w, Single, { 1 }), KEEL_OK);
    keel_clear_errors(w);
    calls = 0;
    keel_world_destroy(w);
    w = NULL;
    assert_true(calls >= 3);
    assert_int_equal(f.memory.live_bytes, 0);
}

// Copies between two worlds: the hooks leave both alone. `try_from`: they try the one that is read.
static void assert_both_are_left_alone(keel_world *from, keel_world *to, bool try_from,
                                       keel_result (*copy)(keel_world *from, keel_world *to),
                                       const char *message) {
    keel_world *const tried = try_from ? from : to;
    victim = keel_add_entity(tried, KEEL_INIT(Number, { 7 }));
    (void)keel_set_unique(tried, Time, { 1, 2 });
    calls = 0;
    w = tried;
    const keel_result result = copy(from, to);
    if (result != KEEL_OK) fail_msg("%s", keel_last_error(to)->message);
    assert_true(calls >= 3);
    assert_called(message);
    w = NULL;
    assert_true(keel_world_check(from, NULL) && keel_world_check(to, NULL));
}

static keel_entity copied;
static keel_result merge(keel_world *from, keel_world *to) {
    return keel_merge_world(to, from, NULL);
}
static keel_result move(keel_world *from, keel_world *to) {
    return keel_is_null(keel_move_entity(from, copied, to)) ? KEEL_ERROR_ARGUMENT : KEEL_OK;
}
static keel_result spawn(keel_world *from, keel_world *to) {
    const keel_prefab prefab = { copied };
    (void)from;
    return keel_is_null(keel_spawn(to, prefab)) ? KEEL_ERROR_ARGUMENT : KEEL_OK;
}
static keel_result spawn_many(keel_world *from, keel_world *to) {
    const keel_prefab prefab = { copied };
    keel_entity e[9];
    (void)from;
    return keel_spawn_many(to, prefab, 9, e);
}
static keel_result apply(keel_world *from, keel_world *to) {
    const keel_prefab prefab = { copied };
    (void)from;
    return keel_apply_prefab(to, keel_add_entity(to), prefab);
}

static void hooks_of_copies_between_worlds(void **state) {
    (void)state;
    static keel_result (*const ways[])(keel_world *, keel_world *) = { merge, move, spawn,
                                                                       spawn_many, apply };
    for (uint32_t way = 0; way < 5; ++way)
        for (int try_from = 0; try_from < 2; ++try_from) {
            begin();
            w = NULL;
            api_fixture g;
            api_begin(&g);
            keel_world *from = way < 2 ? g.world : keel_templates(f.world);
            copied = keel_add_entity(from, KEEL_INIT(Caller, { 1 }), KEEL_INIT(Row, { 2 }),
                                     KEEL_INIT(Stays, { 3 }));
            assert_false(keel_is_null(copied));
            if (way == 0) assert_int_equal(keel_set_unique(from, Single, { 1 }), KEEL_OK);
            assert_both_are_left_alone(from, f.world, try_from, ways[way],
                                       try_from && ways[way] != move ? by_copy : by_hook);
            api_end(&g);
            end();
        }
}

// ------------------------------------------------------------------ allocators that look
// At each call: tables of pages grow, too, and what is read of the world is never half done.
typedef struct Spot {
    uint32_t x[16];
} Spot;
typedef Spot Bead;
typedef Spot Line;
KEEL_COMPONENT(Spot);
KEEL_COMPONENT(Bead, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Line, .storage = KEEL_ARCHETYPE);
static void *look_and_resize(void *context, void *block, size_t old_size, size_t new_size,
                             size_t align) {
    const counting_allocator *memory = context;
    if (w) {
        ++calls;
        assert_true(keel_is_alive(w, victim));
        assert_int_equal(keel_get(w, victim, Spot)->x[15], 1);
        assert_int_equal(keel_get(w, victim, Bead)->x[15], 2);
        assert_int_equal(keel_get(w, victim, Line)->x[15], 3);
    }
    return memory->allocator.resize(memory->allocator.context, block, old_size, new_size, align);
}

static void allocators_may_look(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    w = NULL;
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .allocator = { .resize = look_and_resize, .context = &memory } });
    const Spot one = { { [15] = 1 } };
    const Bead two = { { [15] = 2 } };
    const Line three = { { [15] = 3 } };
    victim = keel_add_entity(world);
    assert_int_equal(keel_add_component(world, victim, KEEL_OF(Spot), &one), KEEL_OK);
    assert_int_equal(keel_add_component(world, victim, KEEL_OF(Bead), &two), KEEL_OK);
    assert_int_equal(keel_add_component(world, victim, KEEL_OF(Line), &three), KEEL_OK);
    w = world;
    calls = 0;
    for (uint32_t i = 0; i < 20000; ++i) // five pages of handles
        assert_false(
            keel_is_null(keel_add_entity(w, KEEL_INIT(Spot), KEEL_INIT(Bead), KEEL_INIT(Line))));
    assert_true(calls > 20);
    assert_true(keel_world_check(w, NULL));
    w = NULL;
    keel_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
}

// ------------------------------------------------------------------ allocators
static keel_allocator inner;
static void *call_resize(void *context, void *block, size_t old_size, size_t new_size,
                         size_t align) {
    (void)context;
    if (new_size) try_all();
    return inner.resize(inner.context, block, old_size, new_size, align);
}

static void allocators(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    inner = memory.allocator;
    w = NULL;
    log_record log = { 0 };
    keel_world *world =
        keel_world_create(&(keel_world_desc){ .allocator = { .resize = call_resize },
                                              .log = log_to(&log),
                                              .on_misuse = KEEL_MISUSE_RETURN });
    victim = keel_add_entity(world, KEEL_INIT(Number, { 7 }));
    assert_int_equal(keel_set_unique(world, Time, { 1, 2 }), KEEL_OK);
    w = world;
    calls = 0;
    for (uint32_t i = 0; i < 300; ++i)
        assert_false(keel_is_null(keel_add_entity(w, KEEL_INIT(Position, { 1, 2 }))));
    assert_called(by_hook);
    assert_int_equal(keel_count(w, Position), 300);
    w = NULL;
    keel_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
}

// ------------------------------------------------------------------ functions
static bool keep_odd(keel_entity e, void *value, void *data) {
    (void)e, (void)data;
    try_all();
    return ((const Other *)value)->value % 2;
}
static int by_index(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    try_all();
    return (int)keel_entity_index(b) - (int)keel_entity_index(a);
}
static void patch_other(void *value, void *data) {
    (void)data;
    ++((Other *)value)->value;
    try_all();
}

static void functions_that_an_edit_calls(void **state) {
    (void)state;
    keel_entity e[4];
    begin();
    const Other values[4] = { { 1 }, { 2 }, { 3 }, { 4 } };
    assert_int_equal(keel_add_entities(w, 4, e, KEEL_COLUMN(Other, values)), KEEL_OK);
    assert_int_equal(keel_retain(w, Other, keep_odd, NULL), KEEL_OK);
    assert_int_equal(keel_count(w, Other), 2);
    assert_called(by_function);
    assert_int_equal(keel_patch(w, e[0], Other, patch_other, NULL), KEEL_OK);
    assert_int_equal(keel_get(w, e[0], Other)->value, 2);
    assert_called(by_function);
    for (uint32_t i = 1; i < 4; ++i)
        assert_int_equal(keel_attach(w, e[i], e[0]), KEEL_OK);
    assert_int_equal(keel_sort_children(w, e[0], by_index, NULL), KEEL_OK);
    assert_called(by_function);
    assert_true(keel_is_same(keel_first_child(w, e[0]), e[3]));
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(hooks_of_components, "hooks of components that use the world are refused"),
    TEST(hash_hooks, "hash hooks, too"),
    TEST(hooks_of_uniques_and_events, "hooks of uniques and events, too"),
    TEST(hooks_with_an_open_view, "hooks do not edit through a view that is open"),
    TEST(hooks_of_copies_between_worlds, "hooks of copies leave both worlds alone"),
    TEST(hooks_at_the_end_of_the_world, "hooks that are called at the end of the world"),
    TEST(allocators, "an allocator that uses the world is refused"),
    TEST(allocators_may_look, "an allocator that looks at the world sees it whole"),
    TEST(functions_that_an_edit_calls, "functions of the user's that an edit calls edit nothing"),
};

int main(void) { return RUN(tests); }
