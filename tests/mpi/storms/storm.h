// SPDX-License-Identifier: MIT
// A storm: what its seed says (plan.c), the systems that blow (tick.c, edit.c, die.c), and how what
// entities have is compared with the same storm in plain Keel (census.c, check.c). play.c plays it.
#pragma once
#include "parts.h"

// ------------------------------------------------------------------ the plan
// The kinds of edits. A storm has some of them, so that each meets each other, and few others.
typedef enum storm_kind {
    STORM_VALUES,
    STORM_ADDING,
    STORM_DISABLING,
    STORM_REQUIRED,
    STORM_BIRTHS,
    STORM_NAMES,
    STORM_TREES,
    STORM_PLACES,
    STORM_DEATHS,
    STORM_SCRATCH,
    STORM_COMMANDS,
    STORM_POOR, // all below need fields with handles or relations
    STORM_KNOWING = STORM_POOR,
    STORM_EDGES,
    STORM_VALUED,
    STORM_HOOKS,
    STORM_PARTS,
    STORM_CASCADES,
    STORM_BONDS,
    STORM_PREFABS,
    STORM_BOLTS,
    STORM_KILLS,
    STORM_LETTERS,
    STORM_KINDS
} storm_kind;
enum { STORM_SPACE = 1 << 16, STORM_MOST_RANKS = 8, STORM_PROBLEM = 240 };

typedef struct storm_plan {
    uint64_t seed, transport;
    uint32_t ranks, later_ranks; // `later_ranks`: after the restart
    uint32_t entities, steps;
    uint32_t restart_after; // so many steps; 0: no restart
    uint32_t balance_every; // so many steps; 0: never
    uint32_t dimensions, sites;
    int32_t halo;
    uint32_t kinds; // bits
    keel_on_delete on_parent_delete;
    bool is_rich;        // it has components with handles, and relations
    bool is_verbose;     // all problems are printed
    bool has_circles;    // entities may follow each other in a circle
    bool has_order;      // followers keep their order: not in circles, at a restart
    bool shows_required; // ghosts have components that others require
} storm_plan;
// Draws the plan of a seed.
storm_plan storm_plan_of(uint64_t seed);
static inline bool storm_has(const storm_plan *plan, storm_kind kind) {
    return plan->kinds >> kind & 1;
}

static inline uint64_t storm_scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
// Returns a random number of an entity, a step and a purpose: the same on all ranks.
static inline uint64_t storm_chance(uint64_t seed, uint64_t id, uint32_t step, uint32_t purpose) {
    const uint64_t z = storm_scramble(seed + step * 0x9e3779b97f4a7c15u + purpose);
    return storm_scramble(z ^ storm_scramble(id + 1));
}

// ------------------------------------------------------------------ what is seen
typedef struct storm_sight {
    uint64_t id, hash; // of what ghosts have
} storm_sight;
typedef struct storm_sights {
    storm_sight *items;
    uint32_t count, room;
} storm_sights;
// The state of one rank beside its world.
typedef struct storm_rank {
    const storm_plan *plan;
    keel_domain *domain;        // NULL: plain Keel
    storm_sights owned, ghosts; // at the begin of the step
    uint64_t *were_owned;       // ids at the end of the step before, in order
    uint32_t were_count;
    char problem[STORM_PROBLEM]; // empty: none
} storm_rank;
// What systems have to know.
typedef struct Weather {
    const storm_plan *plan;
    storm_rank *rank;
    uint32_t step;
} Weather;
KEEL_UNIQUE(Weather, .transient = true);
KEEL_WORKLOAD_DECLARE(storm_tick);

// Keeps a problem, if it is the first.
void storm_problem(storm_rank *rank, const char *format, ...);

// ------------------------------------------------------------------ entities
static inline uint64_t storm_id(const keel_world *w, keel_entity e) {
    const keel_global_id *id = keel_get(w, e, keel_global_id);
    return id ? id->value : 0;
}
static inline bool storm_is_ghost(const keel_world *w, keel_entity e) {
    return keel_has(w, e, keel_ghost);
}
// An entity that this rank owns.
typedef struct storm_actor {
    uint64_t id, group; // those of a group are on one rank
    keel_entity e;
} storm_actor;
typedef struct storm_scene {
    keel_world *w;
    const storm_plan *plan;
    uint32_t step, count, mate_count;
    storm_actor *actors, *mates; // by id; by group and id, without letters
} storm_scene;
storm_scene storm_scene_begin(keel_world *w);
void storm_scene_end(storm_scene *scene);
// Returns the entity that this one follows, or null.
keel_entity storm_leader(const keel_world *w, const storm_plan *plan, keel_entity e);
// True if the first entity follows the second, or is it.
bool storm_follows(const keel_world *w, const storm_plan *plan, keel_entity e, keel_entity leader);
// Gives the entity a name that no other has.
void storm_name(keel_world *w, keel_entity e);
// Adds an entity of the begin: the same on whatever rank.
void storm_add(keel_world *w, const storm_plan *plan, uint64_t id);
// Registers the components, and makes the prefabs.
void storm_register(keel_world *w, const storm_plan *plan);

// What an entity has: a number for each aspect.
enum { STORM_ASPECTS = 40 };
typedef struct storm_record {
    uint64_t id, aspects[STORM_ASPECTS];
} storm_record;
typedef struct storm_census {
    storm_record *items; // by id
    uint32_t count, room;
} storm_census;
const char *storm_aspect_name(uint32_t aspect); // NULL behind the last
// Returns what the entities have that this rank owns.
storm_census storm_census_of(keel_world *w, const storm_plan *plan, storm_rank *rank);
// Returns a number of what a ghost has to have.
uint64_t storm_sight_of(keel_world *w, const storm_plan *plan, keel_entity e);
// Returns a number that stands for the entity of a handle: the same on all ranks.
uint64_t storm_number(const keel_world *w, keel_entity e);
void storm_see(storm_sights *sights, uint64_t id, uint64_t hash);

// The same storm in plain Keel: what entities have at the end of each step.
typedef struct storm_plain {
    const storm_plan *plan;
    storm_census *censuses; // of each step
    uint64_t *hashes;
    uint32_t steps;
} storm_plain;

// Looks for what is wrong on this rank.
void storm_check_rank(keel_world *w, storm_rank *rank, uint32_t step);
// Looks for ghosts that nothing refers to, after a balance.
void storm_check_leaks(keel_world *w, storm_rank *rank);
// Gathers what all ranks have on rank 0, which compares it with plain Keel. Returns false on all
// ranks if something is wrong; the problem is that of rank 0.
bool storm_compare(keel_ranks ranks, keel_world *w, storm_rank *rank, const storm_plain *plain,
                   uint32_t step);
// Plays a storm in plain Keel.
storm_plain storm_play_plain(const storm_plan *plan);
void storm_plain_free(storm_plain *plain);
// Plays a part of a storm on ranks: `data` is a storm_part.
typedef struct storm_part {
    const storm_plan *plan;
    const storm_plain *plain; // rank 0 has it
    const char *folder;       // of the checkpoint
    uint32_t begin, end;      // steps; from 0: no restart
    bool saves;               // at the end
    char problem[STORM_PROBLEM];
} storm_part;
keel_rank_fn storm_play;
void *storm_room(void *old, size_t count,
                 size_t size); // from realloc; it ends the program if there is none
