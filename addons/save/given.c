// SPDX-License-Identifier: MIT
// What a save gives to entities of components that others require. Adding a component adds what it
// requires, too; but an entity may have a disabled one without that. So a load notes who has what,
// and takes away what came in addition. read.c calls it.
#include "save.h"

#include <stdlib.h>
#include <string.h>

struct save_given {
    const keel_component *component; // of the world that the save is loaded into
    unsigned char *has;              // a bit for each index
    save_given *next;
};

static const char *name_of(const keel_component *c) { return c->name ? c->name : c->type; }

static save_given *given_find(save_given *list, const keel_component *c) {
    while (list && strcmp(name_of(list->component), name_of(c)) != 0)
        list = list->next;
    return list;
}

// True if a component of the world requires this one.
static bool is_required(const keel_world *world, const keel_component *c) {
    for (const keel_component *other = NULL; (other = keel_next_component(world, other)) != NULL;)
        for (const keel_component *const *r = other->required; r && *r; ++r)
            if (strcmp(name_of(*r), name_of(c)) == 0) return true;
    return false;
}

bool save_given_add(save_given **list, const keel_world *world, uint32_t size,
                    const keel_component *c, const keel_entity *entities, uint32_t count) {
    if (!is_required(world, c)) return true;
    save_given *one = given_find(*list, c);
    if (!one) {
        one = calloc(1, sizeof *one);
        unsigned char *has = one ? calloc(1, size / 8 + 1) : NULL;
        if (!has) {
            free(one);
            return false;
        }
        *one = (save_given){ c, has, *list };
        *list = one;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = keel_entity_index(entities[i]);
        one->has[index / 8] |= (unsigned char)(1u << index % 8);
    }
    return true;
}

void save_given_free(save_given *list) {
    while (list) {
        save_given *next = list->next;
        free(list->has);
        free(list);
        list = next;
    }
}

keel_result save_given_trim(save_given *list, keel_world *world, keel_entity e,
                            const keel_component *c) {
    const uint32_t index = keel_entity_index(e);
    for (const keel_component *const *r = c->required; r && *r; ++r) {
        const save_given *one = given_find(list, *r);
        if (one && one->has[index / 8] >> index % 8 & 1) continue;
        const keel_component *required = keel_find_component(world, name_of(*r));
        if (!required) continue;
        const keel_result result = keel_delete_component(world, e, required);
        // another one may require it: then it stays until that is disabled, too
        if (result < 0 && result != KEEL_ERROR_REQUIRED) return result;
        if (result >= 0) KEEL_TRY(save_given_trim(list, world, e, required));
    }
    return KEEL_OK;
}
