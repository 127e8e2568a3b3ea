// SPDX-License-Identifier: MIT
// How much room edits ask for, and what is left where there is none: found by tools/mutate.
#include "support/api_types.h"

#include <string.h>

static api_fixture f;

// ------------------------------------------------------------------ commands
// Those of the world move to the queue without memory: recording makes room for that.
static void own_commands_are_applied_without_memory(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entity(keel_world_commands(f.world), e), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_false(keel_is_alive(f.world, e));
    api_end(&f);
}

// Commands about all that match keep their terms: whatever of them finds no memory, none of such a
// command is recorded. Each round begins with another rest of the list's block.
static void terms_that_find_no_memory(void **state) {
    (void)state;
    const keel_component *with[] = { KEEL_OF(Number),   KEEL_OF(Other),    KEEL_OF(Third),
                                     KEEL_OF(Position), KEEL_OF(Velocity), KEEL_OF(Health),
                                     KEEL_OF(Large),    KEEL_OF(Frozen),   KEEL_OF(Dead) };
    keel_term terms[10] = { { .kind = KEEL_TERM_END } };
    for (uint32_t i = 0; i < 9; ++i)
        terms[i] = (keel_term){ .kind = KEEL_TERM_WITH, .component = with[i] };
    terms[9].kind = KEEL_TERM_END;
    for (uint32_t round = 0; round < 40; ++round) {
        api_begin(&f);
        const keel_entity e = keel_add_entity(
            f.world, KEEL_INIT(Number), KEEL_INIT(Other), KEEL_INIT(Third), KEEL_INIT(Position),
            KEEL_INIT(Velocity), KEEL_INIT(Health), KEEL_INIT(Large));
        keel_add(f.world, e, Frozen);
        keel_add(f.world, e, Dead);
        keel_commands *list = keel_world_commands(f.world);
        for (uint32_t i = 0; i < round; ++i)
            assert_int_equal(keel_add(list, e, Third, { i }), KEEL_OK);
        counting_allocator_fail_after(&f.memory, 0);
        keel_result result = KEEL_OK;
        uint32_t recorded = 0;
        while (recorded < 1000 && result == KEEL_OK) {
            const Number next = { recorded + 1 };
            result = keel_add_component_to_matching(list, terms, KEEL_OF(Number), &next);
            recorded += result == KEEL_OK;
        }
        assert_int_equal(result, KEEL_ERROR_MEMORY);
        counting_allocator_never_fail(&f.memory);
        keel_clear_errors(f.world);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_get(f.world, e, Number)->value, recorded);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ many entities
static void count_calls(const keel_change *event, void *data) {
    (void)event;
    ++*(uint32_t *)data;
}

// Who had none is told from who had one at any place of a list, and is told of once.
static void who_of_many_had_none(void **state) {
    (void)state;
    enum { MANY = 200 };
    static keel_entity e[MANY];
    for (uint32_t count = 60; count <= MANY; count += 7) {
        uint32_t calls = 0;
        api_begin(&f);
        for (uint32_t i = 0; i < count; ++i)
            e[i] = keel_add_entity(f.world);
        for (uint32_t i = 0; i < count; i += 3)
            assert_int_equal(keel_add(f.world, e[i], Number, { i }), KEEL_OK);
        assert_int_equal(
            keel_observe_component(f.world, KEEL_OF(Number), KEEL_ON_INSERTED, count_calls, &calls),
            KEEL_OK);
        assert_int_equal(
            keel_add_component_to_many(f.world, e, count, KEEL_OF(Number), &(Number){ 7 }, 0),
            KEEL_OK);
        assert_int_equal(calls, count - (count + 2) / 3);
        api_end(&f);
    }
}

// Whoever follows has no room for many: none of them gets one.
static void followers_of_many_without_memory(void **state) {
    (void)state;
    enum { MANY = 100 };
    keel_entity e[MANY];
    for (uint32_t n = 0;; ++n) {
        api_begin(&f);
        for (uint32_t i = 0; i < MANY; ++i)
            e[i] = keel_add_entity(f.world);
        assert_int_equal(keel_register(f.world, Number), KEEL_OK);
        assert_int_equal(keel_reserve(f.world, Number, MANY), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Dead, Number, KEEL_ON_INSERTED), KEEL_OK);
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result =
            keel_add_component_to_many(f.world, e, MANY, KEEL_OF(Number), &(Number){ 7 }, 0);
        counting_allocator_never_fail(&f.memory);
        assert_true(result >= 0 || result == KEEL_ERROR_MEMORY);
        assert_int_equal(keel_count(f.world, Number), result < 0 ? 0 : MANY);
        assert_int_equal(keel_count(f.world, Dead), result < 0 ? 0 : MANY);
        keel_clear_errors(f.world);
        api_end(&f);
        if (result >= 0) break;
    }
}

// ------------------------------------------------------------------ reactive sets
// Who is put into a set by hand takes no room from those that may come to it by themselves.
static void by_hand_into_a_set(void **state) {
    (void)state;
    enum { EACH = 64 };
    keel_entity source[EACH];
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dead, Number, KEEL_ON_MODIFIED), KEEL_OK);
    for (uint32_t i = 0; i < EACH; ++i)
        source[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 0; i < EACH; ++i)
        assert_int_equal(keel_add(f.world, keel_add_entity(f.world), Dead), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < EACH; ++i)
        assert_int_equal(keel_replace(f.world, source[i], Number, { 0 }), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_int_equal(keel_count(f.world, Dead), 2 * EACH);
    api_end(&f);
}

typedef struct Owes {
    uint32_t coins;
} Owes;
KEEL_VALUED_RELATION(Owes);

// A clone of what has no components, but is related, beside sets.
static void clones_that_are_related_beside_sets(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dead, Number, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Frozen, Number, KEEL_ON_DELETED), KEEL_OK);
    const keel_entity bank = keel_add_entity(f.world), debtor = keel_add_entity(f.world);
    assert_int_equal(keel_relate(f.world, debtor, Owes, bank, { 5 }), KEEL_OK);
    const keel_entity copy = keel_clone_entity(f.world, debtor);
    assert_no_error(f.world);
    assert_int_equal(keel_get_related(f.world, copy, Owes, bank)->coins, 5);
    api_end(&f);
}

static void parts_of_many_copies_without_memory(void **state) {
    (void)state;
    for (uint32_t n = 0;; ++n) {
        api_begin(&f);
        keel_world *templates = keel_templates(f.world);
        const keel_prefab box = { keel_add_entity(templates, KEEL_INIT(Number, { 3 })) };
        keel_add_child(templates, box.root, KEEL_INIT(Other, { 4 }));
        keel_entity out[200];
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result = keel_spawn_many(f.world, box, 200, out);
        counting_allocator_never_fail(&f.memory);
        if (result < 0) assert_int_equal(result, KEEL_ERROR_MEMORY);
        assert_int_equal(keel_entity_count(f.world), result < 0 ? 0 : 400);
        keel_clear_errors(f.world);
        api_end(&f);
        if (result >= 0) break;
    }
}

static void copied_worlds_with_sets_without_memory(void **state) {
    (void)state;
    enum { MANY = 200 };
    for (uint32_t n = 0;; ++n) {
        api_fixture g;
        api_begin(&f);
        for (uint32_t i = 0; i < MANY; ++i)
            keel_add_entity(f.world, KEEL_INIT(Number));
        api_begin(&g);
        assert_int_equal(keel_collect(g.world, Dead, Number, KEEL_ON_INSERTED), KEEL_OK);
        counting_allocator_fail_after(&g.memory, n);
        const keel_result result = keel_copy_world(f.world, g.world);
        counting_allocator_never_fail(&g.memory);
        if (result < 0) assert_int_equal(result, KEEL_ERROR_MEMORY);
        assert_int_equal(keel_count(g.world, Dead), result < 0 ? 0 : MANY);
        keel_clear_errors(g.world);
        api_end(&g);
        api_end(&f);
        if (result >= 0) break;
    }
}

// ------------------------------------------------------------------ figures of memory
typedef struct Kept {
    uint32_t word[8];
} Kept;
KEEL_COMPONENT(Kept, .tracking = KEEL_TRACK_DELETION);
typedef struct Gone {
    uint32_t word[8];
} Gone;
KEEL_COMPONENT(Gone);

// Where values are kept for readers that may come, they count as memory of the component.
static void kept_values_count_as_memory(void **state) {
    (void)state;
    enum { MANY = 200 };
    api_begin(&f);
    for (uint32_t i = 0; i < MANY; ++i)
        keel_add_entity(f.world, KEEL_INIT(Kept), KEEL_INIT(Gone));
    const size_t plain = keel_component_memory(f.world, KEEL_OF(Gone));
    const size_t kept = keel_component_memory(f.world, KEEL_OF(Kept));
    assert_true(kept >= plain + MANY * sizeof(Kept));
    assert_true(kept < 100 * plain);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_commands_are_applied_without_memory),
        cmocka_unit_test(terms_that_find_no_memory),
        cmocka_unit_test(who_of_many_had_none),
        cmocka_unit_test(followers_of_many_without_memory),
        cmocka_unit_test(by_hand_into_a_set),
        cmocka_unit_test(clones_that_are_related_beside_sets),
        cmocka_unit_test(parts_of_many_copies_without_memory),
        cmocka_unit_test(copied_worlds_with_sets_without_memory),
        cmocka_unit_test(kept_values_count_as_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
