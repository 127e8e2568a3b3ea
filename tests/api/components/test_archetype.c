// SPDX-License-Identifier: MIT
// Archetype storage as a user sees it, and what EC-Scrapyard promises of entities and archetypes.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

typedef struct Small {
    uint32_t value;
} Small;
typedef struct Wide {
    uint64_t value;
} Wide;
typedef struct Flag {
    bool value;
} Flag;
typedef struct Thing {
    Owned owned;
} Thing;
typedef struct Page {
    _Alignas(4096) uint32_t value;
} Page;

KEEL_COMPONENT(Small, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Wide, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Flag, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Thing, .storage = KEEL_ARCHETYPE, .drop = owned_drop, .copy = owned_copy,
               .move = owned_move);
KEEL_COMPONENT(Page, .storage = KEEL_ARCHETYPE);

static api_fixture f;

static void begin(void) {
    owned_begin();
    api_begin(&f);
}
static void end(void) {
    api_end(&f);
    assert_owned_end();
}

// How many entities have all of the listed components and none of `without`.
static uint32_t count_of(const keel_component *a, const keel_component *b,
                         const keel_component *without) {
    keel_term terms[4] = { 0 };
    uint32_t n = 0;
    terms[n++] = (keel_term){ .kind = KEEL_TERM_READ, .component = a };
    if (b) terms[n++] = (keel_term){ .kind = KEEL_TERM_READ, .component = b };
    if (without) terms[n++] = (keel_term){ .kind = KEEL_TERM_WITHOUT, .component = without };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "count_of"), KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    keel_view_end(&view);
    return count;
}

// ------------------------------------------------------------------ entities
static void entities_come_in_order(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 5; ++i)
        assert_same_entity(keel_add_entity(f.world), handle_at(i, 0));
    end();
}

static void too_many_entities_are_an_error(void **state) {
    (void)state;
    begin();
    (void)keel_add_entity(f.world);
    assert_int_equal(keel_add_entity_columns(f.world, UINT32_MAX, NULL, NULL), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, "not enough free indices");
    assert_int_equal(keel_entity_count(f.world), 1);
    assert_same_entity(keel_add_entity(f.world), handle_at(1, 0));
    end();
}

static void deleting_twice_does_nothing(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Small, { 1 })), copy = e;
    assert_true(keel_is_alive(f.world, copy));
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_false(keel_is_alive(f.world, e));
    assert_false(keel_is_alive(f.world, copy));
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_ABSENT);
    assert_no_error(f.world);
    end();
}

static void handles_are_never_used_again(void **state) {
    (void)state;
    begin();
    keel_entity seen[100];
    for (uint32_t i = 0; i < 100; ++i) {
        seen[i] = keel_add_entity(f.world, KEEL_INIT(Small, { i }));
        for (uint32_t k = 0; k < i; ++k)
            assert_false(keel_is_same(seen[i], seen[k]));
        assert_int_equal(keel_delete_entity(f.world, seen[i]), KEEL_OK);
    }
    for (uint32_t i = 0; i < 100; ++i)
        assert_null(keel_get(f.world, seen[i], Small));
    end();
}

static void a_handle_of_another_world_is_not_alive(void **state) {
    (void)state;
    api_fixture other;
    begin();
    api_begin(&other);
    const keel_entity e1_1 = keel_add_entity(f.world, KEEL_INIT(Small, { 1 }));
    assert_false(keel_is_alive(other.world, e1_1));
    assert_int_equal(keel_add(other.world, e1_1, Small, { 2 }), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_delete_entity(other.world, e1_1), KEEL_ABSENT);
    assert_int_equal(keel_get(f.world, e1_1, Small)->value, 1);
    api_end(&other);
    end();
}

// ------------------------------------------------------------------ archetypes
static void an_entity_is_in_the_archetype_of_its_set(void **state) {
    (void)state;
    begin();
    keel_entity e[6];
    for (uint32_t i = 0; i < 6; ++i) {
        e[i] = keel_add_entity(f.world);
        if (i & 1) keel_add(f.world, e[i], Small, { i });
        if (i & 2) keel_add(f.world, e[i], Wide, { i });
        if (i & 4) keel_add(f.world, e[i], Flag, { true });
    }
    assert_int_equal(count_of(KEEL_OF(Small), NULL, NULL), 3);
    assert_int_equal(count_of(KEEL_OF(Small), NULL, KEEL_OF(Wide)), 2);
    assert_int_equal(count_of(KEEL_OF(Small), KEEL_OF(Wide), NULL), 1);
    assert_int_equal(count_of(KEEL_OF(Small), KEEL_OF(Flag), KEEL_OF(Wide)), 1);
    for (uint32_t i = 0; i < 6; ++i) {
        if (i & 1) assert_int_equal(keel_get(f.world, e[i], Small)->value, i);
        if (i & 2) assert_int_equal(keel_get(f.world, e[i], Wide)->value, i);
        assert_int_equal(keel_has(f.world, e[i], Flag), i >> 2 & 1);
    }
    end();
}

// The columns of a chunk belong together: value i of each is the one of entity i.
static void columns_go_side_by_side(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 10000; ++i) {
        const keel_entity e =
            keel_add_entity(f.world, KEEL_INIT(Small, { i }), KEEL_INIT(Wide, { i * 3 }));
        if (i % 3 == 0) keel_add(f.world, e, Flag, { true });
        if (i % 7 == 0) keel_delete_entity(f.world, e);
    }
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Small) },
                                { .kind = KEEL_TERM_READ, .component = KEEL_OF(Wide) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    uint32_t count = 0;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "columns"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span)) {
        const Small *small = keel_span_read_component(&span, KEEL_OF(Small));
        const Wide *wide = keel_span_read_component(&span, KEEL_OF(Wide));
        for (uint32_t i = 0; i < span.count; ++i) {
            assert_true(wide[i].value == small[i].value * 3);
            assert_int_equal(keel_get(f.world, span.entities[i], Small)->value, small[i].value);
        }
        count += span.count;
    }
    keel_view_end(&view);
    assert_int_equal(count, keel_entity_count(f.world));
    end();
}

// The seed's add_removes: {} + u32, + u64, - u32.
static void adding_and_removing_moves_between_archetypes(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add(f.world, e, Small, { 7 }), KEEL_OK);
    assert_true(keel_has(f.world, e, Small));
    assert_int_equal(keel_add(f.world, e, Wide, { 8 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Small)->value, 7);
    assert_int_equal(keel_get(f.world, e, Wide)->value, 8);
    Small out = { 0 };
    assert_int_equal(keel_remove(f.world, e, Small, &out), KEEL_OK);
    assert_int_equal(out.value, 7);
    assert_false(keel_has(f.world, e, Small));
    assert_int_equal(keel_get(f.world, e, Wide)->value, 8);
    end();
}

// The seed panics (add_preexisting); here the value is overwritten, as in every storage.
static void adding_again_overwrites(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Small, { 1 }));
    assert_int_equal(keel_add(f.world, e, Small, { 2 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Small)->value, 2);
    assert_int_equal(keel_count(f.world, Small), 1);
    end();
}

// remove_unpresent and remove_unpresent_2 panic in the seed.
static void removing_what_is_not_there_is_absent(void **state) {
    (void)state;
    begin();
    const keel_entity bare = keel_add_entity(f.world);
    assert_int_equal(keel_remove(f.world, bare, Small), KEEL_ABSENT);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Wide, { 1 }));
    assert_int_equal(keel_remove(f.world, e, Small), KEEL_ABSENT);
    keel_add(f.world, bare, Small, { 1 }); // also when the world knows the component
    assert_int_equal(keel_remove(f.world, e, Small), KEEL_ABSENT);
    assert_int_equal(keel_get(f.world, e, Wide)->value, 1);
    assert_no_error(f.world);
    end();
}

// columns_builder and columns_builder_duplicate.
static void several_at_once_and_one_named_twice(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Small, { 1 }), KEEL_INIT(Wide, { 2 }),
                                          KEEL_INIT(Flag, { true }));
    assert_int_equal(keel_get(f.world, e, Small)->value, 1);
    assert_int_equal(keel_get(f.world, e, Wide)->value, 2);
    assert_true(keel_get(f.world, e, Flag)->value);
    const keel_entity twice =
        keel_add_entity(f.world, KEEL_INIT(Small, { 3 }), KEEL_INIT(Small, { 4 }));
    assert_int_equal(keel_get(f.world, twice, Small)->value, 4); // the last one counts
    const keel_value_column columns[] = { { KEEL_OF(Small), NULL, 0 },
                                          { KEEL_OF(Small), NULL, 0 },
                                          { NULL, NULL, 0 } };
    assert_int_equal(keel_add_entity_columns(f.world, 3, NULL, columns), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "named twice");
    end();
}

static void values_with_hooks_travel(void **state) {
    (void)state;
    begin();
    keel_entity e[30];
    for (uint32_t i = 0; i < 30; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Small, { i }));
        assert_int_equal(keel_add(f.world, e[i], Thing, { owned_make() }), KEEL_OK);
    }
    for (uint32_t i = 0; i < 30; i += 2)
        keel_add(f.world, e[i], Wide, { i });
    for (uint32_t i = 0; i < 30; i += 3)
        keel_delete(f.world, e[i], Small);
    assert_int_equal(owned.living, 30);
    for (uint32_t i = 0; i < 30; i += 5)
        keel_delete(f.world, e[i], Thing);
    assert_int_equal(owned.living, 24);
    Thing out;
    assert_int_equal(keel_remove(f.world, e[1], Thing, &out), KEEL_OK);
    owned_release(out.owned);
    keel_delete_entity(f.world, e[2]);
    assert_int_equal(owned.living, 22);
    keel_clear(f.world, Thing);
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_entity_count(f.world), 29);
    end();
}

static void alignment_is_honoured(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 50; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Small, { i }));
        assert_int_equal(keel_add(f.world, e, Page, { i }), KEEL_OK);
        assert_int_equal((uintptr_t)keel_get(f.world, e, Page) % 4096, 0);
    }
    end();
}

// ------------------------------------------------------------------ memory
static void a_thousand_archetypes_come_and_go(void **state) {
    (void)state;
    begin();
    keel_component c[10];
    char names[10][8];
    static keel_entity e[1024];
    for (uint32_t i = 0; i < 10; ++i) {
        snprintf(names[i], sizeof names[i], "set%u", (unsigned)i);
        c[i] =
            (keel_component){ .name = names[i], .size = 4, .align = 4, .storage = KEEL_ARCHETYPE };
    }
    for (uint32_t n = 0; n < 1024; ++n) {
        e[n] = keel_add_entity(f.world);
        for (uint32_t i = 0; i < 10; ++i)
            if (n >> i & 1) assert_int_equal(keel_add_component(f.world, e[n], &c[i], &n), KEEL_OK);
    }
    for (uint32_t i = 0; i < 10; ++i)
        assert_int_equal(keel_component_count(f.world, &c[i]), 512);
    assert_int_equal(count_of(&c[0], &c[9], &c[4]), 128);
    const size_t full = keel_world_statistics(f.world).memory.total;
    for (uint32_t n = 0; n < 1024; ++n)
        if (n % 64) keel_delete_entity(f.world, e[n]);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_true(keel_world_statistics(f.world).memory.total < full / 2);
    assert_int_equal(count_of(&c[9], NULL, &c[6]), 4);
    for (uint32_t n = 0; n < 1024; n += 64) // along edges that were forgotten
        for (uint32_t i = 0; i < 10; ++i)
            assert_int_equal(keel_add_component(f.world, e[n], &c[i], &n), KEEL_OK);
    assert_int_equal(count_of(&c[0], &c[1], NULL), 16);
    end();
}

static void every_edit_survives_a_lack_of_memory(void **state) {
    (void)state;
    for (size_t allowed = 0;; ++allowed) {
        begin();
        keel_register(f.world, Small, Wide, Thing);
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Small, { 5 }));
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result added = keel_add(f.world, e, Wide, { 6 });
        const keel_result removed = added < 0 ? added : keel_delete(f.world, e, Small);
        const bool done = removed == KEEL_OK;
        counting_allocator_never_fail(&f.memory);
        if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(keel_has(f.world, e, Wide), added == KEEL_OK);
        assert_int_equal(keel_has(f.world, e, Small), !done);
        if (!done) assert_int_equal(keel_get(f.world, e, Small)->value, 5);
        if (added == KEEL_OK) assert_int_equal(keel_get(f.world, e, Wide)->value, 6);
        end();
        if (done) break;
        assert_true(allowed < 100);
    }
}

// ------------------------------------------------------------------ the order of sets
enum { SETS = 16, MOST = 40, STEPS = 4000 };
// The rows of each set that has Small, in which the last one fills a hole; and in which order the
// sets came to be.
typedef struct rows_model {
    uint32_t order[SETS], sets;
    uint32_t count[SETS];
    keel_entity rows[SETS][MOST];
} rows_model;
static rows_model model, then_model;
static keel_entity seen[MOST];
static uint32_t seen_count;

typedef struct TagA {
    char value;
} TagA;
KEEL_COMPONENT(TagA, .storage = KEEL_ARCHETYPE);
typedef struct TagB {
    char value;
} TagB;
KEEL_COMPONENT(TagB, .storage = KEEL_ARCHETYPE);
typedef struct TagC {
    char value;
} TagC;
KEEL_COMPONENT(TagC, .storage = KEEL_ARCHETYPE);
typedef struct TagD {
    char value;
} TagD;
KEEL_COMPONENT(TagD, .storage = KEEL_ARCHETYPE);
static const keel_component *const set_tags[] = { KEEL_OF(TagA), KEEL_OF(TagB), KEEL_OF(TagC),
                                                  KEEL_OF(TagD) };

KEEL_SYSTEM(note_rows, KEEL_READ(Small, s), KEEL_ENTITY(e)) {
    (void)s;
    seen[seen_count++] = e;
}

static void model_push(uint32_t set, keel_entity e) {
    uint32_t at = 0;
    while (at < model.sets && model.order[at] != set)
        ++at;
    if (at == model.sets) model.order[model.sets++] = set;
    model.rows[set][model.count[set]++] = e;
}

static void model_take(uint32_t set, uint32_t row) {
    model.rows[set][row] = model.rows[set][--model.count[set]];
}

static void model_trim(void) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < model.sets; ++i)
        if (model.count[model.order[i]]) model.order[kept++] = model.order[i];
    model.sets = kept;
}

static void assert_order(void) {
    seen_count = 0;
    assert_int_equal(keel_run_system(f.world, &KEEL_SYSTEM_note_rows, NULL), KEEL_OK);
    uint32_t at = 0;
    for (uint32_t i = 0; i < model.sets; ++i)
        for (uint32_t row = 0; row < model.count[model.order[i]]; ++row) {
            assert_true(at < seen_count);
            assert_same_entity(seen[at++], model.rows[model.order[i]][row]);
        }
    assert_int_equal(at, seen_count);
}

static uint32_t random_state;
static uint32_t random_below(uint32_t end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

static void edit_at_random(uint32_t set, uint32_t row) {
    const uint32_t tag = random_below(4), other = set ^ 1u << tag;
    const keel_entity e = model.rows[set][row];
    if (random_below(4) == 0) {
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    } else {
        const keel_result done = set >> tag & 1 ? keel_delete_component(f.world, e, set_tags[tag])
                                                : keel_add_component(f.world, e, set_tags[tag], "");
        assert_int_equal(done, KEEL_OK);
        model_push(other, e);
    }
    model_take(set, row);
}

static void step_at_random(keel_snapshot *then, uint32_t step) {
    const uint32_t what = random_below(100), set = random_below(SETS);
    if (what == 0) {
        keel_clear_entities(f.world);
        memset(model.count, 0, sizeof model.count);
    } else if (what == 1) {
        assert_int_equal(keel_world_trim(f.world), KEEL_OK);
        model_trim();
    } else if (what == 2 || step == 0) {
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        then_model = model;
    } else if (what == 3) {
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        model = then_model;
    } else if (model.count[set]) {
        edit_at_random(set, random_below(model.count[set]));
    } else if (keel_entity_count(f.world) < 12) {
        model_push(0, keel_add_entity(f.world, KEEL_INIT(Small, { step })));
    }
}

// Sets that become empty, and get rows again, keep their turn.
static void sets_are_visited_in_the_order_in_which_they_came_to_be(void **state) {
    (void)state;
    begin();
    random_state = 20261127;
    memset(&model, 0, sizeof model);
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    for (uint32_t step = 0; step < STEPS; ++step) {
        step_at_random(then, step);
        assert_order();
    }
    keel_snapshot_destroy(then);
    end();
}

static const struct CMUnitTest tests[] = {
    // proves S-139
    TEST(entities_come_in_order, "entities come in order, from 0"),
    // proves S-140
    TEST(too_many_entities_are_an_error, "too many entities are an error, nothing changes"),
    // proves S-141
    TEST(deleting_twice_does_nothing, "deleting an entity twice does nothing more"),
    // proves S-142
    TEST(handles_are_never_used_again, "handles are never used again"),
    // proves S-143
    TEST(a_handle_of_another_world_is_not_alive, "a handle of another world is not alive"),
    // proves S-144
    TEST(an_entity_is_in_the_archetype_of_its_set,
         "an entity is in the archetype of exactly its set"),
    // proves S-144
    TEST(columns_go_side_by_side, "value i of every column belongs to entity i"),
    // proves S-146 S-147
    TEST(adding_and_removing_moves_between_archetypes,
         "adding and removing moves between archetypes"),
    // proves S-146
    TEST(adding_again_overwrites, "adding what is there overwrites it"),
    // proves S-147
    TEST(removing_what_is_not_there_is_absent, "removing what is not there is absent"),
    // proves S-148
    TEST(several_at_once_and_one_named_twice,
         "several at once; one named twice is noticed or the last one counts"),
    // proves S-145
    TEST(values_with_hooks_travel, "values with hooks travel from column to column"),
    TEST(alignment_is_honoured, "Alignments to 4096 are honoured in columns"),
    TEST(sets_are_visited_in_the_order_in_which_they_came_to_be,
         "Sets are visited in the order in which they came to be, empty for a while or not"),
    TEST(a_thousand_archetypes_come_and_go, "A thousand archetypes come and go"),
    TEST(every_edit_survives_a_lack_of_memory, "Every edit survives a lack of memory"),
};
int main(void) { return RUN(tests); }
