// SPDX-License-Identifier: MIT
// The inputs of all slots, by frame: what is known, what is guessed, and what was played. It knows
// no world, no packets and no time. Frames, connections and replays of a session use it.
// Invariant: the inputs of a slot are known for all frames below `known`, without gaps; the last
// INPUT_FRAMES of them are kept.
#pragma once
#include "keel_session.h"

enum {
    INPUT_FRAMES = 256, // frames of which inputs are kept; a power of two
    INPUT_AHEAD = 120   // an input may be this many frames ahead of what is confirmed
};

typedef struct input_slot {
    bool is_playing;      // false: the inputs are zeros from frame `known` on, and count as known
    uint64_t known;       // inputs are known for frames below
    uint64_t left, from;  // nobody played from frame `left` to `from` - 1
    unsigned char *given; // INPUT_FRAMES inputs, by frame
    unsigned char *used;  // INPUT_FRAMES inputs: what the frame was last played with
} input_slot;

typedef struct inputs {
    uint32_t slots, size;
    uint64_t first; // nothing is known of frames before this one: this machine joined here
    uint64_t now;   // the frame that is played next
    uint64_t wrong; // the first frame that was played with a wrong input; UINT64_MAX: none
    input_slot slot[KEEL_SESSION_MAX_PLAYERS];
    unsigned char *memory;
} inputs;

// The outcomes of adding an input.
typedef enum input_result {
    INPUT_TAKEN,
    INPUT_OLD,      // it is known already
    INPUT_CONFLICT, // it differs from the known one
    INPUT_EARLY     // one before it is missing, it is too far ahead, or nobody plays in the slot
} input_result;

// Makes slots in which nobody plays. False when out of memory.
bool keeli_inputs_init(inputs *in, uint32_t slots, uint32_t size);
void keeli_inputs_deinit(inputs *in);
size_t keeli_inputs_bytes(const inputs *in);
// Returns for how many frames the inputs of a slot are known: UINT64_MAX if nobody plays in it.
uint64_t keeli_inputs_known(const inputs *in, uint32_t slot);
// Returns the frame below which the inputs of all slots are known; `now` if nobody plays.
uint64_t keeli_inputs_confirmed(const inputs *in);
// Returns the frame below which everything was played with the inputs that count.
uint64_t keeli_inputs_final(const inputs *in);
// True if there are inputs of the present player of a slot.
bool keeli_inputs_given(const inputs *in, uint32_t slot);
// Adds the input of a slot for a frame.
input_result keeli_inputs_add(inputs *in, uint32_t slot, uint64_t frame, const void *bytes);
// True if somebody plays in the slot in this frame.
bool keeli_inputs_plays(const inputs *in, uint32_t slot, uint64_t frame);
// Returns a known input, or NULL if it is not kept any more, or not known yet. Frames in which
// nobody played have zeros.
const unsigned char *keeli_inputs_find(const inputs *in, uint32_t slot, uint64_t frame);
// Fills in the unique for a frame, with predictions where nothing is known, and remembers what the
// frame was played with.
void keeli_inputs_play(inputs *in, uint64_t frame, keel_inputs *out);
// A player enters: from `frame` on inputs are awaited; before it they were zeros.
void keeli_inputs_enter(inputs *in, uint32_t slot, uint64_t frame);
// A player who was about to enter does not: nobody played up to `frame`, and nobody plays then.
void keeli_inputs_withdraw(inputs *in, uint32_t slot, uint64_t frame);
// A player is gone: inputs are zeros from the first frame on that is not known.
void keeli_inputs_leave(inputs *in, uint32_t slot);
// Forgets everything: `frame` is played next, and nobody plays.
void keeli_inputs_reset(inputs *in, uint64_t frame);
