// SPDX-License-Identifier: MIT
// The systems of a storm. What an entity does depends on its id, the step and what it has or sees:
// never on the rank or on the order of entities. edit.c and die.c have the two that edit.
#include "storm.h"

// ------------------------------------------------------------------ what ghosts have
// Notes what this rank sees at the begin of the step.
KEEL_SYSTEM_ONCE(witness, KEEL_WORLD(w)) {
    const Weather *weather = keel_get_unique(w, Weather);
    storm_rank *rank = weather->rank;
    rank->owned.count = rank->ghosts.count = 0;
    KEEL_EACH(w, KEEL_READ(keel_global_id, id), KEEL_ENTITY(e)) {
        const keel_ghost *ghost = keel_get(w, e, keel_ghost);
        if (ghost && ghost->is_bare) continue;
        storm_see(ghost ? &rank->ghosts : &rank->owned, id->value,
                  storm_sight_of(w, weather->plan, e));
    }
}

// ------------------------------------------------------------------ neighbours
// What others see of an entity.
typedef struct tick_seen {
    uint64_t id, sight;
    keel_entity e;
    Place place;
} tick_seen;
typedef struct tick_list {
    tick_seen *items;
    uint32_t count;
} tick_list;
typedef struct tick_view {
    const Weather *weather;
    uint64_t own, key, sum, best;
    keel_entity who;
} tick_view;

static tick_list tick_list_of(keel_world *w, const storm_plan *plan) {
    tick_list list = { storm_room(NULL, keel_count(w, Place) + 1, sizeof *list.items), 0 };
    KEEL_EACH(w, KEEL_READ(Place, p), KEEL_READ(keel_global_id, id), KEEL_ENTITY(e))
        list.items[list.count++] =
            (tick_seen){ id->value, storm_scramble(id->value ^ storm_sight_of(w, plan, e)), e, *p };
    return list;
}

static void tick_see(tick_view *v, const tick_seen *other) {
    const uint64_t chance = storm_scramble(v->key ^ other->sight);
    v->sum += other->sight;
    if (other->id == v->own || (!keel_is_null(v->who) && chance >= v->best)) return;
    v->best = chance;
    v->who = other->e;
}

static bool tick_is_near(int32_t a, int32_t b, int32_t halo) {
    return a - b <= halo && b - a <= halo;
}

static tick_view tick_look(const tick_list *list, const Weather *weather, uint64_t own,
                           const Place *p) {
    const storm_plan *plan = weather->plan;
    tick_view v = { .weather = weather, .own = own };
    v.key = storm_chance(plan->seed, own, weather->step, 2);
    for (const tick_seen *q = list->items; q < list->items + list->count; ++q)
        if (tick_is_near(p->x, q->place.x, plan->halo) &&
            (plan->dimensions < 2 || tick_is_near(p->y, q->place.y, plan->halo)))
            tick_see(&v, q);
    return v;
}

// Notes all neighbours, and learns to know one of them.
static void tick_learn(keel_world *w, keel_entity e, const tick_view *v) {
    Seen *seen = keel_get_mut(w, e, Seen);
    if (seen) seen->hash = storm_scramble(seen->hash + v->sum);
    Knows *knows = v->weather->plan->is_rich ? keel_get_mut(w, e, Knows) : NULL;
    if (!knows || keel_is_null(v->who)) return;
    if (v->best % 3 == 0) knows->who[v->best / 3 % KNOWN] = v->who;
    if (v->best % 3 == 1) knows->pairs[v->best / 3 % 2] = (Pair){ (uint32_t)v->best, v->who };
}

// Forgets who died, and counts them.
static void tick_mourn(keel_world *w, keel_entity e) {
    Knows *knows = keel_get_mut(w, e, Knows);
    for (uint32_t i = 0; knows && i < KNOWN + 2; ++i) {
        keel_entity *who = i < KNOWN ? &knows->who[i] : &knows->pairs[i - KNOWN].other;
        if (keel_is_null(*who) || keel_is_alive(w, *who)) continue;
        ++knows->lost;
        if (i % 2) *who = keel_null(); // the others stay, and are counted again
    }
}

// All look before any learns, as ghosts are as their entities were at the begin of the step.
KEEL_SYSTEM_ONCE(look, KEEL_WORLD(w)) {
    const Weather weather = *keel_get_unique(w, Weather);
    storm_scene scene = storm_scene_begin(w);
    tick_list list = tick_list_of(w, scene.plan);
    tick_view *views = storm_room(NULL, scene.count + 1, sizeof *views);
    for (uint32_t i = 0; i < scene.count; ++i) {
        const keel_entity e = scene.actors[i].e;
        const Place *place = keel_get(w, e, Place);
        views[i] = (tick_view){ .weather = NULL };
        if (place && keel_is_null(storm_leader(w, scene.plan, e)))
            views[i] = tick_look(&list, &weather, scene.actors[i].id, place);
    }
    for (uint32_t i = 0; i < scene.count; ++i) {
        if (views[i].weather) tick_learn(w, scene.actors[i].e, &views[i]);
        if (scene.plan->is_rich) tick_mourn(w, scene.actors[i].e);
    }
    free(views);
    free(list.items);
    storm_scene_end(&scene);
}

// ------------------------------------------------------------------ places
static Place tick_place(const storm_plan *plan, uint64_t z) {
    if (z % 4) z = storm_scramble(plan->seed + z / 4 % plan->sites);
    return (Place){ (int32_t)(z >> 8 & (STORM_SPACE - 1)),
                    (int32_t)(z >> 32 & (STORM_SPACE - 1)) - STORM_SPACE / 2 };
}

KEEL_SYSTEM(jump, KEEL_WRITE(Place, p), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_UNIQUE_READ(Weather, weather)) {
    const uint64_t z = storm_chance(weather->plan->seed, id->value, weather->step, 3);
    if (z % 3 == 0) *p = tick_place(weather->plan, z / 3);
}

// ------------------------------------------------------------------ commands
// Edits by commands, as most systems do: of the entity itself only.
KEEL_SYSTEM(command, KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e),
            KEEL_UNIQUE_READ(Weather, weather), KEEL_COMMANDS(out)) {
    const storm_plan *plan = weather->plan;
    const uint64_t z = storm_chance(plan->seed, id->value, weather->step, 5);
    if (!storm_has(plan, STORM_COMMANDS)) return;
    if (z % 8 == 0) keel_add(out, e, Red);
    if (z % 8 == 1) keel_delete(out, e, Red);
    if (z % 8 == 2) keel_add(out, e, Mood, { z });
    if (z % 16 == 3) keel_disable(out, e, Mood);
    if (z % 16 == 4) keel_enable(out, e, Mood);
    if (z % 128 == 5)
        keel_add_entity(out, KEEL_INIT(keel_global_id, keel_child_id(*id, 5000 + weather->step)),
                        KEEL_INIT(Place, { (int32_t)(z >> 8 & 0xFFFF), 3 }),
                        KEEL_INIT(Life, { weather->step, 0, 4, 0 }));
}

// Comes after the other deaths: who died of them does nothing any more in plain Keel, and here an
// owner may not know of it before the end of the step.
KEEL_SYSTEM(retire, KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e),
            KEEL_UNIQUE_READ(Weather, weather), KEEL_COMMANDS(out)) {
    const storm_plan *plan = weather->plan;
    const uint64_t z = storm_chance(plan->seed, id->value, weather->step, 8);
    // a deletion that is refused would fail the step
    const bool may_be_refused =
        plan->on_parent_delete == KEEL_REFUSE || storm_has(plan, STORM_BOLTS);
    if (storm_has(plan, STORM_COMMANDS) && !may_be_refused && z % 128 == 6)
        keel_delete_entity(out, e);
}

KEEL_SYSTEM_DECLARE(edit);
KEEL_SYSTEM_DECLARE(die);
KEEL_WORKLOAD(storm_tick, KEEL_STEP(witness), KEEL_STEP(look), KEEL_STEP(edit), KEEL_STEP(jump),
              KEEL_STEP(command), KEEL_STEP(die), KEEL_STEP(retire));
