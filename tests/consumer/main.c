// SPDX-License-Identifier: MIT
// The smallest program that uses Keel: the header, the library and their versions fit together.
#include <keel/keel.h>
#include <stdio.h>

int main(void) {
    int major = 0, minor = 0, patch = 0;
    sscanf(keel_version(), "%d.%d.%d", &major, &minor, &patch);
    keel_world *world = keel_world_create(NULL);
    if (world == NULL) return 1;
    keel_world_destroy(world);
    printf("keel %s\n", keel_version());
    return major == KEEL_VERSION_MAJOR && minor == KEEL_VERSION_MINOR && patch == KEEL_VERSION_PATCH
               ? 0
               : 1;
}
