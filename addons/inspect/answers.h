// SPDX-License-Identifier: MIT
// The answers of keel::inspect, one function for each path of the protocol. routes.c lists them.
#pragma once
#include "inspect.h"

keeli_answer_fn keeli_answer_world;                        // answer_world.c
keeli_answer_fn keeli_answer_entities;                     // answer_entities.c
keeli_answer_fn keeli_answer_entity;                       // answer_entity.c
keeli_answer_fn keeli_answer_systems, keeli_answer_system; // answer_systems.c
keeli_answer_fn keeli_answer_workload;                     // answer_workload.c
keeli_answer_fn keeli_answer_frames;                       // answer_frames.c
keeli_answer_fn keeli_answer_query;                        // answer_query.c
keeli_answer_fn keeli_answer_changes;                      // answer_changes.c
keeli_answer_fn keeli_answer_diff;                         // answer_diff.c
keeli_answer_fn keeli_answer_watch;                        // answer_watch.c
keeli_answer_fn keeli_answer_save;                         // answer_save.c
keeli_answer_fn keeli_answer_set, keeli_answer_add, keeli_answer_remove, keeli_answer_disable,
    keeli_answer_delete, keeli_answer_spawn, keeli_answer_relate, keeli_answer_unrelate,
    keeli_answer_track; // edits.c
keeli_answer_fn keeli_answer_pause, keeli_answer_play, keeli_answer_step,
    keeli_answer_back; // control.c

// Writes the members of an entity that a stream sends, too (answer_entity.c).
void keeli_write_entity(keeli_out *out, const keel_world *world, keel_entity entity);
