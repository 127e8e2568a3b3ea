// SPDX-License-Identifier: MIT
// What the public interface does not tell.
#pragma once
#include <keel/workload.h>

// Small systems would all be run by one thread, once that is known.
void forget_costs(keel_world *world);
// The systems of a workload that ran, in their linear order; ends with NULL.
void find_order(const keel_world *world, const keel_workload *table, const keel_system **order);
// A hash of all that decides what happens next.
uint64_t state_of(const keel_world *world);
