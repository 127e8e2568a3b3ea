// SPDX-License-Identifier: MIT
// The inputs of all slots, by frame; see inputs.h.
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char no_input[KEEL_SESSION_MAX_INPUT];

static unsigned char *input_at(const inputs *in, unsigned char *ring, uint64_t frame) {
    return ring + (size_t)(frame % INPUT_FRAMES) * in->size;
}

bool keeli_inputs_init(inputs *in, uint32_t slots, uint32_t size) {
    *in = (inputs){ .slots = slots, .size = size, .wrong = UINT64_MAX };
    const size_t ring = (size_t)INPUT_FRAMES * size;
    in->memory = calloc(2 * (size_t)slots, ring);
    if (!in->memory) return false;
    for (uint32_t i = 0; i < slots; ++i) {
        in->slot[i].given = in->memory + 2 * i * ring;
        in->slot[i].used = in->slot[i].given + ring;
    }
    return true;
}

void keeli_inputs_deinit(inputs *in) {
    free(in->memory);
    *in = (inputs){ 0 };
}

size_t keeli_inputs_bytes(const inputs *in) {
    return 2 * (size_t)in->slots * INPUT_FRAMES * in->size;
}

void keeli_inputs_reset(inputs *in, uint64_t frame) {
    memset(in->memory, 0, keeli_inputs_bytes(in));
    in->first = in->now = frame;
    in->wrong = UINT64_MAX;
    for (uint32_t i = 0; i < in->slots; ++i) {
        in->slot[i].is_playing = false;
        in->slot[i].known = in->slot[i].left = in->slot[i].from = frame;
    }
}

bool keeli_inputs_plays(const inputs *in, uint32_t slot, uint64_t frame) {
    const input_slot *s = &in->slot[slot];
    if (frame >= s->known) return s->is_playing;
    return frame >= s->from || frame < s->left;
}

uint64_t keeli_inputs_known(const inputs *in, uint32_t slot) {
    return in->slot[slot].is_playing ? in->slot[slot].known : UINT64_MAX;
}

uint64_t keeli_inputs_confirmed(const inputs *in) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < in->slots; ++i) {
        const uint64_t known = keeli_inputs_known(in, i);
        least = known < least ? known : least;
    }
    return least == UINT64_MAX ? in->now : least;
}

uint64_t keeli_inputs_final(const inputs *in) {
    const uint64_t confirmed = keeli_inputs_confirmed(in);
    return confirmed < in->now ? confirmed : in->now;
}

bool keeli_inputs_given(const inputs *in, uint32_t slot) {
    return in->slot[slot].is_playing && in->slot[slot].known != in->slot[slot].from;
}

// Notes that frames from `frame` on were played with something else than `bytes`, if they were.
static void compare_played(inputs *in, uint32_t slot, uint64_t frame, const void *bytes) {
    if (frame >= in->now || frame + INPUT_FRAMES <= in->now || frame >= in->wrong) return;
    if (memcmp(input_at(in, in->slot[slot].used, frame), bytes, in->size) != 0) in->wrong = frame;
}

input_result keeli_inputs_add(inputs *in, uint32_t slot, uint64_t frame, const void *bytes) {
    input_slot *s = &in->slot[slot];
    if (frame < s->known) {
        const bool is_kept = frame + INPUT_FRAMES > s->known && frame >= in->first;
        const bool differs = is_kept && memcmp(input_at(in, s->given, frame), bytes, in->size) != 0;
        return differs ? INPUT_CONFLICT : INPUT_OLD;
    }
    const bool is_near = frame < keeli_inputs_confirmed(in) + INPUT_AHEAD;
    if (!s->is_playing || frame != s->known || !is_near) return INPUT_EARLY;

    memcpy(input_at(in, s->given, frame), bytes, in->size);
    ++s->known;
    compare_played(in, slot, frame, bytes);
    return INPUT_TAKEN;
}

const unsigned char *keeli_inputs_find(const inputs *in, uint32_t slot, uint64_t frame) {
    const input_slot *s = &in->slot[slot];
    if (frame < in->first) return NULL;
    if (!keeli_inputs_plays(in, slot, frame)) return no_input;
    if (frame >= s->known) return NULL;
    return frame + INPUT_FRAMES >= s->known + 1 ? input_at(in, s->given, frame) : NULL;
}

void keeli_inputs_play(inputs *in, uint64_t frame, keel_inputs *out) {
    *out = (keel_inputs){ .frame = frame, .players = in->slots, .size = in->size };
    for (uint32_t i = 0; i < in->slots; ++i) {
        const input_slot *s = &in->slot[i];
        const unsigned char *bytes = no_input;
        if (!keeli_inputs_plays(in, i, frame)) {
            out->state[i] = KEEL_INPUT_GONE;
        } else if (frame < s->known) {
            bytes = input_at(in, s->given, frame);
            out->state[i] = KEEL_INPUT_CONFIRMED;
        } else {
            bytes = s->known ? input_at(in, s->given, s->known - 1) : no_input;
            out->state[i] = KEEL_INPUT_PREDICTED;
        }
        memcpy(out->bytes[i], bytes, in->size);
        memcpy(input_at(in, s->used, frame), bytes, in->size);
    }
}

// Notes that frames from `frame` on were played with another state of a slot: a game may look at
// KEEL_INPUT_GONE, so equal bytes are not enough.
static void replay_from(inputs *in, uint64_t frame) {
    if (frame < in->now && frame < in->wrong) in->wrong = frame;
}

// Remembers until when the last player of a slot played, if there was one.
static void note_left(input_slot *s) {
    if (s->known > s->from) s->left = s->known;
}

void keeli_inputs_enter(inputs *in, uint32_t slot, uint64_t frame) {
    input_slot *s = &in->slot[slot];
    uint64_t from = s->known;
    if (frame > INPUT_FRAMES && from < frame - INPUT_FRAMES) from = frame - INPUT_FRAMES;
    for (; from < frame; ++from)
        memset(input_at(in, s->given, from), 0, in->size);
    if (s->is_playing) replay_from(in, s->from); // the frame of entering moves
    else note_left(s);
    s->known = s->from = frame;
    s->is_playing = true;
    replay_from(in, frame);
}

void keeli_inputs_leave(inputs *in, uint32_t slot) {
    input_slot *s = &in->slot[slot];
    s->is_playing = false;
    replay_from(in, s->known);
}

void keeli_inputs_withdraw(inputs *in, uint32_t slot, uint64_t frame) {
    input_slot *s = &in->slot[slot];
    if (s->is_playing) replay_from(in, s->from);
    else note_left(s);
    s->is_playing = false;
    s->known = s->from = frame;
}
