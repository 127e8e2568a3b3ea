// SPDX-License-Identifier: MIT
// A program that uses the installed keel::sqlite.
#include <keel_sqlite.h>
#include <stdio.h>

typedef struct Place {
    int x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));

int main(void) {
    keel_error why = { 0 };
    uint64_t before = 0, after = 1;
    keel_world *world = keel_world_create(NULL), *later = keel_world_create(NULL);
    for (int i = 0; i < 100; ++i)
        keel_add_entity(world, KEEL_INIT(Place, { i, -i }));
    keel_result r = keel_register(later, Place);
    if (r == KEEL_OK)
        r = keel_sqlite_write(world, "consumer.db", &(keel_sqlite_write_options){ .error = &why });
    if (r == KEEL_OK)
        r = keel_sqlite_load(later, "consumer.db", &(keel_sqlite_load_options){ .error = &why });
    if (r == KEEL_OK) r = keel_world_hash(world, &before);
    if (r == KEEL_OK) r = keel_world_hash(later, &after);
    if (r < 0) puts(why.message);
    keel_world_destroy(later);
    keel_world_destroy(world);
    (void)remove("consumer.db");
    return r == KEEL_OK && before == after ? 0 : 1;
}
