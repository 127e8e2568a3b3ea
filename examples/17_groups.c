// SPDX-License-Identifier: MIT
// You will learn: sprites that are drawn in order of depth: sorting, a group that keeps components
// side by side, and how to see what a loop does.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Sprite { char shape; } Sprite;
typedef struct Depth { int value; } Depth;
KEEL_COMPONENT(Sprite, .storage = KEEL_SPARSE_SET); // sparse sets have an order of their own
KEEL_COMPONENT(Depth, .storage = KEEL_SPARSE_SET);
KEEL_TAG(Hidden);

static int far_first(const void *a, const void *b, void *data) {
    const Depth *p = a, *q = b;
    (void)data;
    return (p->value < q->value) - (p->value > q->value);
}

static void draw(keel_world *world, const char *what) {
    printf("%-20s", what);
    KEEL_EACH(world, KEEL_READ(Sprite, sprite), KEEL_READ(Depth, depth), KEEL_WITHOUT(Hidden))
        printf(" %c%d", sprite->shape, depth->value);
    printf("\n");
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_entity sprites[6];
    for (int i = 0; i < 6; ++i)
        sprites[i] = keel_add_entity(world, KEEL_INIT(Sprite, { (char)('a' + i) }),
                                     KEEL_INIT(Depth, { (i * 5 + 2) % 6 }));
    draw(world, "as created:");

    keel_sort(world, Depth, far_first, NULL);
    keel_sort_as(world, Sprite, Depth); // a loop over both may be led by either
    draw(world, "sorted:");

    // The group has members: who has both and is not hidden. They come first in both sets.
    keel_group *visible = keel_group_create(world, KEEL_OWNED(Depth, Sprite), KEEL_EXCLUDE(Hidden));
    if (!visible) return 1;
    keel_add(world, sprites[3], Hidden);
    printf("%u of %u are visible\n", (unsigned)keel_group_count(world, visible),
           (unsigned)keel_count(world, Sprite));
    draw(world, "d is hidden:"); // the last one took its place

    keel_sort_with(world, .group = visible, .by = KEEL_OF(Depth), .compare = far_first);
    draw(world, "sorted again:");
    keel_add(world, sprites[1], Depth, { 9 });
    keel_sort_with(world, .group = visible, .by = KEEL_OF(Depth), .compare = far_first); // cheap: nearly in order
    draw(world, "b is far away:");

    // What a group owns is not sorted behind its back.
    if (keel_sort(world, Depth, far_first, NULL) == KEEL_ERROR_GROUPED)
        printf("%s\n", keel_last_error(world)->message);
    keel_group_destroy(world, visible);
    keel_world_destroy(world);
    return 0;
}
