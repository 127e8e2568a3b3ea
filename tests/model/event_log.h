// SPDX-License-Identifier: MIT
// The naive way to know what changed: every event in one plain list, which is read from where a
// reader stopped. Entities have small numbers here; a component's value is one number.
#pragma once
#include <keel/keel.h>

enum { MODEL_SLOTS = 64, MODEL_COMPONENTS = 4 };

typedef struct model_event {
    uint32_t kind; // one KEEL_TRACK_* bit
    uint32_t slot, component, value;
    keel_entity entity;
} model_event;

typedef struct event_log {
    model_event *events;
    uint32_t count, capacity;
    // who has what now
    keel_entity entities[MODEL_SLOTS]; // null: nobody
    bool has[MODEL_SLOTS][MODEL_COMPONENTS];
    uint32_t values[MODEL_SLOTS][MODEL_COMPONENTS];
} event_log;

void event_log_free(event_log *log);
// The entity gets a value: an insertion, or a modification.
void event_log_put(event_log *log, uint32_t slot, uint32_t component, uint32_t value);
void event_log_modify(event_log *log, uint32_t slot, uint32_t component);
// It loses its value, if it has one.
void event_log_take(event_log *log, uint32_t slot, uint32_t component, uint32_t kind);
// It is deleted with all it has.
void event_log_delete(event_log *log, uint32_t slot);

// What a reader sees that has read to these places: who has a value that was inserted, or modified.
typedef struct model_changes {
    bool inserted[MODEL_SLOTS], modified[MODEL_SLOTS];
} model_changes;
model_changes event_log_changes(const event_log *log, uint32_t component, uint32_t from_inserted,
                                uint32_t from_modified);
// The next removal or deletion from `*at` on of these kinds; NULL at the end.
const model_event *event_log_next_removed(const event_log *log, uint32_t component, uint32_t kinds,
                                          uint32_t *at);
