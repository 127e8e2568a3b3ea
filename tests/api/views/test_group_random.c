// SPDX-License-Identifier: MIT
// Random edits over groups of every kind, against a naive check: after each one the members are
// exactly the entities that match, they lie at the front of all that the group owns in one order,
// and every value is still that of its entity.
#include "support/group_fixture.h"

enum { entities = 48, group_kinds = 5 };

typedef struct kind {
    const keel_component *owned[4], *get[4], *exclude[4];
} kind;
static const kind kinds[group_kinds] = {
    { { KEEL_OF(Number), KEEL_OF(Other) }, { KEEL_OF(Indexed) }, { KEEL_OF(Frozen) } },
    { { KEEL_OF(Owned), KEEL_OF(Dead) }, { KEEL_OF(Number) }, { NULL } },
    { { NULL }, { KEEL_OF(Row), KEEL_OF(Other) }, { KEEL_OF(Indexed), KEEL_OF(keel_child) } },
    { { KEEL_OF(Third) }, { NULL }, { KEEL_OF(Row) } },
    { { NULL }, { KEEL_OF(Indexed), KEEL_OF(Owned) }, { KEEL_OF(Dead) } },
};
static const keel_component *const all[] = { KEEL_OF(Number), KEEL_OF(Other),  KEEL_OF(Third),
                                             KEEL_OF(Owned),  KEEL_OF(Frozen), KEEL_OF(Dead),
                                             KEEL_OF(Row),    KEEL_OF(Indexed) };
enum { components = sizeof all / sizeof *all };

typedef struct game {
    api_fixture f;
    keel_group *groups[group_kinds];
    keel_entity e[entities];
    uint64_t seed;
} game;

static uint32_t any(game *g, uint32_t below) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->seed >> 33) % below);
}

// ------------------------------------------------------------------ the naive check
static bool has_all(game *g, keel_entity e, const keel_component *const *list, bool wanted) {
    for (; *list; ++list)
        if (keel_has_component(g->f.world, e, *list) != wanted) return false;
    return true;
}

static void check_order(game *g, keel_group *group, const keel_component *ordered) {
    uint32_t count;
    keel_entity *list = packed_order(g->f.world, ordered, &count);
    assert_true(keel_group_count(g->f.world, group) <= count);
    for (uint32_t i = 0; i < keel_group_count(g->f.world, group); ++i)
        assert_same_entity(keel_group_entity(g->f.world, group, i), list[i]);
    free(list);
}

static void check_group(game *g, uint32_t k) {
    keel_world *world = g->f.world;
    uint32_t matching = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
        const bool matches = has_all(g, e, kinds[k].owned, true) &&
                             has_all(g, e, kinds[k].get, true) &&
                             has_all(g, e, kinds[k].exclude, false);
        assert_int_equal(keel_group_contains(world, g->groups[k], e), matches);
        matching += matches;
    }
    assert_int_equal(keel_group_count(world, g->groups[k]), matching);
    for (const keel_component *const *c = kinds[k].owned; *c; ++c)
        check_order(g, g->groups[k], *c);
}

static void check_values(game *g) {
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(g->f.world, e));) {
        const uint32_t index = keel_entity_index(e);
        for (uint32_t c = 0; c < components; ++c) {
            const uint32_t *value = keel_get_component(g->f.world, e, all[c]);
            if (!value || all[c] == KEEL_OF(Owned) || !all[c]->size) continue;
            assert_int_equal(*value, index * 16 + c);
        }
        const Owned *token = keel_get(g->f.world, e, Owned);
        if (token) assert_true(owned.alive[token->token] && token->inverse == ~token->token);
    }
}

static void check(game *g) {
    for (uint32_t k = 0; k < group_kinds; ++k)
        if (g->groups[k]) check_group(g, k);
    check_values(g);
}

// ------------------------------------------------------------------ edits
static void add_one(game *g, keel_entity e, uint32_t c) {
    const uint32_t value = keel_entity_index(e) * 16 + c;
    Owned token;
    if (all[c] != KEEL_OF(Owned)) {
        (void)keel_add_component(g->f.world, e, all[c], &value);
        return;
    }
    token = owned_make();
    if (keel_add_component(g->f.world, e, all[c], &token) != KEEL_OK) owned_release(token);
}

// Several at once: rows move once, and groups look when all is in place.
static void add_some(game *g, keel_entity e) {
    uint32_t numbers[components];
    keel_value values[components + 1];
    uint32_t count = 0;
    for (uint32_t c = 0; c < components; ++c) {
        if (all[c] == KEEL_OF(Owned) || any(g, 2)) continue;
        numbers[count] = keel_entity_index(e) * 16 + c;
        values[count] = (keel_value){ all[c], &numbers[count] };
        ++count;
    }
    values[count] = (keel_value){ NULL, NULL };
    (void)keel_add_component_values(g->f.world, e, values);
}

static void remove_one(game *g, keel_entity e, uint32_t c) {
    if (all[c] == KEEL_OF(Owned)) {
        Owned out;
        if (keel_remove(g->f.world, e, Owned, &out) == KEEL_OK) owned_release(out);
        return;
    }
    (void)keel_delete_component(g->f.world, e, all[c]);
}

static void renew(game *g, uint32_t i) {
    if (keel_is_alive(g->f.world, g->e[i])) {
        (void)keel_delete_entity(g->f.world, g->e[i]);
    } else {
        g->e[i] = keel_add_entity(g->f.world);
        assert_false(keel_is_null(g->e[i]));
    }
}

static int by_value(const void *a, const void *b, void *data) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, turn = *(uint32_t *)data;
    return (x * turn % 64 > y * turn % 64) - (x * turn % 64 < y * turn % 64);
}
static int by_entity(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (int)keel_entity_index(b) - (int)keel_entity_index(a);
}

static void sort_something(game *g) {
    uint32_t turn = any(g, 50) * 2 + 1;
    const uint32_t k = any(g, group_kinds), c = any(g, components), o = any(g, components);
    const uint32_t first = any(g, 3) ? 0 : any(g, 20), what = any(g, 4);
    const keel_component *by = *kinds[k].owned ? kinds[k].owned[0] : kinds[k].get[0];
    keel_sort_desc desc = { .group = g->groups[k], .first = first };
    if (any(g, 3) == 0) {
        (void)keel_swap_component(g->f.world, all[c], g->e[any(g, entities)],
                                  g->e[any(g, entities)]);
    } else if (!g->groups[k]) {
        (void)keel_sort_with(g->f.world, .component = all[c], .as = all[o], .first = first);
    } else if (what == 0) {
        desc.as = all[o]; // refused for archetype components
        (void)keel_sort_by(g->f.world, &desc);
    } else {
        desc.compare_entities = what == 1 ? by_entity : NULL;
        desc.compare = what == 1 ? NULL : by_value;
        desc.by = what == 1 ? NULL : by;
        desc.data = &turn;
        assert_int_equal(keel_sort_by(g->f.world, &desc), KEEL_OK);
    }
    keel_clear_errors(g->f.world);
}

static void toggle_group(game *g) {
    const uint32_t k = any(g, group_kinds);
    if (g->groups[k]) {
        assert_int_equal(keel_group_destroy(g->f.world, g->groups[k]), KEEL_OK);
        g->groups[k] = NULL;
        return;
    }
    const keel_group_desc desc = { .owned = kinds[k].owned,
                                   .get = kinds[k].get,
                                   .exclude = kinds[k].exclude };
    assert_int_equal(keel_group_create_of(g->f.world, &desc, &g->groups[k]), KEEL_OK);
}

static void step(game *g) {
    const uint32_t i = any(g, entities), c = any(g, components);
    const keel_entity e = g->e[i], other = g->e[any(g, entities)];
    switch (any(g, 40)) {
    case 0:
        renew(g, i);
        break;
    case 1:
        (void)keel_strip(g->f.world, e);
        break;
    case 2:
        if (any(g, 4) == 0) (void)keel_clear_component(g->f.world, all[c]);
        break;
    case 3:
        toggle_group(g);
        break;
    case 4:
    case 5:
        sort_something(g);
        break;
    case 6:
    case 7:
        (void)keel_disable(g->f.world, e, Indexed);
        break;
    case 8:
    case 9:
        (void)keel_enable(g->f.world, e, Indexed);
        break;
    case 10:
        (void)keel_attach(g->f.world, e, other);
        break;
    case 11:
        (void)keel_detach(g->f.world, e);
        break;
    case 12:
    case 13:
    case 14:
    case 15:
        add_some(g, e);
        break;
    case 16:
        assert_int_equal(keel_world_trim(g->f.world), KEEL_OK);
        break;
    default:
        if (any(g, 5) < 3) add_one(g, e, c);
        else remove_one(g, e, c);
    }
    keel_clear_errors(g->f.world);
}

static void play(uint64_t seed, uint32_t steps) {
    game g = { .seed = seed };
    owned_begin();
    api_begin(&g.f);
    for (uint32_t i = 0; i < entities; ++i)
        g.e[i] = keel_add_entity(g.f.world);
    for (uint32_t i = 0; i < steps; ++i) {
        step(&g);
        check(&g);
    }
    api_end(&g.f);
    assert_owned_end();
}

static void members_are_who_matches(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed)
        play(seed, test_rounds(1200));
}

// The same, while every few steps an allocation fails: an edit is done or not, and groups agree.
static void members_are_who_matches_without_memory(void **state) {
    (void)state;
    game g = { .seed = 77 };
    owned_begin();
    api_begin(&g.f);
    for (uint32_t i = 0; i < entities; ++i)
        g.e[i] = keel_add_entity(g.f.world);
    for (uint32_t i = 0; i < test_rounds(3000); ++i) {
        const uint32_t what = any(&g, 12), c = any(&g, components);
        const keel_entity e = g.e[any(&g, entities)];
        if (what == 0) toggle_group(&g);
        counting_allocator_fail_once(&g.f.memory, any(&g, 3));
        if (what == 1) (void)keel_world_trim(g.f.world);
        else if (what == 2) add_some(&g, e);
        else if (what < 8) add_one(&g, e, c);
        else if (what < 11) remove_one(&g, e, c);
        else
            (void)keel_sort_with(g.f.world, .group = g.groups[c % group_kinds],
                                 .compare_entities = by_entity);
        counting_allocator_never_fail(&g.f.memory);
        keel_clear_errors(g.f.world);
        check(&g);
    }
    api_end(&g.f);
    assert_owned_end();
}

// ------------------------------------------------------------------ many at once
static void make_groups(game *g) {
    for (uint32_t k = 0; k < group_kinds; ++k)
        assert_int_equal(keel_group_create_of(g->f.world,
                                              &(keel_group_desc){ .owned = kinds[k].owned,
                                                                  .get = kinds[k].get,
                                                                  .exclude = kinds[k].exclude },
                                              &g->groups[k]),
                         KEEL_OK);
}

// New entities with some components: in one go, and one by one.
static void add_to_both(game *bulk, game *single) {
    keel_value_column columns[components + 1] = { { NULL, NULL, 0 } }; // zeros
    keel_value values[components + 1] = { { NULL, NULL } };
    uint32_t count = any(bulk, 30), n = 0;
    for (uint32_t c = 0; c < components; ++c) {
        if (all[c] == KEEL_OF(Owned) || any(bulk, 5) > 2) continue;
        columns[n].component = values[n].component = all[c];
        ++n;
        columns[n].component = values[n].component = NULL;
    }
    assert_int_equal(keel_add_entity_columns(bulk->f.world, count, NULL, columns), KEEL_OK);
    while (count--)
        assert_false(keel_is_null(keel_add_entity_values(single->f.world, values)));
}

static void compare_groups(const game *a, const game *b) {
    for (uint32_t k = 0; k < group_kinds; ++k) {
        const uint32_t count = keel_group_count(a->f.world, a->groups[k]);
        assert_int_equal(count, keel_group_count(b->f.world, b->groups[k]));
        for (uint32_t i = 0; i < count; ++i)
            assert_same_entity(keel_group_entity(a->f.world, a->groups[k], i),
                               keel_group_entity(b->f.world, b->groups[k], i));
    }
}

// Whether others stand behind the members (then each is swapped in) or not.
static void many_join_in_the_order_of_single_ones(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < test_rounds(8); ++seed) {
        game bulk = { .seed = seed }, single = { .seed = seed };
        api_begin(&bulk.f);
        api_begin(&single.f);
        make_groups(&bulk);
        make_groups(&single);
        for (uint32_t round = 0; round < 30; ++round) {
            add_to_both(&bulk, &single);
            const uint32_t gone = any(&bulk, 40);
            for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(bulk.f.world, e));)
                if ((keel_entity_index(e) + gone) % (gone + 2) == 0) {
                    (void)keel_delete_entity(single.f.world, e);
                    (void)keel_delete_entity(bulk.f.world, e);
                }
            for (uint32_t k = 0; k < group_kinds; ++k)
                check_group(&bulk, k);
            compare_groups(&bulk, &single);
        }
        api_end(&bulk.f);
        api_end(&single.f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(members_are_who_matches, "after each random edit the members are who matches"),
    TEST(members_are_who_matches_without_memory, "the same while memory runs out"),
    TEST(many_join_in_the_order_of_single_ones, "many join in the order of single ones"),
};

int main(void) { return RUN(tests); }
