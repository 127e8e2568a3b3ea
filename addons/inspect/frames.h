// SPDX-License-Identifier: MIT
// The times of the latest frames: what keel_timings_next tells, by frame and by system.
#pragma once
#include "inspect.h"

enum { KEELI_FRAMES = 1024, KEELI_RECORDS = 32768, KEELI_SOURCES = 1024, KEELI_MEAN = 60 };

// A system at a place of a workload, as timings name it.
typedef struct keeli_source {
    char system[48], workload[48];
    uint32_t position;       // KEEL_NO_STEP: run by keel_run
    bool is_asked, is_shown; // whether it is in the workload that is shown, once somebody asked
} keeli_source;

// One entry of the timings.
typedef struct keeli_record {
    uint64_t frame, begin, end, ready, tick, entities, commands;
    uint32_t source, worker;
    bool is_commands;
} keeli_record;

typedef struct keeli_frame {
    uint64_t frame, begin, end; // nanoseconds as timings count them; `end` 0: no entry yet
    uint64_t
        closed; // what begins from this time on is not of the frame: the program is paused; 0: open
} keeli_frame;

// The sums of a system over some frames.
typedef struct keeli_sum {
    uint64_t nanoseconds, worst, entities, commands, waited, runs, applied;
} keeli_sum;

// Starts to keep timings unless the program does. NULL: out of memory, or the world is in use.
keeli_frames *keeli_frames_create(keel_world *world);
void keeli_frames_destroy(keeli_frames *frames);
// Notes that a frame begins now.
void keeli_frames_note(keeli_frames *frames, uint64_t frame);
// Notes that the program is paused: what it runs from now on, to draw, belongs to no frame.
void keeli_frames_close(keeli_frames *frames);
// Forgets frames from this one on: the program goes back to it.
void keeli_frames_forget(keeli_frames *frames, uint64_t frame);
// Reads entries that are new, until there are no more or `deadline` has passed. False: there are
// more, or memory ran out (`*memory` is then true).
bool keeli_frames_read(keeli_frames *frames, uint64_t deadline, bool *memory);
// The same for an answer, within its time. False: it goes on in the next frame or, if `*failed`,
// the request has failed.
bool keeli_frames_read_for(keel_inspect *inspect, keeli_request *request, bool *failed);
// Adds up the records of the last KEELI_MEAN frames, as keeli_frames_add_up.
uint64_t keeli_frames_mean(const keel_inspect *inspect, keeli_sum *sums);
// The newest frame with its times, or NULL; and a frame by its number.
const keeli_frame *keeli_frames_find(const keeli_frames *frames, uint64_t frame);
// The i-th latest frame, 0 is the latest. NULL: there is none.
const keeli_frame *keeli_frames_latest(const keeli_frames *frames, uint32_t i);
// The i-th latest record, 0 is the latest. NULL: there is none.
const keeli_record *keeli_frames_record(const keeli_frames *frames, uint32_t i);
void keeli_frames_ask_again(keeli_frames *frames);
// Lists the systems of the workload that is shown by their position, whichever began first: with
// several workers that differs from run to run. `order` has KEELI_SOURCES places. Returns the
// count.
uint32_t keeli_frames_in_order(keel_inspect *inspect, uint32_t *order);
const keeli_source *keeli_frames_source(const keeli_frames *frames, uint32_t source);
uint32_t keeli_frames_source_count(const keeli_frames *frames);
uint64_t keeli_frames_missed(const keeli_frames *frames);
// Adds up the records from frame `from` to `to`, by source; `sums` has KEELI_SOURCES places.
// Returns the number of frames that ran in this span, at least 1: the divisor of a mean.
uint64_t keeli_frames_add_up(const keeli_frames *frames, uint64_t from, uint64_t to,
                             keeli_sum *sums);
// Returns the sum of a node of a plan, or NULL if it has none.
const keeli_sum *keeli_frames_sum_of(const keeli_frames *frames, const keel_workload_node *node,
                                     const keeli_sum *sums);
// Returns the record whose changes have this tick, or NULL.
const keeli_record *keeli_frames_of_tick(const keeli_frames *frames, uint64_t tick);
