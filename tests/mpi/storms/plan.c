// SPDX-License-Identifier: MIT
// Draws what happens in a storm from its seed, and makes the world that it begins with.
#include "storm.h"

#include <stdio.h>

// ------------------------------------------------------------------ the plan
static uint32_t plan_below(uint64_t *random, uint32_t end) {
    *random += 0x9e3779b97f4a7c15u;
    return (uint32_t)(storm_scramble(*random) >> 33) % end;
}

// Takes kinds away that do not go together: a deletion that is refused depends on the order of
// deletions, so that all of it has to be on one rank.
static uint32_t plan_mend_kinds(uint32_t kinds, storm_plan *plan) {
    const uint32_t far = 1u << STORM_KILLS | 1u << STORM_CASCADES | 1u << STORM_PARTS;
    if (!plan->is_rich) kinds &= (1u << STORM_POOR) - 1;
    if (plan->on_parent_delete == KEEL_REFUSE) kinds &= ~(1u << STORM_LETTERS);
    if (plan->on_parent_delete == KEEL_REFUSE || kinds >> STORM_BOLTS & 1) kinds &= ~far;
    return kinds;
}

storm_plan storm_plan_of(uint64_t seed) {
    uint64_t random = storm_scramble(seed * 3 + 1);
    storm_plan plan = { .seed = seed };
    plan.ranks = 1 + plan_below(&random, STORM_MOST_RANKS);
    if (plan.ranks == 1) plan.ranks = 1 + plan_below(&random, STORM_MOST_RANKS);
    plan.later_ranks = 1 + plan_below(&random, STORM_MOST_RANKS);
    plan.entities = 10 + plan_below(&random, plan_below(&random, 3) ? 90 : 391);
    plan.steps = 10 + plan_below(&random, 51);
    plan.restart_after = plan_below(&random, 4) ? 0 : 1 + plan_below(&random, plan.steps - 1);
    plan.balance_every = plan_below(&random, 4) ? 1 + plan_below(&random, 12) : 0;
    plan.dimensions = 1 + (plan_below(&random, 4) > 0);
    plan.sites = 1 + plan_below(&random, plan_below(&random, 2) ? 12 : 100);
    plan.halo = plan_below(&random, 4) ? (int32_t)plan_below(&random, STORM_SPACE / 4) : 0;
    plan.is_rich = plan_below(&random, 8) > 0;
    plan.shows_required = plan_below(&random, 2);
    static const keel_on_delete rules[] = { KEEL_UNRELATE, KEEL_DELETE_SOURCES, KEEL_UNRELATE,
                                            KEEL_DELETE_SOURCES, KEEL_REFUSE };
    plan.on_parent_delete = rules[plan_below(&random, 5)];
    const bool has_all = plan_below(&random, 4) == 0;
    for (uint32_t i = 0; i < STORM_KINDS; ++i)
        if (has_all ? i != STORM_BOLTS : plan_below(&random, 5) < (i == STORM_BOLTS ? 1 : 2))
            plan.kinds |= 1u << i;
    plan.transport = plan_below(&random, 3) ? 0 : seed; // 0: no rank waits on purpose
    plan.has_circles = plan_below(&random, 3) == 0;
    plan.has_order = !plan.has_circles || !plan.restart_after;
    plan.kinds = plan_mend_kinds(plan.kinds, &plan);
    return plan;
}

// ------------------------------------------------------------------ the world at the begin
void storm_register(keel_world *w, const storm_plan *plan) {
    keel_register(w, Place, Life, Mood, Mixed, Wide, Seen, Red, Rare, Aim);
    keel_register(w, Sniper, Zoom, Barrel, Scratch, Mail);
    (void)keel_register_component(w, KEEL_UNIQUE_OF(Weather));
    if (!plan->is_rich) return;
    keel_register(w, Knows, Diary, Title, Gun, Part, Hung, Bolt, Likes);
    keel_register(w, Owes, Home, Letter, Log, Guards, Fans, Friend, Married, Whim);
    keel_world *t = keel_templates(w);
    const keel_entity tank = keel_add_entity(t, KEEL_INIT(Mood, { 3 }), KEEL_INIT(Red));
    const keel_entity bullet = keel_add_entity(t, KEEL_INIT(Rare));
    const keel_entity gun = keel_add_child(t, tank, KEEL_INIT(Gun, { bullet }));
    keel_set_name(t, tank, "tank");
    keel_set_name(t, gun, "gun");
    keel_set_name(t, bullet, "bullet");
}

void storm_add(keel_world *w, const storm_plan *plan, uint64_t id) {
    const uint64_t z = storm_chance(plan->seed, id, 0, 1);
    const Place place = { (int32_t)(z % STORM_SPACE), (int32_t)(z >> 32) & (STORM_SPACE - 1) };
    const keel_entity e =
        keel_add_entity(w, KEEL_INIT(keel_global_id, { id }), KEEL_INIT(Place, place),
                        KEEL_INIT(Life, { 0, 0, 0, 0 }), KEEL_INIT(Seen, { id }));
    if (z >> 20 & 1) keel_add(w, e, Mood, { id });
    if (z >> 21 & 1) keel_add(w, e, Mixed, { (uint8_t)id, z });
    if (z >> 22 & 1) keel_add(w, e, Red);
    if (plan->is_rich) keel_add(w, e, Knows, { .lost = 0 });
    if (plan->is_rich && z >> 23 & 1) keel_add(w, e, Diary, { NULL, 0 });
    if (plan->is_rich && z >> 24 & 1) keel_add(w, e, Title, { parts_text(z), keel_null() });
    if (z >> 25 & 1) storm_name(w, e);
}

void storm_name(keel_world *w, keel_entity e) {
    char name[32];
    (void)snprintf(name, sizeof name, "n%llx", (unsigned long long)storm_id(w, e));
    keel_set_name(w, e, name);
}
