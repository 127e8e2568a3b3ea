// SPDX-License-Identifier: MIT
// Errors and the log: keeps errors for keel_first_error and keel_last_error, logs them, and asserts
// on misuse. It decides nothing about what an error means; each function that finds one calls this
// and returns the result.
#pragma once
#include "base/assert.h"
#include "world.h"

// Keeps the error, logs it, and returns `result`. `asserts`: the error is also a failed assertion,
// in builds that have them and if on_misuse of the world is KEEL_MISUSE_ASSERT. KEEL_ERROR_ACCESS
// inside of a system makes the system fail.
keel_result keeli_report(keel_world *world, bool asserts, keel_result result, const char *format,
                         ...) KEELI_PRINTF(4, 5);
// Reports an error that a correct program may meet: out of memory, a conflict.
#define keeli_error(world, ...) keeli_report((world), false, __VA_ARGS__)
// Reports an error that is a mistake of the caller.
#define keeli_misuse(world, ...) keeli_report((world), true, __VA_ARGS__)
// Reports an error on behalf of the user (keel_fail). `system`: the name that the error gets; NULL:
// that of the system that runs on this thread. `object`: the user's pointer in the error.
keel_result keeli_error_from_user(keel_world *world, keel_result result, const char *system,
                                  const void *object, const char *message);
// Keeps the first error of an inner run, which a system called, as an error of the run around it,
// unless that has an earlier one. The error was logged when it happened. Does nothing if `first`
// is not an error.
void keeli_error_hand_over(keel_world *world, const keel_error *first);
// The functions that call code of the user that may throw. NULL in programs without C++.
extern const keeli_guard *keeli_guard_in_use;
// Keeps KEEL_ERROR_DEAD_ENTITY as the last error and returns it. Games pass dead entities all the
// time, so this costs little, is not logged, and is never the first error. `call`: the name of the
// public function, a constant.
keel_result keeli_dead_entity(keel_world *world, const char *call, keel_entity e)
    __attribute__((cold, noinline));
// Returns the words that follow the name of a dead entity in a message: "is not alive", or that it
// is a template.
const char *keeli_not_alive(const keel_world *world, keel_entity e);
// Keeps an error as the last one only, without logging it: it is common and no mistake.
keel_result keeli_quiet_error(keel_world *world, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// Removes the last error that keeli_dead_entity kept: a command on a dead entity was dropped, which
// is no failure.
void keeli_forget_dead_entity(keel_world *world);
// Logs a warning. Keeps no error.
void keeli_warn(keel_world *world, const char *format, ...) KEELI_PRINTF(2, 3);
// Reports that memory ran out while `doing`, before anything was changed.
keel_result keeli_out_of_memory(keel_world *world, const char *doing);
// Asserts on a world, view, snapshot or the like that is NULL or destroyed, so that no world can
// keep the error. Returns KEEL_ERROR_ARGUMENT.
keel_result keeli_no_world(void);
// True if there is no world to read from, for functions that only read. A NULL world is accepted
// silently; a destroyed one is a mistake.
static inline bool keeli_is_nobody(const keel_world *world) {
    return keeli_is_no_world(world) && (!world || keeli_no_world() < 0);
}

// Returns `system 'move'` for the system that runs on the calling thread, or `a system`.
enum { KEELI_SYSTEM_WORDS = 80 };
const char *keeli_system_words(keel_world *world, char words[KEELI_SYSTEM_WORDS]);
#define KEELI_SYSTEM_HERE(world) keeli_system_words((world), (char[KEELI_SYSTEM_WORDS]){ 0 })
// Names of things for messages. The text is valid until the end of the enclosing block.
enum { KEELI_WORDS = 160 };
// Returns `17v3 "ship"`, or `null`. No other thread may edit meanwhile.
const char *keeli_entity_words(const keel_world *world, keel_entity e, char words[KEELI_WORDS]);
#define KEELI_ENTITY(world, e) keeli_entity_words((world), (e), (char[KEELI_WORDS]){ 0 })
// Returns `'Health'`, or `the list of entities`.
const char *keeli_storage_words(const keel_world *world, const keeli_storage *s,
                                char words[KEELI_WORDS]);
#define KEELI_STORAGE(world, s) keeli_storage_words((world), (s), (char[KEELI_WORDS]){ 0 })
