// SPDX-License-Identifier: MIT
// The order of a target's sources, and of a source's targets, comes back from a save; and a save of
// what was loaded is the same bytes.
#include "support/random_edges.h"

#include <keel_save.h>
#include <stdlib.h>

static api_fixture f, g;
typedef struct bytes {
    unsigned char data[1 << 16];
    size_t size;
} bytes;
static bytes first, second;

static bool keep(void *context, const void *data, size_t size) {
    bytes *to = context;
    assert_true(size <= sizeof to->data - to->size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

static void save(const keel_world *world, bytes *to) {
    to->size = 0;
    const keel_save_sink sink = { keep, to };
    assert_int_equal(keel_save_to(world, sink, NULL), KEEL_OK);
}

static void a_save_keeps_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 20; ++from) {
        keel_entity e[ENTITIES];
        begin_edges(from);
        api_begin(&f);
        api_begin(&g);
        register_relations(f.world, g.world);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world);
        relate_all(f.world, e, ENTITIES);
        save(f.world, &first);
        assert_int_equal(keel_load_from(g.world, first.data, first.size, NULL), KEEL_OK);
        assert_alike(f.world, e, g.world, e, ENTITIES);
        save(g.world, &second);
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        api_end(&g);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_save_keeps_the_order, "a save keeps both orders of edges"),
};

int main(void) { return RUN(tests); }
