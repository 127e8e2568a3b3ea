// SPDX-License-Identifier: MIT
// Events: who receives what, when they go, limits, and misuse.
#include "support/api_types.h"

#include <string.h>

typedef struct Hit {
    uint32_t who, damage;
} Hit;
typedef struct Noise {
    double loud;
} Noise;
KEEL_EVENT(Hit, .no_padding = true);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" // as where the compiler does not know the padding
KEEL_EVENT(Noise, .clear_padding = NULL);
#pragma GCC diagnostic pop
KEEL_EVENT(Owned, .limit = 4, .drop = owned_drop, .move = owned_move);
KEEL_COMPONENT(Hit); // has nothing to do with the events
KEEL_UNIQUE(Hit);

// ------------------------------------------------------------------ who looks from outside
static uint32_t sum;  // of what was received
static uint32_t seen; // how many
static void note(const Hit *hit) {
    sum = sum * 10 + hit->damage;
    ++seen;
}
static void assert_seen(uint32_t digits) {
    assert_int_equal(sum, digits);
    sum = seen = 0;
}
static void look(keel_world *world) {
    KEEL_EACH_EVENT(world, Hit, hit)
        note(hit);
}

static void the_world_receives_until_it_passes(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    look(f.world);
    assert_seen(0);
    assert_int_equal(keel_send(f.world, Hit, { 1, 2 }), KEEL_OK);
    const Hit another = { .damage = 3 };
    assert_int_equal(keel_send(f.world, Hit, another), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit), KEEL_OK);
    look(f.world);
    assert_seen(230);
    look(f.world);
    assert_seen(230);
    assert_int_equal(keel_event_count(f.world, Hit), 3);
    assert_int_equal(keel_advance_events(f.world, Hit), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 1, 4 }), KEEL_OK);
    look(f.world);
    assert_seen(4);
    assert_int_equal(keel_missed_events(f.world, Hit), 0);
    assert_int_equal(keel_send(f.world, Noise, { 0.5 }), KEEL_OK);
    KEEL_EACH_EVENT(f.world, Noise, noise)
        assert_true(noise->loud == 0.5);
    assert_int_equal(keel_event_count(f.world, Hit), 1);
    assert_int_equal(keel_clear_events(f.world, Hit), KEEL_OK);
    assert_int_equal(keel_event_count(f.world, Hit), 0);
    look(f.world);
    assert_seen(0);
    assert_no_error(f.world);
    api_end(&f);
}

static void readers_have_cursors_of_their_own(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_send(f.world, Hit, { 1, 1 }), KEEL_OK);
    keel_reader *a = keel_reader_create(f.world, "a"), *b = keel_reader_create(f.world, "b");
    KEEL_EACH_EVENT(a, Hit, hit)
        note(hit);
    assert_seen(1);
    assert_int_equal(keel_event_count(b, Hit), 1);
    keel_reader_advance(a);
    keel_reader_advance(b); // it has not looked: nothing to pass, and nothing waits for it
    assert_int_equal(keel_event_count(a, Hit), 0);
    assert_int_equal(keel_event_count(b, Hit), 0);
    assert_int_equal(keel_send(f.world, Hit, { 1, 2 }), KEEL_OK);
    KEEL_EACH_EVENT(b, Hit, hit)
        note(hit);
    assert_seen(2);
    keel_reader_advance(b);
    assert_int_equal(keel_send(f.world, Hit, { 1, 3 }), KEEL_OK);
    KEEL_EACH_EVENT(a, Hit, hit) {
        if (hit->damage == 2) continue;
        note(hit);
        break;
    }
    assert_seen(3);
    KEEL_EACH_EVENT(b, Hit, hit)
        note(hit);
    assert_seen(3);
    assert_int_equal(keel_missed_events(a, Hit), 0);
    keel_reader_destroy(a); // nobody waits for 2 any more
    KEEL_EACH_EVENT(b, Hit, hit)
        note(hit);
    assert_seen(3);
    assert_no_error(f.world);
    api_end(&f);
}

static void a_body_may_send_and_leave(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 1; i <= 3; ++i)
        assert_int_equal(keel_send(f.world, Hit, { 0, i }), KEEL_OK);
    KEEL_EACH_EVENT(f.world, Hit, hit) { // what is sent meanwhile comes the next time
        const uint32_t damage = hit->damage;
        for (uint32_t i = 0; i < 100; ++i)
            assert_int_equal(keel_send(f.world, Hit, { 0, damage + 3 }), KEEL_OK);
        sum = sum * 10 + damage;
    }
    assert_seen(123);
    assert_int_equal(keel_event_count(f.world, Hit), 303);
    KEEL_EACH_EVENT(f.world, Hit, hit) {
        assert_int_equal(keel_clear_events(f.world, Hit), KEEL_OK);
        ++seen;
        (void)hit;
    }
    assert_int_equal(seen, 1);
    seen = 0;
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ limits
static void whoever_stops_coming_misses(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_reader *late = keel_reader_create(f.world, "the sleeper");
    keel_reader *prompt = keel_reader_create(f.world, "the eager");
    assert_int_equal(keel_set_event_limit(f.world, Hit, 3), KEEL_OK);
    for (uint32_t i = 1; i <= 9; ++i) {
        KEEL_EACH_EVENT(prompt, Hit, hit)
            note(hit);
        keel_reader_advance(prompt);
        if (i == 1)
            KEEL_EACH_EVENT(late, Hit, hit)
                note(hit);
        assert_int_equal(keel_send(f.world, Hit, { 0, i }), KEEL_OK);
    }
    assert_seen(12345678);
    assert_int_equal(f.log.warnings, 1);
    assert_non_null(strstr(f.log.last, "the sleeper"));
    assert_non_null(strstr(f.log.last, "Hit"));
    assert_int_equal(keel_missed_events(late, Hit), 6);
    assert_int_equal(keel_missed_events(prompt, Hit), 0);
    KEEL_EACH_EVENT(late, Hit, hit)
        note(hit);
    assert_seen(789);
    keel_reader_advance(late);
    assert_int_equal(keel_missed_events(late, Hit), 0);
    assert_int_equal(keel_set_event_limit(f.world, Hit, 1), KEEL_OK);
    for (uint32_t i = 1; i <= 4; ++i)
        assert_int_equal(keel_send(f.world, Hit, { 0, i }), KEEL_OK);
    assert_int_equal(keel_missed_events(late, Hit), 3);
    assert_int_equal(keel_set_event_limit(f.world, Hit, 100), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 0, 5 }), KEEL_OK);
    KEEL_EACH_EVENT(late, Hit, hit)
        note(hit);
    assert_seen(45);
    api_end(&f);
}

static void nobody_reads(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    owned_begin();
    for (uint32_t i = 0; i < 7; ++i)
        assert_int_equal(keel_send(f.world, Owned, owned_make()), KEEL_OK);
    assert_int_equal(f.log.warnings, 1);
    assert_non_null(strstr(f.log.last, "nobody"));
    assert_int_equal(owned.living, 4);
    assert_int_equal(keel_missed_events(f.world, Owned), 3); // of those nobody had seen
    uint32_t first = 0;
    KEEL_EACH_EVENT(f.world, Owned, event)
        first = first ? first : event->token;
    assert_int_equal(first, 4);
    assert_int_equal(keel_advance_events(f.world, Owned), KEEL_OK);
    assert_int_equal(owned.living, 0);
    keel_reader *later = keel_reader_create(f.world, "later");
    assert_int_equal(keel_missed_events(later, Owned), 0); // the world had seen all
    assert_int_equal(keel_send(f.world, Owned, owned_make()), KEEL_OK);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ systems
static keel_result failing = KEEL_OK;
static uint32_t sends = 1, next_damage = 1;
KEEL_SYSTEM_ONCE(send, KEEL_SEND(Hit, hits), KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < sends; ++i)
        assert_int_equal(keel_send(hits, Hit, { 7, next_damage++ }), KEEL_OK);
    if (failing < 0) keel_fail(context, NULL, "no");
}
KEEL_SYSTEM_ONCE(receive, KEEL_RECEIVE(Hit, hits)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        note(hit);
}
KEEL_SYSTEM(receive_each, KEEL_READ(Number, n), KEEL_RECEIVE(Hit, hits)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        if (n->value == hit->damage) note(hit);
}
KEEL_SYSTEM_SPAN(receive_spans, KEEL_READ(Number, n), KEEL_SPAN_COUNT(count),
                 KEEL_RECEIVE(Hit, hits), KEEL_SEND(Noise, noises)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        for (uint32_t i = 0; i < count; ++i)
            if (n[i].value == hit->damage) keel_send(noises, Noise, { n[i].value });
}
KEEL_SYSTEM_ONCE(skip, KEEL_RECEIVE(Hit, hits)) { (void)hits; }
KEEL_CONDITION(any_hits, KEEL_RECEIVE(Hit, hits)) { return keel_event_count(hits, Hit) > 0; }

static void systems_receive_since_their_last_run(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    next_damage = 1;
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    assert_int_equal(keel_run(f.world, receive), KEEL_OK);
    assert_seen(12);
    assert_int_equal(keel_run(f.world, receive), KEEL_OK);
    assert_seen(0);
    assert_int_equal(keel_run(f.world, skip), KEEL_OK); // has passed what it did not look at
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    assert_int_equal(keel_run(f.world, receive), KEEL_OK);
    assert_seen(3);
    for (uint32_t i = 0; i < 6; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_run(f.world, receive_each), KEEL_OK); // `skip` has not passed 3
    assert_seen(3);
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    assert_int_equal(keel_run(f.world, receive_spans), KEEL_OK);
    KEEL_EACH_EVENT(f.world, Noise, noise)
        sum = sum * 10 + (uint32_t)noise->loud;
    assert_seen(34);
    assert_int_equal(keel_run(f.world, receive_each), KEEL_OK);
    assert_seen(4);
    assert_no_error(f.world);
    api_end(&f);
}

static void a_loop_over_nobody_passes_all_the_same(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    next_damage = 1;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 2 }));
    assert_int_equal(keel_run(f.world, receive_each), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e, Number), KEEL_OK);
    sends = 2;
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    sends = 1;
    assert_int_equal(keel_run(f.world, receive_each), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Number, { 2 }), KEEL_OK);
    assert_int_equal(keel_run(f.world, receive_each), KEEL_OK);
    assert_seen(0);
    assert_no_error(f.world);
    api_end(&f);
}

static void what_a_failed_system_sent_is_dropped(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    next_damage = 1;
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    failing = KEEL_ERROR_SYSTEM;
    sends = 100;
    assert_int_equal(keel_run(f.world, send), KEEL_ERROR_SYSTEM);
    failing = KEEL_OK;
    sends = 1;
    next_damage = 2;
    assert_int_equal(keel_run(f.world, send), KEEL_OK);
    assert_int_equal(keel_run(f.world, receive), KEEL_OK);
    assert_seen(12);
    assert_error(f.world, KEEL_ERROR_SYSTEM, "no");
    api_end(&f);
}

KEEL_SYSTEM_ONCE(chain, KEEL_RECEIVE(Hit, in), KEEL_SEND(Hit, out)) {
    KEEL_EACH_EVENT(in, Hit, hit) {
        note(hit);
        for (uint32_t i = 0; i < 50; ++i) // must not move what is being looked at
            keel_send(out, Hit, { 0, hit->damage + 1 });
    }
}
static void a_system_receives_its_own_the_next_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_send(f.world, Hit, { 0, 1 }), KEEL_OK);
    assert_int_equal(keel_run(f.world, chain), KEEL_OK);
    assert_int_equal(seen, 1);
    assert_seen(1);
    assert_int_equal(keel_run(f.world, chain), KEEL_OK);
    assert_int_equal(seen, 50);
    sum = seen = 0;
    assert_int_equal(keel_event_count(f.world, Hit), 2500);
    assert_no_error(f.world);
    api_end(&f);
}

KEEL_SYSTEM_ONCE(all_alone, KEEL_WORLD(world), KEEL_CONTEXT(context)) {
    KEEL_EACH_EVENT(context, Hit, hit)
        note(hit);
    assert_int_equal(keel_send(context, Hit, { 0, 8 }), KEEL_OK);
    assert_int_equal(keel_send(world, Hit, { 0, 9 }), KEEL_OK);
    assert_int_equal(keel_run(world, send), KEEL_OK);
}
KEEL_SYSTEM_ONCE(all_alone_declared, KEEL_WORLD(world), KEEL_RECEIVE(Hit, hits),
                 KEEL_SEND(Noise, noises)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        note(hit);
        assert_int_equal(keel_send(noises, Noise, { hit->damage }), KEEL_OK);
    }
    assert_int_equal(keel_send(world, Hit, { 0, 7 }), KEEL_OK);
}
static void with_the_whole_world(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    next_damage = 1;
    assert_int_equal(keel_run(f.world, all_alone), KEEL_OK);
    assert_seen(0);
    assert_int_equal(keel_run(f.world, all_alone), KEEL_OK);
    assert_seen(891);
    assert_int_equal(keel_run(f.world, all_alone_declared), KEEL_OK);
    assert_seen(892); // what came before has gone: all who receive had passed it
    assert_int_equal(keel_run(f.world, all_alone_declared), KEEL_OK);
    assert_seen(7);
    assert_int_equal(keel_run(f.world, all_alone), KEEL_OK);
    assert_seen(89277);
    assert_int_equal(keel_event_count(f.world, Noise), 4);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ commands and observers
KEEL_SYSTEM(record, KEEL_READ(Number, n), KEEL_COMMANDS(commands)) {
    assert_int_equal(keel_send(commands, Hit, { 0, n->value }), KEEL_OK);
}
static void on_number(const keel_change *event, void *data) {
    (void)data;
    assert_int_equal(keel_send(event->commands, Hit, { 0, ((const Number *)event->value)->value }),
                     KEEL_OK);
    assert_int_equal(keel_send(event->world, Hit, { 0, 9 }), KEEL_ERROR_SHARED);
}
static void commands_send_later(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    owned_begin();
    keel_commands *commands = keel_world_commands(f.world);
    assert_int_equal(keel_send(commands, Hit, { 0, 1 }), KEEL_OK);
    assert_int_equal(keel_send(commands, Hit), KEEL_OK);
    assert_int_equal(keel_send(commands, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_event_count(f.world, Hit), 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    look(f.world);
    assert_seen(10);
    assert_int_equal(keel_advance_events(f.world, Hit), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, on_number, NULL), KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 3 }));
    assert_error(f.world, KEEL_ERROR_SHARED, "event->commands");
    look(f.world);
    assert_seen(3);
    assert_int_equal(keel_run(f.world, record), KEEL_OK);
    look(f.world);
    assert_seen(33);
    assert_int_equal(keel_send(commands, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_EVENT_OF(Owned)), KEEL_OK);
    assert_int_equal(owned.living, 0); // one was sent, one recorded
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_send(commands, Owned, owned_make()), KEEL_OK);
    assert_int_equal(keel_send(f.world, Owned, owned_make()), KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ types
static void types_are_told_apart(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_set_unique(f.world, Hit, { 1, 2 }), KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Hit, { 3, 4 }));
    assert_int_equal(keel_send(f.world, Hit, { 5, 6 }), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Hit)->damage, 2);
    assert_int_equal(keel_count(f.world, Hit), 1);
    look(f.world);
    assert_seen(6);
    assert_ptr_equal(keel_find_component(f.world, "Noise"), NULL);
    const keel_component *noise = keel_register_component(f.world, KEEL_EVENT_OF(Noise));
    assert_non_null(noise);
    assert_true(noise->is_event && noise->is_unique);
    assert_ptr_equal(keel_find_component(f.world, "Noise"), noise);
    for (const keel_component *c = NULL; (c = keel_next_component(f.world, c)) != NULL;)
        assert_false(c->is_event);
    assert_true(keel_component_memory(f.world, KEEL_EVENT_OF(Hit)) > sizeof(Hit));
    assert_true(keel_world_statistics(f.world).memory.uniques > 2 * sizeof(Hit));
    assert_int_equal(keel_unregister_component(f.world, KEEL_EVENT_OF(Hit)), KEEL_OK);
    assert_int_equal(keel_event_count(f.world, Hit), 0);
    assert_int_equal(keel_send(f.world, Hit, { 5, 7 }), KEEL_OK);
    look(f.world);
    assert_seen(7);
    assert_int_equal(keel_advance_events(f.world, Hit), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 5, 8 }), KEEL_OK);
    look(f.world);
    assert_seen(8);
    assert_no_error(f.world);
    api_end(&f);
}

static void types_made_at_run_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_component desc = {
        .name = "ping", .size = 2000, .align = 16, .is_unique = true, .is_event = true, .limit = 3
    };
    const keel_component bell = { .name = "bell", .is_unique = true, .is_event = true };
    const keel_component *ping = keel_register_component(f.world, &desc);
    static _Alignas(16) uint8_t value[2000];
    for (uint8_t i = 0; i < 5; ++i) {
        memset(value, i, sizeof value);
        assert_int_equal(keel_send_event(f.world, ping, value), KEEL_OK);
        assert_int_equal(keel_send_event(f.world, &bell, NULL), KEEL_OK);
    }
    keel_event_walk walk = keel_events_of(f.world, ping);
    for (uint8_t i = 2; i < 5; ++i) {
        assert_true(keel_event_next(&walk));
        assert_int_equal((uintptr_t)walk.value % 16, 0);
        assert_int_equal(((const uint8_t *)walk.value)[1999], i);
    }
    assert_false(keel_event_next(&walk));
    assert_int_equal(keel_event_count_of(f.world, &bell), 5);
    walk = keel_events_of(f.world, &bell);
    for (uint32_t i = 0; i < 5; ++i) {
        assert_true(keel_event_next(&walk));
        assert_null(walk.value);
    }
    assert_false(keel_event_next(&walk));
    // one of the queue, again: also where the queue grows, or the oldest has to go for it
    assert_int_equal(keel_set_limit_of(f.world, ping, 40), KEEL_OK);
    for (uint32_t i = 0; i < 100; ++i) {
        walk = keel_events_of(f.world, ping);
        assert_true(keel_event_next(&walk));
        memcpy(value, walk.value, sizeof value);
        assert_int_equal(keel_send_event(f.world, ping, walk.value), KEEL_OK);
        uint8_t last = 0;
        for (walk = keel_events_of(f.world, ping); keel_event_next(&walk);)
            last = ((const uint8_t *)walk.value)[1500];
        assert_int_equal(last, value[1500]);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ misuse
static keel_world *now;
KEEL_SYSTEM_ONCE(undeclared, KEEL_SEND(Noise, noises), KEEL_CONTEXT(context)) {
    (void)noises;
    KEEL_EACH_EVENT(context, Hit, hit)
        note(hit);
    assert_error(now, KEEL_ERROR_ACCESS, "add KEEL_RECEIVE(Hit");
    KEEL_EACH_EVENT(context, Noise, noise)
        sum += (uint32_t)noise->loud + 1;
    assert_error(now, KEEL_ERROR_ACCESS, "add KEEL_RECEIVE(Noise");
    assert_int_equal(keel_event_count(context, Noise), 0);
    assert_int_equal(keel_missed_events(context, Noise), 0);
    assert_error(now, KEEL_ERROR_ACCESS, "'undeclared' receives");
    assert_int_equal(keel_send(context, Hit, { 1, 2 }), KEEL_ERROR_ACCESS);
    assert_error(now, KEEL_ERROR_ACCESS, "add KEEL_SEND(Hit");
    assert_int_equal(keel_send_event(context, KEEL_OF(Hit), NULL), KEEL_ERROR_ACCESS);
    assert_error(now, KEEL_ERROR_ARGUMENT, "KEEL_EVENT");
    assert_int_equal(keel_send_event(context, NULL, NULL), KEEL_ERROR_ACCESS);
    assert_error(now, KEEL_ERROR_ARGUMENT, "NULL");
    // the world is in the way of the system
    assert_int_equal(keel_send(now, Noise, { 2 }), KEEL_ERROR_BORROWED);
    assert_error(now, KEEL_ERROR_BORROWED, "undeclared");
    assert_int_equal(keel_event_count(now, Noise), 0);
    KEEL_EACH_EVENT(now, Noise, noise)
        sum += (uint32_t)noise->loud + 1;
    assert_error(now, KEEL_ERROR_BORROWED, "Noise");
    assert_int_equal(keel_clear_events(now, Noise), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_set_event_limit(now, Noise, 5), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_advance_events(now, Noise), KEEL_ERROR_BORROWED);
    keel_clear_errors(now);
}
KEEL_SYSTEM_ONCE(receive_only, KEEL_RECEIVE(Hit, hits), KEEL_CONTEXT(context)) {
    (void)hits;
    assert_int_equal(keel_send(context, Hit, { 1, 2 }), KEEL_ERROR_ACCESS);
    assert_error(now, KEEL_ERROR_ACCESS, "add KEEL_SEND(Hit");
    assert_int_equal(keel_send(now, Hit, { 1, 2 }), KEEL_ERROR_BORROWED);
    assert_error(now, KEEL_ERROR_BORROWED, "receive_only");
}
KEEL_SYSTEM_ONCE(some_commands, KEEL_COMMANDS(commands, Number)) {
    assert_int_equal(keel_send(commands, Hit, { 1, 2 }), KEEL_ERROR_ACCESS);
    assert_error(now, KEEL_ERROR_ACCESS, "KEEL_SEND(Hit");
}
KEEL_SYSTEM_ONCE(both_ways, KEEL_COMMANDS(commands, Number), KEEL_SEND(Hit, hits)) {
    assert_int_equal(keel_send(commands, Hit, { 1, 2 }), KEEL_ERROR_ACCESS);
    assert_non_null(strstr(keel_last_error(now)->message, "KEEL_SEND(Hit"));
    assert_int_equal(keel_send(hits, Hit, { 1, 2 }), KEEL_OK);
}
KEEL_WORKLOAD(both, KEEL_STEP(both_ways));
static void systems_keep_to_what_they_declared(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    now = f.world;
    assert_int_equal(keel_send(f.world, Noise, { 1 }), KEEL_OK);
    assert_int_equal(keel_clear_events(f.world, Noise), KEEL_OK);
    assert_int_equal(keel_run(f.world, undeclared), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_run(f.world, receive_only), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_run(f.world, some_commands), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_run(f.world, both_ways), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_SEND(Hit");
    assert_int_equal(keel_event_count(f.world, Hit), 0); // what failed sends nothing
    assert_no_error(f.world);
    assert_int_equal(keel_run_workload(f.world, both), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_event_count(f.world, Hit), 0);
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_SEND(Hit");
    assert_seen(0);
    api_end(&f);
}

static void refuse_task(api_fixture *f, keel_term_kind kind, const keel_component *c,
                        const char *part) {
    const keel_term terms[] = { { .kind = kind, .component = c }, { .kind = KEEL_TERM_END } };
    const keel_system task = {
        .name = "task", .kind = KEEL_SYSTEM_PER_RUN, .run = KEEL_SYSTEM_receive.run, .terms = terms
    };
    assert_int_equal(keel_run_system(f->world, &task, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f->world, KEEL_ERROR_ARGUMENT, part);
}

static void the_wrong_kind_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_component *const wrong[] = { KEEL_OF(Hit), KEEL_UNIQUE_OF(Hit), NULL };
    for (uint32_t i = 0; i < 3; ++i) {
        const char *part = wrong[i] ? "KEEL_EVENT" : "NULL";
        assert_int_equal(keel_send_event(w, wrong[i], NULL), KEEL_ERROR_ARGUMENT);
        assert_error(w, KEEL_ERROR_ARGUMENT, part);
        assert_int_equal(keel_send_event(keel_world_commands(w), wrong[i], NULL),
                         KEEL_ERROR_ARGUMENT);
        assert_error(w, KEEL_ERROR_ARGUMENT, part);
        assert_int_equal(keel_advance_events_of(w, wrong[i]), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_clear_events_of(w, wrong[i]), KEEL_ERROR_ARGUMENT);
        if (!wrong[i] || wrong[i]->is_unique)
            assert_int_equal(keel_set_limit_of(w, wrong[i], 3), KEEL_ERROR_ARGUMENT);
        keel_event_walk walk = keel_events_of(w, wrong[i]);
        assert_false(keel_event_next(&walk));
        keel_clear_errors(w);
        assert_int_equal(keel_event_count_of(w, wrong[i]), 0);
        assert_int_equal(keel_missed_component(w, wrong[i]), 0);
        if (wrong[i]) refuse_task(&f, KEEL_TERM_SEND, wrong[i], "KEEL_SEND");
        refuse_task(&f, KEEL_TERM_RECEIVE, wrong[i], wrong[i] ? "KEEL_RECEIVE" : "component");
    }
    refuse_task(&f, KEEL_TERM_UNIQUE_READ, KEEL_EVENT_OF(Hit), "KEEL_RECEIVE");
    refuse_task(&f, KEEL_TERM_MAY_READ, KEEL_EVENT_OF(Hit), "KEEL_RECEIVE");
    refuse_task(&f, KEEL_TERM_COMMANDS, KEEL_EVENT_OF(Hit), "KEEL_SEND");
    keel_view view;
    assert_int_equal(keel_view_begin(&view, w, keeli_terms_receive, "here"), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "for systems");
    assert_int_equal(keel_set_unique_value(w, KEEL_EVENT_OF(Hit), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_send");
    assert_null(keel_get_unique_value(w, KEEL_EVENT_OF(Hit)));
    assert_int_equal(keel_remove_unique_value(w, KEEL_EVENT_OF(Hit), NULL), KEEL_ABSENT);
    const keel_entity e = keel_add_entity(w);
    assert_int_equal(keel_add_component(w, e, KEEL_EVENT_OF(Hit), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'Hit' is a type of events");
    assert_int_equal(keel_set_event_limit(w, Hit, 0), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "at least 1");
    assert_int_equal(keel_clear_events(w, Noise), KEEL_ABSENT);
    const keel_component no_unique = { .name = "x", .is_event = true };
    assert_null(keel_register_component(w, &no_unique));
    const keel_component limited = { .name = "x", .limit = 3 };
    assert_null(keel_register_component(w, &limited));
    assert_error(w, KEEL_ERROR_ARGUMENT, "is_unique");
    assert_no_error(w);
    api_end(&f);
}

static void nothing_at_all(void **state) {
    (void)state;
    keel_set_assert_handler(api_go_on);
    keel_world *none = NULL;
    const keel_component *hit = KEEL_EVENT_OF(Hit);
    assert_int_equal(keel_send_event(none, hit, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_send_event((keel_context *)NULL, hit, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_advance_events_of(none, hit), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_clear_events_of(none, hit), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_set_limit_of(none, hit, 1), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_event_count_of(none, hit) +
                         keel_event_count_of((keel_reader *)NULL, hit) +
                         keel_event_count_of((keel_reader *)NULL, hit),
                     0);
    assert_int_equal(keel_missed_component(none, hit) +
                         keel_missed_component((keel_reader *)NULL, hit) +
                         keel_missed_component((keel_reader *)NULL, hit),
                     0);
    keel_event_walk walk = keel_events_of((keel_context *)NULL, hit);
    assert_false(keel_event_next(&walk));
    walk = keel_events_of((keel_reader *)NULL, hit);
    assert_false(keel_event_next(&walk));
    assert_false(keel_event_next(NULL));
    keel_set_assert_handler(NULL);
}

// ------------------------------------------------------------------ hashes and copies
static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}
static void a_hash_counts_what_waits_for_systems(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const uint64_t none = hash_of(f.world);
    assert_int_equal(keel_send(f.world, Hit, { 1, 2 }), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 3, 4 }), KEEL_OK);
    const uint64_t two = hash_of(f.world);
    assert_true(two != none);
    assert_int_equal(keel_clear_events(f.world, Hit), KEEL_OK);
    assert_true(hash_of(f.world) == none);
    assert_int_equal(keel_send(f.world, Hit, { 3, 4 }), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 1, 2 }), KEEL_OK);
    assert_true(hash_of(f.world) != two); // another order
    keel_reader *reader = keel_reader_create(f.world, "a sound card");
    KEEL_EACH_EVENT(reader, Hit, hit)
        note(hit);
    assert_int_equal(keel_run(f.world, receive), KEEL_OK);
    assert_true(hash_of(f.world) == none); // the reader is no part of the game
    assert_int_equal(keel_event_count(reader, Hit), 2);
    assert_int_equal(keel_send(f.world, Hit, { 1, 2 }), KEEL_OK);
    assert_true(hash_of(f.world) != none);
    keel_world *copy = keel_world_create(NULL);
    assert_int_equal(keel_copy_world(f.world, copy), KEEL_OK);
    assert_int_equal(keel_event_count(copy, Hit), 0);
    keel_world_destroy(copy);
    assert_int_equal(keel_send(f.world, Noise, { 1 }), KEEL_OK);
    uint64_t hash;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, "Noise");
    sum = seen = 0;
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(the_world_receives_until_it_passes, "who looks from outside receives until it passes"),
    TEST(readers_have_cursors_of_their_own, "each reader has a cursor of its own"),
    TEST(a_body_may_send_and_leave, "the body of a loop over events may send and clear"),
    TEST(whoever_stops_coming_misses, "whoever stops coming misses events, and is named"),
    TEST(nobody_reads, "an event is dropped once, also when nobody reads it"),
    TEST(systems_receive_since_their_last_run,
         "a system receives what was sent since its last run"),
    TEST(a_loop_over_nobody_passes_all_the_same, "a loop over nobody has passed what was there"),
    TEST(what_a_failed_system_sent_is_dropped, "what a failed system sent is dropped"),
    TEST(a_system_receives_its_own_the_next_time, "a system receives its own events the next time"),
    TEST(with_the_whole_world, "a task with the whole world sends and receives at once"),
    TEST(commands_send_later, "commands and observers send when commands are applied"),
    TEST(types_are_told_apart, "events, components and uniques of one type are three things"),
    TEST(types_made_at_run_time, "types of events are made at run time, of any size"),
    TEST(systems_keep_to_what_they_declared, "systems send and receive what they declared"),
    TEST(the_wrong_kind_is_refused, "what is no event is refused, and events elsewhere"),
    TEST(nothing_at_all, "NULL is no world, context, reader or event"),
    TEST(a_hash_counts_what_waits_for_systems,
         "a world's hash counts events that systems wait for"),
};

int main(void) { return RUN(tests); }
