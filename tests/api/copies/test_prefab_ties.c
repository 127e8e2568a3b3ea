// SPDX-License-Identifier: MIT
// The parts of a copy are tied to each other as those of its template, whichever way it was made:
// keel_spawn, keel_spawn_many, by commands, keel_apply_prefab onto a new entity, keel_merge_world.
#include "support/api_fixture.h"

KEEL_RELATION(Plain);
KEEL_RELATION(Exclusive, .exclusive = true);
KEEL_RELATION(Symmetric, .symmetric = true);
KEEL_RELATION(Partner, .exclusive = true, .symmetric = true);
KEEL_RELATION(Tree, .exclusive = true, .acyclic = true);
typedef struct Valued {
    uint32_t value;
} Valued;
KEEL_VALUED_RELATION(Valued);
typedef struct Load {
    uint32_t value;
} Load;
KEEL_COMPONENT(Load);

enum { MOST = 40, RELATIONS = 6 };
static const keel_component *relations[RELATIONS];
static api_fixture f;
static uint32_t count; // of parts
static keel_entity parts[MOST];
static uint64_t random_state;

static uint32_t roll(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

// `loops`: the root may be related to itself.
static void make_template(uint64_t seed, bool loops) {
    keel_world *templates = keel_templates(f.world);
    random_state = seed;
    count = 2 + roll() % (MOST - 1);
    for (uint32_t i = 0; i < count; ++i) {
        parts[i] = i ? keel_add_child(templates, parts[roll() % i]) : keel_add_entity(templates);
        if (roll() % 2) keel_add(templates, parts[i], Load, { i });
    }
    for (uint32_t edges = roll() % (4 * count); edges; --edges) {
        const keel_component *r = relations[roll() % RELATIONS];
        const keel_entity a = parts[roll() % count], b = parts[roll() % count];
        const Valued value = { edges };
        if (!loops && keel_is_same(a, parts[0]) && keel_is_same(b, parts[0])) continue;
        (void)keel_relate_component(templates, a, r, b, r->size ? &value : NULL);
    }
    for (uint32_t i = 0; i < count; ++i)
        if (roll() % 4 == 0) (void)keel_disable(templates, parts[i], Load);
    keel_clear_errors(templates); // of circles that were refused
}

// The copies of all parts: a copy's descendants come in the order of the template's.
static void find_copies(keel_entity root, keel_entity *copies) {
    keel_world *templates = keel_templates(f.world);
    keel_entity e = root, t = parts[0];
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t i = 0;
        while (!keel_is_same(parts[i], t))
            ++i;
        copies[i] = e;
        e = keel_next_descendant(f.world, root, e, KEEL_DEPTH_FIRST);
        t = keel_next_descendant(templates, parts[0], t, KEEL_DEPTH_FIRST);
    }
    assert_true(keel_is_null(e));
}

static uint32_t part_of(const keel_entity *list, keel_entity e) {
    uint32_t i = 0;
    while (i < count && !keel_is_same(list[i], e))
        ++i;
    return i;
}

static void assert_tied(const char *way, uint64_t seed, const keel_entity *copies) {
    keel_world *templates = keel_templates(f.world);
    bool are_same = true;
    for (uint32_t i = 0; i < count; ++i) {
        are_same &= keel_is_disabled(templates, parts[i], Load) ==
                    keel_is_disabled(f.world, copies[i], Load);
        for (uint32_t r = 0; r < RELATIONS; ++r) {
            keel_entity a = keel_null(), b = keel_null();
            do {
                a = keel_next_target_component(templates, parts[i], relations[r], a);
                b = keel_next_target_component(f.world, copies[i], relations[r], b);
                are_same &= part_of(parts, a) == part_of(copies, b);
            } while (are_same && !keel_is_null(a));
            a = b = keel_null();
            do {
                a = keel_next_source_component(templates, parts[i], relations[r], a);
                b = keel_next_source_component(f.world, copies[i], relations[r], b);
                are_same &= part_of(parts, a) == part_of(copies, b);
            } while (are_same && !keel_is_null(a));
            if (!are_same)
                fail_msg("%s, template %u: part %u, '%s'", way, (unsigned)seed, i,
                         relations[r]->type);
        }
    }
}

static void check_root(const char *way, uint64_t seed, keel_entity root) {
    keel_entity copies[MOST];
    find_copies(root, copies);
    assert_tied(way, seed, copies);
}

static void check_merged(uint64_t seed) {
    keel_entity copies[MOST], all[MOST];
    const keel_merge_options options = { .handles = all };
    if (keel_merge_world(f.world, keel_templates(f.world), &options) < 0)
        fail_msg("%u: %s", (unsigned)seed, keel_last_error(f.world)->message);
    uint32_t n = 0;
    for (keel_entity t = keel_null();
         !keel_is_null(t = keel_next_entity(keel_templates(f.world), t));)
        copies[part_of(parts, t)] = all[n++];
    assert_int_equal(n, count);
    assert_tied("merge", seed, copies);
}

static void every_way_ties_alike(void **state) {
    (void)state;
    const keel_component *all[] = { KEEL_RELATION_OF(Plain),     KEEL_RELATION_OF(Exclusive),
                                    KEEL_RELATION_OF(Symmetric), KEEL_RELATION_OF(Partner),
                                    KEEL_RELATION_OF(Tree),      KEEL_RELATION_OF(Valued) };
    for (uint32_t r = 0; r < RELATIONS; ++r)
        relations[r] = all[r];
    for (uint64_t seed = 1, rounds = test_rounds(400); seed <= rounds; ++seed) {
        api_begin(&f);
        const bool loops = seed % 2;
        make_template(seed, loops);
        const keel_prefab prefab = { parts[0] };
        keel_entity many[3];
        check_root("spawn", seed, keel_spawn(f.world, prefab));
        assert_int_equal(keel_spawn_many(f.world, prefab, 3, many), KEEL_OK);
        for (uint32_t i = 0; i < 3; ++i)
            check_root("spawn_many", seed, many[i]);
        const keel_entity recorded = keel_spawn(keel_world_commands(f.world), prefab),
                          e = keel_add_entity(f.world);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        check_root("commands", seed, recorded);
        // what leads from the root to itself comes last there, or is refused where it has a value
        if (!loops) assert_int_equal(keel_apply_prefab(f.world, e, prefab), KEEL_OK);
        if (!loops) check_root("apply", seed, e);
        check_merged(seed);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(every_way_ties_alike, "every way to copy a template ties the parts alike"),
};
int main(void) { return RUN(tests); }
