// SPDX-License-Identifier: MIT
// Random operations on names: giving and taking them, and where paths lead.
#include "both.h"

#include <stdio.h>
#include <string.h>

// Few, so that there are siblings that want the same.
static const char *const names[] = {
    "a",
    "b",
    "ab",
    "gun",
    "a name that is longer than all the others, so that it does not end where a buffer of some "
    "usual size does: it goes on and on, to more than two hundred and fifty-six bytes, and nobody "
    "who reads this far will be surprised to hear that it has nothing whatever to say to anybody",
    "\xC3\xA9t\xC3\xA9",
};
enum { NAMES = sizeof names / sizeof *names };

const char *roll_name(dice *d) {
    static const char *const strange[] = { NULL, "", "/", "a/b", "a", NULL, "b", NULL };
    const uint32_t which = roll_below(d, NAMES + 2);
    return which < NAMES ? names[which] : strange[roll_below(d, 8)];
}

static void op_set_name(both *b, dice *d) {
    if (!b->setting.names) return;
    const keel_entity e = roll_entity(b, d);
    const char *name = roll_name(d);
    const keel_result result = keel_set_name(b->world, e, name);
    both_trace(b, "index %u, %.20s: %s", (unsigned)keel_entity_index(e), name ? name : "none",
               keel_result_text(result));
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else both_agree_surely(b, result, model_set_name(&b->model, e, name));
}

// All names go, or all who have one, as with other components.
static void take_all(both *b, dice *d) {
    const keel_component *c = KEEL_OF(keel_name);
    keel_entity list[64];
    size_t count = 0;
    const uint32_t how = roll_below(d, 3);
    for (size_t i = b->model.slot_count; i-- > 0 && count < 64;)
        if (b->model.slots[i].name) list[count++] = b->model.slots[i].handle;
    if (count == 64) return;
    keel_result expected = count ? KEEL_OK : KEEL_ABSENT, result;
    if (how == 0) result = keel_delete_entities_having_component(b->world, c);
    else if (how == 1) result = keel_clear_component(b->world, c);
    else result = keel_unregister_component(b->world, c);
    both_trace(b, "all, %u: %s", (unsigned)how, keel_result_text(result));
    if (result == KEEL_ERROR_MEMORY) {
        (void)both_agree(b, result, KEEL_OK);
        return;
    }
    if (how == 2 && result == KEEL_OK) expected = KEEL_OK; // it was known
    for (size_t i = 0; i < count && how; ++i)
        (void)model_set_name(&b->model, list[i], NULL);
    if (!how) expected = model_delete_entities(&b->model, list, count);
    both_agree_surely(b, result, expected);
}

static void op_take_name(both *b, dice *d) {
    if (roll_once_in(d, 8)) {
        take_all(b, d);
        return;
    }
    const keel_entity e = roll_entity(b, d);
    const keel_result expected = model_set_name(&b->model, e, NULL);
    both_trace(b, "index %u", (unsigned)keel_entity_index(e));
    both_agree_surely(b, keel_delete_component(b->world, e, KEEL_OF(keel_name)), expected);
}

// Mostly a way down to somebody who has a name, from some place above; or names by chance.
static void op_find(both *b, dice *d) {
    enum { ROOM = 2000 };
    char path[ROOM] = "", longer[ROOM];
    keel_entity from = roll_entity(b, d);
    const uint32_t steps = roll_below(d, 4) + 1;
    const bool is_real = !roll_once_in(d, 4);
    for (uint32_t i = 0; i < steps; ++i) {
        const char *name = is_real ? model_name_of(&b->model, from) : roll_name(d);
        if (!name || (is_real && keel_is_null(from))) break;
        snprintf(longer, sizeof longer, "%s%s%s", name, i ? "/" : "", path);
        memcpy(path, longer, sizeof path);
        if (is_real) from = model_parent_of(&b->model, from);
    }
    if (roll_once_in(d, 16)) strcat(path, "/");
    if (roll_once_in(d, 8)) from = roll_entity(b, d);
    const keel_entity found = keel_find_entity(b->world, from, path);
    if (!keel_is_same(found, model_find(&b->model, from, path)))
        both_fail(b, "from index %u on, %.60s leads to index %u, in the model to %u",
                  (unsigned)keel_entity_index(from), path, (unsigned)keel_entity_index(found),
                  (unsigned)keel_entity_index(model_find(&b->model, from, path)));
}

const operation_entry name_operations[] = {
    { "set_name", op_set_name, 8 },
    { "take a name", op_take_name, 1 },
    { "find", op_find, 2 },
    { NULL, NULL, 0 },
};
