// SPDX-License-Identifier: MIT
// The graph of a workload sees through custom views.
#include "run/schedule.h"
#include "support/api_types.h"

#include <keel/explain.h>

typedef struct Inner {
    keel_view numbers;
} Inner;
KEEL_CUSTOM_VIEW(Inner, KEEL_VIEW(numbers, KEEL_READ(Number, n)));
typedef struct Around {
    Inner inner;
    Time *time;
} Around;
KEEL_CUSTOM_VIEW(Around, KEEL_CUSTOM_WRITE(Inner, inner), KEEL_UNIQUE_WRITE(Time, time));
typedef struct Plain {
    int value;
} Plain;
KEEL_CUSTOM_VIEW(Plain, KEEL_MAY_READ(Other));
typedef struct All {
    keel_world *world;
} All;
KEEL_CUSTOM_VIEW(All, KEEL_WORLD(world));

KEEL_SYSTEM_ONCE(around, KEEL_CUSTOM_WRITE(Around, a)) { (void)a; }
KEEL_SYSTEM(write_numbers, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM_ONCE(plain, KEEL_CUSTOM_WRITE(Plain, p)) { (void)p; }
KEEL_SYSTEM_ONCE(read_time, KEEL_UNIQUE_READ(Time, time)) { (void)time; }
KEEL_SYSTEM_ONCE(read_numbers, KEEL_CUSTOM_WRITE(Inner, i)) { (void)i; }
KEEL_SYSTEM_ONCE(all, KEEL_CUSTOM_WRITE(All, a)) { (void)a; }
KEEL_WORKLOAD(frame, KEEL_STEP(around), KEEL_STEP(write_numbers), KEEL_STEP(plain),
              KEEL_STEP(read_time), KEEL_STEP(read_numbers), KEEL_STEP(all));

static keel_workload_node nodes[6];

static void assert_node(const keeli_schedule *s, uint32_t node, uint32_t waits_for, uint32_t batch,
                        const char *storage) {
    assert_int_equal(s->nodes.items[node].waits_for, waits_for);
    assert_int_equal(nodes[node].batch, batch);
    const char *name = nodes[node].why.storage;
    assert_string_equal(name ? name : "", storage);
}

static void the_graph_sees_through_custom_views(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_result result;
    assert_int_equal(keel_world_workload_nodes(f.world, &KEEL_WORKLOAD_frame, nodes, 6), 6);
    keeli_schedule *s = keeli_schedule_acquire(f.world, &KEEL_WORKLOAD_frame, NULL, &result);
    assert_non_null(s);
    assert_int_equal(s->nodes.count, 6);
    assert_node(s, 0, 0, 0, "");
    assert_node(s, 1, 1, 1, "Number");
    assert_node(s, 2, 0, 1, ""); // it waits for nobody and joins the last batch
    assert_node(s, 3, 1, 1, "Time");
    assert_node(s, 4, 1, 2, "Number");
    assert_true(s->nodes.items[5].everything && s->nodes.items[5].is_main);
    assert_int_equal(nodes[5].batch, 3);
    keeli_schedule_release(s);
    api_end(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        // proves S-98
        TEST(the_graph_sees_through_custom_views, "the graph sees through custom views"),
    };
    return RUN(tests);
}
