// SPDX-License-Identifier: MIT
// The past: snapshots of the latest frames, which are looked at without moving the world.
#pragma once
#include "inspect.h"

// Keeps `frames` snapshots at most, in at most `bytes` of memory. NULL: out of memory.
keeli_past *keeli_past_create(keel_world *world, uint32_t frames, size_t bytes);
void keeli_past_destroy(keeli_past *past);
// Takes a snapshot of the world at the begin of a frame. What it knew of this frame and of later
// ones is forgotten.
void keeli_past_take(keeli_past *past, uint64_t frame);
// Restores the world to the begin of a frame, and forgets later frames.
keel_result keeli_past_restore(keeli_past *past, uint64_t frame);
// Returns the world as it was at the begin of a frame, or NULL. Call keeli_past_close afterwards.
const keel_world *keeli_past_open(keeli_past *past, uint64_t frame);
void keeli_past_close(keeli_past *past, uint64_t frame);
// The oldest and the newest frame; false if there is none.
bool keeli_past_range(const keeli_past *past, uint64_t *oldest, uint64_t *newest);
// Writes {"capacity","oldest","newest","bytes"}; `past` may be NULL.
void keeli_past_write(const keeli_past *past, keeli_out *out);

// Returns the world that a request asks for by its argument `frame`: the present one, or an image.
// NULL: the frame is not there, and the request has failed. keeli_past_leave ends the reading.
const keel_world *keeli_past_enter(keel_inspect *inspect, keeli_request *request,
                                   const char *argument, uint64_t *frame);
void keeli_past_leave(keel_inspect *inspect, uint64_t frame);
