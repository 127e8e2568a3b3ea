// SPDX-License-Identifier: MIT
// Edits of components, the same over every storage.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 40 };

static void begin(api_fixture *f) {
    owned_begin();
    api_begin(f);
}
static void end(api_fixture *f) {
    api_end(f);
    assert_owned_end();
}

static void add_many(api_fixture *f, keel_entity *list, uint32_t count) {
    assert_int_equal(keel_add_entity_columns(f->world, count, list, NULL), KEEL_OK);
}

// ------------------------------------------------------------------ one component
static void added_values_are_there_and_nowhere_else(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[3];
    begin(&f);
    add_many(&f, e, 3);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        assert_false(keel_has_component(f.world, e[1], c));
        assert_null(keel_get_component(f.world, e[1], c));
        give(f.world, e[1], c, 1);
        assert_given(f.world, e[1], c, 1);
        assert_false(keel_has_component(f.world, e[0], c));
        assert_null(keel_get_component_mut(f.world, e[2], c));
        assert_int_equal(keel_component_count(f.world, c), 1);
    }
    for (uint32_t i = 0; i < COMPONENTS; ++i)
        assert_given(f.world, e[1], every_component[i], 1);
    end(&f);
}

static void adding_again_overwrites(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[2];
    begin(&f);
    add_many(&f, e, 2);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        give(f.world, e[0], c, 1);
        give(f.world, e[1], c, 2);
        give(f.world, e[0], c, 3);
        assert_given(f.world, e[0], c, 3);
        assert_given(f.world, e[1], c, 2);
        assert_int_equal(keel_component_count(f.world, c), 2);
    }
    end(&f);
}

static void null_values_are_zeros(void **state) {
    (void)state;
    static const unsigned char zeros[LARGEST];
    api_fixture f;
    keel_entity e[1];
    begin(&f);
    add_many(&f, e, 1);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        assert_int_equal(keel_add_component(f.world, e[0], c, NULL), KEEL_OK);
        assert_memory_equal(keel_get_component(f.world, e[0], c), zeros, c->size);
        give(f.world, e[0], c, 1);
        char kept[LARGEST];
        memcpy(kept, keel_get_component(f.world, e[0], c), c->size);
        assert_int_equal(keel_add_component(f.world, e[0], c, NULL), KEEL_OK); // it stays
        assert_memory_equal(keel_get_component(f.world, e[0], c), kept, c->size);
        const void *place = keel_get_or_add_component(f.world, e[0], c, NULL);
        assert_ptr_equal(place, keel_get_component(f.world, e[0], c));
        assert_memory_equal(place, kept, c->size);
    }
    end(&f);
}

static void get_or_add_adds_once(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[1];
    begin(&f);
    add_many(&f, e, 1);
    Number *n = keel_get_or_add(f.world, e[0], Number, { 3 });
    assert_int_equal(n->value, 3);
    n = keel_get_or_add(f.world, e[0], Number, { 4 });
    assert_int_equal(n->value, 3);
    n->value = 5;
    assert_int_equal(keel_get(f.world, e[0], Number)->value, 5);
    keel_get_mut(f.world, e[0], Number)->value = 6;
    assert_int_equal(keel_get(f.world, e[0], Number)->value, 6);
    const Owned first = owned_make();
    assert_int_equal(keel_get_or_add(f.world, e[0], Owned, first)->token, first.token);
    assert_int_equal(keel_get_or_add(f.world, e[0], Owned)->token, first.token);
    end(&f);
}

static void removed_values_come_out(void **state) {
    (void)state;
    api_fixture f;
    static union {
        _Alignas(4096) unsigned char bytes[LARGEST];
        Owned owned;
    } out;
    keel_entity e[3];
    begin(&f);
    add_many(&f, e, 3);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        assert_int_equal(keel_remove_component(f.world, e[1], c, &out), KEEL_ABSENT);
        for (uint32_t k = 0; k < 3; ++k)
            give(f.world, e[k], c, 7);
        assert_int_equal(keel_remove_component(f.world, e[1], c, &out), KEEL_OK);
        if (c->size) assert_value(&out, c, e[1], 7);
        if (c == KEEL_OF(Owned)) owned_release(out.owned);
        assert_int_equal(keel_remove_component(f.world, e[1], c, &out), KEEL_ABSENT);
        assert_int_equal(keel_remove_component(f.world, e[2], c, NULL), KEEL_OK);
        assert_false(keel_has_component(f.world, e[1], c));
        assert_false(keel_has_component(f.world, e[2], c));
        assert_given(f.world, e[0], c, 7);
        assert_int_equal(keel_component_count(f.world, c), 1);
    }
    end(&f);
}

// ------------------------------------------------------------------ several at once
static void several_are_added_and_removed_at_once(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const Owned mine = owned_make(), other = owned_make();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Owned, mine),
                                          KEEL_INIT(Frozen), KEEL_INIT(Byte, { 2 }));
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Number, { 3 }),
                                     KEEL_INIT(Velocity, { 4, 5 }), KEEL_INIT(Owned, other),
                                     KEEL_INIT(Number, { 6 })),
                     KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 6);
    assert_int_equal(keel_get(f.world, e, Owned)->token, other.token);
    assert_false(owned.alive[mine.token]);
    assert_true(keel_has(f.world, e, Frozen));

    Owned out = { 0 };
    Velocity v = { 0, 0 };
    bool had_vector = true, had_velocity = false;
    assert_int_equal(keel_remove_values(f.world, e, KEEL_OUT(Owned, &out),
                                        KEEL_OUT(Vector, (Vector *)NULL, &had_vector),
                                        KEEL_OUT(Velocity, &v, &had_velocity)),
                     KEEL_OK);
    assert_int_equal(out.token, other.token);
    owned_release(out);
    assert_true(had_velocity && !had_vector && v.y > 4);
    assert_int_equal(keel_delete(f.world, e, Number, Frozen, Matrix, Byte), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e, Number, Frozen, Matrix, Byte), KEEL_ABSENT);
    assert_null(keel_next_component_of(f.world, e, NULL));
    assert_true(keel_is_alive(f.world, e));
    end(&f);
}

static void any_set_of_components_may_be_held(void **state) {
    (void)state;
    api_fixture f;
    static uint32_t has[MANY]; // a bit for each of the small components
    const uint32_t salt = 5, steps = 1500;
    keel_entity e[MANY];
    numbers n = { 1 };
    begin(&f);
    memset(has, 0, sizeof has);
    add_many(&f, e, MANY);
    for (uint32_t step = 0; step < steps; ++step) {
        const uint32_t i = next_below(&n, MANY), k = next_below(&n, COMPONENTS);
        const keel_component *c = every_component[k];
        if (c->size > 4096) continue;
        if (has[i] >> k & 1) {
            assert_int_equal(keel_delete_component(f.world, e[i], c), KEEL_OK);
        } else {
            give(f.world, e[i], c, salt);
        }
        has[i] ^= 1u << k;
        const uint32_t other = next_below(&n, MANY);
        for (uint32_t x = 0; x < COMPONENTS; ++x)
            if (has[other] >> x & 1) assert_given(f.world, e[other], every_component[x], salt);
            else assert_false(keel_has_component(f.world, e[other], every_component[x]));
    }
    end(&f);
}

// ------------------------------------------------------------------ all of one
static void fill(api_fixture *f, keel_entity *e) {
    add_many(f, e, MANY);
    for (uint32_t i = 0; i < MANY; ++i) {
        keel_add(f->world, e[i], Number, { i });
        if (i % 2) give(f->world, e[i], KEEL_OF(Owned), 0);
        if (i % 3 == 0) give(f->world, e[i], KEEL_OF(Placed), 2);
        if (i % 4 == 0) keel_add(f->world, e[i], Frozen);
        if (i % 5 == 0) keel_add(f->world, e[i], Position, { (float)i, 1 });
    }
}

static void strip_takes_everything(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[MANY];
    begin(&f);
    fill(&f, e);
    const uint32_t living = owned.living;
    assert_int_equal(keel_strip(f.world, e[15]), KEEL_OK);
    assert_int_equal(owned.living, living - 1);
    assert_int_equal(keel_strip(f.world, e[15]), KEEL_ABSENT);
    assert_null(keel_next_component_of(f.world, e[15], NULL));
    assert_int_equal(keel_get(f.world, e[16], Number)->value, 16);
    assert_int_equal(keel_count(f.world, Number), MANY - 1);
    end(&f);
}

static void clear_takes_one_component_from_all(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[MANY];
    begin(&f);
    fill(&f, e);
    assert_int_equal(keel_clear(f.world, Owned), KEEL_OK);
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_clear(f.world, Owned), KEEL_ABSENT);
    assert_int_equal(keel_clear(f.world, Frozen), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Huge), KEEL_ABSENT);
    for (uint32_t i = 0; i < MANY; ++i) {
        assert_int_equal(keel_get(f.world, e[i], Number)->value, i);
        assert_false(keel_has(f.world, e[i], Owned));
        assert_false(keel_has(f.world, e[i], Frozen));
        if (i % 3 == 0) assert_given(f.world, e[i], KEEL_OF(Placed), 2);
    }
    give(f.world, e[7], KEEL_OF(Owned), 0);
    assert_int_equal(keel_count(f.world, Owned), 1);
    end(&f);
}

static bool keep_multiples(keel_entity e, void *value, void *data) {
    uint32_t *asked = data;
    assert_int_equal(((Number *)value)->value, keel_entity_index(e));
    ++asked[keel_entity_index(e)];
    return keel_entity_index(e) % 7 == 0;
}

static void retain_asks_once_for_each(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[MANY];
    uint32_t asked[MANY] = { 0 };
    begin(&f);
    fill(&f, e);
    assert_int_equal(keel_retain(f.world, Number, keep_multiples, asked), KEEL_OK);
    for (uint32_t i = 0; i < MANY; ++i) {
        assert_int_equal(asked[i], 1);
        assert_int_equal(keel_has(f.world, e[i], Number), i % 7 == 0);
        assert_int_equal(keel_has(f.world, e[i], Owned), i % 2);
    }
    assert_int_equal(keel_retain(f.world, Number, keep_multiples, asked), KEEL_ABSENT);
    end(&f);
}

static void delete_any_deletes_who_has_it(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[MANY];
    begin(&f);
    fill(&f, e);
    assert_int_equal(keel_delete_entities_having(f.world, Placed), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(f.world, Placed), KEEL_ABSENT);
    for (uint32_t i = 0; i < MANY; ++i) {
        assert_int_equal(keel_is_alive(f.world, e[i]), i % 3 != 0);
        assert_int_equal(keel_has(f.world, e[i], Number), i % 3 != 0);
    }
    for (uint32_t i = 0; i < MANY; i += 3) // in ascending order again
        assert_int_equal(keel_entity_index(keel_add_entity(f.world)), i);
    end(&f);
}

// ------------------------------------------------------------------ deleting in every order
static void check_rest(api_fixture *f, const keel_entity *e, const bool *gone, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(keel_is_alive(f->world, e[i]), !gone[i]);
        if (gone[i]) assert_null(keel_get(f->world, e[i], Number));
        else assert_int_equal(keel_get(f->world, e[i], Number)->value, i);
        if (!gone[i]) assert_given(f->world, e[i], KEEL_OF(Placed), 1);
    }
}

static void delete_in_order(const uint32_t *order, uint32_t count, bool components) {
    api_fixture f;
    keel_entity e[MANY];
    bool gone[MANY] = { false };
    begin(&f);
    add_many(&f, e, count);
    for (uint32_t i = 0; i < count; ++i) {
        keel_add(f.world, e[i], Number, { i });
        give(f.world, e[i], KEEL_OF(Owned), 0);
        give(f.world, e[i], KEEL_OF(Placed), 1);
    }
    for (uint32_t step = 0; step < count; ++step) {
        const uint32_t i = order[step];
        if (components) {
            assert_int_equal(keel_delete(f.world, e[i], Number, Owned, Placed), KEEL_OK);
            assert_false(keel_has(f.world, e[i], Number));
        }
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
        gone[i] = true;
        check_rest(&f, e, gone, count);
        assert_int_equal(owned.living, count - step - 1);
    }
    end(&f);
}

static void permute(uint32_t *order, uint32_t from, uint32_t count) {
    if (from == count) delete_in_order(order, count, order[0] % 2);
    for (uint32_t i = from; i < count; ++i) {
        const uint32_t swap = order[i];
        order[i] = order[from];
        order[from] = swap;
        permute(order, from + 1, count);
        order[from] = order[i];
        order[i] = swap;
    }
}

static void everything_can_be_deleted_in_every_order(void **state) {
    (void)state;
    uint32_t order[MANY];
    for (uint32_t i = 0; i < MANY; ++i)
        order[i] = i;
    permute(order, 0, 4);
    delete_in_order(order, MANY, false);
    delete_in_order(order, MANY, true);
    for (uint32_t i = 0; i < MANY; ++i)
        order[i] = MANY - 1 - i;
    delete_in_order(order, MANY, true);
    numbers n = { 3 };
    for (uint32_t i = MANY; i > 1; --i) {
        const uint32_t at = next_below(&n, i), swap = order[i - 1];
        order[i - 1] = order[at];
        order[at] = swap;
    }
    delete_in_order(order, MANY, false);
}

// ------------------------------------------------------------------ handles
static void bad_handles_change_nothing(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[4];
    begin(&f);
    add_many(&f, e, 4);
    for (uint32_t i = 0; i < 4; ++i)
        keel_add(f.world, e[i], Number, { i });
    keel_delete_entity(f.world, e[2]);
    const keel_entity again = keel_add_entity(f.world, KEEL_INIT(Number, { 9 }));
    assert_int_equal(keel_entity_index(again), 2);
    const keel_entity bad[] = { keel_null(),
                                e[2],
                                handle_at(1, 1),
                                handle_at(100000, 0),
                                handle_at(3, KEEL_MAX_ENTITY_VERSION),
                                { (keel_entity_bits)-1 } };
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(keel_add(f.world, bad[i], Number, { 77 }), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_add_values(f.world, bad[i], KEEL_INIT(Byte, { 7 })),
                         KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_remove(f.world, bad[i], Number), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete(f.world, bad[i], Number), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_strip(f.world, bad[i]), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel_delete_entity(f.world, bad[i]), KEEL_ABSENT);
        assert_null(keel_get(f.world, bad[i], Number));
        assert_null(keel_get_or_add(f.world, bad[i], Number));
        assert_false(keel_has(f.world, bad[i], Number));
        const keel_lookup column = keel_lookup_of(f.world, Number);
        assert_null(keel_lookup_get(&column, bad[i], Number));
    }
    assert_int_equal(keel_count(f.world, Number), 4);
    assert_int_equal(keel_get(f.world, again, Number)->value, 9);
    keel_clear_errors(f.world);
    end(&f);
}

// ------------------------------------------------------------------ hooks
static void each_value_is_dropped_once(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[MANY];
    begin(&f);
    add_many(&f, e, MANY);
    for (uint32_t i = 0; i < MANY; ++i)
        give(f.world, e[i], KEEL_OF(Owned), 0);
    assert_int_equal(owned.drops, 0);
    assert_int_equal(owned.living, MANY);
    give(f.world, e[0], KEEL_OF(Owned), 0); // overwritten
    assert_int_equal(owned.drops, 1);
    keel_delete(f.world, e[1], Owned);
    keel_remove(f.world, e[2], Owned);
    keel_strip(f.world, e[3]);
    keel_delete_entity(f.world, e[4]);
    assert_int_equal(owned.drops, 5);
    keel_add(f.world, e[5], Number); // moves of other components drop nothing
    keel_add(f.world, e[5], Byte);
    keel_delete(f.world, e[5], Number);
    assert_int_equal(owned.drops, 5);
    keel_delete_entities_having(f.world, Byte);
    assert_int_equal(owned.drops, 6);
    assert_int_equal(keel_count(f.world, Owned), MANY - 5);
    assert_int_equal(owned.living, MANY - 5);
    keel_clear_entities(f.world);
    assert_int_equal(owned.drops, MANY + 1);
    end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(added_values_are_there_and_nowhere_else, "added values are there, and nowhere else"),
    TEST(adding_again_overwrites, "adding again overwrites"),
    TEST(null_values_are_zeros, "NULL values are zeros"),
    TEST(get_or_add_adds_once, "get_or_add adds once"),
    TEST(removed_values_come_out, "removed values come out"),
    TEST(several_are_added_and_removed_at_once, "several are added and removed at once"),
    TEST(any_set_of_components_may_be_held, "an entity may have any set of components"),
    TEST(strip_takes_everything, "strip takes everything"),
    TEST(clear_takes_one_component_from_all, "clear takes one component from all"),
    TEST(retain_asks_once_for_each, "retain asks once for each value"),
    TEST(delete_any_deletes_who_has_it, "delete_any deletes those who have it"),
    TEST(everything_can_be_deleted_in_every_order, "everything can be deleted in every order"),
    TEST(bad_handles_change_nothing, "bad handles change nothing"),
    TEST(each_value_is_dropped_once, "each value is dropped once"),
};

EVERYWHERE(tests)
