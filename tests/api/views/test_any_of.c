// SPDX-License-Identifier: MIT
// Views with KEEL_ANY_OF visit what a loop visits that asks each entity by hand, each once,
// whatever leads: in random worlds, with components of all storages, on any number of workers.
#include "support/api_fixture.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1200, WORLDS = 12, VIEWS = 60, KINDS = 3, OF_KIND = 6, WORKERS = 3 };
static const uint32_t worker_counts[WORKERS] = { 1, 2, 4 };

static keel_component components[KINDS * OF_KIND];
static char names[KINDS * OF_KIND][16];
static keel_entity all[COUNT];
static api_fixture f;

static uint32_t random_state;
static uint32_t random_below(uint32_t end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

// The first of each storage is common, the others are rare, or nobody has them.
static bool has_at_random(uint32_t number) {
    static const uint32_t one_in[OF_KIND] = { 1, 3, 40, 100, 400, UINT32_MAX };
    return random_below(one_in[number % OF_KIND]) == 0;
}

static void shuffle(void) {
    for (uint32_t i = COUNT - 1; i > 0; --i) {
        const uint32_t other = random_below(i + 1);
        const keel_entity e = all[i];
        all[i] = all[other];
        all[other] = e;
    }
}

static void give(const keel_component *component, uint32_t number) {
    static keel_entity some[COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; ++i)
        if (has_at_random(number)) some[count++] = all[i];
    assert_true(keel_add_component_to_many(f.world, some, count, component, NULL, 0) >= 0);
}

// Begin a world whose changes are followed, and in which some values have changed.
static void begin_world(uint32_t workers, uint32_t seed) {
    random_state = seed;
    api_begin_workers(&f, workers);
    assert_int_equal(keel_add_entities(f.world, COUNT, all), KEEL_OK);
    if (seed % 2) shuffle();
    for (uint32_t i = 0; i < KINDS * OF_KIND; ++i) {
        snprintf(names[i], sizeof names[i], "Any%u", (unsigned)i);
        components[i] = (keel_component){
            .name = names[i], .size = 4, .align = 4, .storage = (keel_storage)(i / OF_KIND)
        };
        give(&components[i], i);
    }
    for (uint32_t i = 0; i < KINDS * OF_KIND; i += OF_KIND) {
        const keel_term terms[] = { { .kind = KEEL_TERM_CHANGED, .component = &components[i] },
                                    { .kind = KEEL_TERM_END } };
        keel_view view;
        assert_int_equal(keel_view_begin(&view, f.world, terms, "changes"), KEEL_OK);
        keel_view_end(&view);
    }
    keel_clear_all_changes(f.world, KEEL_TRACK_ALL, keel_tick(f.world));
    for (uint32_t i = 0; i < COUNT; i += 1 + random_below(seed % 3 ? 4 : 90))
        (void)keel_mark_component(f.world, all[i], &components[i % KINDS * OF_KIND]);
}

// ------------------------------------------------------------------ a view at random
typedef struct random_view {
    keel_term terms[8]; // the terms of KEEL_ANY_OF are the last
    uint32_t count, first_any;
    const keel_component *others[2][4];
} random_view;

static const keel_component *rare(void) {
    return &components[random_below(KINDS) * OF_KIND + 1 + random_below(OF_KIND - 1)];
}
static const keel_component *common(void) { return &components[random_below(KINDS) * OF_KIND]; }

static void add_term(random_view *v, keel_term_kind kind, const keel_component *component) {
    v->terms[v->count++] = (keel_term){ .kind = kind, .component = component };
}

static void add_any(random_view *v, uint32_t number) {
    const uint32_t more = random_below(3);
    for (uint32_t i = 0; i < more; ++i)
        v->others[number][i] = rare();
    add_term(v, KEEL_TERM_ANY_OF, rare());
    v->terms[v->count - 1].others = v->others[number];
}

static void make_view(random_view *v) {
    static const keel_term_kind changes[] = { KEEL_TERM_MODIFIED, KEEL_TERM_CHANGED,
                                              KEEL_TERM_NOT_MODIFIED, KEEL_TERM_NOT_CHANGED };
    memset(v, 0, sizeof *v);
    add_term(v, KEEL_TERM_ENTITY, NULL);
    if (random_below(4)) add_term(v, KEEL_TERM_READ, common());
    if (random_below(4) == 0) add_term(v, KEEL_TERM_WITH, common());
    if (random_below(3) == 0) add_term(v, KEEL_TERM_WITHOUT, rare());
    if (random_below(3) == 0) add_term(v, changes[random_below(4)], common());
    v->first_any = v->count;
    add_any(v, 0);
    if (random_below(3) == 0) add_any(v, 1);
}

// ------------------------------------------------------------------ the same by hand
static bool has_any(keel_entity e, const keel_term *term) {
    bool any = keel_has_component(f.world, e, term->component);
    for (uint32_t i = 0; term->others[i]; ++i)
        any |= keel_has_component(f.world, e, term->others[i]);
    return any;
}

static bool passes(const random_view *v, keel_entity e) {
    for (uint32_t t = v->first_any; t < v->count; ++t)
        if (!has_any(e, &v->terms[t])) return false;
    return true;
}

static bool expected[COUNT]; // by index
static atomic_uchar visited[COUNT];
static uint32_t expected_count;

// Which entities a view without these terms visits that have one of each.
static void filter_by_hand(const random_view *v) {
    random_view without = *v;
    without.terms[v->first_any] = (keel_term){ .kind = KEEL_TERM_END };
    keel_view view;
    keel_iterator it;
    keel_span span;
    memset(expected, 0, sizeof expected);
    expected_count = 0;
    assert_int_equal(keel_view_begin(&view, f.world, without.terms, "by hand"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i) {
            const bool is_one = passes(v, span.entities[i]);
            expected[keel_entity_index(span.entities[i])] = is_one;
            expected_count += is_one;
        }
    keel_view_end(&view);
}

static void assert_visited(void) {
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(atomic_load(&visited[i]), expected[i]);
    memset(visited, 0, sizeof visited);
}

static bool is_led_by_any(const keel_view *view) {
    char text[2000];
    assert_true(keel_view_explain(view, text, sizeof text) < sizeof text);
    return strstr(text, "leader: presence bits of any of") != NULL;
}

// Whether several led; then indices ascend.
static bool walk(const keel_view *view) {
    const bool is_led = is_led_by_any(view);
    keel_iterator it;
    keel_span span;
    uint32_t last = 0, count = 0;
    assert_int_equal(keel_iterator_begin(&it, view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i) {
            const uint32_t index = keel_entity_index(span.entities[i]);
            assert_true(index < COUNT);
            if (index >= COUNT) continue; // compilers do not know that the line above ends the test
            assert_true(!is_led || !count++ || index > last);
            atomic_fetch_add(&visited[last = index], 1);
        }
    assert_visited();
    return is_led;
}

static void visit_span(const keel_span *span, const keel_piece *piece, void *data) {
    (void)piece, (void)data;
    for (uint32_t i = 0; i < span->count; ++i)
        atomic_fetch_add(&visited[keel_entity_index(span->entities[i])], 1);
}

// How many views of a random world several components lead.
static uint32_t compare_views(void) {
    uint32_t led = 0;
    for (uint32_t n = 0; n < VIEWS; ++n) {
        random_view v;
        keel_view view;
        make_view(&v);
        filter_by_hand(&v);
        assert_int_equal(keel_view_begin(&view, f.world, v.terms, "any of"), KEEL_OK);
        led += walk(&view);
        assert_int_equal(keel_view_count(&view), expected_count);
        assert_int_equal(keel_view_parallel_for(&view, visit_span, NULL), KEEL_OK);
        assert_visited();
        keel_view_end(&view);
    }
    return led;
}

static void views_visit_what_loops_by_hand_visit(void **state) {
    (void)state;
    for (uint32_t world = 0; world < WORLDS; ++world) {
        uint32_t led[WORKERS];
        for (uint32_t w = 0; w < WORKERS; ++w) {
            begin_world(worker_counts[w], world + 1);
            led[w] = compare_views();
            assert_int_equal(led[w], led[0]);
            assert_true(led[w] > VIEWS / 5 && led[w] < VIEWS);
            api_end(&f);
        }
    }
}

// ------------------------------------------------------------------ systems
typedef struct Body {
    uint32_t visits;
} Body;
typedef struct Fire {
    uint32_t value;
} Fire;
typedef struct Ice {
    uint32_t value;
} Ice;
KEEL_COMPONENT(Body);
KEEL_COMPONENT(Fire);
KEEL_COMPONENT(Ice, .storage = KEEL_INDEXED);

static keel_entity burnt[COUNT];
static uint32_t burnt_count;
KEEL_SYSTEM(burn, KEEL_WRITE(Body, body), KEEL_ANY_OF(Fire, Ice), KEEL_ENTITY(e)) {
    ++body->visits;
    burnt[burnt_count++] = e;
}

KEEL_WORKLOAD(burning, KEEL_STEP(burn)); // which keeps its plans

// It visits what a loop visits that is begun anew, in the same order.
static void run_burn(void) {
    uint32_t at = 0;
    burnt_count = 0;
    assert_int_equal(keel_run_workload(f.world, burning), KEEL_OK);
    KEEL_EACH(f.world, KEEL_READ(Body, body), KEEL_ANY_OF(Fire, Ice), KEEL_ENTITY(e)) {
        (void)body;
        assert_true(at < burnt_count && keel_is_same(e, burnt[at]));
        ++at;
    }
    assert_int_equal(at, burnt_count);
}

static bool burn_is_led_by_any(void) {
    keel_view view;
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Body) },
                                { .kind = KEEL_TERM_ANY_OF,
                                  .component = KEEL_OF(Fire),
                                  .others = (const keel_component *const[]){ KEEL_OF(Ice), NULL } },
                                { .kind = KEEL_TERM_END } };
    assert_int_equal(keel_view_begin(&view, f.world, terms, "burn"), KEEL_OK);
    const bool is_led = is_led_by_any(&view);
    keel_view_end(&view);
    return is_led;
}

// It chooses anew in each run, as more and more have one of them, and then fewer.
static void a_system_that_runs_again_chooses_anew(void **state) {
    (void)state;
    uint32_t visits[COUNT] = { 0 }, turns = 0;
    bool was_led = true;
    api_begin(&f);
    random_state = 5;
    assert_int_equal(keel_add_entities(f.world, COUNT, all), KEEL_OK);
    shuffle();
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(keel_add(f.world, all[i], Body, { 0 }), KEEL_OK);
    for (uint32_t step = 0; step < 40; ++step) {
        for (uint32_t i = step % 20 * 17; i < COUNT; i += 97) {
            if (step < 20) assert_true(keel_add(f.world, all[i], Fire, { 1 }) >= 0);
            else keel_delete(f.world, all[i], Fire);
            if (i % 2) assert_true(keel_add(f.world, all[i], Ice, { 1 }) >= 0);
            else keel_delete(f.world, all[i], Ice);
        }
        run_burn();
        for (uint32_t i = 0; i < COUNT; ++i) {
            visits[i] += keel_has(f.world, all[i], Fire) || keel_has(f.world, all[i], Ice);
            assert_int_equal(keel_get(f.world, all[i], Body)->visits, visits[i]);
        }
        turns += burn_is_led_by_any() != was_led;
        was_led = burn_is_led_by_any();
    }
    assert_true(turns);
    api_end(&f);
}

// ------------------------------------------------------------------ what leads
static void assert_leader(const keel_view *view, const char *leader) {
    char text[2000];
    (void)keel_view_explain(view, text, sizeof text);
    if (!strstr(text, leader)) fail_msg("no '%s' in\n%s", leader, text);
}

static void they_lead_where_they_are_few(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    keel_view view;
    api_begin(&f);
    assert_int_equal(keel_add_entities(f.world, COUNT, all, KEEL_FILL(Body)), KEEL_OK);
    for (uint32_t i = 0; i < 141; ++i) {
        if (i % 2) assert_int_equal(keel_add(f.world, all[i], Fire, { 1 }), KEEL_OK);
        else assert_int_equal(keel_add(f.world, all[i], Ice, { 1 }), KEEL_OK);
    }
    const keel_component *const ice[] = { KEEL_OF(Ice), NULL };
    keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Body) },
                          { .kind = KEEL_TERM_ANY_OF, .component = KEEL_OF(Fire), .others = ice },
                          { .kind = KEEL_TERM_END } };
    assert_int_equal(keel_view_begin(&view, f.world, terms, "few"), KEEL_OK);
    assert_leader(&view, "leader: presence bits of any of Fire, Ice, by ascending index\n"
                         "touches: 141\nfilter: has Body (sparse set)\n");
    keel_view_end(&view);
    terms[0].data_size = 1; // chosen
    assert_int_equal(keel_view_begin(&view, f.world, terms, "chosen"), KEEL_OK);
    assert_leader(&view, "leader: sparse set Body, in packed order, by choice\ntouches: 1200\n"
                         "filter: any of Fire, Ice\n");
    keel_view_end(&view);
    terms[0].data_size = 0;
    assert_int_equal(keel_add(f.world, all[99], Ice, { 1 }), KEEL_OK); // not less than an eighth
    assert_int_equal(keel_view_begin(&view, f.world, terms, "many"), KEEL_OK);
    assert_leader(&view, "leader: sparse set Body, in packed order\ntouches: 1200\n");
    keel_view_end(&view);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(they_lead_where_they_are_few, "any of several lead where they are few"),
    TEST(a_system_that_runs_again_chooses_anew, "a system that runs again chooses anew"),
    TEST(views_visit_what_loops_by_hand_visit, "views visit what loops by hand visit"),
};
int main(void) { return RUN(tests); }
