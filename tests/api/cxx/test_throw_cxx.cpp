// SPDX-License-Identifier: MIT
// Exceptions that leave functions of the user's: each is a failure that says what they say, what
// was held is given back, and nothing lives on.
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

namespace {

std::atomic<int> live; // texts

struct Text {
    std::string text;
    explicit Text(const char *t = "a text that is too long to lie in the object") : text(t) {
        ++live;
    }
    Text(const Text &other) : text(other.text) {
        if (other.text == "no copies") throw std::runtime_error("from a copy");
        ++live;
    }
    Text(Text &&other) noexcept : text(std::move(other.text)) { ++live; }
    Text &operator=(const Text &) = default;
    Text &operator=(Text &&) = default;
    ~Text() { --live; }
};
KEEL_COMPONENT(Text);

struct Number {
    int n;
};
KEEL_COMPONENT(Number);

struct Handle {
    int n;
};
bool copy_handle(void *, const void *, void *) { throw std::runtime_error("from a hook"); }
KEEL_COMPONENT(Handle, .copy = copy_handle);

// The world's error is the exception, there are no others, and the world goes on.
void assert_thrown(keel_world *w, const char *what) {
    const keel_error *const error = keel_last_error(w);
    assert_int_equal(error->result, KEEL_ERROR_SYSTEM);
    assert_non_null(std::strstr(error->message, what));
    keel_clear_errors(w);
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
    assert_int_equal(keel_apply_commands(w), KEEL_OK); // no view is open
}

void shout(const keel_change *, void *) {
    const Text local;
    throw std::runtime_error("from an observer");
}
void throw_number(const keel_change *, void *) { throw 5; }

// ------------------------------------------------------------------ observers and commands
KEEL_SYSTEM_ONCE(edits, KEEL_WORLD(w)) {
    (void)keel_add_entity(w, KEEL_INIT(Text));
    (void)keel_add_entity(w, KEEL_INIT(Text));
}
KEEL_SYSTEM_ONCE(records, KEEL_COMMANDS(commands)) {
    (void)keel_add_entity(commands, KEEL_INIT(Text));
}
KEEL_WORKLOAD(recording, KEEL_STEP(records), KEEL_STEP(records));

keel_result called(keel_world *w, void *) {
    const Text local;
    (void)keel_add_entity(w, KEEL_INIT(Text));
    throw std::runtime_error("from a command");
}
KEEL_SYSTEM_ONCE(calls, KEEL_COMMANDS(commands)) {
    (void)keel_commands_call(commands, called, nullptr, 0);
}
KEEL_WORKLOAD(calling, KEEL_STEP(calls), KEEL_STEP(records));

void observers_may_throw(void **) {
    for (uint32_t workers = 1; workers <= 4; workers *= 4) {
        api_fixture f;
        api_begin_workers(&f, workers);
        keel_world *const w = f.world;
        assert_int_equal(keel_observe(w, Text, KEEL_ON_INSERTED, shout, nullptr), KEEL_OK);
        const keel_entity e = keel_add_entity(w, KEEL_INIT(Text)); // it is there
        assert_non_null(keel_get(w, e, Text));
        assert_thrown(w, "from an observer");
        assert_int_equal(keel_run(w, edits), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from an observer");
        assert_int_equal(keel_run_workload(w, recording), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from an observer");
        (void)keel_add_entity(keel_world_commands(w), KEEL_INIT(Text));
        assert_int_equal(keel_apply_commands(w), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from an observer");
        assert_int_equal(keel_count(w, Text), 5); // edits are made, later steps are not run
        assert_int_equal(keel_unobserve(w, Text, shout, nullptr), KEEL_OK);
        assert_int_equal(
            keel_observe_component(w, &keel_entities, KEEL_ON_DESTROYED, throw_number, nullptr),
            KEEL_OK);
        assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
        assert_int_equal(keel_unobserve_component(w, &keel_entities, throw_number, nullptr),
                         KEEL_OK);
        assert_thrown(w, "no std::exception");
        assert_int_equal(keel_observe_view(w, KEEL_TERMS(KEEL_WITH(Text), KEEL_WITHOUT(Number)),
                                           KEEL_ON_ENTERED | KEEL_ON_PRESENT, shout, nullptr),
                         KEEL_OK);
        assert_thrown(w, "from an observer");
        (void)keel_add_entity(w, KEEL_INIT(Text));
        assert_thrown(w, "from an observer");
        api_end(&f);
        assert_int_equal(live.load(), 0);
    }
}

void functions_of_commands_may_throw(void **) {
    for (uint32_t workers = 1; workers <= 4; workers *= 4) {
        api_fixture f;
        api_begin_workers(&f, workers);
        keel_world *const w = f.world;
        keel_commands *const commands = keel_world_commands(w);
        assert_int_equal(keel_commands_call(commands, called, "data", 4), KEEL_OK);
        (void)keel_add_entity(commands, KEEL_INIT(Text)); // goes on behind it
        assert_int_equal(keel_apply_commands(w), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from a command");
        assert_int_equal(keel_count(w, Text), 2);
        assert_int_equal(keel_run_workload(w, calling), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from a command");
        api_end(&f);
        assert_int_equal(live.load(), 0);
    }
}

// ------------------------------------------------------------------ functions of one call
bool keep_few(keel_entity, void *value, void *) {
    if (static_cast<Number *>(value)->n == 5) throw std::runtime_error("from retain");
    return static_cast<Number *>(value)->n > 2;
}
void patch(void *value, void *) {
    static_cast<Number *>(value)->n = 100;
    throw std::runtime_error("from patch");
}
int compare(const void *a, const void *b, void *calls) {
    if (++*static_cast<int *>(calls) == 10) throw std::runtime_error("from sort");
    return static_cast<const Number *>(b)->n - static_cast<const Number *>(a)->n;
}
int compare_entities(const keel_world *, keel_entity, keel_entity, void *) {
    throw std::runtime_error("from sort");
}
KEEL_SYSTEM_ONCE(sorts, KEEL_WORLD(w)) {
    int calls = 0;
    (void)keel_sort(w, Number, compare, &calls); // fails this system
}

void functions_of_one_call_may_throw(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    keel_entity e[20];
    for (int i = 0; i < 20; ++i)
        e[i] = keel_add_entity(w, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_retain(w, Number, keep_few, nullptr), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from retain");
    assert_int_equal(keel_count(w, Number), 20); // from the last on: who was not asked stays
    assert_int_equal(keel_patch(w, e[9], Number, patch, nullptr), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from patch");
    assert_int_equal(keel_get(w, e[9], Number)->n, 100);
    int calls = 0;
    assert_int_equal(keel_sort(w, Number, compare, &calls), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from sort");
    assert_int_equal(calls, 10);
    assert_int_equal(keel_sort_by_entity(w, Number, compare_entities, nullptr), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from sort");
    assert_int_equal(keel_run(w, sorts), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from sort");
    for (int i = 3; i < 20; ++i)
        assert_int_equal(keel_get(w, e[i], Number)->n, i == 9 ? 100 : i);
    keel_group *const group = keel_group_create(w, KEEL_OWNED(Number, Handle));
    assert_non_null(group);
    for (int i = 3; i < 20; ++i)
        assert_int_equal(keel_add(w, e[i], Handle), KEEL_OK);
    assert_int_equal(keel_sort_with(w, .group = group, .compare_entities = compare_entities),
                     KEEL_ERROR_SYSTEM);
    calls = 0;
    assert_int_equal(keel_sort_with(w, .group = group, .by = KEEL_OF(Number), .compare = compare,
                                    .data = &calls),
                     KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from sort");
    assert_int_equal(keel_sort(w, Number, nullptr, nullptr), KEEL_ERROR_GROUPED);
    api_end(&f);
}

void hooks_may_throw_where_they_may_fail(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Handle, { 1 }), KEEL_INIT(Text));
    assert_true(keel_is_null(keel_clone_entity(w, e)));
    assert_int_equal(keel_last_error(w)->result, KEEL_ERROR_COPY);
    assert_int_equal(keel_delete(w, e, Handle), KEEL_OK);
    keel_get_mut(w, e, Text)->text = "no copies";
    assert_true(keel_is_null(keel_clone_entity(w, e)));
    keel_world *const other = keel_world_create(nullptr);
    assert_int_equal(keel_copy_world(w, other), KEEL_ERROR_COPY);
    keel_world_destroy(other);
    assert_int_equal(keel_entity_count(w), 1);
    api_end(&f);
    assert_int_equal(live.load(), 0);
}

// ------------------------------------------------------------------ custom views
enum { NEVER, FIRST, LAST } throws;
struct Frame {
    keel_view all;
    Text *text;
};
keel_result frame_init(void *frame, keel_context *) {
    if (throws == FIRST) throw std::runtime_error("from init");
    static_cast<Frame *>(frame)->text = new Text();
    return KEEL_OK;
}
void frame_drop(void *frame, keel_context *) {
    delete static_cast<Frame *>(frame)->text;
    if (throws == LAST) throw std::runtime_error("from drop");
}
KEEL_CUSTOM_VIEW(Frame, KEEL_VIEW(all, KEEL_WRITE(Number, n)), .init = frame_init,
                 .drop = frame_drop);
KEEL_SYSTEM_ONCE(draws, KEEL_CUSTOM_WRITE(Frame, frame)) {
    assert_non_null(frame->text);
    throw std::runtime_error("from a system");
}

void custom_views_may_throw(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    throws = FIRST;
    assert_int_equal(keel_run(w, draws), KEEL_ERROR_VIEW);
    assert_non_null(std::strstr(keel_last_error(w)->message, "from init"));
    Frame frame;
    assert_int_equal(keel_custom_begin(w, Frame, &frame), KEEL_ERROR_VIEW);
    throws = LAST;
    assert_int_equal(keel_custom_begin(w, Frame, &frame), KEEL_OK);
    assert_int_equal(keel_custom_end(w, &frame), KEEL_ERROR_VIEW);
    assert_non_null(std::strstr(keel_last_error(w)->message, "from drop"));
    throws = NEVER;
    assert_int_equal(keel_run(w, draws), KEEL_ERROR_SYSTEM);
    assert_thrown(w, "from a system");
    api_end(&f);
    assert_int_equal(live.load(), 0);
}

// ------------------------------------------------------------------ pieces of loops
std::atomic<int> pieces;
void range(uint32_t, uint32_t, const keel_piece *piece, void *) {
    const Text local;
    ++pieces;
    if (piece->partial) *static_cast<int *>(piece->partial) += 1;
    if (piece->number >= 3) throw std::runtime_error("from piece " + std::to_string(piece->number));
}
void span(const keel_span *s, const keel_piece *piece, void *) {
    ++keel_span_write(s, Number)->n;
    throw std::runtime_error("from piece " + std::to_string(piece->number));
}
void add_up(void *total, const void *partial, void *) {
    *static_cast<int *>(total) += *static_cast<const int *>(partial);
}
void add_no_more(void *, const void *, void *) { throw std::runtime_error("from combine"); }
KEEL_SYSTEM_ONCE(splits, KEEL_CONTEXT(context)) {
    (void)keel_parallel_for(context, 1000, 10, range, nullptr);
}

void pieces_of_loops_may_throw(void **) {
    live = 0;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        api_begin_workers(&f, workers);
        keel_world *const w = f.world;
        int total = 0;
        const keel_reduction sum = { &total, sizeof total, add_up };
        const keel_reduction none = { &total, sizeof total, add_no_more };
        pieces = 0;
        assert_int_equal(keel_parallel_for(w, 1000, 10, range, nullptr), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from piece 3"); // the first one, whoever was first
        assert_int_equal(pieces.load(), 100);
        assert_int_equal(keel_parallel_reduce(w, 1000, 10, range, nullptr, &sum),
                         KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from piece 3");
        assert_int_equal(keel_parallel_reduce(w, 20, 10, range, nullptr, &none), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from combine");
        assert_int_equal(total, 0);
        assert_int_equal(keel_parallel_reduce(w, 20, 10, range, nullptr, &sum), KEEL_OK);
        assert_int_equal(total, 2);
        for (int i = 0; i < 10000; ++i)
            (void)keel_add_entity(w, KEEL_INIT(Number, { i }));
        keel_view view;
        assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_WRITE(Number, n)), "v"),
                         KEEL_OK);
        assert_int_equal(keel_view_parallel_for(&view, span, nullptr), KEEL_ERROR_SYSTEM);
        assert_int_equal(keel_view_parallel_reduce(&view, span, nullptr, &sum), KEEL_ERROR_SYSTEM);
        assert_int_equal(keel_view_parallel_for(&view, nullptr, nullptr), KEEL_ERROR_ARGUMENT);
        keel_view_end(&view);
        keel_clear_errors(w);
        assert_int_equal(keel_run(w, splits), KEEL_ERROR_SYSTEM);
        assert_thrown(w, "from piece 3");
        api_end(&f);
    }
}

const CMUnitTest tests[] = {
    TEST(observers_may_throw, "an exception of an observer is an error, or its system's failure"),
    TEST(functions_of_commands_may_throw, "an exception of a command's function is its failure"),
    TEST(functions_of_one_call_may_throw,
         "an exception of what retains, patches or compares is the call's failure"),
    TEST(hooks_may_throw_where_they_may_fail, "a copy that throws has failed"),
    TEST(custom_views_may_throw, "an exception of a custom view's functions is its failure"),
    TEST(pieces_of_loops_may_throw,
         "an exception of a piece is its loop's failure, for any number of workers"),
};

} // namespace

int main() { return RUN(tests); }
