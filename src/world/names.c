// SPDX-License-Identifier: MIT
// Stores the names of entities and finds them: a hash table by parent and text, and the hooks of
// the component keel_name. It neither checks names nor decides which entity gets a name. Called by
// link/name.c, which does both, and by verbs that move or delete entities.
#include "names.h"

#include "borrow.h"
#include "storage.h"

#include <keel/typed.h>
#include <string.h>

// ------------------------------------------------------------------ the index
// Returns the chain that the name belongs to. The table must have chains.
static keeli_name **name_chain(const keel_world *world, keel_entity parent, const char *text,
                               size_t length) {
    const uint64_t hash = keeli_hash(text, length, keeli_hash_mix(parent.bits));
    return &world->names.chains[hash & (world->names.chain_count - 1)];
}

keeli_name *keeli_name_find(const keel_world *world, keel_entity parent, const char *text,
                            size_t length) {
    if (!world->names.count)
        return NULL;

    if (keel_is_null(parent))
        parent = keel_null(); // null handles may have different bits
    keeli_name *name = *name_chain(world, parent, text, length);
    while (name && !(keel_is_same(name->parent, parent) && name->length == length &&
                     memcmp(name->text, text, length) == 0))
        name = name->next;
    return name;
}

static void put_name_in_chain(const keel_world *world, keeli_name *name) {
    keeli_name **chain = name_chain(world, name->parent, name->text, name->length);
    name->next = *chain;
    *chain = name;
}

// Makes room for one more name; false when out of memory.
static bool reserve_chains(keel_world *world) {
    keeli_names *names = &world->names;
    const uint32_t old = names->chain_count, grown = old ? old * 2 : KEELI_SIZE(16, 1);
    if (names->count < old)
        return true;

    keeli_name **before = names->chains;
    keeli_name **fresh = keeli_new_zeroed(&world->heap, grown * sizeof *fresh, sizeof(void *));
    if (!fresh)
        return false;

    names->chains = fresh;
    names->chain_count = grown;
    for (uint32_t i = 0; i < old; ++i)
        for (keeli_name *name = before[i], *next; name; name = next) {
            next = name->next;
            put_name_in_chain(world, name);
        }
    keeli_free(&world->heap, before, old * sizeof *before, sizeof(void *));
    return true;
}

// ------------------------------------------------------------------ one name
// Returns the keeli_name whose text a value of keel_name points to.
static keeli_name *name_of_value(const void *value) {
    const uintptr_t text = (uintptr_t)((const keel_name *)value)->text;
    return (keeli_name *)(text - offsetof(keeli_name, text));
}

keeli_name *keeli_name_at(const keel_world *world, keel_entity e) {
    const keeli_storage *s = world->names.storage;
    const void *value = s ? keeli_store_value(world, s, keeli_index_of(e)) : NULL;
    return value ? name_of_value(value) : NULL;
}

static size_t name_bytes(size_t length) { return sizeof(keeli_name) + length + 1; }

keeli_name *keeli_name_new(keel_world *world, const char *text, size_t length) {
    if (length > UINT32_MAX || !reserve_chains(world))
        return NULL;
    keeli_name *name = keeli_new(&world->heap, name_bytes(length), _Alignof(keeli_name));
    if (!name)
        return NULL;

    *name = (keeli_name){ .length = (uint32_t)length };
    memcpy(name->text, text, length);
    name->text[length] = 0;
    return name;
}

void keeli_name_enter(keel_world *world, keeli_name *name, keel_entity e, keel_entity parent) {
    name->entity = e;
    name->parent = parent;
    name->is_listed = true;
    put_name_in_chain(world, name);
    ++world->names.count;
}

void keeli_name_leave(keel_world *world, keeli_name *name) {
    if (!name->is_listed)
        return;

    keeli_name **link = name_chain(world, name->parent, name->text, name->length);
    while (*link != name)
        link = &(*link)->next;
    *link = name->next;
    name->is_listed = false;
    --world->names.count;
}

void keeli_name_leave_value(keel_world *world, const void *value) {
    keeli_name_leave(world, name_of_value(value));
}

void keeli_name_free(keel_world *world, keeli_name *name) {
    keeli_name_leave(world, name);
    keeli_free(&world->heap, name, name_bytes(name->length), _Alignof(keeli_name));
}

// ------------------------------------------------------------------ the component
static void drop_name(void *value, void *world) { keeli_name_free(world, name_of_value(value)); }

static uint64_t hash_name(const void *value, void *world) {
    (void)world;
    const keeli_name *name = name_of_value(value);
    return keeli_hash(name->text, name->length, 0);
}

void keeli_names_begin(keel_world *world, keeli_storage *s) {
    if (s->slot != keeli_component_find(KEEL_OF(keel_name)))
        return;

    s->component.drop = drop_name;
    s->component.hash = hash_name;
    s->component.hook_data = world;
    keeli_store_update_hooks(s);
    s->flags |= KEELI_IS_LINK;
    world->relations.child->sources->flags |= KEELI_IS_NAMED;
    world->names.storage = s;
}

void keeli_names_trim(keel_world *world) {
    keeli_names *names = &world->names;
    if (names->count)
        return;

    keeli_free(&world->heap, names->chains, names->chain_count * sizeof(void *), sizeof(void *));
    names->chains = NULL;
    names->chain_count = 0;
}

void keeli_names_end(keel_world *world, const keeli_storage *s) {
    if (!s || s != world->names.storage)
        return;

    keeli_names_trim(world); // no names are left, as all values were dropped
    world->names.storage = NULL;
    world->relations.child->sources->flags &= ~(uint32_t)KEELI_IS_NAMED;
}

bool keeli_names_are_valid(const keel_world *world) {
    const keeli_storage *s = world->names.storage;
    if (!s)
        return world->names.count == 0;

    uint32_t count = 0;
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i, ++count) {
        const keel_entity e = keeli_entity_at(&world->entities, i);
        const keeli_link *link = keeli_link_of(&world->relations.child->edges.chains, i);
        const keel_entity parent = link && link->stamp ? link->target : keel_null();
        const keeli_name *name = keeli_name_at(world, e);
        const bool is_listed = name && name->is_listed && keel_is_same(name->entity, e) &&
                               keel_is_same(name->parent, parent);
        if (!is_listed || keeli_name_find(world, parent, name->text, name->length) != name)
            return false;
    }
    return count == world->names.count;
}
