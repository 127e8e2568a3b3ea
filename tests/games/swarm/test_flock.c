// SPDX-License-Identifier: MIT
// The swarm computes the same for any number of threads, and stays a swarm when its size changes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka wants those above first
#include "flock.h"
#include "steer.h"
#include <cmocka.h>
#include <math.h>

typedef struct swarm {
    keel_world *world;
    flock flock;
} swarm;

static void begin(swarm *s, uint32_t threads, uint32_t boids, uint32_t seed) {
    memset(s, 0, sizeof *s);
    s->world = keel_world_create(&(keel_world_desc){ .worker_count = threads });
    assert_non_null(s->world);
    assert_int_equal(flock_begin(s->world, &s->flock, boids, seed, 960, 540), KEEL_OK);
}

static void run(swarm *s, int frames) {
    for (int i = 0; i < frames; ++i)
        assert_int_equal(flock_run(s->world), KEEL_OK);
}

static uint64_t hash_of(const swarm *s) {
    uint64_t hash;
    assert_int_equal(keel_world_hash(s->world, &hash), KEEL_OK);
    return hash;
}

static void end(swarm *s) {
    keel_world_destroy(s->world);
    flock_free(&s->flock);
}

static void check_places(const swarm *s, uint32_t boids) {
    uint32_t count = 0;
    const Space *space = keel_get_unique(s->world, Space);
    const float fastest = space->speed * 1.001f, slowest = space->speed * 0.549f;
    KEEL_EACH(s->world, KEEL_READ(Position, p), KEEL_READ(Velocity, v), KEEL_READ(Boid, boid)) {
        const float speed = sqrtf(v->x * v->x + v->y * v->y);
        assert_true(p->x >= 0 && p->x < space->width && p->y >= 0 && p->y < space->height);
        assert_true(speed > slowest && speed < fastest);
        assert_true(boid->number < boids);
        ++count;
    }
    assert_int_equal(count, boids);
}

static void threads_do_not_change_the_result(void **state) {
    (void)state;
    static const uint32_t threads[] = { 1, 2, 4 };
    uint64_t first = 0;
    for (size_t i = 0; i < 3; ++i) {
        swarm s;
        begin(&s, threads[i], 18000, 5); // enough for a grid that is built in blocks
        run(&s, 5);
        if (i == 0) first = hash_of(&s);
        assert_int_equal(hash_of(&s), first);
        check_places(&s, 18000);
        end(&s);
    }
    swarm other;
    begin(&other, 2, 18000, 6);
    run(&other, 5);
    assert_int_not_equal(hash_of(&other), first);
    end(&other);
}

static void a_copy_with_other_threads_flies_on_in_the_same_way(void **state) {
    (void)state;
    swarm one, two;
    begin(&one, 1, 1500, 2);
    run(&one, 10);
    memset(&two, 0, sizeof two);
    two.world = keel_world_create(&(keel_world_desc){ .worker_count = 2 });
    assert_int_equal(keel_copy_world(one.world, two.world), KEEL_OK);
    assert_int_equal(keel_set_unique(two.world, Flock, { &two.flock }), KEEL_OK);
    assert_int_equal(hash_of(&one), hash_of(&two));
    run(&one, 10);
    run(&two, 10);
    assert_int_equal(hash_of(&one), hash_of(&two));
    end(&one);
    end(&two);
}

static void the_number_of_boids_and_the_size_can_change(void **state) {
    (void)state;
    swarm s;
    begin(&s, 2, 1000, 3);
    static const uint32_t counts[] = { 2500, 700, 1, 900 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        assert_int_equal(flock_set_count(s.world, counts[i], 3), KEEL_OK);
        run(&s, 3);
        check_places(&s, counts[i]);
    }
    assert_int_equal(flock_set_size(s.world, 200, 400), KEEL_OK);
    run(&s, 2);
    check_places(&s, 900);
    end(&s);
}

// Returns how much the boids agree on where to fly: 1 if all fly the same way, near 0 if each flies
// its own.
static float agreement(const swarm *s) {
    float x = 0, y = 0, ways = 0;
    KEEL_EACH(s->world, KEEL_READ(Velocity, v), KEEL_WITH(Boid)) {
        x += v->x;
        y += v->y;
        ways += sqrtf(v->x * v->x + v->y * v->y);
    }
    return sqrtf(x * x + y * y) / ways;
}

static void boids_that_see_each_other_come_to_fly_the_same_way(void **state) {
    (void)state;
    swarm s;
    begin(&s, 1, 12, 9);
    KEEL_EACH(s.world, KEEL_WRITE(Position, p), KEEL_READ(Boid, boid)) {
        p->x = 480 + 60 * (float)(boid->number % 4);
        p->y = 270 + 60 * (float)(boid->number / 4);
    }
    keel_delete_entities_having(s.world, Hunter); // they would frighten
    const float before = agreement(&s);
    run(&s, 250);

    assert_true(agreement(&s) > 0.8f && agreement(&s) > before);
    end(&s);
}

static float mean_distance(const swarm *s, float x, float y) {
    float sum = 0;
    KEEL_EACH(s->world, KEEL_READ(Position, p), KEEL_WITH(Boid))
        sum += sqrtf((p->x - x) * (p->x - x) + (p->y - y) * (p->y - y));
    return sum / (float)keel_count(s->world, Boid);
}

static void boids_come_to_a_pointer_that_pulls_and_flee_from_one_that_pushes(void **state) {
    (void)state;
    float distance[2];
    for (int i = 0; i < 2; ++i) {
        swarm s;
        begin(&s, 1, 200, 4);
        KEEL_EACH(s.world, KEEL_WRITE(Position, p), KEEL_READ(Boid, boid)) {
            p->x = 430 + 5 * (float)(boid->number % 20);
            p->y = 245 + 5 * (float)(boid->number / 20);
        }
        assert_int_equal(keel_set_unique(s.world, Pointer, { 480, 270, i ? -2.0f : 2.0f }),
                         KEEL_OK);
        run(&s, 25);
        distance[i] = mean_distance(&s, 480, 270);
        end(&s);
    }
    assert_true(distance[0] < distance[1] * 0.8f);
}

// The rules written down once more, for each boid and all others, without a grid. Nothing is
// crowded, so nobody is left out.
static void neighbours_over_the_border_count(void **state) {
    (void)state;
    swarm s;
    begin(&s, 1, 2, 1);
    const Space *space = keel_get_unique(s.world, Space);
    const float width = space->width, range = space->sight;
    KEEL_EACH(s.world, KEEL_WRITE(Position, p), KEEL_WRITE(Velocity, v), KEEL_READ(Boid, boid)) {
        *p = (Position){ boid->number ? width - range * 0.4f : range * 0.4f, 270 };
        *v = (Velocity){ 0, boid->number ? 2 : -2 };
    }
    keel_delete_entities_having(s.world, Hunter); // they would frighten
    run(&s, 1);
    // They are 0.8 of the range apart, too far to push each other: each turns towards the other,
    // and to where it flies.
    assert_true(s.flock.push_x[0] < 0 && s.flock.push_x[1] > 0);
    assert_true(s.flock.push_y[0] > 0 && s.flock.push_y[1] < 0);
    assert_true(fabsf(s.flock.push_x[0] + s.flock.push_x[1]) < 1e-3f);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_result),
        cmocka_unit_test(a_copy_with_other_threads_flies_on_in_the_same_way),
        cmocka_unit_test(the_number_of_boids_and_the_size_can_change),
        cmocka_unit_test(boids_that_see_each_other_come_to_fly_the_same_way),
        cmocka_unit_test(boids_come_to_a_pointer_that_pulls_and_flee_from_one_that_pushes),
        cmocka_unit_test(neighbours_over_the_border_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
