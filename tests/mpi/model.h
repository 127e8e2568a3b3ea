// SPDX-License-Identifier: MIT
// A model for tests of domains: entities see their neighbours, move, divide and die.
#pragma once
#include <keel_mpi.h>
#include <stdio.h>

// Numbers are integers, so that sums do not depend on the order of neighbours.
enum { SPACE = 1 << 20, REACH = 1 << 15, POPULATION = 120, STEPS = 120 };

typedef struct Place {
    int32_t x, y;
} Place;
typedef struct Speed {
    int32_t x, y;
} Speed;
typedef struct Life {
    uint32_t age, children;
} Life;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Speed, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Life, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_TAG(Red);
typedef struct Friend {
    keel_entity who; // the parent
    uint32_t lost;
} Friend;
KEEL_FIELDS(Friend, who, lost);
KEEL_COMPONENT(Friend, KEEL_HAS_FIELDS(Friend));

static uint64_t scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Pushes each entity away from those that it sees: harder the nearer they are; red ones push more.
KEEL_SYSTEM(push, KEEL_READ(Place, p), KEEL_WRITE(Speed, v), KEEL_WITHOUT(keel_ghost),
            KEEL_MAY_READ(Place, Red), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(Place, q), KEEL_ENTITY(e)) {
        const int32_t x = p->x - q->x, y = p->y - q->y;
        if (x > REACH || x < -REACH || y > REACH || y < -REACH) continue;
        const int32_t strength = keel_has(context, e, Red) ? 24 : 32;
        v->x += x / strength;
        v->y += y / strength;
    }
    v->x -= v->x / 4;
    v->y -= v->y / 4;
}

static void bounce(int32_t *at, int32_t *speed) {
    *at += *speed;
    if (*at < 0 || *at >= SPACE) *speed = -*speed;
    *at = *at < 0 ? 0 : *at >= SPACE ? SPACE - 1 : *at;
}
KEEL_SYSTEM(move, KEEL_WRITE(Place, p), KEEL_WRITE(Speed, v), KEEL_WITHOUT(keel_ghost)) {
    bounce(&p->x, &v->x);
    bounce(&p->y, &v->y);
}

// Notes the end of friends, on whatever rank they were.
KEEL_SYSTEM(mourn, KEEL_WRITE(Friend, f), KEEL_WITHOUT(keel_ghost), KEEL_CONTEXT(context)) {
    if (keel_is_null(f->who) || keel_is_alive(context, f->who)) return;
    ++f->lost;
    f->who = keel_null();
}

typedef struct Census {
    uint64_t alive;
    uint32_t red[2];
} Census;
static const Census nobody = { 0 };
KEEL_FIELDS(Census, alive, red);
KEEL_UNIQUE(Census, KEEL_HAS_FIELDS(Census), .initial = &nobody);

KEEL_SYSTEM_ONCE(begin_census, KEEL_UNIQUE_WRITE(Census, census)) { *census = nobody; }
KEEL_SYSTEM(take_census, KEEL_WITH(Place), KEEL_WITHOUT(keel_ghost),
            KEEL_UNIQUE_WRITE(Census, census), KEEL_ENTITY(e), KEEL_MAY_READ(Red),
            KEEL_CONTEXT(context)) {
    ++census->alive;
    ++census->red[keel_has(context, e, Red)];
}

// Uses the census of all ranks, of the step before.
KEEL_SYSTEM(live, KEEL_UNIQUE_READ(Census, census), KEEL_READ(Place, p), KEEL_READ(Speed, v),
            KEEL_WRITE(Life, life), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    const uint64_t chance = scramble(id->value);
    ++life->age;
    if (life->age == 5) {
        char name[24];
        (void)snprintf(name, sizeof name, "number %llu", (unsigned long long)id->value);
        keel_set_name(out, e, name);
    }
    if (life->age % 16 == 3) keel_disable(out, e, Friend);
    if (life->age % 16 == 11) keel_enable(out, e, Friend);
    if (life->age % 8 == 0) {
        if (life->age & 8) keel_add(out, e, Red);
        else keel_delete(out, e, Red);
    }
    if (life->age % 64 == chance % 64 && life->children < 2 &&
        census->alive < 2 * census->red[0] + 90)
        keel_add_entity(out, KEEL_INIT(keel_global_id, keel_child_id(*id, life->children++)),
                        KEEL_INIT(Place, *p), KEEL_INIT(Speed, { -v->y, v->x + 1000 }),
                        KEEL_INIT(Life, { 0, 0 }), KEEL_INIT(Friend, { e, 0 }));
    if (life->age > 80 + chance % 60) keel_delete_entity(out, e);
}
KEEL_WORKLOAD(tick, KEEL_STEP(mourn), KEEL_STEP(push), KEEL_STEP(move), KEEL_STEP(live),
              KEEL_STEP(begin_census), KEEL_STEP(take_census));

// Creates a world with the entities that this rank begins with.
static keel_world *new_world(keel_ranks ranks) {
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Place, Speed, Life, Red, Friend, keel_global_id, keel_ghost);
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, POPULATION, &count);
    for (uint64_t i = first; i < first + count; ++i) {
        const uint64_t z = scramble(i + 77);
        const Place place = { (int32_t)(z % SPACE / 4), (int32_t)(z >> 32) % SPACE & (SPACE - 1) };
        keel_add_entity(w, KEEL_INIT(keel_global_id, { i + 1 }), KEEL_INIT(Place, place),
                        KEEL_INIT(Speed, { 0, 0 }), KEEL_INIT(Life, { 0, 0 }));
    }
    return w;
}

static const keel_reduced reduced[] = { { KEEL_UNIQUE_OF(Census), KEEL_REDUCE_SUM },
                                        { NULL, KEEL_REDUCE_SUM } };

// Begins with a checkpoint, if there is one.
static keel_domain *begin_domain_from(keel_ranks ranks, keel_world *w, const char *restart,
                                      keel_error *error) {
    const keel_domain_desc desc = { .ranks = ranks,
                                    .position = KEEL_OF(Place),
                                    .halo = REACH,
                                    .ghosts = KEEL_LIST(Red),
                                    .reduced = reduced,
                                    .restart = restart,
                                    .error = error };
    return keel_domain_begin(w, &desc);
}
static inline keel_domain *begin_domain(keel_ranks ranks, keel_world *w, keel_error *error) {
    return begin_domain_from(ranks, w, NULL, error);
}
