// SPDX-License-Identifier: MIT
// Prefabs from C++: overrides by templates and by macros, values with constructors.
#include <string>
#include <vector>

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

namespace {

struct Label {
    std::string text = "nobody";
};
struct Points {
    int left;
};
struct Aim {
    keel_entity gun;
};
KEEL_COMPONENT(Label);
KEEL_COMPONENT(Points);
KEEL_FIELDS(Aim, gun);
KEEL_COMPONENT(Aim, KEEL_HAS_FIELDS(Aim));

const char long_text[] = "a text that is too long to lie in the string itself";

void copies_have_texts_of_their_own(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const templates = keel_templates(f.world);
    const keel_prefab tank = { keel_add_entity(templates, KEEL_INIT(Points, { 100 }),
                                               KEEL_INIT(Label, { long_text })) };
    const keel_entity gun = keel_add_child(templates, tank.root, KEEL_INIT(Label, { "gun" }));
    keel_add(templates, tank.root, Aim, { gun });
    const keel_entity one = keel_spawn(f.world, tank);
    const keel_entity named =
        keel_spawn(f.world, tank, KEEL_INIT(Label, { "named" }), KEEL_INIT(Points, { 5 }));
    const std::vector<Points> points{ { 1 }, { 2 }, { 3 } };
    std::vector<keel_entity> many(points.size());
    assert_int_equal(
        keel_spawn_many(f.world, tank, 3, many.data(), KEEL_COLUMN(Points, points.data())),
        KEEL_OK);
    keel_get_mut(f.world, one, Label)->text += ", changed";
    assert_true(keel_get(templates, tank.root, Label)->text == long_text);
    assert_true(keel_get(f.world, named, Label)->text == "named");
    assert_int_equal(keel_get(f.world, named, Points)->left, 5);
    for (size_t i = 0; i < many.size(); ++i) {
        assert_int_equal(keel_get(f.world, many[i], Points)->left, points[i].left);
        assert_true(keel_get(f.world, many[i], Label)->text == long_text);
        const keel_entity own = keel_get(f.world, many[i], Aim)->gun;
        assert_same_entity(own, keel_first_child(f.world, many[i]));
        assert_true(keel_get(f.world, own, Label)->text == "gun");
        assert_same_entity(keel_prefab_of(f.world, own).root, gun);
    }
    keel_commands *const list = keel_world_commands(f.world);
    const keel_entity later = keel_spawn(list, tank, KEEL_INIT(Label, { long_text }));
    (void)keel_spawn(list, tank, KEEL_INIT(Label, { long_text }));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(keel_get(f.world, later, Label)->text == long_text);
    assert_no_error(f.world);
    api_end(&f);
}

const struct CMUnitTest tests[] = {
    TEST(copies_have_texts_of_their_own, "prefabs with texts are spawned from C++"),
};

} // namespace

int main() { return RUN(tests); }
