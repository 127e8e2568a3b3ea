// SPDX-License-Identifier: MIT
// Square Eater begins here: it reads the options and opens the window, or runs without one.
// With SQUARE_EATER_HEADLESS defined it needs no SDL and has no window.
#include "headless.h"
#include "together_headless.h"
#include <stdio.h>
#ifndef SQUARE_EATER_HEADLESS
#include "shot.h"
#include "window.h"
#include <SDL.h> // SDL_main, where a system needs it
#endif

int main(int count, char **words) {
    options o;
    char why[256] = "";
    if (!options_read(&o, count, words, why)) {
        fprintf(stderr, "square_eater: %s\n", why);
        return 2;
    }
    if (o.help) {
        fputs(options_help, stdout);
        return 0;
    }
#ifdef SQUARE_EATER_HEADLESS
    return options_is_session(&o) ? together_headless_run(&o) : headless_run(&o, NULL);
#else
    if (o.headless && options_is_session(&o)) return together_headless_run(&o);
    return o.headless ? headless_run(&o, shot_write) : window_run(&o);
#endif
}
