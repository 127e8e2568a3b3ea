// SPDX-License-Identifier: MIT
// You will learn: a game loop as a workload; looking at other entities from a system; creating and
// deleting entities while systems run (commands); parents and children; a unique for the time.
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

typedef struct Position { float x, y; } Position;
typedef struct Velocity { float x, y; } Velocity;
typedef struct Health { int points; } Health;
typedef struct Lifetime { float left; } Lifetime;
typedef struct Turret { float angle, reload; keel_entity target; } Turret;
typedef struct Time { float dt, now; } Time;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_COMPONENT(Health);
KEEL_COMPONENT(Lifetime);
KEEL_COMPONENT(Turret);
KEEL_TAG(Bullet); // a component without a value
KEEL_TAG(Tank);
KEEL_UNIQUE(Time); // one value, of no entity

// once per run
KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Time, time)) { time->now += time->dt; }

// once per entity
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v), KEEL_UNIQUE_READ(Time, time)) {
    p->x += v->x * time->dt;
    p->y += v->y * time->dt;
}

// a turret reads its tank's and its target's position: other entities, so it says so
KEEL_SYSTEM(aim, KEEL_WRITE(Turret, turret), KEEL_OF_TARGET(keel_child, KEEL_READ(Position, from)),
            KEEL_MAY_READ(Position), KEEL_CONTEXT(context)) {
    const Position *to = keel_get(context, turret->target, Position); // NULL: it was deleted
    if (to) turret->angle = atan2f(to->y - from->y, to->x - from->x);
}

// entities are created later, when the system has ended: the verbs are the same
KEEL_SYSTEM(shoot, KEEL_WRITE(Turret, turret), KEEL_OF_TARGET(keel_child, KEEL_READ(Position, at)),
            KEEL_UNIQUE_READ(Time, time), KEEL_COMMANDS(commands), KEEL_CONTEXT(context)) {
    turret->reload -= time->dt;
    if (turret->reload > 0 || !keel_is_alive(context, turret->target)) return;
    turret->reload = 1;
    const Velocity aim = { cosf(turret->angle), sinf(turret->angle) };
    keel_add_entity(commands, KEEL_INIT(Position, { at->x + aim.x * 2, at->y + aim.y * 2 }),
                    KEEL_INIT(Velocity, { aim.x * 10, aim.y * 10 }),
                    KEEL_INIT(Lifetime, { .left = 2 }), KEEL_INIT(Bullet));
}

// two sets against each other: one task, two loops
KEEL_SYSTEM_ONCE(hit, KEEL_MAY_READ(Position, Bullet, Tank), KEEL_MAY_WRITE(Health),
          KEEL_COMMANDS(commands), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(Position, b), KEEL_WITH(Bullet), KEEL_ENTITY(bullet)) {
        KEEL_EACH(context, KEEL_READ(Position, t), KEEL_WRITE(Health, health), KEEL_WITH(Tank),
                  KEEL_ENTITY(tank)) {
            if (hypotf(b->x - t->x, b->y - t->y) > 1.5f) continue;
            health->points -= 10;
            keel_delete_entity(commands, bullet);
            if (health->points <= 0) keel_delete_tree(commands, tank); // and its turret
            break; // the bullet is spent; this leaves the inner loop
        }
    }
}

KEEL_SYSTEM(expire, KEEL_WRITE(Lifetime, life), KEEL_UNIQUE_READ(Time, time), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    life->left -= time->dt;
    if (life->left <= 0) keel_delete_entity(commands, e);
}

KEEL_WORKLOAD(frame, KEEL_STEP(tick), KEEL_STEP(move), KEEL_STEP(aim), KEEL_STEP(shoot),
              KEEL_STEP(hit), KEEL_STEP(expire));

static keel_entity add_tank(keel_world *world, float x, float speed) {
    keel_entity tank =
        keel_add_entity(world, KEEL_INIT(Position, { x, 0 }), KEEL_INIT(Velocity, { speed, 0 }),
                        KEEL_INIT(Health, { 20 }), KEEL_INIT(Tank));
    keel_add_child(world, tank, KEEL_INIT(Turret, { .reload = 0.5f }));
    return tank;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_set_unique(world, Time, { .dt = 0.1f });
    keel_entity red = add_tank(world, 0, 0.5f), blue = add_tank(world, 5, 0);
    KEEL_EACH_CHILD(world, red, child) keel_get_mut(world, child, Turret)->target = blue;
    for (int i = 0; i < 40; ++i)
        if (keel_run_workload(world, frame) < 0) {
            fprintf(stderr, "%s\n", keel_last_error(world)->message);
            return 1;
        }
    printf("blue %s, red %s, %u entities\n", keel_is_alive(world, blue) ? "alive" : "destroyed",
           keel_is_alive(world, red) ? "alive" : "destroyed", keel_entity_count(world));
    keel_world_destroy(world);
    return 0;
}
