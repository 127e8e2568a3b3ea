// SPDX-License-Identifier: MIT
// The typed layer from C++17: every macro and verb of typed.h once, with what it does. The same in
// C is what the other tests use.
#include "support/test.h"

#include <cstring>
#include <string>

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

namespace {

struct Place {
    float x, y;
    int32_t floors[3];
    keel_entity owner;
    char letter;
};
struct Speed {
    float x, y;
};
struct Tally {
    uint32_t value;
};

KEEL_FIELDS(Place, x, floors, owner, letter);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Speed, .storage = KEEL_SPARSE_SET, .name = "game.Speed");
// Described types: an enum class, an enum, rows, structs in structs.
enum class Mood : uint8_t { calm, angry = 7 };
KEEL_ENUM(Mood, Mood::calm, Mood::angry);
enum { SWIMS = 1, FLIES = 4 };
KEEL_FLAGS(Skills, SWIMS, FLIES);
KEEL_FIELDS(Speed, x, y);
struct Beast {
    Mood mood;
    unsigned short skills;
    Speed speeds[2];
    double rows[2][5];
    char name[8];
    void *cache;
    struct {
        char a, b;
    } raw;
};
KEEL_FIELDS(Beast, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)),
            KEEL_FIELD(speeds, .of = KEEL_TYPE(Speed), .unit = "m/s"), rows, name,
            KEEL_FIELD(cache, .transient = true), KEEL_FIELD(raw, .bytes = true, .hidden = true));
KEEL_COMPONENT(Beast, KEEL_HAS_FIELDS(Beast));
KEEL_COMPONENT(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_COMPONENT(Tally);
KEEL_UNIQUE(Tally);
KEEL_TAG(Frozen);
KEEL_TAG(Burning, .storage = KEEL_ARCHETYPE, .tracking = KEEL_TRACK_INSERTION);

// ------------------------------------------------------------------ descriptors
void descriptors_are_constants(void **) {
    static_assert(KEEL_OF(Place)->size == sizeof(Place), "known when compiling");
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    assert_string_equal(KEEL_OF(Place)->type, "Place");
    assert_int_equal(KEEL_OF(Place)->align, alignof(Place));
    assert_int_equal(KEEL_OF(Frozen)->size, 0);
    assert_true(KEEL_UNIQUE_OF(Tally)->is_unique && !KEEL_OF(Tally)->is_unique);
    assert_int_equal(keel_register(w, Place, Speed, Owned, Tally, Frozen), KEEL_OK);
    assert_non_null(keel_find_component(w, "game.Speed"));
    static_assert(KEEL_OF(Burning)->storage == KEEL_ARCHETYPE, "a tag takes options");
    assert_int_equal(keel_register(w, Burning), KEEL_OK);
    assert_int_equal(keel_tracked(w, Burning), KEEL_TRACK_INSERTION);
    const keel_field *field = KEEL_OF(Place)->fields;
    assert_int_equal(KEEL_OF(Place)->field_count, 4);
    assert_true(field[0].type == KEEL_FIELD_F32 && field[0].count == 1);
    assert_true(field[1].type == KEEL_FIELD_I32 && field[1].count == 3);
    assert_int_equal(field[1].offset, offsetof(Place, floors));
    assert_true(field[2].type == KEEL_FIELD_ENTITY && field[2].count == 1);
    assert_true(field[3].type == KEEL_FIELD_TEXT && field[3].count == 1);
    assert_string_equal(field[3].name, "letter");
    api_end(&f);
}

static void fields_are_found_by_path(void **) {
    Beast beast = { Mood::angry, 5, { { 1, 2 }, { 3, 4 } }, {}, "Bo", nullptr, { 1, 2 } };
    keel_field_place place;
    keel_error error;
    static const struct {
        const char *path, *text;
    } all[] = { { "mood", "angry" },      { "skills", "SWIMS | FLIES" },
                { "speeds[1].y", "4.0" }, { "speeds", "[{x: 1.0, y: 2.0}, {x: 3.0, y: 4.0}]" },
                { "rows[9]", "0.0" },     { "name", "\"Bo\"" },
                { "raw", "0102" } };
    for (const auto &one : all) {
        char text[80];
        if (keel_field_find(KEEL_OF(Beast), one.path, &place, &error) < 0)
            fail_msg("%s", error.message);
        assert_int_equal(keel_field_print(&place, &beast, text, sizeof text),
                         std::strlen(one.text));
        assert_string_equal(text, one.text);
        assert_int_equal(keel_field_parse(&place, &beast, text, &error), KEEL_OK);
    }
    assert_int_equal(keel_field_find(KEEL_OF(Beast), "mood", &place, nullptr), KEEL_OK);
    assert_int_equal(keel_field_parse(&place, &beast, "calm", nullptr), KEEL_OK);
    assert_true(beast.mood == Mood::calm);
    api_fixture f;
    api_begin(&f);
    assert_non_null(keel_register_component(f.world, KEEL_OF(Beast)));
    api_end(&f);
}

// ------------------------------------------------------------------ required components
struct Anchor {
    int depth;
};
struct Rope {
    std::string text;
};
struct Boat {
    int crew;
};
constexpr Anchor deep = { 40 };
const Rope rope = { "a rope that is longer than what a string keeps inside" };
KEEL_COMPONENT(Anchor, .initial = &deep);
KEEL_COMPONENT(Rope, .initial = &rope);
KEEL_COMPONENT(Boat, .required = KEEL_LIST(Anchor, Rope));

void required_components_come_with_their_values(void **) {
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Boat, { 3 }));
    assert_int_equal(keel_get(f.world, e, Anchor)->depth, 40);
    assert_true(keel_get(f.world, e, Rope)->text == rope.text);
    assert_int_equal(keel_delete(f.world, e, Rope), KEEL_ERROR_REQUIRED);
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ order
constexpr Speed standing = { 1, 2 };
KEEL_UNIQUE(Speed, .initial = &standing);

int by_value(const void *a, const void *b, void *data) {
    *static_cast<int *>(data) += 1;
    return static_cast<int>(static_cast<const Tally *>(a)->value) -
           static_cast<int>(static_cast<const Tally *>(b)->value);
}

void sets_are_sorted_and_lead(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    int compared = 0;
    keel_entity e[4];
    for (uint32_t i = 0; i < 4; ++i)
        e[i] = keel_add_entity(w, KEEL_INIT(Tally, { 3 - i }), KEEL_INIT(Speed, { 0, 0 }));
    assert_int_equal(keel_sort(w, Tally, by_value, &compared), KEEL_OK);
    assert_int_equal(keel_sort_with(w, .component = KEEL_OF(Speed), .by = KEEL_OF(Tally),
                                    .compare = by_value, .first = 2, .data = &compared),
                     KEEL_OK);
    assert_int_equal(keel_swap(w, Tally, e[3], e[2]), KEEL_OK);
    assert_true(compared > 3);
    uint32_t order = 0;
    KEEL_EACH(w, KEEL_LEADING(Tally), KEEL_READ(Speed, s), KEEL_ENTITY(entity)) {
        (void)s;
        order = order * 10 + keel_entity_index(entity);
    }
    assert_int_equal(order, 2310);
    order = 0;
    KEEL_EACH(w, KEEL_LEADING(Speed), KEEL_READ(Tally, t))
        order = order * 10 + t->value;
    assert_int_equal(order, 2310);
    assert_int_equal(keel_sort_as(w, Speed, Tally), KEEL_OK);
    assert_true(keel_is_same(keel_entity_at(w, 2), e[2]));
    assert_true(keel_get_unique(w, Speed)->y == 2);
    api_end(&f);
}

// ------------------------------------------------------------------ verbs
void values_are_added_and_read(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const Speed fast = { 3, 4 };
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Speed, { 1, 2 }), KEEL_INIT(Frozen));
    const keel_entity bare = keel_add_entity(w);
    assert_true(keel_get(w, e, Speed)->y == 2 && keel_has(w, e, Frozen));
    assert_int_equal(keel_add(w, bare, Place), KEEL_OK);
    assert_int_equal(keel_add(w, bare, Place, { 1, 2, { 3, 4, 5 }, e, 'k' }), KEEL_OK);
    assert_int_equal(keel_add_unchecked(w, bare, Speed, fast), KEEL_OK);
    assert_int_equal(keel_add_unchecked(w, bare, Frozen), KEEL_OK);
    assert_int_equal(keel_add_values(w, e, KEEL_INIT(Tally, { 1 }), KEEL_INIT(Speed, fast)),
                     KEEL_OK);
    assert_true(keel_get(w, e, Speed)->x == 3);
    assert_same_entity(keel_get(w, bare, Place)->owner, e);
    assert_int_equal(keel_get(w, bare, Place)->letter, 'k');
    keel_get_mut(w, bare, Speed)->x = 9;
    keel_get_or_add(w, bare, Tally)->value = 7;
    assert_int_equal(keel_get_or_add(w, bare, Tally)->value, 7);
    assert_int_equal(keel_get_or_add(w, bare, Tally, { 8 })->value, 7);
    assert_int_equal(keel_count(w, Tally), 2);
    const keel_lookup tallies = keel_lookup_of(w, Tally);
    assert_int_equal(keel_lookup_get(&tallies, bare, Tally)->value, 7);
    assert_null(keel_lookup_get(&tallies, bare, Place));
    assert_true(keel_is_alive(w, e));
    api_end(&f);
}

void values_are_taken_away(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    owned_begin();
    Speed speed = { 0, 0 };
    Owned value = { 0, 0 };
    bool taken = false;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Speed, { 1, 2 }), KEEL_INIT(Frozen),
                                          KEEL_INIT(Owned, owned_make()), KEEL_INIT(Tally));
    assert_int_equal(
        keel_remove_values(w, e, KEEL_OUT(Speed, &speed), KEEL_OUT(Owned, &value, &taken)),
        KEEL_OK);
    assert_true(speed.y == 2 && taken && value.token == 1);
    owned_release(value);
    assert_int_equal(keel_remove(w, e, Frozen), KEEL_OK);
    assert_int_equal(keel_remove(w, e, Speed, &speed), KEEL_ABSENT);
    assert_int_equal(keel_delete(w, e, Speed, Tally, Frozen), KEEL_OK);
    assert_int_equal(keel_delete(w, e, Speed), KEEL_ABSENT);
    assert_int_equal(keel_add(w, e, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_strip(w, e), KEEL_OK);
    assert_int_equal(keel_add(w, e, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(w, Owned), KEEL_OK);
    assert_false(keel_is_alive(w, e));
    assert_int_equal(keel_delete_entity(w, e), KEEL_ABSENT);
    api_end(&f);
    assert_owned_end();
}

bool is_large(keel_entity, void *value, void *limit) {
    return static_cast<const Tally *>(value)->value > *static_cast<uint32_t *>(limit);
}

void many_values_at_once(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const Speed speeds[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    struct Row {
        uint32_t id;
        Tally tally;
    };
    const Row rows[3] = { { 1, { 10 } }, { 2, { 20 } }, { 3, { 30 } } };
    keel_entity e[3];
    assert_int_equal(keel_reserve(w, Speed, 100), KEEL_OK);
    assert_int_equal(keel_add_entities(w, 3, e, KEEL_COLUMN(Speed, speeds),
                                       KEEL_COLUMN_IN(Tally, &rows[0].tally, sizeof(Row)),
                                       KEEL_FILL(Frozen), KEEL_FILL(Place, { 7, 8, {}, {}, 0 })),
                     KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(keel_get(w, e[i], Speed)->x == speeds[i].x);
        assert_int_equal(keel_get(w, e[i], Tally)->value, rows[i].tally.value);
        assert_true(keel_get(w, e[i], Place)->y == 8 && keel_has(w, e[i], Frozen));
    }
    uint32_t limit = 15;
    assert_int_equal(keel_retain(w, Tally, is_large, &limit), KEEL_OK);
    assert_int_equal(keel_count(w, Tally), 2);
    assert_int_equal(keel_clear(w, Speed), KEEL_OK);
    assert_int_equal(keel_count(w, Speed), 0);
    assert_int_equal(keel_add_many(w, e, 2, Tally, { 5 }), KEEL_OK);
    assert_int_equal(keel_add_column_many(w, e + 2, 1, Speed, speeds), KEEL_OK);
    assert_true(keel_get(w, e[0], Tally)->value == 5 && keel_get(w, e[2], Speed)->x == speeds[0].x);
    assert_int_equal(keel_delete_many(w, e, 1, Frozen), KEEL_OK);
    assert_int_equal(keel_add_many(w, e, 1, Frozen), KEEL_OK);
    assert_int_equal(
        keel_add_matching(w, KEEL_TERMS(KEEL_WITH(Frozen), KEEL_READ(Tally, t)), Tally, { 6 }),
        KEEL_OK);
    assert_int_equal(keel_get(w, e[1], Tally)->value, 6);
    assert_int_equal(keel_delete_matching(w, KEEL_TERMS(KEEL_WITH(Speed)), Tally), KEEL_OK);
    assert_int_equal(keel_count(w, Tally), 2);
    api_end(&f);
}

void uniques_are_set_and_taken(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const Tally five = { 5 };
    Tally out = { 0 };
    assert_null(keel_get_unique(w, Tally));
    assert_int_equal(keel_set_unique(w, Tally, { 4 }), KEEL_OK);
    assert_int_equal(keel_set_unique(w, Tally), KEEL_OK); // zeros
    assert_int_equal(keel_set_unique(w, Tally, five), KEEL_OK);
    ++keel_get_unique_mut(w, Tally)->value;
    assert_int_equal(keel_remove_unique(w, Tally, &out), KEEL_OK);
    assert_int_equal(out.value, 6);
    assert_int_equal(keel_remove_unique(w, Tally), KEEL_ABSENT);
    api_end(&f);
}

// ------------------------------------------------------------------ hierarchy and commands
template <class Scope> void build_tree(Scope scope, keel_entity root, keel_entity *e) {
    e[0] = keel_add_child(scope, root, KEEL_INIT(Tally, { 1 }));
    e[1] = keel_add_child(scope, root, KEEL_INIT(Tally, { 2 }));
    e[2] = keel_add_child(scope, e[0]);
    e[3] = keel_add_entity(scope, KEEL_INIT(Tally, { 3 }));
    assert_int_equal(keel_attach(scope, e[3], e[1]), KEEL_OK);
    assert_int_equal(keel_set_name(scope, e[3], "leaf"), KEEL_OK);
}

void the_hierarchy_is_walked(void **) {
    for (int later = 0; later < 2; ++later) {
        api_fixture f;
        api_begin(&f);
        keel_world *const w = f.world;
        keel_entity e[4];
        const keel_entity root = keel_add_entity(w, KEEL_INIT(Tally));
        if (later) build_tree(keel_world_commands(w), root, e);
        else build_tree(w, root, e);
        assert_int_equal(keel_apply_commands(w), KEEL_OK);
        assert_same_entity(keel_parent_of(w, e[3]), e[1]);
        assert_same_entity(keel_find_entity(w, e[1], "leaf"), e[3]);
        assert_string_equal(keel_name_of(w, e[3]), "leaf");
        KEEL_EACH(w, KEEL_READ(keel_name, name))
            assert_string_equal(name->text, "leaf");
        assert_same_entity(keel_first_child(w, root), e[0]);
        assert_same_entity(keel_next_child(w, root, e[0]), e[1]);
        assert_same_entity(keel_next_descendant(w, root, e[0], KEEL_DEPTH_FIRST), e[2]);
        assert_same_entity(keel_next_descendant(w, root, e[0], KEEL_BREADTH_FIRST), e[1]);
        uint32_t count = 0;
        KEEL_EACH_CHILD(w, root, child)
            count += 1 + 0 * keel_entity_index(child);
        KEEL_EACH_ANCESTOR(w, e[3], up)
            count += 10 + 0 * keel_entity_index(up);
        KEEL_EACH_DESCENDANT(w, root, down)
            count += 100 + 0 * keel_entity_index(down);
        KEEL_EACH_DESCENDANT_BREADTH(w, root, down)
            count += 1000 + 0 * keel_entity_index(down);
        assert_int_equal(count, 4422);
        assert_int_equal(keel_unlink(w, e[0]), KEEL_OK);
        assert_int_equal(keel_detach(w, e[3]), KEEL_OK);
        assert_int_equal(keel_unlink_tree(w, e[1]), KEEL_OK);
        assert_int_equal(keel_delete_tree(w, root), KEEL_OK);
        assert_int_equal(keel_entity_count(w), 4);
        api_end(&f);
    }
}

void commands_take_every_verb(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    owned_begin();
    keel_commands *commands = keel_world_commands(w);
    keel_entity e[6];
    for (keel_entity &one : e)
        one = keel_add_entity(w, KEEL_INIT(Speed), KEEL_INIT(Tally, { 1 }));
    const keel_entity made = keel_add_entity(commands, KEEL_INIT(Owned, owned_make()));
    assert_int_equal(keel_add(commands, made, Tally, { 2 }), KEEL_OK);
    assert_int_equal(keel_add(commands, made, Frozen), KEEL_OK);
    assert_int_equal(keel_add_values(commands, e[0], KEEL_INIT(Frozen), KEEL_INIT(Place)), KEEL_OK);
    assert_int_equal(keel_remove(commands, e[1], Speed), KEEL_OK);
    assert_int_equal(keel_delete(commands, e[2], Speed, Tally), KEEL_OK);
    assert_int_equal(keel_strip(commands, e[3]), KEEL_OK);
    assert_int_equal(keel_attach(commands, e[4], e[3]), KEEL_OK);
    assert_int_equal(keel_detach(commands, e[4]), KEEL_OK);
    assert_int_equal(keel_unlink(commands, e[4]), KEEL_OK);
    assert_int_equal(keel_unlink_tree(commands, e[4]), KEEL_OK);
    assert_int_equal(keel_delete_tree(commands, e[4]), KEEL_OK);
    assert_int_equal(keel_delete_entity(commands, e[5]), KEEL_OK);
    assert_int_equal(keel_apply_commands(w), KEEL_OK);
    assert_int_equal(keel_get(w, made, Tally)->value, 2);
    assert_true(keel_has(w, made, Frozen) && keel_has(w, e[0], Place));
    assert_int_equal(keel_count(w, Speed), 1);
    assert_int_equal(keel_count(w, Tally), 3);
    assert_int_equal(keel_entity_count(w), 5);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM_DECLARE(move);
KEEL_CONDITION_DECLARE(is_small);
KEEL_WORKLOAD_DECLARE(frame);

KEEL_SYSTEM(move, KEEL_WRITE(Place, p), KEEL_READ(Speed, s), KEEL_OPTIONAL_READ(Tally, t),
            KEEL_OPTIONAL_WRITE(Owned, o), KEEL_WITH(Speed), KEEL_WITHOUT(Frozen),
            KEEL_ANY_OF(Speed, Owned), KEEL_ENTITY(e), KEEL_UNIQUE_WRITE(Tally, total),
            KEEL_COMMANDS(commands, Frozen), KEEL_CONTEXT(context), KEEL_MAY_READ(keel_child)) {
    p->x += s->x + (t ? 100.0f : 0.0f) + (o ? 1000.0f : 0.0f);
    total->value += keel_is_null(keel_parent_of(context, e));
    if (p->x > 100) (void)keel_add(commands, e, Frozen);
}
KEEL_SYSTEM_SPAN(sum_spans, KEEL_SPAN_COUNT(n), KEEL_READ(Place, p), KEEL_SPAN_ENTITIES(e),
                 KEEL_OPTIONAL_READ(Tally, t), KEEL_DATA(double, sum)) {
    for (uint32_t i = 0; i < n; ++i)
        *sum += static_cast<double>(p[i].x) + keel_entity_index(e[i]) + (t ? 0.5 : 0);
}
KEEL_SYSTEM_ONCE(reset, KEEL_UNIQUE_WRITE(Tally, total)) { total->value = 0; }
KEEL_SYSTEM_ONCE(look_around, KEEL_MAY_WRITE(Place), KEEL_MAY_EDIT(Owned, Frozen),
                 KEEL_CONTEXT(context), KEEL_UNIQUE_READ(Tally, total), KEEL_DATA(keel_entity, e)) {
    keel_get_mut(context, *e, Place)->y = static_cast<float>(total->value);
    assert_true(keel_get(context, *e, Place)->y == keel_get_mut(context, *e, Place)->y);
    assert_int_equal(keel_add(context, *e, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_add_values(context, *e, KEEL_INIT(Frozen)), KEEL_OK);
    assert_true(keel_has(context, *e, Frozen) && keel_is_alive(context, *e));
    assert_int_equal(keel_remove(context, *e, Frozen), KEEL_OK);
    assert_int_equal(keel_delete(context, *e, Frozen, Owned), KEEL_OK);
    assert_ptr_equal(keel_get_unique(context, Tally), total);
    KEEL_EACH(context, KEEL_WRITE(Place, p)) {
        p->y += 1;
        if (p->x < 0) break;
    }
}
KEEL_SYSTEM_ONCE(whole, KEEL_WORLD(world)) {
    (void)keel_add_entity(world, KEEL_INIT(Tally, { 77 }));
}
KEEL_CONDITION(is_small, KEEL_UNIQUE_READ(Tally, total)) { return total->value < 3; }
KEEL_SYSTEM_ONCE(fail_here, KEEL_CONTEXT(context)) { keel_fail(context, "mine", "failed in C++"); }

KEEL_WORKLOAD(inner, KEEL_STEP(move));
KEEL_WORKLOAD(frame, KEEL_STEP(whole, .run_if = KEEL_IF(is_small)),
              KEEL_NESTED(inner, .run_if = KEEL_IF(is_small)), KEEL_NESTED(inner));

void systems_run_as_in_c(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    owned_begin();
    keel_entity a = keel_add_entity(w, KEEL_INIT(Place), KEEL_INIT(Speed, { 1, 0 }));
    const keel_entity b = keel_add_entity(w, KEEL_INIT(Place), KEEL_INIT(Speed, { 2, 0 }),
                                          KEEL_INIT(Tally), KEEL_INIT(Owned, owned_make()));
    assert_int_equal(keel_set_unique(w, Tally, { 0 }), KEEL_OK);
    assert_int_equal(keel_run(w, move), KEEL_OK);
    assert_true(keel_get(w, a, Place)->x == 1 && keel_get(w, b, Place)->x == 1102);
    assert_true(keel_has(w, b, Frozen) && !keel_has(w, a, Frozen));
    double sum = 0;
    assert_int_equal(keel_run_with(w, sum_spans, &sum), KEEL_OK);
    assert_true(sum == 1103 + keel_entity_index(a) + keel_entity_index(b) + 0.5);
    assert_int_equal(keel_run_with(w, look_around, &a), KEEL_OK);
    assert_true(keel_get(w, a, Place)->y == 3);
    assert_int_equal(keel_run_workload(w, frame), KEEL_OK); // 2: once more, then again
    assert_int_equal(keel_get_unique(w, Tally)->value, 4);
    assert_int_equal(keel_count(w, Tally), 2);
    assert_int_equal(keel_add_workload(w, frame), KEEL_OK);
    assert_int_equal(keel_add_step(w, "late", KEEL_STEP(reset)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "late", KEEL_NESTED(inner)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "late", KEEL_STEP(fail_here, .run_if = KEEL_IF(is_small))),
                     KEEL_OK);
    assert_int_equal(keel_run_named(w, "late"), KEEL_ERROR_SYSTEM);
    assert_int_equal(keel_get_unique(w, Tally)->value, 1);
    assert_string_equal(static_cast<const char *>(keel_last_error(w)->object), "mine");
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ states and options of runs
enum class Phase : uint8_t { menu, playing };
KEEL_ENUM(Phase, Phase::menu, Phase::playing);
KEEL_STATE(Phase, KEEL_HAS_NAMES(Phase));
static_assert(KEEL_UNIQUE_Phase.field_count == 1 &&
                  KEEL_UNIQUE_Phase.fields->type == KEEL_FIELD_U8 &&
                  KEEL_UNIQUE_Phase.fields->of == KEEL_TYPE(Phase),
              "names");
KEEL_CONDITION(is_wide, KEEL_DATA(double, width)) { return *width > 1; }
KEEL_SYSTEM_ONCE(enter, KEEL_UNIQUE_WRITE(Tally, total), KEEL_UNIQUE_READ(Phase, phase)) {
    total->value += *phase == Phase::playing ? 100 : 10000;
}
KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Tally, total), KEEL_CONTEXT(context),
                 KEEL_MAY_SET_STATE(Phase)) {
    ++total->value;
    assert_int_equal(keel_set_state(context, Phase, Phase::menu), KEEL_OK);
}
KEEL_SYSTEM(shift, KEEL_WRITE(Place, p)) { p->x += 1; }
KEEL_WORKLOAD(game, KEEL_TRANSITION(Phase, .label = "change"),
              KEEL_STEP(enter, .on_enter = KEEL_IN(Phase, Phase::playing), .after = "change"),
              KEEL_STEP(enter, .on_exit = KEEL_IN(Phase, Phase::playing)),
              KEEL_STEP(tick, .every = 0.5, .times = 2, .in_state = KEEL_IN(Phase, Phase::playing),
                        .run_if = KEEL_IF(is_wide)));

KEEL_SYSTEM(sink, KEEL_TARGETS_FIRST(keel_child), KEEL_READ(Speed, s), KEEL_WRITE(Place, p),
            KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Place, above)),
            KEEL_OF_TARGET(keel_child, KEEL_OPTIONAL_READ(Speed, fast))) {
    p->x = (above ? above->x : 0) + s->x + (fast ? 100 : 0);
}

void relations_are_terms_as_in_c(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const keel_entity top = keel_add_entity(w, KEEL_INIT(Place), KEEL_INIT(Speed, { 1, 0 }));
    const keel_entity low = keel_add_child(w, top, KEEL_INIT(Place), KEEL_INIT(Speed, { 2, 0 }));
    assert_int_equal(keel_run(w, sink), KEEL_OK);
    assert_true(keel_get(w, low, Place)->x == 103);
    int count = 0;
    KEEL_EACH(w, KEEL_WRITE(Speed, s), KEEL_OF_TARGET(keel_child, KEEL_WRITE(Place, above))) {
        s->x = 0;
        above->x = 8;
        ++count;
    }
    assert_int_equal(count, 1);
    assert_true(keel_get(w, top, Place)->x == 8);
    api_end(&f);
}

void states_and_options_work_as_in_c(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    double width = 2;
    assert_int_equal(keel_set_unique(w, Tally, { 0 }), KEEL_OK);
    assert_int_equal(keel_set_state(w, Phase, Phase::playing), KEEL_OK);
    assert_int_equal(
        keel_run_workload(w, game, .data = &width, .data_size = sizeof width, .dt = 0.4), KEEL_OK);
    assert_int_equal(keel_get_unique(w, Tally)->value, 100);
    assert_int_equal(keel_add_workload(w, game), KEEL_OK);
    assert_int_equal(keel_run_named(w, "game", .data = &width, .data_size = sizeof width, .dt = 1),
                     KEEL_OK);
    assert_int_equal(keel_get_unique(w, Tally)->value, 101); // its steps count anew
    width = 0;
    assert_int_equal(keel_run_workload_with(w, game, &width), KEEL_OK);
    assert_true(*keel_get_unique(w, Phase) == Phase::menu);
    assert_int_equal(keel_get_unique(w, Tally)->value, 10101);
    assert_int_equal(keel_run_default(w, .data = &width, .data_size = sizeof width), KEEL_OK);
    assert_int_equal(keel_run_parallel(w, shift), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ custom views
struct Parts {
    keel_view places, speeds;
    Tally *tally;
};
KEEL_CUSTOM_VIEW(Parts, KEEL_VIEW(places, KEEL_WRITE(Place, p), KEEL_WITHOUT(Frozen)),
                 KEEL_VIEW(speeds, KEEL_READ(Speed, s), KEEL_ENTITY(e), KEEL_ANY_OF(Speed, Tally)),
                 KEEL_UNIQUE_WRITE(Tally, tally));
struct Noted {
    Parts parts;
    char *text;
};
uint32_t noted;
keel_result noted_init(void *view, keel_context *context) {
    Noted *const it = static_cast<Noted *>(view);
    it->text = static_cast<char *>(keel_context_scratch(context, 100, 1));
    if (it->parts.tally->value == 99) keel_fail(context, nullptr, "too many");
    return it->text ? KEEL_OK : KEEL_ERROR_MEMORY;
}
void noted_drop(void *view, keel_context *) {
    noted += static_cast<Noted *>(view)->text[99] == 'x';
}
KEEL_CUSTOM_VIEW(Noted, KEEL_CUSTOM_WRITE(Parts, parts), .init = noted_init, .drop = noted_drop);

KEEL_SYSTEM_ONCE(note_parts, KEEL_CUSTOM_WRITE(Noted, it), KEEL_CONTEXT(context),
                 KEEL_MAY_READ(Owned)) {
    it->parts.tally->value += keel_view_count(&it->parts.places);
    it->text[99] = 'x';
    Parts more; // the system did not declare what is in it
    assert_int_equal(keel_custom_begin(context, Parts, &more), KEEL_ERROR_BORROWED);
}
KEEL_SYSTEM(share_parts, KEEL_READ(Owned, o), KEEL_CUSTOM_READ(Parts, parts)) {
    parts->tally->value += keel_view_count(&parts->speeds) + o->token;
}

void custom_views_run_as_in_c(void **) {
    api_fixture f;
    owned_begin();
    api_begin(&f);
    keel_world *const w = f.world;
    for (uint32_t i = 0; i < 3; ++i)
        (void)keel_add_entity(w, KEEL_INIT(Place), KEEL_INIT(Speed));
    (void)keel_add_entity(w, KEEL_INIT(Speed), KEEL_INIT(Owned, owned_make()));
    assert_int_equal(keel_set_unique(w, Tally, { 1 }), KEEL_OK);
    assert_int_equal(keel_run(w, note_parts), KEEL_OK);
    assert_true(noted == 1 && keel_get_unique(w, Tally)->value == 4);
    assert_int_equal(keel_first_error(w)->result, KEEL_ERROR_BORROWED);
    keel_clear_errors(w);
    assert_int_equal(keel_run(w, share_parts), KEEL_OK);
    assert_int_equal(keel_get_unique(w, Tally)->value, 9);
    Noted it;
    assert_int_equal(keel_custom_begin(w, Noted, &it), KEEL_OK);
    it.parts.tally->value = 99;
    it.text[99] = 'x';
    assert_int_equal(keel_custom_end(w, &it), KEEL_OK);
    assert_int_equal(noted, 2);
    assert_int_equal(keel_run(w, note_parts), KEEL_ERROR_VIEW);
    assert_int_equal(KEEL_CUSTOM_OF(Noted)->align, alignof(Noted));
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ loops on all workers
void add_range(uint32_t begin, uint32_t end, const keel_piece *piece, void *) {
    for (uint32_t i = begin; i < end; ++i)
        *static_cast<double *>(piece->partial) += i;
}
void add_tallies(const keel_span *span, const keel_piece *piece, void *) {
    for (uint32_t i = 0; i < span->count; ++i)
        *static_cast<double *>(piece->partial) += keel_span_read(span, Tally)[i].value;
}
void add_up(void *total, const void *partial, void *) {
    *static_cast<double *>(total) += *static_cast<const double *>(partial);
}
KEEL_SYSTEM_ONCE(sum_range, KEEL_CONTEXT(context), KEEL_DATA(double, sum)) {
    const keel_reduction sums = { sum, sizeof *sum, add_up };
    assert_int_equal(keel_parallel_reduce(context, 100, 7, add_range, nullptr, &sums), KEEL_OK);
}

void loops_are_split_as_in_c(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    keel_view view;
    double a = 0, b = 0, c = 0;
    const keel_reduction in_world = { &a, sizeof a, add_up }, in_view = { &c, sizeof c, add_up };
    for (uint32_t i = 0; i < 1000; ++i)
        (void)keel_add_entity(w, KEEL_INIT(Tally, { i }));
    assert_int_equal(keel_parallel_reduce(w, 100, 7, add_range, nullptr, &in_world), KEEL_OK);
    assert_int_equal(keel_run_with(w, sum_range, &b), KEEL_OK);
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_READ(Tally, t)), "sum"), KEEL_OK);
    assert_int_equal(keel_view_parallel_reduce(&view, add_tallies, nullptr, &in_view), KEEL_OK);
    keel_view_end(&view);
    assert_true(a == 4950 && b == 4950 && c == 499500);
    api_end(&f);
}

// ------------------------------------------------------------------ views and loops
void views_take_every_verb(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const keel_entity e =
        keel_add_entity(w, KEEL_INIT(Place, { 1, 2, {}, {}, 0 }), KEEL_INIT(Speed, { 5, 0 }));
    assert_int_equal(keel_set_unique(w, Tally, { 6 }), KEEL_OK);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, w,
                                     KEEL_TERMS(KEEL_EDIT(Place, p), KEEL_READ(Speed, s),
                                                KEEL_UNIQUE_WRITE(Tally, t), KEEL_MAY_EDIT(Frozen),
                                                KEEL_MAY_EDIT_ENTITIES),
                                     "view"),
                     KEEL_OK);
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        keel_span_write(&span, Place)->x = keel_span_read(&span, Speed)->x;
    const keel_entity made = keel_add_entity(&view, KEEL_INIT(Place));
    assert_int_equal(keel_add(&view, e, Frozen), KEEL_OK);
    assert_int_equal(keel_add_unchecked(&view, made, Frozen), KEEL_OK);
    assert_int_equal(keel_add_values(&view, e, KEEL_INIT(Frozen)), KEEL_OK);
    assert_true(keel_get(&view, e, Place)->x == 5 && keel_has(&view, e, Speed));
    keel_get_mut(&view, e, Place)->y = 8;
    ++keel_get_unique_mut(&view, Tally)->value;
    assert_int_equal(keel_get_unique(&view, Tally)->value, 7);
    Place out = {};
    assert_int_equal(keel_remove(&view, e, Frozen), KEEL_OK);
    assert_int_equal(keel_delete(&view, e, Frozen), KEEL_ABSENT);
    assert_int_equal(keel_remove(&view, made, Place, &out), KEEL_OK);
    assert_int_equal(keel_remove_values(&view, e, KEEL_OUT(Place, &out)), KEEL_OK);
    assert_true(out.y == 8);
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "all"), KEEL_OK);
    assert_int_equal(keel_strip(&view, e), KEEL_OK);
    assert_int_equal(keel_delete_entity(&view, e), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(&view, Frozen), KEEL_OK);
    keel_view_end(&view);
    assert_int_equal(keel_entity_count(w), 0);
    api_end(&f);
}

keel_entity find(keel_world *world, float x) {
    KEEL_EACH(world, KEEL_READ(Speed, s), KEEL_ENTITY(e), KEEL_WITHOUT(Frozen)) {
        if (s->x < x) continue;
        return e;
    }
    return keel_null();
}

void loops_are_left_in_every_way(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    keel_entity e[10];
    for (uint32_t i = 0; i < 10; ++i)
        e[i] = keel_add_entity(w, KEEL_INIT(Speed, { static_cast<float>(i), 0 }));
    assert_same_entity(find(w, 4), e[4]);
    assert_true(keel_is_null(find(w, 40)));
    uint32_t pairs = 0, spans = 0;
    KEEL_EACH(w, KEEL_READ(Speed, a)) {
        KEEL_EACH(w, KEEL_READ(Speed, b)) {
            if (b->x > a->x) break;
            ++pairs;
        }
    }
    KEEL_EACH_SPAN(w, KEEL_SPAN_COUNT(n), KEEL_WRITE(Speed, s), KEEL_SPAN_ENTITIES(handles)) {
        spans += n + (s[0].x > 100) + (handles == nullptr);
        goto out;
    }
out:
    assert_int_equal(pairs, 55);
    assert_int_equal(spans, 10);
    assert_int_equal(keel_apply_commands(w), KEEL_OK); // no view is open
    api_end(&f);
}

const CMUnitTest tests[] = {
    TEST(fields_are_found_by_path, "enum classes, structs and rows are described in C++"),
    TEST(descriptors_are_constants, "descriptors and fields are constants in C++"),
    TEST(required_components_come_with_their_values, "required components come in C++"),
    TEST(sets_are_sorted_and_lead, "sets are sorted, and lead by choice, in C++"),
    TEST(values_are_added_and_read, "values are added and read in C++"),
    TEST(values_are_taken_away, "values are taken away in C++"),
    TEST(many_values_at_once, "many values are added at once in C++"),
    TEST(uniques_are_set_and_taken, "uniques are set and taken in C++"),
    TEST(the_hierarchy_is_walked, "the hierarchy is built and walked in C++"),
    TEST(commands_take_every_verb, "commands take every verb in C++"),
    TEST(systems_run_as_in_c, "systems and workloads run in C++ as in C"),
    TEST(states_and_options_work_as_in_c, "states and options of runs work in C++ as in C"),
    // proves S-91 S-92
    TEST(custom_views_run_as_in_c, "custom views are declared and run in C++ as in C"),
    TEST(loops_are_split_as_in_c, "loops are split over workers in C++ as in C"),
    TEST(views_take_every_verb, "views take every verb in C++"),
    TEST(relations_are_terms_as_in_c, "values of parents and the order are terms in C++ as in C"),
    TEST(loops_are_left_in_every_way, "loops are left in every way in C++"),
};

} // namespace

int main() { return RUN(tests); }
