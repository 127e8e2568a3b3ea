// SPDX-License-Identifier: MIT
// Answers GET frames: the times of frames and systems, and the lanes of one frame.
#include "answers.h"
#include "frames.h"
#include "plan.h"

enum { FRAMES_SHOWN = 300 };

static void frames_write_list(keeli_out *out, const keeli_frames *frames, uint64_t from,
                              uint64_t to) {
    const keeli_frame *frame;
    uint32_t count = 0;
    keeli_out_key_open(out, "frames", '[');
    while (count < KEELI_FRAMES && (frame = keeli_frames_latest(frames, count)) != NULL &&
           frame->frame >= from)
        ++count;
    while (count-- > 0) {
        frame = keeli_frames_latest(frames, count);
        if (frame->frame > to || !frame->end) continue;
        keeli_out_open(out, '{');
        keeli_out_key_number(out, "frame", frame->frame);
        keeli_out_key_number(out, "begin", frame->begin);
        keeli_out_key_number(out, "end", frame->end);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

// Writes the number of a system in the plan that is shown; null for a system of another workload.
static void frames_write_position(keeli_out *out, const keeli_plan *plan,
                                  const keeli_source *source) {
    keeli_out_key(out, "position");
    if (keeli_plan_has(plan, source->position, source->system, source->workload))
        keeli_out_number(out, source->position);
    else keeli_out_null(out);
}

static void frames_write_systems(keeli_out *out, const keeli_frames *frames, const keeli_plan *plan,
                                 uint64_t from, uint64_t to) {
    keeli_sum sums[KEELI_SOURCES];
    uint64_t all = 0;
    const uint64_t count = keeli_frames_add_up(frames, from, to, sums);
    for (uint32_t i = 0; i < keeli_frames_source_count(frames); ++i)
        all += sums[i].nanoseconds + sums[i].applied;
    keeli_out_key_open(out, "systems", '[');
    for (uint32_t i = 0; i < keeli_frames_source_count(frames); ++i) {
        const keeli_source *source = keeli_frames_source(frames, i);
        if (!sums[i].runs && !sums[i].commands) continue;
        keeli_out_open(out, '{');
        frames_write_position(out, plan, source);
        keeli_out_key_text(out, "name", source->system);
        keeli_out_key_text(out, "workload", source->workload);
        keeli_out_key_number(out, "runs", sums[i].runs);
        keeli_out_key_number(out, "nanoseconds", sums[i].nanoseconds / count);
        keeli_out_key_number(out, "worst", sums[i].worst);
        keeli_out_key(out, "share");
        keeli_out_decimal(out, all ? (double)sums[i].nanoseconds / (double)all : 0);
        keeli_out_key_number(out, "entities", sums[i].entities / count);
        keeli_out_key_number(out, "commands", sums[i].commands / count);
        keeli_out_key_number(out, "applying", sums[i].applied / count);
        keeli_out_key_number(out, "waited", sums[i].waited / count);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

static void frames_write_lanes(keeli_out *out, const keeli_frames *frames, const keeli_plan *plan,
                               uint64_t number) {
    const keeli_frame *frame = keeli_frames_find(frames, number);
    const keeli_record *record;
    keeli_out_key_open(out, "lanes", '[');
    for (uint32_t i = 0; frame && (record = keeli_frames_record(frames, i)) != NULL; ++i) {
        if (record->frame != number) continue;
        const keeli_source *source = keeli_frames_source(frames, record->source);
        keeli_out_open(out, '{');
        frames_write_position(out, plan, source);
        keeli_out_key_text(out, "system", source->system);
        keeli_out_key_text(out, "kind", record->is_commands ? "commands" : "system");
        keeli_out_key_number(out, "worker", record->worker);
        keeli_out_key_number(out, "begin", record->begin - frame->begin);
        keeli_out_key_number(out, "end", record->end - frame->begin);
        keeli_out_key_number(out, "waited", record->begin - record->ready);
        keeli_out_key_number(out, "entities",
                             record->is_commands ? record->commands : record->entities);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

bool keeli_answer_frames(keel_inspect *inspect, keeli_request *request) {
    uint64_t from = 0, to = inspect->frame, lanes;
    bool failed;
    keeli_plan plan = { .node_count = 0 };
    if (!keeli_frames_read_for(inspect, request, &failed)) return failed;
    keeli_argument_number(request, "to", &to);
    if (to > inspect->frame) to = inspect->frame;
    if (!keeli_argument_number(request, "from", &from))
        from = to > FRAMES_SHOWN ? to - FRAMES_SHOWN + 1 : 0;
    // Without a workload the times are shown all the same.
    if (keeli_plan_workload(inspect) && !keeli_plan_read(inspect, request, NULL, &plan)) {
        keeli_plan_free(&plan);
        return true;
    }

    keeli_out *out = &request->out;
    const uint64_t mean_from = to >= from + KEELI_MEAN ? to - KEELI_MEAN + 1 : from;
    keeli_out_open(out, '{');
    frames_write_list(out, inspect->frames, from, to);
    frames_write_systems(out, inspect->frames, &plan, mean_from, to);
    if (keeli_argument_number(request, "lanes", &lanes))
        frames_write_lanes(out, inspect->frames, &plan, lanes);
    keeli_out_key_number(out, "missed", keeli_frames_missed(inspect->frames));
    keeli_out_close(out, '}');
    keeli_plan_free(&plan);
    return true;
}
