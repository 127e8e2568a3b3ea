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

// 4. The position relative to the centre: that of the parent and the own one. Parents come first, so
// that theirs is there. Only what moved is marked as changed. (keel::transform does this for maps of
// floats, and only below what changed; here nearly everything moves, and takes doubles.)
KEEL_SYSTEM(place_in_space, KEEL_TARGETS_FIRST(keel_child),
            KEEL_WRITE_MARKED(Position, position, changed), KEEL_READ(Local, local),
            KEEL_UP(keel_child, KEEL_READ(Position, origin))) {
    const Position next = { origin->x + local->x, origin->y + local->y, origin->z + local->z };
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
