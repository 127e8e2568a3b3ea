// SPDX-License-Identifier: MIT
// Tracking and observers from C++.
#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

struct Vigour {
    int points;
};
KEEL_COMPONENT(Vigour,
               .tracking = KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION | KEEL_TRACK_DELETION);
struct Season {
    int number;
};
KEEL_UNIQUE(Season);
KEEL_TAG(Weak);
KEEL_TAG(Strong);

static int seen, gone_points;

KEEL_SYSTEM(heal, KEEL_WRITE_MARKED(Vigour, vigour, changed)) {
    ++vigour->points;
    *changed = true;
}
KEEL_SYSTEM(see, KEEL_READ(Vigour, vigour), KEEL_MODIFIED(Vigour), KEEL_NOT_INSERTED(Vigour)) {
    seen += vigour->points;
}
KEEL_SYSTEM_ONCE(mourn, KEEL_MAY_READ(Vigour), KEEL_CONTEXT(context)) {
    KEEL_EACH_REMOVED(context, Vigour, gone)
        if (gone.deleted) gone_points += static_cast<const Vigour *>(gone.value)->points;
    assert_int_equal(keel_missed(context, Vigour), 0);
}

namespace {

void count(const keel_change *, void *data) { ++*static_cast<int *>(data); }

void changes_are_seen(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    int calls = 0;
    seen = gone_points = 0;
    assert_int_equal(keel_observe(w, Vigour, KEEL_ON_INSERTED, count, &calls), KEEL_OK);
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Vigour, { 3 }));
    assert_int_equal(calls, 1);
    assert_int_equal(keel_run(w, see), KEEL_OK);
    assert_int_equal(keel_run(w, mourn), KEEL_OK);
    assert_int_equal(keel_run(w, heal), KEEL_OK);
    assert_int_equal(keel_run(w, see), KEEL_OK);
    assert_int_equal(seen, 4);
    keel_reader *reader = keel_reader_create(w, "reader");
    KEEL_EACH(reader, KEEL_CHANGED(Vigour), KEEL_WRITE_MARKED(Vigour, v, marked)) {
        v->points = 9;
        *marked = true;
    }
    keel_reader_advance(reader);
    KEEL_EACH_SPAN(w, KEEL_SPAN_COUNT(n), KEEL_WRITE_MARKED(Vigour, v, marked))
        for (uint32_t i = 0; i < n; ++i) {
            ++v[i].points;
            marked[i] = true;
        }
    assert_int_equal(keel_changes_of(reader, e, Vigour), KEEL_TRACK_MODIFICATION);
    assert_int_equal(keel_mark(w, e, Vigour), KEEL_OK);
    assert_int_equal(keel_replace(w, e, Vigour), KEEL_OK); // with zeros
    assert_int_equal(keel_replace(w, e, Vigour, { 4 }), KEEL_OK);
    assert_int_equal(keel_clear_changes(w, Vigour, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_track(w, Vigour, KEEL_TRACK_ALL), KEEL_OK);
    assert_int_equal(keel_set_unique(w, Season, { 1 }), KEEL_OK);
    assert_int_equal(keel_unique_changes_of(w, Season), KEEL_TRACK_INSERTION);
    assert_int_equal(keel_unobserve(w, Vigour, count, &calls), KEEL_OK);
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
    assert_int_equal(keel_run(w, mourn), KEEL_OK);
    assert_int_equal(gone_points, 4);
    api_end(&f);
}

void sets_and_views(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    int calls = 0;
    assert_int_equal(keel_collect(w, Weak, Vigour, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_observe_view(w, KEEL_TERMS(KEEL_WITH(Vigour), KEEL_ANY_OF(Weak, Strong)),
                                       KEEL_ON_ENTERED | KEEL_ON_LEFT, count, &calls),
                     KEEL_OK);
    (void)keel_add_entity(w, KEEL_INIT(Vigour, { 3 }));
    assert_int_equal(keel_count(w, Weak), 1);
    assert_int_equal(calls, 1);
    assert_int_equal(keel_stop_collecting(w, Weak, Vigour), KEEL_OK);
    assert_int_equal(keel_clear(w, Weak), KEEL_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(keel_unobserve_view(w, count, &calls), KEEL_OK);
    api_end(&f);
}

const CMUnitTest tests[] = {
    TEST(changes_are_seen, "changes are marked, seen and observed in C++"),
    TEST(sets_and_views, "sets are filled and views observed in C++"),
};

} // namespace

int main() { return RUN(tests); }
