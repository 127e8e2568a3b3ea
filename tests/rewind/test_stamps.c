// SPDX-License-Identifier: MIT
// A take copies only what was written since the last one, so every writer has to be seen: each is
// tried in each storage, alone between two takes, and what the snapshot holds must be the world.
// Then it is restored, and must be what it was.
#include "rewind/snapshot.h"
#include "support/api_types.h"

#include <string.h>

typedef struct Sparse {
    uint32_t value, more;
} Sparse;
typedef Sparse Indexed;
typedef Sparse Row;
typedef Sparse Tracked;
typedef Sparse Observed;
KEEL_COMPONENT(Sparse, .no_padding = true);
KEEL_COMPONENT(Indexed, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .no_padding = true, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Tracked, .no_padding = true, .tracking = KEEL_TRACK_MODIFICATION);
KEEL_COMPONENT(Observed, .no_padding = true);
KEEL_TAG(Some);
KEEL_RELATION(Knows);
KEEL_RELATION(Leads, .exclusive = true);
KEEL_RELATION(Pairs, .exclusive = true, .symmetric = true);
KEEL_RELATION(Beside, .symmetric = true);
typedef struct Wide {
    uint32_t words[300];
} Wide;
KEEL_COMPONENT(Wide, .no_padding = true, .storage = KEEL_INDEXED);

enum { COUNT = 700, KINDS = 5 };
static const keel_component *kinds[KINDS];
static keel_entity list[COUNT], bare; // bare: without components
static api_fixture f;

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static uint64_t held(const keel_snapshot *snapshot) {
    keel_world *copy = keel_world_create(&(keel_world_desc){ .log = log_to(&f.log) });
    assert_int_equal(keel_snapshot_to_world(snapshot, copy), KEEL_OK);
    const uint64_t hash = hash_of(copy);
    assert_true(keel_is_alive(copy, bare));
    keel_world_destroy(copy);
    return hash;
}

static void on_change(const keel_change *change, void *data) {
    (void)change;
    (void)data;
}

static void fill(void) {
    kinds[0] = KEEL_OF(Sparse);
    kinds[1] = KEEL_OF(Indexed);
    kinds[2] = KEEL_OF(Row);
    kinds[3] = KEEL_OF(Tracked);
    kinds[4] = KEEL_OF(Observed);
    assert_int_equal(keel_observe(f.world, Observed, KEEL_ON_MODIFIED, on_change, NULL), KEEL_OK);
    bare = keel_add_entity(f.world);
    for (uint32_t i = 0; i < COUNT; ++i) {
        list[i] = keel_add_entity(f.world, KEEL_INIT(Sparse, { i, 1 }),
                                  KEEL_INIT(Indexed, { i, 2 }), KEEL_INIT(Row, { i, 3 }),
                                  KEEL_INIT(Tracked, { i, 4 }), KEEL_INIT(Observed, { i, 5 }));
        if (i % 3 == 0) (void)keel_add(f.world, list[i], Some);
        if (i % 50 == 0) (void)keel_add(f.world, list[i], Wide, { { i } });
    }
}

// ------------------------------------------------------------------ writers, of each kind
typedef void writer(const keel_component *kind);

static void by_get_mut(const keel_component *kind) {
    ((Sparse *)keel_get_component_mut(f.world, list[100], kind))->value = 9000;
}
static void by_get_mut_in_a_view(const keel_component *kind) {
    const keel_term terms[] = { { .component = kind, .kind = KEEL_TERM_WRITE },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "here"), KEEL_OK);
    ((Sparse *)keel_get_component_mut(&view, list[101], kind))->value = 9001;
    keel_view_end(&view);
}
static void by_replacing(const keel_component *kind) {
    assert_int_equal(keel_replace_component(f.world, list[102], kind, &(Sparse){ 9002, 1 }),
                     KEEL_OK);
}
static void patch(void *value, void *data) { ((Sparse *)value)->value = *(uint32_t *)data; }
static void by_a_patch(const keel_component *kind) {
    uint32_t value = 9003;
    assert_int_equal(keel_patch_component(f.world, list[103], kind, patch, &value), KEEL_OK);
}
static void by_adding_again(const keel_component *kind) {
    assert_int_equal(keel_add_component(f.world, list[104], kind, &(Sparse){ 9004, 1 }), KEEL_OK);
}
static void by_adding_several_again(const keel_component *kind) {
    const keel_value values[] = { { kind, &(Sparse){ 9005, 1 } }, { NULL, NULL } };
    assert_int_equal(keel_add_component_values(f.world, list[105], values), KEEL_OK);
}
static void by_getting_or_adding(const keel_component *kind) {
    Sparse *value = keel_get_or_add_component(f.world, list[106], kind, NULL);
    value->value = 9006;
}
static void by_commands(const keel_component *kind) {
    keel_commands *commands = keel_world_commands(f.world);
    (void)keel_replace_component(commands, list[107], kind, &(Sparse){ 9007, 1 });
    (void)keel_add_component(commands, list[108], kind, &(Sparse){ 9008, 1 });
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
}
static void by_taking_away_and_adding(const keel_component *kind) {
    (void)keel_delete_component(f.world, list[COUNT - 1], kind);
    (void)keel_add_component(f.world, list[COUNT - 1], kind, &(Sparse){ 9009, 1 });
}
static void by_deleting(const keel_component *kind) {
    (void)kind;
    (void)keel_delete_entity(f.world, list[5]);
    list[5] = keel_add_entity(f.world, KEEL_INIT(Sparse, { 5, 9 }), KEEL_INIT(Indexed, { 5, 9 }),
                              KEEL_INIT(Row, { 5, 9 }), KEEL_INIT(Tracked, { 5, 9 }));
}
static void by_coming(const keel_component *kind) {
    (void)kind;
    (void)keel_add_entity(f.world, KEEL_INIT(Sparse, { 5, 9 }), KEEL_INIT(Indexed, { 5, 9 }),
                          KEEL_INIT(Row, { 5, 9 }), KEEL_INIT(Tracked, { 5, 9 }));
}
static void by_disabling(const keel_component *kind) {
    (void)keel_enable_component(f.world, list[110], kind, false);
}
static void by_enabling(const keel_component *kind) {
    (void)keel_enable_component(f.world, list[110], kind, true);
}

// ------------------------------------------------------------------ loops
#define LOOPS(T)                                                                                   \
    static void all_##T(void) {                                                                    \
        KEEL_EACH(f.world, KEEL_WRITE(T, v))                                                       \
            v->more += 7;                                                                          \
    }                                                                                              \
    static void some_##T(void) {                                                                   \
        KEEL_EACH(f.world, KEEL_WRITE(T, v), KEEL_WITH(Some))                                      \
            v->more += 7;                                                                          \
    }                                                                                              \
    static void few_##T(void) {                                                                    \
        KEEL_EACH(f.world, KEEL_WITH(Wide), KEEL_WRITE(T, v), KEEL_READ(Sparse, s)) {              \
            v->more += 7 + s->value * 0;                                                           \
        }                                                                                          \
    }                                                                                              \
    static void maybe_##T(void) {                                                                  \
        KEEL_EACH(f.world, KEEL_WITH(Some), KEEL_OPTIONAL_WRITE(T, v))                             \
            if (v) v->more += 7;                                                                   \
    }                                                                                              \
    static void until_##T(void) {                                                                  \
        uint32_t left = 100;                                                                       \
        KEEL_EACH(f.world, KEEL_WRITE(T, v)) {                                                     \
            v->more += 7;                                                                          \
            if (!--left) break;                                                                    \
        }                                                                                          \
    }                                                                                              \
    static void by_hand_##T(void) {                                                                \
        KEEL_EACH(f.world, KEEL_WRITE_MARKED(T, v, changed)) {                                     \
            v->more += 7;                                                                          \
            (void)changed;                                                                         \
        }                                                                                          \
    }                                                                                              \
    KEEL_SYSTEM(run_##T, KEEL_WRITE(T, v), KEEL_WITH(Some)) { v->more += 7; }                      \
    static void in_a_system_##T(void) { assert_int_equal(keel_run(f.world, run_##T), KEEL_OK); }
LOOPS(Sparse)
LOOPS(Indexed)
LOOPS(Row)
LOOPS(Tracked)
#define TRY_LOOPS(T)                                                                               \
    { "all " #T, all_##T }, { "some " #T, some_##T }, { "few " #T, few_##T },                      \
        { "maybe " #T, maybe_##T }, { "until " #T, until_##T }, { "by hand " #T, by_hand_##T },    \
        { "in a system " #T, in_a_system_##T },
static int ascending(const void *a, const void *b, void *data) {
    (void)data;
    const uint32_t x = ((const Sparse *)a)->more * 31 % 17, y = ((const Sparse *)b)->more * 31 % 17;
    return (x > y) - (x < y);
}
static void sorted(void) { (void)keel_sort(f.world, Sparse, ascending, NULL); } // not when grouped
static int descending(const void *a, const void *b, void *data) {
    (void)data;
    return (((const Sparse *)a)->value < ((const Sparse *)b)->value) -
           (((const Sparse *)a)->value > ((const Sparse *)b)->value);
}
static void turned(void) { (void)keel_sort(f.world, Sparse, descending, NULL); }
static void swapped(void) { (void)keel_swap(f.world, Sparse, list[20], list[600]); }
static void anew(void) { // as many are alive and free as before
    (void)keel_delete_entity(f.world, bare);
    bare = keel_add_entity(f.world);
}
static void wide(void) { keel_get_mut(f.world, list[50], Wide)->words[299] += 1; }
static void wide_all(void) {
    KEEL_EACH(f.world, KEEL_WRITE(Wide, w))
        w->words[3] += 1;
}
static void grouped(void) {
    (void)keel_group_create(f.world, KEEL_OWNED(Sparse, Some)); // the first time
}

// ------------------------------------------------------------------ edges
static keel_snapshot *ones[2]; // taken each time, and every second time
static uint32_t turn;
static void expect(const char *name);

static void related(void) {
    for (uint32_t i = 300; i < 420; i += 3) {
        assert_true(keel_relate(f.world, list[i], Knows, list[i / 8]) >= 0);
        assert_true(keel_relate(f.world, list[i], Leads, list[i / 8]) >= 0);
        assert_true(keel_relate(f.world, list[i], Pairs, list[i + 100]) >= 0);
        assert_true(keel_relate(f.world, list[i], Beside, list[i + 50]) >= 0);
        assert_true(keel_attach(f.world, list[i], list[i / 8]) >= 0);
    }
}
static void related_once(void) {
    assert_true(keel_relate(f.world, list[330], Knows, list[turn % 200]) >= 0);
}
static void led_by_another(void) {
    assert_true(keel_relate(f.world, list[360], Leads, list[turn % 200]) >= 0);
}
static void attached(void) {
    assert_true(keel_attach(f.world, list[400], list[turn % 200]) >= 0);
    assert_true(keel_attach(f.world, list[401], list[turn % 200]) >= 0);
    assert_true(keel_attach(f.world, list[402], list[401]) >= 0);
}
static void detached(void) { assert_true(keel_detach(f.world, list[402]) >= 0); }
static void tree_deleted(void) {
    const keel_entity root = keel_add_child(f.world, list[200]);
    const keel_entity child = keel_add_child(f.world, root);
    (void)keel_add_child(f.world, child);
    (void)keel_add_child(f.world, root);
    expect("add_child");
    assert_true(keel_delete_tree(f.world, root) >= 0);
}
static void unrelated(void) {
    for (uint32_t i = 303; i < 420; i += 6) {
        assert_true(keel_unrelate(f.world, list[i], Knows, list[i / 8]) >= 0);
        assert_true(keel_unrelate(f.world, list[i], Leads, list[i / 8]) >= 0);
        assert_true(keel_unrelate(f.world, list[i], Pairs, list[i + 100]) >= 0);
        assert_true(keel_unrelate(f.world, list[i], Beside, list[i + 50]) >= 0);
    }
}
static int by_turns(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t x = keel_entity_index(a) * 31 % 17, y = keel_entity_index(b) * 31 % 17;
    (void)world, (void)data;
    return x > y ? 1 : x < y ? -1 : 0;
}
static void sources_sorted(void) {
    assert_true(keel_sort_sources(f.world, list[40], KEEL_OF(Knows), by_turns, NULL) >= 0);
    assert_true(keel_sort_sources(f.world, list[41], KEEL_OF(Leads), by_turns, NULL) >= 0);
}
static void sources_unrelated(void) {
    assert_true(keel_unrelate_sources(f.world, Knows, list[42]) >= 0);
    assert_true(keel_unrelate_sources(f.world, Leads, list[43]) >= 0);
    assert_true(keel_unrelate_all(f.world, list[303], Beside) >= 0);
}
static void trimmed(void) { assert_int_equal(keel_world_trim(f.world), KEEL_OK); }

// ------------------------------------------------------------------ each is seen
static void expect(const char *name) {
    if (turn % 3 == 0) (void)keel_tick(f.world);
    const uint64_t now = hash_of(f.world), state = keeli_state_hash(f.world);
    const keel_entity alive = bare;
    assert_int_equal(keel_snapshot_take(ones[0]), KEEL_OK);
    if (held(ones[0]) != now) fail_msg("'%s' was not taken", name);
    if (turn++ % 2) return;
    assert_int_equal(keel_snapshot_restore(ones[1]), KEEL_OK); // from another time
    assert_int_equal(keel_snapshot_restore(ones[0]), KEEL_OK);
    if (hash_of(f.world) != now || keeli_state_hash(f.world) != state ||
        !keel_is_alive(f.world, alive))
        fail_msg("'%s' was not restored", name);
    assert_int_equal(keel_snapshot_take(ones[1]), KEEL_OK);
    if (held(ones[1]) != now) fail_msg("'%s' was not taken by the other", name);
    assert_int_equal(f.log.warnings, 0); // of pages that were compared
}

static void try_every_writer(bool are_tracked) {
    static const struct {
        const char *name;
        writer *write;
    } writers[] = {
        { "get_mut", by_get_mut },
        { "get_mut in a view", by_get_mut_in_a_view },
        { "replace", by_replacing },
        { "patch", by_a_patch },
        { "add again", by_adding_again },
        { "add several again", by_adding_several_again },
        { "get or add", by_getting_or_adding },
        { "commands", by_commands },
        { "take away and add", by_taking_away_and_adding },
        { "delete", by_deleting },
        { "come", by_coming },
        { "disable", by_disabling },
        { "enable", by_enabling },
    };
    static const struct {
        const char *name;
        void (*write)(void);
    } others[] = { TRY_LOOPS(Sparse) TRY_LOOPS(Indexed) TRY_LOOPS(Row)
                       TRY_LOOPS(Tracked){ "sort", sorted },
                   { "turn", turned },
                   { "swap", swapped },
                   { "anew", anew },
                   { "wide", wide },
                   { "wide all", wide_all },
                   { "relate", related },
                   { "relate once", related_once },
                   { "exclusive", led_by_another },
                   { "attach", attached },
                   { "detach", detached },
                   { "delete_tree", tree_deleted },
                   { "sort sources", sources_sorted },
                   { "unrelate", unrelated },
                   { "unrelate sources", sources_unrelated },
                   { "trim", trimmed },
                   { "group", grouped } };
    api_begin(&f);
    fill();
    for (uint32_t i = 0; i < 2; ++i) {
        ones[i] = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(ones[i]), KEEL_OK);
    }
    for (uint32_t round = 0; round < 3; ++round) {
        for (uint32_t k = 0; are_tracked && k < KINDS; ++k)
            assert_int_equal(keel_track_component(f.world, kinds[k],
                                                  round ? KEEL_TRACK_ALL : KEEL_TRACK_MODIFICATION),
                             KEEL_OK);
        for (uint32_t w = 0; w < sizeof writers / sizeof *writers; ++w)
            for (uint32_t k = 0; k < KINDS; ++k) {
                writers[w].write(kinds[k]);
                expect(writers[w].name);
            }
        for (uint32_t w = 0; w < sizeof others / sizeof *others; ++w) {
            others[w].write();
            expect(others[w].name);
        }
    }
    for (uint32_t i = 0; i < 2; ++i)
        keel_snapshot_destroy(ones[i]);
    api_end(&f);
}

static void every_writer_is_seen(void **state) {
    (void)state;
    try_every_writer(false);
}
static void so_is_who_writes_what_is_tracked(void **state) {
    (void)state;
    try_every_writer(true);
}

// Where a log has all changes, no more than these are copied.
static void what_is_tracked_is_copied_one_by_one(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    const uint32_t values = sizeof(Sparse);
    for (uint32_t k = 0; k < KINDS; ++k)
        assert_int_equal(keel_track_component(f.world, kinds[k], KEEL_TRACK_MODIFICATION), KEEL_OK);
    for (uint32_t i = 0; i < 2; ++i) {
        ones[i] = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(ones[i]), KEEL_OK);
    }
    for (uint32_t k = 0; k < KINDS; ++k)
        for (uint32_t round = 0; round < 3; ++round) {
            for (uint32_t i = 0; i < 5; ++i)
                ((Sparse *)keel_get_component_mut(f.world, list[i * 101], kinds[k]))->more += 1;
            (void)keel_tick(f.world);
            assert_int_equal(keel_snapshot_take(ones[0]), KEEL_OK);
            if (!KEELI_VALIDATES) assert_int_equal(keel_snapshot_copied(ones[0]), 5 * values);
            ((Sparse *)keel_get_component_mut(f.world, list[305], kinds[k]))->more += 1;
            assert_int_equal(keel_snapshot_restore(ones[0]), KEEL_OK);
            assert_true(held(ones[0]) == hash_of(f.world));
            if (round) continue;
            assert_int_equal(keel_snapshot_take(ones[1]), KEEL_OK);
            assert_true(held(ones[1]) == hash_of(f.world));
        }
    for (uint32_t i = 0; i < 2; ++i)
        keel_snapshot_destroy(ones[i]);
    api_end(&f);
}

// Marks without a log, and what was written before there were marks.
static void what_marks_do_not_tell_is_known(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    ones[0] = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(ones[0]), KEEL_OK);
    for (uint32_t k = 0; k < KINDS; ++k) {
        Sparse *written = keel_get_component_mut(f.world, list[k * 64], kinds[k]);
        (void)keel_tick(f.world);
        written->more += 1;
        assert_int_equal(keel_track_component(f.world, kinds[k], KEEL_TRACK_MODIFICATION), KEEL_OK);
    }
    assert_int_equal(keel_snapshot_take(ones[0]), KEEL_OK);
    assert_true(held(ones[0]) == hash_of(f.world));
    assert_int_equal(keel_snapshot_take(ones[0]), KEEL_OK);
    const uint64_t before = keeli_state_hash(f.world);
    (void)keel_tick(f.world);
    some_Sparse();
    some_Indexed();
    some_Row();
    few_Tracked();
    assert_int_equal(keel_snapshot_restore(ones[0]), KEEL_OK);
    assert_true(keeli_state_hash(f.world) == before);
    keel_snapshot_destroy(ones[0]);
    api_end(&f);
}

// The image's first page of values gets larger while values of the world moved.
static void a_page_grows(void **state) {
    (void)state;
    api_begin(&f);
    keel_entity some[20];
    for (uint32_t i = 0; i < 20; ++i)
        some[i] = keel_add_entity(f.world, KEEL_INIT(Sparse, { i, 1 }));
    for (uint32_t i = 20; i-- > 16;) // the world has more room than it needs
        assert_int_equal(keel_delete(f.world, some[i], Sparse), KEEL_OK);
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_delete(f.world, some[3], Sparse), KEEL_OK);
    assert_int_equal(keel_delete(f.world, some[5], Sparse), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Sparse, { 100 + i, 1 }));
    const uint64_t now = hash_of(f.world);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_true(hash_of(f.world) == now);
    assert_int_equal(f.log.warnings, 0);
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

// After years of taking.
static void epochs_begin_anew(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    for (uint32_t i = 0; i < 2; ++i) {
        ones[i] = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(ones[i]), KEEL_OK);
    }
    f.world->epoch = UINT32_MAX - 20;
    for (uint32_t i = 0; i < 40; ++i) {
        keel_get_mut(f.world, list[i * 5], Indexed)->more = i;
        keel_get_mut(f.world, list[i * 7], Row)->more = i;
        expect("after many takes");
    }
    assert_true(f.world->epoch < 100);
    for (uint32_t i = 0; i < 2; ++i)
        keel_snapshot_destroy(ones[i]);
    api_end(&f);
}

static void a_kept_pointer_is_marked(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    Indexed *kept = keel_get_mut(f.world, list[77], Indexed);
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    kept->more = 1234;
    assert_int_equal(keel_mark(f.world, list[77], Indexed), KEEL_OK);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(f.log.warnings, 0);
    assert_true(held(snapshot) == hash_of(f.world));
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

// What is not seen is said where somebody looks for it, and taken then.
static void a_kept_pointer_is_found(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_set_flags(snapshot, KEEL_SNAPSHOT_CHECK), KEEL_OK);
    assert_int_equal(keel_snapshot_set_flags(snapshot, 4), KEEL_ERROR_ARGUMENT);
    for (uint32_t k = 0; k < KINDS; ++k) {
        Sparse *kept = keel_get_component_mut(f.world, list[77], kinds[k]);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        kept->more += 1234;
        const uint64_t now = hash_of(f.world);
        f.log.warnings = 0;
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        assert_int_equal(f.log.warnings, 1);
        assert_non_null(strstr(f.log.last, "written through a kept pointer"));
        assert_non_null(strstr(f.log.last, kinds[k]->type));
        assert_true(held(snapshot) == now);
        kept->more += 1; // and goes with a restore
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_true(hash_of(f.world) == now);
        assert_int_equal(f.log.warnings, 2);
    }
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

static void a_full_one_asks_nobody(void **state) {
    (void)state;
    api_begin(&f);
    fill();
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_copied(snapshot), 0);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    const uint64_t all = keel_snapshot_copied(snapshot);
    assert_true(all == COUNT * 5 * sizeof(Sparse) + COUNT / 50 * sizeof(Wide));
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_snapshot_copied(snapshot), 0);
    keel_get_mut(f.world, list[70], Row)->more = 1;
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_snapshot_copied(snapshot), 64 * sizeof(Row));
    assert_int_equal(keel_snapshot_set_flags(snapshot, KEEL_SNAPSHOT_FULL), KEEL_OK);
    Sparse *kept = keel_get_mut(f.world, list[70], Sparse);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_true(keel_snapshot_copied(snapshot) == all);
    const uint64_t before = hash_of(f.world);
    kept->more = 99;
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_true(hash_of(f.world) == before);
    assert_int_equal(f.log.warnings, 0);
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_kept_pointer_is_found, "a write through a kept pointer is found where one checks"),
    TEST(a_page_grows, "a page that grows does not hide that values moved"),
    TEST(epochs_begin_anew, "epochs that are used up begin anew"),
    TEST(a_full_one_asks_nobody, "a full take copies all, others what was written"),
    TEST(every_writer_is_seen, "what any writer writes is taken, and restored"),
    TEST(so_is_who_writes_what_is_tracked, "what any writer of a tracked component writes"),
    TEST(what_marks_do_not_tell_is_known, "what marks and logs do not tell is known"),
    TEST(what_is_tracked_is_copied_one_by_one, "of what is tracked no more is copied"),
    TEST(a_kept_pointer_is_marked, "a value that was written through a kept pointer is marked"),
};
int main(void) { return RUN(tests); }
