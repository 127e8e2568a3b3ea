// SPDX-License-Identifier: MIT
// Each function that takes an entity, with handles that mean nothing here: null, stale, newer,
// older, of another world, invented, promised to a command. None crashes, none changes anything.
#include "support/view_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_HANDLES = 40 };

typedef struct setting {
    api_fixture f, other;
    keel_entity living[4]; // indices 0 to 3; 2 and 3 were used before
    keel_entity bad[MAX_HANDLES];
    uint32_t bad_count;
    char *text;
} setting;

static void add_bad(setting *s, keel_entity e) {
    assert_in_range(s->bad_count, 0, MAX_HANDLES - 1);
    s->bad[s->bad_count++] = e;
}
static void add_bits(setting *s, uint32_t index, uint64_t upper) {
    keel_entity e = { (keel_entity_bits)index |
                      (keel_entity_bits)(upper << KEEL_ENTITY_INDEX_BITS) };
    add_bad(s, e); // not asked whether it is alive: that is under test
}

// Every upper part that could be taken for a mark: dead ones carry the top bit inside.
static void invent(setting *s) {
    const uint64_t full = (keel_entity_bits) ~(keel_entity_bits)0 >> KEEL_ENTITY_INDEX_BITS;
    const uint64_t top = full / 2 + 1;
    for (uint32_t index = 2; index < 6; ++index) {
        add_bits(s, index, top | 1);
        add_bits(s, index, top | 2);
        add_bits(s, index, top | 3);
        add_bits(s, index, full);
    }
    add_bits(s, 0, top | 1);               // its living handle but for the top bit
    add_bits(s, 100, 1);                   // never used
    add_bits(s, 4096 * 3, 1);              // on a page that is not there
    add_bits(s, KEEL_MAX_ENTITY_INDEX, 1); // the last index
    add_bits(s, (uint32_t)((1ull << KEEL_ENTITY_INDEX_BITS) - 1), 1); // above it, or it again
    add_bits(s, (uint32_t)((1ull << KEEL_ENTITY_INDEX_BITS) - 1), full);
}

static void fill(setting *s) {
    keel_world *world = s->f.world;
    keel_entity old[6];
    for (uint32_t i = 0; i < 6; ++i)
        old[i] = keel_add_entity(world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 6; i-- > 2;)
        keel_delete_entity(world, old[i]); // 2 is used next
    s->living[0] = old[0];
    s->living[1] = old[1];
    for (uint32_t i = 2; i < 4; ++i) {
        s->living[i] = keel_add_entity(world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
        add_bad(s, old[i]);          // older than who lives there
        add_bad(s, handle_at(i, 2)); // newer
        add_bad(s, handle_at(i, KEEL_MAX_ENTITY_VERSION));
        add_bad(s, old[i + 2]);          // dead, nobody lives there
        add_bad(s, handle_at(i + 2, 1)); // what the next one will be
    }
    keel_attach(world, s->living[1], s->living[0]);
    add_bad(s, keel_null());
    add_bad(s, (keel_entity){ 2 }); // null with an index
}

static void begin(setting *s) {
    memset(s, 0, sizeof *s);
    api_begin(&s->f);
    api_begin(&s->other);
    fill(s);
    for (uint32_t i = 0; i < 9; ++i) { // the eighth is of an index that this world never had
        const keel_entity foreign = keel_add_entity(s->other.world, KEEL_INIT(Number));
        if (i == 8) add_bad(s, foreign);
    }
    invent(s);
    s->text = world_text(s->f.world, NULL);
}

static void end(setting *s) {
    assert_same_text(world_text(s->f.world, NULL), s->text);
    api_end(&s->f);
    api_end(&s->other);
}

#define FOR_BAD(s, e)                                                                              \
    for (uint32_t at_ = 0; at_ < (s)->bad_count; ++at_)                                            \
        for (keel_entity e = (s)->bad[at_], *once_ = &e; once_; once_ = NULL)

// ------------------------------------------------------------------ looking
static void looking_finds_nothing(void **state) {
    (void)state;
    setting s;
    begin(&s);
    keel_world *world = s.f.world;
    const keel_lookup column = keel_lookup_of(world, Number);
    FOR_BAD(&s, e) {
        assert_false(keel_is_alive(world, e));
        assert_null(keel_get(world, e, Number));
        assert_null(keel_get_mut(world, e, Number));
        assert_false(keel_has(world, e, Number));
        assert_null(keel_lookup_get(&column, e, Number));
        assert_null(keel_column_get_value(&column, e));
        assert_null(keel_next_component_of(world, e, NULL));
        assert_true(keel_is_null(keel_parent_of(world, e)));
        assert_true(keel_is_null(keel_first_child(world, e)));
        assert_true(keel_is_null(keel_next_child(world, e, s.living[1])));
        assert_true(keel_is_null(keel_next_child(world, s.living[0], e)));
        assert_int_equal(keel_child_count(world, e), 0);
        assert_true(keel_is_null(keel_next_descendant(world, e, keel_null(), KEEL_DEPTH_FIRST)));
        assert_true(keel_is_null(keel_next_descendant(world, e, keel_null(), KEEL_BREADTH_FIRST)));
        if (!keel_is_null(e)) {
            assert_true(
                keel_is_null(keel_next_descendant(world, s.living[0], e, KEEL_DEPTH_FIRST)));
            assert_true(
                keel_is_null(keel_next_descendant(world, s.living[0], e, KEEL_BREADTH_FIRST)));
        }
    }
    assert_no_error(world);
    end(&s);
}

// The walk goes on from any place, known or not.
static void the_walk_goes_on_from_anywhere(void **state) {
    (void)state;
    setting s;
    begin(&s);
    FOR_BAD(&s, e) {
        const keel_entity next = keel_next_entity(s.f.world, e);
        if (keel_is_null(e)) assert_same_entity(next, s.living[0]);
        else if (keel_entity_index(e) == 2) assert_same_entity(next, s.living[3]);
        else if (keel_entity_index(e) >= 3) assert_true(keel_is_null(next));
    }
    end(&s);
}

// ------------------------------------------------------------------ edits
static void editing_one_is_refused(void **state) {
    (void)state;
    setting s;
    begin(&s);
    keel_world *world = s.f.world;
    Number n = { 77 };
    bool taken = true;
    const keel_value values[] = { KEEL_INIT(Third, { 1 }), { NULL, NULL } };
    const keel_component *const list[] = { KEEL_OF(Number), KEEL_OF(Other), NULL };
    const keel_out outs[] = { KEEL_OUT(Number, &n, &taken), { NULL, NULL, NULL } };
    FOR_BAD(&s, e) {
        assert_int_equal(keel_add(world, e, Number, { 1 }), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_add_component_values(world, e, values), KEEL_ERROR_DEAD_ENTITY);
        assert_null(keel_get_or_add(world, e, Number));
        assert_null(keel_get_or_add(world, e, Number));
        assert_int_equal(keel_remove(world, e, Number, &n), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_remove_component_values(world, e, outs), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_component(world, e, KEEL_OF(Number)), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_components(world, e, list), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_strip(world, e), KEEL_ERROR_DEAD_ENTITY);
    }
    assert_int_equal(n.value, 77);
    assert_no_error(world);
    end(&s);
}

static void deleting_one_is_absent(void **state) {
    (void)state;
    setting s;
    begin(&s);
    FOR_BAD(&s, e) {
        assert_int_equal(keel_delete_entity(s.f.world, e), KEEL_ABSENT);
        assert_int_equal(keel_delete_tree(s.f.world, e), KEEL_ABSENT);
    }
    assert_int_equal(keel_delete_entities(s.f.world, s.bad, s.bad_count), KEEL_ABSENT);
    assert_no_error(s.f.world);
    end(&s);
}

static void copying_one_is_refused(void **state) {
    (void)state;
    setting s;
    begin(&s);
    keel_entity out[3] = { s.living[0], s.living[0], s.living[0] };
    FOR_BAD(&s, e) {
        assert_true(keel_is_null(keel_clone_entity(s.f.world, e)));
        assert_error(s.f.world, KEEL_ERROR_DEAD_ENTITY, NULL);
        assert_int_equal(keel_clone_entities(s.f.world, e, 3, out), KEEL_ERROR_DEAD_ENTITY);
    }
    assert_same_entity(out[0], s.living[0]);
    end(&s);
}

static int by_index(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return keel_entity_index(a) < keel_entity_index(b) ? -1 : 1;
}

static void links_of_one_are_refused(void **state) {
    (void)state;
    setting s;
    begin(&s);
    keel_world *world = s.f.world;
    FOR_BAD(&s, e) {
        assert_int_equal(keel_attach(world, e, s.living[2]), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_attach(world, s.living[2], e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_attach(world, e, e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_detach(world, e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_unlink(world, e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_unlink_tree(world, e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_sort_children(world, e, by_index, NULL), KEEL_ERROR_DEAD_ENTITY);
        assert_no_error(world);
        assert_true(keel_is_null(keel_add_child(world, e, KEEL_INIT(Number))));
        assert_error(world, KEEL_ERROR_DEAD_ENTITY, NULL);
    }
    end(&s);
}

// ------------------------------------------------------------------ views and systems
static void views_refuse_them_too(void **state) {
    (void)state;
    setting s;
    begin(&s);
    keel_view view = open_view(s.f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD, KEEL_EDIT(Number, n)));
    const keel_value values[] = { KEEL_INIT(Third, { 1 }), { NULL, NULL } };
    const keel_component *const list[] = { KEEL_OF(Number), NULL };
    keel_span span;
    Number n;
    FOR_BAD(&s, e) {
        assert_false(keel_view_contains(&view, e));
        assert_null(keel_get(&view, e, Number));
        assert_null(keel_get_mut(&view, e, Number));
        assert_false(keel_has(&view, e, Number));
        assert_int_equal(keel_view_get_all(&view, e, &span), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_entity(&view, e), KEEL_ABSENT);
        assert_int_equal(keel_strip(&view, e), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_add(&view, e, Number), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_add_component_values(&view, e, values), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_remove(&view, e, Number, &n), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_remove_values(&view, e, KEEL_OUT(Number, &n)),
                         KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_components(&view, e, list), KEEL_ERROR_DEAD_ENTITY);
    }
    keel_view_end(&view);
    assert_no_error(s.f.world);
    end(&s);
}

KEEL_SYSTEM_ONCE(look_at_all, KEEL_MAY_EDIT(Number, Third), KEEL_MAY_READ(keel_child),
                 KEEL_CONTEXT(context), KEEL_DATA(const setting, s)) {
    Number n;
    const keel_value values[] = { KEEL_INIT(Third, { 1 }), { NULL, NULL } };
    const keel_component *const list[] = { KEEL_OF(Number), NULL };
    FOR_BAD(s, e) {
        assert_false(keel_is_alive(context, e));
        assert_null(keel_get(context, e, Number));
        assert_null(keel_get_mut(context, e, Number));
        assert_false(keel_has(context, e, Number));
        assert_int_equal(keel_add(context, e, Number), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_add_component_values(context, e, values), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_remove(context, e, Number, &n), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_components(context, e, list), KEEL_ERROR_DEAD_ENTITY);
        assert_true(keel_is_null(keel_parent_of(context, e)));
        assert_true(keel_is_null(keel_first_child(context, e)));
        assert_true(keel_is_null(keel_next_child(context, e, s->living[1])));
        assert_true(keel_is_null(keel_next_child(context, s->living[0], e)));
        assert_true(keel_is_null(keel_next_descendant(context, e, keel_null(), KEEL_DEPTH_FIRST)));
        assert_true(
            keel_is_null(keel_next_descendant(context, e, keel_null(), KEEL_BREADTH_FIRST)));
    }
}

static void systems_refuse_them_too(void **state) {
    (void)state;
    setting s;
    begin(&s);
    assert_int_equal(keel_run_with(s.f.world, look_at_all, &s), KEEL_OK);
    assert_no_error(s.f.world);
    end(&s);
}

// ------------------------------------------------------------------ commands
static void record_all(keel_commands *commands, keel_entity e, keel_entity living) {
    assert_int_equal(keel_add(commands, e, Number, { 1 }), KEEL_OK);
    assert_int_equal(keel_add_values(commands, e, KEEL_INIT(Third), KEEL_INIT(Other)), KEEL_OK);
    assert_int_equal(keel_remove(commands, e, Number), KEEL_OK);
    assert_int_equal(keel_delete(commands, e, Number, Other), KEEL_OK);
    assert_int_equal(keel_strip(commands, e), KEEL_OK);
    assert_int_equal(keel_attach(commands, e, living), KEEL_OK);
    assert_int_equal(keel_attach(commands, living, e), KEEL_OK);
    assert_int_equal(keel_detach(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink(commands, e), KEEL_OK);
    assert_int_equal(keel_unlink_tree(commands, e), KEEL_OK);
    assert_int_equal(keel_delete_entity(commands, e), KEEL_OK);
    assert_int_equal(keel_delete_tree(commands, e), KEEL_OK);
}

static void commands_on_them_are_dropped(void **state) {
    (void)state;
    setting s;
    begin(&s);
    FOR_BAD(&s, e) record_all(keel_world_commands(s.f.world), e, s.living[2]);
    assert_int_equal(keel_apply_commands(s.f.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(s.f.world).dropped_commands, 12 * s.bad_count);
    assert_no_error(s.f.world);
    end(&s);
}

// A handle that a command will bring to life is not alive before.
static void a_promised_handle_is_not_alive_yet(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number));
    const keel_entity later =
        keel_add_entity(keel_world_commands(f.world), KEEL_INIT(Number, { 5 }));
    assert_false(keel_is_null(later));
    assert_false(keel_is_alive(f.world, later));
    assert_int_equal(keel_add(f.world, later, Number), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_delete_entity(f.world, later), KEEL_ABSENT);
    assert_int_equal(keel_add_entity_at(f.world, later), KEEL_ERROR_OCCUPIED);
    assert_error(f.world, KEEL_ERROR_OCCUPIED, NULL);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ENTITY(e)), handle_at(0, 0));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_get(f.world, later, Number)->value, 5);
    api_end(&f);
}

// ------------------------------------------------------------------ the seed's walks
static void a_component_is_not_seen_through_an_old_handle(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity old = keel_add_entity(f.world, KEEL_INIT(Number, { 0 }));
    keel_delete_entity(f.world, old);
    const keel_entity young = keel_add_entity(f.world);
    assert_int_equal(keel_entity_index(young), keel_entity_index(old));
    assert_null(keel_get(f.world, young, Number)); // nothing is inherited
    assert_int_equal(keel_remove(f.world, young, Number), KEEL_ABSENT);
    assert_int_equal(keel_delete(f.world, young, Number), KEEL_ABSENT);
    keel_add(f.world, young, Number, { 1 });
    Number out = { 9 };
    assert_int_equal(keel_remove(f.world, old, Number, &out), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_delete(f.world, old, Number), KEEL_ERROR_DEAD_ENTITY);
    assert_null(keel_get(f.world, old, Number));
    assert_int_equal(out.value, 9);
    assert_int_equal(keel_get(f.world, young, Number)->value, 1); // untouched by the old handle
    api_end(&f);
}

static void deleting_moves_only_the_last(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[2];
    for (uint32_t i = 0; i < 2; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i + 10 }));
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_ABSENT);
    assert_null(keel_get(f.world, e[0], Number));
    assert_null(keel_get(f.world, e[0], Other));
    assert_int_equal(keel_get(f.world, e[1], Number)->value, 1);
    assert_int_equal(keel_get(f.world, e[1], Other)->value, 11);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(looking_finds_nothing, "looking through a meaningless handle finds nothing"),
    TEST(the_walk_goes_on_from_anywhere, "the walk of entities goes on from any handle"),
    // proves S-25
    TEST(editing_one_is_refused, "editing through a meaningless handle is refused"),
    // proves S-20
    TEST(deleting_one_is_absent, "deleting a meaningless handle does nothing"),
    TEST(copying_one_is_refused, "a meaningless handle cannot be cloned"),
    TEST(links_of_one_are_refused, "a meaningless handle cannot be attached"),
    TEST(views_refuse_them_too, "views refuse meaningless handles"),
    TEST(systems_refuse_them_too, "systems refuse meaningless handles"),
    TEST(commands_on_them_are_dropped, "commands on meaningless handles are dropped and counted"),
    TEST(a_promised_handle_is_not_alive_yet, "a handle promised to a command is not alive yet"),
    // proves S-110
    TEST(a_component_is_not_seen_through_an_old_handle,
         "an old handle never reaches the component of a newer entity"),
    // proves S-17 S-20
    TEST(deleting_moves_only_the_last, "deleting leaves the other entity as it was"),
};
int main(void) { return RUN(tests); }
