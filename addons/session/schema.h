// SPDX-License-Identifier: MIT
// Compares what two machines must have in common to play together: the components with their
// layouts, in the order of their registration, and the shape of the session.
#pragma once
#include "session.h"

// Fills in the schema and the components of a HELLO.
void keeli_schema_of(const keel_world *world, packet *p);
// Compares the components of two HELLOs. Returns true if they are the same; otherwise `text`, of
// PACKET_TEXT + 1 bytes, names the first one that differs, as the machine of `there` reads it.
bool keeli_schema_components_fit(const packet *there, const packet *own, char *text);
// Fills in a HELLO.
void keeli_schema_write(const keel_session *s, packet *p);
// Compares the HELLO of another machine with this one. Returns true if both can play together;
// otherwise `text`, of PACKET_TEXT + 1 bytes, says what differs, as the other machine reads it.
bool keeli_schema_fits(const keel_session *s, const packet *p, char *text);
