// SPDX-License-Identifier: MIT
// The fixture of tests of the public interface: a world with counted memory and a recorded log, a
// component whose values are counted, and the state of a world as text. It uses public functions
// only. Tests in tests/api and several other folders include it.
#pragma once
#include "support/counting_allocator.h"
#include "support/test.h"

#include <keel/keel.h>

// ------------------------------------------------------------------ the world
// The number of logged lines and the last one.
typedef struct log_record {
    uint32_t errors, warnings;
    char last[300];
} log_record;

typedef struct api_fixture {
    counting_allocator memory;
    log_record log;
    keel_world *world;
} api_fixture;

// Creates a world with counted memory and a recorded log that returns from misuse.
void api_begin(api_fixture *f);
// The same with a number of workers.
void api_begin_workers(api_fixture *f, uint32_t workers);
// Checks the world's structures, destroys the world, and asserts that all memory is freed.
void api_end(api_fixture *f);
// Creates a world from `desc`. The allocator is filled in, and so is the log unless it is set.
void api_begin_with(api_fixture *f, keel_world_desc desc);
keel_logger log_to(log_record *log);

// Asserts that the world's first error is `result` and that its message contains `part`, unless
// that is NULL. Clears the error.
void assert_error(keel_world *world, keel_result result, const char *part);
void assert_no_error(keel_world *world);

// ------------------------------------------------------------------ the documents
// Returns the text of a file of docs/, valid until the next call, or NULL if the documents are not
// there: some platforms run the tests without them.
const char *docs_text(const char *name);

// ------------------------------------------------------------------ values with an owner
// A value that owns a token, which must be released exactly once. A zeroed value owns nothing.
typedef struct Owned {
    uint32_t token;
    uint32_t inverse; // ~token, to notice garbage; 0 in a zeroed value
} Owned;

enum { TOKENS = 20000 };
typedef struct lives {
    bool alive[TOKENS];
    uint32_t made;   // number of tokens, copies included; the next token is made + 1
    uint32_t living; // tokens that are not released
    uint32_t drops, empty_drops, copies, moves;
    uint32_t copies_left; // copies that succeed before copying fails
    uint32_t faults;      // double releases, garbage, more than TOKENS tokens
} lives;

// An assertion handler that continues, so that the call returns its error. Needed for calls without
// a world whose `on_misuse` applies, such as those with a NULL world.
bool api_go_on(const char *condition, const char *message, const char *file, int line);

// The counters of the hooks of Owned. owned_begin resets them.
extern lives owned;
void owned_begin(void);
// Returns a value with a new token.
Owned owned_make(void);
// Releases a value that Keel moved out to the test.
void owned_release(Owned value);
// Asserts that each token was released exactly once.
void assert_owned_end(void);

void owned_drop(void *value, void *hook_data);
bool owned_copy(void *to, const void *from, void *hook_data);
void owned_move(void *to, void *from, void *hook_data);

// ------------------------------------------------------------------ state as text
// Returns the visible state of a world as text: entities, components with values in packed order,
// and the uniques of a list that ends with NULL (or is NULL). The caller calls free(). Needs memory
// from the world's allocator.
char *world_text(keel_world *world, const keel_component *const *uniques);
// Asserts that two texts are equal and frees both.
void assert_same_text(char *actual, char *expected);

// ------------------------------------------------------------------ small helpers
// How many entities have children.
uint32_t count_parents(keel_world *world);
keel_entity handle_at(uint32_t index, uint32_t version);
void assert_same_entity(keel_entity actual, keel_entity expected);
