// SPDX-License-Identifier: MIT
// You will learn: one header of components for several files, C and C++, and plug-ins that come and
// go. Usage: 04_files plugin.so...
#define _POSIX_C_SOURCE 200809L
#include "components.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void run_plugin(keel_world *world, const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        return;
    }
    plugin_function *run;
    void *symbol = dlsym(library, "plugin_run");
    memcpy(&run, &symbol, sizeof run);
    printf("plug-in: %s\n", run ? keel_result_text(run(world)) : "has no plugin_run");
    dlclose(library);
}

static void log_line(void *context, keel_log_level level, const char *line) {
    (void)level;
    fprintf(context, "log: %s\n", line);
}

int main(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = { log_line, stdout } });
    keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 3, 0 }));
    keel_run_workload(world, frame);
    draw_all(world);
    run_plugin(world, PLUGIN); // turns the velocity
    run_plugin(world, PLUGIN); // loaded again: turns it back
    run_plugin(world, STALE_PLUGIN);
    keel_run(world, move);
    draw_all(world);
    keel_world_destroy(world);
    return 0;
}
