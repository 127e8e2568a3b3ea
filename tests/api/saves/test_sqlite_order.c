// SPDX-License-Identifier: MIT
// The order of a target's sources, and of a source's targets, comes back from a database.
#define _POSIX_C_SOURCE 200809L
#include "support/random_edges.h"

#include <keel_sqlite.h>
#include <stdio.h>
#include <unistd.h>

static api_fixture f, g;
static char path[64];

static void begin(uint32_t from) {
    begin_edges(from);
    api_begin(&f);
    api_begin(&g);
    snprintf(path, sizeof path, "/tmp/keel_order_%u.db", (unsigned)getpid());
    (void)unlink(path);
    register_relations(f.world, g.world);
}

static void a_database_keeps_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 10; ++from) {
        keel_entity e[ENTITIES];
        begin(from);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world);
        relate_all(f.world, e, ENTITIES);
        assert_int_equal(keel_sqlite_write(f.world, path, NULL), KEEL_OK);
        assert_int_equal(keel_sqlite_load(g.world, path, NULL), KEEL_OK);
        assert_alike(f.world, e, g.world, e, ENTITIES);
        (void)unlink(path);
        api_end(&g);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_database_keeps_the_order, "a database keeps both orders of edges"),
};

int main(void) { return RUN(tests); }
