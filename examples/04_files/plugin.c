// SPDX-License-Identifier: MIT
// A plug-in that is loaded, run, unloaded and loaded again. Its copies of the descriptors are at
// other addresses each time, and still mean the same components.
#include "components.h"

#ifdef STALE // stands for: this plug-in was built when a velocity had three parts
typedef struct Velocity3 { float x, y, z; } Velocity3;
KEEL_COMPONENT(Velocity3, .name = "Velocity");
KEEL_SYSTEM(turn, KEEL_WRITE(Velocity3, v)) { v->x = -v->x; }
#else
KEEL_SYSTEM(turn, KEEL_WRITE(Velocity, v)) {
    v->x = -v->x;
    v->y = -v->y;
}
#endif

KEEL_API keel_result plugin_run(keel_world *world);
keel_result plugin_run(keel_world *world) { return keel_run(world, turn); }
