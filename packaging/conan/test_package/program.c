// SPDX-License-Identifier: MIT
// The least that shows that headers and library fit: a world with one entity.
#include <keel/keel.h>
#include <stdio.h>

KEEL_TAG(Ship);

int main(void) {
    keel_world *world = keel_world_create(NULL);
    const keel_entity ship = keel_add_entity(world, KEEL_INIT(Ship));
    printf("Keel %s: %s\n", keel_version(), keel_has(world, ship, Ship) ? "a ship" : "no ship");
    keel_world_destroy(world);
    return 0;
}
