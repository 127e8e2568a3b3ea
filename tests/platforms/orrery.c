// SPDX-License-Identifier: MIT
// The orrery without its outputs: 100 days of the solar system and a belt, and a hash of
// where all bodies are then. tools/matrix compares it between platforms.
#include "bodies.h"
#include "components.h"
#include "population.h"
#include "systems.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Enough for angles of a few thousand turns; what counts is that each platform does the same.
double matrix_sin(double x) {
    const double turns = floor(x / 6.283185307179586 + 0.5);
    const double r = x - turns * 6.283185307179586, s = r * r;
    double sum = 0, term = r;
    for (int n = 1; n < 30; n += 2) {
        sum += term;
        term = -term * s / (double)((n + 1) * (n + 2));
    }
    return sum;
}
double matrix_cos(double x) { return matrix_sin(x + 1.5707963267948966); }
double matrix_cbrt(double x) {
    double root = x > 1 ? x : 1;
    for (int n = 0; n < 80; ++n)
        root = (2 * root + x / (root * root)) / 3;
    return root;
}

#ifdef _WIN32
ssize_t matrix_getline(char **line, size_t *capacity, FILE *file) {
    enum { LONGEST = 4096 };
    if (!*line) *line = malloc(*capacity = LONGEST);
    if (!*line || !fgets(*line, LONGEST, file)) return -1;
    return (ssize_t)strlen(*line);
}
#endif

int main(int argc, char **argv) {
    body_list bodies = { 0 };
    failure why = { 0 };
    if (argc < 2 || !bodies_load(&bodies, argv[1], &why)) return 1;
    keel_world *world = keel_world_create(&(keel_world_desc){ .worker_count = 2 });
    if (!world || populate_bodies(world, &bodies) < 0 || populate_belt(world, 2000, 1) < 0)
        return 1;
    for (int day = 0; day < 100; ++day)
        if (orrery_step(world, 2461366.5 + day) < 0) return 1;
    // numbers, not bytes: these are the same in each byte order
    uint64_t hash = 0xCBF29CE484222325u;
    for (keel_entity e = keel_next_entity(world, keel_null()); !keel_is_null(e);
         e = keel_next_entity(world, e)) {
        const Position *p = keel_get(world, e, Position);
        uint64_t bits[3];
        if (!p) continue;
        memcpy(bits, p, sizeof bits);
        for (int k = 0; k < 3; ++k)
            hash = (hash ^ bits[k]) * 0x100000001B3u;
    }
    printf("0x%016" PRIx64 "\n", hash);
    keel_world_destroy(world);
    bodies_free(&bodies);
    return 0;
}
