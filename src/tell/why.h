// SPDX-License-Identifier: MIT
// Tells why a view does not match an entity, and how many entities each of its terms leaves. The
// public functions about views and steps share it.
#pragma once
#include "find/view.h"

#include <keel/why.h>

// Fills in an answer that no term gives. Returns false.
bool keeli_why_not(keel_why *why, keel_why_kind kind, const char *format, ...) KEELI_PRINTF(3, 4);
// Fills in the answer for an entity and an open view. Returns whether the view matches.
bool keeli_why_view(const keeli_view *view, keel_entity e, keel_why *why);
// Counts the entities that each term of an open view leaves. Returns the number of terms; 0 when
// out of memory, which is reported.
uint32_t keeli_counts_of_view(const keeli_view *view, keel_count_slice *slice, uint32_t *left,
                              uint32_t capacity);
