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

// A type with a constructor: a load hook gets T(), not zeros, and so does a component that is
// required.
struct Cargo {
    std::string owner = "nobody";
    int gold = 7;
};
keel_result save_cargo(const void *value, keel_stream *out, void *) {
    keel_stream_write_text(out, static_cast<const Cargo *>(value)->owner.c_str());
    return KEEL_OK;
}
keel_result load_cargo(void *value, keel_stream *in, void *) {
    auto *cargo = static_cast<Cargo *>(value);
    assert_string_equal(cargo->owner.c_str(), "nobody");
    const char *text = keel_stream_read_text(in);
    cargo->owner = text ? text : "?"; // an empty text, too
    return KEEL_OK;
}
KEEL_COMPONENT(Cargo, .save = save_cargo, .load = load_cargo);
void a_load_hook_gets_a_value_that_was_constructed(void **) {
    std::vector<unsigned char> file;
    keel_save_sink sink = {};
    sink.write = keep;
    sink.context = &file;
    api_fixture f;
    api_begin(&f);
    const keel_entity full =
        keel_add_entity(f.world, KEEL_INIT(Cargo, { "a pirate whose name is long", 9 }));
    const keel_entity empty = keel_add_entity(f.world, KEEL_INIT(Cargo, { "", 9 }));
    assert_int_equal(keel_save_to(f.world, sink, nullptr), KEEL_OK);
    keel_world *later = keel_world_create(nullptr);
    assert_int_equal(keel_register(later, Cargo), KEEL_OK);
    assert_int_equal(keel_load_from(later, file.data(), file.size(), nullptr), KEEL_OK);
    assert_string_equal(keel_get(later, full, Cargo)->owner.c_str(), "a pirate whose name is long");
    assert_string_equal(keel_get(later, empty, Cargo)->owner.c_str(), "");
    assert_int_equal(keel_get(later, full, Cargo)->gold, 7); // the hook reads no gold
    keel_world_destroy(later);
    api_end(&f);
}

const CMUnitTest tests[] = {
    TEST(a_load_hook_gets_a_value_that_was_constructed,
         "a load hook gets a value that was constructed, in C++"),
    TEST(an_old_save_loads, "a save of an earlier program loads in C++"),
};

} // namespace

int main() { return RUN(tests); }
