// SPDX-License-Identifier: MIT
// Memory that goes back and forward in time. A snapshot's image whose world allocates here is not
// known by its parts but as bytes: a step is what its memory was before and is not any more, so
// that going back is exchanging both, and nothing that an image consists of can be forgotten.
// What is freed during a step stays until nobody can go back to it, and so do values with hooks.
//
// What changed is found by comparing memory with a mirror of what it was, line by line. Memory of
// plain values needs no mirror: who writes it says so (keeli_journal_write). And who knows that
// some memory was not written declares it the same; forgetting that costs time only.
#pragma once
#include "world.h"

// What was allocated; it lies before the memory.
typedef struct keeli_memory {
    struct keeli_memory *prev, *next;  // of all in the journal
    struct keeli_memory *next_born;    // of one step
    struct keeli_memory *next_dead[2]; // of a step; [1]: while others lie ahead
    char *mirror;                      // what it held at the end of the last step, or NULL
    size_t size, before;               // before: bytes from the start of the allocation
    size_t align;
    uint64_t born, died, same; // the turns in which it came, went, and was declared the same
    bool is_there;             // now; otherwise a step behind or ahead has it
    bool is_pinned;            // no part of any step
} keeli_memory;

// A value with hooks that an image holds, or held; its bytes lie behind.
typedef struct keeli_owned {
    struct keeli_owned *next;
    struct keeli_owner *owner;
} keeli_owned;

// The hooks of a component, called by those that its storages in images have.
typedef struct keeli_owner {
    struct keeli_owner *next;
    struct keeli_journal *journal;
    keel_drop_hook *drop;
    keel_copy_hook *copy;
    void *data;
    uint32_t size, align;
    keeli_owned *spare; // so that dropping needs no memory: each value has two, here or in steps,
                        // as a step may drop what one ahead has dropped
} keeli_owner;

// What happened from one state to the next.
typedef struct keeli_delta {
    struct keeli_delta *older, *newer; // of the history
    char *records;                     // of memory that was written: what the other state has there
    size_t bytes, capacity;
    keeli_memory *born, *dead;
    keeli_owned *made, *dropped;
    uint32_t link; // of `dead`
} keeli_delta;

typedef struct keeli_journal {
    keeli_heap heap;
    keeli_memory *all;
    keeli_owner *owners;
    keeli_delta *step; // that is being made; NULL: what goes goes at once
    uint64_t turn;     // counts steps
    bool is_first;     // there is nothing to go back to: only mirrors are made
    bool is_full;      // there was no memory: the step has to be undone
    bool is_lost;      // nobody knows what some memory was: nobody can go behind the step
} keeli_journal;

void keeli_journal_init(keeli_journal *journal, keel_allocator allocator);
// All memory of the journal was freed before.
void keeli_journal_deinit(keeli_journal *journal);
// What a world allocates with.
keel_allocator keeli_journal_allocator(keeli_journal *journal);
// This is no part of what goes back.
void keeli_journal_pin(void *memory);
// Values of a storage of an image are owned from now on; false when out of memory.
bool keeli_journal_own(keeli_journal *journal, keeli_storage *t);

// Begin a step; and end it: false when out of memory, and then it was undone. One that is undone by
// hand was not ended.
void keeli_journal_begin(keeli_journal *journal, keeli_delta *step, bool has_ahead);
bool keeli_journal_end(keeli_journal *journal);
void keeli_journal_undo(keeli_journal *journal);
// The state becomes the other one, from after the step to before it, or back.
void keeli_journal_swap(keeli_delta *step, bool is_back);
// No steps lie ahead any more.
void keeli_journal_join(keeli_delta *step);
// Nobody goes to before the step any more; or to what lies behind it.
void keeli_journal_forget_before(keeli_journal *journal, keeli_delta *step);
void keeli_journal_forget_after(keeli_journal *journal, keeli_delta *step);

// In memory that was allocated here, `bytes` from `from` on are written to `at`.
void keeli_journal_write(keeli_journal *journal, void *memory, char *at, const char *from,
                         size_t bytes);
// The memory was not written in this step, but by keeli_journal_write. NULL: nothing.
void keeli_journal_same(const keeli_journal *journal, void *memory);
// The same of memory that is never written otherwise: it needs no mirror.
void keeli_journal_values(const keeli_journal *journal, void *memory);
