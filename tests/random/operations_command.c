// SPDX-License-Identifier: MIT
// Random lists of commands: recorded, then applied.
#include "templates.h"

#include <string.h>

enum { MOST = 6, VALUES = 3, MOST_MADE = 24 };

typedef enum verb {
    ADD_ENTITY,
    ADD_CHILD,
    ADD,
    ADD_VALUES,
    REMOVE,
    DELETE,
    DELETE_ENTITY,
    STRIP,
    ATTACH,
    DETACH,
    UNLINK,
    UNLINK_TREE,
    DELETE_TREE,
    RELATE,
    UNRELATE,
    SPAWN,
    APPLY,
    NAME,
    CALL,
    VERBS
} verb;

typedef struct command {
    verb verb;
    keel_entity e, parent;
    uint32_t count, kinds[VALUES], payloads[VALUES];
    tree of; // what SPAWN makes, and how often, with values once; what APPLY applies
    uint32_t copies;
    keel_entity made[MOST_MADE];
    const char *name;
} command;

typedef struct batch {
    command commands[MOST];
    uint32_t count;
} batch;

// ------------------------------------------------------------------ recording
static keel_result note_call(keel_world *world, void *data) {
    uint32_t *calls;
    (void)world;
    memcpy(&calls, data, sizeof calls);
    ++*calls;
    return KEEL_OK;
}

// The entity of a command that was recorded: null when memory ran out.
static bool record_adding(keel_commands *list, command *c, const keel_value *values) {
    const keel_prefab prefab = { c->of.nodes[0] };
    if (c->verb == ADD_ENTITY) c->e = keel_add_entity_values(list, values);
    else if (c->verb == ADD_CHILD) c->e = keel_add_child_values(list, c->parent, values);
    else if (c->verb == SPAWN && c->copies > 1)
        return keel_spawn_columns(list, prefab, c->copies, c->made, NULL) == KEEL_OK;
    else if (c->verb == SPAWN) c->e = c->made[0] = keel_spawn_values(list, prefab, values);
    else if (c->verb == ADD && c->count == 1)
        return keel_add_component(list, c->e, values[0].component, values[0].value) == KEEL_OK;
    else return keel_add_component_values(list, c->e, values) == KEEL_OK;
    return !keel_is_null(c->e);
}

static bool record_values(both *b, keel_commands *list, command *c) {
    value values[VALUES];
    keel_value parts[VALUES + 1];
    for (uint32_t i = 0; i < c->count; ++i) {
        value_make(&values[i], c->kinds[i], c->payloads[i]);
        parts[i] = (keel_value){ &b->components[c->kinds[i]], &values[i] };
    }
    parts[c->count] = (keel_value){ NULL, NULL };
    if (record_adding(list, c, parts)) return true;
    for (uint32_t i = 0; i < c->count; ++i)
        value_release(&values[i], c->kinds[i]);
    return false;
}

static const keel_component *relation_of(const both *b, const command *c) {
    return &b->relations[c->kinds[0] % RELATIONS];
}

static keel_result record_rest(both *b, keel_commands *list, const command *c, uint32_t *calls) {
    const keel_component *parts[VALUES + 1] = { NULL };
    for (uint32_t i = 0; i < c->count; ++i)
        parts[i] = &b->components[c->kinds[i]];
    switch (c->verb) {
    case REMOVE:
        return keel_remove_component(list, c->e, &b->components[c->kinds[0]], NULL);
    case DELETE:
        return keel_delete_components(list, c->e, parts);
    case DELETE_ENTITY:
        return keel_delete_entity(list, c->e);
    case STRIP:
        return keel_strip(list, c->e);
    case ATTACH:
        return keel_attach(list, c->e, c->parent);
    case DETACH:
        return keel_detach(list, c->e);
    case UNLINK:
        return keel_unlink(list, c->e);
    case UNLINK_TREE:
        return keel_unlink_tree(list, c->e);
    case DELETE_TREE:
        return keel_delete_tree(list, c->e);
    case RELATE:
        return keel_relate_component(list, c->e, relation_of(b, c), c->parent,
                                     relation_of(b, c)->size ? &c->payloads[0] : NULL);
    case UNRELATE:
        return keel_unrelate_component(list, c->e, relation_of(b, c), c->parent);
    case APPLY:
        return keel_apply_prefab(list, c->e, (keel_prefab){ c->of.nodes[0] });
    case NAME:
        return keel_set_name(list, c->e, c->name);
    default:
        return keel_commands_call(list, note_call, &calls, sizeof calls);
    }
}

static void model_promise_copies(both *b, command *c) {
    keel_entity made[MOST_MADE];
    model_make_copies(b, &c->of, c->copies, made);
    if (memcmp(made, c->made, c->copies * sizeof *made) != 0)
        both_fail(b, "the promised copies are others than the model's");
    memcpy(c->made, made, c->of.count * c->copies * sizeof *made);
    c->e = made[0];
}

// Record one command. The model creates entities at once, when Keel promises them.
static bool record(both *b, keel_commands *list, command *c, uint32_t *calls) {
    if (c->verb == SPAWN) {
        if (!record_values(b, list, c)) return both_agree(b, KEEL_ERROR_MEMORY, KEEL_OK);
        model_promise_copies(b, c);
        return true;
    }
    if (c->verb > ADD_VALUES) return both_agree(b, record_rest(b, list, c, calls), KEEL_OK);
    if (!record_values(b, list, c)) return both_agree(b, KEEL_ERROR_MEMORY, KEEL_OK);
    if (c->verb > ADD_CHILD) return true;
    if (!keel_is_same(c->e, model_add_entity(&b->model)))
        both_fail(b, "the promised entity is another than the model's");
    return true;
}

static uint32_t bits_of_command(const command *c) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < c->count; ++i)
        bits |= 1u << c->kinds[i];
    return bits;
}

// Some copies of what can be copied; of a world whose templates are edited by other lists only.
static void roll_prefab(both *b, dice *d, command *c) {
    if (b->templates && !b->are_templates) {
        c->of = tree_of(b->templates, roll_living(b->templates, d));
        c->copies = 1 + roll_below(d, 4);
        if (c->of.count * c->copies > MOST_MADE) c->copies = MOST_MADE / c->of.count;
        if (c->copies > 1 || lacks_required(b, &c->of, bits_of_command(c))) c->count = 0;
    }
    const uint32_t out_of_sight = b->hidden_count + c->of.hidden * c->copies * MOST;
    if (!c->of.count || !c->of.can_copy || !c->copies || out_of_sight > HIDDEN) c->verb = CALL;
}

static command roll_command(both *b, dice *d) {
    command c = { .verb = (verb)roll_below(d, VERBS) };
    const bool adds = c.verb <= ADD_CHILD || c.verb == SPAWN || c.verb == APPLY;
    if (adds && is_crowded(b)) c.verb = DELETE_ENTITY;
    if (c.verb == NAME && !b->setting.names) c.verb = STRIP;
    c.e = roll_entity(b, d);
    c.parent = roll_entity(b, d);
    c.count = roll_below(d, VALUES) + 1;
    for (uint32_t i = 0; i < c.count; ++i) {
        c.kinds[i] = roll_kind(d);
        c.payloads[i] = roll_word(d);
    }
    if (c.verb == SPAWN || c.verb == APPLY) roll_prefab(b, d, &c);
    c.name = roll_name(d);
    return c;
}

// ------------------------------------------------------------------ the model applies it
static bool does_create(const command *c, keel_entity e) {
    if (c->verb <= ADD_CHILD) return keel_is_same(c->e, e);
    for (uint32_t i = 0; c->verb == SPAWN && i < c->of.count * c->copies; ++i)
        if (keel_is_same(c->made[i], e)) return true;
    return false;
}

// Is the entity there for command `at`? One that a later command creates is not yet.
static bool is_there(const both *b, const batch *all, uint32_t at, keel_entity e) {
    for (uint32_t i = at + 1; i < all->count; ++i)
        if (does_create(&all->commands[i], e)) return false;
    return model_is_alive(&b->model, e);
}

static void add_all(both *b, const command *c) {
    for (uint32_t i = 0; i < c->count; ++i) {
        value plain;
        value_plain(&plain, c->kinds[i], c->payloads[i]);
        model_add(&b->model, c->e, c->kinds[i], &plain);
    }
}

// An error of a prefab that is refused for several reasons is one of them.
static keel_result apply_prefab(both *b, const command *c, uint32_t *reasons) {
    keel_entity made[TREE];
    keel_result why = KEEL_OK;
    *reasons = refusals_to_apply(b, c->e, &c->of);
    if (!*reasons) model_copies_are_made(b, made, model_apply(b, c->e, &c->of, made));
    while (*reasons && !(*reasons >> -why & 1))
        --why;
    return why;
}

// An error, of those in `reasons`, a bit for each, or KEEL_ERROR_DEAD_ENTITY when the command is
// dropped.
static keel_result apply_one(both *b, const batch *all, uint32_t at, uint32_t *reasons) {
    const command *c = &all->commands[at];
    const bool parent_is_there = is_there(b, all, at, c->parent);
    if (c->verb == CALL) return KEEL_OK;
    if (c->verb == SPAWN) {
        model_fill_copies(b, &c->of, c->copies, c->made);
        add_all(b, c);
        model_copies_are_made(b, c->made, (size_t)c->of.count * c->copies);
        return KEEL_OK;
    }
    if (c->verb != ADD_ENTITY && c->verb != ADD_CHILD && !is_there(b, all, at, c->e))
        return KEEL_ERROR_DEAD_ENTITY;
    const uint32_t bits = c->verb == REMOVE ? 1u << c->kinds[0] : bits_of_command(c);
    keel_result refusal = KEEL_OK;
    if (c->verb == ADD || c->verb == ADD_VALUES) refusal = may_add(b, c->e, bits);
    if (c->verb == REMOVE || c->verb == DELETE) refusal = model_may_take(&b->model, c->e, bits);
    if (refusal < 0) return refusal;
    switch (c->verb) {
    case ADD_ENTITY:
    case ADD:
    case ADD_VALUES:
        add_all(b, c);
        break;
    case ADD_CHILD: // two commands: the entity, and attaching it
        add_all(b, c);
        return parent_is_there ? model_attach(&b->model, c->e, c->parent) : KEEL_ERROR_DEAD_ENTITY;
    case REMOVE:
        model_delete(&b->model, c->e, c->kinds[0]);
        forget_hidden(b, c->e, c->kinds[0]);
        break;
    case DELETE:
        for (uint32_t i = 0; i < c->count; ++i) {
            model_delete(&b->model, c->e, c->kinds[i]);
            forget_hidden(b, c->e, c->kinds[i]);
        }
        break;
    case DELETE_ENTITY:
        return model_delete_entity(&b->model, c->e);
    case RELATE:
        return parent_is_there ? model_relate(&b->model, c->kinds[0] % RELATIONS, c->e, c->parent,
                                              &c->payloads[0])
                               : KEEL_ERROR_DEAD_ENTITY;
    case UNRELATE:
        return parent_is_there ? model_unrelate(&b->model, c->kinds[0] % RELATIONS, c->e, c->parent)
                               : KEEL_ERROR_DEAD_ENTITY;
    case STRIP:
        model_strip(&b->model, c->e);
        forget_hidden_of(b, c->e);
        break;
    case ATTACH:
        return parent_is_there ? model_attach(&b->model, c->e, c->parent) : KEEL_ERROR_DEAD_ENTITY;
    case DETACH:
        return model_detach(&b->model, c->e);
    case UNLINK:
        return model_unlink(&b->model, c->e);
    case UNLINK_TREE:
        return model_unlink_tree(&b->model, c->e);
    case APPLY:
        return apply_prefab(b, c, reasons);
    case NAME:
        return model_set_name(&b->model, c->e, c->name);
    default:
        return model_delete_tree(&b->model, c->e);
    }
    return KEEL_OK;
}

static void op_commands(both *b, dice *d) {
    batch all = { .count = 0 };
    uint32_t calls = 0, called = 0;
    keel_commands *list = keel_world_commands(b->world);
    const uint32_t count = roll_below(d, MOST) + 1;
    while (all.count < count) {
        command c = roll_command(b, d);
        both_trace(b, "verb %u on index %u, parent %u, %u kinds from %u", (unsigned)c.verb,
                   (unsigned)keel_entity_index(c.e), (unsigned)keel_entity_index(c.parent),
                   (unsigned)c.count, (unsigned)c.kinds[0]);
        if (!record(b, list, &c, &calls)) break;
        called += c.verb == CALL;
        all.commands[all.count++] = c;
    }
    keel_result result = keel_apply_commands(b->world), expected = KEEL_OK;
    uint32_t expected_reasons = 0;
    const bool ran_dry = result == KEEL_ERROR_MEMORY && b->dry;
    counting_allocator_never_fail(b->memory);
    if (ran_dry) result = keel_apply_commands(b->world); // goes on with the command that failed
    for (uint32_t i = 0; i < all.count; ++i) {
        uint32_t reasons = 0;
        const keel_result each = apply_one(b, &all, i, &reasons);
        b->dropped += each == KEEL_ERROR_DEAD_ENTITY;
        if (each >= 0 || each == KEEL_ERROR_DEAD_ENTITY || expected != KEEL_OK) continue;
        expected = each;
        expected_reasons = reasons;
    }
    if (!ran_dry && !(result < 0 && expected_reasons >> -result & 1))
        both_agree_surely(b, result, expected);
    if (calls != called)
        both_fail(b, "%u recorded calls ran, not %u", (unsigned)calls, (unsigned)called);
}

const operation_entry command_operations[] = {
    { "commands", op_commands, 8 },
    { NULL, NULL, 0 },
};
