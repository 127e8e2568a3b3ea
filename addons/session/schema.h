// SPDX-License-Identifier: MIT
// Compares what two machines must have in common to play together: the components with their
// layouts, in the order of their registration, and the shape of the session.
#pragma once
#include "session.h"

// Fills in a HELLO.
void keeli_schema_write(const keel_session *s, packet *p);
// Compares the HELLO of another machine with this one. Returns true if both can play together;
// otherwise `text`, of PACKET_TEXT + 1 bytes, says what differs, as the other machine reads it.
bool keeli_schema_fits(const keel_session *s, const packet *p, char *text);
