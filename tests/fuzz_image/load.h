// SPDX-License-Identifier: MIT
// Byte strings as snapshots: see load.c.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Reads the bytes into a snapshot of a new world and, if they are valid, plays on. With `repairs`
// their hash is made right before. Aborts if the world is not sound afterwards, or if a refusal
// changed something. Returns 1 if the bytes were valid.
int load_bytes(const uint8_t *bytes, size_t size, int repairs);
// Writes a snapshot to begin with, at most `room` bytes, and returns its size. `which` chooses how
// long the world was played.
size_t load_sample(unsigned which, uint8_t *out, size_t room);
