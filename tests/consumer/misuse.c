// SPDX-License-Identifier: MIT
// Does the library that it is linked to tell of a broken contract, or return an error only?
#include <keel/keel.h>
#include <stdio.h>

static const char *answer = "returns an error";

static bool is_told(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)message, (void)file, (void)line;
    answer = "checks contracts";
    return false; // go on
}

int main(void) {
    keel_set_assert_handler(is_told);
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
    if (!world || keel_run_system(world, NULL, NULL) != KEEL_ERROR_ARGUMENT) return 1;
    keel_world_destroy(world);
    puts(answer);
    return 0;
}
