// SPDX-License-Identifier: MIT
// Every exported function with one thing wrong, each in a process of its own: a line for each call,
// `function, parameter, what is wrong, what came of it`, between tabs. misuse.py compares them with
// docs/reference/misuse.md, and writes the calls from the signatures.
#include <keel/keel.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void any_function(void);

// What is wrong: an argument, or the time.
// clang-format off
#define ALL_WRONGS(X)                                                                              \
    X(NOTHING) X(NULL) X(NULL_ENTITY) X(STALE) X(FOREIGN) X(OTHER_KIND) X(REFUSED) X(UNDECLARED)   \
    X(UNKNOWN) X(OUT_OF_RANGE) X(ENDED) X(IN_VIEW) X(IN_LOOP) X(SHARED) X(IN_THREAD) X(IN_HOOK)    \
    X(IN_OBSERVER) X(IN_COMMAND) X(IN_SYSTEM) X(DESTROYED)
// clang-format on
#define AS_ENUM(name) IS_##name,
#define AS_TEXT(name) #name,
typedef enum wrong_kind { ALL_WRONGS(AS_ENUM) } wrong_kind;
static const char *const wrong_names[] = { ALL_WRONGS(AS_TEXT) };

// One call with one misuse.
typedef struct misuse {
    const char *name;
    any_function *call;
    const char *parameter; // that is wrong, or ""
    int at;                // its number; -1: none
    wrong_kind wrong;
    enum { ALONE, CONTEXT, PIECE } where; // what it is called with needs a system, or a piece
} misuse;

// ------------------------------------------------------------------ what worlds hold
typedef struct Position {
    uint32_t x, y;
} Position;
typedef struct Velocity {
    uint32_t x, y;
} Velocity;
typedef struct Spare {
    uint32_t x, y;
} Spare;
typedef struct Kept {
    uint32_t x, y;
} Kept;
typedef struct Boxed {
    uint32_t x, y;
} Boxed;
typedef struct Bound {
    uint32_t x, y;
} Bound;
typedef struct Time {
    uint32_t x, y;
} Time;
typedef struct Hit {
    uint32_t x, y;
} Hit;
typedef enum Phase { MENU, PLAYING } Phase;
static void dropped(void *value, void *data);
static const keel_field fields[] = { { .name = "x", .type = KEEL_FIELD_U32, .count = 1 } };
KEEL_COMPONENT(Position, .fields = fields, .field_count = 1, .no_padding = true,
               .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Velocity, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Spare, .no_padding = true);
KEEL_COMPONENT(Kept, .no_padding = true);
static bool copied(void *to, const void *from, void *data) {
    (void)data;
    memcpy(to, from, sizeof(Boxed));
    return true;
}
KEEL_COMPONENT(Boxed, .drop = dropped, .copy = copied, .transient = true);
KEEL_COMPONENT(Bound, .no_padding = true, .threads = KEEL_THREADS_OWNER_ONLY);
KEEL_TAG(Frozen);
KEEL_TAG(Chosen);
KEEL_TAG(Seen);
KEEL_UNIQUE(Time, .no_padding = true);
KEEL_EVENT(Hit, .no_padding = true);
KEEL_RELATION(Likes);
typedef struct Docked {
    uint32_t berth;
} Docked;
KEEL_VALUED_RELATION(Docked, .exclusive = true, .no_padding = true);
KEEL_STATE(Phase);
static const keel_component refused = { .name = "refused", .size = 6, .align = 3 };

KEEL_SYSTEM_ONCE(rest, KEEL_MAY_READ(Velocity)) {}
KEEL_WORKLOAD(frame, KEEL_STEP(rest));
KEEL_WORKLOAD(another, KEEL_STEP(rest));
static void call_in(keel_context *context);
KEEL_SYSTEM_ONCE(asking, KEEL_MAY_READ(Velocity), KEEL_CONTEXT(context)) { call_in(context); }
KEEL_SYSTEM_ONCE(asking_with_all, KEEL_WORLD(world), KEEL_COMMANDS(commands),
                 KEEL_CONTEXT(context)) {
    (void)world, (void)commands;
    call_in(context);
}
static keel_result kit_init(void *value, keel_context *context) {
    (void)context;
    *(uint32_t *)value = 1;
    return KEEL_OK;
}
static const keel_term no_terms[] = { { .kind = KEEL_TERM_END } };
static const keel_custom_view kit = {
    .name = "kit", .size = 4, .align = 4, .terms = no_terms, .init = kit_init
};

// All that is right.
static struct {
    const misuse *now;
    keel_world *world, *other, *empty;
    bool is_called, is_destroyed;
    bool is_asserted, is_refused; // so far, and when the call was over
    bool is_untold;               // it failed, and the world's last error is another one
    keel_error older;             // when it was called
    keel_scope *scope;
    keel_context *context;
    const keel_piece *piece;
    keel_entity e, second, parent, child, lone, target, stale, foreign, boxed, tank, copy;
    keel_view view, fresh_view, narrow_view, ended_view;
    keel_iterator iterator, fresh_iterator;
    keel_reader *reader, *ended_reader;
    keel_snapshot *snapshot, *given;
    keel_hash_part parts[2];
    unsigned char image_bytes[1 << 16];
    size_t image_size;
    keel_ring *ring;
    keel_history *history;
    keel_field_place place;
    keel_group *group, *ended_group, *made;
    uint32_t value[2], kit[4];
    char text[256];
    keel_entity handles[8], both[2];
    keel_value values[2];
    keel_value_column columns[2];
    keel_out outs[2];
    const keel_component *list[2];
    keel_term terms[2];
    keel_run_desc run;
    keel_span span;
    keel_reduction reduction;
    uint32_t total;
    keel_world_desc desc;
    keel_error error;
    uint64_t number;
    keel_lookup lookup;
    keel_step step;
    keel_run_info info;
    keel_removal_walk removals;
    keel_event_walk events;
    keel_why why;
    uint32_t left[KEEL_MAX_TERMS];
    keel_workload_node nodes[4];
    keel_workload_edge edges[4];
    keel_group_desc group_desc;
    keel_sort_desc sort;
    keel_fixed_step clock;
    keel_timings_cursor cursor;
    uint64_t time;
    keel_timing timing;
    char said[64];
} f;

// ------------------------------------------------------------------ what functions say
static void say(const char *text) { snprintf(f.said, sizeof f.said, "%s", text); }
static const char *name_of(keel_result result) {
    static const char *const names[] = {
#define AS_NAME(name, value, text) [KEEL_ABSENT - value] = #name,
        KEEL_RESULTS(AS_NAME)
    };
    if (result == KEEL_OK || result == KEEL_ABSENT) return result ? "ABSENT" : "ok";
    return names[KEEL_ABSENT - result] + sizeof "KEEL_ERROR_" - 1;
}
static void say_result(keel_result result) { say(name_of(result)); }
static void say_bool(bool answer) { say(answer ? "true" : "false"); }
static void say_entity(keel_entity e) { say(keel_is_null(e) ? "null" : "ok"); }
static void say_prefab(keel_prefab prefab) { say_entity(prefab.root); }
static void say_pointer(const void *pointer) { say(pointer ? "ok" : "NULL"); }
static void say_number(bool is_some) { say(is_some ? "ok" : "0"); }
static bool assertion_failed(const char *condition, const char *message, const char *file,
                             int line) {
    (void)condition, (void)message, (void)file, (void)line;
    f.is_asserted = true;
    return false;
}

// ------------------------------------------------------------------ arguments
static wrong_kind wrong_of(int at) { return f.now->at == at ? f.now->wrong : IS_NOTHING; }
static bool is_wrong(int at) { return wrong_of(at) != IS_NOTHING; }
static void *given_pointer(int at, const void *good) {
    return is_wrong(at) ? NULL : (void *)(uintptr_t)good;
}
static any_function *given_function(int at, any_function *good) {
    return is_wrong(at) ? NULL : good;
}
static const char *given_text(int at, const char *good) { return is_wrong(at) ? NULL : good; }
static const char *given_name(int at, const char *good) {
    return wrong_of(at) == IS_UNKNOWN ? "nobody" : given_text(at, good);
}
static uint32_t given_number(int at, uint32_t good, uint32_t bad) {
    return is_wrong(at) ? bad : good;
}
static keel_world *given_world(int at, keel_world *good) { return is_wrong(at) ? NULL : good; }
static keel_scope *given_scope(int at, keel_scope *other_kind, keel_scope *ended) {
    switch (wrong_of(at)) {
    case IS_NULL:
        return NULL;
    case IS_ENDED:
        return ended;
    case IS_OTHER_KIND:
        return other_kind;
    case IS_UNDECLARED: {
        static const keel_term narrow[] = {
            { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Frozen) }, { .kind = KEEL_TERM_END }
        };
        (void)(keel_view_begin)(&f.narrow_view, KEEL_SCOPE(f.world), narrow, "narrow");
        return KEEL_SCOPE(&f.narrow_view);
    }
    default:
        return f.scope;
    }
}
static keel_entity given_entity(int at, keel_entity good) {
    switch (wrong_of(at)) {
    case IS_NULL_ENTITY:
        return keel_null();
    case IS_STALE:
        return f.stale;
    case IS_FOREIGN:
        return f.foreign;
    default:
        return good;
    }
}
static keel_prefab given_prefab(int at) { return (keel_prefab){ given_entity(at, f.tank) }; }
static const keel_component *component_of(int at, const keel_component *good,
                                          const keel_component *other_kind) {
    switch (wrong_of(at)) {
    case IS_NULL:
        return NULL;
    case IS_OTHER_KIND:
        return other_kind;
    case IS_REFUSED:
        return &refused;
    default:
        return good;
    }
}
static const keel_component *given_component(int at, const keel_component *good) {
    return component_of(at, f.now->wrong == IS_IN_THREAD ? KEEL_OF(Bound) : good,
                        KEEL_UNIQUE_OF(Time));
}
static const keel_component *given_unique(int at) {
    return component_of(at, KEEL_UNIQUE_OF(Time), KEEL_OF(Position));
}
static const keel_component *given_event(int at) {
    return component_of(at, KEEL_EVENT_OF(Hit), KEEL_OF(Position));
}
static const keel_component *given_relation(int at) {
    return component_of(at, KEEL_OF(Likes), KEEL_OF(Position));
}
static const keel_component *given_valued_relation(int at) {
    return component_of(at, KEEL_OF(Docked), KEEL_OF(Position));
}
static keel_view *given_view(int at) {
    if (wrong_of(at) == IS_ENDED) return &f.ended_view;
    if (is_wrong(at)) return NULL;
    static const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Velocity) },
                                       { .kind = KEEL_TERM_END } };
    (void)(keel_view_begin)(&f.view, KEEL_SCOPE(f.world), terms, "view");
    return &f.view;
}
static keel_iterator *given_iterator(int at) {
    if (wrong_of(at) == IS_NULL) return NULL;
    (void)keel_iterator_begin(&f.iterator, given_view(-2));
    if (is_wrong(at)) keel_iterator_end(&f.iterator);
    return &f.iterator;
}
static keel_reader *given_reader(int at) {
    return wrong_of(at) == IS_ENDED ? f.ended_reader : given_pointer(at, f.reader);
}
static keel_group *given_group(int at) {
    return wrong_of(at) == IS_ENDED ? f.ended_group : given_pointer(at, f.group);
}
static keel_context *given_context(int at) { return given_pointer(at, f.context); }
static void *given_kit(int at) {
    (void)(keel_begin_custom_view)(f.scope, &kit, f.kit);
    return given_pointer(at, f.kit);
}

static bool keep(keel_entity e, void *value, void *data) {
    return (void)e, (void)value, (void)data, false;
}
static const keel_world *image_of_snapshot;
static bool swallow(void *context, const void *bytes, size_t size) {
    return (void)context, (void)bytes, (void)size, true;
}
static const keel_snapshot_sink a_sink = { swallow, NULL };
static bool keep_image(void *context, const void *bytes, size_t size) {
    (void)context;
    if (size > sizeof f.image_bytes - f.image_size) return false;
    memcpy(f.image_bytes + f.image_size, bytes, size);
    f.image_size += size;
    return true;
}
static bool look_at_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    return (void)source, (void)target, (void)value, (void)data, true;
}
static bool look_at_run(const keel_value_run *run, void *data) {
    return (void)run, (void)data, true;
}
static int compare(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (int)keel_entity_index(a) - (int)keel_entity_index(b);
}
static int compare_values(const void *a, const void *b, void *data) {
    return (void)data, memcmp(a, b, 8);
}
static keel_result command(keel_world *world, void *data) {
    return (void)world, (void)data, KEEL_OK;
}
static void patch(void *value, void *data) { (void)value, (void)data; }
static void restored(keel_world *world, void *data) { (void)world, (void)data; }
static void observer(const keel_change *change, void *data) { (void)change, (void)data; }
static void range(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)piece, (void)data;
}
static void span(const keel_span *s, const keel_piece *piece, void *data) {
    (void)s, (void)piece, (void)data;
}
static void combine(void *total, const void *partial, void *data) {
    (void)total, (void)partial, (void)data;
}

#include "calls.inc"

// ------------------------------------------------------------------ worlds
// Nothing is given back: what was destroyed stays as it was left.
static void *resize(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    (void)context;
    if (!new_size) {
        if (block == f.world) f.is_destroyed = true;
        return NULL;
    }
    void *fresh = NULL;
    if (posix_memalign(&fresh, align < sizeof(void *) ? sizeof(void *) : align, new_size))
        return NULL;
    if (block) memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    return fresh;
}
static keel_world *new_world(void) {
    const keel_world_desc desc = { .allocator = { .resize = resize },
                                   .log = keel_log_none,
                                   .worker_count = 1 };
    keel_world *world = keel_world_create(&desc);
    if (!world) abort();
    return world;
}
static keel_entity new_entity(void) {
    return keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 1, 2 }),
                           KEEL_INIT(Bound, { 1, 2 }), KEEL_INIT(Frozen));
}
static void begin_objects(void) {
    f.reader = keel_reader_create(f.world, "reader");
    f.ended_reader = keel_reader_create(f.world, "ended");
    keel_reader_destroy(f.ended_reader);
    static const keel_component *const owned[] = { KEEL_OF(Kept), NULL },
                                       *const other[] = { KEEL_OF(Spare), NULL },
                                       *const also[] = { KEEL_OF(Velocity), NULL };
    f.group_desc = (keel_group_desc){ .name = "kept", .owned = owned, .get = also };
    (void)keel_group_create_of(f.world, &f.group_desc, &f.ended_group);
    (void)keel_group_destroy(f.world, f.ended_group);
    (void)keel_group_create_of(f.world, &f.group_desc, &f.group);
    f.group_desc = (keel_group_desc){ .name = "new", .owned = other, .get = also };
    (void)(keel_view_begin)(&f.ended_view, KEEL_SCOPE(f.world), f.terms, "ended");
    keel_view_end(&f.ended_view);
    f.lookup = keel_lookup_of_component(f.world, KEEL_OF(Position));
    f.snapshot = keel_snapshot_create(f.world, "kept");
    (void)keel_snapshot_take(f.snapshot);
    f.given = keel_snapshot_create(f.world, "given");
    f.image_size = 0;
    (void)keel_snapshot_write(f.snapshot, (keel_snapshot_sink){ keep_image, NULL });
    f.ring = keel_ring_create(f.world, 2);
    (void)keel_ring_take(f.ring, 1);
    f.history = keel_history_create(f.world, SIZE_MAX);
    (void)keel_history_push(f.history);
    (void)keel_history_push(f.history);
    (void)keel_field_find(KEEL_OF(Position), "x", &f.place, NULL);
    (void)keel_timings_begin(f.world, 16);
    (void)keel_world_add_workload(f.world, &KEEL_WORKLOAD_frame);
    f.step = (keel_step){ .system = &KEEL_SYSTEM_asking };
}
static void begin(const misuse *m) {
    f.now = m;
    f.world = new_world(), f.other = new_world(), f.empty = new_world();
    f.scope = KEEL_SCOPE(f.world);
    f.e = new_entity(), f.second = new_entity(), f.parent = new_entity(), f.child = new_entity();
    f.lone = new_entity(), f.target = new_entity(), f.stale = new_entity();
    f.boxed = keel_add_entity(f.world, KEEL_INIT(Boxed, { 1, 2 }), KEEL_INIT(Kept, { 1, 2 }),
                              KEEL_INIT(Velocity, { 1, 2 }), KEEL_INIT(Bound, { 1, 2 }));
    f.tank = keel_add_entity(keel_templates(f.world), KEEL_INIT(Spare, { 3, 4 }));
    f.copy = keel_spawn(f.world, (keel_prefab){ f.tank });
    (void)keel_delete_entity(f.world, f.stale);
    f.foreign = keel_entity_make(900, 5);
    (void)keel_add_entity_at(f.other, f.foreign);
    (void)keel_attach(f.world, f.child, f.parent);
    (void)keel_relate(f.world, f.e, Likes, f.target);
    (void)keel_relate(f.world, f.e, Docked, f.target, { 1 });
    (void)keel_set_unique(f.world, Time, { 1, 2 });
    (void)keel_set_name(f.world, f.second, "named");
    f.values[0] = (keel_value){ KEEL_OF(Spare), f.value };
    f.columns[0] = (keel_value_column){ KEEL_OF(Spare), f.value, 0 };
    f.outs[0] = (keel_out){ KEEL_OF(Position), f.value, NULL };
    f.list[0] = KEEL_OF(Position);
    f.terms[0] = (keel_term){ .kind = KEEL_TERM_READ, .component = KEEL_OF(Position) };
    f.reduction = (keel_reduction){ &f.total, sizeof f.total, combine };
    f.sort = (keel_sort_desc){ .component = KEEL_OF(Position), .compare = compare_values };
    f.both[0] = f.e, f.both[1] = f.second;
    begin_objects();
    keel_clear_errors(f.world);
    (void)keel_attach(f.world, f.parent, f.child); // an older error: KEEL_ERROR_CYCLE
    f.is_asserted = false;
}

// ------------------------------------------------------------------ errors
static bool is_error_result(void) {
    return f.said[0] >= 'A' && f.said[0] <= 'Z' && strcmp(f.said, "NULL") != 0 &&
           strcmp(f.said, "ABSENT") != 0;
}
static keel_result result_of(const char *name) {
    for (keel_result r = KEEL_ABSENT; r > -100; --r)
        if (strcmp(name, name_of(r)) == 0) return r;
    return KEEL_OK;
}
// The error that the call left, not an older one. Copies tell the world that they fill.
static keel_result last_own_error(void) {
    const keel_error *last = keel_last_error(f.empty);
    if (last->result == KEEL_OK) last = keel_last_error(f.world);
    if (strcmp(last->message, f.older.message) == 0 || !last->message[0]) return KEEL_OK;
    return last->result;
}
// A call without a world, or with something that no world knows any more, can tell nobody; what
// fields say is handed out.
static bool has_world_to_tell(void) {
    static const char *const known_by[] = { "world",    "scope", "view",    "snapshot", "ring",
                                            "history",  "list",  "context", "reader",   "iterator",
                                            "commands", "group", "place",   "piece",    "to",
                                            "from",     "empty" };
    if (f.is_destroyed || f.now->wrong == IS_DESTROYED || strstr(f.now->name, "keel_field_"))
        return false;
    for (size_t i = 0; i < sizeof known_by / sizeof *known_by; ++i)
        if (strcmp(f.now->parameter, known_by[i]) == 0 &&
            (f.now->wrong == IS_NULL || f.now->wrong == IS_ENDED || f.now->wrong == IS_OTHER_KIND))
            return false;
    return true;
}

// ------------------------------------------------------------------ at the wrong time
static void call(void) {
    if (f.is_called) return;
    f.is_called = true;
    if (f.now->wrong != IS_DESTROYED) f.older = *keel_last_error(f.world);
    f.now->call();
    f.is_refused = f.is_asserted;
    if (is_error_result() && has_world_to_tell() && last_own_error() != result_of(f.said))
        f.is_untold = true;
}
static void call_in(keel_context *context) {
    f.context = context;
    f.scope = KEEL_SCOPE(context);
    call();
    f.scope = KEEL_SCOPE(f.world);
}
static void dropped(void *value, void *data) {
    (void)value, (void)data;
    if (f.now->wrong == IS_IN_HOOK) call();
}
static void call_in_observer(const keel_change *change, void *data) {
    (void)change, (void)data;
    call();
}
static keel_result call_in_command(keel_world *world, void *data) {
    (void)world, (void)data;
    call();
    return KEEL_OK;
}
static void *call_in_thread(void *data) {
    call();
    return data;
}
static void call_in_piece(uint32_t first, uint32_t end, const keel_piece *piece, void *data) {
    (void)first, (void)end, (void)data;
    f.piece = piece;
    call();
}
static void call_then(void) {
    keel_view view;
    pthread_t thread;
    switch (f.now->wrong) {
    case IS_IN_VIEW:
        (void)keel_view_begin(
            &view, KEEL_SCOPE(f.world),
            ((keel_term[]){ { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Position) },
                            { .kind = KEEL_TERM_END } }),
            "open");
        call();
        if (!f.is_destroyed) keel_view_end(&view);
        break;
    case IS_IN_LOOP:
        KEEL_EACH(f.world, KEEL_READ(Position, p)) {
            (void)p;
            call();
            if (f.is_destroyed) return;
        }
        break;
    case IS_SHARED:
        (void)keel_share_begin(f.world);
        call();
        if (!f.is_destroyed) (void)keel_share_end(f.world);
        break;
    case IS_IN_THREAD:
        if (pthread_create(&thread, NULL, call_in_thread, NULL)) abort();
        pthread_join(thread, NULL);
        break;
    case IS_IN_HOOK:
        (void)keel_delete(f.world, f.boxed, Boxed);
        break;
    case IS_IN_OBSERVER:
        (void)keel_observe_component(f.world, KEEL_OF(Seen), KEEL_ON_INSERTED, call_in_observer,
                                     NULL);
        (void)keel_add(f.world, f.e, Seen);
        break;
    case IS_IN_COMMAND:
        (void)keel_commands_call(keel_world_commands(f.world), call_in_command, NULL, 0);
        (void)keel_apply_commands(f.world);
        break;
    case IS_IN_SYSTEM:
        (void)keel_run(f.world, asking);
        break;
    case IS_DESTROYED:
        keel_world_destroy(f.world);
        call();
        break;
    default:
        if (f.now->where == PIECE)
            (void)(keel_parallel_for)(KEEL_SCOPE(f.world), 4, 4, call_in_piece, NULL);
        if (f.now->where == CONTEXT) (void)keel_run(f.world, asking_with_all);
        call();
    }
}

static uint64_t state(void) {
    uint64_t hash = 0;
    return keel_world_hash(f.world, &hash) == KEEL_OK ? hash : 0;
}
static void report(void) {
    char line[sizeof f.said + 64];
    const char *mark = f.is_refused ? "!" : "";
    const keel_result error = f.is_destroyed ? KEEL_OK : last_own_error();
    const bool is_result = is_error_result() || strcmp(f.said, "ABSENT") == 0;
    if (f.is_untold) strcat(f.said, " untold");
    if (!f.said[0] && error >= 0) say("ok");
    if (error < 0 && !is_result && strcmp(f.said, "ok") != 0)
        snprintf(line, sizeof line, "%s%s(%s%s)", f.said, f.said[0] ? " " : "", name_of(error),
                 mark);
    else snprintf(line, sizeof line, "%s%s", f.said, mark);
    printf("%s\t%s\t%s\t%s\n", f.now->name, f.now->parameter, wrong_names[f.now->wrong],
           f.is_called ? line : "broken: not called");
}
static void play(const misuse *m) {
    begin(m);
    const uint64_t before = state();
    call_then();
    keel_set_assert_handler(assertion_failed); // the call may have set another one
    const bool is_error = f.said[0] >= 'A' && f.said[0] <= 'Z';
    keel_view_end(&f.view);
    keel_view_end(&f.narrow_view);
    if (!f.is_destroyed && !keel_world_check(f.world, NULL)) say("broken");
    if (m->at >= 0 && is_error && before && state() != before) say("changed");
    report();
    if (!f.is_destroyed) keel_world_destroy(f.world);
    fflush(stdout);
    _exit(0);
}

int main(void) {
    keel_set_assert_handler(assertion_failed);
    (void)keel_clear_entities(NULL);
    const bool is_checked = f.is_asserted;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
        if (misuses[i].wrong == IS_DESTROYED && !is_checked) continue; // it is not seen there
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            if (!getenv("KEEL_TEST_VERBOSE") && !freopen("/dev/null", "w", stderr)) _exit(1);
            play(&misuses[i]);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) abort();
        if (status == 0) continue;
        const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        printf("%s\t%s\t%s\t%s\n", misuses[i].name, misuses[i].parameter,
               wrong_names[misuses[i].wrong],
               by == SIGABRT   ? "stops"
               : by == SIGALRM ? "hangs"
                               : "crash");
    }
    return 0;
}
