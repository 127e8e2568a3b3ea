// SPDX-License-Identifier: MIT
// The smallest program that uses keel::transform.
#include <keel_transform.h>
#include <stdio.h>

int main(void) {
    keel_world *world = keel_world_create(NULL);
    const keel_entity ship =
        keel_add_entity(world, KEEL_INIT(keel_local_2d, { { 1, 0, 0, 1, 3, 4 } }));
    const keel_entity gun =
        keel_add_child(world, ship, KEEL_INIT(keel_local_2d, { { 1, 0, 0, 1, 2, 0 } }));
    const keel_result result = keel_run_workload(world, keel_transform_2d);
    const keel_global_2d *global = keel_get(world, gun, keel_global_2d);
    const int is_right = result == KEEL_OK && global && global->map.e == 5 && global->map.f == 4;
    keel_world_destroy(world);
    puts(is_right ? "transform: ok" : "transform: wrong");
    return !is_right;
}
