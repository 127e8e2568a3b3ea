// SPDX-License-Identifier: MIT
// Worlds, component types, errors, handles, time; what follows edits: changes, observers, events.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ handles and texts
FUZZ(keel_null) {
    if (!keel_is_null(keel_null())) abort();
}
FUZZ(keel_is_null) { (void)keel_is_null(fuzz_entity()); }
FUZZ(keel_is_same) {
    const keel_entity e = fuzz_entity();
    if (!keel_is_same(e, e)) abort();
}
FUZZ(keel_entity_index) { (void)keel_entity_index(fuzz_entity()); }
FUZZ(keel_entity_version) { (void)keel_entity_version(fuzz_entity()); }
FUZZ(keel_entity_make) {
    const uint32_t index = fuzz_number();
    (void)fuzz_keep(keel_entity_make(index, fuzz_number()));
}
FUZZ(keel_result_text) {
    if (!keel_result_text((keel_result)((int)fuzz_byte() - 128))) abort();
}
FUZZ(keel_version) {
    if (!keel_version()) abort();
}
static bool to_go_on(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)message, (void)file, (void)line;
    return false;
}
FUZZ(keel_set_assert_handler) { keel_set_assert_handler(to_go_on); }

// ------------------------------------------------------------------ fields
static void fuzz_drop_nothing(void *value, void *data) { (void)value, (void)data; }
static bool fuzz_copy_nothing(void *to, const void *from, void *data) {
    return (void)to, (void)from, (void)data, false;
}
enum { LEFT = -1, RIGHT = 1 };
KEEL_ENUM(fuzz_side, LEFT, RIGHT);
KEEL_FLAGS(fuzz_bits, LEFT, RIGHT);
typedef struct fuzz_inner {
    float x;
    char letters[4];
    int16_t side, bits;
} fuzz_inner;
KEEL_FIELDS(fuzz_inner, x, letters, KEEL_FIELD(side, .of = KEEL_TYPE(fuzz_side)),
            KEEL_FIELD(bits, .of = KEEL_TYPE(fuzz_bits)));
typedef struct fuzz_outer {
    fuzz_inner inner[2];
    double d;
    keel_entity e;
    bool on;
    char *owned;
    uint64_t number;
} fuzz_outer;
KEEL_FIELDS(fuzz_outer, KEEL_FIELD(inner, .of = KEEL_TYPE(fuzz_inner)), d, e, on, owned,
            KEEL_FIELD(number, .min = 1, .max = 9));
static const keel_component described = { .name = "described",
                                          .size = sizeof(fuzz_outer),
                                          .align = KEELI_ALIGNOF(fuzz_outer),
                                          KEEL_HAS_FIELDS(fuzz_outer) };
static const keel_component is_owned = { .name = "owned",
                                         .size = sizeof(fuzz_outer),
                                         .align = KEELI_ALIGNOF(fuzz_outer),
                                         .drop = fuzz_drop_nothing,
                                         .copy = fuzz_copy_nothing,
                                         KEEL_HAS_FIELDS(fuzz_outer) };

static keel_field_place place_of_field(void) {
    static const char *const paths[] = { "inner",
                                         "inner[1]",
                                         "inner[0].x",
                                         "inner[1].letters",
                                         "inner[0].side",
                                         "inner[0].bits",
                                         "d",
                                         "e",
                                         "on",
                                         "owned",
                                         "number",
                                         "inner[2]",
                                         "inner[",
                                         "d.x",
                                         "" };
    keel_field_place place;
    keel_error error;
    const keel_component *c = fuzz_one_in(8) ? fuzz_component() : &is_owned;
    if (c == &is_owned && fuzz_one_in(16)) c = &described; // refused: it has no hooks
    const char *path = fuzz_one_in(8) ? fuzz_text() : paths[fuzz_below(15)];
    const keel_result result = keel_field_find(c, path, &place, fuzz_one_in(2) ? NULL : &error);
    if ((result == KEEL_OK) != (place.field != NULL)) abort();
    if (result == KEEL_OK && place.offset + place.size > c->size) abort();
    if (c != &is_owned) place = (keel_field_place){ .field = NULL };
    return place;
}
FUZZ(keel_field_find) { (void)place_of_field(); }
FUZZ(keel_field_print) {
    const keel_field_place place = place_of_field();
    fuzz_outer value = { .owned = NULL };
    char text[64];
    unsigned char *bytes = (unsigned char *)&value;
    for (size_t i = 0; i < offsetof(fuzz_outer, on); ++i)
        bytes[i] = (unsigned char)fuzz_byte();
    const size_t length = keel_field_print(&place, fuzz_one_in(8) ? NULL : &value, text, 64);
    if (length < sizeof text && strlen(text) != length) abort();
}
FUZZ(keel_field_parse) {
    static const char *const texts[] = { "1",
                                         "-1.5e3",
                                         "true",
                                         "17v3",
                                         "null",
                                         "LEFT | 0x2",
                                         "RIGHT",
                                         "\"a\\n\"",
                                         "{x: 1, letters: \"abc\"}",
                                         "[{x: nan:7fc00001}, {side: LEFT}]" };
    static const char marks[] = "{}[],:|\"\\x0123.e-nav \n\xff";
    const keel_field_place place = place_of_field();
    fuzz_outer value = { .owned = NULL };
    char text[64], again[64];
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t bytes = fuzz_below(sizeof text);
        const char *from = fuzz_one_in(2) ? text : texts[fuzz_below(10)];
        for (uint32_t b = 0; b < bytes; ++b)
            text[b] = marks[fuzz_byte() % (sizeof marks - 1)];
        text[bytes] = '\0';
        if (keel_field_parse(&place, &value, fuzz_one_in(16) ? NULL : from, NULL) != KEEL_OK)
            continue;
        // what was parsed is printed, and that is parsed as the same
        if (keel_field_print(&place, &value, text, sizeof text) >= sizeof text) continue;
        if (keel_field_parse(&place, &value, text, NULL) != KEEL_OK) abort();
        (void)keel_field_print(&place, &value, again, sizeof again);
        if (strcmp(text, again) != 0) abort();
    }
    free(value.owned);
}

// ------------------------------------------------------------------ worlds
FUZZ(keel_world_create) {
    static const keel_executor nobody = { 0 };
    const uint32_t workers = fuzz_one_in(4) ? fuzz_number() : 1;
    const char *name = fuzz_text();
    const uint32_t capacity = fuzz_one_in(16) ? 1u << 24 : fuzz_below(100);
    keel_world *world = keel_world_create(&(keel_world_desc){
        .name = name,
        .allocator = fuzz_allocator(),
        .log = { .write = NULL, .context = NULL },
        .on_misuse = KEEL_MISUSE_RETURN,
        .entity_capacity = capacity,
        .worker_count = workers,
        .executor = fuzz_one_in(8) ? &nobody : NULL,
    });
    fuzz_edit(world ? KEEL_OK : KEEL_ERROR_ARGUMENT);
    keel_world_destroy(world);
}
FUZZ(keel_world_destroy) { keel_world_destroy(NULL); }
FUZZ(keel_last_error) {
    if (!keel_last_error(fuzz_world())) abort();
}
FUZZ(keel_first_error) {
    if (!keel_first_error(fuzz_world())) abort();
}
FUZZ(keel_clear_errors) { keel_clear_errors(fuzz_world()); }
FUZZ(keel_entity_count) { (void)(keel_entity_count)(fuzz_scope()); }
FUZZ(keel_entity_at) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_keep((keel_entity_at)(scope, fuzz_number()));
    if (!keel_is_null(e) && !(keel_is_alive)(scope, e)) abort();
}
FUZZ(keel_next_entity) {
    keel_world *world = fuzz_world();
    (void)fuzz_keep(keel_next_entity(world, fuzz_entity()));
}
FUZZ(keel_next_free_entity) {
    keel_world *world = fuzz_world();
    (void)fuzz_keep(keel_next_free_entity(world, fuzz_entity()));
}
FUZZ(keel_is_alive) {
    keel_scope *scope = fuzz_scope();
    (void)(keel_is_alive)(scope, fuzz_entity());
}
FUZZ(keel_share_begin) {
    const uint32_t at = fuzz_one_in(5);
    const keel_result result = keel_share_begin(f.worlds[at]);
    if (result == KEEL_OK) f.shared[at] = true;
    fuzz_edit(result);
}
FUZZ(keel_share_end) {
    for (uint32_t at = 0; at < FUZZ_WORLDS; ++at) {
        const keel_result result = keel_share_end(f.worlds[at]);
        if (result == KEEL_OK) f.shared[at] = false;
        fuzz_edit(result);
    }
}
FUZZ(keel_adopt_world) { fuzz_edit(keel_adopt_world(fuzz_world())); }
FUZZ(keel_world_statistics) {
    const keel_memory memory = keel_world_statistics(fuzz_world()).memory;
    if (memory.total > f.memory.live_bytes) abort();
}
FUZZ(keel_component_memory) {
    keel_world *world = fuzz_world();
    (void)keel_component_memory(world, fuzz_component());
}
FUZZ(keel_world_trim) { fuzz_edit(keel_world_trim(fuzz_world())); }
FUZZ(keel_world_check) {
    // In hooks an edit is half done.
    if (!f.depth && !keel_world_check(fuzz_world(), NULL)) abort();
}
FUZZ(keel_world_hash) {
    uint64_t hash;
    keel_world *world = fuzz_world();
    fuzz_edit(keel_world_hash(world, fuzz_one_in(32) ? NULL : &hash));
}
FUZZ(keel_hash_component) {
    uint64_t hash;
    keel_world *world = fuzz_world();
    const keel_component *component = fuzz_component();
    uint64_t *where = fuzz_one_in(32) ? NULL : &hash;
    fuzz_edit(keel_hash_component(world, component, where));
}
FUZZ(keel_hash_blocks) {
    uint64_t hashes[4];
    keel_world *world = fuzz_world();
    const keel_component *component = fuzz_component();
    const uint32_t first = fuzz_below(300);
    const uint32_t size = fuzz_below(100);
    const uint32_t count = fuzz_below(5);
    uint64_t *where = fuzz_one_in(32) ? NULL : hashes;
    fuzz_edit(keel_hash_blocks(world, component, first, size, count, where));
}
FUZZ(keel_world_hash_with) {
    uint64_t hash;
    keel_world *world = fuzz_world();
    const uint32_t flags = fuzz_one_in(16) ? fuzz_number() : fuzz_below(2);
    fuzz_edit(keel_world_hash_with(world, flags, fuzz_one_in(32) ? NULL : &hash));
}
FUZZ(keel_world_hash_parts) {
    keel_hash_part parts[8];
    keel_world *world = fuzz_world();
    const uint32_t room = fuzz_below(9);
    const uint32_t count =
        keel_world_hash_parts(world, room && !fuzz_one_in(32) ? parts : NULL, room);
    for (uint32_t i = 0; i < room && i < count; ++i)
        fuzz_sink = parts[i].hash & 255;
}
FUZZ(keel_copy_world) {
    keel_world *from = fuzz_world();
    fuzz_edit(keel_copy_world(from, fuzz_world()));
}

FUZZ(keel_merge_world) {
    enum { MOST = 300 }; // twice as many each time
    keel_world *to = fuzz_world(), *from = fuzz_world();
    keel_merge_options options = { .strict = fuzz_one_in(2) };
    if (fuzz_one_in(2)) options.root = fuzz_entity();
    if (from && keel_entity_count(from) > MOST) return;
    fuzz_edit(keel_merge_world(to, from, fuzz_one_in(4) ? NULL : &options));
}

// ------------------------------------------------------------------ component types
FUZZ(keel_register_component) {
    keel_world *world = fuzz_world();
    const uint32_t how = fuzz_below(3);
    (void)keel_register_component(world, how == 0   ? fuzz_component()
                                         : how == 1 ? fuzz_unique()
                                                    : fuzz_event());
}
FUZZ(keel_unregister_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_one_in(4) ? fuzz_unique() : fuzz_component();
    fuzz_edit(keel_unregister_component(world, c));
}
FUZZ(keel_find_component) {
    keel_world *world = fuzz_world();
    (void)keel_find_component(world, fuzz_text());
}
FUZZ(keel_next_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = NULL;
    for (uint32_t n = 0; n < 1000 && (c = keel_next_component(world, c)); ++n)
        if (!c->name) abort();
    if (c) abort();
    (void)keel_next_component(world, fuzz_component());
}
FUZZ(keel_next_unique) {
    keel_world *world = fuzz_world();
    const keel_component *c = NULL;
    for (uint32_t n = 0; n < 1000 && (c = keel_next_unique(world, c)); ++n)
        if (!c->name) abort();
    if (c) abort();
    (void)keel_next_unique(world, fuzz_component());
}
FUZZ(keel_next_event_type) {
    keel_world *world = fuzz_world();
    const keel_component *c = NULL;
    for (uint32_t n = 0; n < 1000 && (c = keel_next_event_type(world, c)); ++n)
        if (!c->is_event) abort();
    if (c) abort();
    (void)keel_next_event_type(world, fuzz_component());
}
FUZZ(keel_next_component_of) {
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    const keel_component *c = NULL;
    for (uint32_t n = 0; n < 1000 && (c = keel_next_component_of(world, e, c)); ++n)
        if (!c->name) abort();
    if (c) abort();
    (void)keel_next_component_of(world, e, fuzz_component());
}

// ------------------------------------------------------------------ changes
static const keel_component *any_component(void) {
    return fuzz_one_in(6) ? &keel_entities : fuzz_component();
}
static const keel_component *of_three(void) {
    const uint32_t how = fuzz_below(4);
    return how == 0 ? fuzz_unique() : how == 1 ? fuzz_event() : any_component();
}
FUZZ(keel_track_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_component();
    fuzz_edit(keel_track_component(world, c, fuzz_kinds()));
}
FUZZ(keel_tracked_kinds) {
    keel_world *world = fuzz_world();
    (void)keel_tracked_kinds(world, fuzz_component());
}
FUZZ(keel_tick) { (void)keel_tick(fuzz_world()); }
FUZZ(keel_clear_component_changes) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_component();
    const uint32_t kinds = fuzz_kinds();
    fuzz_edit(
        keel_clear_component_changes(world, c, kinds, fuzz_one_in(2) ? UINT64_MAX : fuzz_number()));
}
FUZZ(keel_clear_all_changes) {
    keel_world *world = fuzz_world();
    const uint32_t kinds = fuzz_kinds();
    fuzz_edit(keel_clear_all_changes(world, kinds, fuzz_one_in(2) ? UINT64_MAX : fuzz_number()));
}
FUZZ(keel_set_limit_of) {
    keel_world *world = fuzz_world();
    const keel_component *c = of_three();
    fuzz_edit(keel_set_limit_of(world, c, fuzz_number()));
}
FUZZ(keel_reader_create) {
    const uint32_t at = fuzz_below(FUZZ_READERS);
    if (f.readers[at]) return;
    f.reader_worlds[at] = fuzz_world();
    f.readers[at] = keel_reader_create(f.reader_worlds[at], fuzz_text());
}
FUZZ(keel_reader_destroy) {
    const uint32_t at = fuzz_below(FUZZ_READERS);
    if (f.depth) return; // refused in some places, and then it lives on
    keel_reader_destroy(f.readers[at]);
    f.readers[at] = NULL;
}
FUZZ(keel_reader_advance) {
    keel_reader *reader = f.readers[fuzz_below(FUZZ_READERS)];
    if (reader) keel_reader_advance(reader);
}
FUZZ(keel_reader_keep) { keel_reader_keep(f.readers[fuzz_below(FUZZ_READERS)]); }

// ------------------------------------------------------------------ snapshots
static keel_snapshot *snapshot(void) { return f.snapshots[fuzz_below(FUZZ_SNAPSHOTS)]; }
FUZZ(keel_snapshot_create) {
    const uint32_t at = fuzz_below(FUZZ_SNAPSHOTS);
    if (f.snapshots[at]) return;
    keel_world *world = fuzz_world();
    f.snapshots[at] = keel_snapshot_create(world, fuzz_text());
}
FUZZ(keel_snapshot_destroy) {
    const uint32_t at = fuzz_below(FUZZ_SNAPSHOTS);
    if (f.depth) return; // hooks inside of a take may not end what is taken
    keel_snapshot *ended = f.snapshots[at];
    f.snapshots[at] = NULL; // nor what is being destroyed
    keel_snapshot_destroy(ended);
}
FUZZ(keel_snapshot_reserve) { fuzz_edit(keel_snapshot_reserve(snapshot())); }
FUZZ(keel_snapshot_take) { fuzz_edit(keel_snapshot_take(snapshot())); }
// One that holds something, more often than not.
static keel_snapshot *taken(void) {
    const uint32_t at = fuzz_below(FUZZ_SNAPSHOTS);
    keel_world *world = fuzz_world();
    if (fuzz_one_in(4)) return f.snapshots[at];
    if (!f.snapshots[at]) f.snapshots[at] = keel_snapshot_create(world, "taken");
    if (f.snapshots[at]) fuzz_edit(keel_snapshot_take(f.snapshots[at]));
    return f.snapshots[at];
}
FUZZ(keel_snapshot_restore) { fuzz_edit(keel_snapshot_restore(taken())); }
FUZZ(keel_snapshot_to_world) {
    const keel_snapshot *from = taken();
    fuzz_edit(keel_snapshot_to_world(from, fuzz_world()));
}
FUZZ(keel_snapshot_read_begin) {
    keel_snapshot *which = snapshot();
    const keel_world *image = NULL;
    if (keel_snapshot_read_begin(which, fuzz_one_in(32) ? NULL : &image) != KEEL_OK) return;
    (void)keel_entity_count(image);
    keel_snapshot_read_end(which);
}
FUZZ(keel_snapshot_hash) {
    uint64_t hash;
    keel_snapshot *which = fuzz_one_in(2) ? taken() : snapshot();
    const uint32_t flags = fuzz_one_in(16) ? fuzz_number() : fuzz_below(2);
    fuzz_edit(keel_snapshot_hash(which, flags, fuzz_one_in(32) ? NULL : &hash));
}
FUZZ(keel_snapshot_read_end) { keel_snapshot_read_end(snapshot()); }
// The bytes of the snapshot that was written last.
static unsigned char image_bytes[1 << 16];
static size_t image_size;
static bool keep_image(void *context, const void *bytes, size_t size) {
    (void)context;
    if (size > sizeof image_bytes - image_size) return false;
    memcpy(image_bytes + image_size, bytes, size);
    image_size += size;
    return true;
}
FUZZ(keel_snapshot_write) {
    keel_snapshot *which = snapshot();
    const keel_snapshot_sink sink = { fuzz_one_in(32) ? NULL : keep_image, NULL };
    image_size = 0;
    (void)keel_snapshot_write(which, sink);
}
FUZZ(keel_snapshot_read) {
    const keel_snapshot_read_options options = { .max_bytes = 1 << 24, .max_entities = 1 << 14 };
    const size_t size = fuzz_one_in(8) ? fuzz_below((uint32_t)image_size + 1) : image_size;
    if (size && fuzz_one_in(4)) image_bytes[fuzz_below((uint32_t)size)] ^= 1;
    keel_snapshot *which = snapshot();
    const void *bytes = fuzz_one_in(32) ? NULL : image_bytes;
    fuzz_edit(keel_snapshot_read(which, bytes, size, &options));
}
FUZZ(keel_snapshot_bytes) { (void)keel_snapshot_bytes(snapshot()); }
FUZZ(keel_snapshot_copied) { (void)keel_snapshot_copied(snapshot()); }
FUZZ(keel_snapshot_set_flags) {
    keel_snapshot *which = snapshot();
    (void)keel_snapshot_set_flags(which, fuzz_below(5));
}
static void restored(keel_world *world, void *data) {
    (void)data;
    if (f.depth < FUZZ_DEPTH && world) fuzz_inside(NULL);
}
FUZZ(keel_on_restore) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_on_restore(world, fuzz_one_in(8) ? NULL : restored, NULL));
}
FUZZ(keel_ring_create) {
    if (f.ring) return;
    keel_world *world = fuzz_world();
    f.ring = keel_ring_create(world, fuzz_one_in(4) ? fuzz_number() : 3);
}
FUZZ(keel_ring_destroy) {
    if (f.depth) return;
    keel_ring *ended = f.ring;
    f.ring = NULL;
    keel_ring_destroy(ended);
}
FUZZ(keel_ring_reserve) { fuzz_edit(keel_ring_reserve(f.ring)); }
FUZZ(keel_ring_take) { fuzz_edit(keel_ring_take(f.ring, fuzz_below(8))); }
FUZZ(keel_rollback) {
    keel_world *world = fuzz_world();
    if (!f.ring) f.ring = keel_ring_create(world, 3);
    if (fuzz_one_in(2)) fuzz_edit(keel_ring_take(f.ring, fuzz_below(8)));
    fuzz_edit(keel_rollback(f.ring, fuzz_below(8)));
}

FUZZ(keel_ring_snapshot) {
    keel_world *world = fuzz_world();
    if (!f.ring) f.ring = keel_ring_create(world, 3);
    if (fuzz_one_in(2)) fuzz_edit(keel_ring_take(f.ring, fuzz_below(8)));
    keel_snapshot *snapshot = keel_ring_snapshot(f.ring, fuzz_below(8));
    const keel_world *image;
    if (!snapshot) return;
    if (fuzz_one_in(4)) fuzz_edit(keel_snapshot_take(snapshot)); // is refused
    if (keel_snapshot_read_begin(snapshot, &image) != KEEL_OK) return;
    fuzz_sink = keel_entity_count(image) & 255;
    if (fuzz_one_in(2)) fuzz_edit(keel_ring_take(f.ring, fuzz_below(8)));
    keel_snapshot_read_end(snapshot);
}
FUZZ(keel_ring_exchange) {
    keel_world *world = fuzz_world();
    const uint32_t at = fuzz_below(FUZZ_SNAPSHOTS);
    const uint64_t frame = fuzz_below(8);
    if (!f.snapshots[at]) f.snapshots[at] = keel_snapshot_create(world, "given");
    if (!f.ring) f.ring = keel_ring_create(world, 3);
    if (fuzz_one_in(2)) fuzz_edit(keel_ring_take(f.ring, frame));
    fuzz_edit(keel_ring_exchange(f.ring, frame, fuzz_one_in(32) ? NULL : &f.snapshots[at]));
}
FUZZ(keel_ring_frames) {
    uint64_t frames[4];
    const uint32_t room = fuzz_below(5);
    (void)keel_ring_frames(f.ring, room ? frames : NULL, room);
}
FUZZ(keel_ring_bytes) { fuzz_sink = keel_ring_bytes(f.ring) & 255; }

FUZZ(keel_history_create) {
    if (f.history) return;
    keel_world *world = fuzz_world();
    f.history = keel_history_create(world, fuzz_one_in(4) ? fuzz_number() : SIZE_MAX);
}
FUZZ(keel_history_destroy) {
    if (f.depth) return;
    keel_history *ended = f.history;
    f.history = NULL;
    keel_history_destroy(ended);
}
static keel_history *history(void) {
    keel_world *world = fuzz_world();
    if (!f.history && !fuzz_one_in(4)) f.history = keel_history_create(world, SIZE_MAX);
    return f.history;
}
FUZZ(keel_history_push) { fuzz_edit(keel_history_push(history())); }
FUZZ(keel_history_back) {
    keel_history *past = history();
    if (fuzz_one_in(2)) fuzz_edit(keel_history_push(past));
    fuzz_edit(keel_history_back(past));
}
FUZZ(keel_history_forward) { fuzz_edit(keel_history_forward(history())); }
FUZZ(keel_history_behind) { (void)keel_history_behind(f.history); }
FUZZ(keel_history_ahead) { (void)keel_history_ahead(f.history); }
FUZZ(keel_history_bytes) { (void)keel_history_bytes(f.history); }

FUZZ(keel_changes_of_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    (void)(keel_changes_of_component)(scope, e, of_three());
}
static void walk_removals(keel_removal_walk *walk) {
    for (uint32_t n = fuzz_below(16); n > 0 && keel_removal_next(walk); --n) {
        (void)fuzz_keep(walk->removal.entity);
        if (f.depth < FUZZ_DEPTH && fuzz_one_in(8)) fuzz_inside(f.contexts[f.depth]);
    }
}
FUZZ(keel_removals) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_component();
    keel_removal_walk walk = (keel_removals)(scope, c, fuzz_kinds());
    walk_removals(&walk);
}
FUZZ(keel_removal_next) {
    keel_removal_walk walk = { 0 };
    if (keel_removal_next(&walk)) abort();
}
FUZZ(keel_missed_component) {
    keel_scope *scope = fuzz_scope();
    (void)(keel_missed_component)(scope, of_three());
}

// ------------------------------------------------------------------ observers and reactive sets
static keel_observer_fn *function(void) { return fuzz_one_in(32) ? NULL : fuzz_observer; }
static void *data(void) { return fuzz_one_in(2) ? NULL : &f; }
FUZZ(keel_observe_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = any_component();
    const uint32_t kinds = fuzz_kinds();
    keel_observer_fn *call = function();
    fuzz_edit(keel_observe_component(world, c, kinds, call, data()));
}
FUZZ(keel_unobserve_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = any_component();
    keel_observer_fn *call = function();
    fuzz_edit(keel_unobserve_component(world, c, call, data()));
}
FUZZ(keel_observe_view) {
    keel_world *world = fuzz_world();
    const keel_term *terms = fuzz_terms();
    const uint32_t kinds = fuzz_kinds();
    keel_observer_fn *call = function();
    fuzz_edit(keel_observe_view(world, terms, kinds, call, data()));
}
FUZZ(keel_unobserve_view) {
    keel_world *world = fuzz_world();
    keel_observer_fn *call = function();
    fuzz_edit(keel_unobserve_view(world, call, data()));
}
FUZZ(keel_collect_component) {
    keel_world *world = fuzz_world();
    const keel_component *set = fuzz_component(), *source = any_component();
    fuzz_edit(keel_collect_component(world, set, source, fuzz_kinds()));
}
FUZZ(keel_stop_collecting_component) {
    keel_world *world = fuzz_world();
    const keel_component *set = fuzz_component();
    fuzz_edit(keel_stop_collecting_component(world, set, any_component()));
}
FUZZ(keel_collected_kinds) {
    keel_world *world = fuzz_world();
    const keel_component *set = any_component();
    (void)keel_collected_kinds(world, set, any_component());
}

// ------------------------------------------------------------------ events
FUZZ(keel_send_event) {
    const keel_component *c = fuzz_event();
    void *value = fuzz_one_in(4) ? NULL : fuzz_values(c, 1);
    const keel_result result = (keel_send_event)(fuzz_scope(), c, value);
    if (result != KEEL_OK && value) fuzz_release(c, value, 1);
    fuzz_edit(result);
}
FUZZ(keel_events_of) {
    keel_scope *scope = fuzz_scope();
    keel_event_walk walk = (keel_events_of)(scope, fuzz_event());
    for (uint32_t n = fuzz_below(16); n > 0 && keel_event_next(&walk); --n)
        if (f.depth < FUZZ_DEPTH && fuzz_one_in(8)) fuzz_inside(f.contexts[f.depth]);
}
FUZZ(keel_event_next) {
    keel_event_walk walk = { 0 };
    if (keel_event_next(&walk)) abort();
}
FUZZ(keel_event_count_of) {
    keel_scope *scope = fuzz_scope();
    (void)(keel_event_count_of)(scope, fuzz_event());
}
FUZZ(keel_advance_events_of) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_advance_events_of(world, fuzz_event()));
}
FUZZ(keel_clear_events_of) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_clear_events_of(world, fuzz_event()));
}

// ------------------------------------------------------------------ time
FUZZ(keel_fixed_step_advance) {
    static const double times[] = { 0, -1, 1e300, 1.0 / 60, 1e-12, 3 };
    f.clock.max_ticks = fuzz_number();
    const uint32_t ticks = keel_fixed_step_advance(&f.clock, times[fuzz_below(6)]);
    if (f.clock.max_ticks && ticks > f.clock.max_ticks) abort();
}
FUZZ(keel_fixed_step_alpha) {
    const double alpha = keel_fixed_step_alpha(&f.clock);
    if (!(alpha >= 0 && alpha < 1)) abort();
}
FUZZ(keel_timings_begin) {
    keel_world *world = fuzz_world();
    const uint32_t capacity = fuzz_number();
    fuzz_edit(keel_timings_begin(world, capacity > 100000 && !fuzz_one_in(4) ? 10 : capacity));
}
FUZZ(keel_timings_end) { fuzz_edit(keel_timings_end(fuzz_world())); }
FUZZ(keel_change_tick_of_component) {
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    (void)keel_change_tick_of_component(world, e, fuzz_component());
}
FUZZ(keel_timings_now) {
    keel_world *world = fuzz_world();
    uint64_t now = 0;
    (void)keel_timings_now(world, fuzz_one_in(32) ? NULL : &now);
}
FUZZ(keel_timings_next) {
    keel_timing timing;
    keel_world *world = fuzz_world();
    (void)keel_timings_next(world, fuzz_one_in(32) ? NULL : &f.timings, &timing);
}
FUZZ(keel_timings_write_trace) {
    static const char *const paths[] = { "/dev/null", "/dev/full", "/no/such/folder/file", NULL };
    keel_world *world = fuzz_world();
    (void)keel_timings_write_trace(world, paths[fuzz_below(4)]);
}
