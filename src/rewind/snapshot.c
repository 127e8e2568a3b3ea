// SPDX-License-Identifier: MIT
// Snapshots. A snapshot has an image, a world of its own that runs no systems: a take makes the
// image a copy of the user's world, a restore makes the user's world a copy of the image (image.c
// copies). Beside the image a snapshot has the runs, the state of readers, steps and groups
// (runs.c). Users, rings and histories call this file.
#include "rewind/snapshot.h"

#include "rewind/blocks.h"
#include "rewind/image.h"
#include "rewind/journal.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/storage.h"

// ------------------------------------------------------------------ making
// Creates an empty world that can become an image of `world`. NULL when out of memory.
static keel_world *create_image(const keel_world *world, const char *name,
                                keel_allocator allocator) {
    const keel_world_desc desc = { .name = name ? name : "a snapshot",
                                   .allocator = allocator,
                                   .log = world->reports.log,
                                   .on_misuse = world->reports.on_misuse,
                                   .worker_count = 1,
                                   .on_parent_delete = world->relations.of_children };
    return keel_world_create(&desc);
}

keel_snapshot *keeli_snapshot_create(keel_world *world, const char *name,
                                     keel_allocator allocator) {
    keel_world *image = create_image(world, name, allocator);
    keel_snapshot *snapshot = image ? KEELI_NEW(&image->heap, keel_snapshot) : NULL;
    keeli_taken *taken = snapshot ? KEELI_NEW(&image->heap, keeli_taken) : NULL;
    if (!taken) {
        if (snapshot)
            KEELI_FREE(&image->heap, keel_snapshot, snapshot);
        keel_world_destroy(image);
        (void)keeli_out_of_memory(world, "making a snapshot");
        return NULL;
    }

    *snapshot = (keel_snapshot){
        .world = world, .image = image, .taken = taken, .self = snapshot, .before = world->snapshots
    };
    image->access.is_image = true;
    image->runs = &taken->runs;
    world->snapshots = snapshot;
    return snapshot;
}

keel_snapshot *keel_snapshot_create(keel_world *world, const char *name) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    if (keeli_world_is_editable(world) < 0)
        return NULL;
    return keeli_snapshot_create(world, name, world->heap.allocator);
}

// ------------------------------------------------------------------ readers of the image
keel_result keel_snapshot_read_begin(keel_snapshot *snapshot, const keel_world **image) {
    if (!snapshot || snapshot->self != snapshot)
        return keeli_no_world();
    if (!image)
        return keeli_misuse(snapshot->world ? snapshot->world : snapshot->image,
                            KEEL_ERROR_ARGUMENT,
                            "keel_snapshot_read_begin needs a place for the image, but it is NULL");

    int32_t readers = keeli_atomic_peek(&snapshot->readers);
    do
        if (readers < 0)
            return KEEL_ERROR_SHARED;
    while (!keeli_atomic_swap(&snapshot->readers, &readers, readers + 1));

    if (!snapshot->is_taken) {
        keel_snapshot_read_end(snapshot);
        return KEEL_ABSENT;
    }
    *image = snapshot->image;
    return KEEL_OK;
}

void keel_snapshot_read_end(keel_snapshot *snapshot) {
    int32_t readers = snapshot ? keeli_atomic_peek(&snapshot->readers) : 0;
    while (readers > 0 && !keeli_atomic_swap(&snapshot->readers, &readers, readers - 1)) {}
}

keel_result keeli_snapshot_write_begin(const keel_snapshot *snapshot, const char *what) {
    int32_t no_readers = 0;
    if (keeli_atomic_swap(&snapshot->self->readers, &no_readers, -1))
        return KEEL_OK;
    return keeli_error(snapshot->world ? snapshot->world : snapshot->image, KEEL_ERROR_BORROWED,
                       "cannot %s snapshot '%s' while it is read; call keel_snapshot_read_end, or "
                       "wait until keel_save_snapshot returns",
                       what, snapshot->image->name);
}
keel_result keeli_snapshot_write_end(const keel_snapshot *snapshot, keel_result result) {
    (void)keeli_atomic_add(&snapshot->self->readers, 1);
    return result;
}

keel_result keeli_snapshot_check_owner(const keel_snapshot *snapshot, const char *what) {
    if (!snapshot || snapshot->self != snapshot || !snapshot->is_of_ring)
        return KEEL_OK;
    return keeli_misuse(snapshot->world ? snapshot->world : snapshot->image, KEEL_ERROR_ARGUMENT,
                        "cannot %s a snapshot that keel_ring_snapshot returned: it belongs to its "
                        "ring; call keel_ring_take, keel_ring_reserve or keel_ring_destroy",
                        what);
}

void keel_snapshot_destroy(keel_snapshot *snapshot) {
    if (keeli_snapshot_check_owner(snapshot, "destroy") == KEEL_OK)
        keeli_snapshot_destroy(snapshot);
}

void keeli_snapshot_destroy(keel_snapshot *snapshot) {
    if (!snapshot)
        return;
    if (snapshot->self != snapshot) {
        (void)keeli_no_world();
        return;
    }
    if (keeli_snapshot_write_begin(snapshot, "destroy") < 0)
        return;

    keel_world *image = snapshot->image, *world = snapshot->world;
    if (world) {
        keel_snapshot **at = &world->snapshots;
        while (*at != snapshot)
            at = &(*at)->before;
        *at = snapshot->before;
        if (!world->snapshots)
            keeli_stamps_end(world);
    }

    keeli_runs_deinit(&snapshot->taken->runs, &image->heap);
    keeli_runs_deinit(&snapshot->taken->next, &image->heap);
    KEELI_FREE(&image->heap, keeli_taken, snapshot->taken);
    snapshot->self = NULL; // so that later use is reported
    KEELI_FREE(&image->heap, keel_snapshot, snapshot);
    keel_world_destroy(image);
}

void keeli_snapshots_deinit(keel_world *world) {
    for (keel_snapshot *s = world->snapshots; s; s = s->before)
        s->world = NULL;
    KEELI_RELEASE(&world->heap, &world->on_restore);
}

size_t keel_snapshot_bytes(const keel_snapshot *snapshot) {
    return snapshot ? (size_t)snapshot->image->heap.live : 0;
}

uint64_t keel_snapshot_copied(const keel_snapshot *snapshot) {
    return snapshot ? snapshot->copied : 0;
}

keel_result keel_snapshot_set_flags(keel_snapshot *snapshot, uint32_t flags) {
    if (!snapshot || snapshot->self != snapshot)
        return keeli_no_world();
    if (flags & ~(uint32_t)(KEEL_SNAPSHOT_FULL | KEEL_SNAPSHOT_CHECK))
        return keeli_misuse(
            snapshot->world ? snapshot->world : snapshot->image, KEEL_ERROR_ARGUMENT,
            "keel_snapshot_set_flags takes KEEL_SNAPSHOT_* bits, not 0x%x", (unsigned)flags);
    snapshot->flags = flags;
    return KEEL_OK;
}

// ------------------------------------------------------------------ the same components
// Returns the storage of the same component in another world, or NULL.
static keeli_storage *same_in(const keel_world *world, const keeli_storage *s) {
    return s->slot < world->root.storage_capacity ? world->root.storages[s->slot] : NULL;
}

// True if values of one component can be copied to the other. A component that was unregistered and
// registered again keeps its number but may have another size, storage or kind.
static bool are_like_components(const keeli_storage *a, const keeli_storage *b) {
    const keel_component *x = &a->component, *y = &b->component;
    return a->kind == b->kind && x->size == y->size && x->align == y->align &&
           x->is_unique == y->is_unique && x->is_event == y->is_event &&
           x->is_relation == y->is_relation && x->exclusive == y->exclusive &&
           x->symmetric == y->symmetric && x->transient == y->transient;
}

// Registers all components of the world in an image, with the hooks that they have now.
static keel_result learn(keel_world *world, keel_world *image) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        keel_result result;
        keeli_storage *t = keeli_storage_get(image, &s->component, s->component.is_unique, &result);
        if (!t)
            return keeli_error(world, result, "%s", keel_last_error(image)->message);

        if (!keeli_store_copy_hooks(t, &s->component))
            continue;
        if (image->journal && !keeli_journal_own(image->journal, t))
            return keeli_out_of_memory(world, "making a snapshot");
    }
    return KEEL_OK;
}

// Makes room in an image for number_like_world; false when out of memory.
static bool reserve_numbers(const keel_world *world, keel_world *image) {
    return KEELI_RESERVE(&image->heap, &image->registry.by_ordinal,
                         world->registry.by_ordinal.count);
}

// Gives the components of an image the numbers that they have in component lists of the world. The
// image's lists have other numbers until they are copied, so the take must not fail any more.
static void number_like_world(const keel_world *world, keel_world *image) {
    const uint32_t numbers = world->registry.by_ordinal.count;
    image->registry.by_ordinal.count = numbers;
    for (uint32_t n = 0; n < numbers; ++n) {
        const keeli_storage *s = world->registry.by_ordinal.items[n];
        keeli_storage *t = s ? same_in(image, s) : NULL;
        image->registry.by_ordinal.items[n] = t;
        if (t)
            t->ordinal = (uint16_t)n;
    }
}

// Returns a component of the image that the world does not know any more, or knows with other
// properties; NULL if there is none.
static const keeli_storage *find_lost(const keel_snapshot *snapshot) {
    const keel_world *image = snapshot->image;
    for (uint32_t i = image->storages.count; i--;) { // a component before those that it requires
        const keeli_storage *t = image->storages.items[i], *s = same_in(snapshot->world, t);
        if (!s || !are_like_components(s, t))
            return t;
    }
    return NULL;
}

bool keeli_snapshot_has_lost(const keel_snapshot *snapshot) { return find_lost(snapshot) != NULL; }

bool keeli_snapshot_knows_all(const keel_snapshot *snapshot) {
    const keel_world *world = snapshot->world, *image = snapshot->image;
    if (world->storages.count != image->storages.count)
        return false;
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!same_in(image, world->storages.items[i]))
            return false;
    return true;
}

keel_result keeli_snapshot_may_begin(const keel_snapshot *snapshot, const char *what) {
    if (!snapshot || snapshot->self != snapshot)
        return keeli_no_world();
    keel_world *world = snapshot->world;
    if (!world)
        return keeli_error(snapshot->image, KEEL_ERROR_SNAPSHOT,
                           "the world of snapshot '%s' was destroyed", snapshot->image->name);
    if (keeli_is_no_world(world))
        return keeli_no_world();

    KEEL_TRY(keeli_world_is_idle(world, what));
    KEEL_TRY(keeli_nothing_is_open(world, what));
    if (keeli_commands_are_pending(world))
        return keeli_error(world, KEEL_ERROR_ARGUMENT,
                           "%s while commands are recorded; call keel_apply_commands first", what);
    return KEEL_OK;
}

// ------------------------------------------------------------------ taking
static const keeli_reader *same_reader(void *data, const keeli_reader *reader) {
    (void)data;
    return reader;
}

// Begins the next epoch, after a take or restore made the world and the image the same, and stores
// it in the image. `image` NULL: stores it nowhere (keeli_snapshot_restore_silently). When the
// epochs are used up, they begin again at 0, and all snapshots forget theirs, so that the next take
// or restore of each copies everything.
static void begin_epoch(keel_world *world, keel_world *image) {
    if (world->epoch == UINT32_MAX - 1) {
        for (const keel_snapshot *s = world->snapshots; s; s = s->before)
            s->image->epoch = 0;
        keeli_stamps_end(world);
        world->epoch = 0;
    }

    if (image)
        keeli_stamps_renew(world, image);
    else
        ++world->epoch;
}

// Returns an error if the world has values that cannot be copied.
static keel_result check_copies(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (keeli_holds_values(s) && !keeli_image_leaves(s) && !keeli_can_copy(s) &&
            s != world->names.storage)
            return keeli_cannot_copy(world, s);
    }
    return KEEL_OK;
}

// Unregisters the components of the image that the world does not know any more. This edits the
// image, so that equal counters no longer mean equal contents: the take copies everything.
static keel_result forget_lost(const keel_snapshot *snapshot) {
    snapshot->image->epoch = 0;
    for (const keeli_storage *t; (t = find_lost(snapshot)) != NULL;)
        KEEL_TRY(keel_unregister_component(snapshot->image, &t->component));
    return KEEL_OK;
}

// Makes the runs that were prepared those of the snapshot, after its image was copied.
static void end_take(keel_snapshot *snapshot, const keeli_image *changes) {
    const keeli_runs old = snapshot->taken->runs;
    snapshot->taken->runs = snapshot->taken->next;
    snapshot->taken->next = old;
    snapshot->is_taken = true;
    snapshot->copied = changes->copied;
}

static keel_result take_image(keel_snapshot *snapshot) {
    keel_world *world = snapshot->world, *image = snapshot->image;
    KEEL_TRY(check_copies(world));

    if (find_lost(snapshot)) { // the copy in the image cannot be restored any more
        snapshot->is_taken = false;
        KEEL_TRY(forget_lost(snapshot));
    }
    KEEL_TRY(learn(world, image));
    if (!reserve_numbers(world, image) || !keeli_stamps_reserve(world) ||
        !keeli_runs_reserve(&snapshot->taken->next, &image->heap, world))
        return keeli_out_of_memory(world, "taking a snapshot");
    // Takes the runs now: hooks may create readers later, for which there would be no room.
    keeli_runs_take(&snapshot->taken->next, world);
    if (!keeli_runs_label(&snapshot->taken->next, &image->heap))
        return keeli_out_of_memory(world, "taking a snapshot");
    keeli_stamps_begin(world);

    keeli_image changes;
    const uint32_t before = keeli_refuse_begin(world, KEELI_REFUSED_HOOK);
    const keel_result result = keeli_image_reserve(&changes, image, world, world, snapshot->flags);
    if (result == KEEL_OK) {
        number_like_world(world, image);
        keeli_image_commit(&changes, same_reader, NULL);
    }
    keeli_refuse_end(world, before);
    if (result < 0)
        return result;

    end_take(snapshot, &changes);
    if (!image->epoch) // its counters were not the world's, but may become the same now
        keeli_hashes_forget(image);
    begin_epoch(world, image);
    keeli_hashes_reserve(image);
    return KEEL_OK;
}

keel_world *keeli_snapshot_blank(const keel_snapshot *snapshot) {
    keel_world *world = snapshot->world;
    keel_world *blank = create_image(world, snapshot->image->name, world->heap.allocator);
    if (!blank) {
        (void)keeli_out_of_memory(world, "reading a snapshot");
        return NULL;
    }

    const bool is_known = learn(world, blank) == KEEL_OK;
    if (is_known && reserve_numbers(world, blank)) {
        number_like_world(world, blank);
        return blank;
    }
    if (is_known)
        (void)keeli_out_of_memory(world, "reading a snapshot");
    keel_world_destroy(blank);
    return NULL;
}

keel_result keeli_snapshot_become(keel_snapshot *snapshot, const keel_world *from,
                                  keeli_reader_map *keeps, void *data) {
    keel_world *world = snapshot->world, *image = snapshot->image;
    if (find_lost(snapshot)) { // the copy in the image cannot be restored any more
        snapshot->is_taken = false;
        KEEL_TRY(forget_lost(snapshot));
    }
    KEEL_TRY(learn(world, image));
    if (!reserve_numbers(world, image))
        return keeli_out_of_memory(world, "reading a snapshot");

    keeli_image changes;
    const uint32_t before = keeli_refuse_begin(world, KEELI_REFUSED_HOOK);
    const keel_result result =
        keeli_image_reserve(&changes, image, from, world, KEEL_SNAPSHOT_FULL);
    if (result == KEEL_OK) {
        number_like_world(world, image);
        keeli_image_commit(&changes, keeps, data);
        end_take(snapshot, &changes);
        image->epoch = 0; // the world was never the same
        keeli_hashes_forget(image);
        keeli_hashes_reserve(image);
    }
    keeli_refuse_end(world, before);
    return result;
}

keel_result keel_snapshot_take(keel_snapshot *snapshot) {
    KEEL_TRY(keeli_snapshot_check_owner(snapshot, "take"));
    return keeli_snapshot_take(snapshot);
}

keel_result keeli_snapshot_take(keel_snapshot *snapshot) {
    KEEL_TRY(keeli_snapshot_may_begin(snapshot, "a snapshot is taken"));
    KEEL_TRY(keeli_snapshot_write_begin(snapshot, "take"));
    return keeli_snapshot_write_end(snapshot, take_image(snapshot));
}

// Makes room by taking the snapshot, which also touches all of its memory. A take exchanges
// `taken->next` and `taken->runs`, so both need room: the take makes it in one, keeli_runs_room in
// the other.
static keel_result reserve_snapshot(keel_snapshot *snapshot) {
    if (!keeli_runs_room(&snapshot->taken->runs, &snapshot->image->heap, snapshot->world))
        return keeli_out_of_memory(snapshot->world, "reserving a snapshot");
    KEEL_TRY(take_image(snapshot));
    snapshot->is_taken = false;

    const keeli_runs *runs = &snapshot->taken->runs;
    keeli_runs *next = &snapshot->taken->next;
    next->labels.count = next->text.count = 0;
    if (!KEELI_RESERVE(&snapshot->image->heap, &next->labels, runs->labels.count) ||
        !KEELI_RESERVE(&snapshot->image->heap, &next->text, runs->text.count))
        return keeli_out_of_memory(snapshot->world, "reserving a snapshot");
    return KEEL_OK;
}

keel_result keel_snapshot_reserve(keel_snapshot *snapshot) {
    KEEL_TRY(keeli_snapshot_check_owner(snapshot, "reserve"));
    return keeli_snapshot_reserve(snapshot);
}

keel_result keeli_snapshot_reserve(keel_snapshot *snapshot) {
    KEEL_TRY(keeli_snapshot_may_begin(snapshot, "a snapshot is reserved"));
    KEEL_TRY(keeli_snapshot_write_begin(snapshot, "reserve"));
    return keeli_snapshot_write_end(snapshot, reserve_snapshot(snapshot));
}

// ------------------------------------------------------------------ restoring
// A table of the readers that exist now and existed when the snapshot was taken. Queues of the
// image have pointers to readers; a pointer that is not in the table may be to a freed reader.
typedef struct living {
    const keel_snapshot *snapshot;
    keeli_pointer_table readers;
    bool has_room;
} living;

static void add_living(void *data, keeli_reader *reader) {
    living *l = data;
    if (!l->has_room || !keeli_runs_know(&l->snapshot->taken->runs, reader))
        return;

    l->has_room = keeli_pointer_reserve(&l->readers, &l->snapshot->world->heap);
    if (l->has_room)
        keeli_pointer_add(&l->readers, reader, reader);
}

static const keeli_reader *find_living(void *data, const keeli_reader *reader) {
    return keeli_pointer_find(&((living *)data)->readers, reader);
}

static keel_result restore_image(living *l, bool keeps) {
    const keel_snapshot *snapshot = l->snapshot;
    keel_world *world = snapshot->world;
    keeli_readers_visit(world, add_living, l);
    keeli_parked_readers_visit(world, add_living, l);
    if (!l->has_room || !keeli_runs_reserve_restore(&snapshot->taken->runs, world))
        return keeli_out_of_memory(world, "restoring a snapshot");

    keeli_image changes;
    KEEL_TRY(keeli_image_reserve(&changes, world, snapshot->image, world, snapshot->flags));
    keeli_image_commit(&changes, find_living, l);
    begin_epoch(world, keeps ? NULL : snapshot->image);
    keeli_runs_restore(&snapshot->taken->runs, world);
    return KEEL_OK;
}

keel_result keeli_snapshot_restore_silently(const keel_snapshot *snapshot, bool keeps) {
    keel_world *world = snapshot->world;
    const keeli_storage *lost = find_lost(snapshot);
    if (lost && same_in(world, lost))
        return keeli_error(world, KEEL_ERROR_SNAPSHOT,
                           "cannot restore '%s': '%s' was registered again since, with another "
                           "size, storage or option; register it as it was, or take a new snapshot",
                           snapshot->image->name, lost->component.name);
    if (lost)
        return keeli_error(world, KEEL_ERROR_SNAPSHOT,
                           "cannot restore '%s': it has '%s', which was unregistered since; "
                           "register it again, or take a new snapshot",
                           snapshot->image->name, lost->component.name);

    KEEL_TRY(keeli_snapshot_write_begin(snapshot, "restore"));
    living l = { .snapshot = snapshot, .has_room = true };
    keel_result result =
        keeli_snapshot_knows_all(snapshot) ? KEEL_OK : learn(world, snapshot->image);
    if (result == KEEL_OK)
        result = restore_image(&l, keeps);
    (void)keeli_snapshot_write_end(snapshot, result);
    keeli_pointer_table_deinit(&l.readers, &world->heap);
    if (result == KEEL_OK)
        keeli_validate_entities(world);
    return result;
}

void keeli_snapshot_notify(keel_world *world) {
    for (uint32_t i = 0; i < world->on_restore.count; ++i) {
        const keeli_on_restore call = world->on_restore.items[i];
        call.function(world, call.data);
    }
}

keel_result keel_snapshot_restore(const keel_snapshot *snapshot) {
    KEEL_TRY(keeli_snapshot_may_begin(snapshot, "a snapshot is restored"));
    if (!snapshot->is_taken)
        return KEEL_ABSENT;
    KEEL_TRY(keeli_snapshot_restore_silently(snapshot, false));
    keeli_snapshot_notify(snapshot->world);
    return KEEL_OK;
}

keel_result keel_snapshot_to_world(const keel_snapshot *snapshot, keel_world *empty) {
    const keel_world *image;
    const keel_result begun = keel_snapshot_read_begin(snapshot ? snapshot->self : NULL, &image);
    if (begun != KEEL_OK)
        return begun;

    const keel_result result = keel_copy_world(image, empty);
    keel_snapshot_read_end(snapshot->self);
    return result;
}

keel_result keel_on_restore(keel_world *world, keel_restore_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    if (!function)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_on_restore needs a function");

    for (uint32_t i = 0; i < world->on_restore.count; ++i)
        if (world->on_restore.items[i].function == function &&
            world->on_restore.items[i].data == data)
            return KEEL_OK;

    if (!KEELI_RESERVE(&world->heap, &world->on_restore, 1))
        return keeli_out_of_memory(world, "keel_on_restore");
    *KEELI_APPEND(&world->on_restore) = (keeli_on_restore){ function, data };
    return KEEL_OK;
}
