// SPDX-License-Identifier: MIT
// The common edits, without detours: storages that have no hooks and no group, that nobody uses, in
// which there is room already. Each function does the whole edit or nothing; the caller then goes
// the long way, which can make room and knows everything. The public functions that are called most
// are in quick.c (adding) and quick_take.c (removing, deleting), too. Where others of the entity's
// block of 64 have the component already, they are a few steps, and leave by a jump when it takes
// more; what is tracked or observed has ways of its own, so that what is not pays nothing for them.
#pragma once
#include "world/storage.h"

// The entity is alive. NULL: nothing was done.
void *keeli_quick_add(keel_world *world, keel_entity e, const keel_component *component,
                      const void *value);
bool keeli_quick_add_values(keel_world *world, keel_entity e, const keel_value *values);
// The entity is alive. False: nothing was done. KEEL_OK or KEEL_ABSENT in `*result`.
bool keeli_quick_remove(keel_world *world, keel_entity e, const keel_component *component,
                        void *out, keel_result *result);
// The same for deleting, which tracking and observers tell from removing.
bool keeli_quick_delete(keel_world *world, keel_entity e, const keel_component *component,
                        keel_result *result);
// The entity is alive. `allowed`: flags of its components that do not matter now. False: it is
// alive still and may have lost some of its plain components; deleting it cannot fail any more.
bool keeli_quick_delete_entity(keel_world *world, keel_entity e, uint32_t allowed);
