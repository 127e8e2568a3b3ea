// SPDX-License-Identifier: MIT
// Answers POST pause, play, step and back, which need `.allow_edits`.
#include "answers.h"
#include "frames.h"
#include "past.h"

enum { MAX_STEPS = 100000 };

static bool control_write_state(keel_inspect *inspect, keeli_request *request) {
    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "frame", inspect->frame);
    keeli_out_key_bool(out, "paused", inspect->paused);
    keeli_out_key(out, "past");
    keeli_past_write(inspect->past, out);
    keeli_out_close(out, '}');
    return true;
}

bool keeli_answer_pause(keel_inspect *inspect, keeli_request *request) {
    inspect->paused = true;
    inspect->steps = 0;
    return control_write_state(inspect, request);
}

bool keeli_answer_play(keel_inspect *inspect, keeli_request *request) {
    inspect->paused = false;
    inspect->steps = 0;
    return control_write_state(inspect, request);
}

bool keeli_answer_step(keel_inspect *inspect, keeli_request *request) {
    const json_t *frames = json_object_get(request->fields, "frames");
    const json_int_t count = frames ? json_integer_value(frames) : 1;
    if (count < 1 || count > MAX_STEPS)
        return keeli_request_fail(request, 400, "argument", "frames must be from 1 to %d",
                                  (int)MAX_STEPS);
    inspect->paused = true;
    inspect->steps = (uint64_t)count;
    return control_write_state(inspect, request);
}

bool keeli_answer_back(keel_inspect *inspect, keeli_request *request) {
    const json_t *frame = json_object_get(request->fields, "frame");
    if (!json_is_integer(frame) || json_integer_value(frame) < 0)
        return keeli_request_fail(request, 400, "argument", "frame: a number of a frame is needed");
    if (!inspect->past)
        return keeli_request_fail(request, 404, "gone",
                                  "no frames are kept: set .past in keel_inspect_desc");
    const keel_result result =
        keeli_past_restore(inspect->past, (uint64_t)json_integer_value(frame));
    if (result == KEEL_ABSENT)
        return keeli_request_fail(request, 404, "gone", "frame %lld is not kept any more",
                                  (long long)json_integer_value(frame));
    if (result < 0) return keeli_request_fail_by(request, inspect->world, result);
    keeli_frames_forget(inspect->frames, (uint64_t)json_integer_value(frame));
    // The world is at the begin of this frame, which runs next.
    inspect->frame = (uint64_t)json_integer_value(frame) - 1;
    inspect->paused = true;
    inspect->steps = 0;
    return control_write_state(inspect, request);
}
