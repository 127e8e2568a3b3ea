// SPDX-License-Identifier: MIT
// Keel and the model side by side: values, choices, comparison.
#include "followers.h"
#include "queues.h"
#include "templates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------ parameters
uint32_t mix_of(uint32_t a, uint32_t b) {
    uint32_t x = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    x ^= x >> 15;
    x *= 0x2C1B3C6Du;
    x ^= x >> 12;
    x *= 0x297A2D39u;
    return x ^ x >> 15;
}

uint8_t roll(dice *d) {
    if (d->at < RECORD) return d->record[d->at++];
    if (d->at++ == RECORD) memcpy(&d->state, d->record, RECORD);
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(d->state >> 56);
}

uint32_t roll_word(dice *d) {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i)
        word = word << 8 | roll(d);
    return word;
}

uint32_t roll_below(dice *d, uint32_t limit) {
    return limit <= 256 ? roll(d) % limit : roll_word(d) % limit;
}

// ------------------------------------------------------------------ lives
enum { TOKENS = 1 << 18 };
static bool alive[TOKENS];
static uint32_t seen[TOKENS]; // the last comparison that met the token
static uint32_t spare[TOKENS], spare_count, made, living, look;
static uint32_t elsewhere; // things that a world owns that is not compared now
static value initials[KINDS], plain_initials[KINDS]; // what some kinds begin with
static const char *fault;                            // what a hook noticed
uint32_t copies_left = UINT32_MAX;

static uint32_t token_make(void) {
    const uint32_t token = spare_count ? spare[--spare_count] : ++made;
    if (token >= TOKENS) {
        fault = "the test ran out of tokens";
        return 0;
    }
    alive[token] = true;
    ++living;
    return token;
}

static void token_release(uint32_t token) {
    if (!token) return;
    if (token >= TOKENS || !alive[token]) {
        fault = "a value was dropped that does not live";
        return;
    }
    alive[token] = false;
    spare[spare_count++] = token;
    --living;
}

// ------------------------------------------------------------------ kinds and hooks
// Two tags, the usual sizes, values that own something, values that know where they are, and values
// that get memory of their own, handles.
const value_kind kinds[ALL_KINDS] = {
    { 0, 1, TAIL_NONE, true },
    { 0, 1, TAIL_NONE, true },
    { 1, 1, TAIL_NONE, true },
    { 4, 4, TAIL_NONE, true },
    { 8, 8, TAIL_NONE, true },
    { 12, 4, TAIL_NONE, true },
    { 64, 64, TAIL_NONE, true },
    { 8, 4, TAIL_TOKEN, true },
    { 12, 4, TAIL_TOKEN, false },
    { 24, 8, TAIL_SELF, true },
    { 1100, 4, TAIL_NONE, true },
    { 1280, 16, TAIL_TOKEN, true },
    { sizeof(pair), _Alignof(pair), TAIL_NONE, true },
    { sizeof(keel_entity), _Alignof(keel_entity), TAIL_NONE, true },
};

static uint32_t tail_size(uint32_t k) {
    return kinds[k].tail == TAIL_TOKEN  ? 4
           : kinds[k].tail == TAIL_SELF ? (uint32_t)sizeof(void *)
                                        : 0;
}
uint32_t payload_size(uint32_t k) { return kinds[k].size - tail_size(k); }

static uint32_t token_of(const void *v, uint32_t k) {
    uint32_t token;
    memcpy(&token, (const char *)v + payload_size(k), sizeof token);
    return token;
}
static void set_token(void *v, uint32_t k, uint32_t token) {
    memcpy((char *)v + payload_size(k), &token, sizeof token);
}
static const void *self_of(const void *v, uint32_t k) {
    const void *self;
    memcpy(&self, (const char *)v + payload_size(k), sizeof self);
    return self;
}
static void set_self(void *v, uint32_t k, const void *self) {
    memcpy((char *)v + payload_size(k), &self, sizeof self);
}

// hook_data is the kind's entry in the table.
static uint32_t number_of(const void *hook_data) {
    return (uint32_t)((const value_kind *)hook_data - kinds);
}

static void drop_hook(void *v, void *hook_data) {
    const uint32_t k = number_of(hook_data);
    token_release(token_of(v, k));
    memset(v, 0xEE, kinds[k].size);
}

static bool copy_hook(void *to, const void *from, void *hook_data) {
    const uint32_t k = number_of(hook_data);
    if (copies_left == 0) return false;
    --copies_left;
    memcpy(to, from, kinds[k].size);
    if (kinds[k].tail == TAIL_TOKEN) {
        const uint32_t token = token_of(from, k);
        if (token && (token >= TOKENS || !alive[token])) fault = "a dropped value was copied";
        set_token(to, k, token ? token_make() : 0);
    } else if (self_of(from, k)) {
        if (self_of(from, k) != from) fault = "a value moved without its move hook (seen by copy)";
        set_self(to, k, to);
    }
    return true;
}

static void move_hook(void *to, void *from, void *hook_data) {
    const uint32_t k = number_of(hook_data);
    memcpy(to, from, kinds[k].size);
    if (kinds[k].tail == TAIL_SELF && self_of(from, k)) {
        if (self_of(from, k) != from) fault = "a value moved without its move hook (seen by move)";
        set_self(to, k, to);
    }
    memset(from, 0xDD, kinds[k].size);
}

// The payload: tokens and addresses differ between equal worlds.
static uint64_t hash_hook(const void *v, void *hook_data) {
    const uint32_t size = payload_size(number_of(hook_data));
    const uint8_t *bytes = v;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

// ------------------------------------------------------------------ values
void value_plain(value *v, uint32_t k, uint32_t payload) {
    const uint32_t size = payload_size(k), words = size / 4;
    memset(v, 0, kinds[k].size);
    if (size && size < 4) v->bytes[0] = (uint8_t)payload;
    for (uint32_t i = 0; i < words; ++i)
        v->words[i] = payload + i * 0x01010101u;
    if (kinds[k].tail == TAIL_TOKEN) set_token(v, k, 1);
}

void value_make(value *v, uint32_t k, uint32_t payload) {
    value_plain(v, k, payload);
    if (kinds[k].tail == TAIL_TOKEN) set_token(v, k, token_make());
    if (kinds[k].tail == TAIL_SELF) set_self(v, k, v);
}

void value_release(value *v, uint32_t k) {
    if (kinds[k].tail == TAIL_TOKEN) token_release(token_of(v, k));
}

bool same_payload(const void *keels, const void *models, uint32_t k) {
    return memcmp(keels, models, payload_size(k)) == 0;
}

// ------------------------------------------------------------------ messages
void both_trace(const both *b, const char *format, ...) {
    if (!b->trace) return;
    va_list arguments;
    va_start(arguments, format);
    printf("    ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
}

void both_fail(const both *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("operation %u (%s): ", (unsigned)b->step, b->doing);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    _exit(FAILED);
}

bool both_agree(both *b, keel_result result, keel_result expected) {
    if (result == expected) return true;
    if (result == KEEL_ERROR_MEMORY && b->dry) {
        b->ran_dry = true;
        return false;
    }
    both_fail(b, "the result is '%s', the model says '%s'; last error: %s",
              keel_result_text(result), keel_result_text(expected),
              keel_last_error(b->world)->message);
}

void both_agree_surely(both *b, keel_result result, keel_result expected) {
    if (result != expected)
        both_fail(b, "the result is '%s', the model says '%s'; last error: %s",
                  keel_result_text(result), keel_result_text(expected),
                  keel_last_error(b->world)->message);
}

// ------------------------------------------------------------------ begin and end
KEEL_FIELDS(pair, first, second);

// As KEEL_COMPONENT has; the others are made at run time.
static bool has_slot(uint32_t k) { return k % 2 == 0; }

static keel_storage storage_of(setting s, uint32_t k) {
    const uint8_t number = has_slot(k) ? s.of_slots : s.storages;
    return (keel_storage)(number < 3 ? number : mix_of(number, k) % 3);
}

// Who begins with a value, and who requires whom: plain ones, one that owns something and requires
// a third, and the one that names entities.
static const uint32_t beginning[] = { 2, 3, 7 };
static const struct {
    uint32_t kind, required;
} needs[] = { { 5, 3 }, { 7, 2 }, { 9, 7 }, { 9, 4 }, { PAIR, 1 } };

static void make_initials(void) {
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; ++i) {
        const uint32_t k = beginning[i];
        value_make(&initials[k], k, 1000 + k);
        value_plain(&plain_initials[k], k, 1000 + k);
    }
    living = 0; // no world owns them
}

static void describe_required(both *b) {
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; ++i) {
        b->components[beginning[i]].initial = &initials[beginning[i]];
        model_set_initial(&b->model, beginning[i], &plain_initials[beginning[i]]);
    }
    for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i) {
        const keel_component **list = b->required[needs[i].kind];
        while (*list)
            ++list;
        *list = &b->components[needs[i].required];
        b->components[needs[i].kind].required = b->required[needs[i].kind];
        model_require(&b->model, needs[i].kind, needs[i].required);
    }
}

static void describe(both *b, uint32_t k) {
    static const char *const names[2][KINDS] = {
        { "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11", "k12" },
        { "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9", "u10", "u11", "u12" },
    };
    const value_kind *each = &kinds[k];
    keel_component *c = &b->components[k];
    *c = (keel_component){ .name = names[0][k],
                           .size = each->size,
                           .align = each->align,
                           .storage = storage_of(b->setting, k) };
    c->hook_data = (void *)(uintptr_t)each;
    static uint32_t slots[KINDS];
    if (has_slot(k)) c->slot = &slots[k];
    if (k == PAIR) {
        c->fields = KEEL_FIELDS_pair;
        c->field_count = sizeof KEEL_FIELDS_pair / sizeof *KEEL_FIELDS_pair;
    }
    if (each->tail == TAIL_TOKEN) c->drop = drop_hook;
    if (each->tail == TAIL_NONE) c->no_padding = true;
    else c->hash = hash_hook;
    if (each->tail != TAIL_NONE && each->copies) {
        c->copy = copy_hook;
        c->move = move_hook;
    }
    b->uniques[k] = *c;
    b->uniques[k].name = names[1][k];
    b->uniques[k].is_unique = true;
    b->uniques[k].slot = NULL;
    b->uniques[k].storage = KEEL_SPARSE_SET;
}

// To many and exclusive, symmetric and not, with and without values, with each rule; without a
// target values are not there, so they may lie anywhere but in archetypes.
static void describe_relations(both *b) {
    static const keel_component all[RELATIONS] = {
        { .name = "r0", .is_relation = true },
        { .name = "r1",
          .is_relation = true,
          .exclusive = true,
          .acyclic = true,
          .on_delete = KEEL_DELETE_SOURCES },
        { .name = "r2",
          .is_relation = true,
          .exclusive = true,
          .size = 4,
          .align = 4,
          .no_padding = true },
        { .name = "r3", .is_relation = true, .on_delete = KEEL_REFUSE },
        { .name = "r4", .is_relation = true, .size = 4, .align = 4, .no_padding = true },
        { .name = "r5",
          .is_relation = true,
          .symmetric = true,
          .size = 4,
          .align = 4,
          .no_padding = true },
        { .name = "r6", .is_relation = true, .exclusive = true, .symmetric = true },
        { .name = "r7",
          .is_relation = true,
          .exclusive = true,
          .symmetric = true,
          .size = 4,
          .align = 4,
          .no_padding = true },
    };
    keel_result result = KEEL_OK;
    memcpy(b->relations, all, sizeof all);
    b->relations[2].storage = b->setting.storages % 2 ? KEEL_INDEXED : KEEL_SPARSE_SET;
    for (uint32_t r = 0; r < RELATIONS; ++r) {
        const keel_component *c = &b->relations[r];
        (void)model_add_relation(
            &b->model,
            (model_relation){ c->exclusive, c->acyclic, c->symmetric, c->on_delete, NULL, 0 });
        if (!keel_register_component(b->world, c)) result = KEEL_ERROR_COMPONENT;
    }
    both_agree_surely(b, result, KEEL_OK);
}

void both_describe(both *b) {
    b->model.on_parent_delete = (keel_on_delete)b->setting.of_children;
    for (uint32_t k = 0; k < ALL_KINDS; ++k)
        model_add_kind(&b->model, kinds[k].size);
    for (uint32_t k = 0; k < KINDS; ++k)
        describe(b, k);
    if (b->setting.requires) describe_required(b);
    for (uint32_t k = 0; k < KINDS; ++k)
        b->columns[k] = keel_lookup_of_component(b->world, &b->components[k]);
    describe_relations(b);
}

void both_begin(both *b, setting s, bool trace) {
    static counting_allocator memory;
    memset(b, 0, sizeof *b);
    b->setting = s;
    b->trace = trace;
    b->doing = "begin";
    b->memory = &memory;
    counting_allocator_init(b->memory);
    memset(alive, 0, sizeof *alive * (made + 1));
    memset(seen, 0, sizeof *seen * (made + 1));
    spare_count = made = living = look = elsewhere = 0;
    fault = NULL;
    make_initials();
    b->world =
        keel_world_create(&(keel_world_desc){ .allocator = b->memory->allocator,
                                              .log = keel_log_none,
                                              .on_misuse = KEEL_MISUSE_RETURN,
                                              .on_parent_delete = (keel_on_delete)s.of_children });
    if (!b->world) both_fail(b, "no world");
    both_describe(b);
    if (s.templates) templates_begin(b);
    followers_begin(b);
    queues_begin(b);
}

void both_end(both *b) {
    keel_error error;
    b->doing = "end";
    both_compare(b);
    if (!keel_world_check(b->world, &error)) both_fail(b, "keel_world_check: %s", error.message);
    keel_world_destroy(b->world);
    followers_end(b);
    queues_end(b);
    templates_end(b);
    if (living) both_fail(b, "%u values were never dropped", (unsigned)living);
    if (fault) both_fail(b, "%s", fault);
    if (b->memory->live_bytes) both_fail(b, "%zu bytes were not freed", b->memory->live_bytes);
    model_deinit(&b->model);
}

// ------------------------------------------------------------------ comparison
// Look at a value: what it owns lives, nobody else owns that, and it knows where it is.
static void inspect(const both *b, const void *v, uint32_t k, const char *of, uint32_t index) {
    if (kinds[k].tail == TAIL_TOKEN) {
        const uint32_t token = token_of(v, k);
        if (!token) return;
        if (token >= TOKENS || !alive[token])
            both_fail(b, "kind %u of %s %u was dropped but is there", (unsigned)k, of,
                      (unsigned)index);
        if (seen[token] == look)
            both_fail(b, "kind %u of %s %u is there twice", (unsigned)k, of, (unsigned)index);
        seen[token] = look;
    } else if (kinds[k].tail == TAIL_SELF && self_of(v, k) && self_of(v, k) != v) {
        both_fail(b, "kind %u of %s %u moved without its move hook", (unsigned)k, of,
                  (unsigned)index);
    }
}

// How many living things a value owns.
static uint32_t owns(const void *v, uint32_t k) {
    return kinds[k].tail == TAIL_TOKEN && token_of(v, k) != 0;
}

// The targets of a source in order, or the sources of a target.
static bool compare_edges(const both *b, uint32_t r, keel_entity e, bool to_sources) {
    const model_relation *models = &b->model.relations[r];
    const keel_component *c = &b->relations[r];
    const unsigned index = (unsigned)keel_entity_index(e);
    keel_entity at = keel_null();
    uint32_t count = 0;
    for (size_t i = 0; i < models->edge_count; ++i) {
        const model_edge *edge = &models->edges[i];
        if (!keel_is_same(to_sources ? edge->target : edge->source, e)) continue;
        at = to_sources ? keel_next_source_component(b->world, e, c, at)
                        : keel_next_target_component(b->world, e, c, at);
        if (!keel_is_same(at, to_sources ? edge->source : edge->target))
            both_fail(b, "entity %u, relation %u: %s %u is another", index, (unsigned)r,
                      to_sources ? "source" : "target", (unsigned)count);
        const void *v = keel_get_related_component(b->world, edge->source, c, edge->target);
        if (c->size && (!v || memcmp(v, &edge->value, sizeof edge->value) != 0))
            both_fail(b, "entity %u, relation %u: another value", index, (unsigned)r);
        if (!keel_is_related_component(b->world, edge->source, c, edge->target))
            both_fail(b, "entity %u, relation %u: an edge is not there", index, (unsigned)r);
        ++count;
    }
    if (count != (to_sources ? keel_source_count_component(b->world, e, c)
                             : keel_target_count_component(b->world, e, c)))
        both_fail(b, "entity %u, relation %u: another number of %s", index, (unsigned)r,
                  to_sources ? "sources" : "targets");
    return count > 0;
}

// In how many relations it is a source.
static uint32_t compare_relations(const both *b, keel_entity e) {
    uint32_t count = 0;
    for (uint32_t r = 0; r < RELATIONS; ++r) {
        (void)compare_edges(b, r, e, true);
        count += compare_edges(b, r, e, false);
    }
    return count;
}

static uint32_t compare_components(const both *b, const model_slot *slot) {
    const keel_entity e = slot->handle;
    const uint32_t index = keel_entity_index(e);
    const void *models[ALL_KINDS] = { NULL };
    uint32_t owned = 0, count = 0;
    for (size_t i = 0; i < slot->components.count; ++i)
        models[slot->components.entries[i].type] = slot->components.entries[i].value;
    for (uint32_t k = 0; k < KINDS; ++k) {
        const void *v = keel_get_component(b->world, e, &b->components[k]);
        if (!v != !models[k])
            both_fail(b, "entity %u: kind %u is %s, in the model it is %s", (unsigned)index,
                      (unsigned)k, v ? "there" : "absent", models[k] ? "there" : "absent");
        if (keel_has_component(b->world, e, &b->components[k]) != (v != NULL))
            both_fail(b, "entity %u: keel_has and keel_get disagree on kind %u", (unsigned)index,
                      (unsigned)k);
        if (kinds[k].size && keel_column_get_value(&b->columns[k], e) != v)
            both_fail(b, "entity %u: the column of kind %u and keel_get disagree", (unsigned)index,
                      (unsigned)k);
        if (!v) continue;
        ++count;
        if ((uintptr_t)v % kinds[k].align && kinds[k].size)
            both_fail(b, "entity %u: kind %u is not aligned", (unsigned)index, (unsigned)k);
        if (!same_payload(v, models[k], k))
            both_fail(b, "entity %u: kind %u has another value", (unsigned)index, (unsigned)k);
        inspect(b, v, k, "entity", index);
        if (owns(v, k) != owns(models[k], k))
            both_fail(b, "entity %u: kind %u owns something in one world only", (unsigned)index,
                      (unsigned)k);
        owned += owns(v, k);
    }
    count += compare_origin(b, e, models[ORIGIN]);
    const keel_component *c = NULL;
    while ((c = keel_next_component_of(b->world, e, c)) != NULL)
        --count;
    count += slot->name != NULL;
    count += !keel_is_null(slot->parent);
    count += count_sets(b, e) + compare_relations(b, e);
    if (count)
        both_fail(b, "entity %u: keel_next_component_of tells %d too few", (unsigned)index,
                  (int)count);
    return owned;
}

static void compare_links(const both *b, const model_slot *slot) {
    const keel_entity e = slot->handle;
    const unsigned index = (unsigned)keel_entity_index(e);
    if (!keel_is_same(keel_parent_of(b->world, e), slot->parent))
        both_fail(b, "entity %u has another parent", index);
    if (keel_child_count(b->world, e) != slot->child_count)
        both_fail(b, "entity %u has %u children, in the model %zu", index,
                  (unsigned)keel_child_count(b->world, e), slot->child_count);
    keel_entity child = keel_first_child(b->world, e);
    for (size_t i = 0; i < slot->child_count; ++i) {
        if (!keel_is_same(child, slot->children[i]))
            both_fail(b, "child %zu of entity %u is another", i, index);
        child = keel_next_child(b->world, e, child);
    }
    if (!keel_is_null(child)) both_fail(b, "entity %u has too many children", index);
}

static void compare_name(const both *b, const model_slot *slot) {
    const keel_entity e = slot->handle;
    const char *name = keel_name_of(b->world, e);
    if (!name != !slot->name || (name && strcmp(name, slot->name) != 0))
        both_fail(b, "entity %u is called %.60s, in the model %.60s",
                  (unsigned)keel_entity_index(e), name ? name : "nothing",
                  slot->name ? slot->name : "nothing");
    if (name && !keel_is_same(keel_find_entity(b->world, slot->parent, name), e))
        both_fail(b, "entity %u is not found by its name", (unsigned)keel_entity_index(e));
}

static uint32_t compare_uniques(const both *b) {
    uint32_t owned = 0;
    for (uint32_t k = 0; k < KINDS; ++k) {
        const void *v = keel_get_unique_value(b->world, &b->uniques[k]);
        const void *models = model_get_unique(&b->model, k);
        if (!v != !models) both_fail(b, "unique %u is there in one world only", (unsigned)k);
        if (!v) continue;
        if (!same_payload(v, models, k)) both_fail(b, "unique %u has another value", (unsigned)k);
        inspect(b, v, k, "unique", k);
        owned += owns(v, k);
    }
    return owned;
}

static void compare_counts(const both *b, const uint32_t *counts, uint32_t names) {
    if (keel_component_count(b->world, KEEL_OF(keel_name)) != names)
        both_fail(b, "%u entities have names, in the model %u",
                  (unsigned)keel_component_count(b->world, KEEL_OF(keel_name)), (unsigned)names);
    for (uint32_t k = 0; k < KINDS; ++k)
        if (keel_component_count(b->world, &b->components[k]) != counts[k])
            both_fail(b, "%u entities have kind %u, in the model %u",
                      (unsigned)keel_component_count(b->world, &b->components[k]), (unsigned)k,
                      (unsigned)counts[k]);
    if (keel_world_statistics(b->world).dropped_commands != b->dropped)
        both_fail(b, "%u commands were dropped, in the model %u",
                  (unsigned)keel_world_statistics(b->world).dropped_commands, (unsigned)b->dropped);
    if (b->are_templates) return; // their memory is that of the world
    if (keel_world_statistics(b->world).memory.total != b->memory->live_bytes)
        both_fail(b, "keel_world_statistics says %zu bytes, %zu are allocated",
                  keel_world_statistics(b->world).memory.total, b->memory->live_bytes);
}

// What is out of sight is there, and its value shows when it comes back.
static uint32_t compare_hidden(both *b) {
    uint32_t owned = 0;
    for (uint32_t i = b->hidden_count; i--;) {
        const hidden *h = &b->hidden[i];
        const keel_component *c = &b->components[h->kind];
        if (!keel_is_component_disabled(b->world, h->e, c))
            both_fail(b, "kind %u of entity %u is not out of sight", (unsigned)h->kind,
                      (unsigned)keel_entity_index(h->e));
        if (kinds[h->kind].tail != TAIL_TOKEN) continue;
        if (may_show(b, h->e, h->kind) < 0) {
            owned += owns(&h->value, h->kind);
            continue;
        }
        both_agree_surely(b, keel_enable_component(b->world, h->e, c, true), KEEL_OK);
        const void *v = keel_get_component(b->world, h->e, c);
        if (!v || !same_payload(v, &h->value, h->kind))
            both_fail(b, "a value out of sight changed");
        inspect(b, v, h->kind, "hidden entity", keel_entity_index(h->e));
        owned += owns(v, h->kind);
        both_agree_surely(b, keel_enable_component(b->world, h->e, c, false), KEEL_OK);
    }
    return owned;
}

// How many living things its values own.
static uint32_t compare_world(both *b) {
    const model_world *m = &b->model;
    keel_entity e = keel_null();
    uint32_t entities = 0, names = 0, counts[ALL_KINDS] = { 0 };
    uint32_t owned = compare_uniques(b) + compare_hidden(b);
    for (size_t i = 0; i < m->slot_count; ++i) {
        const model_slot *slot = &m->slots[i];
        if (keel_is_alive(b->world, slot->handle) != slot->is_alive)
            both_fail(b, "entity %u version %u lives in one world only",
                      (unsigned)keel_entity_index(slot->handle),
                      (unsigned)keel_entity_version(slot->handle));
        if (slot->is_alive !=
            keel_is_same(keel_entity_at(b->world, keel_entity_index(slot->handle)), slot->handle))
            both_fail(b, "index %u has another entity", (unsigned)keel_entity_index(slot->handle));
        if (!slot->is_alive) continue;
        ++entities;
        names += slot->name != NULL;
        e = keel_next_entity(b->world, e);
        if (!keel_is_same(e, slot->handle))
            both_fail(b, "entity %u lives, the model has %u there", (unsigned)keel_entity_index(e),
                      (unsigned)keel_entity_index(slot->handle));
        owned += compare_components(b, slot);
        for (size_t c = 0; c < slot->components.count; ++c)
            ++counts[slot->components.entries[c].type];
        compare_links(b, slot);
        compare_name(b, slot);
    }
    if (!keel_is_null(keel_next_entity(b->world, e))) both_fail(b, "there are too many entities");
    if (keel_entity_count(b->world) != entities) both_fail(b, "keel_entity_count is wrong");
    compare_counts(b, counts, names);
    return owned;
}

void both_compare(both *b) {
    ++look;
    uint32_t owned = compare_world(b) + elsewhere;
    if (b->templates) owned += compare_world(b->templates);
    if (!b->is_copy) owned += queues_own(b);
    if (fault) both_fail(b, "%s", fault);
    if (owned != living)
        both_fail(b, "%u things live, the values own %u", (unsigned)living, (unsigned)owned);
    compare_groups(b);
    if (b->is_copy) return;
    followers_compare(b);
    queues_compare(b);
}

bool may_copies_fail(dice *d) {
    copies_left = roll_once_in(d, 8) ? roll_below(d, 6) : UINT32_MAX;
    return copies_left != UINT32_MAX;
}

bool agree_on_reasons(both *b, keel_result result, uint32_t reasons, bool may_fail) {
    const bool is_copy_error = result == KEEL_ERROR_COPY && may_fail;
    if (is_copy_error || (result < 0 && reasons >> -result & 1)) {
        b->ran_dry = true; // compare: nothing changed
        return false;
    }
    if (!both_agree(b, result, KEEL_OK)) return false;
    if (reasons) both_fail(b, "what was to be refused was done (%x)", (unsigned)reasons);
    return true;
}

bool agree_on_copies(both *b, keel_result result, bool can_copy, bool may_fail) {
    return agree_on_reasons(b, result, can_copy ? 0 : 1u << -KEEL_ERROR_COPY, may_fail);
}

uint32_t bits_of(const model_slot *slot) {
    uint32_t bits = 0;
    for (size_t i = 0; i < slot->components.count; ++i)
        bits |= 1u << slot->components.entries[i].type;
    return bits;
}

// ------------------------------------------------------------------ copies
uint32_t lives_begin_copy(void) {
    elsewhere = living;
    return living;
}
void lives_end_copy(const both *b, uint32_t before) {
    elsewhere = 0;
    if (living != before) both_fail(b, "a copy left %u things", (unsigned)(living - before));
}

// ------------------------------------------------------------------ out of sight
void hide(both *b, keel_entity e, uint32_t k, const value *v) {
    hidden *h = &b->hidden[b->hidden_count++];
    h->e = e;
    h->kind = k;
    memcpy(&h->value, v, kinds[k].size);
    ++b->hidden_counts[k];
}

const hidden *find_hidden(const both *b, keel_entity e, uint32_t k) {
    for (uint32_t i = 0; i < b->hidden_count; ++i)
        if (b->hidden[i].kind == k && keel_is_same(b->hidden[i].e, e)) return &b->hidden[i];
    return NULL;
}

static void forget_at(both *b, uint32_t i) {
    --b->hidden_counts[b->hidden[i].kind];
    b->hidden[i] = b->hidden[--b->hidden_count];
}

void forget_hidden(both *b, keel_entity e, uint32_t k) {
    const hidden *h = find_hidden(b, e, k);
    if (h) forget_at(b, (uint32_t)(h - b->hidden));
}
void forget_hidden_of(both *b, keel_entity e) {
    for (uint32_t i = b->hidden_count; i--;)
        if (keel_is_same(b->hidden[i].e, e)) forget_at(b, i);
}
void forget_hidden_kind(both *b, uint32_t k) {
    for (uint32_t i = b->hidden_count; i--;)
        if (b->hidden[i].kind == k) forget_at(b, i);
}
void forget_stale_hidden(both *b) {
    for (uint32_t i = b->hidden_count; i--;)
        if (!model_is_alive(&b->model, b->hidden[i].e) ||
            model_has(&b->model, b->hidden[i].e, b->hidden[i].kind))
            forget_at(b, i);
}

// ------------------------------------------------------------------ what others require
keel_result may_add(const both *b, keel_entity e, uint32_t added) {
    if (!model_is_alive(&b->model, e)) return KEEL_ERROR_DEAD_ENTITY;
    uint32_t required = 0;
    for (uint32_t k = 0; k < KINDS; ++k)
        if (added >> k & 1) required |= model_required_of(&b->model, k);
    for (uint32_t k = 0; k < KINDS; ++k)
        if (required >> k & 1 && find_hidden(b, e, k)) return KEEL_ERROR_REQUIRED;
    return KEEL_OK;
}

keel_result may_show(const both *b, keel_entity e, uint32_t k) {
    const uint32_t has = bits_of(slot_of_living(b, e));
    return model_required_of(&b->model, k) & ~has ? KEEL_ERROR_REQUIRED : KEEL_OK;
}

bool is_required(const both *b, uint32_t k) {
    for (uint32_t by = 0; by < KINDS; ++by)
        if (model_required_of(&b->model, by) >> k & 1) return true;
    return false;
}

bool agree_on_taking(both *b, keel_result result, keel_result refusal) {
    if (result == KEEL_ERROR_MEMORY) return both_agree(b, result, KEEL_OK);
    if (refusal < 0) both_agree_surely(b, result, refusal);
    return refusal == KEEL_OK;
}

// ------------------------------------------------------------------ choices
const model_slot *slot_of_living(const both *b, keel_entity e) {
    size_t low = 0, high = b->model.slot_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (keel_entity_index(b->model.slots[middle].handle) < keel_entity_index(e))
            low = middle + 1;
        else high = middle;
    }
    const model_slot *slot = low < b->model.slot_count ? &b->model.slots[low] : NULL;
    return slot && slot->is_alive && keel_is_same(slot->handle, e) ? slot : NULL;
}

keel_entity roll_living(both *b, dice *d) {
    const size_t count = b->model.slot_count;
    if (!count) return keel_null();
    const size_t from = (size_t)roll_below(d, count < 250 ? 256 : 65536) % count;
    for (size_t i = 0; i < count; ++i) {
        const model_slot *slot = &b->model.slots[(from + i) % count];
        if (slot->is_alive) return slot->handle;
    }
    return keel_null();
}

keel_entity roll_entity(both *b, dice *d) {
    const uint32_t which = roll(d);
    if (which < 224) return roll_living(b, d);
    if (which < 240 && b->model.slot_count) { // another version of an index that was used
        const model_slot *slot = &b->model.slots[roll_word(d) % b->model.slot_count];
        const uint32_t version = keel_entity_version(slot->handle);
        return keel_entity_make(keel_entity_index(slot->handle), version + which % 5 - 2);
    }
    if (which < 246) return keel_null();
    if (which < 250) return (keel_entity){ roll_below(d, 100) }; // null too
    const uint64_t bits = (uint64_t)roll_word(d) << 32 | roll_word(d);
    return (keel_entity){ (keel_entity_bits)bits };
}

uint32_t roll_kind(dice *d) { return roll_below(d, KINDS); }

bool is_crowded(const both *b) {
    const uint32_t most = b->setting.many ? 12000 : b->are_templates ? 20 : 48;
    return keel_entity_count(b->world) > most;
}
