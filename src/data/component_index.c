// SPDX-License-Identifier: MIT
// The index of component definitions, see the header. Definitions lie in an array by number, and in
// chains by hash. Free numbers wait in a queue, so that a freed number is not used again at once.
// One lock guards everything: worlds of several threads share the index.
#include "data/component_index.h"

#include "base/bytes.h"
#include "base/platform/platform.h"

#include <stdlib.h>
#include <string.h>

typedef struct definition {
    char *name; // owned, with `file` behind it; NULL: the number is free
    const char *file;
    uint64_t hash;
    uint32_t size, align;
    keel_storage storage;
    bool is_unique, is_event;
    bool is_kept;  // a descriptor's slot has stored the number, so it is never freed
    uint32_t uses; // number of worlds that use the definition
    uint32_t next; // the next number in the chain, or the next free number; 0: none
} definition;

static keeli_lock lock = KEELI_LOCK_INIT;
static definition *definitions;  // by number - 1
static uint32_t *chains;         // by hash: the first number of the chain; `capacity` of them
static uint32_t count, capacity; // numbers handed out so far, and room in `definitions`
static uint32_t first_free, last_free;

const char *keeli_base_name(const char *path) {
    const char *base = path ? path : "";
    for (const char *c = base; *c; ++c)
        if (*c == '/' || *c == '\\')
            base = c + 1;
    return base;
}

// ------------------------------------------------------------------ chains
static uint64_t definition_hash(const keel_component *c) {
    const char *name = keeli_component_name(c), *file = keeli_base_name(c->file);
    return keeli_hash(name, strlen(name), keeli_hash(file, strlen(file), c->size));
}

static bool definition_equals(const definition *d, const keel_component *c, uint64_t hash) {
    return d->hash == hash && d->size == c->size && d->align == (c->align ? c->align : 1) &&
           d->storage == c->storage && d->is_unique == c->is_unique && d->is_event == c->is_event &&
           strcmp(d->name, keeli_component_name(c)) == 0 &&
           strcmp(d->file, keeli_base_name(c->file)) == 0;
}

// True if both have the same name and the same properties that typed verbs use at compile time,
// apart from the storage.
static bool is_alike(const keel_component *a, const keel_component *b) {
    return a->size == b->size && (a->align ? a->align : 1) == (b->align ? b->align : 1) &&
           a->is_unique == b->is_unique && a->is_event == b->is_event &&
           strcmp(keeli_component_name(a), keeli_component_name(b)) == 0;
}

static uint32_t find_definition(const keel_component *c, uint64_t hash) {
    uint32_t number = capacity ? chains[hash & (capacity - 1)] : 0;
    while (number && !definition_equals(&definitions[number - 1], c, hash))
        number = definitions[number - 1].next;
    return number;
}

static void link_chain(uint32_t number) {
    definition *d = &definitions[number - 1];
    uint32_t *chain = &chains[d->hash & (capacity - 1)];
    d->next = *chain;
    *chain = number;
}

// ------------------------------------------------------------------ numbers
// Doubles the room. Called when all numbers are in use.
static bool grow_index(void) {
    const uint32_t grown = capacity ? capacity * 2 : KEELI_SIZE(64, 1);
    definition *fresh = realloc(definitions, grown * sizeof *fresh);
    if (!fresh)
        return false;
    definitions = fresh;

    uint32_t *fresh_chains = calloc(grown, sizeof *fresh_chains);
    if (!fresh_chains)
        return false; // `capacity` stays: the larger array does no harm
    free(chains);
    chains = fresh_chains;
    capacity = grown;

    for (uint32_t number = 1; number <= count; ++number)
        link_chain(number);
    return true;
}

static uint32_t add_definition(const keel_component *c, uint64_t hash) {
    const bool is_full = !first_free && count == capacity;
    if (is_full && !grow_index())
        return 0;

    const char *file = keeli_base_name(c->file);
    const size_t name_size = strlen(keeli_component_name(c)) + 1, file_size = strlen(file) + 1;
    char *name = malloc(name_size + file_size);
    if (!name)
        return 0;
    memcpy(name, keeli_component_name(c), name_size);
    memcpy(name + name_size, file, file_size);

    const uint32_t number = first_free ? first_free : ++count;
    if (first_free)
        first_free = definitions[number - 1].next;
    definitions[number - 1] = (definition){ .name = name,
                                            .file = name + name_size,
                                            .hash = hash,
                                            .size = c->size,
                                            .align = c->align ? c->align : 1,
                                            .storage = c->storage,
                                            .is_unique = c->is_unique,
                                            .is_event = c->is_event };
    link_chain(number);
    return number;
}

static void free_number(uint32_t number) {
    definition *d = &definitions[number - 1];
    uint32_t *at = &chains[d->hash & (capacity - 1)];
    while (*at != number)
        at = &definitions[*at - 1].next;
    *at = d->next;
    free(d->name);
    *d = (definition){ 0 };

    if (first_free)
        definitions[last_free - 1].next = number;
    else
        first_free = number;
    last_free = number;
}

// ------------------------------------------------------------------ functions of the header
// Returns the number of the descriptor's definition, or 0. With `adds_use`, counts one more world
// that uses the definition, and adds it if the index lacks it.
static uint32_t component_number(const keel_component *c, bool adds_use) {
    uint32_t number = c->slot ? keeli_atomic_load(c->slot) : 0;
    if (number && !adds_use)
        return number;
    if (!number && !keeli_component_name(c))
        return 0;

    keeli_lock_acquire(&lock);
    if (!number) {
        // `c` may be a changed copy of the declared descriptor, which owns the slot. Typed verbs
        // were compiled for the declared descriptor, so the slot gets the number of its definition
        const keel_component *own = c->slot && c->declared ? c->declared : c;
        const uint64_t hash = definition_hash(own);
        number = find_definition(own, hash);
        if (!number && adds_use)
            number = add_definition(own, hash);
        if (number && c->slot) {
            definitions[number - 1].is_kept = true;
            keeli_atomic_store(c->slot, number);
        }
    }
    // a number above `count` is from another copy of the library
    if (adds_use && number && number <= count)
        ++definitions[number - 1].uses;
    keeli_lock_release(&lock);
    return number;
}

uint32_t keeli_component_find(const keel_component *c) { return component_number(c, false); }
uint32_t keeli_component_acquire(const keel_component *c) { return component_number(c, true); }

void keeli_component_release(uint32_t number) {
    keeli_lock_acquire(&lock);
    if (number && number <= count) {
        definition *d = &definitions[number - 1];
        --d->uses;
        if (!d->uses && !d->is_kept)
            free_number(number);
    }
    keeli_lock_release(&lock);
}

bool keeli_component_is_like(const keel_component *c) {
    const uint32_t number = c->slot ? keeli_atomic_load(c->slot) : 0;
    if (!number)
        return !c->slot || !c->declared || is_alike(c, c->declared);

    keeli_lock_acquire(&lock);
    definition none = { .name = NULL }; // the number may be from another copy of the library
    const definition *d = number <= count ? &definitions[number - 1] : &none;
    const keel_component as = { .name = d->name,
                                .size = d->size,
                                .align = d->align,
                                .is_unique = d->is_unique,
                                .is_event = d->is_event };
    const bool is_like = !d->name || is_alike(c, &as);
    keeli_lock_release(&lock);
    return is_like;
}

bool keeli_component_is_stored_so(uint32_t number, keel_storage storage) {
    keeli_lock_acquire(&lock);
    const bool is_so = definitions[number - 1].storage == storage;
    keeli_lock_release(&lock);
    return is_so;
}

uint64_t keeli_stamp(uint64_t *stamp) {
    static uint64_t last;
    keeli_lock_acquire(&lock);
    if (!*stamp)
        __atomic_store_n(stamp, ++last, __ATOMIC_RELEASE);
    const uint64_t now = *stamp;
    keeli_lock_release(&lock);
    return now;
}

// Frees everything when the process ends, for leak checkers. Descriptors are not used after this.
__attribute__((destructor)) static void free_definitions(void) {
    for (uint32_t i = 0; i < count; ++i)
        free(definitions[i].name);
    free(definitions);
    free(chains);
    definitions = NULL;
    chains = NULL;
    count = capacity = first_free = 0;
}
