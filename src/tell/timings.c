// SPDX-License-Identifier: MIT
// Timings of systems for the user: switched on and off, read one by one, or written as a trace.
// run/call.c fills the ring.
#include "run/workers.h"
#include "tell/describe.h"
#include "world/borrow.h"
#include "world/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_CAPACITY = 16384 };

static size_t size_of(uint32_t capacity) {
    return sizeof(keeli_timings) + (size_t)capacity * sizeof(keel_timing);
}

// ------------------------------------------------------------------ on and off
void keeli_timings_deinit(keel_world *world) {
    keeli_timings *t = world->workloads.timings;
    if (!t) return;
    keeli_lock_deinit(&t->lock);
    keeli_free(&world->heap, t, size_of(t->capacity), _Alignof(keeli_timings));
    world->workloads.timings = NULL;
}

static keel_result check_changeable(keel_world *world) {
    return keeli_world_is_at_rest(world, "timings cannot be switched on or off");
}

keel_result keel_timings_begin(keel_world *world, uint32_t capacity) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    if (!capacity) capacity = DEFAULT_CAPACITY;
    if (capacity > KEEL_MAX_TIMINGS)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "timings cannot keep %" PRIu32 " entries; KEEL_MAX_TIMINGS is %u",
                            capacity, KEEL_MAX_TIMINGS);
    keeli_timings *t = keeli_new(&world->heap, size_of(capacity), _Alignof(keeli_timings));
    if (!t) return keeli_out_of_memory(world, "making room for timings");
    memset(t, 0, sizeof *t);
    t->capacity = capacity;
    keeli_lock_init(&t->lock);
    t->origin = keeli_clock_ns();
    keeli_timings_deinit(world);
    world->workloads.timings = t;
    return KEEL_OK;
}

keel_result keel_timings_end(keel_world *world) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    keeli_timings_deinit(world);
    return KEEL_OK;
}

// ------------------------------------------------------------------ reading
// With the lock.
static bool read_next(const keeli_timings *t, keel_timings_cursor *cursor, keel_timing *out) {
    const uint64_t oldest = t->count > t->capacity ? t->count - t->capacity : 0;
    if (cursor->next > t->count) cursor->next = 0; // of timings that were kept before
    if (cursor->next < oldest) {
        cursor->missed += oldest - cursor->next;
        cursor->next = oldest;
    }
    if (cursor->next == t->count) return false;
    const keel_timing *entry = &t->ring[cursor->next % t->capacity];
    if (!entry->end) return false;
    *out = *entry;
    ++cursor->next;
    return true;
}

bool keel_timings_next(keel_world *world, keel_timings_cursor *cursor, keel_timing *out) {
    const bool is_no_world = keeli_is_no_world(world);
    if (is_no_world || !cursor || !out) {
        if (is_no_world) (void)keeli_no_world();
        else
            (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                               "keel_timings_next needs a cursor and a place for the entry");
        return false;
    }
    keeli_timings *t = world->workloads.timings;
    if (!t) return false;
    keeli_lock_take(&t->lock);
    const bool is_there = read_next(t, cursor, out);
    keeli_lock_give(&t->lock);
    return is_there;
}

// ------------------------------------------------------------------ the trace
// Names are the user's: whatever bytes they have, the file must be right. Those of timings are
// shorter than 48; that of a world has any length. False when out of memory.
static bool write_text(keel_world *world, FILE *file, const char *text) {
    char part[512];
    keeli_writer w = keeli_writer_begin(part, sizeof part);
    keeli_write_json_string(&w, text);
    if (w.length < sizeof part) return fputs(part, file), true;
    const size_t size = w.length + 1;
    char *all = keeli_new(&world->heap, size, 1);
    if (!all) return false;
    w = keeli_writer_begin(all, size);
    keeli_write_json_string(&w, text);
    fputs(all, file);
    keeli_free(&world->heap, all, size, 1);
    return true;
}

// Microseconds, whatever the locale thinks of decimal points.
static void write_time(FILE *file, const char *key, uint64_t ns) {
    fprintf(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

typedef KEELI_ARRAY(uint64_t) numbers;

// The first entry of a thread names it. False when out of memory.
static bool name_thread(keel_world *world, FILE *file, numbers *named, const keel_timing *entry) {
    for (uint32_t i = 0; i < named->count; ++i)
        if (named->items[i] == entry->thread) return true;
    if (!KEELI_RESERVE(&world->heap, named, 1)) return false;
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

// False when out of memory; errors of the file are in the file.
static bool write_events(keel_world *world, FILE *file) {
    numbers named = { 0 };
    keel_timings_cursor cursor = { 0 };
    keel_timing entry;
    bool fits = true;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
    // no more than fit: others may be adding to them
    for (uint32_t i = 0; fits && i < world->workloads.timings->capacity; ++i) {
        if (!keel_timings_next(world, &cursor, &entry)) break;
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
    if (keeli_is_no_world(world)) return keeli_no_world();
    if (!path) return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the path of the trace is NULL");
    if (!world->workloads.timings)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "no timings are kept that could be written; call keel_timings_begin "
                            "before what is to be timed");
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file) return file_error(world, path, errno);
    const bool fits = write_events(world, file);
    bool is_written = !ferror(file) && fflush(file) == 0;
    const int reason = errno;
    if (fclose(file) != 0) is_written = false;
    if (fits && is_written) return KEEL_OK;
    return fits ? file_error(world, path, reason ? reason : errno)
                : keeli_out_of_memory(world, "writing a trace");
}
