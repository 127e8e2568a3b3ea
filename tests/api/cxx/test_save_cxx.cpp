// SPDX-License-Identifier: MIT
// Saves from C++17: names, versions and migrate functions of a component are options as in C.
#include "support/test.h"

#include <cstring>
#include <string>
#include <vector>

#include <keel/keel.h> // before the fixture: the header has templates
#include <keel_save.h>
extern "C" {
#include "support/api_fixture.h"
}

namespace {

enum class Rank : uint8_t { squire, knight };
KEEL_ENUM(Rank, Rank::squire, Rank::knight);
struct Before {
    int16_t hp;
    char title[8];
};
KEEL_FIELDS(Before, hp, title);
KEEL_COMPONENT(Before, KEEL_HAS_FIELDS(Before), .name = "Health");
struct Vitals {
    int32_t points;
    Rank rank;
};
KEEL_FIELDS(Vitals, KEEL_FIELD(points, .was = "hp"), KEEL_FIELD(rank, .of = KEEL_TYPE(Rank)));
keel_result migrate(const keel_old_value *old, void *value, void *) {
    const std::string title = keel_old_text(old, "title", "");
    static_cast<Vitals *>(value)->rank = title == "knight" ? Rank::knight : Rank::squire;
    return KEEL_OK;
}
KEEL_COMPONENT(Vitals, KEEL_HAS_FIELDS(Vitals), .saved_as = "Health", .version = 1,
               .migrate = migrate);

bool keep(void *context, const void *bytes, size_t size) {
    auto *to = static_cast<std::vector<unsigned char> *>(context);
    const auto *from = static_cast<const unsigned char *>(bytes);
    to->insert(to->end(), from, from + size);
    return true;
}

void an_old_save_loads(void **) {
    std::vector<unsigned char> file;
    keel_save_sink sink = {};
    sink.write = keep;
    sink.context = &file;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Before, { 7, "knight" }));
    assert_int_equal(keel_save_to(f.world, sink, nullptr), KEEL_OK);
    keel_world *later = keel_world_create(nullptr);
    assert_int_equal(keel_register(later, Vitals), KEEL_OK);
    assert_int_equal(keel_load_from(later, file.data(), file.size(), nullptr), KEEL_OK);
    assert_int_equal(keel_get(later, e, Vitals)->points, 7);
    assert_true(keel_get(later, e, Vitals)->rank == Rank::knight);
    keel_world_destroy(later);
    api_end(&f);
}

const CMUnitTest tests[] = {
    TEST(an_old_save_loads, "a save of an earlier program loads in C++"),
};

} // namespace

int main() { return RUN(tests); }
