// SPDX-License-Identifier: MIT
// Definitions are few and never change, so they are kept in a plain array until the process ends
// and compared one by one; each descriptor asks once.
#include "data/component_index.h"

#include "base/platform/platform.h"

#include <stdlib.h>
#include <string.h>

typedef struct definition {
    char *name, *file; // owned
    uint32_t size, align;
    keel_storage storage;
    bool is_unique, is_event;
} definition;

static keeli_lock lock = KEELI_LOCK_INIT;
static definition *definitions;
static uint32_t count, capacity;

const char *keeli_base_name(const char *path) {
    const char *base = path ? path : "";
    for (const char *c = base; *c; ++c)
        if (*c == '/' || *c == '\\') base = c + 1;
    return base;
}

static bool is_same(const definition *d, const keel_component *c) {
    return d->size == c->size && d->align == (c->align ? c->align : 1) &&
           d->storage == c->storage && d->is_unique == c->is_unique && d->is_event == c->is_event &&
           strcmp(d->name, keeli_component_name(c)) == 0 &&
           strcmp(d->file, keeli_base_name(c->file)) == 0;
}

static char *copy_text(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static bool append(const keel_component *c) {
    if (count == capacity) {
        const uint32_t grown = capacity ? capacity * 2 : 64;
        definition *fresh = realloc(definitions, grown * sizeof *fresh);
        if (!fresh) return false;
        definitions = fresh;
        capacity = grown;
    }
    char *name = copy_text(keeli_component_name(c)), *file = copy_text(keeli_base_name(c->file));
    if (!name || !file) {
        free(name);
        free(file);
        return false;
    }
    definitions[count++] = (definition){ .name = name,
                                         .file = file,
                                         .size = c->size,
                                         .align = c->align ? c->align : 1,
                                         .storage = c->storage,
                                         .is_unique = c->is_unique,
                                         .is_event = c->is_event };
    return true;
}

static uint32_t look_up(const keel_component *c) {
    for (uint32_t i = 0; i < count; ++i)
        if (is_same(&definitions[i], c)) return i + 1;
    return append(c) ? count : 0;
}

uint32_t keeli_component_index(const keel_component *c) {
    uint32_t index = c->slot ? keeli_atomic_load(c->slot) : 0;
    if (index || !keeli_component_name(c)) return index;
    keeli_lock_take(&lock);
    index = look_up(c);
    keeli_lock_give(&lock);
    if (c->slot && index) keeli_atomic_store(c->slot, index);
    return index;
}

uint64_t keeli_stamp(uint64_t *stamp) {
    static uint64_t last;
    keeli_lock_take(&lock);
    if (!*stamp) __atomic_store_n(stamp, ++last, __ATOMIC_RELEASE);
    const uint64_t now = *stamp;
    keeli_lock_give(&lock);
    return now;
}

// For leak checkers; descriptors are not used after this.
__attribute__((destructor)) static void free_definitions(void) {
    for (uint32_t i = 0; i < count; ++i) {
        free(definitions[i].name);
        free(definitions[i].file);
    }
    free(definitions);
    definitions = NULL;
    count = capacity = 0;
}
