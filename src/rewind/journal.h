// SPDX-License-Identifier: MIT
// The journal of a history: the allocator of a snapshot's image (the copy of the world), and a
// record of how the image's memory changed. Each take of the snapshot is a step from one state of
// the image to the next. A step stores the old bytes of all memory that it changed; to go back, the
// journal exchanges them with the present bytes. It works on bytes and allocations, and does not
// know which part of the image they are, so no part can be left out by mistake. Memory that a step
// frees, and values with hooks that a step drops, are kept until no state of the history has them.
// Called by history.c, and by image.c and blocks.c for writes.
//
// At the end of a step each allocation is compared, in lines of 64 bytes, with its mirror: a copy
// of its contents at the end of the step before. Memory of plain values needs no mirror, since it
// is only written by keeli_journal_write, which records the change at once. If a caller knows that
// memory with a mirror was written only by keeli_journal_write, too, it declares that
// (keeli_journal_same), which saves the comparison.
#pragma once
#include "world.h"

// The header of an allocation; the memory lies behind it.
typedef struct keeli_memory {
    struct keeli_memory *prev, *next;  // in the list of all memory of the journal
    struct keeli_memory *next_born;    // in keeli_delta.born of the step that allocated it
    struct keeli_memory *next_dead[2]; // in keeli_delta.dead of a step that frees it. A step that
                                       // began while steps were ahead uses [1], because one of the
                                       // steps ahead may free the same memory and uses [0]
    char *mirror;                      // contents at the end of the last step, or NULL
    size_t size;
    size_t before; // bytes from the start of the allocation to the memory
    size_t align;
    uint64_t born, died, same; // numbers (keeli_journal.turn) of the step that allocated it, of the
                               // step that freed it, and of the last step that need not compare it
    bool is_there;  // the memory is part of the present state; false: only other states have it
    bool is_pinned; // excluded from all steps (keeli_journal_pin)
} keeli_memory;

// A list node with room for the bytes of one value with hooks, which lie behind it. In
// keeli_delta.made and `dropped` it holds a value that the step copied or dropped. In
// keeli_owner.spare it holds none.
typedef struct keeli_owned {
    struct keeli_owned *next;
    struct keeli_owner *owner;
} keeli_owned;

// The hooks of a component, as the user gave them. The component's storage in the image has the
// journal's hooks instead, which call these when a value is really copied or dropped.
typedef struct keeli_owner {
    struct keeli_owner *next;
    struct keeli_journal *journal;
    keel_drop_hook *drop;
    keel_copy_hook *copy;
    void *data;
    uint32_t size, align;
    keeli_owned *spare; // free nodes: two for each value, allocated when the value is copied, as
                        // dropping it must not fail. The second is needed if a step that is being
                        // made drops a value that a step ahead has dropped, too
} keeli_owner;

// The change from one state to the next.
typedef struct keeli_delta {
    struct keeli_delta *older, *newer; // neighbours in the history
    char *records;                     // addresses that the step wrote, each with bytes: the old
                                       // ones, or the new ones while the step is undone
    size_t bytes, capacity;            // used and allocated size of `records`
    keeli_memory *born, *dead;         // memory allocated and freed in the step
    keeli_owned *made, *dropped;       // values with hooks copied and dropped in the step
    uint32_t link;                     // 0 or 1: the member of `next_dead` that links `dead`
} keeli_delta;

typedef struct keeli_journal {
    keeli_heap heap;
    keeli_memory *all;   // list of all allocations
    keeli_owner *owners; // list, one for each set of hooks
    keeli_delta *step;   // the step that is being made; NULL: memory is freed at once
    uint64_t turn;       // number of the step, from 2 on
    bool is_first;       // the step has no state before it: it only makes mirrors
    bool is_full;        // memory ran out, so the step must be undone
    bool is_lost;        // the old bytes of some memory are unknown, so the history cannot go back
                         // to a state before the step
} keeli_journal;

void keeli_journal_init(keeli_journal *journal, keel_allocator allocator);
// Frees the journal. All its memory must have been freed before.
void keeli_journal_deinit(keeli_journal *journal);
// Returns the allocator of the image's world.
keel_allocator keeli_journal_allocator(keeli_journal *journal);
// Excludes memory from all steps: it is neither compared nor exchanged.
void keeli_journal_pin(void *memory);
// Replaces the copy and drop hooks of a storage of the image by the journal's, which move a dropped
// value to the step. False when out of memory.
bool keeli_journal_own(keeli_journal *journal, keeli_storage *t);

// Begins a step. `has_ahead`: the history has steps ahead of the present state.
void keeli_journal_begin(keeli_journal *journal, keeli_delta *step, bool has_ahead);
// Ends a step. When out of memory, undoes it and returns false.
bool keeli_journal_end(keeli_journal *journal);
// Undoes a step that was begun and not ended.
void keeli_journal_undo(keeli_journal *journal);
// Exchanges the present state with the other one: the state before the step, or (`is_back` false)
// the state after it.
void keeli_journal_swap(keeli_delta *step, bool is_back);
// Moves the list `dead` of a step from next_dead[1] to next_dead[0], which is free after the steps
// ahead were removed. Does nothing for a step that uses next_dead[0] already.
void keeli_journal_join(keeli_delta *step);
// Remove the states before a step, or the states after it: free the memory and drop the values that
// only they have. The step is empty afterwards.
void keeli_journal_forget_before(keeli_journal *journal, keeli_delta *step);
void keeli_journal_forget_after(keeli_journal *journal, keeli_delta *step);

// Writes bytes to `at`, which lies in `memory`, an allocation of the journal.
void keeli_journal_write(keeli_journal *journal, void *memory, char *at, const char *from,
                         size_t bytes);
// Declares that in this step the memory was written only by keeli_journal_write, so that it is not
// compared with its mirror. NULL: does nothing.
void keeli_journal_same(const keeli_journal *journal, void *memory);
// Declares that in this step the memory is written only by keeli_journal_write, and that it needs
// no mirror, since the declaration is repeated in each step. NULL: does nothing.
void keeli_journal_values(const keeli_journal *journal, void *memory);
