// SPDX-License-Identifier: MIT
// What is tracked, who sees what, and for how long.
#include "support/api_types.h"

#include <string.h>

typedef struct Points {
    int points;
} Points;
typedef struct Armor {
    int points;
} Armor;
typedef struct Mana {
    int points;
} Mana;
typedef struct Plain {
    int points;
} Plain;
KEEL_COMPONENT(Points, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Armor, .tracking = KEEL_TRACK_ALL, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Mana, .tracking = KEEL_TRACK_ALL, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Plain);
typedef Points Row;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_UNIQUE(Points);

static api_fixture f;
static keel_entity e[4];

static void begin(void) {
    api_begin(&f);
    for (int i = 0; i < 4; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Points, { i }), KEEL_INIT(Armor, { i }),
                               KEEL_INIT(Mana, { i }));
}

// How many a view of the world visits that has this term.
#define COUNT(term) count_of(f.world, KEEL_TERMS(term))
static uint32_t count_of(keel_world *world, const keel_term *terms) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, world, terms, "count"), KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    uint32_t visited = 0;
    keel_iterator it;
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    for (keel_span span; keel_iterator_next_span(&it, &span);)
        visited += span.count;
    assert_int_equal(visited, count);
    keel_view_end(&view);
    return count;
}
#define COUNT_SINCE(reader, term) count_since(reader, KEEL_TERMS(term))
static uint32_t count_since(keel_reader *reader, const keel_term *terms) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, reader, terms, "count"), KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    keel_view_end(&view);
    return count;
}
#define CLEAR(kinds) assert_int_equal(keel_clear_all_changes(f.world, kinds, KEEL_NOW), KEEL_OK)

static uint32_t gone(uint32_t kinds) {
    keel_removal_walk walk = keel_removals(f.world, KEEL_OF(Points), kinds);
    uint32_t count = 0;
    while (keel_removal_next(&walk))
        ++count;
    return count;
}

static uint32_t gone_plain(keel_reader *reader, uint32_t kinds) {
    keel_removal_walk walk = reader ? keel_removals(reader, KEEL_OF(Plain), kinds)
                                    : keel_removals(f.world, KEEL_OF(Plain), kinds);
    uint32_t count = 0;
    while (keel_removal_next(&walk))
        ++count;
    return count;
}

// ------------------------------------------------------------------ kinds
static void four_kinds(void **state) {
    (void)state;
    begin();
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 4);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 0);
    keel_get_mut(f.world, e[0], Points)->points = 9;
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    Points out;
    assert_int_equal(keel_remove(f.world, e[1], Points, &out), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e[2], Points), KEEL_OK);
    assert_int_equal(gone(KEEL_TRACK_REMOVAL), 1);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1);
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 2);
    api_end(&f);
}

typedef struct Only {
    int points;
} Only;

static void any_subset(void **state) {
    (void)state;
    for (uint32_t kinds = 0; kinds < 16; ++kinds) {
        api_begin(&f);
        const keel_component only = {
            .name = "Only", .size = sizeof(Only), .align = 4, .tracking = kinds
        };
        const keel_component *c = keel_register_component(f.world, &only);
        assert_int_equal(keel_tracked_kinds(f.world, c), kinds);
        const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
        assert_int_equal(keel_add_component(f.world, a, c, NULL), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, b, c, NULL), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, b, c, NULL), KEEL_OK); // that is no change
        assert_int_equal(keel_add_component(f.world, a, c, &(Only){ 1 }), KEEL_OK);
        assert_int_equal(keel_changes_of_component(f.world, a, c), kinds & 3);
        assert_int_equal(keel_changes_of_component(f.world, b, c), kinds & 1);
        assert_int_equal(keel_remove_component(f.world, a, c, NULL), KEEL_OK);
        assert_int_equal(keel_delete_component(f.world, b, c), KEEL_OK);
        keel_removal_walk walk = keel_removals(f.world, c, KEEL_TRACK_ALL);
        for (uint32_t kind = KEEL_TRACK_DELETION; kind <= KEEL_TRACK_REMOVAL; kind *= 2)
            if (kinds & (kind == KEEL_TRACK_DELETION ? KEEL_TRACK_REMOVAL : KEEL_TRACK_DELETION)) {
                assert_true(keel_removal_next(&walk)); // the removal was first
                assert_int_equal(walk.removal.deleted, kind == KEEL_TRACK_REMOVAL);
            }
        assert_false(keel_removal_next(&walk));
        api_end(&f);
    }
}

static void untracked_by_default(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_add(f.world, e[0], Plain), KEEL_OK);
    assert_int_equal(keel_tracked_kinds(f.world, KEEL_OF(Plain)), KEEL_TRACK_NONE);
    assert_int_equal(keel_changes_of(f.world, e[0], Plain), 0);
    // who asks has it tracked from then on, and sees what is there
    assert_int_equal(COUNT(KEEL_CHANGED(Plain)), 1);
    assert_int_equal(keel_tracked_kinds(f.world, KEEL_OF(Plain)),
                     KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION);
    CLEAR(KEEL_TRACK_ALL);
    assert_int_equal(COUNT(KEEL_CHANGED(Plain)), 0);
    assert_int_equal(keel_add(f.world, e[1], Plain), KEEL_OK);
    assert_int_equal(COUNT(KEEL_CHANGED(Plain)), 1);
    assert_int_equal(keel_track(f.world, Plain, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_track(f.world, Plain, 16), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "KEEL_TRACK_*");
    api_end(&f);
}

// ------------------------------------------------------------------ insertion and modification
static void fresh_is_not_modified(void **state) {
    (void)state;
    begin();
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 4);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 0);
    assert_int_equal(keel_add(f.world, e[0], Points, { 50 }), KEEL_OK); // overwrites
    assert_int_equal(keel_changes_of(f.world, e[0], Points),
                     KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION);
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 4);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    assert_int_equal(COUNT(KEEL_CHANGED(Points)), 4); // each once
    CLEAR(KEEL_TRACK_INSERTION);
    assert_int_equal(COUNT(KEEL_CHANGED(Points)), 1);
    CLEAR(KEEL_TRACK_MODIFICATION);
    assert_int_equal(keel_remove(f.world, e[0], Points), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[0], Points), KEEL_OK);
    assert_int_equal(keel_changes_of(f.world, e[0], Points), KEEL_TRACK_INSERTION);
    api_end(&f);
}

static void only_what_is_marked(void **state) {
    (void)state;
    begin();
    CLEAR(KEEL_TRACK_ALL);
    int i = 0;
    KEEL_EACH(f.world, KEEL_WRITE_MARKED(Points, health, changed), KEEL_READ(Armor, armor)) {
        if (++i != 3) continue;
        health->points = armor->points; // the value need not change
        *changed = true;
    }
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    assert_int_equal(COUNT(KEEL_MODIFIED(Armor)), 0);
    KEEL_EACH(f.world, KEEL_READ(Points, health))
        (void)health;
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    KEEL_EACH(f.world, KEEL_WRITE(Points, health))
        (void)health;
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 4);
    api_end(&f);
}

#define LEFT_EARLY(T)                                                                              \
    CLEAR(KEEL_TRACK_ALL);                                                                         \
    KEEL_EACH(f.world, KEEL_WRITE(T, it))                                                          \
        if (it->points == 1) break;                                                                \
    assert_int_equal(COUNT(KEEL_MODIFIED(T)), 2);                                                  \
    KEEL_EACH(f.world, KEEL_WRITE(T, it), KEEL_WITHOUT(Plain))                                     \
        if (it->points == 2) break;                                                                \
    assert_int_equal(COUNT(KEEL_MODIFIED(T)), 3);                                                  \
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(n), KEEL_WRITE(T, it))                                 \
        (void)n, (void)it;                                                                         \
    assert_int_equal(COUNT(KEEL_MODIFIED(T)), 4)

static void loops_mark_what_they_visit(void **state) {
    (void)state;
    begin();
    LEFT_EARLY(Points);
    LEFT_EARLY(Armor);
    LEFT_EARLY(Mana);
    CLEAR(KEEL_TRACK_ALL);
    assert_int_equal(COUNT(KEEL_WRITE(Points, h)), 4); // counting is no visit
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 4); // but walking is
    api_end(&f);
}

// What filters leave out is not written, whichever storages they ask.
#define LEFT_OUT(T, by)                                                                            \
    CLEAR(KEEL_TRACK_ALL);                                                                         \
    KEEL_EACH(f.world, KEEL_WRITE(T, it), KEEL_WITHOUT(by))                                        \
        (void)it;                                                                                  \
    assert_int_equal(COUNT(KEEL_MODIFIED(T)), 3);                                                  \
    CLEAR(KEEL_TRACK_ALL);                                                                         \
    KEEL_EACH(f.world, KEEL_WRITE(T, it), KEEL_ANY_OF(by))                                         \
        (void)it;                                                                                  \
    assert_int_equal(COUNT(KEEL_MODIFIED(T)), 1)

static void what_is_left_out_is_not_marked(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_add(f.world, e[2], Row, { 1 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[1], Plain, { 1 }), KEEL_OK);
    LEFT_OUT(Mana, Row);
    LEFT_OUT(Points, Row);
    LEFT_OUT(Armor, Row);
    LEFT_OUT(Mana, Plain);
    LEFT_OUT(Points, Plain);
    LEFT_OUT(Armor, Plain);
    api_end(&f);
}

static void double_it(void *value, void *data) {
    (void)data;
    ((Points *)value)->points *= 2;
}

static void edit_all(void *value, void *data) {
    const keel_result results[] = { keel_delete_entity(f.world, e[1]),
                                    keel_unregister_component(f.world, KEEL_OF(Points)),
                                    keel_add(f.world, e[1], Plain, { 1 }) };
    for (int i = 0; i < 3; ++i)
        *(int *)data += results[i] == KEEL_ERROR_SHARED;
    ((Points *)value)->points *= 2;
}

static void marks_by_hand(void **state) {
    (void)state;
    begin();
    CLEAR(KEEL_TRACK_ALL);
    assert_int_equal(keel_mark(f.world, e[0], Points), KEEL_OK);
    assert_int_equal(keel_patch(f.world, e[1], Points, double_it, NULL), KEEL_OK);
    assert_int_equal(keel_replace(f.world, e[2], Points, { 8 }), KEEL_OK);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 3);
    assert_int_equal(keel_get(f.world, e[1], Points)->points, 2);
    assert_int_equal(keel_get(f.world, e[2], Points)->points, 8);
    int refused = 0;
    assert_int_equal(keel_patch(f.world, e[1], Points, edit_all, &refused), KEEL_OK);
    assert_int_equal(refused, 3);
    assert_error(f.world, KEEL_ERROR_SHARED, NULL);
    assert_int_equal(keel_get(f.world, e[1], Points)->points, 4);
    assert_int_equal(keel_remove(f.world, e[3], Points), KEEL_OK);
    assert_int_equal(keel_mark(f.world, e[3], Points), KEEL_ABSENT);
    assert_int_equal(keel_patch(f.world, e[3], Points, double_it, NULL), KEEL_ABSENT);
    assert_int_equal(keel_replace(f.world, e[3], Points, { 8 }), KEEL_ABSENT);
    assert_int_equal(keel_mark(f.world, keel_null(), Points), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_mark(f.world, e[0], Plain), KEEL_ABSENT);
    assert_int_equal(keel_patch(f.world, e[0], Points, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "function");
    api_end(&f);
}

static void terms_compose(void **state) {
    (void)state;
    begin();
    CLEAR(KEEL_TRACK_ALL);
    keel_get_mut(f.world, e[1], Armor)->points = 1;
    keel_get_mut(f.world, e[2], Armor)->points = 1;
    assert_int_equal(keel_add(f.world, e[2], Mana, { 3 }), KEEL_OK);
    int visited = 0;
    KEEL_EACH(f.world, KEEL_MODIFIED(Armor), KEEL_NOT_MODIFIED(Mana), KEEL_WRITE(Points, h),
              KEEL_ENTITY(entity)) {
        assert_true(keel_is_same(entity, e[1]));
        h->points = 77;
        ++visited;
    }
    assert_int_equal(visited, 1);
    assert_int_equal(keel_get(f.world, e[1], Points)->points, 77);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    assert_int_equal(count_of(f.world, KEEL_TERMS(KEEL_MODIFIED(Armor), KEEL_MODIFIED(Mana))), 1);
    assert_int_equal(COUNT(KEEL_NOT_CHANGED(Armor)), 2);
    assert_int_equal(COUNT(KEEL_NOT_INSERTED(Plain)), 4); // those without pass
    char text[400];
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_MODIFIED(Armor)), "v"),
                     KEEL_OK);
    assert_true(keel_view_explain(&view, text, sizeof text) > 0);
    assert_non_null(strstr(text, "changes of Armor"));
    assert_non_null(strstr(text, "filter: modified Armor"));
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ since when
static void since_the_last_clear(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_INSERTION, KEEL_NOW), KEEL_OK);
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 0);
    assert_int_equal(COUNT(KEEL_INSERTED(Armor)), 4);
    const uint64_t before = keel_tick(f.world);
    keel_get_mut(f.world, e[0], Points)->points = 1;
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_ALL, before), KEEL_OK);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1); // it is later
    const uint64_t after = keel_tick(f.world);
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_ALL, after), KEEL_OK);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 0);
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_ALL, before), KEEL_OK);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)),
                     0); // clearing to an older time brings nothing back
    assert_int_equal(keel_clear_changes(f.world, Plain, KEEL_TRACK_ALL, KEEL_NOW), KEEL_ABSENT);
    api_end(&f);
}

static void only_bits_that_exist_can_be_cleared_and_walked(void **state) {
    (void)state;
    begin();
    const uint32_t unknown = KEEL_TRACK_ALL + 1;
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_clear_changes(f.world, Points, unknown | KEEL_TRACK_DELETION, KEEL_NOW),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "keel_clear_changes of 'Points' takes KEEL_TRACK_* bits, not 0x14");
    assert_int_equal(keel_clear_changes(f.world, Plain, UINT32_MAX, KEEL_NOW), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    assert_int_equal(keel_clear_all_changes(f.world, unknown, KEEL_NOW), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_clear_changes of 'all'");
    assert_int_equal(gone(unknown | KEEL_TRACK_DELETION), 0);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a walk over removals of 'Points'");
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1); // nothing of it was cleared
    assert_int_equal(keel_clear_changes(f.world, Points, 0, KEEL_NOW), KEEL_OK);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1);
    api_end(&f);
}

static void timestamps_and_deletions(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    const uint64_t t = keel_tick(f.world);
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    int i = 0;
    KEEL_EACH_REMOVED(f.world, Points, it)
        if (it.deleted) {
            assert_true(keel_is_same(it.entity, e[i]));
            assert_int_equal(((const Points *)it.value)->points, i);
            assert_true((it.tick > t) == (i == 1));
            ++i;
        }
    assert_int_equal(i, 2);
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_DELETION, t), KEEL_OK);
    KEEL_EACH_REMOVED(f.world, Points, it)
        if (it.deleted) assert_true(keel_is_same(it.entity, e[1]));
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1);
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_DELETION, KEEL_NOW), KEEL_OK);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 0);
    api_end(&f);
}

static void each_clear_clears_its_own(void **state) {
    (void)state;
    for (uint32_t cleared = 0; cleared < 16; ++cleared) {
        begin();
        keel_get_mut(f.world, e[0], Points)->points = 1;
        assert_int_equal(keel_remove(f.world, e[1], Points), KEEL_OK);
        assert_int_equal(keel_delete(f.world, e[2], Points), KEEL_OK);
        CLEAR(cleared);
        assert_int_equal(COUNT(KEEL_INSERTED(Points)), cleared & KEEL_TRACK_INSERTION ? 0 : 2);
        assert_int_equal(COUNT(KEEL_MODIFIED(Points)), cleared & KEEL_TRACK_MODIFICATION ? 0 : 1);
        assert_int_equal(gone(KEEL_TRACK_DELETION), cleared & KEEL_TRACK_DELETION ? 0 : 1);
        assert_int_equal(gone(KEEL_TRACK_REMOVAL), cleared & KEEL_TRACK_REMOVAL ? 0 : 1);
        api_end(&f);
    }
}

static void readers_have_their_own(void **state) {
    (void)state;
    begin();
    keel_reader *one = keel_reader_create(f.world, "one"),
                *two = keel_reader_create(f.world, "two");
    assert_int_equal(COUNT_SINCE(one, KEEL_INSERTED(Points)), 4); // the first time: everything
    keel_reader_advance(one);
    assert_int_equal(COUNT_SINCE(one, KEEL_INSERTED(Points)), 0);
    assert_int_equal(COUNT_SINCE(two, KEEL_INSERTED(Points)), 4);
    CLEAR(KEEL_TRACK_ALL); // not theirs
    assert_int_equal(COUNT_SINCE(two, KEEL_INSERTED(Points)), 4);
    assert_int_equal(keel_delete(f.world, e[0], Points), KEEL_OK);
    int seen = 0;
    KEEL_EACH_REMOVED(one, Points, it) {
        assert_true(it.deleted);
        ++seen;
        break;
    }
    KEEL_EACH(two, KEEL_CHANGED(Points), KEEL_READ(Points, h))
        seen += h->points > 0;
    assert_int_equal(seen, 4);
    assert_int_equal(keel_changes_of(one, e[1], Points), 0);
    assert_int_equal(keel_changes_of(two, e[1], Points), KEEL_TRACK_INSERTION);
    keel_view view; // needs its reader no longer
    assert_int_equal(keel_view_begin(&view, one, KEEL_TERMS(KEEL_INSERTED(Points)), "view"),
                     KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    keel_reader_destroy(one);
    keel_reader *other = keel_reader_create(f.world, "in the same place"); // has seen nothing
    assert_int_equal(keel_view_count(&view), count);
    assert_true(COUNT_SINCE(other, KEEL_INSERTED(Points)) > count);
    keel_view_end(&view);
    keel_reader_destroy(NULL);
    api_end(&f); // the other one goes with the world
}

// ------------------------------------------------------------------ systems
static int writes, reads, sees_own, sees_removals;

KEEL_SYSTEM(write_all, KEEL_WRITE(Points, h)) {
    ++h->points;
    ++writes;
}
KEEL_SYSTEM(read_modified, KEEL_READ(Points, h), KEEL_MODIFIED(Points)) {
    (void)h;
    ++reads;
}
KEEL_SYSTEM(read_and_write, KEEL_WRITE(Points, h), KEEL_CHANGED(Points)) {
    ++h->points;
    ++sees_own;
}
KEEL_SYSTEM_ONCE(read_removals, KEEL_MAY_READ(Points), KEEL_CONTEXT(context)) {
    KEEL_EACH_REMOVED(context, Points, it)
        ++sees_removals;
}
KEEL_SYSTEM_ONCE(add_one, KEEL_WORLD(world)) { keel_add_entity(world, KEEL_INIT(Mana, { 1 })); }
KEEL_SYSTEM(count_mana, KEEL_WITH(Mana), KEEL_INSERTED(Mana), KEEL_CONTEXT(context)) {
    (void)context;
    ++reads;
}
KEEL_SYSTEM_ONCE(take_mana, KEEL_WORLD(world)) {
    assert_int_equal(keel_clear(world, Mana), KEEL_OK);
}
KEEL_WORKLOAD(in_order, KEEL_STEP(write_all), KEEL_STEP(read_modified));
KEEL_WORKLOAD(out_of_order, KEEL_STEP(read_modified), KEEL_STEP(write_all));
KEEL_WORKLOAD(mana_turn, KEEL_STEP(add_one), KEEL_STEP(count_mana), KEEL_STEP(take_mana));

static void a_system_sees_since_its_last_run(void **state) {
    (void)state;
    begin();
    writes = reads = sees_own = sees_removals = 0;
    for (int i = 1; i <= 3; ++i) {
        assert_int_equal(keel_run_workload(f.world, in_order), KEEL_OK);
        assert_int_equal(reads, 4 * i);
    }
    reads = 0;
    for (int i = 0; i < 3; ++i) { // the first run sees what the other workload wrote
        assert_int_equal(keel_run_workload(f.world, out_of_order), KEEL_OK);
        assert_int_equal(reads, 4 * (i + 1));
    }
    reads = 0;
    assert_int_equal(keel_run(f.world, read_modified), KEEL_OK); // never ran alone before
    assert_int_equal(reads, 4);
    assert_int_equal(keel_run(f.world, read_modified), KEEL_OK);
    assert_int_equal(reads, 4);
    api_end(&f);
}

static void first_everything_then_never_its_own(void **state) {
    (void)state;
    begin();
    sees_own = 0;
    assert_int_equal(keel_run(f.world, read_and_write), KEEL_OK);
    assert_int_equal(sees_own, 4);
    assert_int_equal(keel_run(f.world, read_and_write), KEEL_OK);
    assert_int_equal(sees_own, 4);
    keel_get_mut(f.world, e[0], Points)->points = 0;
    assert_int_equal(keel_run(f.world, read_and_write), KEEL_OK);
    assert_int_equal(sees_own, 5);
    api_end(&f);
}

static int inner_before, inner_after;
KEEL_SYSTEM_ONCE(look_write_look, KEEL_MAY_WRITE(Points), KEEL_CONTEXT(context)) {
    inner_before = inner_after = 0;
    KEEL_EACH(context, KEEL_MODIFIED(Points), KEEL_READ(Points, h))
        inner_before += h != NULL;
    keel_get_mut(context, e[0], Points)->points = 5;
    assert_int_equal(keel_mark(context, e[1], Points), KEEL_OK);
    KEEL_EACH(context, KEEL_MODIFIED(Points), KEEL_READ(Points, h))
        inner_after += h != NULL;
    assert_int_equal(keel_changes_of(context, e[1], Points) & KEEL_TRACK_MODIFICATION,
                     KEEL_TRACK_MODIFICATION);
}

static void own_changes_in_the_same_run(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, look_write_look), KEEL_OK);
        assert_int_equal(inner_before, 0);
        assert_int_equal(inner_after, 2);
    }
    api_end(&f);
}

static int commanded;
KEEL_SYSTEM_ONCE(command_one, KEEL_COMMANDS(commands), KEEL_MAY_READ(Mana), KEEL_CONTEXT(context)) {
    commanded = 0;
    KEEL_EACH(context, KEEL_INSERTED(Mana), KEEL_READ(Mana, m))
        commanded += m != NULL;
    keel_add_entity(commands, KEEL_INIT(Mana, { 2 }));
}

static void own_commands_the_next_time(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_run(f.world, command_one), KEEL_OK);
    assert_int_equal(commanded, 4);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, command_one), KEEL_OK);
        assert_int_equal(commanded, 1);
    }
    api_end(&f);
}

static void writer_reader_remover(void **state) {
    (void)state;
    api_begin(&f);
    for (int i = 0; i < 3; ++i) {
        reads = 0;
        assert_int_equal(keel_run_workload(f.world, mana_turn), KEEL_OK);
        assert_int_equal(reads, 1);
    }
    api_end(&f);
}

static void the_same_function_twice(void **state) {
    (void)state;
    begin();
    sees_removals = 0;
    assert_int_equal(keel_run(f.world, read_removals), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e[0], Points), KEEL_OK);
    reads = 0;
    keel_get_mut(f.world, e[1], Points)->points = 3;
    assert_int_equal(keel_run_workload(f.world, out_of_order), KEEL_OK); // read, then write 3
    assert_int_equal(reads, 1);
    assert_int_equal(keel_run_workload(f.world, in_order), KEEL_OK); // its own read, the first
    assert_int_equal(reads, 1 + 3);
    assert_int_equal(keel_run_workload(f.world, out_of_order), KEEL_OK);
    assert_int_equal(reads, 1 + 3 + 3);
    assert_int_equal(keel_run(f.world, read_removals), KEEL_OK);
    assert_int_equal(sees_removals, 1);
    assert_int_equal(keel_run(f.world, read_removals), KEEL_OK);
    assert_int_equal(sees_removals, 1);
    api_end(&f);
}

// ------------------------------------------------------------------ what goes
static bool keep_none(keel_entity entity, void *value, void *data) {
    (void)entity, (void)value, (void)data;
    return false;
}

static bool raise_first(keel_entity entity, void *value, void *data) {
    if (keel_is_same(entity, e[0])) ++((Points *)value)->points; // all three have these bytes
    return !keel_is_same(entity, *(const keel_entity *)data);
}

static void retain_marks_what_it_changed(void **state) {
    (void)state;
    begin();
    const keel_component *const all[] = { KEEL_OF(Points), KEEL_OF(Armor), KEEL_OF(Mana) };
    CLEAR(KEEL_TRACK_ALL);
    for (int c = 0; c < 3; ++c) {
        assert_int_equal(keel_retain_component(f.world, all[c], raise_first, &e[1]), KEEL_OK);
        assert_int_equal(keel_changes_of_component(f.world, e[0], all[c]), KEEL_TRACK_MODIFICATION);
        for (int i = 1; i < 4; ++i)
            assert_int_equal(keel_changes_of_component(f.world, e[i], all[c]), 0);
    }
    api_end(&f);
}

static void deletions_and_removals(void **state) {
    (void)state;
    const keel_component *const list[] = { KEEL_OF(Points), NULL };
    for (int how = 0; how < 9; ++how) {
        begin();
        Points out;
        switch (how) {
        case 0:
            keel_delete_entity(f.world, e[0]);
            break;
        case 1:
            keel_strip(f.world, e[0]);
            break;
        case 2:
            keel_clear(f.world, Points);
            break;
        case 3:
            keel_retain(f.world, Points, keep_none, NULL);
            break;
        case 4:
            keel_delete_entities_having(f.world, Points);
            break;
        case 5:
            keel_delete_components(f.world, e[0], list);
            break;
        case 6:
            keel_clear_entities(f.world);
            break;
        case 7:
            keel_delete_many(f.world, e, 1, Points);
            break;
        default:
            keel_remove(f.world, e[0], Points, &out);
            break;
        }
        const bool all = how == 2 || how == 3 || how == 4 || how == 6;
        assert_int_equal(gone(KEEL_TRACK_DELETION), how == 8 ? 0 : all ? 4 : 1);
        assert_int_equal(gone(KEEL_TRACK_REMOVAL), how == 8 ? 1 : 0);
        int sum = 0;
        KEEL_EACH_REMOVED(f.world, Points, it)
            if (it.deleted) sum += ((const Points *)it.value)->points;
        assert_int_equal(sum, all ? 6 : 0);
        KEEL_EACH_REMOVED(f.world, Points, it)
            if (!it.deleted) assert_null(it.value);
        api_end(&f);
    }
}

static void moving_away_is_removal(void **state) {
    (void)state;
    begin();
    api_fixture other;
    api_begin(&other);
    const keel_entity moved = keel_move_entity(f.world, e[2], other.world);
    assert_false(keel_is_null(moved));
    assert_int_equal(gone(KEEL_TRACK_REMOVAL), 1);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 0);
    assert_int_equal(keel_changes_of(other.world, moved, Points), KEEL_TRACK_INSERTION);
    api_end(&other);
    api_begin(&other);
    assert_int_equal(keel_copy_world(f.world, other.world), KEEL_OK);
    assert_int_equal(count_of(other.world, KEEL_TERMS(KEEL_INSERTED(Armor))), 3);
    assert_int_equal(count_of(other.world, KEEL_TERMS(KEEL_MODIFIED(Armor))), 0);
    api_end(&other);
    api_end(&f);
}

static void added_and_removed_in_between(void **state) {
    (void)state;
    begin();
    CLEAR(KEEL_TRACK_ALL);
    const keel_entity x = keel_add_entity(f.world, KEEL_INIT(Points));
    assert_int_equal(keel_delete(f.world, x, Points), KEEL_OK);
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 0);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1);
    assert_int_equal(keel_add(f.world, x, Points), KEEL_OK);
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 1);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 1);
    api_end(&f);
}

typedef struct Kept {
    Owned inner;
} Kept;
static void drop_kept(void *value, void *data) {
    (void)data;
    owned_release(((Kept *)value)->inner);
}
KEEL_COMPONENT(Kept, .tracking = KEEL_TRACK_DELETION, .drop = drop_kept);

static void deleted_values_are_dropped_later(void **state) {
    (void)state;
    api_begin(&f);
    owned_begin();
    const keel_entity x = keel_add_entity(f.world);
    const Kept kept = { owned_make() };
    assert_int_equal(keel_add(f.world, x, Kept, kept), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, x), KEEL_OK);
    assert_int_equal(owned.living, 1);
    KEEL_EACH_REMOVED(f.world, Kept, it)
        if (it.deleted) assert_non_null(it.value);
    assert_int_equal(keel_clear_changes(f.world, Kept, KEEL_TRACK_DELETION, KEEL_NOW), KEEL_OK);
    assert_int_equal(owned.living, 0);
    api_end(&f);
}

static void the_log_is_bounded(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_set_limit_of(f.world, KEEL_OF(Points), 0), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "at least 1");
    assert_int_equal(keel_set_limit_of(f.world, KEEL_OF(Points), 10), KEEL_OK);
    keel_reader *late = keel_reader_create(f.world, "sleeper");
    KEEL_EACH_REMOVED(late, Points, it)
        if (it.deleted) fail();
    for (int i = 0; i < 35; ++i) {
        const keel_entity x = keel_add_entity(f.world, KEEL_INIT(Points, { i }));
        assert_int_equal(keel_delete_entity(f.world, x), KEEL_OK);
    }
    assert_int_equal(f.log.warnings, 1); // it says once who holds it up
    assert_non_null(strstr(f.log.last, "sleeper"));
    assert_int_equal(keel_missed(late, Points), 25);
    assert_int_equal(keel_missed(f.world, Points), 25);
    int seen = 25;
    KEEL_EACH_REMOVED(late, Points, it)
        if (it.deleted) assert_int_equal(((const Points *)it.value)->points, seen++);
    assert_int_equal(seen, 35);
    keel_reader_advance(late);
    assert_int_equal(keel_missed(late, Points), 0);
    CLEAR(KEEL_TRACK_ALL);
    assert_int_equal(keel_missed(f.world, Points), 0);
    keel_reader *new = keel_reader_create(f.world, "new");
    assert_int_equal(keel_missed(new, Points), 35);
    api_end(&f);
}

static void entries_go_when_all_have_passed(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    api_begin(&f);
    keel_reader *reader = keel_reader_create(f.world, "reader");
    KEEL_EACH_REMOVED(reader, Points, it)
        if (it.deleted) fail();
    size_t memory = 0;
    for (int frame = 0; frame < 200; ++frame) {
        keel_entity x[20];
        for (int i = 0; i < 20; ++i)
            x[i] = keel_add_entity(f.world, KEEL_INIT(Points));
        for (int i = 0; i < 20; ++i)
            assert_int_equal(keel_delete_entity(f.world, x[i]), KEEL_OK);
        int seen = 0;
        KEEL_EACH_REMOVED(reader, Points, it)
            if (it.deleted) ++seen;
        assert_int_equal(seen, 20);
        keel_reader_advance(reader);
        if (frame == 5) memory = keel_component_memory(f.world, KEEL_OF(Points));
    }
    assert_int_equal(keel_component_memory(f.world, KEEL_OF(Points)), memory);
    assert_int_equal(keel_missed(reader, Points), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ uniques
static int unique_changes;
KEEL_SYSTEM_ONCE(watch_unique, KEEL_UNIQUE_READ(Points, h), KEEL_CONTEXT(context)) {
    (void)h;
    unique_changes = (int)keel_unique_changes_of(context, Points);
}
KEEL_SYSTEM_ONCE(write_unique, KEEL_UNIQUE_WRITE(Points, h)) { ++h->points; }

static void uniques(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_unique_changes_of(f.world, Points), 0);
    assert_int_equal(keel_set_unique(f.world, Points, { 1 }), KEEL_OK);
    assert_int_equal(keel_unique_changes_of(f.world, Points), KEEL_TRACK_INSERTION);
    CLEAR(KEEL_TRACK_ALL);
    assert_int_equal(keel_unique_changes_of(f.world, Points), 0); // clearing is no change
    assert_int_equal(keel_run(f.world, watch_unique), KEEL_OK);
    assert_int_equal(unique_changes, KEEL_TRACK_INSERTION);
    assert_int_equal(keel_run(f.world, watch_unique), KEEL_OK);
    assert_int_equal(unique_changes, 0);
    assert_int_equal(keel_run(f.world, write_unique), KEEL_OK);
    assert_int_equal(keel_run(f.world, watch_unique), KEEL_OK);
    assert_int_equal(unique_changes, KEEL_TRACK_MODIFICATION);
    keel_get_unique_mut(f.world, Points)->points = 4;
    assert_int_equal(keel_unique_changes_of(f.world, Points), KEEL_TRACK_MODIFICATION);
    assert_int_equal(keel_clear_unique_changes(f.world, Points, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_unique_changes_of(f.world, Points), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ memory
static void marking_needs_no_memory(void **state) {
    (void)state;
    begin();
    const uint64_t before = f.memory.growing_calls;
    for (int i = 0; i < 1000; ++i) {
        keel_get_mut(f.world, e[i % 4], Points)->points = i;
        assert_int_equal(keel_mark(f.world, e[i % 4], Mana), KEEL_OK);
        KEEL_EACH(f.world, KEEL_WRITE_MARKED(Armor, a, changed))
            *changed = a->points > 0;
        CLEAR(KEEL_TRACK_ALL);
    }
    assert_true(f.memory.growing_calls - before < 10);
    counting_allocator_fail_after(&f.memory, 0); // nor does deleting
    for (int i = 0; i < 4; ++i)
        assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_int_equal(gone(KEEL_TRACK_DELETION), 4);
    api_end(&f);
}

static void out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (uint64_t n = 0;; ++n) {
        api_begin(&f);
        const keel_entity x = keel_add_entity(f.world);
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result = keel_add(f.world, x, Points, { 1 });
        const keel_result tracked = keel_track(f.world, Plain, KEEL_TRACK_ALL);
        keel_reader *reader = keel_reader_create(f.world, "reader");
        counting_allocator_never_fail(&f.memory);
        const bool ended = result == KEEL_OK && tracked == KEEL_OK && reader;
        if (result == KEEL_OK) assert_int_equal(COUNT(KEEL_INSERTED(Points)), 1);
        else assert_false(keel_has(f.world, x, Points));
        api_end(&f);
        if (ended) return;
    }
}

// ------------------------------------------------------------------ who asks late
static uint32_t mourned;
KEEL_SYSTEM_ONCE(mourn, KEEL_MAY_READ(Plain), KEEL_CONTEXT(context)) {
    KEEL_EACH_REMOVED(context, Plain, gone)
        if (gone.deleted) mourned += gone.deleted;
}
KEEL_WORKLOAD(funeral, KEEL_STEP(mourn));

static void what_is_gone_is_kept_for_who_asks(void **state) {
    (void)state;
    for (int by_reader = 0; by_reader < 2; ++by_reader) {
        begin();
        keel_reader *reader = by_reader ? keel_reader_create(f.world, "late") : NULL;
        for (int i = 0; i < 4; ++i)
            assert_int_equal(keel_add(f.world, e[i], Plain, { i }), KEEL_OK);
        assert_int_equal(keel_delete(f.world, e[0], Plain), KEEL_OK);
        assert_int_equal(gone_plain(reader, KEEL_TRACK_DELETION), 0); // nobody had asked
        assert_int_equal(keel_tracked_kinds(f.world, KEEL_OF(Plain)), KEEL_TRACK_DELETION);
        assert_int_equal(keel_delete(f.world, e[1], Plain), KEEL_OK);
        assert_int_equal(gone_plain(reader, KEEL_TRACK_DELETION), 1);
        assert_int_equal(gone_plain(reader, KEEL_TRACK_REMOVAL), 0);
        assert_int_equal(keel_remove(f.world, e[2], Plain), KEEL_OK);
        assert_int_equal(gone_plain(reader, KEEL_TRACK_REMOVAL), 1);
        api_end(&f);
    }
}

static void a_system_by_itself_asks_too(void **state) {
    (void)state;
    begin();
    mourned = 0;
    assert_int_equal(keel_add(f.world, e[0], Plain), KEEL_OK);
    assert_int_equal(keel_run(f.world, mourn), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e[0], Plain), KEEL_OK);
    assert_int_equal(keel_run(f.world, mourn), KEEL_OK);
    assert_int_equal(mourned, 1);
    api_end(&f);
}

static void in_a_workload_it_is_too_late(void **state) {
    (void)state;
    begin();
    mourned = 0;
    assert_int_equal(keel_add(f.world, e[0], Plain), KEEL_OK);
    (void)keel_run_workload(f.world, funeral);
    assert_error(f.world, KEEL_ERROR_SHARED, "'Plain', which is not tracked");
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(gone_plain(NULL, KEEL_TRACK_REMOVAL), 0);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_SHARED, "keel_track it before");
    assert_int_equal(keel_track(f.world, Plain, KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, funeral), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e[0], Plain), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, funeral), KEEL_OK);
    assert_int_equal(mourned, 1);
    api_end(&f);
}

static void tracking_for_who_asks_may_find_no_memory(void **state) {
    (void)state;
    for (size_t n = 0;; ++n) {
        begin();
        for (int i = 0; i < 4; ++i)
            assert_int_equal(keel_add(f.world, e[i], Plain), KEEL_OK);
        counting_allocator_fail_after(&f.memory, n);
        assert_int_equal(gone_plain(NULL, KEEL_TRACK_DELETION), 0);
        counting_allocator_never_fail(&f.memory);
        const bool done = keel_tracked_kinds(f.world, KEEL_OF(Plain)) != KEEL_TRACK_NONE;
        if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, "tracking a component");
        assert_int_equal(keel_delete(f.world, e[0], Plain), KEEL_OK);
        assert_int_equal(gone_plain(NULL, KEEL_TRACK_DELETION), done);
        api_end(&f);
        if (done) return;
    }
}

// Trimming gives back what tracking took, and what is noted of those who stay is as before.
static void trimming_gives_tracking_back(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    const keel_component *const all[] = { KEEL_OF(Points), KEEL_OF(Armor), KEEL_OF(Mana) };
    begin();
    keel_entity last = e[0];
    for (int i = 0; i < 20000; ++i)
        last = keel_add_entity(f.world, KEEL_INIT(Points, { i }), KEEL_INIT(Armor, { i }),
                               KEEL_INIT(Mana, { i }));
    assert_int_equal(keel_clear_changes(f.world, Points, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    keel_get_mut(f.world, last, Points)->points = 7;
    for (keel_entity at = keel_null(); !keel_is_null(at = keel_next_entity(f.world, at));)
        if (at.bits != last.bits) assert_int_equal(keel_delete_entity(f.world, at), KEEL_OK);
    assert_int_equal(keel_clear_all_changes(f.world, KEEL_TRACK_DELETION, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_int_equal(COUNT(KEEL_MODIFIED(Points)), 1);
    for (size_t i = 0; i < 3; ++i) // pages of one last value
        assert_true(keel_component_memory(f.world, all[i]) < 200000);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_int_equal(keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    for (size_t i = 0; i < 3; ++i)
        assert_true(keel_component_memory(f.world, all[i]) < 2000);
    e[0] = keel_add_entity(f.world, KEEL_INIT(Points, { 1 }));
    assert_int_equal(COUNT(KEEL_INSERTED(Points)), 1);
    assert_int_equal(keel_delete(f.world, e[0], Points), KEEL_OK);
    uint32_t deleted = 0;
    KEEL_EACH_REMOVED(f.world, Points, gone)
        if (gone.deleted) ++deleted;
    assert_int_equal(deleted, 1);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-77
    TEST(four_kinds, "insertion, modification, removal and deletion are tracked"),
    // proves S-78
    TEST(any_subset, "any subset of them can be tracked"),
    // proves S-78
    TEST(untracked_by_default, "none by default; who asks switches it on"),
    TEST(what_is_gone_is_kept_for_who_asks, "who asks what is gone has it kept from then on (A3)"),
    TEST(a_system_by_itself_asks_too, "a system that is run by itself, too (A3)"),
    TEST(in_a_workload_it_is_too_late,
         "in a workload and in shared mode it is an error that says what to do (A3)"),
    TEST(tracking_for_who_asks_may_find_no_memory, "and out of memory is told (A3)"),
    // proves S-88
    TEST(fresh_is_not_modified, "a fresh value is inserted, not modified; overwritten: both"),
    // proves S-89
    TEST(only_what_is_marked, "KEEL_WRITE_MARKED marks what the loop says, KEEL_WRITE all"),
    TEST(loops_mark_what_they_visit, "a loop that is left early marks what it visited"),
    TEST(what_is_left_out_is_not_marked, "what filters leave out is not marked"),
    // proves S-89
    TEST(marks_by_hand, "keel_mark, keel_patch and keel_replace mark one value"),
    // proves S-83
    TEST(terms_compose, "terms about changes go with all others and with handles"),
    // proves S-82 S-86
    TEST(since_the_last_clear, "outside of systems changes are since the last clear"),
    TEST(only_bits_that_exist_can_be_cleared_and_walked,
         "Only KEEL_TRACK_* bits can be cleared and walked over; others are an error"),
    // proves S-86 S-87
    TEST(timestamps_and_deletions, "clearing only what is older than a tick"),
    // proves S-85
    TEST(each_clear_clears_its_own, "each kind is cleared by itself, all of it (defect 6)"),
    TEST(readers_have_their_own, "readers see all since their own last pass"),
    // proves S-79
    TEST(a_system_sees_since_its_last_run, "a system sees all since its last run there"),
    // proves S-80 S-81
    TEST(first_everything_then_never_its_own, "first everything, never its own again"),
    // proves S-81
    TEST(own_changes_in_the_same_run, "its own changes are seen in the same run, once"),
    // proves S-81
    TEST(own_commands_the_next_time, "its commands are seen the next time, once"),
    // proves S-79
    TEST(writer_reader_remover, "writer, reader, remover: the reader sees one each time"),
    TEST(the_same_function_twice, "one system in two workloads looks twice (defect 14)"),
    TEST(retain_marks_what_it_changed, "a value that keel_retain's function changed is modified"),
    // proves S-35 S-84 S-90
    TEST(deletions_and_removals, "what counts as deletion, what as removal"),
    TEST(moving_away_is_removal, "moving to another world is removal there, insertion here"),
    TEST(added_and_removed_in_between, "added and removed since the last look: removed only"),
    // proves S-84
    TEST(deleted_values_are_dropped_later, "a deleted value lives until all have passed it"),
    TEST(the_log_is_bounded, "a full log drops the oldest and tells how many were missed"),
    TEST(entries_go_when_all_have_passed, "entries go when all readers have passed"),
    TEST(uniques, "uniques know when they were set and changed (defect 7)"),
    TEST(trimming_gives_tracking_back, "trimming gives the memory of tracking back"),
    TEST(marking_needs_no_memory, "marking and deleting need no memory"),
    TEST(out_of_memory_changes_nothing, "out of memory: nothing is added, nothing noted"),
};

int main(void) { return RUN(tests); }
