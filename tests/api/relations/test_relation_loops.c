// SPDX-License-Identifier: MIT
// Loops over relations whose bodies edit them: each edge that was there at the beginning is
// visited, unless it left before its turn; one that came meanwhile is not, so a loop always ends.
#include "support/api_fixture.h"

#include <setjmp.h>

KEEL_RELATION(Likes);
KEEL_RELATION(HeldBy, .exclusive = true);
typedef struct Holds {
    uint32_t count;
} Holds;
KEEL_VALUED_RELATION(Holds);

enum { MANY = 40 };
static api_fixture f;
static keel_entity hub, all[MANY];
static uint32_t visits[MANY], total;

// `count` sources of one target in each relation; or targets of one source, in the other two.
static void begin(uint32_t count) {
    api_begin(&f);
    hub = keel_add_entity(f.world);
    total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = keel_add_entity(f.world);
        visits[i] = 0;
        keel_relate(f.world, all[i], HeldBy, hub);
        keel_relate(f.world, all[i], Likes, hub);
        keel_relate(f.world, hub, Holds, all[i], { i });
    }
}
static void end(void) {
    assert_no_error(f.world);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
}
static void visit(keel_entity e, const Holds *h) {
    assert_true(keel_is_alive(f.world, e));
    for (uint32_t i = 0; i < MANY; ++i) {
        if (!keel_is_same(e, all[i])) continue;
        ++visits[i];
        if (h) assert_int_equal(h->count, i);
    }
    ++total;
}

// ------------------------------------------------------------------ others leave
static void leave_at(uint32_t step, uint32_t from, uint32_t to, bool deletes) {
    if (total != step) return;
    for (uint32_t i = from; i < to; ++i)
        if (deletes) {
            keel_delete_entity(f.world, all[i]);
        } else {
            keel_unrelate(f.world, all[i], HeldBy, hub);
            keel_unrelate(f.world, all[i], Likes, hub);
            keel_unrelate(f.world, hub, Holds, all[i]);
        }
}
// In the body at one position all of a range leave: the others are visited once each.
static void visit_while_leaving(uint32_t kind, uint32_t at, uint32_t from, uint32_t to,
                                bool deletes) {
    begin(MANY);
    if (kind == 0) KEEL_EACH_SOURCE(f.world, hub, HeldBy, e)
    visit(e, NULL), leave_at(at + 1, from, to, deletes);
    if (kind == 1) KEEL_EACH_SOURCE(f.world, hub, Likes, e)
    visit(e, NULL), leave_at(at + 1, from, to, deletes);
    if (kind == 2) KEEL_EACH_TARGET(f.world, hub, Holds, e, h)
    visit(e, h), leave_at(at + 1, from, to, deletes);
    for (uint32_t i = 0; i < MANY; ++i)
        assert_int_equal(visits[i], i <= at || i < from || i >= to);
    end();
}
static void any_other_may_leave(void **state) {
    (void)state;
    for (uint32_t at = 0; at < MANY; ++at)
        for (uint32_t victim = 0; victim < MANY; ++victim)
            visit_while_leaving((at + victim) % 3, at, victim, victim + 1, victim % 2);
}
static void many_others_may_leave(void **state) {
    (void)state;
    for (uint32_t at = 0; at < MANY; at += 3)
        for (uint32_t from = 0; from < MANY; from += 5)
            for (uint32_t to = from; to <= MANY; to += 7)
                visit_while_leaving((at + from + to) % 3, at, from, to, to % 2);
}

// ------------------------------------------------------------------ others come
static void who_goes_to_the_end_is_not_visited_again(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= MANY; ++count) {
        begin(count);
        KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
            assert_true(total < count);
            visit(e, NULL);
            keel_unrelate(f.world, e, HeldBy, hub);
            keel_relate(f.world, e, HeldBy, hub);
        }
        KEEL_EACH_TARGET(f.world, hub, Holds, e, h) {
            assert_true(total < 2 * count);
            visit(e, h);
            const uint32_t value = h->count;
            keel_unrelate(f.world, hub, Holds, e);
            keel_relate(f.world, hub, Holds, e, { value });
        }
        assert_int_equal(total, 2 * count);
        keel_entity e = keel_null();
        for (uint32_t i = 0; i < count; ++i)
            assert_same_entity(e = keel_next_source_component(f.world, hub, KEEL_OF(HeldBy), e),
                               all[i]);
        end();
    }
}
static void who_comes_is_not_visited(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= MANY; count += 3)
        for (uint32_t left = 0; left < count; left += 2) {
            begin(count);
            // those that come take the places of those that left at the end
            KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
                visit(e, NULL);
                for (uint32_t i = count - left; total == 1 && i < count; ++i)
                    keel_delete_entity(f.world, all[i]);
                for (uint32_t i = 0; total == 1 && i < MANY; ++i)
                    keel_relate(f.world, keel_add_entity(f.world), HeldBy, hub);
            }
            assert_int_equal(total, count - left);
            assert_int_equal(keel_source_count(f.world, hub, HeldBy), count - left + MANY);
            end();
        }
}
static void all_may_leave_and_others_come(void **state) {
    (void)state;
    begin(MANY);
    KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
        visit(e, NULL);
        keel_unrelate_sources(f.world, HeldBy, hub);
        for (uint32_t i = 0; i < 2 * MANY; ++i)
            keel_relate(f.world, keel_add_entity(f.world), HeldBy, hub);
    }
    assert_int_equal(total, 1);
    KEEL_EACH_SOURCE(f.world, hub, Likes, e) {
        visit(e, NULL);
        keel_delete_entity(f.world, hub);
        hub = keel_add_entity(f.world); // at the same index
        for (uint32_t i = 0; i < MANY; ++i)
            keel_relate(f.world, all[i], Likes, hub);
    }
    assert_int_equal(total, 2);
    end();
}

// What a loop visits does not depend on what has been in the lists before.
static uint32_t visit_and_replace(void) {
    uint32_t n = 0;
    KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
        if (n++ % 3 == 0) keel_delete_entity(f.world, e);
        if (n == 2)
            for (uint32_t i = MANY - 4; i < MANY; ++i)
                keel_delete_entity(f.world, all[i]);
        if (n % 2) keel_relate(f.world, keel_add_entity(f.world), HeldBy, hub);
    }
    return n;
}
static void holes_do_not_matter(void **state) {
    (void)state;
    uint32_t expected = 0;
    for (uint32_t holes = 0; holes < MANY; ++holes) {
        begin(MANY);
        for (uint32_t i = 0; i < MANY; ++i) {
            keel_unrelate(f.world, all[i], HeldBy, hub);
            if (i >= MANY - holes / 2 && i % 2)
                keel_relate(f.world, all[i - MANY / 2], HeldBy, all[0]);
        }
        keel_entity between[MANY];
        for (uint32_t i = 0; i < MANY; ++i) {
            keel_relate(f.world, all[i], HeldBy, hub);
            if (i < holes) keel_relate(f.world, between[i] = keel_add_entity(f.world), HeldBy, hub);
        }
        for (uint32_t i = 0; i < holes; ++i)
            keel_delete_entity(f.world, between[i]);
        const uint32_t n = visit_and_replace();
        if (!holes) expected = n;
        assert_int_equal(n, expected);
        end();
    }
}

// ------------------------------------------------------------------ the end of a loop
static uint32_t returns_from_it(void) {
    KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
        keel_unrelate(f.world, e, HeldBy, hub);
        KEEL_EACH_TARGET(f.world, hub, Holds, other, h) {
            if (keel_is_same(e, other)) break;
            if (h->count == MANY) return 0;
        }
        if (keel_source_count(f.world, hub, HeldBy) == 3) return 3;
    }
    return 1;
}
static void a_loop_may_be_left(void **state) {
    (void)state;
    begin(MANY);
    assert_int_equal(returns_from_it(), 3);
    keel_unrelate_sources(f.world, HeldBy, hub);
    keel_unrelate_sources(f.world, Likes, hub);
    keel_unrelate_all(f.world, hub, Holds);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK); // no place is kept for a loop
    assert_true(keel_component_memory(f.world, KEEL_OF(HeldBy)) < 200);
    end();
}
static void holes_of_a_loop_go(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin(MANY);
    size_t memory = 0;
    for (uint32_t round = 0; round < 1000; ++round) {
        uint32_t n = 0;
        KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) if (n++ < 30) keel_delete_entity(f.world, e);
        for (uint32_t i = 0; i < 30; ++i)
            keel_relate(f.world, keel_add_entity(f.world), HeldBy, hub);
        const size_t now = keel_component_memory(f.world, KEEL_OF(HeldBy));
        if (round == 10) memory = now;
        if (round > 10) assert_true(now <= memory);
    }
    KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) keel_delete_entity(f.world, e);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    end();
}

// ------------------------------------------------------------------ at random
static void bodies_do_anything(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 400; ++seed) {
        uint32_t random = seed * 2654435761u, next = 0;
        begin(1 + seed % MANY);
        const uint32_t count = 1 + seed % MANY;
        bool is_there[MANY];
        for (uint32_t i = 0; i < count; ++i)
            is_there[i] = true;
        KEEL_EACH_SOURCE(f.world, hub, HeldBy, e) {
            while (next < count && !is_there[next])
                ++next;
            assert_true(next < count);
            assert_same_entity(e, all[next++]);
            for (uint32_t i = (random >> 8) % 5; i; --i) {
                random = random * 1664525u + 1013904223u;
                const uint32_t who = (random >> 12) % count;
                if (random >> 30 == 0 && is_there[who]) {
                    keel_delete_entity(f.world, all[who]);
                    is_there[who] = false;
                } else if (random >> 30 == 1) {
                    keel_relate(f.world, keel_add_entity(f.world), HeldBy, hub);
                } else if (random >> 30 == 2 && who < next && is_there[who]) {
                    keel_unrelate(f.world, all[who], HeldBy, hub);
                    keel_relate(f.world, all[who], HeldBy, hub);
                }
            }
        }
        while (next < count)
            assert_false(is_there[next++]);
        end();
    }
}

// ------------------------------------------------------------------ the relation goes
// At the step all three relations become unknown, and others may come in their memory.
static void forget_at(uint32_t step, bool they_come_again) {
    if (total != step) return;
    assert_int_equal(keel_unregister_component(f.world, KEEL_RELATION_OF(Likes)), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_RELATION_OF(HeldBy)), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_RELATION_OF(Holds)), KEEL_OK);
    for (uint32_t i = 0; they_come_again && i < MANY && !keel_is_null(all[i]); ++i) {
        keel_relate(f.world, all[i], Likes, hub);
        keel_relate(f.world, hub, Holds, all[i], { i });
        keel_relate(f.world, all[i], HeldBy, hub);
    }
}

static void visit_while_forgetting(uint32_t kind, uint32_t count, uint32_t step, bool again) {
    for (uint32_t i = 0; i < MANY; ++i)
        all[i] = keel_null();
    begin(count);
    if (kind == 0) KEEL_EACH_SOURCE(f.world, hub, HeldBy, e)
    visit(e, NULL), forget_at(step, again);
    if (kind == 1) KEEL_EACH_SOURCE(f.world, hub, Likes, e)
    visit(e, NULL), forget_at(step, again);
    if (kind == 2) KEEL_EACH_TARGET(f.world, hub, Holds, e, h)
    visit(e, h), forget_at(step, again);
    if (kind == 3) KEEL_EACH_SOURCE_BELOW(f.world, hub, HeldBy, e)
    visit(e, NULL), forget_at(step, again && count > MANY);
    if (kind == 4) KEEL_EACH_TARGET(f.world, all[0], Likes, e)
    visit(e, NULL), forget_at(step, again);
    assert_int_equal(total, kind == 4 ? 1 : step);
    total = 0;
    KEEL_EACH_SOURCE(f.world, hub, Likes, e)
    visit(e, NULL);
    assert_int_equal(total, again && kind != 3 && (kind != 4 || step == 1) ? count
                            : kind == 4 && step != 1                       ? count
                                                                           : 0);
    end();
}

static void the_relation_may_go(void **state) {
    (void)state;
    static const uint32_t counts[] = { 3, 16, 17, MANY };
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t kind = 0; kind < 5; ++kind)
            for (uint32_t step = 1; step <= counts[i]; step += step == 1 ? counts[i] - 1 : 1)
                for (int again = 0; again < 2; ++again)
                    visit_while_forgetting(kind, counts[i], step, again);
}

// All above: the one after the current is known already.
static void the_relation_may_go_upwards(void **state) {
    (void)state;
    begin(MANY);
    for (uint32_t i = 1; i < MANY; ++i)
        keel_relate(f.world, all[i], HeldBy, all[i - 1]);
    KEEL_EACH_TARGET_ABOVE(f.world, all[MANY - 1], HeldBy, e)
    visit(e, NULL), forget_at(2, true);
    assert_true(total == 2 || total == 3);
    end();
}

static void memory_of_relations_that_go_is_used_again(void **state) {
    (void)state;
    begin(MANY);
    size_t before = 0;
    for (uint32_t i = 0; i < 20; ++i) {
        KEEL_EACH_SOURCE(f.world, hub, Likes, e) {
            (void)e;
            total = 1;
            forget_at(1, true);
        }
        if (i == 4) before = keel_world_statistics(f.world).memory.total;
    }
    assert_int_equal(keel_world_statistics(f.world).memory.total, before);
    end();
}

static jmp_buf back;
static uint32_t round_of_jumps;
static void a_loop_that_is_jumped_out_of_lets_the_world_end(void **state) {
    (void)state;
    for (round_of_jumps = 0; round_of_jumps < 3; ++round_of_jumps) {
        begin(MANY);
        if (setjmp(back) == 0) KEEL_EACH_SOURCE(f.world, hub, Likes, e) {
                visit(e, NULL);
                if (round_of_jumps == 1) forget_at(1, false);
                longjmp(back, 1);
            }
        assert_int_equal(total, 1);
        if (round_of_jumps == 2) forget_at(1, true);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    TEST(any_other_may_leave,
         "any other one may leave or die in the body, and all else is visited"),
    TEST(many_others_may_leave, "so may many at once"),
    TEST(who_goes_to_the_end_is_not_visited_again, "who goes to the end is not visited again"),
    TEST(who_comes_is_not_visited, "who comes meanwhile is not visited"),
    TEST(all_may_leave_and_others_come, "all may leave, and others come, and the target die"),
    TEST(holes_do_not_matter, "what was in a list before does not matter"),
    TEST(a_loop_may_be_left, "a loop may be left by break and return"),
    TEST(holes_of_a_loop_go, "what a loop unrelates is no memory that grows"),
    TEST(the_relation_may_go, "the relation itself may go"),
    TEST(the_relation_may_go_upwards, "the relation may go in a loop over all above"),
    TEST(memory_of_relations_that_go_is_used_again, "memory of relations that go is used again"),
    TEST(a_loop_that_is_jumped_out_of_lets_the_world_end,
         "a loop that longjmp leaves lets the world end"),
    TEST(bodies_do_anything, "bodies may do anything"),
};
int main(void) { return RUN(tests); }
