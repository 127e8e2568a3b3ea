// SPDX-License-Identifier: MIT
// The cells: how they begin, and the systems of a step. play.c calls it.
#include "colony.h"

enum {
    LIFE = 160,        // steps that every cell may live, and by chance up to twice as many
    FULL = 5000,       // pressure at which a cell does not grow
    CRUSHING = 6000,   // pressure from which on it may die
    KIN = 4,           // of so many pairs that touch one can hold each other
    RELAX_EVERY = 8,   // steps between two changes of the rest length of a bond
};

// ---- chance -------------------------------------------------------------------------------------

// The purpose of a random number. Numbers for other purposes have nothing in common.
typedef enum purpose { FOR_X = 1, FOR_Y, FOR_GENOME, FOR_LIFE, FOR_CRUSH, FOR_WAY, FOR_MUTATION, FOR_BOND } purpose;

static uint64_t colony_scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Returns a random number that depends on nothing but its arguments.
static uint64_t colony_random(const Rules *rules, purpose what, uint64_t id, uint64_t step) {
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t z = colony_scramble(rules->seed + odd * (uint64_t)what);
    z = colony_scramble(z + odd * id);
    return colony_scramble(z + odd * step);
}

// ---- what cells feel ----------------------------------------------------------------------------

KEEL_SYSTEM_ONCE(begin_step, KEEL_UNIQUE_WRITE(Rules, rules), KEEL_UNIQUE_WRITE(Sight, sight), KEEL_UNIQUE_WRITE(History, history),
                 KEEL_UNIQUE_READ(Census, census)) {
    ++rules->step;
    history->births += census->births;
    history->deaths += census->deaths;
    touch_clear(sight->now);
}

// Sorts all cells into a grid as they are before anybody moves: also ghosts, which touch cells of this
// rank.
KEEL_SYSTEM_ONCE(sort_cells, KEEL_UNIQUE_WRITE(Sight, sight), KEEL_MAY_READ(Place, Skin, keel_global_id), KEEL_CONTEXT(context)) {
    bool has_memory = true;
    KEEL_EACH(context, KEEL_READ(Place, p), KEEL_READ(Skin, skin), KEEL_READ(keel_global_id, id), KEEL_ENTITY(e))
        has_memory &= touch_add(sight->now, p->x, p->y, (touch_cell){ e.bits, id->value, skin->radius, skin->clone });
    if (!has_memory || !touch_sort(sight->now))
        keel_fail(context, NULL, "no memory for %u cells: take fewer --cells", (unsigned)sight->now->count);
}

KEEL_SYSTEM(feel, KEEL_WRITE(Feeling, feeling), KEEL_READ(Place, p), KEEL_READ(Skin, skin), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost), KEEL_UNIQUE_READ(Sight, sight)) {
    const touch_sums sums = touch_feel(sight->now, p->x, p->y, skin->radius, id->value);
    *feeling = (Feeling){ sums.push.x, sums.push.y, sums.pressure };
}

// ---- bonds --------------------------------------------------------------------------------------

// Returns the same number for both ends of a bond.
static uint64_t random_of_pair(const Rules *rules, uint64_t id, uint64_t other) {
    return colony_random(rules, FOR_BOND, id ^ other, 0);
}

// Tears the bond that has become too long, or lets its rest length change. The owner of the other end
// sees the same places, and does the same.
static void keep_bond(keel_commands *out, keel_entity e, keel_entity other, const touch_way *between, const Bound *bond, int32_t rest) {
    if (!between || touch_length(*between) > TOUCH_REACH) keel_unrelate(out, e, Bound, other);
    else if (rest) keel_relate(out, e, Bound, other, { bond->rest + (rest - bond->rest) / 4 });
}

// A cell keeps its bonds, and holds cells of its clone that touch it.
KEEL_SYSTEM(bind, KEEL_READ(Place, p), KEEL_READ(Skin, skin), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_ENTITY(e), KEEL_UNIQUE_READ(Sight, sight), KEEL_UNIQUE_READ(Rules, rules), KEEL_CONTEXT(context),
            KEEL_MAY_READ(Place, Skin, keel_global_id, Bound), KEEL_COMMANDS(out, Bound)) {
    KEEL_EACH_TARGET(context, e, Bound, other, bond) {
        const Place *q = keel_get(context, other, Place); // NULL: it is a ghost that is out of sight
        const Skin *its = keel_get(context, other, Skin);
        const keel_global_id *its_id = keel_get(context, other, keel_global_id);
        const touch_way between = q ? touch_between(p->x, p->y, q->x, q->y) : (touch_way){ 0, 0 };
        const bool changes = its && (random_of_pair(rules, id->value, its_id->value) + rules->step) % RELAX_EVERY == 0;
        keep_bond(out, e, other, q ? &between : NULL, bond, changes ? skin->radius + its->radius : 0);
    }
    touch_walk walk = touch_begin(sight->now, p->x, p->y, skin->radius, id->value);
    for (const touch_cell *cell; (cell = touch_next(&walk)) != NULL;) {
        const keel_entity other = { (keel_entity_bits)cell->entity };
        if (cell->kind != skin->clone || random_of_pair(rules, id->value, cell->key) % KIN) continue;
        if (!keel_is_related(context, e, Bound, other)) keel_relate(out, e, Bound, other, { (int32_t)walk.distance });
    }
}

KEEL_SYSTEM(pull, KEEL_WRITE(Feeling, feeling), KEEL_READ(Place, p), KEEL_WITH(Bound), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e),
            KEEL_CONTEXT(context), KEEL_MAY_READ(Place, Bound)) {
    KEEL_EACH_TARGET(context, e, Bound, other, bond) {
        const Place *q = keel_get(context, other, Place);
        if (!q) continue;
        const touch_way way = touch_pull(touch_between(p->x, p->y, q->x, q->y), bond->rest);
        feeling->x += way.x;
        feeling->y += way.y;
    }
}

// ---- life ---------------------------------------------------------------------------------------

static uint32_t bits_of(uint32_t word) {
    uint32_t count = 0;
    for (; word; word &= word - 1)
        ++count;
    return count;
}

// The genes of a nucleus, the room around its cell, and the food that is left say how fast it grows.
KEEL_SYSTEM(grow, KEEL_READ(Genome, genome), KEEL_OF_TARGET(NucleusOf, KEEL_READ(Feeling, feeling)),
            KEEL_OF_TARGET(NucleusOf, KEEL_WRITE(Body, body)), KEEL_UNIQUE_READ(Rules, rules), KEEL_UNIQUE_READ(Census, census)) {
    const uint64_t food = census->cells < rules->cells ? rules->cells - census->cells : 0;
    const uint64_t room = feeling->pressure < FULL ? FULL - feeling->pressure : 0;
    const uint64_t speed = 32 + 4 * bits_of(genome->word & 0xff);
    body->growth = (uint32_t)(speed * room / FULL * food / rules->cells);
}

static uint32_t fate_of(const Rules *rules, uint64_t id, const Body *body, const Skin *skin, uint32_t pressure) {
    if (body->age > LIFE + colony_random(rules, FOR_LIFE, id, 0) % LIFE) return FATE_DIES;
    if (pressure > CRUSHING && colony_random(rules, FOR_CRUSH, id, rules->step) % 16384 < pressure - CRUSHING) return FATE_DIES;
    return skin->radius >= TOUCH_GROWN ? FATE_DIVIDES : FATE_LIVES;
}

// Moves and grows cells, and decides on what happens to them.
KEEL_SYSTEM(move, KEEL_WRITE(Place, p), KEEL_WRITE(Skin, skin), KEEL_WRITE(Body, body), KEEL_READ(Feeling, feeling),
            KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost), KEEL_UNIQUE_READ(Rules, rules)) {
    const touch_way way = touch_shorten((touch_way){ feeling->x, feeling->y }, TOUCH_FASTEST);
    p->x += way.x;
    p->y += way.y;
    skin->radius += (int32_t)body->growth;
    if (skin->radius > TOUCH_GROWN) skin->radius = TOUCH_GROWN;
    ++body->age;
    body->fate = fate_of(rules, id->value, body, skin, feeling->pressure);
}

KEEL_SYSTEM_ONCE(begin_census, KEEL_UNIQUE_WRITE(Census, census), KEEL_UNIQUE_WRITE(Depth, depth)) {
    *census = (Census){ .cells = 0 };
    *depth = (Depth){ 0 };
}

// Counts the cells of this rank. The domain adds up the counts of all ranks after the step.
KEEL_SYSTEM(take_census, KEEL_READ(Body, body), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e), KEEL_CONTEXT(context),
            KEEL_MAY_READ(Bound, DaughterOf), KEEL_UNIQUE_WRITE(Census, census), KEEL_UNIQUE_WRITE(Depth, depth)) {
    const bool is_born = body->fate == FATE_DIVIDES, is_dead = body->fate == FATE_DIES;
    census->births += is_born;
    census->deaths += is_dead;
    census->cells += is_dead ? 0 : is_born ? 2 : 1;
    census->daughters += !keel_is_null(keel_target_of(context, e, DaughterOf));
    census->bond_ends += keel_target_count(context, e, Bound);
    if (body->generation > depth->generation) depth->generation = body->generation;
}

// Returns a way to a random side.
static touch_way way_by_chance(uint64_t random, int32_t length) {
    const touch_way way = { (int32_t)(random & 0xffff) - 0x8000, (int32_t)(random >> 16 & 0xffff) - 0x8000 };
    return touch_shorten(way, length);
}

static uint32_t mutate(const Rules *rules, uint32_t word, uint64_t id) {
    const uint64_t random = colony_random(rules, FOR_MUTATION, id, rules->step);
    return random % 4 ? word : word ^ 1u << (random >> 32 & 31);
}

// Adds a cell with its nucleus.
static keel_entity add_cell(keel_scope *out, keel_global_id id, Place place, Skin skin, uint32_t generation, uint32_t word) {
    const keel_entity e = keel_add_entity(out, KEEL_INIT(keel_global_id, id), KEEL_INIT(Place, place), KEEL_INIT(Skin, skin),
                                          KEEL_INIT(Body, { .generation = generation, .children = 1 }), KEEL_INIT(Feeling, { 0, 0, 0 }));
    const keel_entity nucleus = keel_add_entity(out, KEEL_INIT(keel_global_id, keel_child_id(id, 0)), KEEL_INIT(Genome, { word }));
    keel_relate(out, nucleus, NucleusOf, e);
    return e;
}

// Divides cells, and deletes dead ones, whose nuclei die with them. It is the last system, and the
// domain gives cells that left the region to other ranks after the step.
KEEL_SYSTEM(fulfil, KEEL_WRITE(Place, p), KEEL_WRITE(Skin, skin), KEEL_WRITE(Body, body), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e), KEEL_UNIQUE_READ(Rules, rules), KEEL_CONTEXT(context),
            KEEL_MAY_READ(NucleusOf, Genome), KEEL_COMMANDS(out)) {
    if (body->fate == FATE_DIES) keel_delete_entity(out, e);
    if (body->fate != FATE_DIVIDES) return;
    const keel_global_id own = keel_child_id(*id, body->children++);
    const touch_way way = way_by_chance(colony_random(rules, FOR_WAY, id->value, rules->step), TOUCH_BORN / 2);
    uint32_t word = 0;
    KEEL_EACH_SOURCE(context, e, NucleusOf, nucleus) word = keel_get(context, nucleus, Genome)->word;
    skin->radius = TOUCH_BORN;
    const keel_entity child = add_cell(KEEL_SCOPE(out), own, (Place){ p->x + way.x, p->y + way.y }, *skin, body->generation + 1,
                                       mutate(rules, word, own.value));
    keel_relate(out, child, DaughterOf, e);
    p->x -= way.x;
    p->y -= way.y;
}

KEEL_WORKLOAD(colony_step, KEEL_STEP(begin_step), KEEL_STEP(sort_cells), KEEL_STEP(feel, .parallel = true),
              KEEL_STEP(bind, .parallel = true), KEEL_STEP(pull, .parallel = true), KEEL_STEP(grow), KEEL_STEP(move, .parallel = true),
              KEEL_STEP(begin_census), KEEL_STEP(take_census), KEEL_STEP(fulfil));

// ---- how it begins ------------------------------------------------------------------------------

keel_result colony_begin(keel_world *world, const Rules *rules, touch_grid *grid) {
    KEEL_TRY(keel_register(world, Place, Skin, Body, Feeling, Genome, DaughterOf, NucleusOf, Bound, keel_global_id, keel_ghost));
    KEEL_TRY(keel_set_unique(world, Rules, *rules));
    KEEL_TRY(keel_set_unique(world, Census, { .cells = rules->founders }));
    KEEL_TRY(keel_set_unique(world, Depth, { 0 }));
    KEEL_TRY(keel_set_unique(world, History, { 0, 0 }));
    return keel_set_unique(world, Sight, { grid });
}

keel_result colony_add_founders(keel_world *world, keel_ranks ranks, const Rules *rules) {
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, rules->founders, &count);
    const uint32_t side = 4 * TOUCH_GROWN * (1 + touch_root(rules->founders)), corner = COLONY_SIDE / 2 - side / 2;
    for (uint64_t id = first + 1; id <= first + count; ++id) {
        const Place place = { (int32_t)(corner + colony_random(rules, FOR_X, id, 0) % side),
                              (int32_t)(corner + colony_random(rules, FOR_Y, id, 0) % side) };
        const uint32_t word = (uint32_t)colony_random(rules, FOR_GENOME, id, 0);
        const Skin skin = { TOUCH_BORN, (uint32_t)id - 1 };
        if (keel_is_null(add_cell(KEEL_SCOPE(world), (keel_global_id){ id }, place, skin, 0, word)))
            return keel_last_error(world)->result;
    }
    return KEEL_OK;
}
