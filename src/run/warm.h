// SPDX-License-Identifier: MIT
// Which thread comes to run what decides how much memory each of them needs. After a run of several
// threads there is as much to spare as any order would have needed, so that the next runs allocate
// nothing.
#pragma once
#include "run/team.h"

// `workloads` of those that are being run are this one: 1 or 0.
void keeli_warm_begin(keel_world *world, int32_t workloads);
// Nothing of the team runs any more. `splits`: so many systems of the run may be split at once.
void keeli_warm_end(keeli_team *team, uint32_t splits);
