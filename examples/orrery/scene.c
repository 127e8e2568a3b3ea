// SPDX-License-Identifier: MIT
// What a picture shows: plain data, collected from a world.
#include "scene.h"
#include "components.h"
#include "dates.h"
#include <stdlib.h>

static void collect_bodies(scene *into, keel_world *world, const body_list *list) {
    const double centuries = (into->to_jd - into->from_jd) / DAYS_PER_CENTURY;
    // Name has the fewest values, so that its order is the order of the loop: that of the list.
    KEEL_EACH(world, KEEL_READ(Name, name), KEEL_READ(Position, position), KEEL_OPTIONAL_READ(Local, local),
              KEEL_OPTIONAL_READ(Orbit, orbit), KEEL_OPTIONAL_READ(Anomaly, anomaly), KEEL_OPTIONAL_READ(Motion, motion)) {
        const int k = into->body_count++;
        scene_body *added = &into->bodies[k];
        *added = (scene_body){ .name = name->text, .parent = list->items[k].parent };
        added->x = position->x;
        added->y = position->y;
        if (!local || !orbit || !anomaly || !motion) continue; // the centre
        added->local_x = local->x;
        added->local_y = local->y;
        added->path = orbit->path;
        added->mean = anomaly->mean;
        added->swept = motion->per_century * centuries;
    }
}

bool scene_collect(scene *collected, keel_world *world, const body_list *list, double from_jd,
                   double to_jd) {
    const size_t dust_count = keel_count(world, Asteroid);
    *collected = (scene){ .from_jd = from_jd, .to_jd = to_jd };
    collected->bodies = calloc((size_t)list->count, sizeof *collected->bodies);
    collected->dust = calloc(dust_count + 1, sizeof *collected->dust); // + 1: never of size 0
    if (!collected->bodies || !collected->dust) return false;
    collect_bodies(collected, world, list);
    KEEL_EACH(world, KEEL_READ(Position, position), KEEL_WITH(Asteroid))
        collected->dust[collected->dust_count++] =
            (scene_dust){ (float)position->x, (float)position->y };
    return true;
}

void scene_free(scene *collected) {
    free(collected->bodies);
    free(collected->dust);
    *collected = (scene){ 0 };
}
