// SPDX-License-Identifier: MIT
// Keeps the latest frames as snapshots. It lowers the number of frames when they would need more
// memory than the program allows. Answers read the images; the world does not move.
#include "past.h"

#include <stdlib.h>

typedef struct past_frame {
    keel_snapshot *snapshot; // NULL: the place was never used
    uint64_t frame;
} past_frame;

struct keeli_past {
    keel_world *world;
    uint32_t wanted, capacity; // frames that were asked for; frames that there is memory for
    uint32_t first, count;     // place of the oldest frame, and number of frames
    size_t max_bytes, bytes;
    keel_result failure; // of the last take
    past_frame frames[]; // `wanted` places
};

keeli_past *keeli_past_create(keel_world *world, uint32_t frames, size_t bytes) {
    keeli_past *past = calloc(1, sizeof *past + frames * sizeof *past->frames);
    if (!past) return NULL;
    past->world = world;
    past->wanted = past->capacity = frames;
    past->max_bytes = bytes;
    return past;
}

void keeli_past_destroy(keeli_past *past) {
    if (!past) return;
    for (uint32_t i = 0; i < past->wanted; ++i)
        keel_snapshot_destroy(past->frames[i].snapshot);
    free(past);
}

// Returns the place of a frame by its age; 0 is the oldest.
static past_frame *past_at(keeli_past *past, uint32_t i) {
    return &past->frames[(past->first + i) % past->wanted];
}

static past_frame *past_find(keeli_past *past, uint64_t frame) {
    if (!past || !past->count || frame < past_at(past, 0)->frame) return NULL;
    for (uint32_t i = past->count; i-- > 0;)
        if (past_at(past, i)->frame == frame) return past_at(past, i);
    return NULL;
}

static void past_forget_oldest(keeli_past *past) {
    past->first = (past->first + 1) % past->wanted;
    --past->count;
}

// Destroys the snapshots that have no frame, and then those of the oldest frames, until the others
// fit into the memory that is allowed. One frame always stays.
static void past_shrink(keeli_past *past) {
    for (uint32_t i = past->count; i < past->wanted && past->bytes > past->max_bytes; ++i) {
        past_frame *unused = past_at(past, i);
        past->bytes -= keel_snapshot_bytes(unused->snapshot);
        keel_snapshot_destroy(unused->snapshot);
        unused->snapshot = NULL;
    }
    while (past->bytes > past->max_bytes && past->count > 1) {
        past_frame *oldest = past_at(past, 0);
        past->bytes -= keel_snapshot_bytes(oldest->snapshot);
        keel_snapshot_destroy(oldest->snapshot);
        oldest->snapshot = NULL;
        past_forget_oldest(past);
        past->capacity = past->count;
    }
}

void keeli_past_take(keeli_past *past, uint64_t frame) {
    while (past->count && past_at(past, past->count - 1)->frame >= frame)
        --past->count;
    while (past->count >= past->capacity)
        past_forget_oldest(past);
    // A place further on may still have a snapshot: with fewer frames than places it moves here.
    past_frame *place = past_at(past, past->count);
    past_frame *unused = past_at(past, past->wanted - 1);
    if (!place->snapshot && past->count < past->wanted && unused->snapshot) {
        place->snapshot = unused->snapshot;
        unused->snapshot = NULL;
    }
    if (!place->snapshot)
        place->snapshot = keel_snapshot_create(past->world, "the past of the inspector");
    if (!place->snapshot) {
        past->failure = KEEL_ERROR_MEMORY;
        return;
    }

    const size_t before = keel_snapshot_bytes(place->snapshot);
    past->failure = keel_snapshot_take(place->snapshot);
    past->bytes += keel_snapshot_bytes(place->snapshot) - before;
    if (past->failure < 0) return;
    place->frame = frame;
    ++past->count;
    past_shrink(past);
}

keel_result keeli_past_restore(keeli_past *past, uint64_t frame) {
    past_frame *place = past_find(past, frame);
    if (!place) return KEEL_ABSENT;
    KEEL_TRY(keel_snapshot_restore(place->snapshot));
    while (past_at(past, past->count - 1)->frame > frame)
        --past->count;
    return KEEL_OK;
}

const keel_world *keeli_past_open(keeli_past *past, uint64_t frame) {
    past_frame *place = past_find(past, frame);
    const keel_world *image = NULL;
    if (place && keel_snapshot_read_begin(place->snapshot, &image) == KEEL_OK) return image;
    return NULL;
}

void keeli_past_close(keeli_past *past, uint64_t frame) {
    past_frame *place = past_find(past, frame);
    if (place) keel_snapshot_read_end(place->snapshot);
}

bool keeli_past_range(const keeli_past *past, uint64_t *oldest, uint64_t *newest) {
    if (!past || !past->count) return false;
    *oldest = past->frames[past->first].frame;
    *newest = past->frames[(past->first + past->count - 1) % past->wanted].frame;
    return true;
}

void keeli_past_write(const keeli_past *past, keeli_out *out) {
    uint64_t oldest = 0, newest = 0;
    const bool some = keeli_past_range(past, &oldest, &newest);
    keeli_out_open(out, '{');
    keeli_out_key_number(out, "capacity", past ? past->wanted : 0);
    keeli_out_key(out, "oldest");
    some ? keeli_out_number(out, oldest) : keeli_out_null(out);
    keeli_out_key(out, "newest");
    some ? keeli_out_number(out, newest) : keeli_out_null(out);
    keeli_out_key_number(out, "frames", past ? past->count : 0);
    keeli_out_key_number(out, "bytes", past ? past->bytes : 0);
    keeli_out_key_text(out, "problem",
                       past && past->failure < 0 ? keel_result_text(past->failure) : NULL);
    keeli_out_close(out, '}');
}

const keel_world *keeli_past_enter(keel_inspect *inspect, keeli_request *request,
                                   const char *argument, uint64_t *frame) {
    *frame = UINT64_MAX;
    if (!keeli_argument(request, argument)) return inspect->world;
    if (!keeli_argument_number(request, argument, frame)) {
        keeli_request_fail(request, 400, "argument", "%s: '%.40s' is no number of a frame",
                           argument, keeli_argument(request, argument));
        return NULL;
    }
    const keel_world *image = keeli_past_open(inspect->past, *frame);
    if (!image && !inspect->past)
        keeli_request_fail(request, 404, "gone",
                           "no frames are kept: set .past in keel_inspect_desc");
    else if (!image)
        keeli_request_fail(request, 404, "gone", "frame %llu is not kept any more",
                           (unsigned long long)*frame);
    return image;
}

void keeli_past_leave(keel_inspect *inspect, uint64_t frame) {
    if (frame != UINT64_MAX) keeli_past_close(inspect->past, frame);
}
