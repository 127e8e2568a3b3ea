// SPDX-License-Identifier: MIT
// The automatic player: it looks at the world and makes the input of the next frame, as a person would.
// headless.c and window.c (--auto) call it.
#pragma once
#include "components.h"

// How a run without a person ends: the last frame shows this state.
typedef enum { GOAL_PLAY, GOAL_MENU, GOAL_PAUSE, GOAL_OVER } autoplay_goal;

// Returns the input of frame `frame` of `frames`; frames is 0 for a run without an end.
Input autoplay_input(keel_world *world, autoplay_goal goal, uint32_t frame, uint32_t frames);
