// SPDX-License-Identifier: MIT
#include "data/removal_log.h"

#include <string.h>

void keeli_removal_log_init(keeli_removal_log *log, uint32_t size, uint32_t align) {
    *log = (keeli_removal_log){ .size = size, .align = align, .limit = KEELI_REMOVAL_LIMIT };
}

// ------------------------------------------------------------------ entries that go
static void drop_first(keeli_removal_log *log) {
    const keeli_gone *entry = keeli_removal_log_at(log, 0);
    if (entry->deleted && log->drop) log->drop(keeli_removal_log_value(log, entry), log->hook_data);
    log->first = log->first + 1 < log->capacity ? log->first + 1 : 0;
    --log->count;
    ++log->passed;
    log->passed_tick = entry->tick;
}

static bool world_has_passed(const keeli_removal_log *log, const keeli_gone *entry) {
    return entry->tick <= (entry->deleted ? log->cleared_deleted : log->cleared_removed);
}

// A world that never looks does not hold up what others read.
static bool is_passed(const keeli_removal_log *log, const keeli_gone *entry) {
    if (!world_has_passed(log, entry) && (log->world_reads || !log->readers.count)) return false;
    for (uint32_t i = 0; i < log->readers.count; ++i)
        if (log->readers.items[i].reader->last < entry->tick) return false;
    return true;
}

void keeli_removal_log_settle(keeli_removal_log *log) {
    while (log->count && is_passed(log, keeli_removal_log_at(log, 0))) {
        log->world_missed += !world_has_passed(log, keeli_removal_log_at(log, 0));
        drop_first(log);
    }
}

void keeli_removal_log_clear(keeli_removal_log *log) {
    while (log->count)
        drop_first(log);
}

// The oldest goes although somebody has not seen it.
static const keeli_reader *drop_unseen(keeli_removal_log *log) {
    const keeli_gone *entry = keeli_removal_log_at(log, 0);
    const keeli_reader *late = NULL;
    log->world_missed += !world_has_passed(log, entry);
    for (uint32_t i = 0; i < log->readers.count; ++i) {
        keeli_log_reader *r = &log->readers.items[i];
        if (r->reader->last >= entry->tick) continue;
        if (r->since != r->reader->last) r->missed = 0;
        r->since = r->reader->last;
        ++r->missed;
        if (!r->is_told && !late) late = r->reader, r->is_told = true;
    }
    drop_first(log);
    return late;
}

// ------------------------------------------------------------------ room
static void move_values(const keeli_removal_log *log, char *to) {
    for (uint32_t i = 0; log->size && i < log->count; ++i) {
        const keeli_gone *entry = keeli_removal_log_at(log, i);
        char *value = to + (size_t)i * log->size;
        if (!entry->deleted) continue;
        if (log->move) log->move(value, keeli_removal_log_value(log, entry), log->hook_data);
        else memcpy(value, keeli_removal_log_value(log, entry), log->size);
    }
}

static void free_memory(keeli_removal_log *log, keeli_heap *heap) {
    keeli_free(heap, log->entries, log->capacity * sizeof *log->entries, _Alignof(keeli_gone));
    keeli_free(heap, log->values, (size_t)log->capacity * log->size, log->align);
    log->bytes -= (size_t)log->capacity * (sizeof *log->entries + log->size);
}

static bool resize(keeli_removal_log *log, keeli_heap *heap, uint32_t capacity) {
    keeli_gone *entries = keeli_new(heap, capacity * sizeof *entries, _Alignof(keeli_gone));
    char *values = log->size ? keeli_new(heap, (size_t)capacity * log->size, log->align) : NULL;
    if (!entries || (log->size && !values)) {
        keeli_free(heap, entries, capacity * sizeof *entries, _Alignof(keeli_gone));
        keeli_free(heap, values, (size_t)capacity * log->size, log->align);
        return false;
    }
    for (uint32_t i = 0; i < log->count; ++i)
        entries[i] = *keeli_removal_log_at(log, i);
    move_values(log, values);
    free_memory(log, heap);
    log->bytes += (size_t)capacity * (sizeof *log->entries + log->size);
    log->entries = entries;
    log->values = values;
    log->capacity = capacity;
    log->first = 0;
    return true;
}

bool keeli_removal_log_reserve(keeli_removal_log *log, keeli_heap *heap, uint32_t extra) {
    uint64_t need = (uint64_t)log->count + extra;
    if (need <= log->capacity || log->capacity >= log->limit) return true;
    keeli_removal_log_settle(log);
    need = (uint64_t)log->count + extra;
    if (need <= log->capacity) return true;
    uint64_t capacity = log->capacity ? log->capacity : 16;
    while (capacity < need)
        capacity *= 2;
    return resize(log, heap, capacity < log->limit ? (uint32_t)capacity : log->limit);
}

bool keeli_removal_log_set_limit(keeli_removal_log *log, keeli_heap *heap, uint32_t limit,
                                 uint32_t values) {
    if (limit < log->capacity) {
        while (log->count > limit)
            (void)drop_unseen(log);
        if (!resize(log, heap, limit)) return false;
    }
    log->limit = limit;
    return keeli_removal_log_reserve(log, heap, values);
}

const keeli_reader *keeli_removal_log_append(keeli_removal_log *log, keel_entity e, uint64_t tick,
                                             bool deleted, void *value) {
    const keeli_reader *late = NULL;
    if (log->count == log->capacity) keeli_removal_log_settle(log);
    if (log->count == log->capacity) late = drop_unseen(log);
    keeli_gone *entry = keeli_removal_log_at(log, log->count++);
    *entry = (keeli_gone){ e, tick, deleted };
    if (!deleted || !log->size) return late;
    void *to = keeli_removal_log_value(log, entry);
    if (log->move) log->move(to, value, log->hook_data);
    else memcpy(to, value, log->size);
    return late;
}

// ------------------------------------------------------------------ readers
static keeli_log_reader *find(const keeli_removal_log *log, const keeli_reader *reader) {
    for (uint32_t i = 0; i < log->readers.count; ++i)
        if (log->readers.items[i].reader == reader) return &log->readers.items[i];
    return NULL;
}

// One that comes late may have missed all that went before.
static uint64_t missed_before(const keeli_removal_log *log, const keeli_reader *reader) {
    return log->passed_tick > reader->last ? log->passed : 0;
}

bool keeli_removal_log_join(keeli_removal_log *log, keeli_heap *heap, const keeli_reader *reader) {
    if (find(log, reader)) return true;
    if (!KEELI_RESERVE(heap, &log->readers, 1)) return false;
    log->readers.items[log->readers.count++] = (keeli_log_reader){
        .reader = reader, .missed = missed_before(log, reader), .since = reader->last
    };
    return true;
}

void keeli_removal_log_leave(keeli_removal_log *log, const keeli_reader *reader) {
    keeli_log_reader *r = find(log, reader);
    if (r) *r = log->readers.items[--log->readers.count];
}

uint64_t keeli_removal_log_missed(const keeli_removal_log *log, const keeli_reader *reader) {
    if (!reader) return log->world_missed;
    const keeli_log_reader *r = find(log, reader);
    if (!r) return missed_before(log, reader);
    return r->since == reader->last ? r->missed : 0;
}

// ------------------------------------------------------------------ the whole
void keeli_removal_log_deinit(keeli_removal_log *log, keeli_heap *heap) {
    keeli_removal_log_clear(log);
    free_memory(log, heap);
    KEELI_RELEASE(heap, &log->readers);
    log->entries = NULL;
    log->values = NULL;
    log->capacity = log->first = 0;
}

bool keeli_removal_log_is_valid(const keeli_removal_log *log) {
    if (log->count > log->capacity || log->capacity > log->limit) return false;
    if (log->capacity && log->first >= log->capacity) return false;
    for (uint32_t i = 1; i < log->count; ++i)
        if (keeli_removal_log_at(log, i)->tick < keeli_removal_log_at(log, i - 1)->tick)
            return false;
    return true;
}
