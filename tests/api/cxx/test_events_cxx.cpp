// SPDX-License-Identifier: MIT
// Events from C++.
#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

#include <atomic>

struct Number {
    int value;
};
KEEL_COMPONENT(Number);
struct Hit {
    int who, damage;
};
KEEL_EVENT(Hit, .limit = 100);

static std::atomic<int> sum; // two systems that add to it may run at once

KEEL_SYSTEM(strike, KEEL_READ(Number, n), KEEL_SEND(Hit, hits)) {
    keel_send(hits, Hit, { 1, n->value });
}
KEEL_SYSTEM_SPAN(weigh, KEEL_READ(Number, n), KEEL_SPAN_COUNT(count), KEEL_RECEIVE(Hit, hits)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        sum += hit->damage * n[0].value * static_cast<int>(count);
}
KEEL_SYSTEM_ONCE(look, KEEL_RECEIVE(Hit, hits), KEEL_CONTEXT(context)) {
    assert_int_equal(keel_event_count(hits, Hit), keel_event_count(context, Hit));
    assert_int_equal(keel_missed_events(hits, Hit) + keel_missed_events(context, Hit), 0);
    KEEL_EACH_EVENT(context, Hit, hit)
        sum += hit->damage;
}
KEEL_CONDITION(any, KEEL_RECEIVE(Hit, hits)) { return keel_event_count(hits, Hit) > 0; }
KEEL_SYSTEM_ONCE(answer, KEEL_SEND(Hit, hits), KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    (void)hits;
    keel_send(context, Hit);
    keel_send(commands, Hit, { 3, 4 });
}
KEEL_WORKLOAD(turn, KEEL_STEP(strike, .parallel = true), KEEL_STEP(weigh),
              KEEL_STEP(look, .run_if = KEEL_IF(any)), KEEL_STEP(answer));

namespace {

void events_come_and_go(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    sum = 0;
    (void)keel_add_entity(w, KEEL_INIT(Number, { 2 }));
    (void)keel_add_entity(w, KEEL_INIT(Number, { 3 }));
    assert_int_equal(keel_run_workload(w, turn), KEEL_OK);
    assert_int_equal(sum, 2 * 2 * 2 + 3 * 2 * 2 + 5);
    const Hit mine = { 7, 8 };
    keel_reader *const reader = keel_reader_create(w, "reader");
    sum = 0;
    assert_int_equal(keel_send(w, Hit, mine), KEEL_OK);
    assert_int_equal(keel_send(w, Hit, { 1, 1 }), KEEL_OK);
    KEEL_EACH_EVENT(w, Hit, hit)
        sum += hit->damage;
    KEEL_EACH_EVENT(reader, Hit, hit) {
        sum += 100;
        if (hit->damage == 8) break;
    }
    assert_int_equal(sum, 4 + 8 + 1 + 300);
    assert_int_equal(keel_event_count(reader, Hit), 4);
    assert_int_equal(keel_missed_events(reader, Hit) + keel_missed_events(w, Hit), 0);
    assert_int_equal(keel_advance_events(w, Hit), KEEL_OK);
    assert_int_equal(keel_event_count(w, Hit), 0);
    assert_int_equal(keel_set_event_limit(w, Hit, 2), KEEL_OK);
    assert_int_equal(keel_missed_events(reader, Hit), 2);
    assert_int_equal(keel_clear_events(w, Hit), KEEL_OK);
    assert_true(KEEL_EVENT_OF(Hit)->is_event && KEEL_EVENT_OF(Hit)->limit == 100);
    assert_no_error(w);
    api_end(&f);
}

const struct CMUnitTest tests[] = {
    TEST(events_come_and_go, "events are sent and received from C++"),
};

} // namespace

int main() { return RUN(tests); }
