// SPDX-License-Identifier: MIT
// Handles in C++: their operators, and handles as keys of maps and in sorted vectors.
#include <keel/keel.h> // before the fixture and the standard headers: it declares std::hash itself
extern "C" {
#include "support/api_fixture.h"
}

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

void operators_compare_index_and_version(void **) {
    const keel_entity old = keel_entity_make(5, 0), reused = keel_entity_make(5, 1);
    const keel_entity next = keel_entity_make(6, 0), same = keel_entity_make(5, 0);
    assert_true(old == same);
    assert_false(old != same);
    assert_false(old == reused);
    assert_true(old != reused);
    assert_true(old != next);
    assert_true(keel_null() == keel_entity{});
    assert_true(keel_null() < old);
    assert_true(old < next);    // by index
    assert_true(next < reused); // but the version first
    assert_false(old < same);
    assert_false(reused < next);
}

void a_map_has_one_value_for_each_handle(void **) {
    api_fixture f;
    api_begin(&f);
    std::unordered_map<keel_entity, int> hashed;
    std::map<keel_entity, int> ordered;
    std::vector<keel_entity> made;
    for (int i = 0; i < 40; ++i) {
        made.push_back(keel_add_entity(f.world));
        hashed[made.back()] = ordered[made.back()] = i;
    }
    assert_int_equal(keel_delete_entity(f.world, made[7]), KEEL_OK);
    const keel_entity reused = keel_add_entity(f.world);
    assert_int_equal(keel_entity_index(reused), keel_entity_index(made[7]));
    hashed[reused] = ordered[reused] = 40;
    assert_int_equal(hashed.size(), 41);
    assert_int_equal(ordered.size(), 41);
    for (int i = 0; i < 40; ++i) {
        assert_int_equal(hashed.at(made[static_cast<size_t>(i)]), i);
        assert_int_equal(ordered.at(made[static_cast<size_t>(i)]), i);
    }
    assert_int_equal(hashed.at(reused), 40);
    assert_int_equal(hashed.count(keel_null()), 0);
    std::reverse(made.begin(), made.end());
    std::sort(made.begin(), made.end());
    assert_true(std::is_sorted(made.begin(), made.end()));
    assert_int_equal(std::find(made.begin(), made.end(), reused) - made.begin(), 40); // none
    api_end(&f);
}

void hashes_differ_in_index_and_version(void **) {
    const std::hash<keel_entity> hash;
    std::unordered_set<size_t> hashes;
    for (uint32_t i = 0; i < 100; ++i) {
        hashes.insert(hash(keel_entity_make(i, 0)));
        hashes.insert(hash(keel_entity_make(1000, i % 15)));
    }
    assert_true(hash(keel_entity_make(3, 2)) == hash(keel_entity_make(3, 2)));
    assert_int_equal(hashes.size(), 115);
}

const CMUnitTest tests[] = {
    TEST(operators_compare_index_and_version, "== and != compare index and version; < orders"),
    TEST(a_map_has_one_value_for_each_handle, "handles are keys of std maps, and are sorted"),
    TEST(hashes_differ_in_index_and_version, "std::hash of handles uses index and version"),
};

} // namespace

int main() { return RUN(tests); }
