// SPDX-License-Identifier: MIT
// Values of C++ types that own things: each is destroyed exactly once, whatever happens to it and
// wherever it lies, beside a plain model; and what else C++ expects of a component.
#include "support/test.h"

#include <keel/keel.h> // before the fixture: the header has templates
extern "C" {
#include "support/api_fixture.h"
}

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int live; // objects of the types below

struct Counted {
    Counted() { ++live; }
    Counted(const Counted &) { ++live; }
    Counted(Counted &&) noexcept { ++live; }
    Counted &operator=(const Counted &) = default;
    Counted &operator=(Counted &&) = default;
    ~Counted() { --live; }
};

std::string text_of(int n) {
    return "a text that is too long to lie in the object " + std::to_string(n);
}

// Four classes of types: bytes behind a pointer; a vector of those; what cannot be copied; and what
// knows its own address, so that it notices when it is moved as bytes.
struct TextBase : Counted {
    std::string text = text_of(7);
    TextBase() = default;
    explicit TextBase(int n) : text(text_of(n)) {}
    int number() const { return std::atoi(text.c_str() + text.rfind(' ')); }
};
struct ListBase : Counted {
    std::vector<std::string> texts{ text_of(7), "short" };
    ListBase() = default;
    explicit ListBase(int n) : texts(3, text_of(n)) {}
    int number() const { return std::atoi(texts[0].c_str() + texts[0].rfind(' ')); }
};
struct OnlyBase : Counted {
    std::unique_ptr<int> number_of{ new int(7) };
    OnlyBase() = default;
    explicit OnlyBase(int n) : number_of(new int(n)) {}
    int number() const { return *number_of; }
};
struct SelfBase : Counted {
    const SelfBase *self = this;
    int n = 7;
    SelfBase() = default;
    explicit SelfBase(int number) : n(number) {}
    SelfBase(const SelfBase &other) : Counted(other), n(other.n) {}
    SelfBase(SelfBase &&other) noexcept : Counted(std::move(other)), n(other.n) { other.n = -1; }
    SelfBase &operator=(const SelfBase &other) {
        n = other.n;
        return *this;
    }
    ~SelfBase() {
        assert_ptr_equal(self, this);
        self = nullptr;
    }
    int number() const {
        assert_ptr_equal(self, this);
        return n;
    }
};

#define IN(base, storage_name, kept)                                                               \
    struct base##storage_name : base##Base {                                                       \
        using base##Base::base##Base;                                                              \
    };                                                                                             \
    KEEL_COMPONENT(base##storage_name, .storage = kept)
#define IN_ALL(base)                                                                               \
    IN(base, Sparse, KEEL_SPARSE_SET);                                                             \
    IN(base, Indexed, KEEL_INDEXED);                                                               \
    IN(base, Row, KEEL_ARCHETYPE)
IN_ALL(Text);
IN_ALL(List);
IN_ALL(Only);
IN_ALL(Self);
KEEL_UNIQUE(TextSparse);
KEEL_EVENT(TextSparse);

#define EACH_TYPE(X)                                                                               \
    X(TextSparse)                                                                                  \
    X(ListSparse)                                                                                  \
    X(OnlySparse)                                                                                  \
    X(SelfSparse)                                                                                  \
    X(TextIndexed)                                                                                 \
    X(ListIndexed) X(OnlyIndexed) X(SelfIndexed) X(TextRow) X(ListRow) X(OnlyRow) X(SelfRow)

enum { TYPES = 12, ENTITIES = 40, NONE = -1, DEFAULT = 7 };

struct model {
    api_fixture f;
    keel_entity entities[ENTITIES];
    int values[ENTITIES][TYPES];
    uint64_t state;
};

uint32_t roll(model *m, uint32_t below) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(m->state >> 33) % below;
}

// One edit of one value; `value` is the model's.
template <class T> struct edits;
#define EDITS(T)                                                                                   \
    template <> struct edits<T> {                                                                  \
        static void one(model *m, keel_entity e, int *value, int n, uint32_t kind) {               \
            keel_world *const w = m->f.world;                                                      \
            const bool has = *value != NONE;                                                       \
            if (kind == 0) assert_int_equal(keel_add(w, e, T, T(n)), KEEL_OK);                     \
            else if (kind == 1) assert_int_equal(keel_add(w, e, T), KEEL_OK);                      \
            else if (kind == 2) assert_non_null(keel_get_or_add(w, e, T));                         \
            else if (kind == 3) assert_non_null(keel_get_or_add(w, e, T, T(n)));                   \
            else if (kind == 4) {                                                                  \
                T out(1);                                                                          \
                assert_int_equal(keel_remove(w, e, T, &out), has ? KEEL_OK : KEEL_ABSENT);         \
                assert_int_equal(out.number(), has ? *value : 1);                                  \
            } else if (kind == 5)                                                                  \
                assert_int_equal(keel_delete(w, e, T), has ? KEEL_OK : KEEL_ABSENT);               \
            else if (kind == 6) {                                                                  \
                T out(1), other(2);                                                                \
                bool taken;                                                                        \
                (void)keel_remove_values(w, e, KEEL_OUT(T, &out, &taken),                          \
                                         KEEL_OUT(SelfRow, NULL));                                 \
                assert_int_equal(taken, has);                                                      \
                assert_int_equal(out.number(), has ? *value : 1);                                  \
            } else if (kind == 7) {                                                                \
                assert_int_equal(keel_add(keel_world_commands(w), e, T, T(n)), KEEL_OK);           \
                assert_int_equal(keel_add(keel_world_commands(w), keel_null(), T, T(n)), KEEL_OK); \
                assert_int_equal(keel_apply_commands(w), KEEL_OK);                                 \
            } else if (kind == 8)                                                                  \
                assert_int_equal(keel_replace(w, e, T, T(n)), has ? KEEL_OK : KEEL_ABSENT);        \
            else if (kind == 9) assert_int_equal(keel_add_if_missing(w, e, T, T(n)), KEEL_OK);     \
            else if (kind == 10) assert_int_equal(keel_add_values(w, e, KEEL_INIT(T)), KEEL_OK);   \
            else if (kind == 11) {                                                                 \
                assert_int_equal(keel_add(keel_world_commands(w), e, T), KEEL_OK);                 \
                assert_int_equal(keel_replace(keel_world_commands(w), e, T, T(n)), KEEL_OK);       \
                assert_int_equal(keel_add_if_missing(keel_world_commands(w), e, T, T(3)),          \
                                 KEEL_OK);                                                         \
                assert_int_equal(keel_replace(keel_world_commands(w), keel_null(), T, T(n)),       \
                                 KEEL_OK);                                                         \
                assert_int_equal(keel_apply_commands(w), KEEL_OK);                                 \
            }                                                                                      \
            const bool adds = (kind == 3 || kind == 9) && !has;                                    \
            const bool defaults = (kind == 1 || kind == 2 || kind == 10) && !has;                  \
            if (kind == 0 || kind == 7 || (kind == 8 && has) || kind == 11 || adds) *value = n;    \
            else if (defaults) *value = DEFAULT;                                                   \
            else if (kind >= 4 && kind <= 6) *value = NONE;                                        \
        }                                                                                          \
        static void check(model *m, keel_entity e, int value) {                                    \
            const T *const found = keel_get(m->f.world, e, T);                                     \
            assert_int_equal(found ? found->number() : NONE, value);                               \
        }                                                                                          \
        static void refused(model *m, keel_entity dead, int n) {                                   \
            assert_int_equal(keel_add(m->f.world, dead, T, T(n)), KEEL_ERROR_DEAD_ENTITY);         \
            assert_null(keel_get_or_add(m->f.world, dead, T, T(n)));                               \
            assert_int_equal(keel_add_values(m->f.world, dead, KEEL_INIT(T, T(n)), KEEL_INIT(T)),  \
                             KEEL_ERROR_DEAD_ENTITY);                                              \
        }                                                                                          \
        static void many(model *m, const keel_entity *entities, int n) {                           \
            T values[3];                                                                           \
            values[0] = T(n);                                                                      \
            values[1] = T(n + 1);                                                                  \
            assert_int_equal(keel_add_column_many(m->f.world, entities, 3, T, values), KEEL_OK);   \
            for (const T &value : values)                                                          \
                assert_int_equal(value.number(), DEFAULT);                                         \
        }                                                                                          \
    };
EACH_TYPE(EDITS)

void edit_one(model *m, uint32_t at, uint32_t type, int n, uint32_t kind) {
    uint32_t i = 0;
#define EDIT(T)                                                                                    \
    if (i++ == type) edits<T>::one(m, m->entities[at], &m->values[at][type], n, kind);
    EACH_TYPE(EDIT)
    if (kind == 6) m->values[at][TYPES - 1] = NONE; // SelfRow goes along
}

void check(model *m, uint32_t at) {
    uint32_t i = 0;
#define CHECK(T) edits<T>::check(m, m->entities[at], m->values[at][i++]);
    EACH_TYPE(CHECK)
}

void edit_many(model *m, uint32_t at, uint32_t type, int n) {
    uint32_t i = 0;
    if (at + 3 > ENTITIES) return;
#define MANY(T)                                                                                    \
    if (i++ == type) edits<T>::many(m, &m->entities[at], n);
    EACH_TYPE(MANY)
    m->values[at][type] = n;
    m->values[at + 1][type] = n + 1;
    m->values[at + 2][type] = DEFAULT;
}

void set_all(int *values, int to) {
    for (uint32_t i = 0; i < TYPES; ++i)
        values[i] = to;
}

void begin_again(model *m, uint32_t at, int n) {
    const keel_entity dead = m->entities[at];
    assert_int_equal(keel_delete_entity(m->f.world, dead), KEEL_OK);
    uint32_t i = 0, refused = roll(m, TYPES);
#define REFUSED(T)                                                                                 \
    if (i++ == refused) edits<T>::refused(m, dead, n);
    EACH_TYPE(REFUSED)
    m->entities[at] =
        keel_add_entity(m->f.world, KEEL_INIT(TextSparse, TextSparse(n)), KEEL_INIT(OnlyRow),
                        KEEL_INIT(SelfIndexed, SelfIndexed(n)), KEEL_INIT(ListRow, ListRow(n)));
    set_all(m->values[at], NONE);
    m->values[at][0] = m->values[at][7] = m->values[at][9] = n;
    m->values[at][10] = DEFAULT;
}

// A copy lives beside what it is of; what cannot be copied says so, and nothing was made.
void clone(model *m, uint32_t at) {
    const int *values = m->values[at];
    const bool cannot = values[2] != NONE || values[6] != NONE || values[10] != NONE;
    const keel_entity copy = keel_clone_entity(m->f.world, m->entities[at]);
    assert_int_equal(keel_is_null(copy), cannot);
    if (cannot) return;
    const keel_entity mine = m->entities[at];
    m->entities[at] = copy;
    check(m, at);
    m->entities[at] = mine;
    assert_int_equal(keel_delete_entity(m->f.world, copy), KEEL_OK);
}

void clear_some(model *m) {
    (void)keel_clear(m->f.world, ListIndexed);
    (void)keel_clear(m->f.world, SelfSparse);
    for (auto &values : m->values)
        values[5] = values[3] = NONE;
}

void random_edits_destroy_each_value_once(void **) {
    const uint32_t edits_in_all = test_rounds(1000000);
    {
        model m = {};
        m.state = 11;
        api_begin(&m.f);
        for (uint32_t at = 0; at < ENTITIES; ++at) {
            m.entities[at] = keel_add_entity(m.f.world);
            set_all(m.values[at], NONE);
        }
        for (uint32_t i = 0; i < edits_in_all; ++i) {
            const uint32_t at = roll(&m, ENTITIES), kind = roll(&m, 128);
            const int n = static_cast<int>(roll(&m, 1000));
            if (kind == 127) clear_some(&m);
            else if (kind > 120) begin_again(&m, at, n);
            else if (kind > 114) clone(&m, at);
            else if (kind > 108) edit_many(&m, at, roll(&m, TYPES), n);
            else edit_one(&m, at, roll(&m, TYPES), n, kind % 12);
            if (i % 16 == 0) check(&m, roll(&m, ENTITIES));
        }
        for (uint32_t at = 0; at < ENTITIES; ++at)
            check(&m, at);
        api_end(&m.f);
    }
    assert_int_equal(live, 0);
}

// ------------------------------------------------------------------ the rest of the verbs
void uniques_events_and_bulk_own_their_values(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    {
        TextSparse out;
        assert_int_equal(keel_set_unique(w, TextSparse, TextSparse(3)), KEEL_OK);
        assert_int_equal(keel_set_unique(w, TextSparse), KEEL_OK);
        assert_int_equal(keel_remove_unique(w, TextSparse, &out), KEEL_OK);
        assert_int_equal(out.number(), DEFAULT);
        assert_int_equal(keel_remove_unique(w, TextSparse, &out), KEEL_ABSENT);
        assert_int_equal(keel_send(w, TextSparse, TextSparse(4)), KEEL_OK);
        KEEL_EACH_EVENT(w, TextSparse, event)
            assert_int_equal(event->number(), 4);
        keel_entity many[50];
        TextSparse texts[50];
        texts[9] = TextSparse(9);
        assert_int_equal(keel_add_entities(w, 50, many, KEEL_COLUMN(TextSparse, texts),
                                           KEEL_FILL(ListRow, ListRow(5)), KEEL_FILL(SelfIndexed)),
                         KEEL_OK);
        assert_int_equal(keel_get(w, many[9], TextSparse)->number(), 9);
        assert_int_equal(keel_get(w, many[49], ListRow)->number(), 5);
        assert_int_equal(texts[9].number(), DEFAULT); // moved out
        assert_int_equal(keel_add_many(w, many, 50, ListRow, ListRow(6)), KEEL_OK);
        assert_int_equal(keel_add_entities(w, 50, NULL, KEEL_FILL(OnlyRow)), KEEL_ERROR_COPY);
        keel_world *const other = keel_world_create(NULL);
        assert_int_equal(keel_copy_world(w, other), KEEL_OK);
        assert_int_equal(keel_get(other, many[9], TextSparse)->number(), 9);
        keel_world_destroy(other);
    }
    api_end(&f);
    assert_int_equal(live, 0);
}

// ------------------------------------------------------------------ plain types pay nothing
struct Plain {
    float x = 1, y = 2;
};
KEEL_COMPONENT(Plain);

void member_initialisers_are_the_default_value(void **) {
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Plain));
    assert_true(keel_get(f.world, e, Plain)->y == 2);
    assert_int_equal(keel_add(f.world, e, Plain, { 5, 6 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Plain), KEEL_OK);
    assert_true(keel_get(f.world, e, Plain)->x == 5); // it stays as it is
    static_assert(!KEEL_OF(Plain)->drop && !KEEL_OF(Plain)->copy && !KEEL_OF(Plain)->move, "bytes");
    api_end(&f);
}

// ------------------------------------------------------------------ exceptions
KEEL_SYSTEM(throws, KEEL_WRITE(Plain, p)) {
    if (p->x > 0) throw std::runtime_error("from a system");
}
KEEL_SYSTEM_ONCE(throws_once) { throw 5; }
KEEL_CONDITION(throws_asked) { throw std::runtime_error("from a condition"); }
KEEL_WORKLOAD(careless, KEEL_STEP(throws_once, .run_if = KEEL_IF(throws_asked)), KEEL_STEP(throws));

void an_exception_is_the_failure_of_its_system(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Plain));
    assert_int_equal(keel_run(w, throws), KEEL_ERROR_SYSTEM);
    assert_non_null(std::strstr(keel_last_error(w)->message, "from a system"));
    assert_int_equal(keel_run(w, throws_once), KEEL_ERROR_SYSTEM);
    assert_true(keel_run_workload(w, careless) < 0);
    try {
        KEEL_EACH(w, KEEL_WRITE(Plain, p))
            if (p->x > 0) throw std::runtime_error("from a loop");
        fail();
    } catch (const std::exception &) {}
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK); // all storages were given back
    api_end(&f);
}

// An exception ends its piece, however short the system is known to be.
struct Visit {
    int times = 0;
    int place = 0;
};
KEEL_COMPONENT(Visit);
KEEL_SYSTEM(visits, KEEL_WRITE(Visit, v)) {
    if (v->place % 100 == 50) throw std::runtime_error("from a piece");
    ++v->times;
}

void an_exception_ends_its_piece(void **) {
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture f;
        api_begin_workers(&f, workers);
        for (int i = 0; i < 1000; ++i)
            keel_add_entity(f.world, KEEL_INIT(Visit, { 0, i }));
        for (int i = 0; i < 50; ++i)
            assert_int_equal(keel_run_parallel(f.world, visits), KEEL_ERROR_SYSTEM);
        int visited = 0;
        KEEL_EACH(f.world, KEEL_READ(Visit, v)) {
            assert_true(v->times == 0 || v->times == 50);
            visited += v->times > 0;
        }
        assert_in_range(visited, 800, 990);
        api_end(&f);
    }
}

struct Says : TextBase {
    using TextBase::TextBase;
};
KEEL_VALUED_RELATION(Says);

void edges_own_their_values(void **) {
    const int before = live;
    api_fixture f;
    api_begin(&f);
    keel_entity e[20];
    for (keel_entity &each : e)
        each = keel_add_entity(f.world);
    for (int i = 0; i < 20; ++i)
        for (int k = 0; k < 20; ++k)
            assert_int_equal(keel_relate(f.world, e[i], Says, e[k], Says(i * 100 + k)), KEEL_OK);
    keel_relate(f.world, e[3], Says, e[4], Says(5));
    assert_int_equal(live - before, 400);
    for (int k = 0; k < 15; ++k)
        keel_unrelate(f.world, e[3], Says, e[k]);
    int sum = 0;
    KEEL_EACH_TARGET(f.world, e[3], Says, to, said) {
        assert_true(keel_is_alive(f.world, to));
        sum += said->number() - 300;
    }
    assert_int_equal(sum, 15 + 16 + 17 + 18 + 19);
    assert_int_equal(live - before, 385);
    keel_entity copy = keel_clone_entity(f.world, e[5]);
    assert_int_equal(keel_get_related(f.world, copy, Says, e[6])->number(), 506);
    assert_int_equal(live - before, 405);
    keel_delete_entity(f.world, e[5]);
    assert_int_equal(live - before, 405 - 20 - 19); // its own, and what others said to it
    api_end(&f);
    assert_int_equal(live, before);
}

// ------------------------------------------------------------------ types that cannot be copied
// A type without a destructor: nothing but the constructors forbids a copy.
struct Ticket {
    int n = 7;
    Ticket() = default;
    explicit Ticket(int number) : n(number) {}
    Ticket(Ticket &&other) noexcept : n(other.n) {}
};
KEEL_COMPONENT(Ticket);
KEEL_UNIQUE(Ticket);

void assert_names(keel_world *w, const char *name) {
    char message[128];
    std::snprintf(message, sizeof message,
                  "'%s' cannot be copied: its C++ type has no copy constructor", name);
    assert_error(w, KEEL_ERROR_COPY, message);
}

void assert_no_clones(keel_world *w, keel_entity e, const char *name) {
    keel_entity copies[2];
    assert_true(keel_is_null(keel_clone_entity(w, e)));
    assert_names(w, name);
    assert_int_equal(keel_clone_entities(w, e, 2, copies), KEEL_ERROR_COPY);
    assert_names(w, name);
}

void assert_no_copies(keel_world *w, const char *name) {
    keel_world *const other = keel_world_create(nullptr);
    assert_int_equal(keel_copy_world(w, other), KEEL_ERROR_COPY);
    assert_names(other, name);
    keel_world_destroy(other);
    keel_snapshot *const then = keel_snapshot_create(w, "then");
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_COPY);
    assert_names(w, name);
    keel_snapshot_destroy(then);
    keel_history *const history = keel_history_create(w, 1u << 20);
    assert_int_equal(keel_history_push(history), KEEL_ERROR_COPY);
    assert_names(w, name);
    keel_history_destroy(history);
}

void a_copy_of_a_move_only_type_is_refused_by_name(void **) {
    api_fixture f;
    api_begin(&f);
    keel_world *const w = f.world;
    static_assert(KEEL_OF(Ticket)->is_move_only && KEEL_OF(OnlyRow)->is_move_only, "move-only");
    static_assert(!KEEL_OF(TextRow)->is_move_only && !KEEL_OF(SelfRow)->is_move_only, "copied");
#define REFUSES(T)                                                                                 \
    {                                                                                              \
        const keel_entity e = keel_add_entity(w, KEEL_INIT(T, T(3)));                              \
        assert_no_clones(w, e, #T);                                                                \
        assert_no_copies(w, #T);                                                                   \
        assert_int_equal(keel_add_entities(w, 2, nullptr, KEEL_FILL(T)), KEEL_ERROR_COPY);         \
        assert_names(w, #T);                                                                       \
        assert_int_equal(keel_add_many(w, &e, 1, T), KEEL_ERROR_COPY);                             \
        assert_names(w, #T);                                                                       \
        assert_int_equal(keel_disable(w, e, T), KEEL_OK);                                          \
        assert_no_copies(w, #T);                                                                   \
        assert_int_equal(keel_delete_entity(w, e), KEEL_OK);                                       \
        const keel_prefab prefab = { keel_add_entity(keel_templates(w), KEEL_INIT(T, T(3))) };     \
        assert_true(keel_is_null(keel_spawn(w, prefab)));                                          \
        assert_names(w, #T);                                                                       \
        assert_false(keel_is_null(keel_spawn(w, prefab, KEEL_INIT(T, T(4)))));                     \
        assert_int_equal(keel_clear_entities(w), KEEL_OK);                                         \
        assert_int_equal(keel_clear_entities(keel_templates(w)), KEEL_OK);                         \
    }
    REFUSES(OnlySparse)
    REFUSES(OnlyIndexed)
    REFUSES(OnlyRow)
    REFUSES(Ticket)
    assert_int_equal(keel_set_unique(w, Ticket, Ticket(5)), KEEL_OK);
    keel_snapshot *const then = keel_snapshot_create(w, "then");
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_COPY);
    assert_names(w, "Ticket");
    assert_int_equal(keel_remove_unique(w, Ticket), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK); // nothing is left to copy
    keel_snapshot_destroy(then);
    api_end(&f);
    assert_int_equal(live, 0);
}

const CMUnitTest tests[] = {
    TEST(edges_own_their_values, "values of edges own what C++ types own"),
    TEST(random_edits_destroy_each_value_once,
         "each value of an owning C++ type is destroyed once"),
    TEST(a_copy_of_a_move_only_type_is_refused_by_name,
         "a copy of a type without a copy constructor is refused by name"),
    TEST(uniques_events_and_bulk_own_their_values, "uniques, events and bulk edits own C++ values"),
    TEST(member_initialisers_are_the_default_value,
         "member initialisers are a component's default"),
    TEST(an_exception_is_the_failure_of_its_system, "an exception is the failure of its system"),
    TEST(an_exception_ends_its_piece, "an exception ends its piece of a system that is split"),
};

} // namespace

int main() { return RUN(tests); }
