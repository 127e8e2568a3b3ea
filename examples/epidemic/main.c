// SPDX-License-Identifier: MIT
// epidemic: one model on several processes, with keel::mpi. README.md tells about it.
#include "launch.h"
#include "options.h"
#include "play.h"

int main(int count, char *arguments[]) {
    static options o;
    const launch_program program = { .name = "epidemic",
                                     .help = options_help,
                                     .options = &o,
                                     .common = &o.common,
                                     .parse = options_parse,
                                     .play = play };
    return launch(&program, count, arguments);
}
