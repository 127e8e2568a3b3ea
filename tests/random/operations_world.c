// SPDX-License-Identifier: MIT
// Random operations on whole worlds: a copy, compared with the same model; an entity that goes to
// another world and comes back; a small world that is made at random and comes into this one.
#include "followers.h"

#include <string.h>

// ------------------------------------------------------------------ copies
static bool can_copy_all(const both *b) {
    for (uint32_t k = 0; k < KINDS; ++k) {
        if (kinds[k].copies) continue;
        if (model_get_unique(&b->model, k) || b->hidden_counts[k]) return false;
        for (size_t i = 0; i < b->model.slot_count; ++i)
            if (bits_of(&b->model.slots[i]) >> k & 1) return false;
    }
    return true;
}

static uint64_t hash_of(both *b, keel_world *world) {
    uint64_t hash = 0;
    const keel_result result = keel_world_hash(world, &hash);
    if (result != KEEL_OK) both_fail(b, "no hash: %s", keel_last_error(world)->message);
    return hash;
}

// A copy goes back to what it was when the snapshot was taken, whatever became of it.
static void take_and_restore(both *copy, counting_allocator *memory, dice *d) {
    keel_snapshot *snapshot = keel_snapshot_create(copy->world, NULL);
    if (!snapshot || keel_snapshot_take(snapshot) != KEEL_OK) both_fail(copy, "no snapshot");
    const uint32_t how = roll_below(d, 4);
    keel_entity e = keel_null();
    while (how && !keel_is_null(e = keel_next_entity(copy->world, e)))
        if (how == 1) (void)keel_set_name(copy->world, e, roll_name(d));
        else if (how == 2) (void)keel_unlink(copy->world, e);
        else if (roll_once_in(d, 2)) (void)keel_delete_tree(copy->world, e);
    if (how == 0) (void)keel_clear_entities(copy->world);
    keel_result result = KEEL_ERROR_MEMORY;
    if (roll_once_in(d, 2)) counting_allocator_fail_after(memory, roll_below(d, 40));
    for (uint32_t i = 0; i < 2 && result == KEEL_ERROR_MEMORY; ++i) {
        result = keel_snapshot_restore(snapshot);
        counting_allocator_never_fail(memory);
    }
    both_agree_surely(copy, result, KEEL_OK);
    keel_clear_errors(copy->world);
    keel_snapshot_destroy(snapshot);
    both_compare(copy);
}

static void op_copy_world(both *b, dice *d) {
    static both copy;
    counting_allocator memory;
    copy = *b;
    copy.is_copy = true;
    copy.memory = &memory;
    copy.templates = NULL;
    counting_allocator_init(&memory);
    memset(copy.groups, 0, sizeof copy.groups);
    copy.world = keel_world_create(&(keel_world_desc){
        .allocator = memory.allocator, .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    copy.dropped = 0;
    for (uint32_t k = 0; k < KINDS; ++k)
        copy.columns[k] = keel_lookup_of_component(copy.world, &b->components[k]);
    const uint32_t owned = lives_begin_copy();
    if (roll_once_in(d, 4)) counting_allocator_fail_after(&memory, roll(d) % 64u);
    const keel_result result = keel_copy_world(b->world, copy.world);
    const bool ran_dry = memory.failures > 0;
    counting_allocator_never_fail(&memory);
    keel_clear_errors(copy.world);
    if (result == KEEL_OK) {
        if (!can_copy_all(b)) both_fail(b, "a world was copied that cannot be");
        both_compare(&copy);
        if (hash_of(b, copy.world) != hash_of(b, b->world)) both_fail(b, "the copy's hash differs");
        if (roll_once_in(d, 2)) take_and_restore(&copy, &memory, d);
        keel_error error;
        if (!keel_world_check(copy.world, &error)) both_fail(b, "the copy: %s", error.message);
    } else {
        if (keel_entity_count(copy.world)) both_fail(b, "a failed copy is not empty");
        const bool dry = result == KEEL_ERROR_MEMORY && (ran_dry || b->dry);
        if (!dry && (result != KEEL_ERROR_COPY || can_copy_all(b)))
            both_agree_surely(b, result, KEEL_OK);
    }
    keel_world_destroy(copy.world);
    if (memory.live_bytes) both_fail(b, "the copy left %zu bytes", memory.live_bytes);
    lives_end_copy(b, owned);
}

// ------------------------------------------------------------------ there and back
// The model has the entity anew, with what the old one had, out of sight or not.
static void model_return(both *b, keel_entity e, const value *values, uint32_t bits,
                         keel_entity old) {
    for (uint32_t k = 0; k < ALL_KINDS; ++k)
        if (bits >> k & 1) model_add(&b->model, e, k, &values[k]);
    for (uint32_t i = 0; i < b->hidden_count; ++i)
        if (keel_is_same(b->hidden[i].e, old)) {
            b->hidden[i].e = e;
            follow_hidden(b, e, b->hidden[i].kind);
        }
}

static keel_result why_not(const both *b, keel_entity e) {
    const model_slot *slot = slot_of_living(b, e);
    if (!slot) return KEEL_ERROR_DEAD_ENTITY;
    const bool has_links = slot->child_count || !keel_is_null(slot->parent);
    return has_links || model_is_related(&b->model, e) ? KEEL_ERROR_ARGUMENT : KEEL_OK;
}

static void op_move_entity(both *b, dice *d) {
    static value values[ALL_KINDS];
    const keel_entity e = roll_entity(b, d);
    const uint32_t dry = roll_once_in(d, 3) ? roll_below(d, 16) : UINT32_MAX;
    follow_copies(b);
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *there = keel_world_create(&(keel_world_desc){
        .allocator = memory.allocator, .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    const model_slot *slot = slot_of_living(b, e);
    const uint32_t bits = slot ? bits_of(slot) : 0;
    const char *name = model_name_of(&b->model, e);
    for (uint32_t k = 0; k < ALL_KINDS; ++k)
        if (bits >> k & 1) memcpy(&values[k], model_get(&b->model, e, k), kinds[k].size);
    if (dry != UINT32_MAX) counting_allocator_fail_after(&memory, dry);
    const keel_entity moved = keel_move_entity(b->world, e, there);
    counting_allocator_never_fail(&memory);
    both_trace(b, "index %u: %u", (unsigned)keel_entity_index(e),
               (unsigned)keel_entity_index(moved));
    if (keel_is_null(moved)) {
        const keel_result here = keel_last_error(b->world)->result;
        const keel_result result = here ? here : keel_last_error(there)->result;
        if (result == KEEL_ERROR_MEMORY && (memory.failures || b->dry)) b->ran_dry = true;
        else both_agree_surely(b, result, why_not(b, e));
    } else {
        both_agree_surely(b, KEEL_OK, why_not(b, e));
        model_delete_entity_unchecked(&b->model, e);
        counting_allocator_never_fail(b->memory);
        const keel_entity back = keel_move_entity(there, moved, b->world);
        const keel_entity models = model_add_entity(&b->model);
        if (!keel_is_same(back, models)) both_fail(b, "an entity came back as another");
        model_return(b, back, values, bits, e);
        (void)model_set_name(&b->model, back, name);
    }
    keel_world_destroy(there);
    if (memory.live_bytes) both_fail(b, "the other world left %zu bytes", memory.live_bytes);
}

// ------------------------------------------------------------------ a world that comes in
enum { COMERS = 6, COMING_KINDS = 3 };
typedef struct comer {
    keel_entity e;
    uint32_t parent; // a place before it, or COMERS: none
    uint32_t bits, payloads[KINDS];
} comer;

static uint32_t roll_comers(both *b, keel_world *from, comer *comers, dice *d) {
    const uint32_t count = roll_below(d, COMERS + 1);
    for (uint32_t i = 0; i < count; ++i) {
        comer *c = &comers[i];
        *c = (comer){ .e = keel_add_entity(from), .parent = COMERS };
        if (i) c->parent = i - 1; // or one above it: in the order in which trees are walked
        while (c->parent < COMERS && roll_once_in(d, 2))
            c->parent = comers[c->parent].parent;
        if (c->parent < COMERS)
            both_agree_surely(b, keel_attach(from, c->e, comers[c->parent].e), KEEL_OK);
        for (uint32_t j = roll_below(d, COMING_KINDS + 1); j; --j) {
            const uint32_t k = roll_kind(d);
            value v;
            if (c->bits >> k & 1 || k == PAIR) continue; // handles would become others
            c->bits |= 1u << k;
            c->payloads[k] = roll_word(d);
            value_make(&v, k, c->payloads[k]);
            both_agree_surely(b, keel_add_component(from, c->e, &b->components[k], &v), KEEL_OK);
        }
    }
    return count;
}

static void model_merge(both *b, const comer *comers, uint32_t count, const keel_entity *handles,
                        keel_entity root) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = model_add_entity(&b->model);
        if (!keel_is_same(e, handles[i])) both_fail(b, "who came is another than in the model");
        for (uint32_t k = 0; k < KINDS; ++k) {
            value plain;
            if (!(comers[i].bits >> k & 1)) continue;
            value_plain(&plain, k, comers[i].payloads[k]);
            model_add(&b->model, e, k, &plain);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t parent = comers[i].parent;
        const keel_entity to = parent < COMERS ? handles[parent] : root;
        if (!keel_is_null(to)) (void)model_attach(&b->model, handles[i], to);
    }
}

static void op_merge_world(both *b, dice *d) {
    comer comers[COMERS];
    keel_entity handles[COMERS];
    if (is_crowded(b)) return;
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *from = keel_world_create(&(keel_world_desc){
        .allocator = memory.allocator, .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    const uint32_t count = roll_comers(b, from, comers, d);
    const keel_entity root = roll_once_in(d, 2) ? roll_entity(b, d) : keel_null();
    bool can_copy = true;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < KINDS; ++k)
            if (comers[i].bits >> k & 1 && !kinds[k].copies) can_copy = false;
    both_trace(b, "%u entities, root %u", (unsigned)count, (unsigned)keel_entity_index(root));
    const keel_merge_options options = { .root = root, .handles = handles };
    const bool may_fail = may_copies_fail(d);
    const keel_result result = keel_merge_world(b->world, from, &options);
    copies_left = UINT32_MAX;
    const bool is_dead = !keel_is_null(root) && !model_is_alive(&b->model, root);
    if (is_dead) (void)both_agree(b, result, KEEL_ERROR_DEAD_ENTITY);
    else if (agree_on_copies(b, result, can_copy, may_fail))
        model_merge(b, comers, count, handles, root);
    keel_world_destroy(from);
    if (memory.live_bytes) both_fail(b, "who came left %zu bytes", memory.live_bytes);
}

const operation_entry world_operations[] = {
    { "copy_world", op_copy_world, 1 },
    { "merge_world", op_merge_world, 2 },
    { "move_entity", op_move_entity, 2 },
    { NULL, NULL, 0 },
};
