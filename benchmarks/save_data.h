// SPDX-License-Identifier: MIT
// The columns of the save_ and load_ rows: 96 bytes of an entity.
#pragma once
#include "bench.h"

typedef struct SavedHealth {
    int32_t points, most;
} SavedHealth;
typedef struct SavedTarget { // a handle: index and version
    uint32_t index, version;
} SavedTarget;

enum { SAVE_COLUMNS = 5, SAVE_PIECE = 256 * 1024, SAVE_BYTES = 96 };
typedef struct save_data {
    Position *position;   // along paths
    Velocity *velocity;   // 30 % at rest, others into any direction
    Transform *transform; // turned by any angle, at the position
    SavedHealth *health;  // three quarters are well
    SavedTarget *target;  // of the last hundred; one of eight has none
    const void *columns[SAVE_COLUMNS];
    size_t size[SAVE_COLUMNS]; // of a value
} save_data;
void bench_save_data(save_data *data, uint32_t n);
void bench_save_data_free(save_data *data);
