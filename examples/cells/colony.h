// SPDX-License-Identifier: MIT
// The parts of the colony: components, relations, uniques, and the workload of one step (colony.c).
// play.c steps it on all ranks.
//
// The result is the same for any number of ranks and threads. All numbers are integers; what a cell
// feels is summed up, in no order; chance is a hash of ids, the step and the seed; a system writes only
// cells that its rank owns. Cells are born and die in the last system, so that nobody sees it before
// the next step, as it is with cells of other ranks.
#pragma once
#include "touch.h"
#include <keel_mpi.h>

enum { COLONY_SIDE = 1 << 30 }; // of the plane; the colony begins in the middle

// ---- cells --------------------------------------------------------------------------------------
typedef struct Place {
    int32_t x, y;
} Place;

// What others see of a cell.
typedef struct Skin {
    int32_t radius;
    uint32_t clone; // the number of the founder
} Skin;

// What happens to a cell at the end of the step.
typedef enum colony_fate { FATE_LIVES, FATE_DIVIDES, FATE_DIES } colony_fate;

typedef struct Body {
    uint32_t age; // steps
    uint32_t generation;
    uint32_t children; // ids that were given to children, and to the nucleus
    uint32_t growth;   // of the radius, in this step
    uint32_t fate;
} Body;

// What the cell feels in this step.
typedef struct Feeling {
    int32_t x, y; // the way that neighbours and bonds move it
    uint32_t pressure;
} Feeling;

// The genes of a nucleus, an entity without a place. Each bit of the last eight makes growth faster.
typedef struct Genome {
    uint32_t word;
} Genome;

// ---- relations ----------------------------------------------------------------------------------
// From a cell to its mother. A cell whose mother dies lives on, without this edge.
KEEL_RELATION(DaughterOf, .exclusive = true, .on_delete = KEEL_UNRELATE);
// From a nucleus to its cell. It goes to other ranks with the cell (`.together`), and dies with it.
KEEL_RELATION(NucleusOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);
// Between two cells that hold each other. The ends may be on two ranks: both do the same to it.
typedef struct Bound {
    int32_t rest; // how far apart they want to be
} Bound;
KEEL_VALUED_RELATION(Bound, .symmetric = true, .no_padding = true);

// ---- uniques ------------------------------------------------------------------------------------
// The rules of the model, the same on all ranks, and the step that is played.
typedef struct Rules {
    uint64_t seed, step;
    uint64_t cells; // that there is food for
    uint64_t founders;
} Rules;

// Counts of all cells: on all ranks, after a step.
typedef struct Census {
    uint64_t cells, births, deaths;
    uint64_t daughters; // whose mother lived in this step
    uint64_t bond_ends; // two for each bond
} Census;

// The deepest generation of cells that lived in this step, on all ranks.
typedef struct Depth {
    uint32_t generation;
} Depth;

// Births and deaths until the step before, the same on all ranks.
typedef struct History {
    uint64_t births, deaths;
} History;

// Where the cells are in a step. It is made anew each step, so it is neither copied nor hashed.
typedef struct Sight {
    touch_grid *now;
} Sight;

KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Census, cells, births, deaths, daughters, bond_ends);
KEEL_FIELDS(Depth, generation);
KEEL_COMPONENT(Place, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Skin, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Body, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Feeling, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Genome, .no_padding = true);
KEEL_UNIQUE(Rules, .no_padding = true);
KEEL_UNIQUE(Census, .no_padding = true, KEEL_HAS_FIELDS(Census));
KEEL_UNIQUE(Depth, .no_padding = true, KEEL_HAS_FIELDS(Depth));
KEEL_UNIQUE(History, .no_padding = true);
KEEL_UNIQUE(Sight, .transient = true);

KEEL_WORKLOAD_DECLARE(colony_step);

// Makes the world know all components and relations, and sets the uniques. `grid` lives as long as the
// world. An error is keel_last_error of the world.
keel_result colony_begin(keel_world *world, const Rules *rules, touch_grid *grid);

// Adds this rank's share of the founders.
keel_result colony_add_founders(keel_world *world, keel_ranks ranks, const Rules *rules);
