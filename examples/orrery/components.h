// SPDX-License-Identifier: MIT
// What the entities of the orrery are made of. Every body is one entity: the Sun, planets, moons and
// asteroids differ only in which of these they have.
//
//                Name  Drift  Motion  Orbit  Anomaly  Local  Position  Asteroid   parent
//   the centre    x                                             x                 none
//   planet, moon  x      x      x       x       x       x       x                 as in the file
//   asteroid                    x       x       x       x       x         x       the centre
//
// A planet that others pull noticeably has a Perturbation too.
#pragma once
#include "kepler.h"
#include "perturbations.h"
#include <keel/keel.h>

// What the file calls it. The text belongs to the list of bodies.
typedef struct Name {
    const char *text;
} Name;

// Elements that change slowly: at J2000, and per Julian century.
typedef struct Drift {
    elements at_j2000, per_century;
} Drift;

// The mean anomaly at J2000, and per Julian century; radians.
typedef struct Motion {
    double at_j2000, per_century;
} Motion;

// What other planets do to the mean longitude.
typedef struct Perturbation {
    perturbations list;
} Perturbation;

// The ellipse about the parent, now.
typedef struct Orbit {
    ellipse path;
} Orbit;

// Where on the ellipse, now: the mean anomaly in, the eccentric anomaly out.
typedef struct Anomaly {
    double mean;
    double sine, cosine; // of the eccentric anomaly
} Anomaly;

// Position relative to the parent, au, ecliptic of J2000.
typedef struct Local {
    double x, y, z;
} Local;

// Position relative to the centre, au, ecliptic of J2000.
typedef struct Position {
    double x, y, z;
} Position;

// The time that everything above called "now".
typedef struct Clock {
    double centuries; // Julian centuries since J2000
} Clock;

// The body that has no parent.
typedef struct Centre {
    keel_entity body;
} Centre;

// What --threads must not change is compared with keel_world_hash, which wants to know which bytes of
// a value count: all of them, those of fields, or what a hook says.
static inline uint64_t hash_of_name(const void *value, void *hook_data) {
    (void)hook_data;
    uint64_t hash = 0xCBF29CE484222325u; // FNV-1a of the text: the address means nothing
    for (const char *at = ((const Name *)value)->text; *at; ++at)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    return hash;
}
KEEL_FIELDS(elements, a, e, i, L, peri, node);
KEEL_FIELDS(ellipse, e, p, q);
KEEL_FIELDS(Drift, KEEL_FIELD(at_j2000, .of = KEEL_TYPE(elements)), KEEL_FIELD(per_century, .of = KEEL_TYPE(elements)));
KEEL_FIELDS(Motion, at_j2000, per_century);
KEEL_FIELDS(Orbit, KEEL_FIELD(path, .of = KEEL_TYPE(ellipse)));
KEEL_FIELDS(Anomaly, mean, sine, cosine);
KEEL_FIELDS(Local, x, y, z);
KEEL_FIELDS(Position, x, y, z);
KEEL_FIELDS(Centre, body);
KEEL_FIELDS(Clock, centuries);
KEEL_FIELDS(Perturbation, list.count, KEEL_FIELD(list.terms, .bytes = true));

KEEL_COMPONENT(Name, .hash = hash_of_name);
KEEL_COMPONENT(Drift, KEEL_HAS_FIELDS(Drift), .no_padding = true);
KEEL_COMPONENT(Motion, KEEL_HAS_FIELDS(Motion), .no_padding = true);
KEEL_COMPONENT(Perturbation, KEEL_HAS_FIELDS(Perturbation));
KEEL_COMPONENT(Orbit, KEEL_HAS_FIELDS(Orbit), .no_padding = true);
KEEL_COMPONENT(Anomaly, KEEL_HAS_FIELDS(Anomaly), .no_padding = true);
KEEL_COMPONENT(Local, KEEL_HAS_FIELDS(Local), .no_padding = true);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position), .no_padding = true);
KEEL_TAG(Asteroid);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock), .no_padding = true);
KEEL_UNIQUE(Centre, KEEL_HAS_FIELDS(Centre), .no_padding = true);
