// SPDX-License-Identifier: MIT
// Components that are bound to threads (keel_threads): who may touch them where. Only storages with
// KEELI_IS_BOUND have a rule; all others never come here.
#pragma once
#include "world.h"

// May the calling thread use the storage like this: KEEL_OK; KEEL_ERROR_THREAD when it never may,
// KEEL_ERROR_BORROWED while another thread is using it. `asker` is the view or system that wants
// to, or NULL; `verb` goes into the message. `teller` keeps the error.
keel_result keeli_check_thread(const keel_world *world, keel_world *teller, const keeli_storage *s,
                               keel_access access, const char *asker, const char *verb);
// The same for making a first value, in the storage or in commands.
keel_result keeli_check_new_value(keel_world *world, const keel_component *c);
// For look-ups that cannot report: false, after an assertion, when this thread may not read.
bool keeli_may_look(const keel_world *world, const keeli_storage *s);
// The calling thread becomes the user, until the storage's count is 0 again; false when it may not.
// In shared mode the world's lock is held.
bool keeli_thread_claim(const keel_world *world, keeli_storage *s, keel_access access);

// Set the flag of a storage whose component has a rule.
void keeli_threads_bind(keeli_storage *s);
// An edit of `order` moves values of this storage: it is bound to their thread as well.
void keeli_threads_follow(keeli_storage *order, const keeli_storage *s);
// A bound component came or went: count, and let the rows of archetypes follow.
void keeli_threads_update(keel_world *world);
// The world is about to be destroyed: tell when that drops values in the wrong thread.
void keeli_threads_ending(keel_world *world);
// Why the world cannot go to another thread: a component that has values and must stay where they
// were made. NULL when there is none.
const keeli_storage *keeli_threads_bound_value(const keel_world *world);
