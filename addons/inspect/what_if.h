// SPDX-License-Identifier: MIT
// The plan of a workload as if one of its systems did not use one storage.
#pragma once
#include "plan.h"

// Reads the plan of `workload`, with its edges, in which the system at a position lacks its terms
// about a storage. Nothing runs. False: the request has failed. keeli_plan_free in any case; its
// names stay valid until keeli_what_if_end.
typedef struct keeli_what_if keeli_what_if;
keeli_what_if *keeli_what_if_begin(keel_inspect *inspect, keeli_request *request,
                                   const keel_workload *workload, uint32_t position,
                                   const char *storage, keeli_plan *plan);
void keeli_what_if_end(keel_inspect *inspect, keeli_what_if *what_if);
