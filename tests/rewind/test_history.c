// SPDX-License-Identifier: MIT
// A random game is pushed, taken back and forward. The hash of the whole state at each push is what
// has to come back, whatever happened in between; and what is played from there on is the same.
#include "random_game.h"

enum { STEPS_AT_MOST = 64 };

// What the history should have: a hash for each state that can be reached.
typedef struct past {
    keel_history *history;
    uint64_t hashes[STEPS_AT_MOST], seeds[STEPS_AT_MOST];
    uint32_t count, at; // states; the one that the history is at
} past;

static void begin(game *g, past *p, uint32_t workers, size_t max_bytes) {
    *g = (game){ .reader = NULL };
    *p = (past){ .history = NULL };
    populate(g, workers);
    p->history = keel_history_create(g->f.world, max_bytes);
    assert_non_null(p->history);
}
static void end(game *g, past *p) {
    keel_history_destroy(p->history);
    keel_reader_destroy(g->reader);
    api_end(&g->f);
    assert_int_equal(live_texts, 0);
}

static void play_some(game *g, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i)
        step(g);
}

static void note_push(const game *g, past *p) {
    if (p->count) ++p->at;
    if (p->at == STEPS_AT_MOST) { // the test forgets one; the history may have it still
        memmove(p->hashes, p->hashes + 1, (STEPS_AT_MOST - 1) * sizeof *p->hashes);
        memmove(p->seeds, p->seeds + 1, (STEPS_AT_MOST - 1) * sizeof *p->seeds);
        --p->at;
    }
    p->hashes[p->at] = keeli_state_hash(g->f.world);
    p->seeds[p->at] = state;
    p->count = p->at + 1;
    assert_int_equal(keel_history_ahead(p->history), 0);
}

static void expect_state(const game *g, const past *p, const char *when) {
    if (keeli_state_hash(g->f.world) != p->hashes[p->at]) fail_msg("%s: another state", when);
    check(g);
}

static void push(const game *g, past *p) {
    const uint32_t warnings = g->f.log.warnings;
    const uint64_t before = keeli_state_hash(g->f.world);
    assert_int_equal(keel_history_push(p->history), KEEL_OK);
    if (g->f.log.warnings != warnings) fail_msg("%s", g->f.log.last);
    note_push(g, p);
    assert_true(before == p->hashes[p->at]);
}

static void back(const game *g, past *p) {
    const uint64_t before = keeli_state_hash(g->f.world);
    const keel_result result = keel_history_back(p->history);
    if (keel_history_behind(p->history) == 0 && result == KEEL_ABSENT) {
        assert_int_equal(keeli_state_hash(g->f.world), before);
        return;
    }
    assert_int_equal(result, KEEL_OK);
    if (!p->at) fail_msg("one step too many");
    --p->at;
    expect_state(g, p, "back");
}

static void forward(const game *g, past *p) {
    const bool any = p->at + 1 < p->count;
    assert_int_equal(keel_history_forward(p->history), any ? KEEL_OK : KEEL_ABSENT);
    if (!any) return;
    ++p->at;
    expect_state(g, p, "forward");
}

static void come_and_go(uint32_t workers, uint32_t rounds) {
    for (uint32_t round = 1; round <= rounds; ++round) {
        game g;
        past p;
        begin(&g, &p, workers, SIZE_MAX);
        state = round * UINT64_C(0x9E3779B97F4A7C15);
        play_some(&g, roll(200));
        assert_int_equal(keel_history_back(p.history), KEEL_ABSENT);
        for (uint32_t i = 0; i < 60; ++i) {
            const uint32_t what = roll(10);
            if (what < 4 && p.at + 1 < STEPS_AT_MOST) {
                play_some(&g, roll(3) ? roll(6) : roll(60));
                push(&g, &p);
            } else if (what < 7) back(&g, &p);
            else if (what < 9) forward(&g, &p);
            else if (p.count) {
                play_some(&g, 1 + roll(20)); // not pushed, so it is lost
                if (p.at) back(&g, &p);
                else forward(&g, &p);
            }
            assert_int_equal(keel_history_ahead(p.history), p.count ? p.count - 1 - p.at : 0);
            assert_int_equal(keel_history_behind(p.history), p.at);
        }
        assert_int_equal(keel_history_behind(p.history), p.at);
        while (p.at)
            back(&g, &p);
        while (p.at + 1 < p.count)
            forward(&g, &p);
        if (round % 2) end(&g, &p);
        else { // after the world
            keel_reader_destroy(g.reader);
            keel_world_destroy(g.f.world);
            keel_history_destroy(p.history);
            assert_int_equal(g.f.memory.live_bytes, 0);
            assert_int_equal(live_texts, 0);
        }
    }
}

static void each_state_comes_back(void **unused) {
    (void)unused;
    come_and_go(1, test_rounds(150));
}
static void and_on_several_threads(void **unused) {
    (void)unused;
    come_and_go(3, test_rounds(20));
}

// From any state on the same steps lead to the same states.
static void played_again_it_is_the_same(void **unused) {
    (void)unused;
    for (uint32_t round = 1; round <= test_rounds(20); ++round) {
        enum { PUSHES = 20, EACH = 7 };
        game g;
        past p;
        begin(&g, &p, 1, SIZE_MAX);
        state = round;
        play_some(&g, 100);
        for (uint32_t i = 0; i < PUSHES; ++i) {
            push(&g, &p);
            play_some(&g, EACH);
        }
        push(&g, &p);
        for (uint32_t times = 0; times < 8; ++times) {
            const uint32_t to = roll(PUSHES);
            while (p.at > to || (p.at == to && to))
                back(&g, &p);
            if (!to) forward(&g, &p), back(&g, &p);
            while (p.at < to)
                forward(&g, &p);
            state = p.seeds[to];
            play_some(&g, EACH);
            if (keeli_state_hash(g.f.world) != p.hashes[to + 1])
                fail_msg("round %u: played again from %u it differs", (unsigned)round,
                         (unsigned)to);
        }
        end(&g, &p);
    }
}

// ------------------------------------------------------------------ what fails
typedef void fail_next(game *g, uint32_t after);
static void fail_memory(game *g, uint32_t after) {
    if (after != UINT32_MAX) counting_allocator_fail_after(&g->f.memory, after);
    else counting_allocator_never_fail(&g->f.memory);
}
static void fail_memory_once(game *g, uint32_t after) {
    if (after != UINT32_MAX) counting_allocator_fail_once(&g->f.memory, after);
    else counting_allocator_never_fail(&g->f.memory);
}
static void fail_copy(game *g, uint32_t after) {
    (void)g;
    copies_left = after;
}

static uint32_t fail_each_time(game *g, const char *what, keel_result (*call)(keel_history *),
                               past *p, fail_next *break_it, keel_result error) {
    const uint64_t before = keeli_state_hash(g->f.world);
    const uint32_t behind = keel_history_behind(p->history), ahead = keel_history_ahead(p->history);
    for (uint32_t after = 0;; after += (uint32_t)test_stride()) {
        break_it(g, after);
        const keel_result result = call(p->history);
        break_it(g, UINT32_MAX);
        if (result == KEEL_OK) return after;
        assert_int_equal(result, error);
        if (keeli_state_hash(g->f.world) != before)
            fail_msg("%s after %u: it changed", what, (unsigned)after);
        assert_int_equal(keel_history_behind(p->history), behind);
        assert_int_equal(keel_history_ahead(p->history), ahead);
        check(g);
        keel_clear_errors(g->f.world);
    }
}

static void what_fails_changes_nothing(void **unused) {
    (void)unused;
    static fail_next *const failing[] = { fail_memory, fail_memory_once, fail_copy };
    static const keel_result errors[] = { KEEL_ERROR_MEMORY, KEEL_ERROR_MEMORY, KEEL_ERROR_COPY };
    for (uint32_t i = 0; i < 3; ++i) {
        game g;
        past p;
        begin(&g, &p, 1, SIZE_MAX);
        state = 777 + i;
        play_some(&g, 150);
        if (i) (void)fail_each_time(&g, "push", keel_history_push, &p, failing[i], errors[i]);
        else push(&g, &p);
        if (i) note_push(&g, &p);
        for (uint32_t k = 0; k < 4; ++k) {
            play_some(&g, 30);
            push(&g, &p);
        }
        back(&g, &p);
        back(&g, &p);
        back(&g, &p);
        play_some(&g, 60); // what comes now is pushed while others lie ahead
        assert_true(fail_each_time(&g, "push", keel_history_push, &p, failing[i], errors[i]) > 5);
        note_push(&g, &p);
        (void)fail_each_time(&g, "back", keel_history_back, &p, failing[i], errors[i]);
        --p.at;
        expect_state(&g, &p, "back");
        (void)fail_each_time(&g, "forward", keel_history_forward, &p, failing[i], errors[i]);
        ++p.at;
        expect_state(&g, &p, "forward");
        assert_int_equal(keel_history_behind(p.history), p.at);
        while (p.at)
            back(&g, &p);
        while (p.at + 1 < p.count)
            forward(&g, &p);
        end(&g, &p);
    }
}

// A push that fails while steps lie ahead leaves them.
static void a_failed_push_leaves_what_lies_ahead(void **unused) {
    (void)unused;
    game g;
    past p;
    begin(&g, &p, 1, SIZE_MAX);
    state = 4711;
    play_some(&g, 200);
    for (uint32_t k = 0; k < 5; ++k) {
        push(&g, &p);
        play_some(&g, 40);
    }
    push(&g, &p);
    back(&g, &p);
    back(&g, &p);
    back(&g, &p);
    for (uint32_t after = 0; after < 200; after += 3) {
        play_some(&g, 5);
        if (keel_history_ahead(p.history) == 0) break;
        counting_allocator_fail_after(&g.f.memory, after);
        const keel_result result = keel_history_push(p.history);
        counting_allocator_never_fail(&g.f.memory);
        if (result == KEEL_OK) {
            note_push(&g, &p);
            break;
        }
        forward(&g, &p);
        forward(&g, &p);
        back(&g, &p);
        back(&g, &p);
    }
    assert_int_equal(keel_history_behind(p.history), p.at);
    while (p.at)
        back(&g, &p);
    while (p.at + 1 < p.count)
        forward(&g, &p);
    end(&g, &p);
}

// ------------------------------------------------------------------ bytes
static void the_oldest_go(void **unused) {
    (void)unused;
    game g;
    past p;
    begin(&g, &p, 1, 6500000);
    state = 99;
    play_some(&g, 100);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < test_rounds(200); ++i) {
        play_some(&g, 10);
        push(&g, &p);
        const uint32_t behind = keel_history_behind(p.history);
        if (behind) assert_true(keel_history_bytes(p.history) <= 6500000);
        if (behind > most) most = behind;
        if (i > 50 && behind < least) least = behind;
        if (i % 20 == 19)
            for (uint32_t k = roll(10); k; --k)
                back(&g, &p);
    }
    assert_true(most >= 2 && most < 200);
    end(&g, &p);
    begin(&g, &p, 1, 0); // the state alone
    push(&g, &p);
    play_some(&g, 10);
    const uint32_t warnings = g.f.log.warnings;
    for (int i = 0; i < 3; ++i) // who undoes nothing hears of it, once
        assert_int_equal(keel_history_push(p.history), KEEL_OK);
    assert_int_equal(g.f.log.warnings, warnings + 1);
    assert_non_null(strstr(g.f.log.last, "a history of 0 bytes keeps no step"));
    assert_int_equal(keel_history_behind(p.history), 0);
    assert_int_equal(keel_history_back(p.history), KEEL_ABSENT);
    end(&g, &p);
}

typedef struct Big {
    uint32_t words[8];
} Big;
typedef Big BigIndexed;
typedef Big BigRow;
KEEL_COMPONENT(Big, .no_padding = true);
KEEL_COMPONENT(BigIndexed, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(BigRow, .no_padding = true, .storage = KEEL_ARCHETYPE);

static size_t added_by_push(keel_history *history) {
    const size_t before = keel_history_bytes(history);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    return keel_history_bytes(history) - before;
}

static void a_step_holds_what_changed(void **unused) {
    (void)unused;
    enum { COUNT = 20000 };
    static keel_entity list[COUNT];
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < COUNT; ++i) {
        list[i] = keel_add_entity(f.world, KEEL_INIT(Big, { { i } }),
                                  KEEL_INIT(BigIndexed, { { i } }), KEEL_INIT(BigRow, { { i } }));
        char name[16];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        if (i < 2000) assert_int_equal(keel_set_name(f.world, list[i], name), KEEL_OK);
        if (i % 100 == 1) assert_int_equal(keel_relate(f.world, list[i], Likes, list[0]), KEEL_OK);
    }
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    (void)added_by_push(history); // tables of ticks, and the like
    assert_true(added_by_push(history) < 1024);
    for (uint32_t i = 0; i < COUNT / 100; ++i) {
        keel_get_mut(f.world, list[i + 500], Big)->words[1] += 1;
        keel_get_mut(f.world, list[i + 500], BigIndexed)->words[1] += 1;
        keel_get_mut(f.world, list[i + 500], BigRow)->words[1] += 1;
    }
    const size_t one = COUNT / 100 * 3 * sizeof(Big), neighbours = added_by_push(history);
    assert_true(neighbours >= one && neighbours < one * 3 / 2);
    const uint64_t then = keeli_state_hash(f.world);
    for (uint32_t i = 0; i < COUNT; i += 100)
        keel_get_mut(f.world, list[i], BigIndexed)->words[1] += 1;
    assert_true(added_by_push(history) < COUNT / 100 * 128);
    for (uint32_t i = 0; i < 10; ++i)
        (void)keel_delete_entity(f.world, list[i * 1000 + 10000 - 9]);
    assert_true(added_by_push(history) < 300000);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_true(keeli_state_hash(f.world) == then);
    keel_history_destroy(history);
    api_end(&f);
}

// ------------------------------------------------------------------ components
typedef struct Late {
    uint32_t value;
} Late;
KEEL_COMPONENT(Late, .no_padding = true);

static void components_come_in_between(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Sparse, { 1 }));
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_replace(f.world, e, Sparse, { 2 }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Late, { 3 }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    for (uint32_t round = 0; round < 3; ++round) {
        assert_int_equal(keel_history_back(history), KEEL_OK);
        assert_null(keel_get(f.world, e, Late));
        assert_int_equal(keel_get(f.world, e, Sparse)->value, 2);
        assert_int_equal(keel_history_back(history), KEEL_OK);
        assert_int_equal(keel_get(f.world, e, Sparse)->value, 1);
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_int_equal(keel_get(f.world, e, Late)->value, 3);
    }
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Late)), KEEL_OK);
    assert_int_equal(keel_history_back(history), KEEL_OK); // it had none
    const uint64_t now = keeli_state_hash(f.world);
    assert_int_equal(keel_history_forward(history), KEEL_OK);
    assert_int_equal(keel_history_forward(history), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_get(f.world, e, Sparse)->value, 2);
    assert_int_equal(keel_history_ahead(history), 1);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_true(keeli_state_hash(f.world) == now);
    keel_history_destroy(history);
    api_end(&f);
}

static void one_that_went_takes_the_past_along(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Late, { 1 }));
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Sparse, { 2 }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Late)), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_history_behind(history), 0);
    assert_int_equal(keel_replace(f.world, e, Sparse, { 3 }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Sparse)->value, 2);
    keel_history_destroy(history);
    api_end(&f);
}

// ------------------------------------------------------------------ what is refused
static void on_restore(keel_world *world, void *data) {
    (void)world;
    ++*(uint32_t *)data;
}

static void it_is_refused_where_a_snapshot_is(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    uint32_t restored = 0;
    assert_int_equal(keel_on_restore(f.world, on_restore, &restored), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Sparse, { 1 }));
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_replace(f.world, e, Sparse, { 2 }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    keel_view view;
    const keel_term terms[] = { { .component = KEEL_OF(Sparse), .kind = KEEL_TERM_READ },
                                { .kind = KEEL_TERM_END } };
    assert_int_equal(keel_view_begin(&view, f.world, terms, "here"), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "a step of a history is pushed while here is open;");
    assert_int_equal(keel_history_back(history), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "a history goes back while here is open; end it");
    assert_int_equal(keel_history_forward(history), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    keel_commands *commands = keel_world_commands(f.world);
    (void)keel_replace(commands, e, Sparse, { 3 });
    assert_int_equal(keel_history_push(history), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_history_back(history), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(restored, 0);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_int_equal(restored, 1);
    assert_int_equal(keel_get(f.world, e, Sparse)->value, 1);
    keel_world_destroy(f.world);
    assert_int_equal(keel_history_push(history), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_history_forward(history), KEEL_ERROR_SNAPSHOT);
    keel_history_destroy(history);
    assert_int_equal(f.memory.live_bytes, 0);
    assert_int_equal(keel_history_behind(NULL), 0);
    assert_int_equal(keel_history_ahead(NULL), 0);
    assert_int_equal(keel_history_bytes(NULL), 0);
    keel_history_destroy(NULL);
}

typedef struct Mover {
    struct Mover *self;
} Mover;
static void mover_move(void *to, void *from, void *data) {
    (void)from;
    (void)data;
    ((Mover *)to)->self = to;
}
KEEL_COMPONENT(Mover, .move = mover_move);

static void a_move_hook_is_refused(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Sparse, { 1 }));
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Mover, { NULL }), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_ERROR_COPY);
    assert_non_null(strstr(keel_last_error(f.world)->message, "'Mover' has a move hook"));
    assert_int_equal(keel_delete(f.world, e, Mover), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    keel_history_destroy(history);
    api_end(&f);
}

// What comes after going back comes to where something lies ahead.
static void another_one_in_the_same_place(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    (void)keel_add_entity(f.world, KEEL_INIT(Kept, { 1 }), KEEL_INIT(Column, { { 1 } }));
    assert_int_equal(keel_history_push(history), KEEL_OK);
    const keel_entity b =
        keel_add_entity(f.world, KEEL_INIT(Kept, { 2 }), KEEL_INIT(Column, { { 2 } }));
    assert_int_equal(keel_history_push(history), KEEL_OK);
    for (uint16_t i = 0; i < 4; ++i) {
        assert_int_equal(keel_history_back(history), KEEL_OK);
        if (i % 2) (void)keel_add_entity(f.world); // the next one has another handle
        const keel_entity c =
            keel_add_entity(f.world, KEEL_INIT(Kept, { 30u + i }), KEEL_INIT(Column, { { 9 } }));
        assert_int_equal(keel_is_same(b, c), i % 2 == 0);
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_int_equal(keel_is_alive(f.world, c), i % 2 == 0);
        assert_int_equal(keel_get(f.world, b, Kept)->value, 2);
        assert_int_equal(keel_get(f.world, b, Column)->value[0], 2);
    }
    keel_history_destroy(history);
    api_end(&f);
}

// What an edge owns goes with it, and comes back with it.
typedef Text Bond;
KEEL_VALUED_RELATION(Bond, OWNS_TEXT, .exclusive = true);
static void values_of_edges_come_back(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    const Text first = text_of(1), second = text_of(2);
    assert_int_equal(keel_relate_component(f.world, a, KEEL_OF(Bond), b, &first), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_relate_component(f.world, a, KEEL_OF(Bond), b, &second), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    assert_int_equal(keel_unrelate(f.world, a, Bond, b), KEEL_OK);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    for (int twice = 0; twice < 2; ++twice) {
        assert_int_equal(keel_history_back(history), KEEL_OK);
        assert_string_equal(keel_get(f.world, a, Bond)->text, "text 2");
        assert_int_equal(keel_history_back(history), KEEL_OK);
        assert_string_equal(keel_get(f.world, a, Bond)->text, "text 1");
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_int_equal(keel_history_forward(history), KEEL_OK);
        assert_null(keel_get(f.world, a, Bond));
    }
    keel_history_destroy(history);
    api_end(&f);
    assert_int_equal(live_texts, 0);
}

static void disabled_values_come_back(void **unused) {
    (void)unused;
    api_fixture f;
    api_begin(&f);
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    keel_entity list[3];
    uint64_t hashes[4];
    for (uint32_t i = 0; i < 3; ++i)
        list[i] = keel_add_entity(f.world, KEEL_INIT(Sparse, { i }), KEEL_INIT(Index, { i }),
                                  KEEL_INIT(Row, { i }));
    for (uint32_t i = 0; i < 4; ++i) {
        if (i) {
            (void)keel_disable(f.world, list[i - 1], Sparse);
            (void)keel_disable(f.world, list[i - 1], Index);
            (void)keel_disable(f.world, list[i - 1], Row);
        }
        if (i == 2) { // written, and disabled again
            (void)keel_enable(f.world, list[0], Index);
            keel_get_mut(f.world, list[0], Index)->value = 77;
            (void)keel_disable(f.world, list[0], Index);
        }
        hashes[i] = keeli_state_hash(f.world);
        assert_int_equal(keel_history_push(history), KEEL_OK);
    }
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t i = 3; i--;) {
            assert_int_equal(keel_history_back(history), KEEL_OK);
            assert_true(keeli_state_hash(f.world) == hashes[i]);
        }
        for (uint32_t i = 1; i < 4; ++i) {
            assert_int_equal(keel_history_forward(history), KEEL_OK);
            assert_true(keeli_state_hash(f.world) == hashes[i]);
        }
    }
    keel_history_destroy(history);
    api_end(&f);
}

// After years of taking.
static void epochs_begin_anew(void **unused) {
    (void)unused;
    game g;
    past p;
    begin(&g, &p, 1, SIZE_MAX);
    state = 5;
    play_some(&g, 100);
    push(&g, &p);
    g.f.world->epoch = UINT32_MAX - 20;
    for (uint32_t i = 0; i < 30; ++i) {
        play_some(&g, 3);
        push(&g, &p);
        if (i % 5 == 4)
            for (uint32_t k = 0; k < 4; ++k)
                back(&g, &p);
    }
    assert_true(g.f.world->epoch < 100);
    assert_int_equal(keel_history_behind(p.history), p.at);
    while (p.at)
        back(&g, &p);
    while (p.at + 1 < p.count)
        forward(&g, &p);
    end(&g, &p);
}

KEEL_RELATION(Knows);
KEEL_RELATION(Leads, .exclusive = true);

// 50,000 edges lie there: a step holds one, and the lists that it lengthened.
static void a_step_holds_the_edge_that_came(void **unused) {
    (void)unused;
    enum { EDGES = 50000 };
    static keel_entity list[EDGES];
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < EDGES; ++i) {
        list[i] = keel_add_entity(f.world);
        for (uint32_t k = 1; k < 4 && i > 3 && i < EDGES - 9; ++k)
            assert_int_equal(keel_relate(f.world, list[i], Knows, list[i - k]), KEEL_OK);
        if (i % 2) assert_int_equal(keel_relate(f.world, list[i], Leads, list[0]), KEEL_OK);
    }
    keel_history *history = keel_history_create(f.world, SIZE_MAX);
    assert_int_equal(keel_history_push(history), KEEL_OK);
    (void)added_by_push(history);
    const uint64_t then = keeli_state_hash(f.world);
    assert_int_equal(keel_relate(f.world, list[7], Knows, list[EDGES - 1]), KEEL_OK);
    const size_t one = added_by_push(history);
    if (one >= 8192) fail_msg("%zu bytes", one);
    assert_int_equal(keel_relate(f.world, list[8], Leads, list[1]), KEEL_OK);
    assert_int_equal(keel_unrelate(f.world, list[9], Leads, list[0]), KEEL_OK);
    const size_t two = added_by_push(history);
    if (two >= 8192) fail_msg("%zu bytes", two);
    const uint64_t now = keeli_state_hash(f.world);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_int_equal(keel_history_back(history), KEEL_OK);
    assert_true(keeli_state_hash(f.world) == then);
    assert_true(keel_world_check(f.world, NULL));
    assert_int_equal(keel_history_forward(history), KEEL_OK);
    assert_int_equal(keel_history_forward(history), KEEL_OK);
    assert_true(keeli_state_hash(f.world) == now);
    keel_history_destroy(history);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_step_holds_the_edge_that_came, "a step holds the edge that came, not all edges"),
    TEST(each_state_comes_back, "each state that was pushed comes back, in both directions"),
    TEST(and_on_several_threads, "and on several threads"),
    TEST(played_again_it_is_the_same, "a world that went back plays on as it did"),
    TEST(what_fails_changes_nothing, "each allocation and each copy fails once: nothing changed"),
    TEST(a_failed_push_leaves_what_lies_ahead, "a push that fails leaves what lies ahead"),
    TEST(the_oldest_go, "the oldest steps go where there are too many bytes"),
    TEST(a_step_holds_what_changed, "a step holds what changed"),
    TEST(components_come_in_between, "components come in between"),
    TEST(one_that_went_takes_the_past_along, "a component that went takes the past along"),
    TEST(it_is_refused_where_a_snapshot_is, "what refuses a snapshot refuses a history"),
    TEST(a_move_hook_is_refused, "a component with a move hook is refused"),
    TEST(another_one_in_the_same_place, "what came instead of what lies ahead is not taken for it"),
    TEST(values_of_edges_come_back, "values of edges come back"),
    TEST(disabled_values_come_back, "disabled values come back"),
    TEST(epochs_begin_anew, "epochs that are used up begin anew"),
};
int main(void) { return RUN(tests); }
