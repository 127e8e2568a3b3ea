// SPDX-License-Identifier: MIT
// Views are members of custom views; a system names components.
// gcc: drift: KEEL_VIEW is for KEEL_CUSTOM_VIEW; a system names components, or loops with KEEL_EACH
// clang: drift: KEEL_VIEW is for KEEL_CUSTOM_VIEW; a system names components, or loops with KEEL_EACH
#include "game.h"

KEEL_SYSTEM_ONCE(drift, KEEL_VIEW(all, KEEL_READ(Position, p))) {}
