// SPDX-License-Identifier: MIT
// Running a schedule: node by node on one thread, or by a team.
#pragma once
#include "run/schedule.h"

// Run everything: KEEL_OK, or the first failure in linear order.
keel_result keeli_schedule_run(keeli_schedule *s);
// Has nothing failed that it depends on? Commands are part of their system: they are applied when
// that was well.
bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node);
// Run one node that may run.
keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_lane *lane);
