// SPDX-License-Identifier: MIT
// What the tests of the public interface share: a world whose memory is counted and whose log is
// kept, values whose lives are counted, and the whole state of a world as text.
#pragma once
#include "support/counting_allocator.h"
#include "support/test.h"

#include <keel/keel.h>

// ------------------------------------------------------------------ the world
// Keeps what a world logs.
typedef struct log_record {
    uint32_t errors, warnings;
    char last[300];
} log_record;

typedef struct api_fixture {
    counting_allocator memory;
    log_record log;
    keel_world *world;
} api_fixture;

// A world with all of the above that returns from misuse.
void api_begin(api_fixture *f);
// The same with so many workers.
void api_begin_workers(api_fixture *f, uint32_t workers);
// Check the world's structures, destroy it, and assert that nothing is left.
void api_end(api_fixture *f);
// A world for api_end, made like this; allocator and, unless it is set, log are filled in.
void api_begin_with(api_fixture *f, keel_world_desc desc);
keel_logger log_to(log_record *log);

// Assert that the world's first error is this one and that its message contains `part` (or NULL),
// and forget it.
void assert_error(keel_world *world, keel_result result, const char *part);
void assert_no_error(keel_world *world);

// ------------------------------------------------------------------ the documents
// The text of a file of docs/, or NULL: the tests run where there are none. Valid until the next.
const char *docs_text(const char *name);

// ------------------------------------------------------------------ values with an owner
// A value that owns something: token n is a thing that must be released exactly once. A zeroed
// value owns nothing.
typedef struct Owned {
    uint32_t token;
    uint32_t inverse; // ~token, so that garbage is noticed; 0 in a zeroed value
} Owned;

enum { TOKENS = 20000 };
typedef struct lives {
    bool alive[TOKENS];
    uint32_t made;   // tokens so far, copies included; the next token is made + 1
    uint32_t living; // tokens not released yet
    uint32_t drops, empty_drops, copies, moves;
    uint32_t copies_left; // then copying fails
    uint32_t faults;      // released twice, garbage, more tokens than fit
} lives;

// An assertion handler that goes on, so that the call returns its error: for what has no world
// whose `on_misuse` counts, such as NULL.
bool api_go_on(const char *condition, const char *message, const char *file, int line);

// The counters behind the hooks of Owned; reset by owned_begin.
extern lives owned;
void owned_begin(void);
// A new thing and the value that owns it.
Owned owned_make(void);
// Release a value that was handed out.
void owned_release(Owned value);
// All tokens were released, and each once.
void assert_owned_end(void);

void owned_drop(void *value, void *hook_data);
bool owned_copy(void *to, const void *from, void *hook_data);
void owned_move(void *to, void *from, void *hook_data);

// ------------------------------------------------------------------ state as text
// Everything that can be seen of a world: entities, components in packed order with their values,
// the uniques given (a list that ends with NULL, or NULL). Free with free(). Needs memory from the
// world.
char *world_text(keel_world *world, const keel_component *const *uniques);
// Assert that two texts are the same and free both.
void assert_same_text(char *actual, char *expected);

// ------------------------------------------------------------------ small helpers
// How many entities have children.
uint32_t count_parents(keel_world *world);
keel_entity handle_at(uint32_t index, uint32_t version);
void assert_same_entity(keel_entity actual, keel_entity expected);
