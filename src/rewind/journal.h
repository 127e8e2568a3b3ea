// SPDX-License-Identifier: MIT
// The journal of a history: the memory of a snapshot's image, with the steps by which it changed.
// The image allocates here. A step stores the bytes that its memory had before, wherever they
// differ; going back exchanges these bytes with the present ones. So no part of an image can be
// forgotten: the journal does not know the parts. Memory that is freed during a step remains until
// no state has it any more, and so do values with hooks. Called by history.c, and by image.c and
// blocks.c for writes.
//
// Changes are found by comparing memory with a mirror, a copy of what it was, line by line. Memory
// of plain values needs no mirror, since it is only written through keeli_journal_write. A caller
// that knows that some memory was not written declares it the same, which saves the comparison.
#pragma once
#include "world.h"

// The header of an allocation; the memory lies behind it.
typedef struct keeli_memory {
    struct keeli_memory *prev, *next;  // in the list of all memory of the journal
    struct keeli_memory *next_born;    // in the list of a step
    struct keeli_memory *next_dead[2]; // in the list of a step; [1]: if it was made while there
                                       // were steps ahead, whose lists may have the memory, too
    char *mirror;                      // contents at the end of the last step, or NULL
    size_t size;
    size_t before; // bytes from the start of the allocation to the memory
    size_t align;
    uint64_t born, died, same; // turns in which it was allocated, freed, and declared the same
    bool is_there;             // it is part of the present state; otherwise only of steps
    bool is_pinned;            // it is part of no step
} keeli_memory;

// A node for a value with hooks that an image has or had. The bytes of the value lie behind it.
typedef struct keeli_owned {
    struct keeli_owned *next;
    struct keeli_owner *owner;
} keeli_owned;

// The hooks of a component. Its storage in the image has hooks of the journal, which call these.
typedef struct keeli_owner {
    struct keeli_owner *next;
    struct keeli_journal *journal;
    keel_drop_hook *drop;
    keel_copy_hook *copy;
    void *data;
    uint32_t size, align;
    keeli_owned *spare; // nodes that let values be dropped without memory: two for each value, here
                        // or in steps, as a step may drop what a step ahead has dropped
} keeli_owner;

// The change from one state to the next.
typedef struct keeli_delta {
    struct keeli_delta *older, *newer; // neighbours in the history
    char *records;                     // written memory, with the bytes that the other state has
    size_t bytes, capacity;            // size of `records`
    keeli_memory *born, *dead;         // memory allocated and freed in the step
    keeli_owned *made, *dropped;       // values with hooks copied and dropped in the step
    uint32_t link;                     // index into `next_dead` for the list `dead`
} keeli_delta;

typedef struct keeli_journal {
    keeli_heap heap;
    keeli_memory *all;
    keeli_owner *owners;
    keeli_delta *step; // the step that is being made; NULL: memory is freed at once
    uint64_t turn;     // number of the step
    bool is_first;     // the step has no state before it: it only makes mirrors
    bool is_full;      // memory ran out, so the step must be undone
    bool is_lost;      // the earlier contents of some memory are unknown, so the history cannot go
                       // back over the step
} keeli_journal;

void keeli_journal_init(keeli_journal *journal, keel_allocator allocator);
// Frees the journal. All its memory must have been freed before.
void keeli_journal_deinit(keeli_journal *journal);
// Returns the allocator of the image's world.
keel_allocator keeli_journal_allocator(keeli_journal *journal);
// Excludes memory from all steps.
void keeli_journal_pin(void *memory);
// Sets the hooks of a storage of the image, so that steps get dropped values. False when out of
// memory.
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
// Notes that the steps ahead were removed, for a step that was begun while there were some.
void keeli_journal_join(keeli_delta *step);
// Frees what only the state before the step has, or only the state after it.
void keeli_journal_forget_before(keeli_journal *journal, keeli_delta *step);
void keeli_journal_forget_after(keeli_journal *journal, keeli_delta *step);

// Writes bytes to `at`, which is part of `memory`, allocated here.
void keeli_journal_write(keeli_journal *journal, void *memory, char *at, const char *from,
                         size_t bytes);
// Declares that in this step memory was only written by keeli_journal_write. NULL: does nothing.
void keeli_journal_same(const keeli_journal *journal, void *memory);
// Declares the same of memory that is only ever written by keeli_journal_write: it needs no mirror.
void keeli_journal_values(const keeli_journal *journal, void *memory);
