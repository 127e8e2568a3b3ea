// SPDX-License-Identifier: MIT
// A program that uses the installed keel::inspect.
#include <keel_inspect.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_error why;
    keel_inspect *inspect =
        keel_inspect_begin(world, &(keel_inspect_desc){ .quiet = true, .past = 2 }, &why);
    if (!inspect) {
        printf("inspect: %s\n", why.message);
        return why.result != KEEL_ERROR_FILE; // another program may have all ports
    }
    const bool runs = keel_inspect_update(inspect) &&
                      strncmp(keel_inspect_url(inspect), "http://127.0.0.1:", 17) == 0;
    keel_inspect_end(inspect);
    keel_world_destroy(world);
    return !runs;
}
