// SPDX-License-Identifier: MIT
// Random edits through the templates, with values that own things, cannot be copied, have no
// default, or throw when they are copied: every verb, in every storage, in two worlds, beside a
// plain model. Whatever happens, and whatever throws, each value is destroyed exactly once, and an
// edit that failed has changed nothing. The argument of the program is the number of edits.
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

namespace {

uint64_t state = 11;
uint32_t roll(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33) % below;
}

int live;      // objects of the types below
uint32_t fuse; // which copy of a Wild throws; 0: none

struct Counted {
    const Counted *self = this; // notices when it is moved as bytes
    Counted() { ++live; }
    Counted(const Counted &) { ++live; }
    Counted(Counted &&) noexcept { ++live; }
    Counted &operator=(const Counted &) { return *this; }
    ~Counted() {
        assert_ptr_equal(self, this);
        self = nullptr;
        --live;
    }
};
struct TextBase : Counted { // has everything
    std::string text = "a text that is too long to lie in the object 7";
    TextBase() = default;
    explicit TextBase(int n)
        : text("a text that is too long to lie in the object " + std::to_string(n)) {}
    int number() const { return std::atoi(text.c_str() + text.rfind(' ')); }
};
struct OnlyBase : Counted { // no copies
    std::unique_ptr<int> value{ new int(7) };
    OnlyBase() = default;
    explicit OnlyBase(int n) : value(new int(n)) {}
    int number() const { return *value; }
};
struct BareBase : Counted { // no copies, no default
    std::unique_ptr<int> value;
    explicit BareBase(int n) : value(new int(n)) {}
    int number() const { return *value; }
};
struct WildBase : Counted { // copies throw
    std::vector<int> value{ 7, 7, 7 };
    WildBase() = default;
    explicit WildBase(int n) : value(3, n) {}
    WildBase(const WildBase &other) : Counted(other), value(other.value) {
        if (fuse && --fuse == 0) throw std::runtime_error("from a copy");
    }
    WildBase(WildBase &&) = default;
    WildBase &operator=(WildBase &&) = default;
    int number() const { return value[0]; }
};

#define IN(base, storage_name, kept, number_of)                                                    \
    struct base##storage_name : base##Base {                                                       \
        enum { id = number_of };                                                                   \
        using base##Base::base##Base;                                                              \
    };                                                                                             \
    KEEL_COMPONENT(base##storage_name, .storage = kept);                                           \
    KEEL_UNIQUE(base##storage_name);                                                               \
    KEEL_EVENT(base##storage_name, .limit = 20)
#define IN_ALL(base, first)                                                                        \
    IN(base, Sparse, KEEL_SPARSE_SET, first);                                                      \
    IN(base, Indexed, KEEL_INDEXED, first + 1);                                                    \
    IN(base, Row, KEEL_ARCHETYPE, first + 2)
IN_ALL(Text, 0);
IN_ALL(Only, 3);
IN_ALL(Bare, 6);
IN_ALL(Wild, 9);
enum { TYPES = 12, BEINGS = 30, DEFAULT = 7 };

typedef std::map<int, int> values; // by type
struct being {
    keel_entity e;
    values has;
};
struct model {
    keel_world *w, *other;
    std::vector<being> all;
    std::map<int, int> uniques;
    int came = 0, went = 0; // of TextSparse: what the observer was called for
};

bool has(const being &b, int id) { return b.has.count(id) != 0; }
bool copies(int id) { return id < 3 || id >= 9; }

template <class T> void check_one(const model &m, const being &b) {
    const T *const found = keel::get<T>(m.w, b.e);
    assert_int_equal(found != nullptr, has(b, T::id));
    if (found) assert_int_equal(found->number(), b.has.at(T::id));
}

// ------------------------------------------------------------------ edits of a type
// May be refused where a copy is needed, and then nothing has changed.
template <class T> bool copied(keel_result result) {
    if (result != KEEL_ERROR_COPY) assert_int_equal(result, KEEL_OK);
    else assert_true(!std::is_copy_constructible_v<T> || T::id >= 9);
    return result == KEEL_OK;
}

template <class T> void edit_default(model &m, being &b, int n) {
    if constexpr (std::is_default_constructible_v<T>) {
        T column[3];
        column[0] = T(n);
        const keel_entity three[] = { m.all[0].e, m.all[1].e, m.all[2].e };
        assert_int_equal(keel::add_column_many<T>(m.w, three, 3, column), KEEL_OK);
        for (int i = 0; i < 3; ++i)
            m.all[static_cast<size_t>(i)].has[T::id] = i ? +DEFAULT : n;
        assert_int_equal(column[0].number(), DEFAULT);
        assert_int_equal(keel::add<T>(m.w, b.e), KEEL_OK);
        assert_non_null(keel::get_or_add<T>(m.w, b.e));
        assert_int_equal(keel::add_if_missing<T>(keel_world_commands(m.w), b.e), KEEL_OK);
        b.has.insert({ T::id, DEFAULT });
        assert_int_equal(keel::set_unique<T>(m.w), KEEL_OK);
        m.uniques[T::id] = DEFAULT;
    }
}

template <class T> void edit_many(model &m, int n, uint32_t kind) {
    std::vector<keel_entity> list;
    for (const being &b : m.all)
        list.push_back(b.e);
    const uint32_t count = roll(BEINGS) + 1;
    const T value(n);
    if (kind == 0 && copied<T>(keel::add_many<T>(m.w, list.data(), count, value)))
        for (uint32_t i = 0; i < count; ++i)
            m.all[i].has[T::id] = n;
    if (kind == 1 &&
        copied<T>(keel::add_many<T>(keel_world_commands(m.w), list.data(), count, value)) &&
        copied<T>(keel_apply_commands(m.w)))
        for (uint32_t i = 0; i < count; ++i)
            m.all[i].has[T::id] = n;
    if (kind == 2) {
        bool any = false;
        for (const being &b : m.all)
            any |= has(b, 1);
        const keel_result result =
            keel::add_matching<T>(m.w, KEEL_TERMS(KEEL_WITH(TextIndexed)), value);
        if (any ? copied<T>(result) : false)
            for (being &b : m.all)
                if (has(b, 1)) b.has[T::id] = n;
    }
    if (kind == 3) {
        (void)keel::delete_matching<T>(m.w, KEEL_TERMS(KEEL_WITH(TextRow)));
        for (being &b : m.all)
            if (has(b, 2)) b.has.erase(T::id);
    }
    if (kind == 4) {
        (void)keel::retain<T>(m.w, [&](keel_entity, T &v) { return v.number() < n; });
        for (being &b : m.all)
            if (has(b, T::id) && b.has[T::id] >= n) b.has.erase(T::id);
    }
    if (kind == 5) {
        T out(1);
        uint32_t drained = 0;
        for (keel_entity from; keel::drain<T>(m.w, &from, &out); ++drained)
            for (being &b : m.all)
                if (b.e.bits == from.bits) {
                    assert_int_equal(out.number(), b.has.at(T::id));
                    b.has.erase(T::id);
                }
    }
    if (kind == 6) {
        (void)keel::clear<T>(m.w);
        for (being &b : m.all)
            b.has.erase(T::id);
    }
    if (kind == 7) { // refused in a group, and for other storages
        (void)keel::sort<T>(m.w, [](const T &x, const T &y) {
            if (roll(64) == 0) throw std::runtime_error("from sort");
            return x.number() < y.number();
        });
    }
}

template <class T> void edit_unique(model &m, int n) {
    const uint32_t kind = roll(4);
    if (kind == 0) assert_int_equal(keel::set_unique<T>(m.w, T(n)), KEEL_OK);
    if (kind == 1) assert_int_equal(keel::set_unique<T>(keel_world_commands(m.w), T(n)), KEEL_OK);
    if (kind <= 1) m.uniques[T::id] = n;
    assert_int_equal(keel_apply_commands(m.w), KEEL_OK);
    const T *const found = keel::get_unique<T>(m.w);
    assert_int_equal(found ? found->number() : -1, m.uniques.count(T::id) ? m.uniques[T::id] : -1);
    if (kind == 2) {
        T out(1);
        (void)keel::remove_unique<T>(m.w, &out);
        m.uniques.erase(T::id);
    }
    assert_int_equal(keel::send<T>(m.w, T(n)), KEEL_OK);
    assert_int_equal(keel::send<T>(keel_world_commands(m.w), T(n)), KEEL_OK);
    if (kind == 3) (void)keel_clear_events_of(m.w, keel::event<T>);
}

template <class T> void edit_one(model &m, being &b, int n) {
    keel_world *const w = m.w;
    const bool is = has(b, T::id);
    keel_commands *const later = keel_world_commands(w);
    const uint32_t kind = roll(16);
    switch (kind) {
    case 0:
        assert_int_equal(keel::add<T>(w, b.e, T(n)), KEEL_OK);
        break;
    case 1:
        assert_int_equal(keel::replace<T>(w, b.e, T(n)), is ? KEEL_OK : KEEL_ABSENT);
        break;
    case 2:
        assert_int_equal(keel::add_if_missing<T>(w, b.e, T(n)), KEEL_OK);
        break;
    case 3:
        assert_non_null(keel::get_or_add<T>(w, b.e, T(n)));
        break;
    case 4:
        assert_int_equal(keel::add<T>(later, b.e, T(n)), KEEL_OK);
        break;
    case 5:
        assert_int_equal(keel_add_values(w, b.e, keel::init<T>(T(n))), KEEL_OK);
        break;
    case 6:
    case 7: {
        T out(1);
        assert_int_equal(keel::remove<T>(w, b.e, &out), is ? KEEL_OK : KEEL_ABSENT);
        assert_int_equal(out.number(), is ? b.has[T::id] : 1);
        b.has.erase(T::id);
        return;
    }
    case 8:
        assert_int_equal(keel::delete_<T>(w, b.e), is ? KEEL_OK : KEEL_ABSENT);
        [[fallthrough]];
    case 9:
        assert_int_equal(keel::delete_<T>(later, b.e), KEEL_OK);
        b.has.erase(T::id);
        return;
    case 10:
        assert_int_equal(keel::patch<T>(w, b.e, [&](T &v) { v = T(n); }),
                         is ? KEEL_OK : KEEL_ABSENT);
        if (is) b.has[T::id] = n;
        return;
    case 11:
        edit_unique<T>(m, n);
        return;
    case 12:
        edit_default<T>(m, b, n);
        return;
    case 13: // dead: nothing is taken
        assert_int_equal(keel::add<T>(w, keel_null(), T(n)), KEEL_ERROR_DEAD_ENTITY);
        assert_int_equal(keel::add<T>(later, keel_null(), T(n)), KEEL_OK);
        return;
    default:
        edit_many<T>(m, n, roll(8));
        return;
    }
    if (kind == 2 || kind == 3) b.has.insert({ T::id, n });
    else if (kind != 1 || is) b.has[T::id] = n;
}

template <class F> void for_type(uint32_t id, F f) {
#define CASE(T)                                                                                    \
    case T::id:                                                                                    \
        f(static_cast<T *>(nullptr));                                                              \
        break;
    switch (id) {
        // clang-format off
        CASE(TextSparse)
        CASE(TextIndexed)
        CASE(TextRow)
        CASE(OnlySparse)
        CASE(OnlyIndexed)
        CASE(OnlyRow)
        CASE(BareSparse)
        CASE(BareIndexed)
        CASE(BareRow)
        CASE(WildSparse)
        CASE(WildIndexed)
        CASE(WildRow)
        // clang-format on
    }
}

void check(const model &m) {
    for (const being &b : m.all)
        for (uint32_t id = 0; id < TYPES; ++id)
            for_type(id,
                     [&](auto *type) { check_one<std::remove_pointer_t<decltype(type)>>(m, b); });
    uint32_t seen = 0, expected = 0;
    (void)keel::each<const TextSparse, const OnlySparse>(
        m.w,
        [&](const TextSparse &t, const OnlySparse &o) { seen += t.number() + o.number() > 0; });
    for (const being &b : m.all)
        expected += has(b, 0) && has(b, 3) && b.has.at(0) + b.has.at(3) > 0;
    assert_int_equal(seen, expected);
    assert_int_equal(m.came - m.went, keel::count<TextSparse>(m.w));
}

// ------------------------------------------------------------------ edits of entities
bool can_be_copied(const being &b) {
    for (const auto &one : b.has)
        if (!copies(one.first)) return false;
    return true;
}

void clone(model &m, being &b, int n) {
    const keel_entity copy = keel_clone_entity(m.w, b.e);
    if (!can_be_copied(b)) assert_true(keel_is_null(copy));
    if (keel_is_null(copy)) {
        assert_int_equal(keel_last_error(m.w)->result, KEEL_ERROR_COPY);
        return;
    }
    const being twin = { copy, b.has };
    for_type(roll(TYPES),
             [&](auto *type) { check_one<std::remove_pointer_t<decltype(type)>>(m, twin); });
    (void)n;
    assert_int_equal(keel_delete_entity(m.w, copy), KEEL_OK);
}

void create(model &m, being &b, int n) {
    assert_int_equal(keel_delete_entity(m.w, b.e), KEEL_OK);
    b.e = keel_add_entity(m.w, keel::init<TextSparse>(TextSparse(n)),
                          keel::init<BareRow>(BareRow(n)), keel::init<OnlyIndexed>());
    b.has = { { 0, n }, { 8, n }, { 4, DEFAULT } };
}

void create_many(model &m, int n) {
    OnlyRow rows[3];
    rows[0] = OnlyRow(n);
    keel_entity three[3];
    const WildIndexed wild(n);
    if (!copied<WildIndexed>(keel_add_entities(m.w, 3, three, keel::column<OnlyRow>(rows),
                                               KEEL_FILL(WildIndexed, wild)))) {
        assert_int_equal(rows[0].number(), n); // nothing was taken
        return;
    }
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_delete_entity(m.w, m.all[i].e), KEEL_OK);
        m.all[i] = { three[i], { { 5, i ? +DEFAULT : n }, { 10, n } } };
    }
}

// There and back again.
void move(model &m, being &b) {
    const keel_entity there = keel_move_entity(m.w, b.e, m.other);
    assert_false(keel_is_null(there));
    b.e = keel_move_entity(m.other, there, m.w);
    assert_false(keel_is_null(b.e));
}

void copy_world(const model &m) {
    keel_world *const copy = keel_world_create(nullptr);
    bool can = true;
    for (const being &b : m.all)
        can = can && can_be_copied(b);
    for (const auto &one : m.uniques)
        can = can && copies(one.first);
    if (keel_copy_world(m.w, copy) == KEEL_OK) {
        assert_true(can);
        model twin = m;
        twin.w = copy;
        for (const being &b : twin.all)
            check_one<WildRow>(twin, b);
    }
    keel_world_destroy(copy);
}

void edit_entity(model &m, being &b, int n) {
    switch (roll(16)) {
    case 0:
        copy_world(m);
        break;
    case 1:
    case 2:
    case 3:
        clone(m, b, n);
        break;
    case 4:
    case 5:
    case 6:
        create_many(m, n);
        break;
    case 7:
    case 8:
        move(m, b);
        break;
    case 9:
        assert_int_equal(keel_disable(m.w, b.e, WildIndexed), has(b, 10) ? KEEL_OK : KEEL_ABSENT);
        assert_null(keel::get<WildIndexed>(m.w, b.e));
        (void)keel_enable(m.w, b.e, WildIndexed);
        break;
    case 10:
        (void)keel_strip(m.w, b.e);
        b.has.clear();
        break;
    default:
        create(m, b, n);
    }
}

// ------------------------------------------------------------------ followers
void count(const keel_change *change, void *of) {
    const TextSparse *const value = static_cast<const TextSparse *>(change->value);
    if (value) assert_true(value->number() >= 0); // moved to another world it is there
    ++*static_cast<int *>(of);
}

uint32_t rounds;

void random_edits_destroy_each_value_once(void **) {
    {
        api_fixture f, g;
        api_begin(&f);
        api_begin(&g);
        model m = { f.world, g.world, std::vector<being>(BEINGS), {} };
        (void)keel::observe<TextSparse>(m.w, KEEL_ON_INSERTED, count, &m.came);
        (void)keel::observe<TextSparse>(m.w, KEEL_ON_DELETED | KEEL_ON_REMOVED, count, &m.went);
        assert_non_null(keel_group_create(m.w, KEEL_OWNED(TextSparse, OnlySparse)));
        for (being &b : m.all)
            b.e = keel_add_entity(m.w);
        for (uint32_t i = 0; i < rounds; ++i) {
            being &b = m.all[roll(BEINGS)];
            const int n = static_cast<int>(roll(1000));
            fuse = roll(3) ? 0 : roll(12) + 1;
            if (roll(8) == 0) edit_entity(m, b, n);
            else
                for_type(roll(TYPES), [&](auto *type) {
                    edit_one<std::remove_pointer_t<decltype(type)>>(m, b, n);
                });
            fuse = 0;
            assert_int_equal(keel_apply_commands(m.w), KEEL_OK);
            if (i % 256 == 0) check(m);
        }
        check(m);
        api_end(&f);
        api_end(&g);
    }
    assert_int_equal(live, 0);
}

const CMUnitTest tests[] = {
    TEST(random_edits_destroy_each_value_once,
         "each value is destroyed once, whatever cannot be copied, has no default, or throws"),
};

} // namespace

int main(int argc, char **argv) {
    rounds = argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : test_rounds(50000);
    return RUN(tests);
}
