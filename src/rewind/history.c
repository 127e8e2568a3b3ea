// SPDX-License-Identifier: MIT
// Steps of a world: one snapshot, whose memory a journal takes back and forward. Steps lie in a
// list from the oldest to the newest; `at` is the one that led to where the history is.
#include "rewind/image.h"
#include "rewind/journal.h"
#include "rewind/snapshot.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/scope.h"

#include <keel/history.h>

struct keel_history {
    keeli_journal journal;
    keel_snapshot *snapshot;
    keeli_delta *oldest, *newest;
    keeli_delta *at; // NULL: before the oldest
    uint32_t behind, ahead;
    size_t max_bytes;
    bool is_warned; // that max_bytes is too low for any step
    bool is_busy;   // hooks or the allocator are called, and come back
};

// ------------------------------------------------------------------ making
static void release(keel_history *history) {
    keeli_heap heap; // its own goes with it
    keeli_heap_init(&heap, history->journal.heap.allocator);
    heap.live = sizeof *history;
    keeli_journal_deinit(&history->journal);
    KEELI_FREE(&heap, keel_history, history);
    keeli_heap_deinit(&heap);
}

keel_history *keel_history_create(keel_world *world, size_t max_bytes) {
    if (keeli_is_no_world(world)) return keeli_no_world(), NULL;
    if (keeli_world_is_editable(world) < 0) return NULL;
    keeli_heap heap;
    keeli_heap_init(&heap, world->heap.allocator);
    keel_history *history = KEELI_NEW(&heap, keel_history);
    keeli_heap_deinit(&heap);
    if (!history) return keeli_out_of_memory(world, "making a history"), NULL;
    keeli_journal *journal = &history->journal;
    keeli_journal_init(journal, world->heap.allocator);
    history->max_bytes = max_bytes;
    history->snapshot = keeli_snapshot_create(world, "a history", keeli_journal_allocator(journal));
    if (!history->snapshot) {
        release(history);
        return NULL;
    }
    history->snapshot->image->journal = journal;
    history->snapshot->image->heap.keeps = true;
    keeli_journal_pin(history->snapshot);
    return history;
}

// ------------------------------------------------------------------ steps that go
static void free_step(keel_history *history, keeli_delta *step) {
    if (step->older) step->older->newer = step->newer;
    else history->oldest = step->newer;
    if (step->newer) step->newer->older = step->older;
    else history->newest = step->older;
    KEELI_FREE(&history->journal.heap, keeli_delta, step);
}

static void forget_ahead(keel_history *history) {
    for (; history->ahead; --history->ahead) {
        keeli_delta *step = history->newest;
        keeli_journal_forget_after(&history->journal, step);
        free_step(history, step);
    }
}

static void forget_oldest(keel_history *history) {
    keeli_delta *step = history->oldest;
    keeli_journal_forget_before(&history->journal, step);
    if (history->at == step) history->at = NULL;
    --history->behind;
    free_step(history, step);
}

void keel_history_destroy(keel_history *history) {
    if (!history || (!history->snapshot && keeli_no_world() < 0) || history->is_busy) return;
    history->is_busy = true;
    forget_ahead(history);
    while (history->behind)
        forget_oldest(history);
    keel_snapshot_destroy(history->snapshot);
    history->snapshot = NULL; // who uses it on hears of it
    release(history);
}

// ------------------------------------------------------------------ pushing
static keel_result may_begin(const keel_history *history, const char *what) {
    if (!history || !history->snapshot) return keeli_no_world();
    if (history->is_busy)
        return keeli_error(history->snapshot->world ? history->snapshot->world
                                                    : history->snapshot->image,
                           KEEL_ERROR_BORROWED, "%s by a hook that the history calls", what);
    return keeli_snapshot_may_begin(history->snapshot, what);
}

// Bytes that are put somewhere else are no value any more where a move hook has its say.
static keel_result check_moves(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (!s->component.move || !keeli_keeps_values(s) || s->component.transient) continue;
        if (!keeli_can_copy(s)) return keeli_cannot_copy(world, s);
        return keeli_error(world, KEEL_ERROR_COPY,
                           "'%s' has a move hook, so no history can hold it: make it "
                           ".transient, or take snapshots",
                           s->component.name);
    }
    return KEEL_OK;
}

static keeli_delta *begin_step(keel_history *history, bool has_ahead) {
    keeli_delta *step = KEELI_NEW(&history->journal.heap, keeli_delta);
    if (step) keeli_journal_begin(&history->journal, step, has_ahead);
    return step;
}

// Take the state. `step` is what led there, or was undone.
static keel_result take_state(keel_history *history, keel_world *world) {
    keeli_journal *journal = &history->journal;
    keel_snapshot *snapshot = history->snapshot;
    const bool was_taken = snapshot->is_taken;
    const keel_result result = keel_snapshot_take(snapshot);
    const bool has_room = !journal->is_full;
    if (result < 0) keeli_journal_undo(journal);
    if (result == KEEL_OK && keeli_journal_end(journal)) return KEEL_OK;
    snapshot->is_taken = was_taken;
    return result < 0 && has_room ? result : keeli_out_of_memory(world, "a step of a history");
}

static void link_step(keel_history *history, keeli_delta *step) {
    step->older = history->newest;
    if (step->older) step->older->newer = step;
    else history->oldest = step;
    history->newest = history->at = step;
    ++history->behind;
}

static keel_result push(keel_history *history) {
    keel_world *world = history->snapshot->world;
    keeli_journal *journal = &history->journal;
    KEEL_TRY(check_moves(world));
    const bool is_first = !history->snapshot->is_taken;
    const bool is_lost = keeli_snapshot_has_lost(history->snapshot);
    keeli_delta *step = begin_step(history, history->ahead != 0);
    if (!step) return keeli_out_of_memory(world, "a step of a history");
    journal->is_first = is_first;
    const keel_result result = take_state(history, world);
    if (result < 0 || is_first) {
        KEELI_FREE(&journal->heap, keeli_delta, step);
        return result;
    }
    forget_ahead(history);
    keeli_journal_join(step);
    link_step(history, step);
    while (history->behind &&
           (is_lost || journal->is_lost || keel_history_bytes(history) > history->max_bytes))
        forget_oldest(history);
    if (keel_history_bytes(history) > history->max_bytes && !history->is_warned) {
        history->is_warned = true;
        keeli_warn(world,
                   "a history of %llu bytes keeps no step; its state alone takes %llu: give it "
                   "more",
                   (unsigned long long)history->max_bytes,
                   (unsigned long long)keel_history_bytes(history));
    }
    return KEEL_OK;
}

keel_result keel_history_push(keel_history *history) {
    KEEL_TRY(may_begin(history, "a step of a history is pushed"));
    history->is_busy = true;
    const keel_result result = push(history);
    history->is_busy = false;
    return result;
}

// ------------------------------------------------------------------ going
// A restore that makes components known to the image does so in a step of its own, which is undone.
static keel_result bring_back(keel_history *history) {
    const keel_snapshot *snapshot = history->snapshot;
    if (keeli_snapshot_knows_all(snapshot) || keeli_snapshot_has_lost(snapshot))
        return keeli_snapshot_bring_back(snapshot, true);
    keeli_delta *step = begin_step(history, true);
    if (!step) return keeli_out_of_memory(snapshot->world, "a step of a history");
    const keel_result result = keeli_snapshot_bring_back(snapshot, true);
    keeli_journal_undo(&history->journal);
    KEELI_FREE(&history->journal.heap, keeli_delta, step);
    return result;
}

static keel_result go(keel_history *history, keeli_delta *step, bool is_back) {
    keel_world *world = history->snapshot->world, *image = history->snapshot->image;
    keeli_journal_swap(step, is_back);
    if (image->epoch > world->epoch) image->epoch = 0; // epochs began anew
    history->is_busy = true;
    const keel_result result = bring_back(history);
    history->is_busy = false;
    if (result < 0) {
        keeli_journal_swap(step, !is_back);
        return result;
    }
    history->at = is_back ? step->older : step;
    history->behind += is_back ? UINT32_MAX : 1;
    history->ahead += is_back ? 1 : UINT32_MAX;
    keeli_snapshot_tell(world);
    return KEEL_OK;
}

keel_result keel_history_back(keel_history *history) {
    KEEL_TRY(may_begin(history, "a history goes back"));
    return history->at ? go(history, history->at, true) : KEEL_ABSENT;
}

keel_result keel_history_forward(keel_history *history) {
    KEEL_TRY(may_begin(history, "a history goes forward"));
    if (!history->ahead) return KEEL_ABSENT;
    return go(history, history->at ? history->at->newer : history->oldest, false);
}

uint32_t keel_history_behind(const keel_history *history) { return history ? history->behind : 0; }
uint32_t keel_history_ahead(const keel_history *history) { return history ? history->ahead : 0; }
size_t keel_history_bytes(const keel_history *history) {
    return history ? sizeof *history + (size_t)history->journal.heap.live : 0;
}
