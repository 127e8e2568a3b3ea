// SPDX-License-Identifier: MIT
// What C++ alone has gives no warnings either, and needs no exceptions and no type information.
// flags: -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wold-style-cast -Wundef -fno-exceptions -fno-rtti
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include "game.h"

struct Turret {
    float angle;
    std::string name;
    Position at[2];
};
KEEL_FIELDS(Turret, angle, KEEL_FIELD(name, .transient = true), KEEL_FIELD(at, .bytes = true, .hidden = true));
KEEL_COMPONENT(Turret, KEEL_HAS_FIELDS(Turret));

keel_result use(keel_world *world, keel_entity a, keel_entity b);
keel_result use(keel_world *world, keel_entity a, keel_entity b) {
    static_assert(keel_entity{ 1 } == keel_entity{ 1 } && keel_entity{ 1 } != keel_entity{ 2 }, "constants");
    std::unordered_map<keel_entity, int> hashed = { { a, 1 } };
    std::map<keel_entity, int> ordered = { { b, 2 } };
    if (a == b || a != b || a < b) ++hashed[b];
    int count = ordered[a];
    auto counts = [&](const keel_change &) { ++count; };
    const auto counts_too = [&](const keel_change &) { ++count; };
    KEEL_TRY(keel::observe<Turret>(world, KEEL_ON_INSERTED, counts));
    KEEL_TRY(keel::observe<Turret>(world, KEEL_ON_INSERTED, counts_too));
    KEEL_TRY(keel::unobserve<Turret>(world, counts));
    KEEL_TRY(keel::unobserve<Turret>(world, counts_too));
    KEEL_TRY(keel::sort<Turret>(world, [](const Turret &x, const Turret &y) { return x.angle < y.angle; }));
    return keel::each<const Turret, const Frozen>(world, [&](keel_entity, const Turret &) { ++count; });
}
