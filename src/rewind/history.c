// SPDX-License-Identifier: MIT
// Histories: a world that can be set back and forward by steps, as for undo and redo. A history has
// one snapshot. Of each step its journal stores only the memory of the image that the step changed
// (journal.h). The history knows nothing of what snapshots contain. Users call it.
// Invariant: the list of steps ascends from the oldest to the newest. It has `behind` steps up to
// and including `at`, and `ahead` steps after `at`.
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
    keeli_delta *at;        // step that led to the present state; NULL: none, as all are undone
    uint32_t behind, ahead; // numbers of steps that one can go back and forward
    size_t max_bytes;       // limit of keel_history_bytes, given by the user
    bool is_warned;         // the log has the warning that max_bytes is too low for any step
    bool is_busy;           // the history works, and may call hooks or the allocator
};

// ------------------------------------------------------------------ making
// Frees the history, whose snapshot was destroyed.
static void free_history(keel_history *history) {
    keeli_heap heap; // frees the history's own heap with it
    keeli_heap_init(&heap, history->journal.heap.allocator);
    heap.live = sizeof *history;
    keeli_journal_deinit(&history->journal);
    KEELI_FREE(&heap, keel_history, history);
    keeli_heap_deinit(&heap);
}

keel_history *keel_history_create(keel_world *world, size_t max_bytes) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    if (keeli_world_is_editable(world) < 0)
        return NULL;

    keeli_heap heap;
    keeli_heap_init(&heap, world->heap.allocator);
    keel_history *history = KEELI_NEW(&heap, keel_history);
    keeli_heap_deinit(&heap);
    if (!history) {
        (void)keeli_out_of_memory(world, "making a history");
        return NULL;
    }

    keeli_journal *journal = &history->journal;
    keeli_journal_init(journal, world->heap.allocator);
    history->max_bytes = max_bytes;
    history->snapshot = keeli_snapshot_create(world, "a history", keeli_journal_allocator(journal));
    if (!history->snapshot) {
        free_history(history);
        return NULL;
    }

    history->snapshot->image->journal = journal;
    history->snapshot->image->heap.keeps = true;
    keeli_journal_pin(history->snapshot);
    return history;
}

// ------------------------------------------------------------------ removing steps
static void free_step(keel_history *history, keeli_delta *step) {
    if (step->older)
        step->older->newer = step->newer;
    else
        history->oldest = step->newer;
    if (step->newer)
        step->newer->older = step->older;
    else
        history->newest = step->older;
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
    if (history->at == step)
        history->at = NULL;
    --history->behind;
    free_step(history, step);
}

void keel_history_destroy(keel_history *history) {
    if (!history)
        return;
    if (!history->snapshot) {
        (void)keeli_no_world();
        return;
    }
    if (history->is_busy)
        return;

    history->is_busy = true;
    forget_ahead(history);
    while (history->behind)
        forget_oldest(history);
    keel_snapshot_destroy(history->snapshot);
    history->snapshot = NULL; // so that later use is reported
    free_history(history);
}

// ------------------------------------------------------------------ pushing
static keel_result may_begin(const keel_history *history, const char *what) {
    if (!history || !history->snapshot)
        return keeli_no_world();
    if (history->is_busy)
        return keeli_error(history->snapshot->world ? history->snapshot->world
                                                    : history->snapshot->image,
                           KEEL_ERROR_BORROWED,
                           "%s by a hook that the history calls; do that when the hook has "
                           "returned",
                           what);
    return keeli_snapshot_may_begin(history->snapshot, what);
}

// Returns an error if a component has a move hook: the journal moves values by copying their bytes.
static keel_result check_moves(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (!s->component.move || !keeli_holds_values(s) || s->component.transient)
            continue;
        if (!keeli_can_copy(s))
            return keeli_cannot_copy(world, s);
        return keeli_error(world, KEEL_ERROR_COPY,
                           "'%s' has a move hook, so no history can hold it: make it "
                           ".transient, or take snapshots",
                           s->component.name);
    }
    return KEEL_OK;
}

static keeli_delta *begin_step(keel_history *history, bool has_ahead) {
    keeli_delta *step = KEELI_NEW(&history->journal.heap, keeli_delta);
    if (step)
        keeli_journal_begin(&history->journal, step, has_ahead);
    return step;
}

// Takes the snapshot and ends the step that was begun. On error the step is undone.
static keel_result take_snapshot(keel_history *history, keel_world *world) {
    keeli_journal *journal = &history->journal;
    keel_snapshot *snapshot = history->snapshot;
    const bool was_taken = snapshot->is_taken;
    const keel_result result = keel_snapshot_take(snapshot);
    const bool has_room = !journal->is_full;
    if (result < 0)
        keeli_journal_undo(journal);
    if (result == KEEL_OK && keeli_journal_end(journal))
        return KEEL_OK;

    snapshot->is_taken = was_taken;
    return result < 0 && has_room ? result : keeli_out_of_memory(world, "a step of a history");
}

static void link_step(keel_history *history, keeli_delta *step) {
    step->older = history->newest;
    if (step->older)
        step->older->newer = step;
    else
        history->oldest = step;
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
    if (!step)
        return keeli_out_of_memory(world, "a step of a history");
    journal->is_first = is_first;
    const keel_result result = take_snapshot(history, world);
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
                   "a history of %llu bytes keeps no step, as its state alone takes %llu bytes; "
                   "give keel_history_create a larger max_bytes",
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

// ------------------------------------------------------------------ back and forward
// Restores the world from the image. If the image has to register components of the world first,
// this edits the image, so it happens in a step of its own, which is undone afterwards.
static keel_result restore_world(keel_history *history) {
    const keel_snapshot *snapshot = history->snapshot;
    if (keeli_snapshot_knows_all(snapshot) || keeli_snapshot_has_lost(snapshot))
        return keeli_snapshot_restore_silently(snapshot, true);

    keeli_delta *step = begin_step(history, true);
    if (!step)
        return keeli_out_of_memory(snapshot->world, "a step of a history");
    const keel_result result = keeli_snapshot_restore_silently(snapshot, true);
    keeli_journal_undo(&history->journal);
    KEELI_FREE(&history->journal.heap, keeli_delta, step);
    return result;
}

// Sets the history and the world to the state before the step, or (`is_back` false) to the state
// after it. On error nothing has changed.
static keel_result swap_state(keel_history *history, keeli_delta *step, bool is_back) {
    keel_world *world = history->snapshot->world, *image = history->snapshot->image;
    keeli_journal_swap(step, is_back);
    // the world's epochs have begun again at 0, so stamps tell nothing: copies everything
    if (image->epoch > world->epoch)
        image->epoch = 0;

    history->is_busy = true;
    const keel_result result = restore_world(history);
    history->is_busy = false;
    if (result < 0) {
        keeli_journal_swap(step, !is_back);
        return result;
    }

    history->at = is_back ? step->older : step;
    if (is_back) {
        --history->behind;
        ++history->ahead;
    } else {
        ++history->behind;
        --history->ahead;
    }
    keeli_snapshot_notify(world);
    return KEEL_OK;
}

keel_result keel_history_back(keel_history *history) {
    KEEL_TRY(may_begin(history, "a history goes back"));
    return history->at ? swap_state(history, history->at, true) : KEEL_ABSENT;
}

keel_result keel_history_forward(keel_history *history) {
    KEEL_TRY(may_begin(history, "a history goes forward"));
    if (!history->ahead)
        return KEEL_ABSENT;
    return swap_state(history, history->at ? history->at->newer : history->oldest, false);
}

uint32_t keel_history_behind(const keel_history *history) { return history ? history->behind : 0; }
uint32_t keel_history_ahead(const keel_history *history) { return history ? history->ahead : 0; }
size_t keel_history_bytes(const keel_history *history) {
    return history ? sizeof *history + (size_t)history->journal.heap.live : 0;
}
