// SPDX-License-Identifier: MIT
// The workload: what happens to all bodies in one step.
//
// Each system names what it reads and writes, and Keel calls it for every entity that has it. None
// of them knows what a planet or an asteroid is.
#include "systems.h"
#include "components.h"
#include "dates.h"

// 1. The orbital elements at the time. Asteroids have no Drift: their ellipse stays as it was made.
KEEL_SYSTEM(update_orbit, KEEL_WRITE(Orbit, orbit), KEEL_READ(Drift, drift),
            KEEL_UNIQUE_READ(Clock, clock)) {
    const elements now = elements_at(&drift->at_j2000, &drift->per_century, clock->centuries);
    orbit->path = ellipse_of(&now);
}

KEEL_SYSTEM(update_mean_anomaly, KEEL_WRITE(Anomaly, anomaly), KEEL_READ(Motion, motion),
            KEEL_UNIQUE_READ(Clock, clock)) {
    anomaly->mean = motion->at_j2000 + motion->per_century * clock->centuries;
}

// Perturbations move a planet along its ellipse. Most bodies have none.
KEEL_SYSTEM(perturb, KEEL_WRITE(Anomaly, anomaly), KEEL_READ(Perturbation, perturbation),
            KEEL_UNIQUE_READ(Clock, clock)) {
    anomaly->mean += perturbations_at(&perturbation->list, clock->centuries);
}

// 2. Kepler's equation: from time to angle.
KEEL_SYSTEM(solve_kepler, KEEL_WRITE(Anomaly, anomaly), KEEL_READ(Orbit, orbit)) {
    const eccentric_anomaly solved = kepler_solve(anomaly->mean, orbit->path.e);
    anomaly->sine = solved.sine;
    anomaly->cosine = solved.cosine;
}

// 3. The position relative to the parent.
KEEL_SYSTEM(place_on_orbit, KEEL_WRITE(Local, local), KEEL_READ(Orbit, orbit),
            KEEL_READ(Anomaly, anomaly)) {
    const ellipse *path = &orbit->path;
    const double along = anomaly->cosine - path->e, across = anomaly->sine;
    local->x = along * path->p[0] + across * path->q[0];
    local->y = along * path->p[1] + across * path->q[1];
    local->z = along * path->p[2] + across * path->q[2];
}

// 4. The position relative to the centre: the own one plus those of all ancestors. Nobody waits for
// the parent's Position, so that this can be split, too. Only what moved is marked as changed.
KEEL_SYSTEM(place_in_space, KEEL_WRITE_MARKED(Position, position, changed), KEEL_READ(Local, local),
            KEEL_MAY_READ(keel_child), KEEL_ENTITY(body), KEEL_CONTEXT(context)) {
    Position next = { local->x, local->y, local->z };
    for (keel_entity parent = keel_parent_of(context, body); !keel_is_null(parent);
         parent = keel_parent_of(context, parent)) {
        const Local *origin = keel_get(context, parent, Local);
        if (!origin) break; // the centre is where it is
        next.x += origin->x;
        next.y += origin->y;
        next.z += origin->z;
    }
    *changed = position->x != next.x || position->y != next.y || position->z != next.z;
    if (*changed) *position = next;
}

// Steps that all asteroids go through are split over the threads; the result is the same.
KEEL_WORKLOAD(orrery, KEEL_STEP(update_orbit), KEEL_STEP(update_mean_anomaly, .parallel = true),
              KEEL_STEP(perturb), KEEL_STEP(solve_kepler, .parallel = true),
              KEEL_STEP(place_on_orbit, .parallel = true),
              KEEL_STEP(place_in_space, .parallel = true));

keel_result orrery_step(keel_world *world, double jd) {
    KEEL_TRY(keel_set_unique(world, Clock, { (jd - J2000) / DAYS_PER_CENTURY }));
    return keel_run_workload(world, orrery);
}
