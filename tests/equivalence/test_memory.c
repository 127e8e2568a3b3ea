// SPDX-License-Identifier: MIT
// Memory that runs out at each allocation of each edit, over every storage: the world is as before.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 70 };
typedef struct scene {
    api_fixture f;
    keel_world *world;
    keel_entity e[COUNT];
    Owned mine; // what an edit hands over
} scene;

// An edit that must succeed or change nothing. It returns true when it was done.
typedef bool edit(scene *s);

static void begin(scene *s) {
    owned_begin();
    api_begin(&s->f);
    s->world = s->f.world;
    keel_add_entity_columns(s->world, COUNT, s->e, NULL);
    for (uint32_t i = 0; i < COUNT; ++i) {
        keel_add(s->world, s->e[i], Number, { i });
        if (i % 2) keel_add(s->world, s->e[i], Position, { (float)i, 0 });
        if (i % 3) give(s->world, s->e[i], KEEL_OF(Owned), 0);
        if (i % 5 == 0) give(s->world, s->e[i], KEEL_OF(Kilo), 1);
        if (i % 8 == 0) keel_add(s->world, s->e[i], Frozen);
        if (i % 9 == 0) keel_add(s->world, s->e[i], Apart, { { i } });
    }
    for (uint32_t i = 10; i < 20; ++i)
        keel_attach(s->world, s->e[i], s->e[9]);
    keel_delete_entity(s->world, s->e[3]);
    keel_delete_entity(s->world, s->e[64]);
    s->mine = owned_make();
}

static void end(scene *s) {
    owned_release(s->mine);
    api_end(&s->f);
    assert_owned_end();
}

// Says where the first difference is; frees both.
static void assert_unchanged(char *now, char *before, const char *name, uint32_t n) {
    size_t at = 0, line = 0;
    while (now[at] && now[at] == before[at]) {
        if (now[at++] == '\n') line = at;
    }
    if (now[at] != before[at])
        fail_msg("%s, allocation %u: '%.60s' was '%.60s'", name, (unsigned)n, now + line,
                 before + line);
    free(now);
    free(before);
}

// The nth allocation fails, for every n, each in a fresh world, until the edit needs no more.
static void fails_cleanly(const char *name, edit *run) {
    for (uint32_t n = 0;; ++n) {
        scene s;
        begin(&s);
        char *before = world_text(s.world, NULL);
        const uint32_t living = owned.living;
        counting_allocator_fail_after(&s.f.memory, n);
        const bool done = run(&s);
        counting_allocator_never_fail(&s.f.memory);
        if (done) {
            keel_clear_errors(s.world);
            free(before);
            end(&s);
            return;
        }
        assert_error(s.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(owned.living, living);
        assert_unchanged(world_text(s.world, NULL), before, name, n);
        assert_true(run(&s)); // and then it succeeds
        end(&s);
        assert_true(n < 500);
    }
}

static bool is_done(keel_result result) {
    if (result == KEEL_ERROR_MEMORY) return false;
    assert_int_equal(result, KEEL_OK);
    return true;
}

// What the world took is not ours any more.
static bool gave(scene *s, bool done) {
    if (done) s->mine = owned_make();
    return done;
}

// ------------------------------------------------------------------ edits
static bool add_new(scene *s) { return is_done(keel_add(s->world, s->e[4], Velocity, { 1, 2 })); }
static bool add_apart(scene *s) { return is_done(keel_add(s->world, s->e[4], Apart)); }
static bool add_huge(scene *s) { return is_done(keel_add(s->world, s->e[5], Huge)); }
static bool add_tag(scene *s) { return is_done(keel_add(s->world, s->e[5], Dead)); }
static bool add_owned(scene *s) {
    return gave(s, is_done(keel_add(s->world, s->e[9], Owned, s->mine)));
}
static bool overwrite(scene *s) {
    return gave(s, is_done(keel_add(s->world, s->e[1], Owned, s->mine)));
}
static bool add_several(scene *s) {
    return gave(s, is_done(keel_add_values(s->world, s->e[1], KEEL_INIT(N1, { 1 }),
                                           KEEL_INIT(Owned, s->mine), KEEL_INIT(N2, { 2 }),
                                           KEEL_INIT(Matrix), KEEL_INIT(Number, { 5 }),
                                           KEEL_INIT(Line), KEEL_INIT(Byte))));
}
static bool get_or_add_zero(scene *s) { return keel_get_or_add(s->world, s->e[6], Vector) != NULL; }
static bool get_or_add(scene *s) { return keel_get_or_add(s->world, s->e[6], Vector) != NULL; }
static bool add_entity(scene *s) {
    return gave(s,
                !keel_is_null(keel_add_entity(s->world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Kilo),
                                              KEEL_INIT(Owned, s->mine), KEEL_INIT(N3))));
}
static bool add_child(scene *s) {
    return gave(
        s, !keel_is_null(keel_add_child(s->world, s->e[0], KEEL_INIT(Byte), KEEL_INIT(Half),
                                        KEEL_INIT(Owned, s->mine), KEEL_INIT(N3), KEEL_INIT(N4))));
}
static bool add_far(scene *s) { return is_done(keel_add_entity_at(s->world, handle_at(50000, 2))); }
static bool add_many(scene *s) {
    return is_done(keel_add_entities(s->world, 300, NULL, KEEL_FILL(Owned, s->mine),
                                     KEEL_FILL(N1, { 7 }), KEEL_FILL(Apart), KEEL_FILL(Placed)));
}
static bool clone(scene *s) { return !keel_is_null(keel_clone_entity(s->world, s->e[5])); }
static bool clone_many(scene *s) {
    return is_done(keel_clone_entities(s->world, s->e[45], 200, NULL));
}
static bool attach(scene *s) { return is_done(keel_attach(s->world, s->e[30], s->e[31])); }
static bool remove_one(scene *s) { return is_done(keel_remove(s->world, s->e[5], Kilo)); }
static bool remove_owned(scene *s) {
    Owned out;
    const bool done = is_done(keel_remove(s->world, s->e[7], Owned, &out));
    if (done) owned_release(out);
    return done;
}
static bool delete_several(scene *s) {
    return is_done(keel_delete(s->world, s->e[45], Number, Position, Kilo, Apart));
}
static bool clear(scene *s) { return is_done(keel_clear(s->world, Position)); }
static bool clear_owned(scene *s) { return is_done(keel_clear(s->world, Owned)); }
static bool keep_few(keel_entity e, void *value, void *data) {
    (void)value, (void)data;
    return keel_entity_index(e) % 4 == 0;
}
static bool retain(scene *s) { return is_done(keel_retain(s->world, Number, keep_few, NULL)); }
static bool unregister(scene *s) {
    return is_done(keel_unregister_component(s->world, KEEL_OF(Number)));
}
static bool reserve(scene *s) { return is_done(keel_reserve(s->world, N5, 700)); }
static bool reserve_entities(scene *s) {
    return is_done(keel_reserve_component(s->world, &keel_entities, 30000));
}
static bool register_new(scene *s) { return is_done(keel_register(s->world, N6, N7, N8)); }
static bool column(scene *s) { return keel_lookup_of(s->world, N6).set != NULL; }

static bool commands(scene *s) {
    keel_commands *list = keel_world_commands(s->world);
    if (keel_is_null(keel_add_entity(list, KEEL_INIT(N1, { 1 }), KEEL_INIT(Number, { 2 }))))
        return false;
    return true;
}

static void every_edit_fails_cleanly(void **state) {
    (void)state;
#define EDIT(name)                                                                                 \
    { #name, name }
    static const struct named_edit {
        const char *name;
        edit *run;
    } edits[] = {
        EDIT(add_new),          EDIT(add_apart),    EDIT(add_huge),       EDIT(add_tag),
        EDIT(add_owned),        EDIT(overwrite),    EDIT(add_several),    EDIT(get_or_add_zero),
        EDIT(get_or_add),       EDIT(add_entity),   EDIT(add_child),      EDIT(add_far),
        EDIT(add_many),         EDIT(clone),        EDIT(clone_many),     EDIT(attach),
        EDIT(remove_one),       EDIT(remove_owned), EDIT(delete_several), EDIT(clear),
        EDIT(clear_owned),      EDIT(retain),       EDIT(unregister),     EDIT(reserve),
        EDIT(reserve_entities), EDIT(register_new), EDIT(column),         EDIT(commands),
    };
#undef EDIT
    for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i)
        fails_cleanly(edits[i].name, edits[i].run);
}

// ------------------------------------------------------------------ what never fails
static void deleting_needs_no_memory(void **state) {
    (void)state;
    scene s;
    begin(&s);
    counting_allocator_fail_after(&s.f.memory, 0);
    assert_int_equal(keel_delete_entity(s.world, s.e[5]), KEEL_OK);
    assert_int_equal(keel_strip(s.world, s.e[7]), KEEL_OK);
    assert_int_equal(keel_detach(s.world, s.e[12]), KEEL_OK);
    assert_int_equal(keel_delete_tree(s.world, s.e[9]), KEEL_OK);
    assert_int_equal(keel_delete_entities(s.world, s.e, 30), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(s.world, Owned), KEEL_OK);
    assert_int_equal(keel_world_trim(s.world), KEEL_OK);
    assert_int_equal(keel_clear_entities(s.world), KEEL_OK);
    counting_allocator_never_fail(&s.f.memory);
    assert_int_equal(keel_entity_count(s.world), 0);
    assert_int_equal(owned.living, 1);
    end(&s);
}

static void reserved_adds_need_no_memory(void **state) {
    (void)state;
    scene s;
    begin(&s);
    if (KEEL_COMPONENT_N1.storage != KEEL_ARCHETYPE) { // its room is per set of components
        assert_int_equal(keel_reserve(s.world, N1, COUNT), KEEL_OK);
        counting_allocator_fail_after(&s.f.memory, 0);
        for (uint32_t i = 0; i < COUNT; ++i)
            if (keel_is_alive(s.world, s.e[i]))
                assert_int_equal(keel_add(s.world, s.e[i], N1, { i }), KEEL_OK);
        counting_allocator_never_fail(&s.f.memory);
    }
    end(&s);
}

// No allocation in a warmed-up frame: walks, look-ups, changes that go back and forth.
static void warm_frames_need_no_memory(void **state) {
    (void)state;
    scene s;
    begin(&s);
    for (uint32_t frame = 0; frame < 6; ++frame) {
        if (frame == 3) counting_allocator_fail_after(&s.f.memory, 0);
        uint32_t visits = 0;
        KEEL_EACH(s.world, KEEL_WRITE(Number, n), KEEL_OPTIONAL_READ(Owned, o),
                  KEEL_WITHOUT(Frozen)) {
            n->value += o != NULL;
            ++visits;
        }
        assert_true(visits > 0);
        for (uint32_t i = 20; i < 40; ++i)
            assert_int_equal(keel_add(s.world, s.e[i], Byte, { 1 }), KEEL_OK);
        for (uint32_t i = 20; i < 40; ++i)
            assert_int_equal(keel_delete(s.world, s.e[i], Byte), KEEL_OK);
        const keel_entity e = keel_add_entity(s.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Frozen));
        assert_false(keel_is_null(e));
        keel_delete_entity(s.world, e);
    }
    counting_allocator_never_fail(&s.f.memory);
    assert_no_error(s.world);
    end(&s);
}

static void views_fail_cleanly(void **state) {
    (void)state;
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_OPTIONAL_READ, .component = KEEL_OF(N8) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(N7) },
                                { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Position) },
                                { .kind = KEEL_TERM_END } };
    for (uint32_t n = 0, done = 0; !done; ++n) {
        scene s;
        keel_view view;
        keel_iterator it;
        begin(&s);
        char *before = world_text(s.world, NULL);
        counting_allocator_fail_after(&s.f.memory, n);
        if (keel_view_begin(&view, s.world, terms, "dry") == KEEL_OK) {
            if (keel_iterator_begin(&it, &view) == KEEL_OK) {
                while (keel_iterator_next(&it)) {}
                done = 1;
            }
            keel_view_end(&view);
        }
        counting_allocator_never_fail(&s.f.memory);
        if (!done) assert_error(s.world, KEEL_ERROR_MEMORY, NULL);
        assert_same_text(world_text(s.world, NULL), before);
        end(&s);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(every_edit_fails_cleanly, "each allocation of each edit fails, and nothing has changed"),
    TEST(deleting_needs_no_memory, "deleting needs no memory"),
    TEST(reserved_adds_need_no_memory, "adds that were reserved need no memory"),
    TEST(warm_frames_need_no_memory, "a warmed-up frame needs no memory"),
    TEST(views_fail_cleanly, "views fail cleanly"),
};

EVERYWHERE(tests)
