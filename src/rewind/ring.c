// SPDX-License-Identifier: MIT
// Snapshots of the last frames. The slots are used in turn; frames ascend from the oldest on.
#include "rewind/snapshot.h"
#include "world/report.h"

enum { FRAMES_AT_MOST = 4096 };

typedef struct ring_slot {
    keel_snapshot *snapshot; // NULL: was never used; the first one always is there
    uint64_t frame;
} ring_slot;

struct keel_ring {
    keel_allocator allocator; // of this memory
    uint32_t capacity;        // 0: it was destroyed
    uint32_t first, count;
    ring_slot slots[];
};

static size_t bytes_of(uint32_t frames) { return sizeof(keel_ring) + frames * sizeof(ring_slot); }
static ring_slot *slot_at(keel_ring *ring, uint32_t i) {
    return &ring->slots[(ring->first + i) % ring->capacity];
}
// NULL: it was destroyed.
static keel_world *world_of(const keel_ring *ring) { return ring->slots[0].snapshot->world; }

keel_ring *keel_ring_create(keel_world *world, uint32_t frames) {
    if (keeli_is_no_world(world)) return keeli_no_world(), NULL;
    if (!frames || frames > FRAMES_AT_MOST) {
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "a ring of %u frames; it keeps from 1 to %u of them", (unsigned)frames,
                           (unsigned)FRAMES_AT_MOST);
        return NULL;
    }
    keeli_heap heap; // which the world may not outlive
    keeli_heap_init(&heap, world->heap.allocator);
    keel_ring *ring = keeli_new_zeroed(&heap, bytes_of(frames), _Alignof(keel_ring));
    keeli_heap_deinit(&heap);
    if (!ring) return keeli_out_of_memory(world, "making a ring"), NULL;
    ring->allocator = world->heap.allocator;
    ring->capacity = frames;
    ring->slots[0].snapshot = keel_snapshot_create(world, "a ring's frame");
    if (ring->slots[0].snapshot) return ring;
    keel_ring_destroy(ring);
    return NULL;
}

void keel_ring_destroy(keel_ring *ring) {
    if (!ring || (!ring->capacity && keeli_no_world() < 0)) return;
    const size_t bytes = bytes_of(ring->capacity);
    for (; ring->capacity; --ring->capacity)
        keel_snapshot_destroy(ring->slots[ring->capacity - 1].snapshot);
    keeli_heap heap;
    keeli_heap_init(&heap, ring->allocator);
    heap.live = bytes;
    keeli_free(&heap, ring, bytes, _Alignof(keel_ring));
    keeli_heap_deinit(&heap);
}

// The place of a frame, counted from the oldest; the count when it is not kept.
static uint32_t find(keel_ring *ring, uint64_t frame) {
    uint32_t i = 0;
    while (i < ring->count && slot_at(ring, i)->frame != frame)
        ++i;
    return i;
}

// The snapshot of a slot, which is made the first time. NULL on error, in `result`.
static keel_snapshot *snapshot_of(keel_ring *ring, ring_slot *slot, keel_result *result) {
    keel_world *world = world_of(ring);
    *result = KEEL_OK;
    if (slot->snapshot) return slot->snapshot;
    if (!world) return *result = KEEL_ERROR_SNAPSHOT, NULL;
    slot->snapshot = keel_snapshot_create(world, "a ring's frame");
    if (!slot->snapshot) *result = keel_last_error(world)->result;
    return slot->snapshot;
}

keel_result keel_ring_reserve(keel_ring *ring) {
    if (!ring || !ring->capacity) return keeli_no_world();
    // behind the newest frame lie the slots of none, and then the oldest one
    const uint32_t behind = ring->first + ring->count, free = ring->capacity - ring->count;
    for (uint32_t i = 0; i < ring->capacity; ++i) {
        keel_result result;
        keel_snapshot *snapshot =
            snapshot_of(ring, &ring->slots[(behind + i) % ring->capacity], &result);
        if (!snapshot) return result;
        KEEL_TRY(keel_snapshot_reserve(snapshot));
        if (i < free) continue;
        ring->first = (ring->first + 1) % ring->capacity;
        --ring->count;
    }
    return KEEL_OK;
}

keel_result keel_ring_take(keel_ring *ring, uint64_t frame) {
    if (!ring || !ring->capacity) return keeli_no_world();
    const uint32_t at = find(ring, frame);
    const bool is_full = ring->count == ring->capacity;
    if (at == ring->count && ring->count && frame < slot_at(ring, ring->count - 1)->frame)
        return keeli_misuse(world_of(ring), KEEL_ERROR_ARGUMENT,
                            "frame %llu is taken after frame %llu; frames of a ring ascend, or are "
                            "among those that it keeps",
                            (unsigned long long)frame,
                            (unsigned long long)slot_at(ring, ring->count - 1)->frame);
    // behind the last one lies the oldest when it is full
    ring_slot *slot = slot_at(ring, at);
    keel_result result;
    keel_snapshot *snapshot = snapshot_of(ring, slot, &result);
    if (!snapshot) return result;
    KEEL_TRY(keel_snapshot_take(snapshot));
    slot->frame = frame;
    if (at == ring->count && is_full) ring->first = (ring->first + 1) % ring->capacity;
    else ring->count = at + 1;
    return KEEL_OK;
}

keel_result keel_rollback(keel_ring *ring, uint64_t frame) {
    if (!ring || !ring->capacity) return keeli_no_world();
    const uint32_t at = find(ring, frame);
    if (at == ring->count) return KEEL_ABSENT;
    KEEL_TRY(keel_snapshot_restore(slot_at(ring, at)->snapshot));
    ring->count = at + 1;
    return KEEL_OK;
}
