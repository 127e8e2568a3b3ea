// SPDX-License-Identifier: MIT
// Tells why a view does not match an entity, as data and as a sentence. The public functions about
// views and steps share it.
#pragma once
#include "find/view.h"

#include <keel/why.h>

// Fills in the answer for an entity and an open view. Returns whether the view matches.
bool keeli_why_view(const keeli_view *view, keel_entity e, keel_why *why);
