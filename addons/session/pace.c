// SPDX-License-Identifier: MIT
// Keeps the machines together in time. Each tells the others how far ahead of them it seems to be;
// the way that packets take makes both sides see the other behind by the same, so half of the
// difference of both views is the true distance. Who is ahead makes frames longer, who is behind
// makes them a little shorter; nobody ever waits a whole frame for it.
#include "session.h"

void keeli_pace_note(keel_session *s, session_peer *peer, uint64_t frame, int32_t ahead_there) {
    peer->ahead_there = ahead_there;
    const int64_t ahead = (int64_t)(s->in.now - frame);
    peer->ahead[peer->ahead_count++ % PACE_WINDOW] = ahead < -120  ? -120
                                                     : ahead > 120 ? 120
                                                                   : (int32_t)ahead;
}

float keeli_pace_average(const session_peer *peer) {
    const uint32_t count = peer->ahead_count < PACE_WINDOW ? peer->ahead_count : PACE_WINDOW;
    int32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += peer->ahead[i];
    return count ? (float)sum / (float)count : 0;
}

float keeli_pace_ahead(const keel_session *s) {
    float most = 0, least = 0;
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PEERS; ++i) {
        const session_peer *peer = &s->peers[i];
        if (!keeli_peer_stays(peer)) continue;
        const float ahead = (keeli_pace_average(peer) - (float)peer->ahead_there) / 2;
        most = ahead > most ? ahead : most;
        least = ahead < least ? ahead : least;
    }
    return most > 0 ? most : least; // the slowest one decides
}

double keeli_pace_frame(const keel_session *s) {
    const double frame = 1.0 / s->desc.rate;
    const float ahead = keeli_pace_ahead(s);
    if (ahead < -5) // after a pause, or when the game was joined: two frames at a time
        return frame * 0.5;
    if (ahead > 0.75f) return frame * 1.03;
    return ahead < -0.75f ? frame * 0.99 : frame;
}
