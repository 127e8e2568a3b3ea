// SPDX-License-Identifier: MIT
// A program for tools/keel_gdb.py to look at: gdb stops in `look`, and commands.gdb says what it
// prints each time. What must come out is in expected.txt.
#include <keel/keel.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Speed {
    int x;
} Speed;
typedef struct Health {
    int points;
} Health;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Speed, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Health, .storage = KEEL_INDEXED);
KEEL_TAG(Frozen);

// Not every gdb can call a function of the program on every machine, so commands.gdb prints this.
static const keel_error *error;

// Where gdb stops.
static void look(keel_world *world, keel_entity e, const keel_chunk *chunk) {
    (void)world;
    (void)e;
    (void)chunk;
}

KEEL_SYSTEM_ONCE(look_around, KEEL_WORLD(world)) { look(world, keel_null(), NULL); }
KEEL_SYSTEM_ONCE(give_up, KEEL_CONTEXT(context)) { keel_fail(context, NULL, "no fuel: %d", 0); }

// The first chunk of a view of these terms.
static void look_at_chunk(keel_world *world, const keel_term *terms) {
    keel_view view;
    keel_iterator it;
    if (keel_view_begin(&view, world, terms, "look_at_chunk") < 0) return;
    if (keel_iterator_begin(&it, &view) == KEEL_OK) {
        const keel_chunk *chunk = keel_iterator_next(&it);
        look(world, keel_null(), chunk);
    }
    keel_view_end(&view);
}

int main(void) {
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .name = "game", .worker_count = 1, .log = keel_log_none });
    if (!world) return 1;
    keel_entity stone = keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }));
    keel_entity old = keel_add_entity(world, KEEL_INIT(Position, { 9, 9 }));
    keel_delete_entity(world, old);
    keel_entity ship = keel_add_entity(world, KEEL_INIT(Position, { 3, 4 }),
                                       KEEL_INIT(Speed, { 5 }), KEEL_INIT(Health, { 6 }));
    keel_entity last = keel_add_entity(world, KEEL_INIT(Health, { 7 }));
    keel_add(world, ship, Frozen);
    keel_disable(world, last, Health);
    look(world, stone, NULL);
    look(world, old, NULL);
    look(world, ship, NULL);
    look(world, last, NULL);
    keel_run(world, look_around);
    keel_enable(world, last, Health);
    for (int i = 0; i < 20; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Health, { i }));
        if (i % 3) keel_add(world, e, Frozen);
    }
    look_at_chunk(world, KEEL_TERMS(KEEL_READ(Position, p), KEEL_ENTITY(e)));
    look_at_chunk(world, KEEL_TERMS(KEEL_READ(Health, h), KEEL_WITHOUT(Frozen), KEEL_ENTITY(e)));
    look_at_chunk(world, KEEL_TERMS(KEEL_READ(Health, h), KEEL_WITH(Frozen), KEEL_ENTITY(e)));
    keel_run(world, give_up);
    error = keel_last_error(world);
    keel_set_name(world, ship, "ship");
    look(world, ship, NULL);
    const bool is_right = keel_world_check(world, NULL) && keel_entity_count(world) == 23;
    keel_world_destroy(world);
    return is_right ? 0 : 2;
}
