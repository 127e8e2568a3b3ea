// SPDX-License-Identifier: MIT
// The public functions for timings of systems: they switch timings on and off, read the entries one
// by one, or write all entries to a file as a trace. run/call.c measures, and writes the entries.
#include "run/workers.h"
#include "tell/describe.h"
#include "world/borrow.h"
#include "world/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_CAPACITY = 16384 };

static size_t timings_size(uint32_t capacity) {
    return sizeof(keeli_timings) + (size_t)capacity * sizeof(keel_timing);
}

// ------------------------------------------------------------------ on and off
void keeli_timings_deinit(keel_world *world) {
    keeli_timings *t = world->workloads.timings;
    if (!t)
        return;
    keeli_lock_deinit(&t->lock);
    keeli_free(&world->heap, t, timings_size(t->capacity), _Alignof(keeli_timings));
    world->workloads.timings = NULL;
}

static keel_result check_at_rest(keel_world *world) {
    return keeli_world_is_at_rest(world, "timings cannot be switched on or off");
}

keel_result keel_timings_begin(keel_world *world, uint32_t capacity) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(check_at_rest(world));
    if (!capacity)
        capacity = DEFAULT_CAPACITY;
    if (capacity > KEEL_MAX_TIMINGS)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "timings cannot keep %" PRIu32 " entries; KEEL_MAX_TIMINGS is %u",
                            capacity, KEEL_MAX_TIMINGS);

    keeli_timings *t = keeli_new(&world->heap, timings_size(capacity), _Alignof(keeli_timings));
    if (!t)
        return keeli_out_of_memory(world, "making room for timings");
    memset(t, 0, sizeof *t);
    t->capacity = capacity;
    keeli_lock_init(&t->lock);
    t->origin = keeli_clock_ns();
    keeli_timings_deinit(world);
    world->workloads.timings = t;
    return KEEL_OK;
}

keel_result keel_timings_end(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(check_at_rest(world));
    keeli_timings_deinit(world);
    return KEEL_OK;
}

bool keel_timings_now(const keel_world *world, uint64_t *now) {
    if (!now)
        return false;
    *now = 0;
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return false;
    }
    if (!world->workloads.timings)
        return false;
    *now = keeli_timings_time(world);
    return true;
}

// ------------------------------------------------------------------ reading
// Reads the next entry whose system has ended. False if there is none yet. Called with the lock.
static bool read_timing(const keeli_timings *t, keel_timings_cursor *cursor, keel_timing *out) {
    const uint64_t oldest = t->count > t->capacity ? t->count - t->capacity : 0;
    if (cursor->next > t->count)
        cursor->next = 0; // timings were switched off and on again
    if (cursor->next < oldest) {
        cursor->missed += oldest - cursor->next;
        cursor->next = oldest;
    }
    if (cursor->next == t->count)
        return false;

    const keel_timing *entry = &t->ring[cursor->next % t->capacity];
    if (!entry->end)
        return false; // the system still runs; later entries wait, to keep the order
    *out = *entry;
    ++cursor->next;
    return true;
}

bool keel_timings_next(keel_world *world, keel_timings_cursor *cursor, keel_timing *out) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return false;
    }
    if (!cursor || !out) {
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "keel_timings_next needs a cursor and a place for the entry");
        return false;
    }

    keeli_timings *t = world->workloads.timings;
    if (!t)
        return false;
    keeli_lock_acquire(&t->lock);
    const bool is_there = read_timing(t, cursor, out);
    keeli_lock_release(&t->lock);
    return is_there;
}

// ------------------------------------------------------------------ the trace
// Writes a name, which may have any bytes, as a string of JSON. False when out of memory. Only a
// long name of a world allocates memory: names in timings are shorter than 48 bytes.
static bool write_text(keel_world *world, FILE *file, const char *text) {
    char part[512];
    keeli_writer w = keeli_writer_begin(part, sizeof part);
    keeli_write_json_string(&w, text);
    if (w.length < sizeof part) {
        fputs(part, file);
        return true;
    }

    const size_t size = w.length + 1;
    char *all = keeli_new(&world->heap, size, 1);
    if (!all)
        return false;
    w = keeli_writer_begin(all, size);
    keeli_write_json_string(&w, text);
    fputs(all, file);
    keeli_free(&world->heap, all, size, 1);
    return true;
}

// Writes a time as a member, in microseconds. The decimal point does not depend on the locale.
static void write_time(FILE *file, const char *key, uint64_t ns) {
    fprintf(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

typedef KEELI_ARRAY(uint64_t) numbers;

// Writes the name of the entry's thread, if that is not in `named` yet. False when out of memory.
static bool name_thread(keel_world *world, FILE *file, numbers *named, const keel_timing *entry) {
    for (uint32_t i = 0; i < named->count; ++i)
        if (named->items[i] == entry->thread)
            return true;
    if (!KEELI_RESERVE(&world->heap, named, 1))
        return false;
    *KEELI_APPEND(named) = entry->thread;
    fprintf(file,
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%" PRIu64
            ",\"args\":{\"name\":\"worker %" PRIu32 "\"}},\n",
            entry->thread, entry->worker);
    return true;
}

static void write_entry(keel_world *world, FILE *file, const keel_timing *entry) {
    fputs("{\"ph\":\"X\",\"name\":", file);
    (void)write_text(world, file, entry->system);
    fputs(",\"cat\":", file);
    (void)write_text(world, file, *entry->workload ? entry->workload : "keel_run");
    write_time(file, "ts", entry->begin);
    write_time(file, "dur", entry->end - entry->begin);
    fprintf(file,
            ",\"pid\":1,\"tid\":%" PRIu64 ",\"args\":{\"frame\":%" PRIu64 ",\"worker\":%" PRIu32
            "}},\n",
            entry->thread, entry->frame, entry->worker);
}

// Writes all entries. False when out of memory. The caller checks for errors of the file.
static bool write_events(keel_world *world, FILE *file) {
    numbers named = { 0 };
    keel_timings_cursor cursor = { 0 };
    keel_timing entry;
    bool fits = true;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);

    // no more entries than the ring has, because other threads may add entries all the time
    for (uint32_t i = 0; fits && i < world->workloads.timings->capacity; ++i) {
        if (!keel_timings_next(world, &cursor, &entry))
            break;
        fits = name_thread(world, file, &named, &entry);
        write_entry(world, file, &entry);
    }

    fputs("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":", file);
    fits = fits && write_text(world, file, world->name);
    fputs("}}\n]}\n", file);
    KEELI_RELEASE(&world->heap, &named);
    return fits;
}

static keel_result file_error(keel_world *world, const char *path, int reason) {
    return keeli_error(world, KEEL_ERROR_FILE, "cannot write the trace '%s': %s", path,
                       strerror(reason)); // NOLINT(concurrency-mt-unsafe): known numbers only
}

keel_result keel_timings_write_trace(keel_world *world, const char *path) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!path)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the path of the trace is NULL");
    if (!world->workloads.timings)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "no timings were recorded; call keel_timings_begin before the systems "
                            "that are to be timed");

    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file)
        return file_error(world, path, errno);

    const bool fits = write_events(world, file);
    bool is_written = !ferror(file) && fflush(file) == 0;
    const int reason = errno;
    if (fclose(file) != 0)
        is_written = false;

    if (!fits)
        return keeli_out_of_memory(world, "writing a trace");
    if (!is_written)
        return file_error(world, path, reason ? reason : errno);
    return KEEL_OK;
}
