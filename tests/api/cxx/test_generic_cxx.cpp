// SPDX-License-Identifier: MIT
// The verbs as templates: generic code over types that know nothing of it; and how often a value is
// copied and moved on its way.
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

namespace game {

struct Place {
    float x = 0, y = 0;
};
struct Label {
    std::string text = "nobody";
};
struct Key {
    std::unique_ptr<int> number;
};
enum Team { RED, BLUE };
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Label, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Key);
KEEL_COMPONENT(Team);
KEEL_UNIQUE(Label);
KEEL_EVENT(Label);
KEEL_TAG(Asleep);

struct Pair { // two components of one type: with the macros
    int a, b;
};
typedef Pair Health;
typedef Pair Armour;
KEEL_COMPONENT(Health);
KEEL_COMPONENT(Armour);

} // namespace game

namespace {

// ------------------------------------------------------------------ code that knows no type
template <class T> void all_verbs(keel_world *w, T a, T b) {
    const keel_entity e = keel_add_entity(w), other = keel_add_entity(w, keel::init<T>());
    assert_null(keel::get<T>(w, e));
    assert_false(keel::has<T>(w, e));
    assert_int_equal(keel::add<T>(w, e), KEEL_OK);
    assert_int_equal(keel::add<T>(w, e, std::move(a)), KEEL_OK);
    assert_true(keel::has<T>(static_cast<const keel_world *>(w), e));
    assert_ptr_equal(&keel::at<T>(w, e), keel::get_mut<T>(w, e));
    assert_ptr_equal(&keel::at_mut<T>(w, e), keel::get<T>(w, e));
    assert_int_equal(keel::replace<T>(w, e, std::move(b)), KEEL_OK);
    T out{};
    assert_int_equal(keel::remove<T>(w, e, &out), KEEL_OK);
    assert_int_equal(keel::remove<T>(w, e), KEEL_ABSENT);
    assert_non_null(keel::get_or_add<T>(w, e, std::move(out)));
    assert_non_null(keel::get_or_add<T>(w, e));
    assert_int_equal(keel::add_if_missing<T>(w, e, T{}), KEEL_OK);
    assert_int_equal(keel::add_if_missing<T>(w, other), KEEL_OK);
    assert_int_equal(keel::count<T>(w), 2);
    assert_int_equal(keel::mark<T>(w, e), KEEL_OK);
    T values[2] = {};
    const keel_entity both[] = { e, other };
    assert_int_equal(keel::add_column_many<T>(w, both, 2, values), KEEL_OK);
    int seen = 0;
    assert_int_equal(keel::each<T>(w, [&](T &) { ++seen; }), KEEL_OK);
    assert_int_equal(keel::each<const T>(w, [&](keel_entity, const T &) { ++seen; }), KEEL_OK);
    assert_int_equal(seen, 4);
    assert_int_equal(keel::patch<T>(w, e, [&](T &) { ++seen; }), KEEL_OK);
    assert_int_equal(seen, 5);
    assert_int_equal(keel::retain<T>(w, [&](keel_entity x, T &) { return x.bits == e.bits; }),
                     KEEL_OK);
    assert_int_equal(keel::delete_<T>(w, e), KEEL_OK);
    keel_commands *const commands = keel_world_commands(w);
    assert_int_equal(keel::add<T>(commands, e), KEEL_OK);
    assert_int_equal(keel::add<T>(commands, other, T{}), KEEL_OK);
    assert_int_equal(keel_apply_commands(w), KEEL_OK);
    keel_entity from;
    while (keel::drain<T>(w, &from, &out)) {}
    assert_int_equal(keel::clear<T>(w), KEEL_ABSENT);
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
    assert_int_equal(keel_delete_entity(w, other), KEEL_OK);
}

void generic_code_does_what_macros_do(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    all_verbs<game::Place>(w, { 1, 2 }, { 3, 4 });
    all_verbs<game::Label>(w, { "a" }, { "b" });
    all_verbs<game::Key>(w, { std::make_unique<int>(1) }, {});
    all_verbs<game::Team>(w, game::RED, game::BLUE);
    static_assert(keel::component<game::Key> == &game::KEEL_COMPONENT_Key, "a constant");
    api_end(&f);
}

// A system is another scope of the same code.
template <class T, class S> void swap_values(S *scope, keel_entity a, keel_entity b) {
    std::swap(keel::at_mut<T>(scope, a), keel::at_mut<T>(scope, b));
}
using game::KEEL_COMPONENT_Label;
using game::Label;
keel_entity two[2];
KEEL_SYSTEM_ONCE(swaps, KEEL_MAY_WRITE(Label), KEEL_CONTEXT(context)) {
    swap_values<Label>(context, two[0], two[1]);
    swap_values<Label>(KEEL_SCOPE(context), two[0], two[1]);
    swap_values<Label>(context, two[0], two[1]);
}

void the_rest_of_the_templates(void **) {
    NEEDS_USUAL_SIZES();
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const Label ada = { "Ada" };
    two[0] = keel_add_entity(w, keel::init<Label>(ada), keel::init<game::Asleep>());
    two[1] = keel_add_entity(w);
    assert_int_equal(keel_add_values(w, two[1], keel::init<Label>({ "Bob" })), KEEL_OK);
    assert_int_equal(keel_run(w, swaps), KEEL_OK);
    assert_string_equal(keel::at<Label>(w, two[0]).text.c_str(), "Bob");
    assert_true(keel::has<game::Asleep>(w, two[0]));
    assert_true((keel::has_all<Label, game::Asleep>(w, two[0])));
    assert_false((keel::has_any<game::Team, game::Asleep>(w, two[1])));
    assert_int_equal(keel::disable<Label>(w, two[1]), KEEL_OK);
    assert_int_equal(keel::enable<Label>(w, two[1]), KEEL_OK);
    assert_int_equal(keel::add_many<game::Place>(w, two, 2, { 5, 6 }), KEEL_OK);
    assert_int_equal(keel::add_matching<game::Team>(w, KEEL_TERMS(KEEL_WITH(Label)), game::BLUE),
                     KEEL_OK);
    assert_int_equal((keel::delete_<game::Team, game::Place>(w, two[0])), KEEL_OK);
    assert_int_equal(keel::delete_many<game::Place>(w, two, 2), KEEL_OK);
    assert_int_equal(keel::delete_matching<game::Team>(w, KEEL_TERMS(KEEL_WITH(Label))), KEEL_OK);
    assert_int_equal(keel::add<game::Key>(w, two[0], { std::make_unique<int>(2) }), KEEL_OK);
    assert_int_equal(keel::add<game::Key>(w, two[1], { std::make_unique<int>(1) }), KEEL_OK);
    assert_int_equal(
        keel::sort<game::Key>(
            w, [](const game::Key &a, const game::Key &b) { return *a.number < *b.number; }),
        KEEL_OK);
    int last = 0;
    assert_int_equal((keel::each<const game::Key, Label>(w,
                                                         [&](const game::Key &k, Label &l) {
                                                             assert_true(*k.number > last);
                                                             last = *k.number;
                                                             l.text += "!";
                                                         })),
                     KEEL_OK);
    assert_string_equal(keel::get<Label>(w, two[1])->text.c_str(), "Ada!");
    try {
        (void)keel::each<Label>(w, [](Label &) { throw 5; });
        fail();
    } catch (int) {}
    assert_int_equal(keel_strip(w, two[1]), KEEL_OK); // the loop was closed
    assert_int_equal(keel::set_unique<Label>(w), KEEL_OK);
    assert_int_equal(keel::set_unique<Label>(w, ada), KEEL_OK);
    assert_string_equal(keel::get_or_set_unique<Label>(w)->text.c_str(), "Ada");
    keel::get_unique_mut<Label>(w)->text = "Eve";
    Label out;
    assert_int_equal(keel::remove_unique<Label>(w, &out), KEEL_OK);
    assert_string_equal(out.text.c_str(), "Eve");
    assert_null(keel::get_unique<Label>(w));
    assert_int_equal(keel::send<Label>(w, ada), KEEL_OK);
    assert_int_equal(keel_event_count_of(w, keel::event<Label>), 1);
    api_end(&f);
}

// ------------------------------------------------------------------ tags, listeners
struct Marked {}; // complete, unlike what KEEL_TAG alone declares
KEEL_TAG(Marked);

void a_tag_is_matched_and_is_no_argument(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const keel_entity a =
        keel_add_entity(w, keel::init<Label>({ "a" }), keel::init<game::Asleep>());
    keel_add_entity(w, keel::init<Label>({ "b" }));
    keel_add_entity(w, keel::init<game::Asleep>(), keel::init<Marked>());
    std::string seen;
    const auto read = [&](keel_entity e, const Label &l) {
        assert_true(keel_is_same(e, a));
        seen += l.text;
    };
    assert_int_equal((keel::each<const Label, const game::Asleep>(w, read)), KEEL_OK);
    assert_int_equal((keel::each<game::Asleep, Label>(w, [&](Label &l) { seen += l.text; })),
                     KEEL_OK);
    assert_int_equal(keel::each<game::Asleep>(w, [&](keel_entity) { seen += "z"; }), KEEL_OK);
    assert_int_equal(keel::each<Marked>(w, [&] { seen += "m"; }), KEEL_OK);
    assert_string_equal(seen.c_str(), "aazzm");
    api_end(&f);
}

// A loop over what another loop writes is refused, and the message names the places of both.
void a_loop_is_named_by_its_place(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    keel_add_entity(w, keel::init<Label>({ "a" }));
    const auto nothing = [](const Label &) {};
    keel_result inner = KEEL_OK;
    const int line = __LINE__ + 1; // of the inner loop
    const auto body = [&](Label &) { inner = keel::each<const Label>(w, nothing); };
    assert_int_equal(keel::each<Label>(w, body), KEEL_OK);
    assert_int_equal(inner, KEEL_ERROR_BORROWED);
    const std::string file = "test_generic_cxx.cpp:", said = keel_last_error(w)->message;
    const std::string expected = file + std::to_string(line) + " wants to read 'Label', which " +
                                 file + std::to_string(line + 1) + " is writing;";
    assert_string_equal(said.substr(0, expected.size()).c_str(), expected.c_str());
    keel_clear_errors(w);
    // a name of the caller's own, and one that is too long
    const std::string folders(100, 'f'), game = folders + "/generated.cpp";
    const auto named = [&](Label &) {
        inner = keel::each<const Label>(w, nothing, game.c_str(), 1204567);
    };
    assert_int_equal(keel::each<Label>(w, named, folders.c_str(), UINT32_MAX), KEEL_OK);
    assert_int_equal(inner, KEEL_ERROR_BORROWED);
    assert_non_null(
        std::strstr(keel_last_error(w)->message, "generated.cpp:1204567 wants to read"));
    assert_non_null(std::strstr(keel_last_error(w)->message, ":4294967295 is writing"));
    keel_clear_errors(w);
    api_end(&f);
}

void a_function_object_observes(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    int calls = 0;
    std::function<void(const keel_change &)> count = [&](const keel_change &) { ++calls; };
    auto also = [&calls](const keel_change &change) {
        calls += change.kind == KEEL_ON_INSERTED ? 10 : 0;
    };
    assert_int_equal(keel::observe<Label>(w, KEEL_ON_INSERTED | KEEL_ON_DELETED, count), KEEL_OK);
    assert_int_equal(keel::observe<Label>(w, KEEL_ON_INSERTED, also), KEEL_OK);
    const keel_entity e = keel_add_entity(w, keel::init<Label>());
    assert_int_equal(calls, 11);
    assert_int_equal(keel::unobserve<Label>(w, count), KEEL_OK);
    assert_int_equal(keel::unobserve<Label>(w, count), KEEL_ABSENT);
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
    assert_int_equal(calls, 11);
    assert_int_equal(keel::unobserve<Label>(w, also), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ copies and moves
int copies, moves, made;
struct Counted {
    int n = 3;
    Counted() { ++made; }
    explicit Counted(int number) : n(number) { ++made; }
    Counted(const Counted &other) : n(other.n) { ++copies; }
    Counted(Counted &&other) noexcept : n(other.n) { ++moves; }
    Counted &operator=(const Counted &) = default;
    Counted &operator=(Counted &&) = default;
    ~Counted() {}
};
KEEL_COMPONENT(Counted);

// A copy may fail, so those for entities that are there are made beside, and moved in when
// nothing can fail any more.
void assert_counts(int copied, int moved, int made_new) {
    assert_int_equal(copies, copied);
    assert_int_equal(moves, moved);
    assert_int_equal(made, made_new);
    copies = moves = made = 0;
}

void values_are_copied_and_moved_once(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    keel_entity e[10];
    assert_int_equal(keel_reserve(w, Counted, 100), KEEL_OK);
    assert_int_equal(keel_add_entities(w, 10, e, KEEL_FILL(Counted, Counted(5))), KEEL_OK);
    assert_counts(10, 0, 1);
    const Counted value(8);
    assert_counts(0, 0, 1);
    assert_int_equal(keel_add_many(w, e, 10, Counted, value), KEEL_OK);
    assert_counts(10, 10, 0);
    assert_int_equal(keel::add_many<Counted>(w, e, 10, value), KEEL_OK);
    assert_counts(10, 10, 0);
    assert_int_equal(keel_add_matching(w, KEEL_TERMS(KEEL_WITH(Counted)), Counted, value), KEEL_OK);
    assert_counts(10, 10, 0);
    assert_int_equal(keel_add(w, e[0], Counted, value), KEEL_OK);
    assert_counts(1, 1, 0);
    assert_int_equal(keel_add(w, e[0], Counted, Counted(4)), KEEL_OK);
    assert_counts(0, 1, 1);
    assert_int_equal(keel::add<Counted>(w, e[0], Counted(4)), KEEL_OK);
    assert_counts(0, 2, 1); // through the argument
    assert_int_equal(keel_clear(w, Counted), KEEL_OK);
    std::vector<Counted> column(10);
    assert_counts(0, 0, 10);
    assert_int_equal(keel_add_column_many(w, e, 10, Counted, column.data()), KEEL_OK);
    assert_counts(0, 10, 10); // which are new in the array
    assert_int_equal(keel_clear(w, Counted), KEEL_OK);
    assert_int_equal(keel_add_many(w, e, 10, Counted), KEEL_OK);
    assert_counts(10, 10, 1);
    Counted out(1);
    assert_int_equal(keel_remove(w, e[9], Counted, &out), KEEL_OK);
    assert_counts(0, 1, 1); // and assigned
    api_end(&f);
}

const CMUnitTest tests[] = {
    TEST(generic_code_does_what_macros_do, "verbs as templates do what the macros do"),
    TEST(the_rest_of_the_templates, "templates for lists, uniques, events, scopes and loops"),
    TEST(a_tag_is_matched_and_is_no_argument, "keel::each matches tags and hands over none"),
    TEST(a_loop_is_named_by_its_place, "messages name the file and line of a keel::each"),
    TEST(a_function_object_observes, "a lambda with captures and a std::function observe"),
    TEST(values_are_copied_and_moved_once, "values are copied and moved once on their way"),
};

} // namespace

int main() { return RUN(tests); }
