// SPDX-License-Identifier: MIT
// A difference between two machines is found and named: component, entity, field and both values,
// whatever differs. A test without any plants none: nothing is told.
#include "net_game.h"

#include <keel_session.h>
#include <math.h>

typedef struct Wind {
    float x;
} Wind;
KEEL_FIELDS(Wind, x);
KEEL_UNIQUE(Wind, KEEL_HAS_FIELDS(Wind));
typedef struct Bang {
    uint32_t loud;
} Bang;
KEEL_EVENT(Bang, .no_padding = true);
KEEL_RELATION(Follows);
typedef struct Tows {
    uint32_t rope;
} Tows;
KEEL_FIELDS(Tows, rope);
KEEL_VALUED_RELATION(Tows, KEEL_HAS_FIELDS(Tows));
KEEL_TAG(Lit);
typedef struct Raw {
    uint8_t bytes[4];
} Raw;
KEEL_COMPONENT(Raw, .no_padding = true, .storage = KEEL_INDEXED);

// What the second machine does in frame 100.
typedef enum planted {
    NOTHING,
    BIT_OF_A_FLOAT,
    UNIQUE,
    EVENT,
    RELATION,
    RELATION_VALUE,
    TAG,
    NAME,
    PARENT,
    ENTITY,
    BYTES,
    DISABLED
} planted;
static planted what;

static keel_entity ship(keel_world *w, uint32_t i) { return keel_entity_at(w, i); }

static void plant_now(keel_world *w) {
    Ship *s = keel_get_mut(w, ship(w, 3), Ship);
    switch (what) {
    case NOTHING:
        break;
    case BIT_OF_A_FLOAT:
        s->x = nextafterf(s->x, 1e9F);
        break;
    case UNIQUE:
        keel_get_unique_mut(w, Wind)->x = 2;
        break;
    case EVENT:
        (void)keel_send(w, Bang, { 7 });
        break;
    case RELATION:
        (void)keel_relate(w, ship(w, 4), Follows, ship(w, 5));
        break;
    case RELATION_VALUE:
        (void)keel_relate(w, ship(w, 1), Tows, ship(w, 2), { 9 });
        break;
    case TAG:
        (void)keel_add(w, ship(w, 6), Lit);
        break;
    case NAME:
        (void)keel_set_name(w, ship(w, 2), "flagship");
        break;
    case PARENT:
        (void)keel_attach(w, ship(w, 7), ship(w, 1));
        break;
    case ENTITY:
        (void)keel_add_entity(w);
        break;
    case BYTES:
        keel_get_mut(w, ship(w, 5), Raw)->bytes[2] = 1;
        break;
    case DISABLED:
        (void)keel_disable(w, ship(w, 5), Raw);
        break;
    }
}

KEEL_SYSTEM_ONCE(plant, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_WORLD(w)) {
    if (in->frame == playing->plant_at && playing->plant_at) plant_now(w);
}
KEEL_WORKLOAD(planted_frame, KEEL_STEP(see, .main_thread = true), KEEL_STEP(steer), KEEL_STEP(fly),
              KEEL_STEP(plant));

static void add_things(keel_world *w) {
    keel_register(w, Lit, Raw);
    keel_register_component(w, KEEL_OF(Follows));
    keel_register_component(w, KEEL_OF(Tows));
    keel_register_component(w, KEEL_EVENT_OF(Bang));
    keel_set_unique(w, Wind, { 1 });
    (void)keel_relate(w, ship(w, 1), Tows, ship(w, 2), { 4 });
    (void)keel_attach(w, ship(w, 7), ship(w, 0));
    for (uint32_t i = 0; i < 8; ++i)
        (void)keel_add(w, ship(w, i), Raw, { { 1, 2, 3, 4 } });
}

static void begin(uint32_t count) {
    net_begin(&(keel_loopback_desc){ .delay_ms = 40, .jitter_ms = 20, .loss = 0.05F });
    for (uint32_t i = 0; i < count; ++i) {
        const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(planted_frame),
                                         .players = count };
        machine *m = net_machine(i, &desc);
        keel_session_end(m->session); // once more, with more in the world
        add_things(m->world);
        m->desc.error = NULL;
        m->session = keel_session_begin(m->world, &m->desc);
        assert_non_null(m->session);
        (void)(i ? keel_session_connect(m->session, "0", 0) : keel_session_listen(m->session, 0));
    }
}

// Returns the last difference that a machine was told of, or "".
static const char *difference(uint32_t i) {
    const char *text = "";
    for (uint32_t k = 0; k < machines[i].event_count; ++k)
        if (machines[i].events[k].kind == KEEL_SESSION_DIFFERS) text = machines[i].events[k].text;
    return text;
}

static void assert_named(planted kind, const char *here, const char *there) {
    what = kind;
    begin(2);
    machines[1].plant_at = 100;
    net_run_wild(300, 9);
    assert_string_equal(difference(0), here);
    assert_string_equal(difference(1), there);
    net_end();
}

static void nothing_is_told_when_nothing_differs(void **unused) {
    (void)unused;
    what = NOTHING;
    begin(3);
    machines[1].plant_at = 100;
    net_run_wild(400, 1);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_string_equal(difference(i), "");
        assert_true(status_of(i).checked > 250);
    }
    net_end();
}

static void one_unit_in_the_last_place_of_a_float_is_named(void **unused) {
    (void)unused;
    what = BIT_OF_A_FLOAT;
    begin(2);
    machines[1].plant_at = 100;
    net_run_wild(300, 9);
    assert_memory_equal(difference(0), "frame 120: Ship.x of 3v0 \"ship 3\": ", 35);
    assert_non_null(strstr(difference(0), " here, "));
    assert_non_null(strstr(difference(1), " there"));
    const keel_session_event *first = event_of(0, KEEL_SESSION_DIFFERS);
    assert_int_equal(first->frame, 120);
    assert_int_equal(first->player, 1);
    assert_non_null(keel_session_snapshot(machines[0].session, 120)); // to save it, on both sides
    assert_non_null(keel_session_snapshot(machines[1].session, 120));
    net_end();
}

static void each_kind_of_state_is_named(void **unused) {
    (void)unused;
    assert_named(UNIQUE, "frame 120: Wind.x of the unique: 1.0 here, 2.0 there",
                 "frame 120: Wind.x of the unique: 2.0 here, 1.0 there");
    assert_named(EVENT, "frame 120: Bang.count of the queue: 0 here, 1 there",
                 "frame 120: Bang.count of the queue: 1 here, 0 there");
    assert_named(RELATION,
                 "frame 120: Follows of 4v0 \"ship 4\" to 5v0 \"ship 5\": there, but not here",
                 "frame 120: Follows of 4v0 \"ship 4\" to 5v0 \"ship 5\": here, but not there");
    assert_named(RELATION_VALUE,
                 "frame 120: Tows.rope of 1v0 \"ship 1\" to 2v0 \"ship 2\": 4 here, 9 there",
                 "frame 120: Tows.rope of 1v0 \"ship 1\" to 2v0 \"ship 2\": 9 here, 4 there");
    assert_named(TAG, "frame 120: Lit of 6v0 \"ship 6\": there, but not here",
                 "frame 120: Lit of 6v0 \"ship 6\": here, but not there");
    assert_named(NAME, "frame 120: keel_name of 2v0: ship 2 here, flagship there",
                 "frame 120: keel_name of 2v0: flagship here, ship 2 there");
    assert_named(PARENT,
                 "frame 120: keel_child of 7v0 \"ship 7\" to 0v0 \"ship 0\": here, but not there",
                 "frame 120: keel_child of 7v0 \"ship 7\" to 1v0 \"ship 1\": here, but not there");
    assert_named(
        BYTES, "frame 120: Raw.bytes[0] of 5v0 \"ship 5\": 01 02 03 04  here, 01 02 01 04  there",
        "frame 120: Raw.bytes[0] of 5v0 \"ship 5\": 01 02 01 04  here, 01 02 03 04  there");
    assert_named(DISABLED, "frame 120: Raw of 5v0 \"ship 5\": here, but not there",
                 "frame 120: Raw of 5v0 \"ship 5\" disabled: here, but not there");
}

static void the_one_of_four_machines_that_differs_is_told_by_all(void **unused) {
    (void)unused;
    what = UNIQUE;
    begin(4);
    machines[2].plant_at = 100;
    net_run_wild(300, 9);
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t slot = status_of(2).local_player;
        for (uint32_t k = 0; k < machines[i].event_count && i != 2; ++k)
            if (machines[i].events[k].kind == KEEL_SESSION_DIFFERS)
                assert_int_equal(machines[i].events[k].player, slot);
        assert_non_null(strstr(difference(i), "Wind.x of the unique"));
    }
    net_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_when_nothing_differs),
        cmocka_unit_test(one_unit_in_the_last_place_of_a_float_is_named),
        cmocka_unit_test(each_kind_of_state_is_named),
        cmocka_unit_test(the_one_of_four_machines_that_differs_is_told_by_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
