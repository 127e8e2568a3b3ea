// SPDX-License-Identifier: MIT
// Keeps the entries of the timings, and the times at which frames began. Entries are read only when
// somebody asks, a part in each frame, so that frames cost nothing while nobody looks.
#include "frames.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

// Records are allocated in blocks: the system clears a large piece of memory at its first use,
// which would take longer than an answer may.
enum { RECORDS_OF_BLOCK = 1024, RECORD_BLOCKS = KEELI_RECORDS / RECORDS_OF_BLOCK };

struct keeli_frames {
    keel_world *world;
    bool began_timings;
    keel_timings_cursor cursor;
    uint64_t frame_count,
        record_count; // so far; the i-th is at index i % KEELI_FRAMES, KEELI_RECORDS
    keeli_frame frames[KEELI_FRAMES];
    keeli_record *blocks[RECORD_BLOCKS]; // NULL until somebody asks, and the entry comes
    keeli_source *sources;               // as `records`
    uint32_t source_count;
    uint32_t guess[KEELI_SOURCES]; // by position: a source that may have it
};

keeli_frames *keeli_frames_create(keel_world *world) {
    keeli_frames *frames = calloc(1, sizeof *frames);
    uint64_t now;
    if (!frames) return NULL;
    frames->world = world;
    if (keel_timings_now(world, &now)) return frames;
    frames->began_timings = keel_timings_begin(world, 0) == KEEL_OK;
    if (frames->began_timings) return frames;
    free(frames);
    return NULL;
}

void keeli_frames_destroy(keeli_frames *frames) {
    if (!frames) return;
    if (frames->began_timings) keel_timings_end(frames->world);
    for (uint32_t i = 0; i < RECORD_BLOCKS; ++i)
        free(frames->blocks[i]);
    free(frames->sources);
    free(frames);
}

void keeli_frames_note(keeli_frames *frames, uint64_t frame) {
    keeli_frame *at = &frames->frames[frames->frame_count % KEELI_FRAMES];
    *at = (keeli_frame){ .frame = frame };
    if (keel_timings_now(frames->world, &at->begin)) ++frames->frame_count;
}

static keeli_record *frames_record_at(const keeli_frames *frames, uint64_t at) {
    return &frames->blocks[at / RECORDS_OF_BLOCK][at % RECORDS_OF_BLOCK];
}

void keeli_frames_close(keeli_frames *frames) {
    keeli_frame *latest =
        frames->frame_count ? &frames->frames[(frames->frame_count - 1) % KEELI_FRAMES] : NULL;
    if (latest && !latest->closed) keel_timings_now(frames->world, &latest->closed);
}

static uint64_t frames_oldest(const keeli_frames *frames) {
    return frames->frame_count > KEELI_FRAMES ? frames->frame_count - KEELI_FRAMES : 0;
}

const keeli_frame *keeli_frames_latest(const keeli_frames *frames, uint32_t i) {
    if (i >= frames->frame_count - frames_oldest(frames)) return NULL;
    return &frames->frames[(frames->frame_count - 1 - i) % KEELI_FRAMES];
}

const keeli_frame *keeli_frames_find(const keeli_frames *frames, uint64_t number) {
    const keeli_frame *frame = NULL;
    for (uint32_t i = 0; (frame = keeli_frames_latest(frames, i)) != NULL; ++i)
        if (frame->frame == number) return frame;
    return NULL;
}

const keeli_record *keeli_frames_record(const keeli_frames *frames, uint32_t i) {
    if (i >= frames->record_count || i >= KEELI_RECORDS) return NULL;
    return frames_record_at(frames, (frames->record_count - 1 - i) % KEELI_RECORDS);
}

const keeli_source *keeli_frames_source(const keeli_frames *frames, uint32_t source) {
    return &frames->sources[source];
}
// True if a system is in the workload that is shown.
static bool frames_is_shown(keel_inspect *inspect, uint32_t number) {
    keeli_frames *frames = inspect->frames;
    if (frames->sources[number].is_asked) return frames->sources[number].is_shown;
    keeli_plan plan;
    const bool has_plan = keeli_plan_try(inspect, &plan);
    for (uint32_t i = 0; i < frames->source_count; ++i) {
        keeli_source *source = &frames->sources[i];
        source->is_asked = true;
        source->is_shown =
            has_plan && keeli_plan_has(&plan, source->position, source->system, source->workload);
    }
    keeli_plan_free(&plan);
    return frames->sources[number].is_shown;
}

void keeli_frames_ask_again(keeli_frames *frames) {
    for (uint32_t i = 0; i < frames->source_count; ++i)
        frames->sources[i].is_asked = false;
}

uint32_t keeli_frames_in_order(keel_inspect *inspect, uint32_t *order) {
    const keeli_source *sources = inspect->frames->sources;
    uint32_t count = 0;
    for (uint32_t i = 0; i < inspect->frames->source_count; ++i) {
        if (!frames_is_shown(inspect, i)) continue;
        uint32_t at = count++;
        for (; at && sources[order[at - 1]].position > sources[i].position; --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return count;
}

uint32_t keeli_frames_source_count(const keeli_frames *frames) { return frames->source_count; }
uint64_t keeli_frames_missed(const keeli_frames *frames) { return frames->cursor.missed; }

// ------------------------------------------------------------------ reading
static bool source_is(const keeli_source *source, const keel_timing *t) {
    return source->position == t->position && !strcmp(source->system, t->system) &&
           !strcmp(source->workload, t->workload);
}

// Returns the number of the source of an entry. When there are more than we keep, the last one
// stands for all others.
static uint32_t frames_source_of(keeli_frames *frames, const keel_timing *t) {
    uint32_t *guess = &frames->guess[t->position % KEELI_SOURCES];
    if (*guess < frames->source_count && source_is(&frames->sources[*guess], t)) return *guess;
    for (uint32_t i = 0; i < frames->source_count; ++i)
        if (source_is(&frames->sources[i], t)) return *guess = i;
    if (frames->source_count == KEELI_SOURCES) return KEELI_SOURCES - 1;
    keeli_source *added = &frames->sources[frames->source_count];
    memcpy(added->system, t->system, sizeof added->system);
    memcpy(added->workload, t->workload, sizeof added->workload);
    added->position = t->position;
    return *guess = frames->source_count++;
}

// Returns the frame that a time lies in, or NULL. Entries are read in order, so the search begins
// with the latest frame.
static keeli_frame *frames_at(keeli_frames *frames, uint64_t time) {
    for (uint64_t i = frames->frame_count; i > frames_oldest(frames); --i) {
        keeli_frame *frame = &frames->frames[(i - 1) % KEELI_FRAMES];
        if (frame->begin > time) continue;
        return frame->closed && time >= frame->closed ? NULL : frame;
    }
    return NULL;
}

static void frames_append(keeli_frames *frames, const keel_timing *t) {
    keeli_frame *frame = frames_at(frames, t->begin);
    keeli_record *record = frames_record_at(frames, frames->record_count++ % KEELI_RECORDS);
    *record = (keeli_record){ .frame = frame ? frame->frame : 0,
                              .begin = t->begin,
                              .end = t->end,
                              .ready = t->ready,
                              .tick = t->tick,
                              .entities = t->entities,
                              .commands = t->commands,
                              .source = frames_source_of(frames, t),
                              .worker = t->worker,
                              .is_commands = t->is_commands };
    if (frame && t->end > frame->end) frame->end = t->end;
}

// Makes room for one more record. False: out of memory.
static bool frames_have_room(keeli_frames *frames) {
    keeli_record **block = &frames->blocks[frames->record_count % KEELI_RECORDS / RECORDS_OF_BLOCK];
    if (!*block) *block = calloc(RECORDS_OF_BLOCK, sizeof **block);
    if (!frames->sources) frames->sources = calloc(KEELI_SOURCES, sizeof *frames->sources);
    return *block && frames->sources;
}

bool keeli_frames_read(keeli_frames *frames, uint64_t deadline, bool *memory) {
    enum { BETWEEN_LOOKS = 64 };
    keel_timing t;
    for (uint32_t i = 1;; ++i) {
        *memory = !frames_have_room(frames);
        if (*memory) return false;
        if (!keel_timings_next(frames->world, &frames->cursor, &t)) return true;
        frames_append(frames, &t);
        if (i % BETWEEN_LOOKS == 0 && keeli_inspect_now() >= deadline) return false;
    }
}

void keeli_frames_forget(keeli_frames *frames, uint64_t frame) {
    bool memory;
    (void)keeli_frames_read(frames, UINT64_MAX, &memory); // what nobody read yet is forgotten, too
    while (frames->frame_count &&
           frames->frames[(frames->frame_count - 1) % KEELI_FRAMES].frame >= frame)
        --frames->frame_count;
    for (uint64_t i = 0; i < frames->record_count && i < KEELI_RECORDS; ++i)
        if (frames_record_at(frames, i)->frame >= frame)
            frames_record_at(frames, i)->frame = 0; // of no frame
}

bool keeli_frames_read_for(keel_inspect *inspect, keeli_request *request, bool *failed) {
    const bool has_all = keeli_frames_read(inspect->frames, inspect->deadline, failed);
    if (*failed) keeli_request_fail(request, 500, "memory", "out of memory: reading timings");
    return has_all;
}

// ------------------------------------------------------------------ sums
static void frames_add(keeli_sum *sum, const keeli_record *record) {
    const uint64_t nanoseconds = record->end - record->begin;
    if (record->is_commands) {
        sum->commands += record->commands;
        sum->applied += nanoseconds;
        return;
    }
    sum->nanoseconds += nanoseconds;
    sum->worst = nanoseconds > sum->worst ? nanoseconds : sum->worst;
    sum->entities += record->entities;
    sum->waited += record->begin - record->ready;
    ++sum->runs;
}

static uint64_t frames_count(const keeli_frames *frames, uint64_t from, uint64_t to) {
    const keeli_frame *frame;
    uint64_t count = 0;
    for (uint32_t i = 0; (frame = keeli_frames_latest(frames, i)) != NULL && frame->frame >= from;
         ++i)
        count += frame->frame <= to;
    return count ? count : 1;
}

uint64_t keeli_frames_add_up(const keeli_frames *frames, uint64_t from, uint64_t to,
                             keeli_sum *sums) {
    const keeli_record *record;
    memset(sums, 0, frames->source_count * sizeof *sums);
    for (uint32_t i = 0; (record = keeli_frames_record(frames, i)) != NULL; ++i) {
        if (!record->frame) continue; // of no frame
        if (record->frame < from) break;
        if (record->frame <= to) frames_add(&sums[record->source], record);
    }
    return frames_count(frames, from, to);
}

const keeli_sum *keeli_frames_sum_of(const keeli_frames *frames, const keel_workload_node *node,
                                     const keeli_sum *sums) {
    for (uint32_t i = 0; i < frames->source_count; ++i) {
        const keeli_source *source = &frames->sources[i];
        if (keeli_node_is(node, source->position, source->system, source->workload))
            return &sums[i];
    }
    return NULL;
}

uint64_t keeli_frames_mean(const keel_inspect *inspect, keeli_sum *sums) {
    const uint64_t to = inspect->frame, from = to > KEELI_MEAN ? to - KEELI_MEAN + 1 : 1;
    return keeli_frames_add_up(inspect->frames, from, to, sums);
}

const keeli_record *keeli_frames_of_tick(const keeli_frames *frames, uint64_t tick) {
    const keeli_record *record;
    for (uint32_t i = 0; (record = keeli_frames_record(frames, i)) != NULL; ++i)
        if (record->tick == tick && record->frame) return record;
    return NULL;
}
