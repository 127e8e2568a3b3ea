// SPDX-License-Identifier: MIT
#include "model/event_log.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

void event_log_free(event_log *log) {
    free(log->events);
    memset(log, 0, sizeof *log);
}

static void append(event_log *log, uint32_t kind, uint32_t slot, uint32_t component) {
    if (log->count == log->capacity) {
        log->capacity = log->capacity ? log->capacity * 2 : 1024;
        log->events = realloc(log->events, log->capacity * sizeof *log->events);
        assert_non_null(log->events);
    }
    log->events[log->count++] =
        (model_event){ kind, slot, component, log->values[slot][component], log->entities[slot] };
}

void event_log_put(event_log *log, uint32_t slot, uint32_t component, uint32_t value) {
    const bool had = log->has[slot][component];
    log->has[slot][component] = true;
    log->values[slot][component] = value;
    append(log, had ? KEEL_TRACK_MODIFICATION : KEEL_TRACK_INSERTION, slot, component);
}

void event_log_modify(event_log *log, uint32_t slot, uint32_t component) {
    append(log, KEEL_TRACK_MODIFICATION, slot, component);
}

void event_log_take(event_log *log, uint32_t slot, uint32_t component, uint32_t kind) {
    if (!log->has[slot][component]) return;
    append(log, kind, slot, component);
    log->has[slot][component] = false;
}

void event_log_delete(event_log *log, uint32_t slot) {
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
        event_log_take(log, slot, c, KEEL_TRACK_DELETION);
    log->entities[slot] = keel_null();
}

// Read the list once for each of the two.
static void read_from(const event_log *log, uint32_t component, uint32_t kind, uint32_t from,
                      bool *marks) {
    for (uint32_t i = from; i < log->count; ++i) {
        const model_event *e = &log->events[i];
        if (e->component != component) continue;
        if (e->kind == KEEL_TRACK_MODIFICATION && kind == KEEL_TRACK_INSERTION) continue;
        marks[e->slot] = e->kind == kind; // what comes and goes in between has no mark
    }
}

model_changes event_log_changes(const event_log *log, uint32_t component, uint32_t from_inserted,
                                uint32_t from_modified) {
    model_changes c;
    memset(&c, 0, sizeof c);
    read_from(log, component, KEEL_TRACK_INSERTION, from_inserted, c.inserted);
    read_from(log, component, KEEL_TRACK_MODIFICATION, from_modified, c.modified);
    return c;
}

const model_event *event_log_next_removed(const event_log *log, uint32_t component, uint32_t kinds,
                                          uint32_t *at) {
    while (*at < log->count) {
        const model_event *e = &log->events[(*at)++];
        if (e->component == component && e->kind & kinds) return e;
    }
    return NULL;
}
