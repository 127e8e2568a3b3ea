// SPDX-License-Identifier: MIT
// You will learn: hand-written SIMD over values that lie side by side, as a system and as a loop.
// Values have their type's alignment, so loads are unaligned; the count is exact.
#include <keel/keel.h>
#include <stdio.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef struct Position { float x, y; } Position;
typedef struct Velocity { float x, y; } Velocity;
typedef struct Time { float dt; } Time;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_TAG(Frozen);
KEEL_UNIQUE(Time);

static void integrate_floats(float *restrict p, const float *restrict v, uint32_t n, float dt) {
    uint32_t i = 0;
#if defined(__SSE2__)
    const __m128 step = _mm_set1_ps(dt);
    for (; i + 4 <= n; i += 4)
        _mm_storeu_ps(p + i,
                      _mm_add_ps(_mm_loadu_ps(p + i), _mm_mul_ps(_mm_loadu_ps(v + i), step)));
#endif
    for (; i < n; ++i)
        p[i] += v[i] * dt;
}

// the parameters are arrays of n values
KEEL_SYSTEM_SPAN(integrate, KEEL_SPAN_COUNT(n), KEEL_WRITE(Position, p), KEEL_READ(Velocity, v),
                 KEEL_UNIQUE_READ(Time, time), KEEL_WITHOUT(Frozen)) {
    integrate_floats(&p->x, &v->x, n * 2, time->dt);
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_set_unique(world, Time, { 0.5f });
    keel_entity e[1000];
    keel_add_entities(world, 1000, e, KEEL_FILL(Position, { 1, 1 }), KEEL_FILL(Velocity, { 2, 4 }));
    for (int i = 0; i < 1000; i += 100)
        keel_add(world, e[i], Frozen);
    keel_run(world, integrate);

    uint32_t count = 0;
    float sum = 0;
    KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(n), KEEL_READ(Position, p)) {
        count += n;
        for (uint32_t i = 0; i < n; ++i)
            sum += p[i].y;
    }
    printf("%u values, sum of y %g\n", count, (double)sum); // 10 * 1 + 990 * 3
    keel_world_destroy(world);
    return 0;
}
