// SPDX-License-Identifier: MIT
// The workload: what happens to all bodies in one step.
#pragma once
#include <keel/keel.h>

KEEL_WORKLOAD_DECLARE(orrery);

// Set the clock to a Julian date and run the workload.
keel_result orrery_step(keel_world *world, double jd);
