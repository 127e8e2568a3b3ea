// SPDX-License-Identifier: MIT
// What a restore meets: everything that may have changed in a world between a take and the restore,
// for snapshots, rings, histories and keel_snapshot_to_world. Each cell is right or a clear error
// before anything changed (docs/reference/snapshots.md, "What a restore meets").
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

static api_fixture f;

typedef struct Armour {
    uint32_t thickness;
} Armour;
KEEL_COMPONENT(Armour, .storage = KEEL_INDEXED);
typedef struct Place {
    uint32_t at;
} Place;
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE);
typedef struct Late {
    uint32_t value;
} Late;
KEEL_COMPONENT(Late);
KEEL_RELATION(Knows, .symmetric = true);
KEEL_RELATION(Likes);
KEEL_TAG(Seen);
KEEL_TAG(Met);

enum { MOST = 80 };
static keel_entity entities[MOST];
static uint32_t count; // of entities in the state that is taken
static uint32_t called;

static void note(const keel_change *event, void *data) {
    (void)event, (void)data;
    ++called;
}

// ------------------------------------------------------------------ the state that is taken
static void fill(void) {
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    assert_int_equal(keel_register(f.world, Armour), KEEL_OK);
    assert_int_equal(keel_register(f.world, Place), KEEL_OK);
    assert_int_equal(keel_register(f.world, Other), KEEL_OK);
    assert_int_equal(keel_register(f.world, Frozen), KEEL_OK);
    assert_true(keel_register_component(f.world, KEEL_RELATION_OF(Knows)) != NULL);
    assert_true(keel_register_component(f.world, KEEL_RELATION_OF(Likes)) != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        entities[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        if (i % 2) keel_add(f.world, entities[i], Armour, { 1000 + i });
        if (i % 3) keel_add(f.world, entities[i], Place, { 2000 + i });
        if (i % 5 == 0) keel_add(f.world, entities[i], Frozen);
        if (i % 7 == 3) keel_disable(f.world, entities[i], Number);
        if (i) keel_relate(f.world, entities[i], Likes, entities[i / 2]);
        if (i % 4 == 1) keel_relate(f.world, entities[i], Knows, entities[i - 1]);
    }
}

static void check_world(keel_world *world) {
    keel_error why = { 0 };
    if (!keel_world_check(world, &why)) print_error("%s\n", why.message);
    assert_true(keel_world_check(world, NULL));
}

static void check_state(keel_world *world) {
    check_world(world);
    assert_int_equal(keel_entity_count(world), count);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = entities[i];
        assert_int_equal(keel_has(world, e, Number), i % 7 != 3);
        assert_int_equal(keel_is_disabled(world, e, Number), i % 7 == 3);
        if (i % 7 != 3) assert_int_equal(keel_get(world, e, Number)->value, i);
        assert_int_equal(keel_has(world, e, Armour), i % 2 != 0);
        if (i % 2) assert_int_equal(keel_get(world, e, Armour)->thickness, 1000 + i);
        assert_int_equal(keel_has(world, e, Place), i % 3 != 0);
        if (i % 3) assert_int_equal(keel_get(world, e, Place)->at, 2000 + i);
        assert_int_equal(keel_has(world, e, Frozen), i % 5 == 0);
        if (i) assert_true(keel_is_related(world, e, Likes, entities[i / 2]));
        if (i % 4 == 1) assert_true(keel_is_related(world, entities[i - 1], Knows, e));
        assert_null(keel_get(world, e, Late));
    }
}

// Everything goes and comes again, so that all who follow need the room that was promised.
static void play_on(void) {
    keel_entity more[MOST];
    for (uint32_t i = 0; i < count; ++i) {
        if (keel_has(f.world, entities[i], Number)) keel_mark(f.world, entities[i], Number);
        if (i % 2) keel_mark(f.world, entities[i], Armour);
        if (i % 3 == 1) keel_delete(f.world, entities[i], Number, Place);
        if (i % 3 == 2) keel_delete_entity(f.world, entities[i]);
    }
    check_world(f.world);
    for (uint32_t i = 0; i < MOST; ++i) {
        more[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Armour, { i }),
                                  KEEL_INIT(Place, { i }));
        if (i) keel_relate(f.world, more[i], Knows, more[i - 1]);
    }
    check_world(f.world);
    for (uint32_t i = 0; i < MOST; ++i)
        keel_delete_entity(f.world, more[i]);
    for (uint32_t i = 0; i < count; ++i)
        keel_delete_entity(f.world, entities[i]);
    check_world(f.world);
    assert_int_equal(keel_entity_count(f.world), 0);
}

// ------------------------------------------------------------------ what changes meanwhile
static keel_reader *reader;
static keel_group *group;
static keel_snapshot *another;
static keel_component again; // as it is registered again

static void nothing(void) {}
static void tracking_begins(void) {
    assert_int_equal(keel_track(f.world, Number, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_track(f.world, Armour, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_track(f.world, Place, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_track(f.world, Frozen, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_track_component(f.world, KEEL_RELATION_OF(Knows), KEEL_TRACK_ALL),
                     KEEL_OK);
}
static void a_walk_over_removals_begins(void) {
    KEEL_EACH_REMOVED(f.world, Number, removal)
        (void)removal;
    KEEL_EACH_REMOVED(f.world, Place, removal)
        (void)removal;
}
static void a_reader_begins(void) {
    reader = keel_reader_create(f.world, "late");
    KEEL_EACH_REMOVED(reader, Number, removal)
        (void)removal;
    KEEL_EACH_REMOVED(reader, Armour, removal)
        (void)removal;
}
static void a_reader_begins_and_ends(void) {
    a_reader_begins();
    keel_reader_destroy(reader);
    reader = NULL;
}
static void a_limit_is_lowered(void) {
    tracking_begins();
    assert_int_equal(keel_set_limit(f.world, Number, 3), KEEL_OK);
    assert_int_equal(keel_set_limit(f.world, Place, 1), KEEL_OK);
}
static void a_limit_is_raised(void) {
    tracking_begins();
    assert_int_equal(keel_set_limit(f.world, Number, 1000000), KEEL_OK);
}
static void observers_begin(void) {
    assert_int_equal(
        keel_observe(f.world, Number,
                     KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_REMOVED | KEEL_ON_DELETED, note,
                     NULL),
        KEEL_OK);
    assert_int_equal(
        keel_observe(f.world, Place,
                     KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_REMOVED | KEEL_ON_DELETED, note,
                     NULL),
        KEEL_OK);
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Number), KEEL_WITHOUT(Frozen)),
                                       KEEL_ON_ENTERED | KEEL_ON_LEFT, note, NULL),
                     KEEL_OK);
}
static void observers_begin_and_end(void) {
    observers_begin();
    assert_int_equal(keel_unobserve(f.world, Number, note, NULL), KEEL_OK);
    assert_int_equal(keel_unobserve_view(f.world, note, NULL), KEEL_OK);
}
static void sets_begin(void) {
    const uint32_t kinds = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED;
    assert_int_equal(keel_collect(f.world, Seen, Number, kinds), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Seen, Armour, kinds), KEEL_OK);
    assert_int_equal(keel_collect_component(f.world, KEEL_OF(Seen), KEEL_RELATION_OF(Knows), kinds),
                     KEEL_OK);
    assert_int_equal(keel_collect(f.world, Met, Seen, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_track(f.world, Seen, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_collect_component(f.world, KEEL_OF(Met), &keel_entities, KEEL_ON_CREATED),
                     KEEL_OK);
}
static void sets_begin_and_end(void) {
    sets_begin();
    assert_int_equal(keel_stop_collecting(f.world, Seen, Number), KEEL_OK);
    assert_int_equal(keel_stop_collecting(f.world, Met, Seen), KEEL_OK);
}
static void a_group_begins(void) {
    group = keel_group_create(f.world, KEEL_OWNED(Number, Frozen));
    assert_non_null(group);
    assert_non_null(keel_group_create(f.world, KEEL_GET(Number, Armour), KEEL_EXCLUDE(Other)));
}
static void a_group_begins_and_ends(void) {
    a_group_begins();
    assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
}
static void a_component_is_registered(void) {
    keel_add_entity(f.world, KEEL_INIT(Late, { 7 }));
    keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Late, { 8 }));
    if (count && keel_is_alive(f.world, entities[0])) keel_add(f.world, entities[0], Late, { 9 });
}
static void names_begin(void) {
    for (uint32_t i = 0; i < count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        if (!keel_is_alive(f.world, entities[i])) continue;
        assert_int_equal(keel_set_name(f.world, entities[i], name), KEEL_OK);
    }
}
static void a_component_is_unregistered(void) {
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
}
static void a_component_comes_back(void) {
    a_component_is_unregistered();
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    keel_add_entity(f.world, KEEL_INIT(Number, { 77 }));
}
static void components_come_back_in_another_order(void) {
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Armour)), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Place)), KEEL_OK);
    keel_add_entity(f.world, KEEL_INIT(Late, { 1 }));
    assert_int_equal(keel_register(f.world, Place), KEEL_OK);
    assert_int_equal(keel_register(f.world, Armour), KEEL_OK);
    keel_add_entity(f.world, KEEL_INIT(Place), KEEL_INIT(Armour));
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
}
static void a_relation_comes_back(void) {
    assert_int_equal(keel_unregister_component(f.world, KEEL_RELATION_OF(Knows)), KEEL_OK);
    assert_true(keel_register_component(f.world, KEEL_RELATION_OF(Knows)) != NULL);
    const keel_entity e = keel_add_entity(f.world);
    assert_true(keel_relate(f.world, e, Knows, e) >= 0);
}
static void register_again(void) {
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
    assert_true(keel_register_component(f.world, &again) != NULL);
}
static void another_storage(void) {
    again = *KEEL_OF(Number);
    again.storage = KEEL_INDEXED;
    register_again();
}
static void a_relation_gets_another_option(void) {
    again = *KEEL_RELATION_OF(Likes);
    again.exclusive = true;
    assert_int_equal(keel_unregister_component(f.world, KEEL_RELATION_OF(Likes)), KEEL_OK);
    assert_true(keel_register_component(f.world, &again) != NULL);
}
static void storages_are_trimmed(void) {
    keel_clear_entities(f.world);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
}
static void templates_are_edited(void) {
    keel_world *templates = keel_templates(f.world);
    const keel_prefab prefab = { keel_add_entity(templates, KEEL_INIT(Number, { 5 })) };
    const keel_entity part = keel_add_child(templates, prefab.root, KEEL_INIT(Place, { 6 }));
    assert_int_equal(keel_relate(templates, part, Knows, prefab.root), KEEL_OK);
    assert_false(keel_is_null(keel_spawn(f.world, prefab)));
}
static void copies_are_made(void) {
    keel_world *copy = keel_world_create(NULL);
    assert_int_equal(keel_copy_world(f.world, copy), KEEL_OK);
    keel_world_destroy(copy);
}
static void another_snapshot_is_taken(void) {
    another = keel_snapshot_create(f.world, "another");
    assert_int_equal(keel_snapshot_take(another), KEEL_OK);
    keel_clear_entities(f.world);
    assert_int_equal(keel_snapshot_take(another), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(another), KEEL_OK);
}
static void tracking_and_sets_and_groups(void) {
    sets_begin();
    tracking_begins();
    a_group_begins();
    observers_begin();
    a_reader_begins();
    names_begin();
}

static void a_reader_ends(void) {
    keel_reader_destroy(reader);
    reader = NULL;
}
static void a_reader_goes_on(void) {
    if (count) (void)keel_delete_entity(f.world, entities[0]);
    KEEL_EACH_REMOVED(reader, Number, removal)
        (void)removal;
    keel_reader_advance(reader);
}
static void observers_end(void) {
    assert_int_equal(keel_unobserve(f.world, Number, note, NULL), KEEL_OK);
    assert_int_equal(keel_unobserve(f.world, Place, note, NULL), KEEL_OK);
    assert_int_equal(keel_unobserve_view(f.world, note, NULL), KEEL_OK);
}
static void sets_end(void) {
    assert_int_equal(keel_stop_collecting(f.world, Seen, Number), KEEL_OK);
    assert_int_equal(keel_stop_collecting(f.world, Seen, Armour), KEEL_OK);
    assert_int_equal(keel_stop_collecting(f.world, Met, Seen), KEEL_OK);
}
static void a_group_ends(void) { assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK); }
static void another_world_is_merged(void) {
    keel_world *other = keel_world_create(NULL);
    const keel_entity e = keel_add_entity(other, KEEL_INIT(Number, { 1 }), KEEL_INIT(Late, { 2 }));
    assert_int_equal(keel_relate(other, keel_add_child(other, e), Knows, e), KEEL_OK);
    assert_int_equal(keel_merge_world(f.world, other, NULL), KEEL_OK);
    keel_world_destroy(other);
}

static const struct change {
    const char *title;
    void (*make)(void);
    keel_result result;    // of the restore
    void (*prepare)(void); // before the take; or NULL
} changes[] = {
    { "nothing", nothing, KEEL_OK, NULL },
    { "tracking begins", tracking_begins, KEEL_OK, NULL },
    { "a walk over removals begins", a_walk_over_removals_begins, KEEL_OK, NULL },
    { "a reader begins", a_reader_begins, KEEL_OK, NULL },
    { "a reader begins and ends", a_reader_begins_and_ends, KEEL_OK, NULL },
    { "a limit is lowered", a_limit_is_lowered, KEEL_OK, NULL },
    { "a limit is raised", a_limit_is_raised, KEEL_OK, NULL },
    { "observers begin", observers_begin, KEEL_OK, NULL },
    { "observers begin and end", observers_begin_and_end, KEEL_OK, NULL },
    { "reactive sets begin", sets_begin, KEEL_OK, NULL },
    { "reactive sets begin and end", sets_begin_and_end, KEEL_OK, NULL },
    { "a group begins", a_group_begins, KEEL_OK, NULL },
    { "a group begins and ends", a_group_begins_and_ends, KEEL_OK, NULL },
    { "a component is registered", a_component_is_registered, KEEL_OK, NULL },
    { "names begin", names_begin, KEEL_OK, NULL },
    { "a component is unregistered", a_component_is_unregistered, KEEL_ERROR_SNAPSHOT, NULL },
    { "a component comes back", a_component_comes_back, KEEL_OK, NULL },
    { "components come back in another order", components_come_back_in_another_order, KEEL_OK,
      NULL },
    { "a relation comes back", a_relation_comes_back, KEEL_OK, NULL },
    { "a component comes back in another storage", another_storage, KEEL_ERROR_SNAPSHOT, NULL },
    { "a relation comes back with another option", a_relation_gets_another_option,
      KEEL_ERROR_SNAPSHOT, NULL },
    { "storages are trimmed", storages_are_trimmed, KEEL_OK, NULL },
    { "templates are edited", templates_are_edited, KEEL_OK, NULL },
    { "copies are made", copies_are_made, KEEL_OK, NULL },
    { "another snapshot is taken", another_snapshot_is_taken, KEEL_OK, NULL },
    { "all who follow begin at once", tracking_and_sets_and_groups, KEEL_OK, NULL },
    { "a reader ends", a_reader_ends, KEEL_OK, a_reader_begins },
    { "a reader goes on", a_reader_goes_on, KEEL_OK, a_reader_begins },
    { "observers end", observers_end, KEEL_OK, observers_begin },
    { "reactive sets end", sets_end, KEEL_OK, sets_begin },
    { "a group ends", a_group_ends, KEEL_OK, a_group_begins },
    { "a limit is lowered that was there", a_limit_is_lowered, KEEL_OK, a_limit_is_raised },
    { "another world is merged", another_world_is_merged, KEEL_OK, NULL },
    { "nothing, with all who follow", nothing, KEEL_OK, tracking_and_sets_and_groups },
    { "storages are trimmed, with all who follow", storages_are_trimmed, KEEL_OK,
      tracking_and_sets_and_groups },
};

// ------------------------------------------------------------------ ways to go back
static keel_snapshot *snapshot;
static keel_ring *ring;
static keel_history *history;

static void take_snapshot(void) {
    snapshot = keel_snapshot_create(f.world, "taken");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
}
static keel_result restore_snapshot(void) { return keel_snapshot_restore(snapshot); }
static keel_result restore_again(void) {
    const keel_result result = keel_snapshot_restore(snapshot);
    if (result < 0) return result;
    check_state(f.world);
    for (uint32_t i = 0; i < count; i += 2) // only marks
        if (keel_has(f.world, entities[i], Number))
            keel_get_mut(f.world, entities[i], Number)->value = 7;
    (void)keel_snapshot_restore(snapshot);
    check_state(f.world);
    keel_clear_entities(f.world);
    return keel_snapshot_restore(snapshot);
}
static keel_result restore_twice(void) {
    const keel_result result = keel_snapshot_restore(snapshot);
    if (result < 0) return result;
    keel_clear_entities(f.world);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    fill();
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    keel_clear_entities(f.world);
    return keel_snapshot_restore(snapshot);
}
static void take_ring(void) {
    ring = keel_ring_create(f.world, 3);
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
}
static keel_result rollback(void) {
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK);
    return keel_rollback(ring, 1);
}
static void push_history(void) {
    history = keel_history_create(f.world, (size_t)1 << 26);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    keel_add_entity(f.world, KEEL_INIT(Number, { 3 }));
    assert_int_equal(keel_history_push(history), KEEL_OK);
}
static keel_result go_back(void) { return keel_history_back(history); }
static keel_result go_back_and_forth(void) {
    const keel_result result = keel_history_back(history);
    if (result < 0) return result;
    assert_int_equal(keel_history_forward(history), KEEL_OK);
    check_world(f.world);
    return keel_history_back(history);
}

static const struct way {
    const char *title;
    void (*take)(void);
    keel_result (*bring_back)(void);
} ways[] = {
    { "snapshot", take_snapshot, restore_snapshot },
    { "snapshot, restored again", take_snapshot, restore_again },
    { "snapshot, taken again", take_snapshot, restore_twice },
    { "ring", take_ring, rollback },
    { "history", push_history, go_back },
    { "history, forward, too", push_history, go_back_and_forth },
};

static void end(void) {
    keel_snapshot_destroy(snapshot);
    keel_snapshot_destroy(another);
    keel_ring_destroy(ring);
    keel_history_destroy(history);
    keel_reader_destroy(reader);
    snapshot = another = NULL;
    ring = NULL;
    history = NULL;
    reader = NULL;
    api_end(&f);
}

static void meet(const struct way *way, const struct change *change, bool empties) {
    api_begin(&f);
    fill();
    if (change->prepare) change->prepare();
    way->take();
    if (empties) keel_clear_entities(f.world);
    change->make();
    const uint64_t before = keel_entity_count(f.world);
    const keel_result result = way->bring_back();
    if (result != change->result) print_error("%s: %s\n", way->title, change->title);
    assert_int_equal(result, change->result);
    if (result == KEEL_OK) {
        check_state(f.world);
        play_on();
    } else {
        assert_error(f.world, change->result, "registered");
        assert_int_equal(keel_entity_count(f.world), before); // nothing was changed
        check_world(f.world);
        keel_clear_entities(f.world);
    }
    end();
}

static void every_way_meets_every_change(void **state) {
    (void)state;
    static const uint32_t counts[] = { 0, 17, 70 };
    for (uint32_t w = 0; w < sizeof ways / sizeof *ways; ++w)
        for (uint32_t c = 0; c < sizeof changes / sizeof *changes; ++c)
            for (uint32_t n = 0; n < sizeof counts / sizeof *counts; ++n)
                for (uint32_t empties = 0; empties < 2; ++empties) {
                    count = counts[n];
                    meet(&ways[w], &changes[c], empties);
                }
}

// What a snapshot holds comes to an empty world whatever became of the world that it was taken of.
static void a_copy_of_a_snapshot_meets_every_change(void **state) {
    (void)state;
    for (uint32_t c = 0; c < sizeof changes / sizeof *changes; ++c) {
        count = 70;
        api_begin(&f);
        fill();
        if (changes[c].prepare) changes[c].prepare();
        take_snapshot();
        changes[c].make();
        keel_world *copy = keel_world_create(NULL);
        assert_int_equal(keel_snapshot_to_world(snapshot, copy), KEEL_OK);
        if (changes[c].make != another_storage && changes[c].make != a_relation_gets_another_option)
            check_state(copy);
        check_world(copy);
        keel_world_destroy(copy);
        end();
    }
}

// ------------------------------------------------------------------ limits
static void a_limit_that_finds_no_memory_changes_nothing(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_track(f.world, Number, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_set_limit(f.world, Number, 2), KEEL_OK);
    for (uint32_t i = 0; i < 100; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_set_limit(f.world, Number, 1000), KEEL_ERROR_MEMORY);
    counting_allocator_never_fail(&f.memory);
    keel_clear_errors(f.world);
    KEEL_EACH_REMOVED(f.world, Number, removal)
        (void)removal;
    keel_delete_entities_having(f.world, Number);
    uint32_t removed = 0;
    KEEL_EACH_REMOVED(f.world, Number, removal)
        removed += removal.deleted;
    assert_int_equal(removed, 2);
    check_world(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(every_way_meets_every_change, "Every way to go back meets every change"),
    TEST(a_copy_of_a_snapshot_meets_every_change, "A copy of a snapshot meets every change"),
    TEST(a_limit_that_finds_no_memory_changes_nothing,
         "A limit that finds no memory changes nothing"),
};
int main(void) { return RUN(tests); }
