// SPDX-License-Identifier: MIT
// Random edits between takes and restores, without a model: clones, spawns, merges, commands,
// restores, rollbacks and undo, components that are registered again, tracking, sets, groups and
// observers that begin late, relations of every option, at indices around the borders of blocks and
// pages. A checked build notices writes without room; a restore must bring back the hash of the
// state that was taken; the world must be whole, and leave no memory and no value behind.
//
//   random_rewind [--seed S] [--rounds N] [--steps N] [--say]
// A round is a world of its own: the failing one is played again by --seed S --rounds 1.
#include "support/counting_allocator.h"
#include "support/part.h"

#include <keel/keel.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 8, RELATIONS = 9, SETS = 2, GROUPS = 2, SNAPSHOTS = 3, STATES = 64, CROWD = 300 };

typedef struct state {    // that something holds
    uint64_t hash, order; // `order`: with KEEL_HASH_ORDER
    bool is_known;
} state;

static struct {
    uint64_t seed, random;
    uint32_t step;
    const char *doing;
    bool says;
    counting_allocator memory;
    keel_world *world;
    keel_component kinds[KINDS], relations[RELATIONS], sets[SETS];
    keel_snapshot *snapshots[SNAPSHOTS];
    state taken[SNAPSHOTS];
    keel_ring *ring;
    state frames[STATES];
    uint64_t frame;
    keel_history *history;
    state steps[STATES];
    uint32_t step_count, step_at; // known states of the history, and where it is
    keel_group *groups[GROUPS];
    keel_reader *reader;
    keel_entity templates[8];
    int64_t living; // values that own something
} f;

// ------------------------------------------------------------------ numbers
static uint32_t roll(uint32_t below) {
    f.random = f.random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(f.random >> 33) % below;
}
static bool once_in(uint32_t n) { return roll(n) == 0; }

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "random_rewind: seed %llu, step %u, %s: %s\n", (unsigned long long)f.seed,
            (unsigned)f.step, f.doing, what);
    _exit(3);
}
static bool on_assertion(const char *condition, const char *message, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, condition, message);
    fail("an assertion");
}
static void on_signal(int number) {
    (void)number;
    fail("a crash");
}

// ------------------------------------------------------------------ kinds
static void drop_owned(void *value, void *data) {
    (void)data;
    if (*(uint32_t *)value == 0xDEAD) fail("a value was dropped twice");
    *(uint32_t *)value = 0xDEAD;
    --f.living;
}
static bool copy_owned(void *to, const void *from, void *data) {
    (void)data;
    *(uint32_t *)to = *(const uint32_t *)from;
    ++f.living;
    return true;
}

static void describe(void) {
    static const char *const kind_names[] = { "sparse", "indexed", "row",  "tag",
                                              "owned",  "large",   "row2", "row_tag" };
    static const char *const relation_names[] = { "plain",       "exclusive", "symmetric",
                                                  "valued",      "one_value", "partner",
                                                  "both_valued", "tree",      "refuses" };
    for (uint32_t k = 0; k < KINDS; ++k)
        f.kinds[k] = (keel_component){ .name = kind_names[k],
                                       .size = k == 3 || k == 7 ? 0
                                               : k == 5         ? 1200
                                                                : 4,
                                       .align = k == 3 || k == 7 ? 1 : 4,
                                       .no_padding = true,
                                       .storage = k == 1            ? KEEL_INDEXED
                                                  : k == 2 || k > 5 ? KEEL_ARCHETYPE
                                                                    : KEEL_SPARSE_SET };
    f.kinds[4].drop = drop_owned;
    f.kinds[4].copy = copy_owned;
    for (uint32_t r = 0; r < RELATIONS; ++r)
        f.relations[r] = (keel_component){ .name = relation_names[r],
                                           .is_relation = true,
                                           .no_padding = true,
                                           .exclusive = r == 1 || r == 4 || r == 5 || r == 7,
                                           .symmetric = r == 2 || r == 5 || r == 6,
                                           .acyclic = r == 7,
                                           .on_delete = r == 7   ? KEEL_DELETE_SOURCES
                                                        : r == 8 ? KEEL_REFUSE
                                                                 : KEEL_UNRELATE,
                                           .size = r == 3 || r == 4 || r == 6 ? 4 : 0,
                                           .align = r == 3 || r == 4 || r == 6 ? 4 : 1 };
    for (uint32_t i = 0; i < SETS; ++i)
        f.sets[i] = (keel_component){ .name = i ? "set1" : "set0", .align = 1 };
}
// In a third of the rounds no value owns anything, so that snapshots can be written as bytes.
static keel_component *some_kind(void) {
    keel_component *c = &f.kinds[roll(KINDS)];
    return f.seed % 3 == 2 && c == &f.kinds[4] ? &f.kinds[0] : c;
}
static keel_component *some_relation(void) { return &f.relations[roll(RELATIONS)]; }

// ------------------------------------------------------------------ entities
static keel_entity any_in(keel_world *world) {
    const uint32_t count = keel_entity_count(world);
    uint32_t skip = count ? roll(count < 40 ? count : 40) : 0;
    keel_entity e = keel_null();
    // mostly the last ones, which are at the border
    if (count > 40 && once_in(2)) skip = count - 1 - skip;
    do
        e = keel_next_entity(world, e);
    while (skip--);
    return e;
}
static keel_entity any(void) { return any_in(f.world); }
static bool is_crowded(void) { return keel_entity_count(f.world) > CROWD; }

static uint32_t words[300];
static const void *value_of(const keel_component *c) {
    const bool owns = c == &f.kinds[4];
    if (!c->size || (!owns && once_in(4))) return NULL;
    for (uint32_t i = 0; i < 300; ++i)
        words[i] = roll(1000);
    return words;
}
// A value that owns something is the world's when the call took it.
static void count_taken(const keel_component *c, bool is_taken) {
    if (c == &f.kinds[4] && is_taken) ++f.living;
}

// Where calls go: mostly now, sometimes by commands that are applied later.
static keel_scope *where(void) {
    return once_in(5) ? KEEL_SCOPE(keel_world_commands(f.world)) : KEEL_SCOPE(f.world);
}

static void op_add_entity(void) {
    if (is_crowded()) return;
    const keel_component *c = some_kind();
    const keel_value values[] = { { c, value_of(c) }, { NULL, NULL } };
    count_taken(c, !keel_is_null((keel_add_entity_values)(where(), values)));
}
static void op_add_entities(void) {
    keel_entity out[70];
    if (is_crowded()) return;
    const uint32_t count = 1 + roll(70);
    const keel_component *c = some_kind();
    const keel_value_column columns[] = { { c == &f.kinds[4] ? &f.kinds[3] : c, NULL, 0 },
                                          { NULL, NULL, 0 } };
    (void)(keel_add_entity_columns)(where(), count, out, columns);
}
// The next entities begin a block or a page.
static void op_fill_block(void) {
    const uint32_t border = once_in(4) ? 4096 : 64;
    const uint32_t index = border * (1 + roll(border == 64 ? 100 : 6)) - 1 - roll(3);
    (void)keel_add_entity_at(f.world, keel_entity_make(index, roll(4)));
}
static void op_add(void) {
    const keel_component *c = some_kind();
    const void *value = value_of(c);
    count_taken(c, (keel_add_component)(where(), any(), c, value) >= 0);
}
static void op_remove(void) {
    uint32_t out[300];
    const keel_component *c = some_kind();
    const keel_entity e = any();
    if (once_in(2)) (void)(keel_delete_component)(where(), e, c);
    else if (keel_remove_component(f.world, e, c, out) == KEEL_OK && c == &f.kinds[4]) --f.living;
}
static void op_delete_entity(void) { (void)(keel_delete_entity)(where(), any()); }
static void op_delete_many(void) {
    keel_entity list[20];
    const uint32_t count = roll(20);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = any();
    (void)(keel_delete_entities)(where(), list, count);
}
static void op_clear(void) {
    if (once_in(3)) (void)keel_clear_entities(f.world);
    else if (once_in(2)) (void)(keel_clear_component)(where(), some_kind());
    else (void)(keel_delete_entities_having_component)(where(), some_kind());
}
static void op_clone(void) {
    keel_entity out[80];
    if (!is_crowded())
        (void)(keel_clone_entities)(where(), any(), 1 + roll(once_in(3) ? 80 : 3), out);
}
static void op_strip(void) { (void)(keel_strip)(where(), any()); }
static void op_enable(void) {
    if (once_in(4)) (void)(keel_enable_entity)(where(), any(), once_in(2));
    else (void)(keel_enable_component)(where(), any(), some_kind(), once_in(2));
}
static void op_mark(void) { (void)(keel_mark_component)(where(), any(), some_kind()); }
static void op_relate(void) {
    const keel_component *r = some_relation();
    const uint32_t value = roll(100);
    (void)(keel_relate_component)(where(), any(), r, any(), r->size && once_in(2) ? &value : NULL);
}
static void op_unrelate(void) {
    const keel_component *r = some_relation();
    const keel_entity e = any();
    switch (roll(3)) {
    case 0:
        (void)(keel_unrelate_all_component)(where(), e, r);
        break;
    case 1:
        (void)(keel_unrelate_sources_component)(where(), e, r);
        break;
    default:
        (void)(keel_unrelate_component)(where(), e, r, keel_target_of_component(f.world, e, r));
    }
}
static void op_attach(void) {
    switch (roll(5)) {
    case 0:
        (void)(keel_detach)(where(), any());
        break;
    case 1:
        (void)(keel_unlink_tree)(where(), any());
        break;
    case 2:
        (void)(keel_delete_tree)(where(), any());
        break;
    default:
        (void)(keel_attach)(where(), any(), any());
    }
}
static void op_add_child(void) {
    if (is_crowded()) return;
    const keel_component *c = some_kind();
    const keel_value values[] = { { c, value_of(c) }, { NULL, NULL } };
    count_taken(c, !keel_is_null((keel_add_child_values)(where(), any(), values)));
}
static void op_name(void) {
    char name[8];
    snprintf(name, sizeof name, "n%u", (unsigned)roll(12));
    (void)(keel_set_name)(where(), any(), once_in(5) ? NULL : name);
}

static keel_world *new_world(keel_on_delete on_parent_delete) {
    return keel_world_create(&(keel_world_desc){ .allocator = f.memory.allocator,
                                                 .log = keel_log_none,
                                                 .on_misuse = KEEL_MISUSE_RETURN,
                                                 .worker_count = 1,
                                                 .on_parent_delete = on_parent_delete });
}

// ------------------------------------------------------------------ other worlds
static void edit_template(keel_world *world) {
    const keel_component *c = some_kind(), *r = some_relation();
    const void *value = value_of(c);
    const keel_entity e = any_in(world), other = any_in(world);
    char name[8];
    switch (roll(6)) {
    case 0:
        if (keel_entity_count(world) < 40)
            (void)keel_add_child_values(world, e, (const keel_value[]){ { NULL, NULL } });
        break;
    case 1:
        count_taken(c, keel_add_component(world, e, c, value) >= 0);
        break;
    case 2:
        (void)keel_relate_component(world, e, r, other, NULL);
        break;
    case 3:
        snprintf(name, sizeof name, "p%u", (unsigned)roll(6));
        (void)keel_set_name(world, e, name);
        break;
    case 4:
        (void)keel_enable_component(world, e, c, once_in(2));
        break;
    default:
        if (keel_entity_count(world) < 40) (void)keel_add_entity_values(world, NULL);
    }
}
static keel_prefab some_prefab(void) {
    keel_world *templates = keel_templates(f.world);
    if (!templates) return (keel_prefab){ keel_null() };
    for (uint32_t edits = once_in(2) ? roll(6) : 0; edits; --edits)
        edit_template(templates);
    return (keel_prefab){ any_in(templates) };
}
static void op_spawn(void) {
    keel_entity out[70];
    if (is_crowded()) return;
    const keel_prefab prefab = some_prefab();
    switch (roll(4)) {
    case 0:
        (void)(keel_spawn_columns)(where(), prefab, 1 + roll(70), out, NULL);
        break;
    case 1:
        (void)(keel_apply_prefab)(where(), any(), prefab);
        break;
    default:
        (void)(keel_spawn_values)(where(), prefab, NULL);
    }
}
static void op_merge(void) {
    if (is_crowded()) return;
    keel_world *from = new_world(KEEL_UNRELATE);
    if (!from) return;
    for (uint32_t edits = 5 + roll(30); edits; --edits)
        edit_template(from);
    const keel_merge_options options = { .root = once_in(2) ? any() : keel_null() };
    (void)keel_merge_world(f.world, from, &options);
    keel_world_destroy(from);
}
static void op_move(void) {
    keel_world *other = new_world(KEEL_UNRELATE);
    if (!other) return;
    const keel_entity moved = keel_move_entity(f.world, any(), other);
    if (!keel_is_null(moved)) (void)keel_move_entity(other, moved, f.world);
    keel_world_destroy(other);
}
static void op_copy_world(void) {
    keel_world *copy = new_world(KEEL_UNRELATE);
    if (!copy) return;
    (void)keel_copy_world(f.world, copy);
    if (!keel_world_check(copy, NULL)) fail("a copy is broken");
    keel_world_destroy(copy);
}
static void op_apply(void) { (void)keel_apply_commands(f.world); }
static void op_trim(void) { (void)keel_world_trim(f.world); }

// ------------------------------------------------------------------ who follows
static void on_change(const keel_change *change, void *data) { (void)change, (void)data; }
static const keel_component *any_component(void) {
    return once_in(3) ? some_relation() : once_in(4) ? &f.sets[roll(SETS)] : some_kind();
}
static void op_track(void) {
    (void)keel_track_component(f.world, any_component(), 1 + roll(KEEL_TRACK_ALL));
    if (once_in(3))
        (void)keel_set_limit_of(f.world, any_component(), 1 + roll(once_in(2) ? 4 : 99));
}
static void op_observe(void) {
    const keel_component *c = any_component();
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = some_kind() },
                                { .kind = KEEL_TERM_WITHOUT, .component = some_kind() },
                                { .kind = KEEL_TERM_END } };
    switch (roll(4)) {
    case 0:
        (void)keel_unobserve_component(f.world, c, on_change, NULL);
        break;
    case 1:
        (void)keel_unobserve_view(f.world, on_change, NULL);
        break;
    case 2:
        (void)keel_observe_view(f.world, terms, KEEL_ON_ENTERED, on_change, NULL);
        break;
    default:
        (void)keel_observe_component(f.world, c, KEEL_ON_INSERTED | KEEL_ON_DELETED, on_change,
                                     NULL);
    }
}
static void op_collect(void) {
    const uint32_t set = roll(SETS);
    const keel_component *from = once_in(6) ? &keel_entities : any_component();
    if (once_in(3)) (void)keel_stop_collecting_component(f.world, &f.sets[set], from);
    else
        (void)keel_collect_component(f.world, &f.sets[set], from,
                                     from == &keel_entities ? KEEL_ON_CREATED : 1 + roll(15));
}
static void op_group(void) {
    const uint32_t at = roll(GROUPS);
    if (f.groups[at]) {
        if (keel_group_destroy(f.world, f.groups[at]) == KEEL_OK) f.groups[at] = NULL;
        return;
    }
    const keel_component *const owned[] = { at ? NULL : &f.kinds[0], NULL },
                                *const get[] = { &f.kinds[1], at ? &f.kinds[3] : NULL, NULL },
                                *const exclude[] = { once_in(2) ? &f.kinds[4] : NULL, NULL };
    const keel_group_desc desc = { .owned = owned, .get = get, .exclude = exclude };
    if (keel_group_create_of(f.world, &desc, &f.groups[at]) < 0) f.groups[at] = NULL;
}
static void op_read(void) {
    if (once_in(3)) {
        keel_reader_destroy(f.reader);
        f.reader = once_in(2) ? keel_reader_create(f.world, "reader") : NULL;
        return;
    }
    keel_scope *scope = f.reader ? KEEL_SCOPE(f.reader) : KEEL_SCOPE(f.world);
    keel_removal_walk walk =
        (keel_removals)(scope, some_kind(), KEEL_TRACK_REMOVAL | KEEL_TRACK_DELETION);
    for (uint32_t n = 0; n < 1000 && keel_removal_next(&walk); ++n) {}
    if (f.reader) keel_reader_advance(f.reader);
}
static void op_clear_changes(void) {
    (void)keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW);
}
// A component is unregistered, and registered again as it was or as another one.
static void op_register_again(void) {
    const bool is_relation = once_in(3);
    keel_component *c = is_relation ? some_relation() : some_kind();
    const keel_result result = keel_unregister_component(f.world, c);
    keel_world *templates = keel_templates(f.world);
    if (templates) (void)keel_unregister_component(templates, c);
    if (result == KEEL_OK && once_in(3)) {
        if (is_relation) c->exclusive = c->acyclic || once_in(2);
        else if (c != &f.kinds[4]) c->storage = (keel_storage)roll(3);
        if (!is_relation && c->size && c != &f.kinds[4]) c->size = 4 * (1 + roll(3));
    }
    if (once_in(2)) (void)keel_register_component(f.world, c);
}

// ------------------------------------------------------------------ back and forth
static state state_now(void) {
    state now = { 0, 0, false };
    now.is_known = keel_world_hash(f.world, &now.hash) == KEEL_OK &&
                   keel_world_hash_with(f.world, KEEL_HASH_ORDER, &now.order) == KEEL_OK;
    return now;
}
static void check_state(state then, const char *what) {
    const state now = state_now();
    keel_error why;
    if (!keel_world_check(f.world, &why)) fail(why.message);
    if (then.is_known && now.is_known && then.hash != now.hash) fail(what);
}
static void op_take(void) {
    const uint32_t at = roll(SNAPSHOTS);
    if (f.snapshots[at] && once_in(6)) {
        keel_snapshot_destroy(f.snapshots[at]);
        f.snapshots[at] = NULL;
        return;
    }
    if (!f.snapshots[at]) f.snapshots[at] = keel_snapshot_create(f.world, "taken");
    if (!f.snapshots[at]) return;
    f.taken[at].is_known = false;
    const state now = state_now();
    if (keel_snapshot_take(f.snapshots[at]) == KEEL_OK) f.taken[at] = now;
}
static void op_restore(void) {
    const uint32_t at = roll(SNAPSHOTS);
    const state before = state_now();
    if (!f.snapshots[at]) return;
    const keel_result result = keel_snapshot_restore(f.snapshots[at]);
    if (result == KEEL_OK) check_state(f.taken[at], "a restore brought another state back");
    else check_state(before, "a restore that failed changed something");
}
// What a snapshot answers, whatever came since it was taken.
static void op_hash(void) {
    const uint32_t at = roll(SNAPSHOTS);
    const uint64_t back = f.frame - (f.frame ? roll(4 < f.frame ? 4 : (uint32_t)f.frame) : 0);
    keel_snapshot *snapshot = f.snapshots[at];
    state then = f.taken[at];
    uint64_t hash;
    if (f.ring && once_in(2)) {
        snapshot = keel_ring_snapshot(f.ring, back);
        then = f.frames[back % STATES];
    }
    if (!snapshot || !then.is_known) return;
    if (keel_snapshot_hash(snapshot, 0, &hash) == KEEL_OK && hash != then.hash)
        fail("a snapshot has another hash than its world had");
    if (keel_snapshot_hash(snapshot, KEEL_HASH_ORDER, &hash) == KEEL_OK && hash != then.order)
        fail("a snapshot has another order than its world had");
}
static void op_exchange(void) {
    const uint32_t at = roll(SNAPSHOTS);
    const uint64_t back = f.frame - (f.frame ? roll(4 < f.frame ? 4 : (uint32_t)f.frame) : 0);
    if (!f.ring || !f.snapshots[at]) return;
    if (keel_ring_exchange(f.ring, back, &f.snapshots[at]) == KEEL_OK)
        f.taken[at] = f.frames[back % STATES];
}
static void op_to_world(void) {
    const uint32_t at = roll(SNAPSHOTS);
    keel_world *copy = new_world(KEEL_UNRELATE);
    if (copy && f.snapshots[at]) (void)keel_snapshot_to_world(f.snapshots[at], copy);
    if (copy && !keel_world_check(copy, NULL)) fail("a copy of a snapshot is broken");
    keel_world_destroy(copy);
}
typedef struct bytes {
    unsigned char *data;
    size_t size, room;
} bytes;
static bool keep_bytes(void *context, const void *data, size_t size) {
    bytes *b = context;
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        if (!b->data) fail("no memory");
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

// Restores the bytes in a second world that knows the same components, edits it, and restores them
// again.
static void send_to_other(const bytes *b, state then) {
    keel_world *own = f.world;
    keel_world *other = new_world(f.seed % 5 == 4 ? KEEL_DELETE_SOURCES : KEEL_UNRELATE);
    bool is_known = other != NULL;
    for (const keel_component *c = NULL; is_known && (c = keel_next_component(own, c)) != NULL;)
        is_known = keel_register_component(other, c) != NULL;
    keel_reader *reader = is_known && f.reader ? keel_reader_create(other, "reader") : NULL;
    keel_snapshot *snapshot = is_known ? keel_snapshot_create(other, "received") : NULL;
    f.world = other;
    if (snapshot && keel_snapshot_read(snapshot, b->data, b->size, NULL) == KEEL_OK) {
        for (uint32_t times = 0; times < 2; ++times) {
            if (keel_snapshot_restore(snapshot) != KEEL_OK) break; // no memory
            check_state(then, "another world became another state");
            op_add_entity();
            op_relate();
            op_delete_entity();
            op_clone();
            op_strip();
            if (!keel_world_check(other, NULL)) fail("another world is broken after edits");
        }
    }
    f.world = own;
    keel_snapshot_destroy(snapshot);
    keel_reader_destroy(reader);
    keel_world_destroy(other);
}
static void op_send(void) {
    const uint32_t at = roll(SNAPSHOTS), to = roll(SNAPSHOTS);
    bytes b = { NULL, 0, 0 };
    if (!f.snapshots[at] || !f.snapshots[to]) return;
    (void)keel_apply_commands(f.world);
    if (keel_snapshot_write(f.snapshots[at], (keel_snapshot_sink){ keep_bytes, &b }) == KEEL_OK) {
        const state before = state_now(), then = f.taken[at];
        if (keel_snapshot_read(f.snapshots[to], b.data, b.size, NULL) == KEEL_OK)
            f.taken[to] = then;
        check_state(before, "reading a snapshot changed the world");
        send_to_other(&b, then);
    }
    free(b.data);
}
static void op_ring(void) {
    if (!f.ring) f.ring = keel_ring_create(f.world, 4);
    if (!f.ring) return;
    if (once_in(2)) {
        const state now = state_now();
        if (keel_ring_take(f.ring, ++f.frame) == KEEL_OK) f.frames[f.frame % STATES] = now;
        else f.frames[f.frame % STATES].is_known = false;
        return;
    }
    const uint64_t back = f.frame - (f.frame ? roll(4 < f.frame ? 4 : (uint32_t)f.frame) : 0);
    const state before = state_now();
    const keel_result result = keel_rollback(f.ring, back);
    if (result == KEEL_OK) {
        check_state(f.frames[back % STATES], "a rollback brought another state back");
        f.frame = back;
    } else {
        check_state(before, "a rollback that failed changed something");
    }
}
static void op_push(void) {
    if (!f.history) f.history = keel_history_create(f.world, (size_t)1 << (18 + roll(8)));
    if (!f.history) return;
    const state now = state_now();
    if (keel_history_push(f.history) < 0) return;
    f.step_count = ++f.step_at;
    f.steps[f.step_at % STATES] = now;
}
static void op_undo(void) {
    if (!f.history) return;
    const bool is_back = !once_in(3);
    const state before = state_now();
    const keel_result result =
        is_back ? keel_history_back(f.history) : keel_history_forward(f.history);
    if (result == KEEL_OK) {
        f.step_at = is_back ? f.step_at - 1 : f.step_at + 1;
        const state then = f.steps[f.step_at % STATES];
        check_state(f.step_count - f.step_at < STATES ? then : (state){ 0, 0, false },
                    "undo brought another state back");
    } else {
        check_state(before, "undo that failed changed something");
    }
}

// ------------------------------------------------------------------ rounds
static const struct operation {
    const char *name;
    void (*run)(void);
    uint32_t weight;
} operations[] = {
    { "add entity", op_add_entity, 8 },
    { "add entities", op_add_entities, 2 },
    { "fill block", op_fill_block, 4 },
    { "add", op_add, 12 },
    { "remove", op_remove, 5 },
    { "delete entity", op_delete_entity, 5 },
    { "delete many", op_delete_many, 2 },
    { "clear", op_clear, 1 },
    { "clone", op_clone, 5 },
    { "strip", op_strip, 1 },
    { "enable", op_enable, 4 },
    { "mark", op_mark, 2 },
    { "relate", op_relate, 12 },
    { "unrelate", op_unrelate, 3 },
    { "attach", op_attach, 5 },
    { "add child", op_add_child, 4 },
    { "name", op_name, 3 },
    { "spawn", op_spawn, 5 },
    { "merge", op_merge, 1 },
    { "move", op_move, 1 },
    { "copy world", op_copy_world, 1 },
    { "apply", op_apply, 6 },
    { "trim", op_trim, 1 },
    { "track", op_track, 2 },
    { "observe", op_observe, 2 },
    { "collect", op_collect, 3 },
    { "group", op_group, 2 },
    { "read", op_read, 3 },
    { "clear changes", op_clear_changes, 1 },
    { "register again", op_register_again, 3 },
    { "take", op_take, 3 },
    { "restore", op_restore, 3 },
    { "to world", op_to_world, 1 },
    { "send", op_send, 3 },
    { "ring", op_ring, 4 },
    { "exchange", op_exchange, 2 },
    { "hash", op_hash, 4 },
    { "push", op_push, 3 },
    { "undo", op_undo, 4 },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void one_step(void) {
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < OPERATIONS; ++i)
        total += operations[i].weight;
    uint32_t number = roll(total);
    while (number >= operations[at].weight)
        number -= operations[at++].weight;
    f.doing = operations[at].name;
    if (f.says) fprintf(stderr, "%u: %s\n", (unsigned)f.step, f.doing);
    const bool is_dry = f.seed % 4 == 3 && once_in(8);
    if (is_dry) counting_allocator_fail_once(&f.memory, roll(12));
    if (f.says && is_dry) fprintf(stderr, "   short of memory\n");
    operations[at].run();
    counting_allocator_never_fail(&f.memory);
    keel_clear_errors(f.world);
    keel_error why;
    if ((f.says || f.step % 8 == 0) && !keel_world_check(f.world, &why)) fail(why.message);
}

static void end_round(void) {
    f.doing = "the end";
    if (once_in(2)) (void)keel_clear_entities(f.world);
    keel_reader_destroy(f.reader);
    for (uint32_t i = 0; i < SNAPSHOTS; ++i)
        keel_snapshot_destroy(f.snapshots[i]);
    keel_ring_destroy(f.ring);
    keel_history_destroy(f.history);
    keel_world_destroy(f.world);
    if (f.memory.live_bytes) fail("memory is left");
    if (f.living) fail("a value was not dropped, or dropped twice");
}

static void play_round(uint64_t seed, uint32_t steps, bool says) {
    memset(&f, 0, sizeof f);
    f.seed = seed;
    f.random = seed * 0x9E3779B97F4A7C15u + 1;
    f.says = says;
    f.doing = "the beginning";
    counting_allocator_init(&f.memory);
    describe();
    f.world = new_world(seed % 5 == 4 ? KEEL_DELETE_SOURCES : KEEL_UNRELATE);
    if (!f.world) fail("no world");
    for (uint32_t k = 0; k < KINDS && once_in(2); ++k)
        (void)keel_register_component(f.world, &f.kinds[k]);
    for (f.step = 1; f.step <= steps; ++f.step)
        one_step();
    end_round();
}

int main(int count, char **arguments) {
    uint64_t seed = 1, rounds = test_part(60);
    uint32_t steps = 500;
    bool says = false;
    for (int i = 1; i < count; ++i) {
        const char *value = i + 1 < count ? arguments[i + 1] : "";
        if (!strcmp(arguments[i], "--say")) says = true;
        else if (!strcmp(arguments[i], "--seed")) seed = strtoull(value, NULL, 10), ++i;
        else if (!strcmp(arguments[i], "--rounds")) rounds = strtoull(value, NULL, 10), ++i;
        else if (!strcmp(arguments[i], "--steps")) steps = (uint32_t)strtoul(value, NULL, 10), ++i;
        else {
            fprintf(stderr, "usage: random_rewind [--seed S] [--rounds N] [--steps N] [--say]\n");
            return 2;
        }
    }
    keel_set_assert_handler(on_assertion);
#ifndef __SANITIZE_ADDRESS__
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
#else
    (void)on_signal;
#endif
    for (uint64_t i = 0; i < rounds; ++i)
        play_round(seed + i, steps, says);
    printf("%llu rounds of %u steps\n", (unsigned long long)rounds, (unsigned)steps);
    return 0;
}
