// SPDX-License-Identifier: MIT
// Checks, registers, finds and unregisters the components, uniques and types of events of a world,
// and looks entities up by handle or index. It does not store values (storage.c) and does not
// decide who may edit them (borrow.c). Verbs call it to find the component that they name; world.c
// calls it when a world is created or destroyed.
#include "registry.h"

#include "borrow.h"
#include "field.h"
#include "names.h"
#include "report.h"
#include "scope.h"
#include "storage.h"

#include <keel/typed.h>
#include <stdio.h>
#include <string.h>

const char keeli_library = 'k';
static uint32_t slot_of_none; // stays 0, which is no component's number
const keel_component keel_entities = { .name = "keel_entities", .slot = &slot_of_none };

keel_result keeli_world_is_ours(const keel_world *world, keel_world *teller) {
    if (world->library == &keeli_library)
        return KEEL_OK;
    return keeli_error(teller, KEEL_ERROR_COMPONENT,
                       "the world was made by another copy of libkeel in this process; link "
                       "programs and plug-ins to one shared library");
}

// Returns the kind of a component for messages.
static const char *kind_of(const keel_component *c) {
    if (c->is_event)
        return "type of events";
    return c->is_unique ? "unique" : "component";
}

// ------------------------------------------------------------------ checks
enum { WRONG_TEXT = 200 };
// Returns what is wrong with the options of relations, or NULL.
static const char *what_is_wrong_with_relation(const keel_component *c) {
    if ((c->exclusive || c->acyclic || c->symmetric || c->on_delete) && !c->is_relation)
        return "has an option of relations; declare it with KEEL_RELATION";
    if ((uint32_t)c->on_delete > KEEL_REFUSE)
        return "has an unknown .on_delete";
    if (c->acyclic && !c->exclusive)
        return "is .acyclic, which only exclusive relations can be: add .exclusive = true";
    if (c->acyclic && c->symmetric)
        return "is .acyclic and .symmetric, but a symmetric edge is a cycle; leave out one option";
    if (c->is_relation && c->is_unique)
        return "is a relation and a unique; a unique cannot be a relation";
    if (c->is_relation && c->size && c->storage == KEEL_ARCHETYPE)
        return "is a relation in KEEL_ARCHETYPE, where losing a target may need memory for another "
               "row; use another storage";
    if (c->is_relation && !c->size && (c->drop || c->copy || c->move || c->hash))
        return "is a relation without values, but has hooks for values; leave the hooks out";
    return NULL;
}

// Returns what is wrong with a descriptor, or NULL. `room` is for texts that name a field.
static const char *what_is_wrong(const keel_component *c, char room[WRONG_TEXT]) {
    const uint32_t align = c->align ? c->align : 1;
    if (c == &keel_entities)
        return "stands for living entities and is no component; it can be observed, collected "
               "from, reserved and counted";

    if (!keeli_component_name(c) || !*keeli_component_name(c))
        return "has no name";
    if (c->size > KEEL_MAX_COMPONENT_SIZE)
        return "is larger than 64 KiB; store a pointer";
    if (align > KEEL_MAX_COMPONENT_ALIGN || (align & (align - 1)))
        return "has an alignment that is not a power of two up to 4096";
    if (c->size % align)
        return "has a size that is not a multiple of its alignment";
    if ((uint32_t)c->storage > KEEL_ARCHETYPE)
        return "has an unknown storage";
    if (c->tracking & ~(uint32_t)KEEL_TRACK_ALL)
        return "has unknown bits in .tracking";

    const char *wrong_relation = what_is_wrong_with_relation(c);
    if (wrong_relation)
        return wrong_relation;

    if (c->tracking && c->is_unique)
        return "is a unique, which is always tracked; leave .tracking out";
    if (c->is_event && !c->is_unique)
        return "is a type of events but not a unique; set is_unique, too";
    if (c->initial && (c->is_event || c->is_relation))
        return "has an .initial value, which only components and uniques have";
    if (c->required && (c->is_unique || c->is_relation))
        return "has .required components, which only components have";
    if (c->initial && c->drop && !c->copy)
        return "has an .initial value and a drop hook, but no copy hook to copy it with";
    if (!c->save != !c->load)
        return "has only one of .save and .load; give it both or neither";
    if (c->save && (!c->size || c->is_event))
        return "has .save, but no value that files could save; leave .save and .load out";
    if (c->saved_as && !*c->saved_as)
        return "has a .saved_as that is empty";
    if (c->limit && !c->is_event)
        return "has a .limit, which only types of events have; for changes use keel_set_limit";
    if ((uint32_t)c->threads > KEEL_THREADS_OWNER_ONLY)
        return "has an unknown rule for threads";
    if (c->field_count && !c->fields)
        return "has a field count but no fields";

    keeli_writer wrong = keeli_writer_begin(room, WRONG_TEXT);
    return keeli_fields_are_valid(c, &wrong) ? NULL : room;
}

// Reports a descriptor in which something is wrong. Returns KEEL_ERROR_ARGUMENT.
static keel_result refuse(keel_world *world, const keel_component *c, const char *wrong) {
    const char *name = keeli_component_name(c);
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "%s '%s' %s", kind_of(c), name ? name : "",
                        wrong);
}

// Returns the chain of storages that the name belongs to. The world must have chains.
static keeli_storage **registry_chain(const keel_world *world, const char *name) {
    const uint64_t hash = keeli_hash(name, strlen(name), 0);
    return &world->registry.by_name[hash & (world->registry.chain_count - 1)];
}

static void put_name(keel_world *world, keeli_storage *s) {
    keeli_storage **chain = registry_chain(world, s->component.name);
    s->next_by_name = *chain;
    *chain = s;
}

static keeli_storage *find_name(const keel_world *world, const char *name, bool is_unique,
                                bool is_event) {
    if (!world->registry.chain_count)
        return NULL;

    keeli_storage *s = *registry_chain(world, name);
    while (s && (s->component.is_unique != is_unique || s->component.is_event != is_event ||
                 strcmp(s->component.name, name) != 0))
        s = s->next_by_name;
    return s;
}

// Makes room for the name of one more component; false when out of memory.
static bool reserve_registry_name(keel_world *world) {
    const uint32_t old = world->registry.chain_count, grown = old ? old * 2 : KEELI_SIZE(64, 1);
    if (world->storages.count < old)
        return true;

    keeli_storage **fresh = keeli_new_zeroed(&world->heap, grown * sizeof(void *), sizeof(void *));
    if (!fresh)
        return false;

    keeli_free(&world->heap, world->registry.by_name, old * sizeof(void *), sizeof(void *));
    world->registry.by_name = fresh;
    world->registry.chain_count = grown;
    for (uint32_t i = 0; i < world->storages.count; ++i)
        put_name(world, world->storages.items[i]);
    return true;
}

const char *keeli_storage_text(keel_storage storage) {
    static const char *const names[] = { "sparse set", "indexed", "archetype" };
    return names[storage];
}

// Writes where a component is defined, and the properties that tell two definitions apart.
static const char *describe(char *text, size_t size, const keel_component *c) {
    const int n = c->file ? snprintf(text, size, "%.40s:%d", keeli_base_name(c->file), c->line)
                          : snprintf(text, size, "made at run time");
    snprintf(text + n, size - (size_t)n, " (%u bytes, alignment %u, %s)", (unsigned)c->size,
             c->align ? (unsigned)c->align : 1u, keeli_storage_text(c->storage));
    return text;
}

// Reports that a component has the name of a known one. Returns KEEL_ERROR_COMPONENT.
static keel_result name_clash(keel_world *world, const keeli_storage *known,
                              const keel_component *c) {
    const keel_component *a = &known->component;
    char first[128], second[128];
    return keeli_error(world, KEEL_ERROR_COMPONENT,
                       "two %ss are named '%s': %s and %s; rebuild the older side, or give one of "
                       "them .name = \"...\"",
                       kind_of(a), a->name, describe(first, sizeof first, a),
                       describe(second, sizeof second, c));
}

// Returns KEEL_OK if the descriptor may have its slot. A copy of a descriptor has the slot of the
// original, so that typed verbs find the same component through both; it is an error if it was
// changed into the descriptor of another component.
static keel_result check_slot(keel_world *world, const keel_component *c) {
    if (keeli_component_is_like(c))
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_COMPONENT,
                       "%s '%s' is a copy of the descriptor of another component and still has "
                       "its .slot; set .slot and .declared of the copy to NULL",
                       kind_of(c), keeli_component_name(c));
}

// ------------------------------------------------------------------ making and freeing
static void drop_unique(keel_world *world, keeli_storage *s) {
    const keel_component *c = &s->component;
    if (!s->unique)
        return;
    keeli_value_drop(s, s->unique);
    keeli_free(&world->heap, s->unique, c->size ? c->size : 1, c->align);
    s->unique = NULL;
}

void keeli_levels_release(keeli_heap *heap, keeli_levels *l) {
    l->is_made = false;
    KEELI_RELEASE(heap, &l->entities);
    KEELI_RELEASE(heap, &l->targets);
    KEELI_RELEASE(heap, &l->starts);
    KEELI_RELEASE(heap, &l->places);
}

// Makes the relation of a storage spare, if `s` is its storage `sources`. A loop over the edges may
// still be open, so the memory of the relation remains.
static void spare_relation(keel_world *world, const keeli_storage *s) {
    keeli_relation *r = s->relation;
    if (!r)
        return;
    if (s != r->sources) {
        r->targets = NULL;
        return;
    }

    keeli_edges_deinit(&r->edges, &world->heap);
    keeli_levels_release(&world->heap, &r->levels);
    keeli_lock_deinit(&r->levels.lock);
    if (r->targets)
        r->targets->relation = NULL;
    r->born = r->edges.edits;
    r->next = world->relations.spare;
    world->relations.spare = r;
}

// Frees the queue of a type of events.
static void free_events(keel_world *world, const keeli_storage *s) {
    if (!s->events)
        return;

    for (uint32_t i = 0; i < world->registry.queues.count; ++i)
        if (world->registry.queues.items[i] == s)
            world->registry.queues.items[i] =
                world->registry.queues.items[--world->registry.queues.count];
    keeli_queue_deinit(s->events, &world->heap);
    KEELI_FREE(&world->heap, keeli_queue, s->events);
}

static void deinit_storage(keel_world *world, keeli_storage *s) {
    keeli_heap *heap = &world->heap;
    keel_component *c = &s->component;
    keeli_store_deinit(world, s);
    keeli_required_end(world, s);
    spare_relation(world, s);
    free_events(world, s);
    drop_unique(world, s);
    keeli_free_text(heap, (char *)(uintptr_t)c->name);
    keeli_free_text(heap, (char *)(uintptr_t)c->type);
    keeli_free_text(heap, (char *)(uintptr_t)c->file);
    keeli_free_text(heap, (char *)(uintptr_t)c->saved_as);
    keeli_fields_free(heap, c->fields, c->field_count);
    keeli_free(heap, s->mask, c->size, c->align);
}

static void free_storage(keel_world *world, keeli_storage *s) {
    deinit_storage(world, s);
    KEELI_FREE(&world->heap, keeli_storage, s);
}

// Frees everything in a storage and makes it spare. The struct remains until the world ends, since
// users may still have columns of it; they find no values.
static void spare_storage(keel_world *world, keeli_storage *s) {
    const uint32_t slot = s->slot, size = s->size;
    const keel_storage kind = s->kind;
    deinit_storage(world, s);
    *s = (keeli_storage){ .slot = slot, .size = size, .kind = kind };
    keeli_store_connect(world, s);
    s->next_by_name = world->registry.spare;
    world->registry.spare = s;
}

// Returns KEEL_INDEXED for a relation without a value for each source: it has only bits.
static keel_storage storage_kind_of(const keel_component *c) {
    const bool has_only_bits = c->is_relation && (keeli_values_are_of_edges(c) || !c->size);
    return has_only_bits ? KEEL_INDEXED : c->storage;
}
// Returns the size of the value that the storage has for each entity.
static uint32_t storage_size_of(const keel_component *c) {
    return keeli_values_are_of_edges(c) ? 0 : c->size;
}

// Returns a zeroed storage: a spare one that columns of the same component may refer to and whose
// values have the same size and kind, or else a new one. NULL when out of memory.
static keeli_storage *acquire_storage(keel_world *world, const keel_component *c, uint32_t index) {
    keeli_storage **at = &world->registry.spare;
    while (*at && ((*at)->slot != index || (*at)->size != storage_size_of(c) ||
                   (*at)->kind != storage_kind_of(c)))
        at = &(*at)->next_by_name;

    keeli_storage *s = *at;
    if (!s)
        return KEELI_NEW(&world->heap, keeli_storage);
    *at = s->next_by_name;
    *s = (keeli_storage){ .slot = index };
    return s;
}

// Returns a zeroed relation, a spare one if no loop is open over it; NULL when out of memory.
static keeli_relation *acquire_relation(keel_world *world) {
    keeli_relation **link = &world->relations.spare;
    while (*link && (*link)->edges.walks)
        link = &(*link)->next;

    keeli_relation *r = *link;
    if (!r)
        return KEELI_NEW(&world->heap, keeli_relation);
    *link = r->next;
    *r = (keeli_relation){ .born = r->born };
    return r;
}

// Copies a descriptor into its storage. Texts that could not be copied are NULL there.
static void copy_descriptor(keeli_heap *heap, keeli_storage *s, const keel_component *c) {
    keel_component *own = &s->component;
    *own = *c;
    own->align = c->align ? c->align : 1;
    own->name = keeli_new_text(heap, keeli_component_name(c));
    own->type = keeli_new_text(heap, c->type ? c->type : keeli_component_name(c));
    own->file = c->file ? keeli_new_text(heap, keeli_base_name(c->file)) : NULL;
    own->saved_as = c->saved_as ? keeli_new_text(heap, c->saved_as) : NULL;
    own->fields = keeli_fields_copy(heap, c->fields, c->field_count);
    own->slot = &s->slot;
    own->declared = NULL; // the declaration may be in a library that is unloaded
    own->storage = storage_kind_of(c);
}

// Gives the storage of the sources a relation, without the storage of its targets. False when out
// of memory.
static bool add_relation(keel_world *world, keeli_storage *s, const keel_component *c) {
    keeli_relation *r = acquire_relation(world);
    if (!r)
        return false;

    if (c->size && keeli_values_are_of_edges(c))
        keeli_edges_init_valued(&r->edges, c->exclusive, c->symmetric, c->size, s->component.align);
    else
        keeli_edges_init(&r->edges, c->exclusive, c->symmetric);
    r->edges.edits = r->born;
    r->is_simple = r->edges.is_chained && !c->size;
    r->is_acyclic = c->acyclic;
    keeli_lock_init(&r->levels.lock);
    r->sources = s;
    s->relation = r;
    s->flags |= KEELI_IS_LINK;
    return true;
}

// Gives the storage of a type of events a queue. False when out of memory.
static bool add_events(keel_world *world, keeli_storage *s) {
    keeli_heap *heap = &world->heap;
    if (!KEELI_RESERVE(heap, &world->registry.queues, 1))
        return false;
    s->events = KEELI_NEW(heap, keeli_queue);
    if (!s->events)
        return false;

    keeli_queue_init(s->events, &s->component, false);
    *KEELI_APPEND(&world->registry.queues) = s;
    return true;
}

// Finds out which bits of a value are padding, if the descriptor tells. False when out of memory.
static bool find_padding(keeli_heap *heap, keeli_storage *s) {
    const keel_component *c = &s->component;
    if (!c->clear_padding || !c->size || c->no_padding || c->field_count)
        return true; // it does not tell, or says otherwise which bytes count
    s->mask = keeli_new(heap, c->size, c->align);
    if (!s->mask)
        return false;

    memset(s->mask, 0xFF, c->size);
    c->clear_padding(s->mask);
    s->knows_padding = true;
    uint32_t at = 0;
    while (at < c->size && s->mask[at] == 0xFF)
        ++at;
    if (at == c->size) {
        keeli_free(heap, s->mask, c->size, c->align);
        s->mask = NULL;
    }
    return true;
}

// Returns the storage of a component, not registered yet; NULL when out of memory.
static keeli_storage *new_storage(keel_world *world, const keel_component *c, uint32_t index) {
    keeli_storage *s = acquire_storage(world, c, index);
    if (!s)
        return NULL;

    const keel_component *own = &s->component;
    copy_descriptor(&world->heap, s, c);
    s->has_handles = own->fields && keeli_fields_have_entities(own->fields, own->field_count);
    s->world = world;
    s->slot = index;

    const bool has_texts = own->name && own->type && (!c->file || own->file) &&
                           (!c->saved_as || own->saved_as) && (!c->field_count || own->fields);
    const bool has_relation = !c->is_relation || add_relation(world, s, c);
    const bool has_events = !c->is_event || add_events(world, s);
    if (!has_texts || !has_relation || !has_events || !find_padding(&world->heap, s)) {
        s->size = storage_size_of(c);
        s->kind = storage_kind_of(c);
        spare_storage(world, s); // an older column may refer to the storage, so it stays spare
        return NULL;
    }

    keeli_store_init(world, s);
    s->tracking.kinds = c->tracking;
    s->flags |= c->tracking << KEELI_KINDS_FROM;
    if (!c->is_unique && (c->initial || c->required))
        s->flags |= KEELI_IS_MORE;
    if (keeli_store_has_edge_values(s) || !keeli_component_is_stored_so(index, own->storage))
        s->flags |= KEELI_IS_STORED_OTHERWISE;
    if (world->templates == world)
        s->flags |= KEELI_IS_TEMPLATE;
    keeli_threads_bind(s);
    return s;
}

// Sets a unique to its initial value, if its descriptor has one.
static keel_result set_initial(keel_world *world, keeli_storage *s) {
    const keel_component *c = &s->component;
    const size_t bytes = c->size ? c->size : 1;
    if (!c->initial || !c->is_unique)
        return KEEL_OK;

    void *value = keeli_new_zeroed(&world->heap, bytes, c->align);
    if (!value)
        return keeli_out_of_memory(world, "registering a unique");
    if (!c->copy)
        memcpy(value, c->initial, c->size);
    if (c->copy && !keeli_hook_copy(s, value, c->initial)) {
        keeli_free(&world->heap, value, bytes, c->align);
        if (c->is_move_only)
            return keeli_cannot_copy(world, s);
        return keeli_error(world, KEEL_ERROR_COPY,
                           "the copy hook of '%s' failed for its initial value", c->name);
    }

    s->unique = value;
    s->set_at = world->changes.tick;
    return KEEL_OK;
}

// ------------------------------------------------------------------ the table
// The root that keel_get reads for a number that is free in this world, and for components with a
// rule about threads. It has no places, so keel_get calls the exported function.
static const struct keeli_bits_root no_bits;
static const struct keeli_set_root no_set = { .bits = &no_bits };

static size_t table_bytes(uint32_t capacity) { return (size_t)2 * capacity * sizeof(void *); }

// Makes room for a process-wide number in the table of storages; false when out of memory.
static bool reserve_number(keel_world *world, uint32_t index) {
    const struct keeli_world_root old = world->root;
    if (index < old.storage_capacity)
        return true;

    uint32_t grown = old.storage_capacity ? old.storage_capacity * 2 : KEELI_SIZE(64, 1);
    if (grown <= index)
        grown = index + 1;
    void **fresh = keeli_new_zeroed(&world->heap, table_bytes(grown), sizeof(void *));
    if (!fresh)
        return false;

    const struct keeli_set_root **sets = (const struct keeli_set_root **)(void *)(fresh + grown);
    for (uint32_t i = 0; i < grown; ++i)
        sets[i] = i < old.storage_capacity ? old.sets[i] : &no_set;
    if (old.storages) {
        memcpy(fresh, old.storages, old.storage_capacity * sizeof(void *));
        keeli_free(&world->heap, old.storages, table_bytes(old.storage_capacity), sizeof(void *));
    }

    world->root.sets = sets;
    world->root.storages = (keeli_storage **)(void *)fresh;
    world->root.storage_capacity = grown;
    keeli_world_open(world, world->root.scope.kind != KEELI_SCOPE_RUNNING);
    return true;
}

// Enters a storage under its process-wide number; NULL frees the number in this world.
static void put_number(keel_world *world, uint32_t index, keeli_storage *s) {
    world->root.storages[index] = s;
    const uint32_t asks = KEELI_IS_BOUND | KEELI_IS_STORED_OTHERWISE;
    world->root.sets[index] = s && !(s->flags & asks) ? s->root : &no_set;
}

// Gives a storage its number for component lists, the lowest that is free, and returns the number.
static uint16_t put_ordinal(keel_world *world, keeli_storage *s) {
    uint32_t n = 0;
    if (world->storages.count == world->registry.by_ordinal.count) {
        n = world->registry.by_ordinal.count++;
    } else {
        while (world->registry.by_ordinal.items[n])
            ++n;
    }
    world->registry.by_ordinal.items[n] = s;
    return (uint16_t)n;
}

// Returns KEEL_OK if the world may register a component that it does not know yet.
static keel_result may_register(keel_world *world, const keel_component *c) {
    char room[WRONG_TEXT];
    const char *wrong = what_is_wrong(c, room);
    if (wrong)
        return refuse(world, c, wrong);

    const keeli_storage *known =
        find_name(world, keeli_component_name(c), c->is_unique, c->is_event);
    if (known)
        return name_clash(world, known, c);

    // Other threads, or an edit that calls the user's code, may be reading the table of storages.
    // Nothing reads it while an observer is called.
    if (world->refused & ~(uint32_t)KEELI_REFUSED_OBSERVER)
        KEEL_TRY(keeli_world_is_editable(world));
    if (world->storages.count > UINT16_MAX)
        return keeli_error(world, KEEL_ERROR_FULL, "a world knows at most 65,536 components");
    if (c->threads)
        KEEL_TRY(keeli_check_new_value(world, c));
    return check_slot(world, c);
}

// Registers a component, but of a relation only the storage `sources`. NULL on error, with the
// error in `*result`.
static keeli_storage *register_storage(keel_world *world, const keel_component *c,
                                       keel_result *result) {
    *result = may_register(world, c);
    if (*result < 0)
        return NULL;

    const uint32_t index = keeli_component_acquire(c);
    keeli_storage *s = NULL;
    if (index && reserve_number(world, index) && KEELI_RESERVE(&world->heap, &world->storages, 1) &&
        reserve_registry_name(world) && KEELI_RESERVE(&world->heap, &world->registry.by_ordinal, 1))
        s = new_storage(world, c, index);
    if (s && (!keeli_required_begin(world, s) || !keeli_holders_want_new(world, s))) {
        free_storage(world, s);
        s = NULL;
    }
    *result = s ? set_initial(world, s) : keeli_out_of_memory(world, "registering a component");
    if (*result < 0) {
        if (s)
            free_storage(world, s);
        keeli_component_release(index);
        return NULL;
    }

    ++world->registry.bindings;
    s->ordinal = put_ordinal(world, s);
    s->position = world->storages.count++;
    world->storages.items[s->position] = s;
    put_name(world, s);
    put_number(world, index, s);
    keeli_names_begin(world, s);
    if (s->flags & KEELI_IS_BOUND)
        keeli_threads_update(world);
    return s;
}

// Registers the storage `targets` of a relation and adds the relation to the world. On error the
// relation is unregistered and NULL returned.
static keeli_storage *complete_relation(keel_world *world, keeli_storage *s, keel_result *result) {
    keeli_relation *relation = s->relation;
    char name[128];
    snprintf(name, sizeof name, "%.100s (targets)", s->component.name);
    const keel_component targets = { .name = name,
                                     .storage = KEEL_INDEXED,
                                     .transient = s->component.transient,
                                     .file = s->component.file,
                                     .line = s->component.line };
    relation->targets = register_storage(world, &targets, result);
    if (!relation->targets) {
        keeli_storage_forget(world, s);
        return NULL;
    }

    relation->targets->relation = relation;
    relation->targets->flags |= KEELI_IS_LINK;
    relation->next = world->relations.all;
    world->relations.all = relation;
    if (s->component.on_delete != KEEL_UNRELATE) {
        s->flags |= KEELI_HAS_RULE;
        ++world->relations.rule_count;
    }
    return s;
}

keeli_storage *keeli_storage_get(keel_world *world, const keel_component *c, bool is_unique,
                                 keel_result *result) {
    *result = KEEL_OK;
    keeli_storage *known = keeli_storage_known(world, c); // the usual case
    if (known && world->library == &keeli_library && known->component.is_unique == is_unique &&
        c->is_unique == is_unique)
        return known;

    if (!c) {
        *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                               "the component is NULL; pass KEEL_OF(T), or a component that "
                               "keel_find_component returned");
        return NULL;
    }
    *result = keeli_world_is_ours(world, world);
    if (*result != KEEL_OK)
        return NULL;
    if (c->is_unique != is_unique) {
        *result =
            keeli_misuse(world, KEEL_ERROR_ARGUMENT, "'%s' is a %s, not a %s",
                         keeli_component_name(c), kind_of(c), is_unique ? "unique" : "component");
        return NULL;
    }

    char room[WRONG_TEXT];
    keeli_storage *s = what_is_wrong(c, room) ? NULL : keeli_storage_find(world, c);
    if (s)
        return s;

    if (c->required && !c->is_unique && !c->is_relation) {
        *result = keeli_required_get(world, c);
        if (*result < 0)
            return NULL;
    }
    s = register_storage(world, c, result);
    return s && s->relation ? complete_relation(world, s, result) : s;
}

keeli_storage *keeli_followed_get(keel_world *world, const keel_component *c, keel_result *result) {
    *result = KEEL_OK;
    if (c == &keel_entities)
        return &world->stand_in.entities;
    return keeli_storage_get(world, c, false, result);
}

bool keeli_registry_init(keel_world *world) {
    keel_result result;
    keel_component child = *KEEL_OF(keel_child);
    child.on_delete = world->relations.of_children;
    const keeli_storage *s = keeli_storage_get(world, &child, false, &result);
    if (!s)
        return false;
    world->relations.child = s->relation;
    world->relations.tree = (struct keeli_tree){ .world = world,
                                                 .chains = &s->relation->edges.chains,
                                                 .edits = &s->relation->edges.edits };
    return true;
}

void keeli_registry_drop(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        drop_unique(world, s);
        if (s->events)
            keeli_queue_clear(s->events);
    }
}

void keeli_registry_deinit(keel_world *world) {
    keeli_names_end(world, world->names.storage);
    for (uint32_t i = world->storages.count; i--;) { // a component before those that it requires
        const uint32_t number = world->storages.items[i]->slot;
        free_storage(world, world->storages.items[i]);
        keeli_component_release(number);
    }

    for (keeli_storage *s; (s = world->registry.spare) != NULL;) {
        world->registry.spare = s->next_by_name;
        KEELI_FREE(&world->heap, keeli_storage, s);
    }
    for (keeli_relation *r; (r = world->relations.spare) != NULL;) {
        world->relations.spare = r->next;
        KEELI_FREE(&world->heap, keeli_relation, r);
    }

    keeli_free(&world->heap, world->registry.by_name, world->registry.chain_count * sizeof(void *),
               sizeof(void *));
    KEELI_RELEASE(&world->heap, &world->storages);
    KEELI_RELEASE(&world->heap, &world->registry.by_ordinal);
    KEELI_RELEASE(&world->heap, &world->registry.queues);
    KEELI_RELEASE(&world->heap, &world->relations.doomed);
    KEELI_RELEASE(&world->heap, &world->relations.marks);
    keeli_free(&world->heap, world->root.storages, table_bytes(world->root.storage_capacity),
               sizeof(void *));
}

// ------------------------------------------------------------------ registered again
typedef struct option {
    const char *name;
    bool is_given; // the new descriptor sets the option
    bool is_other; // its value differs from that of the known component
} option;

static bool is_saved_otherwise(const keel_component *a, const keel_component *b) {
    const char *one = a->saved_as ? a->saved_as : keeli_component_name(a);
    return strcmp(one, b->saved_as ? b->saved_as : keeli_component_name(b)) != 0;
}

// Returns the name of the first option whose value differs from that of the known component, or
// NULL. Only options that decide how values are stored, required or deleted are compared. A
// descriptor that sets none of them accepts the component as it is.
static const char *other_option(const keel_world *world, const keeli_storage *s,
                                const keel_component *c) {
    const keel_component *own = &s->component;
    const bool is_tree =
        s->relation && s->relation == world->relations.child; // the world sets its .on_delete
    const option options[] = {
        { ".required", c->required != NULL, !keeli_required_are(world, s, c->required) },
        { ".exclusive", c->exclusive, c->exclusive != own->exclusive },
        { ".acyclic", c->acyclic, c->acyclic != own->acyclic },
        { ".symmetric", c->symmetric, c->symmetric != own->symmetric },
        { ".on_delete", c->on_delete != 0, !is_tree && c->on_delete != own->on_delete },
        { ".no_padding", c->no_padding, c->no_padding != own->no_padding },
        { ".transient", c->transient, c->transient != own->transient },
        { ".threads", c->threads != 0, c->threads != own->threads },
        { ".limit", c->limit != 0, c->limit != own->limit },
        { ".saved_as", c->saved_as != NULL, is_saved_otherwise(c, own) },
    };
    const char *other = c->is_relation != own->is_relation ? ".is_relation" : NULL;
    bool is_any_given = other != NULL;
    for (uint32_t i = 0; i < sizeof options / sizeof *options; ++i) {
        is_any_given |= options[i].is_given;
        if (!other && options[i].is_other)
            other = options[i].name;
    }
    return is_any_given ? other : NULL;
}

// Returns KEEL_OK if the known component may get the hooks, tracking and initial value of `c`.
static keel_result check_again(keel_world *world, const keeli_storage *s, const keel_component *c) {
    const char *other = other_option(world, s, c);
    if (other)
        return keeli_error(world, KEEL_ERROR_COMPONENT,
                           "%s '%s' is registered again with another %s than before; unregister it "
                           "first, or give it the same options",
                           kind_of(c), s->component.name, other);

    keel_component then = *c;
    if (!then.initial)
        then.initial = s->component.initial;
    char room[WRONG_TEXT];
    const char *wrong = what_is_wrong(&then, room);
    return wrong ? refuse(world, c, wrong) : KEEL_OK;
}

keeli_storage *keeli_storage_register(keel_world *world, const keel_component *c,
                                      keel_result *result) {
    *result = keeli_world_is_editable(world);
    if (*result < 0)
        return NULL;
    keeli_storage *s = keeli_storage_get(world, c, c && c->is_unique, result);
    if (!s)
        return NULL;

    *result = check_slot(world, c);
    if (*result == KEEL_OK)
        *result = check_again(world, s, c);
    return *result < 0 ? NULL : s;
}

// ------------------------------------------------------------------ public
void keeli_storage_forget(keel_world *world, keeli_storage *s) {
    world->registry.by_ordinal.items[s->ordinal] = NULL;
    ++world->registry.bindings;

    keeli_storage **link = registry_chain(world, s->component.name);
    while (*link != s)
        link = &(*link)->next_by_name;
    *link = s->next_by_name;

    --world->storages.count;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        if (i >= s->position)
            world->storages.items[i] = world->storages.items[i + 1];
        keeli_storage *other = world->storages.items[i];
        other->position = i;
        other->known = (keeli_known_order){ .oldest = 0 }; // its leader may be this storage
    }

    const uint32_t number = s->slot;
    put_number(world, number, NULL);
    const bool was_bound = s->flags & KEELI_IS_BOUND;
    keeli_names_end(world, s);
    spare_storage(world, s);
    keeli_component_release(number);
    if (was_bound)
        keeli_threads_update(world);
}

const keel_component *keel_find_component(const keel_world *world, const char *name) {
    if (keeli_is_nobody(world) || !name)
        return NULL;
    const keeli_storage *s = find_name(world, name, false, false);
    if (!s)
        s = find_name(world, name, true, false);
    if (!s)
        s = find_name(world, name, true, true);
    return s && !keeli_store_has_sources(s) ? &s->component : NULL;
}

// Returns the position of the component that follows `after`: 0 if `after` is NULL, the number of
// components if the world does not know `after`.
static uint32_t place_after(const keel_world *world, const keel_component *after) {
    if (!after)
        return 0;
    const keeli_storage *s = keeli_storage_find(world, after);
    return s ? s->position + 1 : world->storages.count;
}

static const keel_component *next_of_kind(const keel_world *world, const keel_component *after,
                                          bool is_unique, bool is_event) {
    if (keeli_is_nobody(world))
        return NULL;
    for (uint32_t i = place_after(world, after); i < world->storages.count; ++i) {
        const keel_component *c = &world->storages.items[i]->component;
        if (c->is_unique == is_unique && c->is_event == is_event &&
            !keeli_store_has_sources(world->storages.items[i]))
            return c;
    }
    return NULL;
}

const keel_component *keel_next_component(const keel_world *world, const keel_component *after) {
    return next_of_kind(world, after, false, false);
}

const keel_component *keel_next_unique(const keel_world *world, const keel_component *after) {
    return next_of_kind(world, after, true, false);
}

const keel_component *keel_next_event_type(const keel_world *world, const keel_component *after) {
    return next_of_kind(world, after, true, true);
}

const keel_component *keel_next_component_of(const keel_world *world, keel_entity e,
                                             const keel_component *after) {
    if (keeli_is_nobody(world) || !keeli_entity_is_alive(&world->entities, e))
        return NULL;
    const uint32_t index = keeli_index_of(e), from = place_after(world, after);
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    const keeli_storage *next = NULL;
    for (uint32_t i = 0; i < keeli_block_length(world, list); ++i) { // components of its block
        const keeli_storage *s = keeli_block_storage(world, list, i);
        if (!s || keeli_store_has_sources(s))
            continue;

        const bool is_next = s->position >= from && !(next && s->position > next->position);
        if (is_next && keeli_store_has(s, index))
            next = s;
    }
    return next ? &next->component : NULL;
}

uint32_t(keel_component_count)(const keel_scope *scope, const keel_component *component) {
    keeli_caller who;
    if (component == &keel_entities)
        return (keel_entity_count)(scope);
    if (keeli_caller_is(scope, &who) < 0 || !component)
        return 0;
    const keeli_storage *s = keeli_storage_find(who.world, component);
    if (s && who.holder && !keeli_may_look_up(&who, s, KEEL_ACCESS_READ))
        return 0;
    return s ? keeli_store_count(s) : 0;
}

size_t keel_component_memory(const keel_world *world, const keel_component *component) {
    if (keeli_is_nobody(world) || !component)
        return 0;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s)
        return 0;
    return keeli_store_bytes(s) + (s->unique ? s->component.size : 0) +
           (s->events ? sizeof *s->events + keeli_queue_bytes(s->events) : 0);
}

// ------------------------------------------------------------------ about to be edited
keel_result keeli_not_by_hand(keel_world *world, const keeli_storage *s, const char *verb) {
    const char *use = "keel_relate, keel_unrelate";
    if (s == world->names.storage)
        use = "keel_set_name";
    else if (s->relation == world->relations.child)
        use = "keel_attach, keel_detach, keel_unlink";
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot %s '%s' by hand; use %s", verb,
                        s->component.name, use);
}

// Returns the storage if the edit needs no further checks, as in most cases, or else NULL.
static inline keeli_storage *free_to_edit(const keel_world *world, const keeli_holder *holder,
                                          const keel_component *component) {
    keeli_storage *s = keeli_storage_known(world, component);
    const uint32_t asks = KEELI_IS_LINK | KEELI_IS_UNIQUE | KEELI_IS_BOUND | KEELI_IS_TEMPLATE;
    return s && !holder && !(s->flags & asks) && keeli_is_unused(world) ? s : NULL;
}

keeli_storage *keeli_event_refused(keel_world *world, const keel_component *event,
                                   keel_result *result) {
    *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           event ? "'%s' is no type of events; declare it with KEEL_EVENT, and "
                                   "name it with KEEL_EVENT_OF"
                                 : "the type of events%s is NULL; pass KEEL_EVENT_OF(T)",
                           event ? keeli_component_name(event) : "");
    return NULL;
}

// True if the edit changes values, but adds and removes none.
static bool changes_only_values(const char *verb) {
    static const char *const verbs[] = { "write", "mark", "patch", "replace", "clone" };
    bool is_one = false;
    for (uint32_t i = 0; i < sizeof verbs / sizeof *verbs; ++i)
        is_one |= strcmp(verb, verbs[i]) == 0;
    return is_one;
}

keeli_storage *keeli_storage_to_edit(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component, const char *verb,
                                     keel_result *result) {
    keeli_storage *known = free_to_edit(world, holder, component);
    if (known) {
        *result = KEEL_OK;
        return known;
    }

    keeli_storage *s = keeli_storage_get(world, component, false, result);
    if (!s)
        return NULL;

    const bool removes_names =
        s == world->names.storage && (strcmp(verb, "delete") == 0 || strcmp(verb, "clear") == 0);
    const bool writes = keeli_store_is_valued(s) && changes_only_values(verb);
    const bool is_refused = s->flags & KEELI_IS_LINK && !removes_names && !writes;
    *result =
        is_refused ? keeli_not_by_hand(world, s, verb) : keeli_may_edit(world, holder, s, verb);
    return *result < 0 ? NULL : s;
}

keeli_storage *keeli_known_to_edit(keel_world *world, const keeli_holder *holder,
                                   const keel_component *component, const char *verb,
                                   keel_result *result) {
    *result = KEEL_OK;
    keeli_storage *known = free_to_edit(world, holder, component);
    if (known)
        return known;
    if (component && !component->is_unique && !keeli_storage_find(world, component)) {
        if (!holder || keeli_is_inside_edit(world))
            *result = keeli_world_is_editable(world);
        return NULL; // there is nothing to edit; still an error if edits are refused now
    }
    return keeli_storage_to_edit(world, holder, component, verb, result);
}

// ------------------------------------------------------------------ looking at entities
bool(keel_is_alive)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = keeli_world_behind(scope);
    return world && keeli_entity_is_alive(&world->entities, e);
}

keel_entity(keel_entity_at)(const keel_scope *scope, uint32_t index) {
    const keel_world *world = keeli_world_behind(scope);
    if (!world || index > KEEL_MAX_ENTITY_INDEX)
        return keel_null();

    const keeli_entity_index *ix = &world->entities;
    if (index / KEELI_PAGE >= ix->root.page_count)
        return keel_null();
    const keel_entity e = keeli_entity_at(ix, index); // not alive if the index is free
    return keeli_entity_is_alive(ix, e) ? e : keel_null();
}

uint32_t(keel_entity_count)(const keel_scope *scope) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return 0;
    const bool may = keeli_may_look_up(&who, &who.world->stand_in.entities, KEEL_ACCESS_READ);
    return may ? keeli_entity_count(&who.world->entities) : 0;
}

keel_entity keel_next_entity(const keel_world *world, keel_entity after) {
    if (keeli_is_nobody(world))
        return keel_null();
    const uint32_t index = keeli_index_of(after);
    if (!keel_is_null(after) && index >= KEEL_MAX_ENTITY_INDEX)
        return keel_null();
    return keeli_entity_index_next(&world->entities, keel_is_null(after) ? 0 : index + 1);
}

keel_entity keel_next_free_entity(const keel_world *world, keel_entity after) {
    if (keeli_is_nobody(world))
        return keel_null();
    return keeli_entity_index_next_free(&world->entities, after);
}
