// SPDX-License-Identifier: MIT
// The game with others, over the network: each machine plays at once, and goes back when a guess about the others was
// wrong (keel_session.h). together_headless.c, window.c and both.c call it.
#pragma once
#include "components.h"
#include <keel_session.h>

// What one player sends in a frame. The squares of a match are those of the host's seed, so nobody else needs to name it.
typedef struct Sent {
    Pad pad;
    uint32_t seed;
} Sent;

KEEL_WORKLOAD_DECLARE(shared_frame);

typedef struct together_options {
    const char *join;   // a host's address; NULL: this machine is the host
    uint16_t port;      // of the host; 0: the system chooses one
    uint32_t players;   // of a host: the game begins when so many are there; others may come later
    bool watches;       // and plays nothing
    bool is_patient;    // fast motion: seconds of the game are shorter than those of the network
    uint32_t seed, threads;
    uint32_t max_rollback; // frames; 0: as a session
    uint32_t frames;    // after which the world stands still; 0: never
    keel_session_transport transport;
} together_options;

typedef struct together {
    keel_world *world;
    keel_session *session;
    keel_session_status status; // after the last step
    bool has_begun;         // there is something to see
    uint32_t seed;
    uint32_t wanted;        // players
    uint16_t presses;       // which wait for a frame
    char where[300];        // what this machine waits for, until the game begins
    char news[160];         // what happened last
    double news_age;        // seconds
    char alarm[256];        // that worlds differ, or that somebody cheats; "": all is well
    char why[256];          // why the session has ended; "": it has not
    double seconds;         // since `replayed` was noted
    uint64_t replayed;      // frames that were played again, up to then
    uint32_t replayed_rate; // the same for the last second
} together;

// Begins a session, and takes its transport in any case. False: `why` is a sentence, and there is nothing to end.
bool together_begin(together *t, const together_options *o, char why[256]);

// Lets time pass, with what the player here does. Its buttons count once, in the next frame.
void together_step(together *t, Pad pad, double seconds);

// Returns true when the last frame is the same on all machines.
bool together_is_done(const together *t, uint32_t frames);

// Writes a line for the screen: ping, frames that were played again, who is waited for, what happened.
void together_tell(const together *t, char *line, size_t size);

void together_end(together *t);
