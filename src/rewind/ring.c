// SPDX-License-Identifier: MIT
// Rings: snapshots of the latest frames, for rollback. A ring reuses the slot of its oldest frame
// and knows nothing of what snapshots contain. Users call it.
// Invariant: the frames in the slots ascend from the oldest on.
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
// Returns the world of the ring, or NULL if the world was destroyed.
static keel_world *world_of(const keel_ring *ring) { return ring->slots[0].snapshot->world; }

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
    ring->slots[0].snapshot = keel_snapshot_create(world, "a ring's frame");
    if (ring->slots[0].snapshot)
        return ring;
    keel_ring_destroy(ring);
    return NULL;
}

void keel_ring_destroy(keel_ring *ring) {
    if (!ring)
        return;
    if (!ring->capacity) {
        (void)keeli_no_world();
        return;
    }

    const size_t bytes = ring_bytes(ring->capacity);
    for (; ring->capacity; --ring->capacity)
        keel_snapshot_destroy(ring->slots[ring->capacity - 1].snapshot);

    keeli_heap heap;
    keeli_heap_init(&heap, ring->allocator);
    heap.live = bytes;
    keeli_free(&heap, ring, bytes, _Alignof(keel_ring));
    keeli_heap_deinit(&heap);
}

// Returns the position of a frame, counted from the oldest, or the count if there is no such frame.
static uint32_t find_frame(keel_ring *ring, uint64_t frame) {
    uint32_t i = 0;
    while (i < ring->count && ring_slot_at(ring, i)->frame != frame)
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

    slot->snapshot = keel_snapshot_create(world, "a ring's frame");
    if (!slot->snapshot)
        *result = keel_last_error(world)->result;
    return slot->snapshot;
}

keel_result keel_ring_reserve(keel_ring *ring) {
    if (!ring || !ring->capacity)
        return keeli_no_world();

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
        KEEL_TRY(keel_snapshot_reserve(snapshot));
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
    keel_result result;
    keel_snapshot *snapshot = snapshot_of(ring, slot, &result);
    if (!snapshot)
        return result;
    KEEL_TRY(keel_snapshot_take(snapshot));

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
