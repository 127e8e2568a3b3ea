// SPDX-License-Identifier: MIT
// Terms of systems in words, and the storages that they use.
#pragma once
#include "inspect.h"

// Writes a term in words: "write Position".
void keeli_term_text(const keel_term *term, char *text, size_t size);
// Writes {"text","kind","components"} for a term.
void keeli_term_write(keeli_out *out, const keel_term *term);
// Writes the storages that the terms of a system use: [{"storage","access","kind"}].
void keeli_terms_write_touches(keeli_out *out, const keel_system *system);
// True if a term of the system uses the storage with this access: "read", "write", "edit",
// "commands", "send", "receive" or "filter".
bool keeli_terms_use(const keel_system *system, const char *storage, const char *access);
// Returns the strongest access of the system to the storage. NULL: it does not use it.
const char *keeli_terms_access(const keel_system *system, const char *storage);
