// SPDX-License-Identifier: MIT
// Plays frames, goes back to wrong ones, and compares states with those of the other machines.
// Snapshots of frames lie in a ring. While frames are played again, only those states are taken
// that somebody may still go back to, or that are compared: the confirmed one and those of checks.
// Going back therefore begins at the nearest state before the wrong frame.
#include "game.h"
#include "session.h"

#include <stdio.h>

enum { RING_MORE = 4 }; // frames of a ring beyond twice the rollback

keel_result keeli_frames_begin(keel_session *s) {
    s->ring_frames = 2 * s->desc.max_rollback + RING_MORE;
    s->ring = keel_ring_create(s->world, s->ring_frames);
    if (!s->ring) return keel_last_error(s->world)->result;
    for (uint32_t i = 0; i < CHECKS; ++i) {
        s->checks[i].snapshot = keel_snapshot_create(s->world, "a session's check");
        if (!s->checks[i].snapshot) return keel_last_error(s->world)->result;
    }
    return keeli_frames_reset(s);
}

void keeli_frames_end(keel_session *s) {
    keel_ring_destroy(s->ring);
    for (uint32_t i = 0; i < CHECKS; ++i)
        keel_snapshot_destroy(s->checks[i].snapshot);
}

keel_result keeli_frames_reset(keel_session *s) {
    const uint32_t every = s->desc.check_every;
    s->next_check = (s->in.now / every + 1) * every;
    for (uint32_t i = 0; i < CHECKS; ++i)
        s->checks[i].is_there = false;
    return keel_ring_take(s->ring, s->in.now);
}

static keel_result play_frame(keel_session *s, uint64_t frame) {
    keel_inputs in;
    keeli_inputs_play(&s->in, frame, &in);
    s->playing = frame;
    return keeli_game_play(s->world, s->desc.step, s->desc.rate, &in);
}

static bool is_check(const keel_session *s, uint64_t frame) {
    return frame >= s->next_check && frame % s->desc.check_every == 0;
}

uint64_t keeli_frames_nearest(const keel_session *s, uint64_t frame) {
    uint64_t frames[2 * KEEL_SESSION_MAX_ROLLBACK + RING_MORE], nearest = UINT64_MAX;
    const uint32_t count = keel_ring_frames(s->ring, frames, s->ring_frames);
    for (uint32_t i = 0; i < count && frames[i] <= frame; ++i)
        nearest = frames[i];
    return nearest;
}

// Plays the frames from `from`, whose state the world has, to the present one.
static keel_result play_again(keel_session *s, uint64_t from) {
    const uint64_t confirmed = keeli_inputs_confirmed(&s->in);
    for (uint64_t f = from; f < s->in.now; ++f) {
        if (f > from && (f == confirmed || is_check(s, f))) KEEL_TRY(keel_ring_take(s->ring, f));
        KEEL_TRY(play_frame(s, f));
    }
    return KEEL_OK;
}

keel_result keeli_frames_correct(keel_session *s) {
    const uint64_t wrong = s->in.wrong;
    s->has_corrected = wrong != UINT64_MAX;
    if (wrong == UINT64_MAX) return KEEL_OK;
    s->in.wrong = UINT64_MAX;
    const uint64_t from = keeli_frames_nearest(s, wrong);
    if (from == UINT64_MAX || s->in.now - from >= INPUT_FRAMES) return KEEL_ERROR_SNAPSHOT;

    KEEL_TRY(keel_rollback(s->ring, from));
    keeli_once_again(s, from);
    KEEL_TRY(play_again(s, from));
    keeli_once_end(s, from, s->in.now);

    const uint32_t count = (uint32_t)(s->in.now - from);
    s->totals.replayed += count;
    keeli_session_event(s, KEEL_SESSION_ROLLED_BACK, KEEL_SESSION_NO_PLAYER, from, NULL)->count =
        count;
    return KEEL_OK;
}

// True if the state of the present frame has to be taken: to compare it, or to go back to it. Going
// back begins at the nearest state before the wrong frame, so two frames need one state. In an
// advance that went back, the confirmed frame was taken already, and is the next one to go back to.
static bool must_take(const keel_session *s) {
    const uint64_t now = s->in.now;
    if (is_check(s, now)) return true;
    if (keeli_inputs_confirmed(&s->in) > now) return false;
    const uint64_t nearest = keeli_frames_nearest(s, now);
    const uint64_t far = s->has_corrected ? s->desc.max_rollback : 1;
    return nearest == UINT64_MAX || now - nearest > far;
}

keel_result keeli_frames_play(keel_session *s) {
    if (must_take(s)) KEEL_TRY(keel_ring_take(s->ring, s->in.now));
    KEEL_TRY(play_frame(s, s->in.now));
    ++s->in.now;
    return KEEL_OK;
}

bool keeli_frames_may_play(const keel_session *s) {
    const uint64_t confirmed = keeli_inputs_confirmed(&s->in);
    if (s->desc.max_rollback == 0) return s->in.now < confirmed || !keeli_playing_slots(s);
    return s->in.now < confirmed + s->desc.max_rollback;
}

// ------------------------------------------------------------------ checks
// Tells that the state of a peer is another one, once for each peer.
static void tell_difference(keel_session *s, session_peer *peer, session_check *check) {
    const uint64_t frame = check->frame;
    if (peer->has_differed) return;
    peer->has_differed = true;
    keeli_session_event(s, KEEL_SESSION_DIFFERS, keeli_first_slot(peer->slots), frame, NULL);
    keeli_differ_begin(s, peer, check);
}

// Compares a hash of ours with those of the peers that are there.
static void compare_check(keel_session *s, session_check *check) {
    bool is_alike = true;
    EACH_PEER(s, peer) {
        if (!keeli_peer_stays(peer)) continue;
        bool has = false;
        for (uint32_t i = 0; i < HASHES; ++i) {
            const peer_hash *theirs = &peer->hashes[i];
            if (!theirs->is_there || theirs->frame != check->frame) continue;
            has = true;
            if (theirs->hash == check->hash) continue;
            is_alike = false;
            tell_difference(s, peer, check);
        }
        is_alike &= has;
    }
    if (is_alike && check->frame > s->checked) s->checked = check->frame;
}

void keeli_frames_hash_of(keel_session *s, session_peer *peer, uint64_t frame, uint64_t hash) {
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < HASHES; ++i) {
        if (!peer->hashes[i].is_there) {
            oldest = i;
            break;
        }
        if (peer->hashes[i].frame < peer->hashes[oldest].frame) oldest = i;
    }
    peer->hashes[oldest] = (peer_hash){ .frame = frame, .hash = hash, .is_there = true };
    for (uint32_t i = 0; i < CHECKS; ++i)
        if (s->checks[i].is_there && s->checks[i].frame == frame) compare_check(s, &s->checks[i]);
}

// True if the ring can do without a final state: going back needs a later one, or none.
static bool ring_can_spare(const keel_session *s, uint64_t frame, uint64_t end) {
    uint64_t frames[2 * KEEL_SESSION_MAX_ROLLBACK + RING_MORE];
    const uint32_t count = keel_ring_frames(s->ring, frames, s->ring_frames);
    if (end == s->in.now) return true;
    for (uint32_t i = 0; i < count; ++i)
        if (frames[i] > frame && frames[i] <= end) return true;
    return false;
}

// Takes a final state out of the ring, and sends its hash. False: the ring does not have it.
static bool make_check(keel_session *s, uint64_t frame) {
    session_check *check = &s->checks[frame / s->desc.check_every % CHECKS];
    if (keel_ring_exchange(s->ring, frame, &check->snapshot) != KEEL_OK) return false;
    *check = (session_check){ .snapshot = check->snapshot, .frame = frame };
    if (keel_snapshot_hash(check->snapshot, 0, &check->hash) != KEEL_OK) return false;

    check->is_there = true;
    keeli_record_check(s, check);
    EACH_PEER(s, peer) {
        if (peer->state != PEER_MEMBER && peer->state != PEER_FEED) continue;
        packet *p = keeli_packet_begin(s, PACKET_HASH);
        p->frame = frame;
        p->hash = check->hash;
        keeli_peer_send(s, peer, true);
    }
    compare_check(s, check);
    return true;
}

// Forgets hashes of peers for a frame that is not compared.
static void forget_hashes(keel_session *s, uint64_t frame) {
    EACH_PEER(s, peer)
        for (uint32_t i = 0; i < HASHES; ++i)
            if (peer->hashes[i].frame <= frame) peer->hashes[i].is_there = false;
}

void keeli_frames_check(keel_session *s) {
    const uint64_t end = keeli_inputs_final(&s->in);
    while (s->next_check < end) {
        const uint64_t frame = s->next_check;
        if (!ring_can_spare(s, frame, end)) break;
        if (!make_check(s, frame)) forget_hashes(s, frame);
        s->next_check = frame + s->desc.check_every;
    }
    keeli_record_step(s);
}
