// SPDX-License-Identifier: MIT
// Values of the edges of relations to many: by all ways to them; hooks, systems, snapshots and what
// is refused. Random edits are in test_relation_random.c and rewind/random_game.h.
#include "support/api_types.h"

#include <keel/history.h>
#include <keel/snapshot.h>
#include <string.h>

typedef struct Holds {
    uint32_t count;
} Holds;
typedef struct Bit { // less than the number of a slot
    uint8_t value;
} Bit;
typedef struct Bond { // one value to a page
    uint32_t word[2048];
} Bond;
typedef struct Owns {
    Owned thing;
} Owns;
typedef Owns Keeps; // a history refuses what has a move hook
typedef struct Sees {
    uint32_t value;
} Sees;
typedef struct Knows {
    keel_entity by;
} Knows;
KEEL_VALUED_RELATION(Holds, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_VALUED_RELATION(Bit, .no_padding = true);
KEEL_VALUED_RELATION(Bond, .no_padding = true);
KEEL_VALUED_RELATION(Owns, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_VALUED_RELATION(Keeps, .drop = owned_drop, .copy = owned_copy);
KEEL_VALUED_RELATION(Sees, .no_padding = true, .transient = true);
static void keep_apart(void *value, void *data) { (void)value, (void)data; }
typedef struct Sole {
    uint32_t value;
} Sole;
KEEL_VALUED_RELATION(Sole, .drop = keep_apart); // no copy
KEEL_FIELDS(Knows, by);
KEEL_VALUED_RELATION(Knows, KEEL_HAS_FIELDS(Knows));

enum { ENTITIES = 100 };
static api_fixture f;
static keel_entity e[ENTITIES];
static void begin(void) {
    api_begin(&f);
    owned_begin();
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world);
}

// ------------------------------------------------------------------ the verbs
static void each_edge_has_a_value(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 20; ++i)
        assert_int_equal(keel_relate(f.world, e[0], Holds, e[i], { i }), KEEL_OK);
    for (uint32_t i = 1; i < 20; ++i)
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[i])->count, i);
    const Holds *stays = keel_get_related(f.world, e[0], Holds, e[19]);
    for (uint32_t i = 1; i < 19; ++i) // holes close, and the value stays where it is
        assert_int_equal(keel_unrelate(f.world, e[0], Holds, e[i]), KEEL_OK);
    assert_ptr_equal(keel_get_related(f.world, e[0], Holds, e[19]), stays);
    assert_int_equal(stays->count, 19);
    assert_null(keel_get_related(f.world, e[0], Holds, e[1]));
    assert_null(keel_get_related_mut(f.world, e[19], Holds, e[0]));
    keel_get_related_mut(f.world, e[0], Holds, e[19])->count = 7;
    assert_int_equal(stays->count, 7);
    assert_int_equal(keel_relate(f.world, e[0], Holds, e[19]), KEEL_OK); // as before
    assert_int_equal(stays->count, 7);
    assert_int_equal(keel_relate(f.world, e[0], Holds, e[19], { 8 }), KEEL_OK);
    assert_int_equal(stays->count, 8);
    assert_int_equal(keel_relate(f.world, e[1], Holds, e[19]), KEEL_OK); // zeros
    assert_int_equal(keel_get_related(f.world, e[1], Holds, e[19])->count, 0);
    assert_int_equal(keel_relate(f.world, e[2], Holds, e[2], { 5 }), KEEL_OK); // to itself
    assert_int_equal(keel_get_related(f.world, e[2], Holds, e[2])->count, 5);
    keel_delete_entity(f.world, e[19]);
    assert_false(keel_has(f.world, e[0], Holds));
    assert_null(keel_get_related(f.world, e[0], Holds, e[19]));
    assert_no_error(f.world);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
}

static void values_may_be_of_any_size(void **state) {
    (void)state;
    begin();
    static Bond bond;
    for (uint32_t i = 0; i < ENTITIES; ++i)
        for (uint32_t k = 0; k < 10; ++k) {
            memset(&bond, (int)(i + k), sizeof bond);
            keel_relate(f.world, e[i], Bit, e[(i + k) % ENTITIES], { (uint8_t)(i * 3 + k) });
            if (k < 3)
                keel_relate_component(f.world, e[i], KEEL_RELATION_OF(Bond), e[(i + k) % ENTITIES],
                                      &bond);
        }
    for (uint32_t i = 0; i < ENTITIES; i += 3)
        keel_unrelate(f.world, e[i], Bit, e[(i + 4) % ENTITIES]);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        for (uint32_t k = 0; k < 10; ++k) {
            const keel_entity to = e[(i + k) % ENTITIES];
            if (k != 4 || i % 3)
                assert_int_equal(keel_get_related(f.world, e[i], Bit, to)->value,
                                 (uint8_t)(i * 3 + k));
            if (k < 3)
                assert_int_equal(keel_get_related(f.world, e[i], Bond, to)->word[2047],
                                 0x01010101u * (uint8_t)(i + k));
        }
    assert_true(keel_world_check(f.world, NULL));
    keel_clear_entities(f.world);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    api_end(&f);
}

static void loops_hand_out_values(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 50; ++i) {
        keel_relate(f.world, e[0], Holds, e[i], { i });
        keel_relate(f.world, e[i], Holds, e[60], { i * 2 });
    }
    uint32_t n = 0;
    KEEL_EACH_TARGET(f.world, e[0], Holds, what, h) {
        ++n;
        assert_same_entity(what, e[n]);
        assert_int_equal(h->count, n);
        if (n == 30) continue;
        if (n % 2) keel_unrelate(f.world, e[0], Holds, what); // the current one may leave
    }
    assert_int_equal(n, 49);
    n = 0;
    KEEL_EACH_SOURCE(f.world, e[60], Holds, who, h) {
        ++n;
        assert_int_equal(h->count, 2 * n);
        assert_true(keel_is_related(f.world, who, Holds, e[60]));
        if (n == 20) break;
    }
    assert_int_equal(n, 20);
    KEEL_EACH_TARGET(f.world, e[70], Holds, what, h)
    fail_msg("%p %p", (const void *)h, (const void *)&what);
    api_end(&f);
}

// ------------------------------------------------------------------ systems
typedef struct Sum {
    uint64_t value;
} Sum;
KEEL_UNIQUE(Sum);
KEEL_SYSTEM(hand_over, KEEL_READ(Number, n), KEEL_ENTITY(who), KEEL_COMMANDS(out)) {
    keel_relate(out, who, Holds, e[9], { n->value });
}
KEEL_SYSTEM_ONCE(count_up, KEEL_MAY_WRITE(Holds), KEEL_CONTEXT(c)) {
    keel_get_related_mut(c, e[0], Holds, e[9])->count += 100;
}
KEEL_SYSTEM_ONCE(look, KEEL_MAY_READ(Holds), KEEL_UNIQUE_WRITE(Sum, sum), KEEL_CONTEXT(c)) {
    KEEL_EACH_SOURCE(c, e[9], Holds, who, h) sum->value += h->count + 0 * who.bits;
    assert_null(keel_get_related_mut(c, e[0], Holds, e[9]));
}
KEEL_WORKLOAD(frame, KEEL_STEP(hand_over, .parallel = true), KEEL_STEP(count_up), KEEL_STEP(look));

static void systems_and_commands(void **state) {
    (void)state;
    api_begin_workers(&f, 3);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world);
    for (uint32_t i = 0; i < 3; ++i)
        keel_add(f.world, e[i], Number, { i + 1 });
    keel_set_unique(f.world, Sum, { 0 });
    assert_int_equal(keel_run_workload(f.world, frame), KEEL_ERROR_ACCESS); // look was refused
    assert_error(f.world, KEEL_ERROR_ACCESS, "Holds");
    assert_int_equal(keel_get_unique(f.world, Sum)->value, 106);
    assert_int_equal(keel_get_related(f.world, e[2], Holds, e[9])->count, 3);
    api_end(&f);
}

static uint32_t heard[3];
static void hear(const keel_change *event, void *data) {
    (void)data;
    assert_null(event->value);
    if (event->kind != KEEL_ON_INSERTED) // who comes or stays has its edge still
        assert_non_null(keel_get_related(event->world, event->entity, Holds, e[1]));
    ++heard[event->kind == KEEL_ON_INSERTED ? 0 : event->kind == KEEL_ON_MODIFIED ? 1 : 2];
}

static void writes_are_modifications(void **state) {
    (void)state;
    begin();
    memset(heard, 0, sizeof heard);
    keel_observe(f.world, Holds, KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED, hear, NULL);
    keel_reader *reader = keel_reader_create(f.world, "reader");
    keel_relate(f.world, e[0], Holds, e[1], { 1 });
    keel_reader_advance(reader);
    uint32_t seen = 0;
    KEEL_EACH(reader, KEEL_MODIFIED(Holds))
        ++seen;
    assert_int_equal(seen, 0);
    keel_get_related_mut(f.world, e[0], Holds, e[1])->count = 2;
    KEEL_EACH(reader, KEEL_MODIFIED(Holds))
        ++seen;
    assert_int_equal(seen, 1);
    keel_reader_advance(reader);
    keel_relate(f.world, e[0], Holds, e[1], { 3 });
    KEEL_EACH(reader, KEEL_MODIFIED(Holds))
        ++seen;
    assert_int_equal(seen, 2);
    keel_reader_advance(reader);
    keel_unrelate(f.world, e[0], Holds, e[1]);
    KEEL_EACH_REMOVED(reader, Holds, gone) {
        assert_same_entity(gone.entity, e[0]);
        ++seen;
    }
    assert_int_equal(seen, 3);
    assert_int_equal(heard[0], 1);
    assert_int_equal(heard[1], 1);
    assert_int_equal(heard[2], 1);
    keel_reader_destroy(reader);
    api_end(&f);
}

// ------------------------------------------------------------------ hooks
static keel_result own(keel_scope *scope, keel_entity a, keel_entity b) {
    Owns value = { owned_make() };
    const keel_result result = keel_relate_component(scope, a, KEEL_RELATION_OF(Owns), b, &value);
    if (result < 0) owned_release(value.thing);
    return result;
}

static void values_are_dropped_once(void **state) {
    (void)state;
    begin();
    keel_scope *scope = KEEL_SCOPE(f.world);
    own(scope, e[0], e[1]);
    own(scope, e[0], e[1]); // overwritten
    assert_int_equal(owned.living, 1);
    own(scope, e[0], e[2]);
    own(scope, e[1], e[0]);
    own(scope, e[2], e[0]);
    assert_int_equal(owned.living, 4);
    keel_unrelate(f.world, e[1], Owns, e[0]);
    assert_int_equal(owned.living, 3);
    keel_delete_entity(f.world, e[0]); // is source and target
    assert_int_equal(owned.living, 0);
    for (uint32_t i = 2; i < 30; ++i) {
        own(scope, e[1], e[i]);
        own(scope, e[i], e[30]);
    }
    keel_unrelate_sources(f.world, Owns, e[30]);
    assert_int_equal(owned.living, 28);
    keel_unrelate_all(f.world, e[1], Owns);
    assert_int_equal(owned.living, 0);
    own(scope, e[1], e[2]);
    keel_strip(f.world, e[2]);
    assert_int_equal(owned.living, 0);
    assert_int_equal(own(scope, e[1], e[0]), KEEL_ERROR_DEAD_ENTITY);
    keel_commands *list = keel_world_commands(f.world);
    assert_int_equal(own(KEEL_SCOPE(list), e[1], e[2]), KEEL_OK);
    assert_int_equal(own(KEEL_SCOPE(list), e[2], e[3]), KEEL_OK);
    keel_delete_entity(f.world, e[3]); // the second one is dropped
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(owned.living, 1);
    own(scope, e[4], e[5]);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owns)), KEEL_OK);
    assert_int_equal(owned.living, 0);
    own(scope, e[4], e[5]);
    keel_clear_entities(f.world);
    assert_int_equal(owned.living, 0);
    const keel_entity a = keel_add_entity(f.world);
    own(scope, a, a);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f); // the world's end drops it
    assert_owned_end();
}

static void copies_of_entities_have_copies(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 4; ++i) {
        own(KEEL_SCOPE(f.world), e[0], e[i]);
        keel_relate(f.world, e[0], Holds, e[i], { i });
    }
    keel_entity copies[3];
    assert_int_equal(keel_clone_entities(f.world, e[0], 3, copies), KEEL_OK);
    assert_int_equal(owned.living, 12);
    for (uint32_t k = 0; k < 3; ++k)
        for (uint32_t i = 1; i < 4; ++i) {
            assert_int_equal(keel_get_related(f.world, copies[k], Holds, e[i])->count, i);
            assert_non_null(keel_get_related(f.world, copies[k], Owns, e[i]));
        }
    for (int32_t left = 0; left < 9; ++left) { // a hook fails
        owned.copies_left = (uint32_t)left;
        const uint32_t count = keel_entity_count(f.world);
        assert_int_equal(keel_clone_entities(f.world, e[0], 3, copies), KEEL_ERROR_COPY);
        assert_int_equal(owned.living, 12);
        assert_int_equal(keel_entity_count(f.world), count);
        assert_int_equal(keel_source_count(f.world, e[1], Owns), 4);
        assert_int_equal(keel_source_count(f.world, e[1], Holds), 4);
    }
    owned.copies_left = UINT32_MAX;
    keel_clear_errors(f.world);
    keel_relate(f.world, e[1], Sole, e[2], { 1 });
    assert_true(keel_is_null(keel_clone_entity(f.world, e[1])));
    assert_error(f.world, KEEL_ERROR_COPY, "Sole");
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
    assert_owned_end();
}

static void copies_of_worlds_have_copies(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 30; ++i) {
        own(KEEL_SCOPE(f.world), e[i % 3], e[i]);
        keel_relate(f.world, e[i % 3], Holds, e[i], { i });
    }
    keel_unrelate(f.world, e[0], Holds, e[3]);
    api_fixture g;
    api_begin(&g);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_int_equal(owned.living, 58);
    for (uint32_t i = 4; i < 30; ++i)
        assert_int_equal(keel_get_related(g.world, e[i % 3], Holds, e[i])->count, i);
    keel_get_related_mut(g.world, e[1], Holds, e[4])->count = 99;
    assert_int_equal(keel_get_related(f.world, e[1], Holds, e[4])->count, 4);
    keel_clear_entities(g.world);
    assert_int_equal(owned.living, 29);
    owned.copies_left = 20;
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_COPY);
    assert_int_equal(owned.living, 29);
    assert_int_equal(keel_entity_count(g.world), 0);
    assert_true(keel_world_check(g.world, NULL));
    owned.copies_left = UINT32_MAX;
    keel_clear_errors(g.world);
    api_end(&g);
    api_end(&f);
    assert_owned_end();
}

static void prefabs_copy_values(void **state) {
    (void)state;
    begin();
    keel_world *templates = keel_templates(f.world);
    const keel_prefab chest = { keel_add_entity(templates, KEEL_INIT(Number, { 1 })) };
    const keel_entity lid = keel_add_child(templates, chest.root, KEEL_INIT(Number, { 2 }));
    assert_int_equal(keel_relate(templates, chest.root, Holds, lid, { 3 }), KEEL_OK);
    assert_int_equal(keel_relate(templates, chest.root, Knows, lid, { lid }), KEEL_OK);
    own(KEEL_SCOPE(templates), chest.root, lid);
    const keel_entity made = keel_spawn(f.world, chest);
    const keel_entity part = keel_first_child(f.world, made);
    assert_int_equal(keel_get_related(f.world, made, Holds, part)->count, 3);
    assert_same_entity(keel_get_related(f.world, made, Knows, part)->by, part); // its own
    assert_non_null(keel_get_related(f.world, made, Owns, part));
    assert_int_equal(owned.living, 2);
    keel_get_related_mut(templates, chest.root, Holds, lid)->count = 4;
    const keel_entity next = keel_spawn(f.world, chest);
    assert_int_equal(keel_get_related(f.world, next, Holds, keel_first_child(f.world, next))->count,
                     4);
    owned.copies_left = 0;
    assert_true(keel_is_null(keel_spawn(f.world, chest)));
    assert_int_equal(owned.living, 3);
    owned.copies_left = UINT32_MAX;
    keel_clear_errors(f.world);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ hashes and snapshots
static uint64_t hash(void) {
    uint64_t hash;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    return hash;
}

static void values_count_in_the_hash(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Holds, e[1], { 1 });
    keel_relate(f.world, e[0], Holds, e[2], { 2 });
    const uint64_t first = hash();
    keel_get_related_mut(f.world, e[0], Holds, e[1])->count = 2;
    const uint64_t second = hash();
    keel_get_related_mut(f.world, e[0], Holds, e[2])->count = 1; // the other way round
    assert_true(first != second && second != hash() && first != hash());
    keel_unrelate_all(f.world, e[0], Holds);
    keel_relate(f.world, e[0], Holds, e[2], { 2 }); // the order does not count
    keel_relate(f.world, e[0], Holds, e[1], { 1 });
    assert_true(first == hash());
    api_end(&f);
}

static void snapshots_have_values(void **state) {
    (void)state;
    begin();
    keel_snapshot *then = keel_snapshot_create(f.world, NULL),
                  *later = keel_snapshot_create(f.world, NULL);
    keel_relate(f.world, e[0], Holds, e[1], { 1 });
    keel_relate(f.world, e[0], Holds, e[2], { 2 });
    keel_relate(f.world, e[0], Sees, e[2], { 20 });
    own(KEEL_SCOPE(f.world), e[3], e[4]);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    for (uint32_t i = 5; i < 50; ++i) { // a value only, no edge
        keel_get_related_mut(f.world, e[0], Holds, e[1])->count = i;
        assert_int_equal(keel_snapshot_take(later), KEEL_OK);
        keel_get_related_mut(f.world, e[0], Holds, e[1])->count = 0;
        assert_int_equal(keel_snapshot_restore(later), KEEL_OK);
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, i);
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, 1);
        keel_relate(f.world, e[0], Holds, e[2], { i });
        assert_int_equal(keel_snapshot_restore(later), KEEL_OK);
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[2])->count, 2);
    }
    const keel_entity late = keel_add_entity(f.world); // a transient relation stays with who lives
    keel_relate(f.world, e[0], Sees, late, { 21 });
    keel_relate(f.world, late, Sees, e[0], { 22 });
    keel_unrelate(f.world, e[0], Holds, e[1]);
    own(KEEL_SCOPE(f.world), e[3], e[5]);
    own(KEEL_SCOPE(f.world), e[3], e[4]);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, 1);
    assert_int_equal(keel_target_count(f.world, e[0], Sees), 1);
    assert_int_equal(keel_get_related(f.world, e[0], Sees, e[2])->value, 20);
    assert_int_equal(keel_target_count(f.world, e[3], Owns), 1);
    owned.copies_left = 0;
    keel_unrelate(f.world, e[3], Owns, e[4]);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_COPY);
    assert_int_equal(keel_target_count(f.world, e[3], Owns), 0);
    owned.copies_left = UINT32_MAX;
    keel_clear_errors(f.world);
    assert_true(keel_world_check(f.world, NULL));
    keel_snapshot_destroy(then);
    keel_snapshot_destroy(later);
    api_end(&f);
    assert_owned_end();
}

static void histories_have_values(void **state) {
    (void)state;
    begin();
    keel_history *history = keel_history_create(f.world, 1 << 24);
    for (uint32_t i = 0; i < 10; ++i) {
        keel_relate(f.world, e[0], Holds, e[1], { i });
        keel_relate(f.world, e[3], Keeps, e[4 + i / 2], { owned_make() });
        assert_int_equal(keel_history_push(history), KEEL_OK);
    }
    for (uint32_t i = 9; i > 0; --i) {
        assert_int_equal(keel_history_back(history), KEEL_OK);
        assert_true(keel_world_check(f.world, NULL));
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, i - 1);
        assert_int_equal(keel_target_count(f.world, e[3], Keeps), 1 + (i - 1) / 2);
    }
    for (uint32_t i = 1; i < 10; ++i) {
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, i);
    }
    keel_history_destroy(history);
    assert_int_equal(owned.living, 5);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ misuse
static void a_source_has_no_value(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Holds, e[1], { 1 });
    assert_true(keel_has(f.world, e[0], Holds));
    assert_int_equal(keel_count(f.world, Holds), 1);
    assert_null(keel_get(f.world, e[0], Holds));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_get_related");
    keel_clear_errors(f.world);
    assert_null(keel_get_mut(f.world, e[0], Holds));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_get_related");
    keel_clear_errors(f.world);
    assert_null(keel_get(f.world, e[1], Holds)); // is no source: nothing is wrong
    assert_no_error(f.world);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Holds, h)), "v"),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "KEEL_EACH_TARGET");
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_WRITE(Holds, h)), "v"),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_OPTIONAL_READ(Holds, h)), "v"),
                     KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_WITH(Holds), KEEL_MAY_READ(Holds)), "v"),
        KEEL_OK);
    assert_true(keel_has(&view, e[0], Holds));
    assert_int_equal(keel_get_related(&view, e[0], Holds, e[1])->count, 1);
    assert_null(keel_get(&view, e[0], Holds));
    assert_null(keel_get_related_mut(&view, e[0], Holds, e[1]));
    assert_int_equal(keel_relate(f.world, e[0], Holds, e[2], { 1 }), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    keel_clear_errors(f.world);
    const keel_lookup lookup = keel_lookup_of(f.world, Holds);
    assert_null(lookup.set);
    assert_int_equal(keel_add(f.world, e[2], Holds, { 1 }), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete(f.world, e[0], Holds), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_disable(f.world, e[0], Holds), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_mark(f.world, e[0], Holds), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_replace(f.world, e[0], Holds, { 2 }), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_get_related(f.world, e[0], Holds, e[1])->count, 1);
    assert_true(keel_world_check(f.world, NULL));
    keel_clear_errors(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(each_edge_has_a_value, "each edge has a value, which stays where it is"),
    TEST(values_may_be_of_any_size, "values of edges may be of any size"),
    TEST(loops_hand_out_values, "loops over targets and sources hand out values of edges"),
    TEST(systems_and_commands, "systems read and write values of edges, commands carry them"),
    TEST(writes_are_modifications, "who writes the value of an edge modifies its source"),
    TEST(values_are_dropped_once, "values of edges are dropped once"),
    TEST(copies_of_entities_have_copies, "copies of a source have copies of its values"),
    TEST(copies_of_worlds_have_copies, "copies of a world have copies of values of edges"),
    TEST(prefabs_copy_values, "prefabs copy values of edges"),
    TEST(values_count_in_the_hash, "values of edges count in the hash"),
    TEST(snapshots_have_values, "snapshots have values of edges"),
    TEST(histories_have_values, "histories have values of edges"),
    TEST(a_source_has_no_value, "the source of edges with values has none itself"),
};
int main(void) { return RUN(tests); }
