// SPDX-License-Identifier: MIT
// Random sends, looks, passes, runs, limits and failures of memory, beside a plain list of all
// events that there ever were. Values own something, so that each is dropped exactly once.
#include "support/api_types.h"

#include <string.h>

KEEL_EVENT(Owned, .limit = 40, .drop = owned_drop, .move = owned_move);

// ------------------------------------------------------------------ the plain list
enum { READERS = 4, SYSTEMS = 3, WORLD = READERS + SYSTEMS, ALL };
typedef struct cursor {
    bool reads;
    uint64_t next;
} cursor;
static struct {
    uint32_t token[TOKENS]; // of all events, in order
    uint64_t begin, end;    // of those that are held
    uint64_t fresh;         // where a new reader begins
    uint64_t limit;
    cursor cursors[ALL];
} model;

static void model_settle(void) {
    uint64_t least = model.end;
    bool any = false;
    for (uint32_t i = 0; i < ALL; ++i) {
        if (!model.cursors[i].reads) continue;
        any = true;
        if (model.cursors[i].next < least) least = model.cursors[i].next;
    }
    if (any && least > model.begin) model.begin = model.fresh = least;
}
static void model_send(uint32_t token) {
    model.token[model.end++] = token;
    if (model.end - model.begin > model.limit) ++model.begin; // all is settled between calls
}
static uint64_t model_next(uint32_t who) {
    return model.cursors[who].reads ? model.cursors[who].next : model.fresh;
}
static uint64_t model_first(uint32_t who) {
    return model_next(who) > model.begin ? model_next(who) : model.begin;
}
static uint64_t model_missed(uint32_t who) { return model_first(who) - model_next(who); }
static void model_join(uint32_t who) { model.cursors[who] = (cursor){ true, model_next(who) }; }
static void model_pass(uint32_t who) {
    if (model.cursors[who].reads) model.cursors[who].next = model.end;
    model_settle();
}

// ------------------------------------------------------------------ the same in a world
static api_fixture f;
static keel_reader *readers[READERS];
static uint64_t at;   // the next that is expected
static uint32_t stop; // leave the loop after so many
static bool fails;
static uint32_t system_sends;

static uint64_t state;
static uint32_t next_random(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

static bool expect(const Owned *event) {
    assert_true(at < model.end);
    assert_int_equal(event->token, model.token[at]);
    assert_int_equal(event->inverse, ~event->token);
    ++at;
    return --stop == 0;
}

#define RECEIVER(number)                                                                           \
    KEEL_SYSTEM_ONCE(receive_##number, KEEL_RECEIVE(Owned, events), KEEL_CONTEXT(context)) {       \
        assert_int_equal(keel_event_count(events, Owned), model.end - at);                         \
        assert_int_equal(keel_missed_events(events, Owned), model_missed(READERS + (number)));     \
        KEEL_EACH_EVENT(events, Owned, event)                                                      \
            if (expect(event)) break;                                                              \
        if (fails) keel_fail(context, NULL, "a receiver fails");                                   \
    }
RECEIVER(0)
RECEIVER(1)
RECEIVER(2)
KEEL_WORKLOAD(in_workload, KEEL_STEP(receive_2)); // has a cursor of its own
KEEL_SYSTEM_ONCE(sender, KEEL_SEND(Owned, events), KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < system_sends; ++i) {
        const Owned value = owned_make();
        if (!fails) model_send(value.token);
        assert_int_equal(keel_send(events, Owned, value), KEEL_OK);
    }
    if (fails) keel_fail(context, NULL, "a sender fails");
}

static void begin_look(uint32_t who) {
    model_join(who);
    at = model_first(who);
    stop = next_random(4) ? UINT32_MAX : 1 + next_random(5);
}
static void end_look(void) {
    if (stop > 5) assert_int_equal(at, model.end);
}

// Out of memory nothing is sent, and nothing is lost; only some sends need any.
static void send_from_outside(void) {
    const Owned value = owned_make();
    const bool fail = next_random(8) == 0;
    if (fail) counting_allocator_fail_after(&f.memory, 0);
    const keel_result result = keel_send(f.world, Owned, value);
    counting_allocator_never_fail(&f.memory);
    if (result == KEEL_OK) {
        model_send(value.token);
        return;
    }
    assert_true(fail);
    assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
    owned_release(value);
}

static void send_by_commands(void) {
    for (uint32_t i = 1 + next_random(3); i--;) {
        const Owned value = owned_make();
        assert_int_equal(keel_send(keel_world_commands(f.world), Owned, value), KEEL_OK);
        model_send(value.token);
    }
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
}

static void send_by_system(void) {
    // the limit is not in the way of one that fails: what it pushes out is gone
    const uint64_t room = model.limit - (model.end - model.begin);
    system_sends = next_random(12);
    fails = next_random(4) == 0 && system_sends <= room;
    assert_int_equal(keel_run(f.world, sender), fails ? KEEL_ERROR_SYSTEM : KEEL_OK);
    if (fails) assert_error(f.world, KEEL_ERROR_SYSTEM, "a sender fails");
}

static void look_as_reader(uint32_t i) {
    assert_int_equal(keel_event_count(readers[i], Owned), model.end - model_first(i));
    assert_int_equal(keel_missed_events(readers[i], Owned), model_missed(i));
    begin_look(i);
    KEEL_EACH_EVENT(readers[i], Owned, event)
        if (expect(event)) break;
    end_look();
}
static void look_as_world(void) {
    assert_int_equal(keel_event_count(f.world, Owned), model.end - model_first(WORLD));
    assert_int_equal(keel_missed_events(f.world, Owned), model_missed(WORLD));
    begin_look(WORLD);
    KEEL_EACH_EVENT(f.world, Owned, event)
        if (expect(event)) break;
    end_look();
}
static void receive_in_system(uint32_t i) {
    fails = next_random(6) == 0;
    begin_look(READERS + i);
    const keel_result result = i == 0   ? keel_run(f.world, receive_0)
                               : i == 1 ? keel_run(f.world, receive_1)
                                        : keel_run_workload(f.world, in_workload);
    assert_int_equal(result, fails ? KEEL_ERROR_SYSTEM : KEEL_OK);
    if (fails) assert_error(f.world, KEEL_ERROR_SYSTEM, "a receiver fails");
    end_look();
    model_pass(READERS + i); // failed or not, looked to the end or not
}

static void exchange_reader(uint32_t i) {
    keel_reader_destroy(readers[i]);
    model.cursors[i].reads = false;
    model_settle();
    readers[i] = keel_reader_create(f.world, "reader");
}

static void change_limit(void) {
    model.limit = 1 + next_random(60);
    assert_int_equal(keel_set_event_limit(f.world, Owned, (uint32_t)model.limit), KEEL_OK);
    if (model.end - model.begin > model.limit) model.begin = model.end - model.limit;
}

static void clear_all(void) {
    assert_int_equal(keel_clear_events(f.world, Owned), KEEL_OK);
    model.begin = model.fresh = model.end;
    for (uint32_t i = 0; i < ALL; ++i)
        model.cursors[i].next = model.end;
}

static void step(void) {
    const uint32_t what = next_random(100);
    if (what < 30) send_from_outside();
    else if (what < 36) send_by_commands();
    else if (what < 44) send_by_system();
    else if (what < 56) look_as_reader(next_random(READERS));
    else if (what < 64) look_as_world();
    else if (what < 80) receive_in_system(next_random(SYSTEMS));
    else if (what < 92) {
        const uint32_t i = next_random(READERS);
        keel_reader_advance(readers[i]);
        model_pass(i);
    } else if (what < 95) {
        assert_int_equal(keel_advance_events(f.world, Owned), KEEL_OK);
        model_join(WORLD);
        model_pass(WORLD);
    } else if (what < 97) exchange_reader(next_random(READERS));
    else if (what < 99) change_limit();
    else if (next_random(3) == 0) clear_all();
}

static void random_operations(uint64_t seed) {
    api_begin(&f);
    owned_begin();
    memset(&model, 0, sizeof model);
    model.limit = 40;
    state = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint32_t i = 0; i < READERS; ++i)
        readers[i] = keel_reader_create(f.world, "reader");
    while (owned.made < TOKENS - 20) {
        step();
        assert_int_equal(owned.living, model.end - model.begin);
    }
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}

static void as_in_a_plain_list(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= test_rounds(10); ++seed)
        random_operations(seed);
}

static const struct CMUnitTest tests[] = {
    TEST(as_in_a_plain_list, "each receiver gets what a plain list says, and each event goes once"),
};

int main(void) { return RUN(tests); }
