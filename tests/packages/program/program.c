// SPDX-License-Identifier: MIT
// A program against the installed packages: tests/packages/deb.sh builds it with pkg-config and
// with CMake.
#include <keel/keel.h>
#include <keel_json.h>
#include <stdio.h>
#include <string.h>

typedef struct Place {
    float x;
} Place;
KEEL_FIELDS(Place, x);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_SYSTEM(advance, KEEL_WRITE(Place, p)) { p->x += 1; }

int main(void) {
    keel_world *world = keel_world_create(NULL);
    const keel_entity ship = keel_add_entity(world, KEEL_INIT(Place, { 2 }));
    if (keel_run(world, advance) < 0) return 1;
    const Place *place = keel_get(world, ship, Place);
    if (!place || place->x != 3) return 1;
    printf("Keel %s: a ship at %g\n", keel_version(), (double)place->x);
    keel_world_destroy(world);
    char built_with[32];
    snprintf(built_with, sizeof built_with, "%d.%d.%d", KEEL_VERSION_MAJOR, KEEL_VERSION_MINOR,
             KEEL_VERSION_PATCH);
    return strcmp(keel_version(), built_with) != 0;
}
