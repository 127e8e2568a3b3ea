// SPDX-License-Identifier: MIT
// C++: components that own things. How their values are moved, copied and destroyed follows from
// their type, and member initialisers are what a component without a value gets.
#include <keel/keel.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Name {
    std::string text = "somebody";
};
struct Inventory {
    std::vector<std::string> items;
    int gold = 10;
};
struct Sprite { // cannot be copied, so an entity with one cannot be cloned
    std::unique_ptr<int[]> pixels;
};

KEEL_COMPONENT(Name);
KEEL_COMPONENT(Inventory, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Sprite);

KEEL_SYSTEM(tax, KEEL_READ(Name, name), KEEL_WRITE(Inventory, inventory)) {
    if (inventory->gold < 6) throw std::runtime_error(name->text + " cannot pay");
    inventory->gold -= 6;
}

int main() {
    keel_world *world = keel_world_create(nullptr);
    const keel_entity hero =
        keel_add_entity(world, KEEL_INIT(Name, { "Ada" }), KEEL_INIT(Inventory, { { "lamp", "rope" } }));
    keel_add_entity(world, KEEL_INIT(Name), KEEL_INIT(Inventory));

    Inventory *things = keel_get_mut(world, hero, Inventory);
    if (things) things->items.push_back("key");
    const keel_entity twin = keel_clone_entity(world, hero); // a copy of its own
    std::printf("the twin has %zu things\n", keel_get(world, twin, Inventory)->items.size());

    keel_add(world, hero, Sprite, { std::make_unique<int[]>(64) }); // moved in
    if (keel_is_null(keel_clone_entity(world, hero))) std::printf("%s\n", keel_last_error(world)->message);

    keel_run(world, tax);
    if (keel_run(world, tax) < 0) // an exception is the failure of its system
        std::printf("%s\n", keel_last_error(world)->message);

    Name name;
    keel_remove(world, hero, Name, &name); // moved out
    std::printf("%s is nobody now\n", name.text.c_str());
    keel_world_destroy(world); // destroys what is left
}
