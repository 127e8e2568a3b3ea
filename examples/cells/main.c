// SPDX-License-Identifier: MIT
// cells: a colony of cells on several processes, with keel::mpi. README.md tells about it.
#include "launch.h"
#include "options.h"
#include "play.h"

int main(int count, char *arguments[]) {
    static options o;
    const launch_program program = { .name = "cells",
                                     .help = options_help,
                                     .options = &o,
                                     .common = &o.common,
                                     .parse = options_parse,
                                     .play = play };
    return launch(&program, count, arguments);
}
