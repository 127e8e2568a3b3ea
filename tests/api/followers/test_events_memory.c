// SPDX-License-Identifier: MIT
// Events when memory runs out, in each place: nothing is lost, and what works later works.
#include "support/api_types.h"

#include <stdatomic.h>

KEEL_EVENT(Owned, .drop = owned_drop, .move = owned_move);
typedef struct Hit {
    uint32_t value;
} Hit;
KEEL_EVENT(Hit);

static uint32_t received, sent;
static atomic_uint sent_hits; // by several threads
KEEL_SYSTEM_ONCE(send, KEEL_SEND(Owned, events)) {
    for (uint32_t i = 0; i < 40; ++i) {
        const Owned value = owned_make();
        if (keel_send(events, Owned, value) == KEEL_OK) ++sent;
        else owned_release(value);
    }
}
KEEL_SYSTEM_ONCE(receive, KEEL_RECEIVE(Owned, events)) {
    KEEL_EACH_EVENT(events, Owned, event)
        received += event->token != 0;
}
KEEL_SYSTEM_ONCE(swap, KEEL_RECEIVE(Owned, in), KEEL_SEND(Owned, out)) {
    KEEL_EACH_EVENT(in, Owned, event) {
        const Owned value = owned_make();
        received += event->token != 0;
        if (keel_send(out, Owned, value) == KEEL_OK) ++sent;
        else owned_release(value);
    }
}
KEEL_SYSTEM(split, KEEL_READ(Number, n), KEEL_SEND(Hit, hits)) {
    if (keel_send(hits, Hit, { n->value }) == KEEL_OK) ++sent_hits;
}
KEEL_WORKLOAD(all, KEEL_STEP(send), KEEL_STEP(receive), KEEL_STEP(split, .parallel = true));

// Memory runs out after 0, 1, 2, ... allocations, until it does not.
typedef bool attempt(api_fixture *f); // did all of it work?
static void until_it_works(attempt *try, uint32_t workers) {
    for (uint32_t after = 0;; after += test_few()) {
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        owned_begin();
        received = sent = 0;
        sent_hits = 0;
        for (uint32_t i = 0; i < 300; ++i)
            (void)keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        counting_allocator_fail_after(&f.memory, after);
        const bool worked = try(&f);
        counting_allocator_never_fail(&f.memory);
        keel_clear_errors(f.world);
        const bool done = worked && f.memory.failures == 0;
        api_end(&f);
        assert_owned_end();
        if (done) return;
        assert_true(after < 400);
    }
}

static bool from_outside(api_fixture *f) {
    bool worked = true;
    keel_reader *reader = keel_reader_create(f->world, "reader");
    uint32_t count = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        const Owned value = owned_make();
        const keel_result result = keel_send(f->world, Owned, value);
        assert_true(result == KEEL_OK || result == KEEL_ERROR_MEMORY);
        count += result == KEEL_OK;
        worked &= result == KEEL_OK;
        if (result < 0) owned_release(value);
    }
    assert_int_equal(keel_event_count(f->world, Owned), count);
    KEEL_EACH_EVENT(f->world, Owned, event)
        received += event->token != 0;
    assert_true(received == count || received == 0); // it could not become a receiver
    worked &= received == count;
    if (reader)
        KEEL_EACH_EVENT(reader, Owned, event)
            worked &= event->token != 0;
    return worked && reader;
}

static bool in_systems(api_fixture *f) {
    bool worked = true;
    for (uint32_t i = 0; i < 3; ++i) {
        worked &= keel_run(f->world, send) == KEEL_OK;
        const uint32_t before = received;
        if (keel_run(f->world, receive) == KEEL_OK) assert_int_equal(received, sent);
        else worked = false, assert_int_equal(received, before);
    }
    counting_allocator_never_fail(&f->memory);
    assert_int_equal(keel_run(f->world, receive), KEEL_OK);
    assert_int_equal(received, sent);
    return worked && sent == 120;
}

static bool in_one_system(api_fixture *f) {
    bool worked = true;
    for (uint32_t i = 0; i < 3; ++i) {
        const Owned value = owned_make();
        if (keel_send(f->world, Owned, value) == KEEL_OK) ++sent;
        else owned_release(value), worked = false;
        worked &= keel_run(f->world, swap) == KEEL_OK;
    }
    counting_allocator_never_fail(&f->memory);
    assert_int_equal(keel_run(f->world, swap), KEEL_OK); // applies what could not be applied
    assert_int_equal(keel_run(f->world, swap), KEEL_OK);
    (void)keel_run(f->world, receive);
    return worked;
}

static bool by_commands(api_fixture *f) {
    bool worked = true;
    for (uint32_t i = 0; i < 40; ++i) {
        const Owned value = owned_make();
        if (keel_send(keel_world_commands(f->world), Owned, value) == KEEL_OK) ++sent;
        else owned_release(value), worked = false;
    }
    worked &= keel_apply_commands(f->world) == KEEL_OK;
    counting_allocator_never_fail(&f->memory);
    assert_int_equal(keel_apply_commands(f->world), KEEL_OK);
    assert_int_equal(keel_event_count(f->world, Owned), sent);
    return worked;
}

static bool in_a_workload(api_fixture *f) {
    bool worked = true;
    for (uint32_t i = 0; i < 2; ++i)
        worked &= keel_run_workload(f->world, all) == KEEL_OK;
    worked &= sent == 2 * 40 && sent_hits == 2 * 300;
    counting_allocator_never_fail(&f->memory);
    assert_int_equal(keel_run_workload(f->world, all), KEEL_OK);
    assert_int_equal(keel_apply_commands(f->world), KEEL_OK);
    return worked;
}

static void memory_runs_out(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    until_it_works(from_outside, 1);
    until_it_works(in_systems, 1);
    until_it_works(in_one_system, 1);
    until_it_works(by_commands, 1);
    until_it_works(in_a_workload, 1);
}
static void memory_runs_out_on_several_threads(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    until_it_works(in_a_workload, 3);
}

static const struct CMUnitTest tests[] = {
    TEST(memory_runs_out, "out of memory no event is lost, nor dropped twice"),
    TEST(memory_runs_out_on_several_threads, "the same on several threads"),
};

int main(void) { return RUN(tests); }
