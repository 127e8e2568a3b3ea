// SPDX-License-Identifier: MIT
// You will learn: an inventory. Each item is an entity, made from a template or a variant of it, and
// a relation says who holds it. Crafting takes items away and makes a new one.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Kind { char name[16]; } Kind; // text of its own, so that it can be saved
typedef struct Damage { int points; } Damage;
typedef struct Weight { int grams; } Weight;
KEEL_FIELDS(Kind, name);
KEEL_COMPONENT(Kind, KEEL_HAS_FIELDS(Kind));
KEEL_COMPONENT(Damage);
KEEL_COMPONENT(Weight);
// whoever is deleted takes along what it holds: there is no item that nobody can find
KEEL_RELATION(HeldBy, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES);

typedef struct Items { keel_prefab wood, iron, sword, fine_sword; } Items;

static Items make_items(keel_world *world) {
    keel_world *templates = keel_templates(world);
    Items i;
    i.wood.root = keel_add_entity(templates, KEEL_INIT(Kind, { "wood" }), KEEL_INIT(Weight, { 300 }));
    i.iron.root = keel_add_entity(templates, KEEL_INIT(Kind, { "iron" }), KEEL_INIT(Weight, { 800 }));
    i.sword.root = keel_add_entity(templates, KEEL_INIT(Kind, { "sword" }), KEEL_INIT(Weight, { 1500 }),
                                   KEEL_INIT(Damage, { 10 }));
    // a variant: what is not said is as in the template that it is a copy of
    i.fine_sword.root =
        keel_spawn(templates, i.sword, KEEL_INIT(Kind, { "fine sword" }), KEEL_INIT(Damage, { 18 }));
    return i;
}

static void give(keel_world *world, keel_prefab what, uint32_t count, keel_entity to) {
    for (uint32_t i = 0; i < count; ++i)
        keel_relate(world, keel_spawn(world, what), HeldBy, to);
}

static void print_held(const keel_world *world, const char *who, keel_entity holder) {
    int grams = 0;
    printf("%s:", who);
    KEEL_EACH_SOURCE(world, holder, HeldBy, item) { // in the order in which they came
        printf(" %s", keel_get(world, item, Kind)->name);
        grams += keel_get(world, item, Weight)->grams;
    }
    printf(" (%d g)\n", grams);
}

// ------------------------------------------------------------------ crafting
// A recipe names templates: an item is an ingredient when it is a copy of one of them.
typedef struct Need { keel_prefab what; uint32_t count; } Need;
typedef struct Recipe { keel_prefab makes; Need needs[2]; } Recipe;

static bool craft(keel_world *world, keel_entity who, const Recipe *recipe) {
    keel_entity used[8]; // all are found before any is taken
    uint32_t found = 0;
    for (int i = 0; i < 2; ++i) {
        uint32_t left = recipe->needs[i].count;
        KEEL_EACH_SOURCE(world, who, HeldBy, item) {
            keel_entity kind = keel_prefab_of(world, item).root;
            if (left && keel_is_same(kind, recipe->needs[i].what.root)) used[found++] = item, --left;
        }
        if (left) return false;
    }
    keel_delete_entities(world, used, found); // who held them holds them no more
    give(world, recipe->makes, 1, who);
    return true;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    const Items items = make_items(world);
    const keel_entity smith = keel_add_entity(world), hero = keel_add_entity(world);
    const Recipe sword = { items.sword, { { items.wood, 1 }, { items.iron, 2 } } };
    const Recipe fine = { items.fine_sword, { { items.sword, 1 }, { items.iron, 1 } } };
    give(world, items.wood, 2, smith);
    give(world, items.iron, 3, smith);
    print_held(world, "the smith", smith);

    printf("a fine sword: %s\n", craft(world, smith, &fine) ? "made" : "something is missing");
    printf("a sword: %s\n", craft(world, smith, &sword) ? "made" : "something is missing");
    print_held(world, "the smith", smith);
    printf("a fine sword: %s\n", craft(world, smith, &fine) ? "made" : "something is missing");

    // it changes hands: an exclusive relation leaves the one before
    KEEL_EACH_SOURCE(world, smith, HeldBy, item)
        if (keel_has(world, item, Damage)) keel_relate(world, item, HeldBy, hero);
    print_held(world, "the smith", smith);
    print_held(world, "the hero", hero);

    // a better template for all that are made from now on; who has one keeps it
    keel_get_mut(keel_templates(world), items.fine_sword.root, Damage)->points = 25;
    give(world, items.fine_sword, 1, hero);
    KEEL_EACH_SOURCE(world, hero, HeldBy, item)
        printf("%s: %d\n", keel_get(world, item, Kind)->name, keel_get(world, item, Damage)->points);

    keel_delete_entity(world, hero);
    printf("the hero is dead, and %u items are left\n", (unsigned)keel_count(world, HeldBy));
    keel_world_destroy(world);
    return 0;
}
