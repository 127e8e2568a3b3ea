// SPDX-License-Identifier: MIT
// Random edits, runs and sends over everything that a world can have, with a hash of the whole
// state after each step. A snapshot is taken somewhere, and from there the same steps are played
// again: the hashes must be the same, each time, and also after other steps that were played in
// between.
#include "rewind/snapshot.h"
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ what there is
typedef struct Sparse {
    uint32_t value;
} Sparse;
typedef struct Index {
    uint32_t value;
} Index;
typedef struct Row {
    uint64_t value;
} Row;
typedef struct Column {
    uint16_t value[3];
} Column;
typedef struct Wide {
    uint32_t word[300];
} Wide;
typedef struct Kept {
    uint32_t value;
} Kept;
typedef struct Loose {
    uint32_t value;
} Loose;
typedef struct Score {
    uint32_t points;
} Score;
typedef struct Ping {
    uint32_t number;
} Ping;
typedef struct Scratch {
    uint32_t value;
} Scratch;
// Values that own something, in each storage.
typedef struct Text {
    char *text;
} Text;
typedef Text TextIndexed;
typedef Text TextRow;
typedef Text TextUnique;
typedef Text TextEvent;

static uint32_t copies_left = UINT32_MAX; // then copying fails
static int64_t live_texts;
static void text_drop(void *value, void *data) {
    (void)data;
    free(((Text *)value)->text);
    --live_texts;
}
static bool text_copy(void *to, const void *from, void *data) {
    (void)data;
    if (!copies_left) return false;
    if (copies_left != UINT32_MAX) --copies_left;
    const char *text = ((const Text *)from)->text;
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    memcpy(copy, text, bytes);
    ((Text *)to)->text = copy;
    ++live_texts;
    return true;
}
static uint64_t text_hash(const void *value, void *data) {
    (void)data;
    uint64_t hash = 14695981039346656037u;
    for (const char *at = ((const Text *)value)->text; *at; ++at)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}
#define OWNS_TEXT .drop = text_drop, .copy = text_copy, .hash = text_hash
static Text text_of(uint32_t number) {
    Text value = { malloc(24) };
    snprintf(value.text, 24, "text %u", (unsigned)number);
    ++live_texts;
    return value;
}

KEEL_COMPONENT(Sparse, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Index, .storage = KEEL_INDEXED, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Column, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Wide, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Kept, .no_padding = true);
KEEL_COMPONENT(Loose, .no_padding = true);
KEEL_COMPONENT(Text, OWNS_TEXT, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(TextIndexed, OWNS_TEXT, .storage = KEEL_INDEXED);
KEEL_COMPONENT(TextRow, OWNS_TEXT, .storage = KEEL_ARCHETYPE, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Scratch, .no_padding = true, .transient = true);
KEEL_TAG(Moved);
KEEL_TAG(Marked);
static const Score no_points = { 7 };
KEEL_UNIQUE(Score, .no_padding = true, .initial = &no_points);
KEEL_UNIQUE(TextUnique, OWNS_TEXT);
KEEL_EVENT(Ping, .no_padding = true, .limit = 20);
KEEL_EVENT(TextEvent, OWNS_TEXT, .limit = 8);
KEEL_RELATION(Likes, .tracking = KEEL_TRACK_ALL);
typedef struct Docked {
    uint32_t berth;
} Docked;
KEEL_VALUED_RELATION(Docked, .exclusive = true, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);

// ------------------------------------------------------------------ systems
KEEL_SYSTEM_ONCE(start, KEEL_UNIQUE_WRITE(Score, score)) { score->points += 1000; }
KEEL_SYSTEM(count_changes, KEEL_CHANGED(Sparse), KEEL_READ(Sparse, s),
            KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 31 + s->value;
}
KEEL_SYSTEM(see_new, KEEL_INSERTED(Row), KEEL_READ(Row, row), KEEL_UNIQUE_WRITE(Score, score)) {
    score->points += (uint32_t)row->value;
}
KEEL_SYSTEM(grow, KEEL_WRITE(Index, index), KEEL_WITH(Sparse)) { index->value += 3; }
KEEL_SYSTEM(breed, KEEL_ENTITY(e), KEEL_READ(Sparse, s), KEEL_COMMANDS(out)) {
    if (s->value % 5 == 0) {
        const keel_entity child = keel_add_entity(out, KEEL_INIT(Row, { s->value }));
        keel_relate(out, child, Likes, e);
    }
    if (s->value % 7 == 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM(pair, KEEL_READ(Kept, kept), KEEL_READ(Loose, loose), KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 5 + kept->value * 3 + loose->value;
}
KEEL_SYSTEM(climb, KEEL_UP(PartOf, KEEL_READ(Sparse, above)), KEEL_ENTITY(e),
            KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 3 + above->value + keel_entity_index(e);
}
KEEL_SYSTEM_ONCE(hear, KEEL_RECEIVE(Ping, pings), KEEL_UNIQUE_WRITE(Score, score)) {
    KEEL_EACH_EVENT(pings, Ping, ping)
        score->points = score->points * 17 + ping->number;
}
KEEL_SYSTEM_ONCE(shout, KEEL_UNIQUE_READ(Score, score), KEEL_SEND(Ping, pings)) {
    (void)keel_send(pings, Ping, { score->points });
}
KEEL_SYSTEM_ONCE(seldom, KEEL_UNIQUE_WRITE(Score, score)) { score->points ^= 0x55555555; }
KEEL_WORKLOAD(frame, KEEL_STEP(start, .startup = true), KEEL_STEP(count_changes),
              KEEL_STEP(see_new), KEEL_STEP(grow, .parallel = true), KEEL_STEP(breed),
              KEEL_STEP(pair), KEEL_STEP(climb), KEEL_STEP(hear), KEEL_STEP(shout),
              KEEL_STEP(seldom, .every = 0.3), KEEL_STEP(seldom, .times = 4));

// ------------------------------------------------------------------ a random game
static uint64_t state;
static uint32_t roll(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

typedef struct game {
    api_fixture f;
    keel_reader *reader;
    keel_commands *commands;
    keel_snapshot *often;
} game;

// Somebody, by index; null where nobody is.
static keel_entity anybody(const game *g) { return keel_entity_at(g->f.world, roll(120)); }

static void on_index(const keel_change *event, void *data) {
    (void)data;
    keel_set_unique(event->commands, Score, { keel_entity_index(event->entity) * event->kind });
}

static void populate(game *g, uint32_t workers) {
    api_begin_workers(&g->f, workers);
    keel_world *w = g->f.world;
    const keel_component *const all[] = { // so that all games know them in one order
                                          KEEL_OF(Sparse),
                                          KEEL_OF(Index),
                                          KEEL_OF(Row),
                                          KEEL_OF(Column),
                                          KEEL_OF(Wide),
                                          KEEL_OF(Kept),
                                          KEEL_OF(Loose),
                                          KEEL_OF(Text),
                                          KEEL_OF(TextIndexed),
                                          KEEL_OF(TextRow),
                                          KEEL_OF(Scratch),
                                          KEEL_OF(Moved),
                                          KEEL_OF(Marked),
                                          KEEL_OF(Likes),
                                          KEEL_OF(Docked),
                                          KEEL_OF(PartOf),
                                          KEEL_OF(keel_name),
                                          KEEL_UNIQUE_OF(Score),
                                          KEEL_UNIQUE_OF(TextUnique),
                                          KEEL_EVENT_OF(Ping),
                                          KEEL_EVENT_OF(TextEvent)
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        assert_non_null(keel_register_component(w, all[i]));
    g->reader = keel_reader_create(w, "outside");
    assert_non_null(keel_group_create(w, KEEL_OWNED(Sparse, Text)));
    assert_non_null(keel_group_create(w, KEEL_GET(Row, Kept), KEEL_EXCLUDE(Marked)));
    assert_int_equal(keel_collect(w, Moved, Index, KEEL_ON_INSERTED | KEEL_ON_MODIFIED), KEEL_OK);
    assert_int_equal(keel_observe(w, Index, KEEL_ON_INSERTED | KEEL_ON_DELETED, on_index, NULL),
                     KEEL_OK);
}

static void add_values(game *g, keel_entity e) {
    keel_world *w = g->f.world;
    if (keel_is_null(e)) return;
    switch (roll(10)) {
    case 0:
        (void)keel_add(w, e, Sparse, { roll(1000) });
        break;
    case 1:
        (void)keel_add(w, e, Index, { roll(1000) });
        break;
    case 2:
        (void)keel_add(w, e, Row, { roll(1000) });
        break;
    case 3:
        (void)keel_add(w, e, Column, { { (uint16_t)roll(9) } });
        break;
    case 4:
        (void)keel_add(w, e, Wide, { { roll(1000) } });
        break;
    case 5:
        (void)keel_add(w, e, Loose, { roll(1000) });
        (void)keel_add(w, e, Kept, { roll(1000) });
        break;
    case 6:
        (void)keel_add(w, e, Text, text_of(roll(1000)));
        break;
    case 7:
        (void)keel_add(w, e, TextIndexed, text_of(roll(1000)));
        break;
    case 8:
        (void)keel_add(w, e, TextRow, text_of(roll(1000)));
        break;
    default:
        (void)keel_add(w, e, Marked);
    }
}

static void take_values(game *g, keel_entity e) {
    keel_world *w = g->f.world;
    Sparse out;
    if (keel_is_null(e)) return;
    switch (roll(9)) {
    case 0:
        (void)keel_delete(w, e, Sparse);
        break;
    case 1:
        (void)keel_delete(w, e, Index);
        break;
    case 2:
        (void)keel_delete(w, e, Row);
        break;
    case 3:
        (void)keel_delete(w, e, Text);
        break;
    case 4:
        (void)keel_delete(w, e, TextIndexed);
        break;
    case 5:
        (void)keel_delete(w, e, TextRow);
        break;
    case 6:
        (void)keel_remove(w, e, Sparse, &out);
        break;
    case 7:
        (void)keel_delete(w, e, Marked);
        break;
    default:
        (void)keel_strip(w, e);
    }
}

static void relate_some(game *g) {
    keel_world *w = g->f.world;
    const keel_entity a = anybody(g), b = anybody(g);
    char name[16];
    if (keel_is_null(a) || keel_is_null(b)) return;
    switch (roll(8)) {
    case 6:
        (void)keel_relate(w, a, Docked, b, { roll(100) });
        break;
    case 0:
        (void)keel_relate(w, a, Likes, b);
        break;
    case 1:
        (void)keel_unrelate(w, a, Likes, b);
        break;
    case 2:
        (void)keel_relate(w, a, PartOf, b);
        break;
    case 3:
        (void)keel_attach(w, a, b);
        break;
    case 4:
        (void)keel_detach(w, a);
        break;
    case 5:
        (void)keel_unrelate_all(w, a, Likes);
        break;
    default:
        snprintf(name, sizeof name, "n%u", (unsigned)roll(30));
        (void)keel_set_name(w, a, name);
    }
    keel_clear_errors(w);
}

static void look_and_pass(game *g) {
    keel_world *w = g->f.world;
    uint32_t sum = 0;
    switch (roll(5)) {
    case 0:
        KEEL_EACH(g->reader, KEEL_CHANGED(Sparse), KEEL_READ(Sparse, s))
            sum += s->value;
        KEEL_EACH_REMOVED(g->reader, Text, removal)
            sum += keel_entity_index(removal.entity);
        keel_set_unique(w, Score, { sum });
        keel_reader_advance(g->reader);
        break;
    case 1:
        (void)keel_clear_all_changes(w, KEEL_TRACK_ALL, UINT64_MAX);
        break;
    case 2:
        (void)keel_clear(w, Moved);
        break;
    case 3:
        (void)keel_set_unique(w, TextUnique, text_of(roll(99)));
        break;
    default:
        (void)keel_remove_unique(w, TextUnique);
    }
}

static void step(game *g) {
    keel_world *w = g->f.world;
    const uint32_t what = roll(20);
    keel_entity e;
    if (what < 4) {
        e = keel_add_entity(w, KEEL_INIT(Sparse, { roll(1000) }), KEEL_INIT(Row, { roll(100) }));
        add_values(g, e);
        add_values(g, e);
    } else if (what < 8) add_values(g, anybody(g));
    else if (what < 11) take_values(g, anybody(g));
    else if (what < 12) (void)keel_delete_entity(w, anybody(g));
    else if (what < 14) relate_some(g);
    else if (what < 15) look_and_pass(g);
    else if (what < 16) {
        if (roll(2)) (void)keel_disable(w, anybody(g), TextIndexed);
        else (void)keel_enable(w, anybody(g), TextIndexed);
    } else if (what < 17) {
        (void)keel_send(w, Ping, { roll(100) });
        (void)keel_send(w, TextEvent, text_of(roll(100)));
    } else if (what < 18) {
        e = anybody(g);
        Index *index = keel_get_mut(w, e, Index);
        if (index) index->value = roll(1000);
    } else {
        assert_int_equal(keel_run_workload(w, frame, .dt = 0.1), KEEL_OK);
    }
}

static void check(const game *g) {
    keel_error error;
    if (!keel_world_check(g->f.world, &error)) fail_msg("%s", error.message);
}

// Taken between steps: what was written but not stamped is found by builds that compare it.
static void take_often(game *g) {
    const uint32_t warnings = g->f.log.warnings;
    assert_int_equal(keel_snapshot_take(g->often), KEEL_OK);
    if (g->f.log.warnings != warnings) fail_msg("%s", g->f.log.last);
}

enum { STEPS = 60 };
static void play(game *g, uint64_t *hashes) {
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(g);
        if (i % 3 == 0) take_often(g);
        hashes[i] = keeli_state_hash(g->f.world);
    }
}

static void expect_same(const uint64_t *a, const uint64_t *b, uint32_t round) {
    for (uint32_t i = 0; i < STEPS; ++i)
        if (a[i] != b[i]) fail_msg("round %u: step %u differs", (unsigned)round, (unsigned)i);
}

static void steps_play_again(uint32_t workers, uint32_t rounds) {
    for (uint32_t round = 1; round <= rounds; ++round) {
        game g = { .reader = NULL };
        uint64_t first[STEPS], again[STEPS];
        populate(&g, workers);
        keel_snapshot *snapshot = keel_snapshot_create(g.f.world, "here");
        g.often = keel_snapshot_create(g.f.world, "often");
        state = round * UINT64_C(0x9E3779B97F4A7C15);
        for (uint32_t i = roll(300); i; --i)
            step(&g);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        const uint64_t from = state, before = keeli_state_hash(g.f.world);
        play(&g, first);
        for (uint32_t times = 0; times < 3; ++times) {
            const uint32_t warnings = g.f.log.warnings;
            assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
            if (g.f.log.warnings != warnings) fail_msg("%s", g.f.log.last);
            check(&g);
            if (keeli_state_hash(g.f.world) != before)
                fail_msg("round %u: what was restored differs", (unsigned)round);
            state = from;
            play(&g, again);
            expect_same(first, again, round);
            state = from + times + 1; // others, from a state that may be far from that
            play(&g, again);
            check(&g);
        }
        keel_snapshot_destroy(snapshot);
        keel_snapshot_destroy(g.often);
        keel_reader_destroy(g.reader);
        api_end(&g.f);
        assert_int_equal(live_texts, 0);
    }
}

static void played_again_it_is_the_same(void **unused) {
    (void)unused;
    steps_play_again(1, test_rounds(60));
}
static void and_on_several_threads(void **unused) {
    (void)unused;
    steps_play_again(3, test_rounds(20));
}

// A game in the middle, a snapshot of it, and the game some steps later.
static keel_snapshot *begin_in_the_middle(game *g, uint64_t *then, uint64_t *now) {
    *g = (game){ .reader = NULL };
    populate(g, 1);
    keel_snapshot *snapshot = keel_snapshot_create(g->f.world, "here");
    state = 12345;
    for (uint32_t i = 0; i < 200; ++i)
        step(g);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    *then = keeli_state_hash(g->f.world);
    for (uint32_t i = 0; i < 200; ++i)
        step(g);
    *now = keeli_state_hash(g->f.world);
    assert_int_not_equal(*then, *now);
    return snapshot;
}
static void end(game *g, keel_snapshot *snapshot) {
    keel_snapshot_destroy(snapshot);
    keel_reader_destroy(g->reader);
    api_end(&g->f);
    assert_int_equal(live_texts, 0);
}

// Lets the next allocation, or the next copy, fail.
typedef void fail_next(game *g, uint32_t after);
static void fail_memory(game *g, uint32_t after) {
    if (after != UINT32_MAX) counting_allocator_fail_after(&g->f.memory, after);
    else counting_allocator_never_fail(&g->f.memory);
}
static void fail_copy(game *g, uint32_t after) {
    (void)g;
    copies_left = after;
}

static uint32_t fail_each_time(game *g, keel_snapshot *snapshot, bool takes, fail_next *break_it,
                               keel_result error) {
    keel_world *w = g->f.world;
    const uint64_t before = keeli_state_hash(w);
    uint32_t after = 0;
    for (;; after += (uint32_t)test_stride()) {
        break_it(g, after);
        const keel_result result =
            takes ? keel_snapshot_take(snapshot) : keel_snapshot_restore(snapshot);
        break_it(g, UINT32_MAX);
        if (result == KEEL_OK) return after;
        assert_int_equal(result, error);
        assert_int_equal(keeli_state_hash(w), before);
        check(g);
        keel_clear_errors(w);
    }
}

static void what_fails_changes_nothing(void **unused) {
    (void)unused;
    static fail_next *const failing[] = { fail_memory, fail_copy };
    static const keel_result errors[] = { KEEL_ERROR_MEMORY, KEEL_ERROR_COPY };
    for (uint32_t i = 0; i < 2; ++i) {
        uint64_t then, now;
        game g;
        keel_snapshot *snapshot = begin_in_the_middle(&g, &then, &now);
        assert_true(fail_each_time(&g, snapshot, false, failing[i], errors[i]) > 5);
        assert_int_equal(keeli_state_hash(g.f.world), then);
        for (uint32_t k = 0; k < 200; ++k)
            step(&g);
        now = keeli_state_hash(g.f.world);
        assert_true(fail_each_time(&g, snapshot, true, failing[i], errors[i]) > 5);
        for (uint32_t k = 0; k < 50; ++k)
            step(&g);
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_int_equal(keeli_state_hash(g.f.world), now);
        end(&g, snapshot);
    }
}

// What a take that failed leaves is what was taken before.
static void a_failed_take_keeps_the_old_one(void **unused) {
    (void)unused;
    uint64_t then, now;
    game g;
    keel_snapshot *snapshot = begin_in_the_middle(&g, &then, &now);
    copies_left = 3;
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_ERROR_COPY);
    copies_left = UINT32_MAX;
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_int_equal(keeli_state_hash(g.f.world), then);
    end(&g, snapshot);
}

// What is left alone does not count, and what comes with the rows does.
static void the_hash_is_of_what_comes_back(void **unused) {
    (void)unused;
    static const keel_storage kinds[] = { KEEL_SPARSE_SET, KEEL_INDEXED, KEEL_ARCHETYPE };
    for (uint32_t i = 0; i < 3; ++i) {
        api_fixture f;
        api_begin(&f);
        keel_component as = *KEEL_OF(Scratch);
        as.storage = kinds[i];
        assert_non_null(keel_register_component(f.world, &as));
        const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Scratch, { 1 }));
        const keel_entity b = keel_add_entity(f.world);
        keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        const uint64_t then = keeli_state_hash(f.world);
        assert_int_equal(keel_add(f.world, a, Scratch, { 2 }), KEEL_OK);
        assert_int_equal(keeli_state_hash(f.world) == then, kinds[i] != KEEL_ARCHETYPE);
        assert_int_equal(keel_add(f.world, b, Scratch, { 3 }), KEEL_OK);
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_int_equal(keeli_state_hash(f.world), then);
        keel_snapshot_destroy(snapshot);
        api_end(&f);
    }
}

// A world keeps what it needs for the next run of a system: that is no part of a snapshot, and must
// not be seen.
static void first_runs_are_like_later_ones(void **unused) {
    (void)unused;
    static const keel_system *const systems[] = { &KEEL_SYSTEM_grow, &KEEL_SYSTEM_count_changes,
                                                  &KEEL_SYSTEM_pair, &KEEL_SYSTEM_see_new,
                                                  &KEEL_SYSTEM_climb };
    for (uint32_t parallel = 0; parallel < 2; ++parallel)
        for (uint32_t i = 0; i < sizeof systems / sizeof *systems; ++i) {
            game g = { .reader = NULL };
            uint64_t hashes[3];
            populate(&g, 1 + parallel);
            keel_snapshot *snapshot = keel_snapshot_create(g.f.world, "before");
            assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
            for (uint32_t times = 0; times < 3; ++times) {
                const keel_run_desc desc = { .parallel = parallel && !i };
                assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
                assert_int_equal(keel_run_system(g.f.world, systems[i], &desc), KEEL_OK);
                hashes[times] = keeli_state_hash(g.f.world);
                assert_true(hashes[times] == hashes[0]);
            }
            end(&g, snapshot);
        }
}

static const struct CMUnitTest tests[] = {
    TEST(the_hash_is_of_what_comes_back, "the hash of the state is of what comes back"),
    TEST(what_fails_changes_nothing, "each allocation and each copy fails once: nothing changed"),
    TEST(a_failed_take_keeps_the_old_one, "a take that fails leaves what was taken before"),
    TEST(played_again_it_is_the_same, "a world that was restored plays on as it did"),
    TEST(first_runs_are_like_later_ones, "the first run of a system is like later ones"),
    TEST(and_on_several_threads, "and on several threads"),
};
int main(void) { return RUN(tests); }
