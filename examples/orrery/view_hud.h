// SPDX-License-Identifier: MIT
// Texts and buttons in front of the sky: the date, the followed body, help. view.c asks which button is where.
#pragma once
#include "view_state.h"

// Paints texts, and buttons if somebody can press them.
void hud_paint(const view *shown);

// Returns what the button at a place of the screen does, VIEW_NONE where there is none.
view_action hud_button_at(const view *shown, double x, double y);
