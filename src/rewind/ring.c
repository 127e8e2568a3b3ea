// SPDX-License-Identifier: MIT
// Rings: snapshots of the latest frames, for rollback and for reading. A ring reuses the slot of
// its oldest frame and knows nothing of what snapshots contain. Users call it. Invariant: the
// frames in the slots ascend from the oldest on. Frames may be missing in between.
#include "rewind/snapshot.h"
#include "world/report.h"

enum { FRAMES_AT_MOST = 4096 };

typedef struct ring_slot {
    keel_snapshot *snapshot; // NULL: the slot was never used; the first slot always has one
    uint64_t frame;
} ring_slot;

struct keel_ring {
    keel_allocator allocator; // allocator of the ring itself
    uint32_t capacity;        // number of slots; 0: the ring was destroyed
    uint32_t first, count;    // slot of the oldest frame, and number of frames
    ring_slot slots[];
};

static size_t ring_bytes(uint32_t frames) { return sizeof(keel_ring) + frames * sizeof(ring_slot); }
// Returns the slot at a position, counted from the oldest frame.
static ring_slot *ring_slot_at(keel_ring *ring, uint32_t i) {
    return &ring->slots[(ring->first + i) % ring->capacity];
}
static const ring_slot *ring_slot_in(const keel_ring *ring, uint32_t i) {
    return &ring->slots[(ring->first + i) % ring->capacity];
}
// Returns the world of the ring, or NULL if the world was destroyed.
static keel_world *world_of(const keel_ring *ring) { return ring->slots[0].snapshot->world; }

// Creates the snapshot of a slot. NULL on error, which is reported.
static keel_snapshot *create_frame(keel_world *world) {
    keel_snapshot *snapshot = keel_snapshot_create(world, "a ring's frame");
    if (snapshot)
        snapshot->is_of_ring = true;
    return snapshot;
}

keel_ring *keel_ring_create(keel_world *world, uint32_t frames) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    if (!frames || frames > FRAMES_AT_MOST) {
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "a ring cannot have %u frames; pass from 1 to %u", (unsigned)frames,
                           (unsigned)FRAMES_AT_MOST);
        return NULL;
    }

    keeli_heap heap; // not the world's heap, as the ring may outlive the world
    keeli_heap_init(&heap, world->heap.allocator);
    keel_ring *ring = keeli_new_zeroed(&heap, ring_bytes(frames), _Alignof(keel_ring));
    keeli_heap_deinit(&heap);
    if (!ring) {
        (void)keeli_out_of_memory(world, "making a ring");
        return NULL;
    }

    ring->allocator = world->heap.allocator;
    ring->capacity = frames;
    ring->slots[0].snapshot = create_frame(world);
    if (ring->slots[0].snapshot)
        return ring;
    keel_ring_destroy(ring);
    return NULL;
}

// Returns KEEL_ERROR_BORROWED if the snapshot of a slot is being read.
static keel_result check_unread(const keel_ring *ring, const ring_slot *slot, const char *what) {
    const keel_snapshot *snapshot = slot->snapshot;
    if (!snapshot || keeli_atomic_peek(&snapshot->readers) <= 0)
        return KEEL_OK;
    return keeli_error(world_of(ring) ? world_of(ring) : snapshot->image, KEEL_ERROR_BORROWED,
                       "cannot %s while frame %llu of it is read; call keel_snapshot_read_end, or "
                       "wait until keel_save_snapshot returns",
                       what, (unsigned long long)slot->frame);
}

void keel_ring_destroy(keel_ring *ring) {
    if (!ring)
        return;
    if (!ring->capacity) {
        (void)keeli_no_world();
        return;
    }

    for (uint32_t i = 0; i < ring->capacity; ++i)
        if (check_unread(ring, &ring->slots[i], "destroy a ring") < 0)
            return;

    const size_t bytes = ring_bytes(ring->capacity);
    for (; ring->capacity; --ring->capacity)
        keeli_snapshot_destroy(ring->slots[ring->capacity - 1].snapshot);

    keeli_heap heap;
    keeli_heap_init(&heap, ring->allocator);
    heap.live = bytes;
    keeli_free(&heap, ring, bytes, _Alignof(keel_ring));
    keeli_heap_deinit(&heap);
}

// Returns the position of a frame, counted from the oldest, or the count if there is no such frame.
static uint32_t find_frame(const keel_ring *ring, uint64_t frame) {
    uint32_t i = 0;
    while (i < ring->count && ring_slot_in(ring, i)->frame != frame)
        ++i;
    return i;
}

// Returns the snapshot of a slot, and creates it the first time. NULL on error, with the error in
// `*result`.
static keel_snapshot *snapshot_of(keel_ring *ring, ring_slot *slot, keel_result *result) {
    keel_world *world = world_of(ring);
    *result = KEEL_OK;
    if (slot->snapshot)
        return slot->snapshot;
    if (!world) {
        *result = KEEL_ERROR_SNAPSHOT;
        return NULL;
    }

    slot->snapshot = create_frame(world);
    if (!slot->snapshot)
        *result = keel_last_error(world)->result;
    return slot->snapshot;
}

keel_result keel_ring_reserve(keel_ring *ring) {
    if (!ring || !ring->capacity)
        return keeli_no_world();

    for (uint32_t i = 0; i < ring->capacity; ++i)
        KEEL_TRY(check_unread(ring, &ring->slots[i], "reserve a ring"));

    // Making room invalidates the snapshot of a slot. So it begins with the slots that have no
    // frame, which follow the newest frame, and continues with the oldest frame. If it fails, the
    // newest frames are left.
    const uint32_t behind = ring->first + ring->count, free = ring->capacity - ring->count;
    for (uint32_t i = 0; i < ring->capacity; ++i) {
        keel_result result;
        keel_snapshot *snapshot =
            snapshot_of(ring, &ring->slots[(behind + i) % ring->capacity], &result);
        if (!snapshot)
            return result;
        KEEL_TRY(keeli_snapshot_reserve(snapshot));
        if (i < free)
            continue;

        ring->first = (ring->first + 1) % ring->capacity; // the slot had the oldest frame, which
                                                          // is removed
        --ring->count;
    }
    return KEEL_OK;
}

keel_result keel_ring_take(keel_ring *ring, uint64_t frame) {
    if (!ring || !ring->capacity)
        return keeli_no_world();

    const uint32_t at = find_frame(ring, frame);
    const bool is_new = at == ring->count, is_full = ring->count == ring->capacity;
    const uint64_t newest = ring->count ? ring_slot_at(ring, ring->count - 1)->frame : 0;
    if (is_new && frame < newest)
        return keeli_misuse(world_of(ring), KEEL_ERROR_ARGUMENT,
                            "frame %llu is taken after frame %llu; take a later frame, or one that "
                            "the ring still has",
                            (unsigned long long)frame, (unsigned long long)newest);

    ring_slot *slot = ring_slot_at(ring, at); // in a full ring, a new frame reuses the slot of the
                                              // oldest one
    KEEL_TRY(check_unread(ring, slot, "reuse the oldest slot of a ring"));
    keel_result result;
    keel_snapshot *snapshot = snapshot_of(ring, slot, &result);
    if (!snapshot)
        return result;
    KEEL_TRY(keeli_snapshot_take(snapshot));

    slot->frame = frame;
    if (is_new && is_full)
        ring->first = (ring->first + 1) % ring->capacity;
    else
        ring->count = at + 1; // removes the frames after it
    return KEEL_OK;
}

keel_result keel_rollback(keel_ring *ring, uint64_t frame) {
    if (!ring || !ring->capacity)
        return keeli_no_world();
    const uint32_t at = find_frame(ring, frame);
    if (at == ring->count)
        return KEEL_ABSENT;

    KEEL_TRY(keel_snapshot_restore(ring_slot_at(ring, at)->snapshot));
    ring->count = at + 1;
    return KEEL_OK;
}

keel_snapshot *keel_ring_snapshot(const keel_ring *ring, uint64_t frame) {
    if (!ring || !ring->capacity) {
        (void)keeli_no_world();
        return NULL;
    }
    const uint32_t at = find_frame(ring, frame);
    return at < ring->count ? ring_slot_in(ring, at)->snapshot : NULL;
}

// Returns KEEL_OK if the ring can take the snapshot over from the user.
static keel_result check_given(const keel_ring *ring, keel_snapshot *const *given) {
    keel_world *world = world_of(ring);
    if (!given || !*given)
        return keeli_misuse(world ? world : ring->slots[0].snapshot->image, KEEL_ERROR_ARGUMENT,
                            "keel_ring_exchange needs a snapshot to exchange, but it is NULL");
    const keel_snapshot *snapshot = *given;
    if (snapshot->self != snapshot)
        return keeli_no_world();
    if (!world || !snapshot->world)
        return keeli_error(snapshot->image, KEEL_ERROR_SNAPSHOT,
                           "cannot exchange snapshot '%s' with a frame of a ring: the world of %s "
                           "was destroyed",
                           snapshot->image->name, world ? "the snapshot" : "the ring");

    if (snapshot->is_of_ring)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot exchange a snapshot that keel_ring_snapshot returned: it "
                            "belongs to a ring; pass one of keel_snapshot_create");
    if (snapshot->world != world)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot exchange snapshot '%s': it is of world '%s', and the ring of "
                            "world '%s'",
                            snapshot->image->name, snapshot->world->name, world->name);
    if (keeli_atomic_peek(&snapshot->readers) <= 0)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED,
                       "cannot exchange snapshot '%s' while it is read; call "
                       "keel_snapshot_read_end, or wait until keel_save_snapshot returns",
                       snapshot->image->name);
}

// Removes a frame. Its slot follows the newest frame afterwards, so the next new frame uses it.
static void remove_frame(keel_ring *ring, uint32_t at) {
    const ring_slot removed = *ring_slot_at(ring, at);
    for (; at + 1 < ring->count; ++at)
        *ring_slot_at(ring, at) = *ring_slot_at(ring, at + 1);
    *ring_slot_at(ring, at) = removed;
    --ring->count;
}

keel_result keel_ring_exchange(keel_ring *ring, uint64_t frame, keel_snapshot **snapshot) {
    if (!ring || !ring->capacity)
        return keeli_no_world();
    KEEL_TRY(check_given(ring, snapshot));
    const uint32_t at = find_frame(ring, frame);
    if (at == ring->count)
        return KEEL_ABSENT;

    ring_slot *slot = ring_slot_at(ring, at);
    keel_snapshot *taken = slot->snapshot, *given = *snapshot;
    const uint32_t flags = given->flags; // the ways to copy stay with the owners
    given->flags = taken->flags;
    given->is_of_ring = true;
    taken->flags = flags;
    taken->is_of_ring = false;
    slot->snapshot = given;
    *snapshot = taken;
    remove_frame(ring, at);
    return KEEL_OK;
}

uint32_t keel_ring_frames(const keel_ring *ring, uint64_t *frames, uint32_t capacity) {
    if (!ring || !ring->capacity) {
        (void)keeli_no_world();
        return 0;
    }
    for (uint32_t i = 0; frames && i < ring->count && i < capacity; ++i)
        frames[i] = ring_slot_in(ring, i)->frame;
    return ring->count;
}

size_t keel_ring_bytes(const keel_ring *ring) {
    if (!ring || !ring->capacity)
        return 0;
    size_t bytes = ring_bytes(ring->capacity);
    for (uint32_t i = 0; i < ring->capacity; ++i)
        bytes += keel_snapshot_bytes(ring->slots[i].snapshot);
    return bytes;
}
