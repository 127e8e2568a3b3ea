// SPDX-License-Identifier: MIT
// What fuzzing of keel::session shares: main.c and libfuzzer.c choose byte strings; packets.c reads
// them as packets, attack.c as what strangers and members send to a running session, replays.c as a
// replay.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEED_MOST = 1 << 16 }; // bytes of a string

// Each takes a string, and stops the program if something cannot be right. They return whether the
// string was a valid packet, changed a session, or was a replay that plays to its end.
bool feed_packet(const uint8_t *bytes, size_t size);
bool feed_session(const uint8_t *bytes, size_t size);
bool feed_replay(const uint8_t *bytes, size_t size);

// Write the n-th string to begin with. Return its bytes; 0: there are no more.
size_t feed_packet_sample(unsigned n, uint8_t *bytes, size_t capacity);
size_t feed_session_sample(unsigned n, uint8_t *bytes, size_t capacity);
size_t feed_replay_sample(unsigned n, uint8_t *bytes, size_t capacity);

// Stops the program.
_Noreturn void feed_stop(const char *what);
