// SPDX-License-Identifier: MIT
// swarm: 100,000 boids on all cores. The same file makes swarm_headless, which knows no window.
#include "headless.h"
#include <stdio.h>
#ifdef SWARM_WINDOW
#include "window.h"
#endif

// Runs what needs a window or a picture.
static int show(const options *o) {
#ifdef SWARM_WINDOW
    return o->shot ? window_shot(o) : window_run(o);
#else
    if (!o->shot) return headless_run(o);
    fputs("swarm: --shot: this program draws nothing; build the target swarm, which needs SDL2 and stb\n", stderr);
    return 2;
#endif
}

int main(int count, char *arguments[]) {
    options o;
    char why[200];
    if (!options_parse(&o, count, arguments, why)) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    if (o.help) {
        fputs(options_help, stdout);
        return 0;
    }
    if (o.compare_threads) return headless_compare(&o);
    return o.headless ? headless_run(&o) : show(&o);
}
