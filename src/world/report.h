// SPDX-License-Identifier: MIT
// Telling the user: the world's first error, the log, and contract assertions.
#pragma once
#include "base/assert.h"
#include "world.h"

// Keep the error, log it, and return `result`. `asserts`: in builds with assertions fail as well,
// unless the world says not to. KEEL_ERROR_ACCESS inside of a system fails that system.
keel_result keeli_report(keel_world *world, bool asserts, keel_result result, const char *format,
                         ...) KEELI_PRINTF(4, 5);
// For outcomes that are nobody's fault and for conflicts.
#define keeli_error(world, ...) keeli_report((world), false, __VA_ARGS__)
// For a broken contract.
#define keeli_misuse(world, ...) keeli_report((world), true, __VA_ARGS__)
// The same for what the user reported with keel_fail. `system` NULL: the one that runs.
keel_result keeli_error_from_user(keel_world *world, keel_result result, const char *system,
                                  const void *object, const char *message);
// The first error of a run inside of what the calling thread runs, or KEEL_OK: it was logged when
// it happened, and is now kept, unless one before it is.
void keeli_error_hand_over(keel_world *world, const keel_error *first);
// How functions that may throw are called: NULL in programs without C++.
extern const keeli_guard *keeli_guard_in_use;
// Keeps as the last error, and returns, that the entity which a call is about is not alive. This
// happens all the time in games, so it costs little, is not logged, and is never the first error.
// `call`: the public name, a constant.
keel_result keeli_dead_entity(keel_world *world, const char *call, keel_entity e)
    __attribute__((cold, noinline));
// Returns words for a message, behind the name of a dead entity: that it is not alive, or that it
// is a template.
const char *keeli_not_alive(const keel_world *world, keel_entity e);
// Keeps, as the last error only, what happens all the time and is nobody's fault.
keel_result keeli_quiet_error(keel_world *world, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// Keeps nothing of it: the command was dropped, which counts as no failure.
void keeli_forget_dead_entity(keel_world *world);
void keeli_warn(keel_world *world, const char *format, ...) KEELI_PRINTF(2, 3);
keel_result keeli_out_of_memory(keel_world *world, const char *doing);
keel_result keeli_no_world(void);
// For functions that only look: is there nobody to look at? NULL has nothing, and nothing is said
// of it; a world that was destroyed is a mistake.
static inline bool keeli_is_nobody(const keel_world *world) {
    return keeli_is_no_world(world) && (!world || keeli_no_world() < 0);
}

// Returns `system 'move'` for the system that runs on the calling thread, or `a system`.
enum { KEELI_SYSTEM_WORDS = 80 };
const char *keeli_system_words(keel_world *world, char words[KEELI_SYSTEM_WORDS]);
#define KEELI_SYSTEM_HERE(world) keeli_system_words((world), (char[KEELI_SYSTEM_WORDS]){ 0 })
// What messages call things; the text stays until the block ends in which it was asked for.
enum { KEELI_WORDS = 160 };
// `17v3 "ship"`, or `null`. Nobody edits meanwhile but the caller.
const char *keeli_entity_words(const keel_world *world, keel_entity e, char words[KEELI_WORDS]);
#define KEELI_ENTITY(world, e) keeli_entity_words((world), (e), (char[KEELI_WORDS]){ 0 })
// `'Health'`, or `the list of entities`.
const char *keeli_storage_words(const keel_world *world, const keeli_storage *s,
                                char words[KEELI_WORDS]);
#define KEELI_STORAGE(world, s) keeli_storage_words((world), (s), (char[KEELI_WORDS]){ 0 })
