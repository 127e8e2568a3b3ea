// SPDX-License-Identifier: MIT
// Required components: checks and registers the components that a component names in `.required`,
// and all that they require in turn. registry.c calls it when a component is registered or
// unregistered. It adds and removes no values: edit/batch.c adds required components with a
// component, edit/removal.c refuses to remove them.
#include "registry.h"

#include "base/text.h"
#include "report.h"
#include "storage.h"

#include <string.h>

// A component that is required, and the chain of components that leads to it: `before` requires
// `component`. The chain begins with the component that is being registered.
typedef struct way {
    const keel_component *component;
    const struct way *before;
    uint32_t length; // number of components in the chain
} way;
enum { LONGEST_WAY = 32 };

static bool is_same_component(const keel_component *a, const keel_component *b) {
    return a == b || strcmp(keeli_component_name(a), keeli_component_name(b)) == 0;
}

static void write_way(keeli_writer *w, const way *to) {
    if (to->before)
        write_way(w, to->before);
    keeli_write(w, "'%s', which requires ", keeli_component_name(to->component));
}

// Returns an error if the chain of requirements from `c` on has a cycle, is too long, or has a
// component without a name. `before`: the chain that leads to `c`.
static keel_result check_way(keel_world *world, const keel_component *c, const way *before) {
    if (!c->required)
        return KEEL_OK;
    const way here = { c, before, before ? before->length + 1 : 1 };
    char text[400];
    keeli_writer w = keeli_writer_begin(text, sizeof text);

    for (const keel_component *const *r = c->required; *r; ++r) {
        if (!keeli_component_name(*r) || here.length == LONGEST_WAY)
            return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                here.length == LONGEST_WAY
                                    ? "'%s' ends a chain of %u components, so it may require none"
                                    : "'%s' requires a component without a name",
                                keeli_component_name(c), (unsigned)here.length);

        for (const way *back = &here; back; back = back->before)
            if (is_same_component(back->component, *r)) {
                write_way(&w, &here);
                return keeli_misuse(world, KEEL_ERROR_CYCLE,
                                    "%s'%s': a component cannot require "
                                    "itself",
                                    text, keeli_component_name(*r));
            }

        KEEL_TRY(check_way(world, *r, &here));
    }
    return KEEL_OK;
}

keel_result keeli_required_get(keel_world *world, const keel_component *c) {
    KEEL_TRY(check_way(world, c, NULL));
    for (const keel_component *const *r = c->required; *r; ++r) {
        keel_result result;
        const keeli_storage *s = keeli_storage_get(world, *r, false, &result);
        if (!s)
            return result;

        if (s->relation || s->flags & KEELI_IS_LINK)
            return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                "'%s' requires '%s', a relation or name, which only verbs of its "
                                "own add to entities; leave it out of .required",
                                keeli_component_name(c), s->component.name);
        if (s->component.drop && !s->component.initial) // zeros may be an invalid value in C++
            return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                "'%s' requires '%s', which has a drop hook, so its value cannot "
                                "begin as zeros; declare it with .initial",
                                keeli_component_name(c), s->component.name);
    }
    return KEEL_OK;
}

static bool does_require(const keeli_storage *s, const keeli_storage *r) {
    for (uint32_t i = 0; i < s->required.count; ++i)
        if (s->required.items[i] == r)
            return true;
    return false;
}

static bool add_required(keel_world *world, keeli_storage *s, keeli_storage *r) {
    if (does_require(s, r))
        return true;
    if (!KEELI_RESERVE(&world->heap, &s->required, 1) ||
        !KEELI_RESERVE(&world->heap, &r->required_by, 1))
        return false;
    *KEELI_APPEND(&s->required) = r;
    *KEELI_APPEND(&r->required_by) = s;
    r->flags |= KEELI_IS_REQUIRED; // the analyzer cannot tell that `r` was registered before
    return true;
}

bool keeli_required_begin(keel_world *world, keeli_storage *s) {
    if (!s->component.required)
        return true;
    for (const keel_component *const *c = s->component.required; *c; ++c) {
        keeli_storage *r = keeli_storage_find(world, *c);
        if (!add_required(world, s, r))
            return false;
        for (uint32_t i = 0; i < r->required.count; ++i)
            if (!add_required(world, s, r->required.items[i]))
                return false;
    }
    return true;
}

// True if `required` names the component of `r`, or names a component that requires it.
static bool is_required_by(const keel_world *world, const keel_component *const *required,
                           const keeli_storage *r) {
    for (; required && *required; ++required) {
        const keeli_storage *one = keeli_storage_find(world, *required);
        if (one && (one == r || does_require(one, r)))
            return true;
    }
    return false;
}

bool keeli_required_are(const keel_world *world, const keeli_storage *s,
                        const keel_component *const *required) {
    for (uint32_t i = 0; i < s->required.count; ++i)
        if (!is_required_by(world, required, s->required.items[i]))
            return false;

    for (; required && *required; ++required) {
        const keeli_storage *one = keeli_storage_find(world, *required);
        if (!one || !does_require(s, one))
            return false;
    }
    return true;
}

bool keeli_required_are_there(const keel_world *world) {
    for (uint32_t n = 0; n < world->storages.count; ++n) {
        const keeli_storage *s = world->storages.items[n];
        for (uint32_t k = 0; k < s->required.count; ++k)
            KEELI_EACH_BIT(i, &s->presence)
                if (!keeli_store_has(s->required.items[k], i))
                    return false;
    }
    return true;
}

void keeli_required_end(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; i < s->required.count; ++i) {
        keeli_storage *r = s->required.items[i];
        uint32_t at = 0;
        while (r->required_by.items[at] != s)
            ++at;
        r->required_by.items[at] = r->required_by.items[--r->required_by.count];
        if (!r->required_by.count)
            r->flags &= ~(uint32_t)KEELI_IS_REQUIRED;
    }
    KEELI_RELEASE(&world->heap, &s->required);
    KEELI_RELEASE(&world->heap, &s->required_by);
}
