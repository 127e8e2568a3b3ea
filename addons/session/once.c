// SPDX-License-Identifier: MIT
// Remembers what was reported by keel_session_once in the last frames, so that a sound starts once,
// however often its frame is played, and is undone if it did not happen after all.
#include "session.h"

static once_key *once_find(keel_session *s, uint64_t frame, uint64_t key) {
    for (uint32_t i = 0; i < ONCE_KEYS; ++i)
        if (s->once[i].is_there && s->once[i].frame == frame && s->once[i].key == key)
            return &s->once[i];
    return NULL;
}

// Returns a free entry, or that of the oldest frame.
static once_key *once_free(keel_session *s) {
    once_key *oldest = s->once;
    for (uint32_t i = 0; i < ONCE_KEYS; ++i) {
        if (!s->once[i].is_there) return &s->once[i];
        if (s->once[i].frame < oldest->frame) oldest = &s->once[i];
    }
    return oldest;
}

bool keel_session_once(keel_session *s, uint64_t key) {
    if (!s) return true;
    once_key *known = once_find(s, s->playing, key);
    if (known) {
        known->was_again = true;
        return false;
    }
    s->has_once = true;
    *once_free(s) =
        (once_key){ .frame = s->playing, .key = key, .is_there = true, .was_again = true };
    return true;
}

void keeli_once_again(keel_session *s, uint64_t frame) {
    if (!s->has_once) return;
    const uint64_t confirmed = keeli_inputs_confirmed(&s->in);
    for (uint32_t i = 0; i < ONCE_KEYS; ++i) {
        once_key *known = &s->once[i];
        known->was_again = known->frame < frame;
        if (known->frame + s->ring_frames < confirmed)
            known->is_there = false; // nobody goes back that far
    }
}

void keeli_once_end(keel_session *s, uint64_t from, uint64_t to) {
    if (!s->has_once) return;
    for (uint32_t i = 0; i < ONCE_KEYS; ++i) {
        once_key *known = &s->once[i];
        if (!known->is_there || known->was_again || known->frame < from || known->frame >= to)
            continue;
        known->is_there = false;
        keeli_session_event(s, KEEL_SESSION_UNDONE, KEEL_SESSION_NO_PLAYER, known->frame, NULL)
            ->key = known->key;
    }
}
