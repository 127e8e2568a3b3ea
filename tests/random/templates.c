// SPDX-License-Identifier: MIT
#include "templates.h"

#include "followers.h"

#include <stdlib.h>
#include <string.h>

void templates_begin(both *b) {
    both *t = b->templates = aligned_alloc(_Alignof(both), sizeof *t);
    if (!t) abort();
    memset(t, 0, sizeof *t);
    t->setting = (setting){ .storages = b->setting.storages,
                            .of_slots = b->setting.of_slots,
                            .dry = b->setting.dry,
                            .names = b->setting.template_names,
                            .of_children = b->setting.of_children,
                            .requires = b->setting.requires };
    t->templates = t; // they are spawned among themselves, too
    t->are_templates = t->is_copy = true;
    t->memory = b->memory;
    t->trace = b->trace;
    t->doing = b->doing;
    t->world = keel_templates(b->world);
    if (!t->world) both_fail(b, "there is no world of templates");
    both_describe(t);
    const keel_entity first = keel_add_entity(t->world); // their versions begin with another one
    t->model.first_version = keel_entity_version(first);
    if (!t->model.first_version) both_fail(b, "templates have handles of the game");
    (void)model_add_entity(&t->model);
}

void templates_end(both *b) {
    if (!b->templates) return;
    model_deinit(&b->templates->model);
    free(b->templates);
}

uint32_t compare_origin(const both *b, keel_entity e, const void *models) {
    keel_entity root = keel_null();
    if (models && b->templates) memcpy(&root, models, sizeof root);
    if (b->templates && !model_is_alive(&b->templates->model, root)) root = keel_null();
    if (!keel_is_same(keel_prefab_of(b->world, e).root, root))
        both_fail(b, "entity %u is a copy of another one", (unsigned)keel_entity_index(e));
    return models != NULL;
}

// ------------------------------------------------------------------ what there is to copy
// SIZE_MAX: it is not among them.
static size_t place_in(const tree *of, keel_entity e) {
    for (size_t i = 0; i < of->count; ++i)
        if (keel_is_same(of->nodes[i], e)) return i;
    return SIZE_MAX;
}

static void append_tree(tree *of, const both *from, keel_entity root) {
    const model_world *m = &from->model;
    if (model_entity_count(m) > TREE) both_fail(from, "there are too many entities to copy");
    uint32_t i = of->count;
    of->nodes[i] = root;
    of->count += 1 + (uint32_t)model_list_descendants(m, root, &of->nodes[i + 1]);
    for (; i < of->count; ++i)
        for (uint32_t k = 0; k < KINDS; ++k) {
            const bool is_hidden = find_hidden(from, of->nodes[i], k) != NULL;
            of->hidden += is_hidden;
            if (!kinds[k].copies && (is_hidden || model_has(m, of->nodes[i], k)))
                of->can_copy = false;
        }
}

tree tree_of(const both *templates, keel_entity root) {
    tree of = { .can_copy = true };
    if (model_is_alive(&templates->model, root)) append_tree(&of, templates, root);
    return of;
}

tree tree_of_all(const both *from) {
    tree of = { .can_copy = true };
    for (size_t i = 0; i < from->model.slot_count; ++i) {
        const model_slot *slot = &from->model.slots[i];
        if (slot->is_alive && keel_is_null(slot->parent)) append_tree(&of, from, slot->handle);
    }
    return of;
}

// ------------------------------------------------------------------ copies in the model
typedef struct copying {
    both *to;
    const both *from; // the templates, or the world that is merged
    const tree *of;
    uint32_t copies, copy; // how many, and which of them
    const keel_entity *made;
    const keel_merge_options *merge; // NULL: of templates
} copying;

static keel_entity copy_of(const copying *c, size_t node) {
    return c->made[node * c->copies + c->copy];
}

// Whoever is a part of the template becomes the same part of the copy. Others stay as they are, but
// mean nothing in another world.
static keel_entity copy_of_named(const copying *c, keel_entity e) {
    const size_t place = place_in(c->of, e);
    if (place == SIZE_MAX) return c->merge ? keel_null() : e;
    return copy_of(c, place);
}

static value value_of_copy(const copying *c, uint32_t k, const void *from) {
    value v;
    pair named;
    memcpy(&v, from, kinds[k].size);
    if (k != PAIR) return v;
    memcpy(&named, from, sizeof named);
    named.first = copy_of_named(c, named.first);
    named.second = copy_of_named(c, named.second);
    memcpy(&v, &named, sizeof named);
    return v;
}

static void fill_node(const copying *c, size_t node) {
    const keel_entity template = c->of->nodes[node], e = copy_of(c, node);
    for (uint32_t k = 0; k < KINDS; ++k) {
        const void *models = model_get(&c->from->model, template, k);
        const hidden *h = find_hidden(c->from, template, k);
        if (!models && !h) continue;
        const value v = value_of_copy(c, k, models ? models : &h->value);
        if (models) model_add(&c->to->model, e, k, &v);
        else hide(c->to, e, k, &v);
    }
    const void *origin = c->merge ? model_get(&c->from->model, template, ORIGIN) : &template;
    if (origin && (!c->merge || c->merge->same_templates))
        model_add(&c->to->model, e, ORIGIN, origin);
    if (!node && !c->merge) return;
    const keel_entity above = model_parent_of(&c->from->model, template);
    const keel_entity parent = keel_is_null(above) ? c->merge->root : copy_of_named(c, above);
    if (!keel_is_null(parent)) (void)model_attach(&c->to->model, e, parent);
    const char *name = model_name_of(&c->from->model, template);
    if (name && model_set_name(&c->to->model, e, name) != KEEL_OK)
        both_fail(c->to, "the model cannot name a part");
}

// Edges of copies come in the order of those of nodes.
static void relate_nodes(const copying *c) {
    for (uint32_t r = 0; r < RELATIONS; ++r) {
        const model_relation *relation = &c->from->model.relations[r];
        for (size_t i = 0, count = relation->edge_count; i < count; ++i) {
            const model_edge edge = relation->edges[i];
            const size_t from = place_in(c->of, edge.source), to = place_in(c->of, edge.target);
            if (from == SIZE_MAX || to == SIZE_MAX) continue;
            if (model_relate(&c->to->model, r, copy_of(c, from), copy_of(c, to), &edge.value))
                both_fail(c->to, "the model cannot relate copies");
        }
    }
}

void model_make_copies(both *b, const tree *of, uint32_t copies, keel_entity *made) {
    for (size_t i = 0; i < (size_t)of->count * copies; ++i)
        made[i] = model_add_entity(&b->model);
}

static void fill_copy(const copying *c) {
    for (size_t node = 0; node < c->of->count; ++node)
        fill_node(c, node);
    relate_nodes(c);
}

void model_fill_copies(both *b, const tree *of, uint32_t copies, const keel_entity *made) {
    copying c = { b, b->templates, of, copies, 0, made, NULL };
    for (; c.copy < copies; ++c.copy)
        fill_copy(&c);
}

// ------------------------------------------------------------------ onto somebody who lives
bool is_copy_of(const both *b, keel_entity e, keel_entity template) {
    const void *origin = model_get(&b->model, e, ORIGIN);
    return origin && memcmp(origin, &template, sizeof template) == 0;
}

bool owns_kind(const both *b, keel_entity e, uint32_t k) {
    return model_has(&b->model, e, k) || find_hidden(b, e, k);
}

static bool has_target(const both *b, uint32_t r, keel_entity e) {
    const model_relation *relation = &b->model.relations[r];
    for (size_t i = 0; i < relation->edge_count; ++i)
        if (keel_is_same(relation->edges[i].source, e)) return true;
    return false;
}

static bool keeps_target(const both *b, uint32_t r, keel_entity e) {
    return b->model.relations[r].exclusive && has_target(b, r, e);
}

static bool lacks_valued_loop(const both *b, keel_entity e, keel_entity root) {
    for (uint32_t r = 0; r < RELATIONS; ++r)
        if (b->relations[r].size && !keeps_target(b, r, e) &&
            model_find_edge(&b->templates->model, r, root, root))
            return true;
    return false;
}

static bool lacks_what_is_not_copied(const both *b, keel_entity e, const tree *of) {
    const size_t count = is_copy_of(b, e, of->nodes[0]) ? 1 : of->count;
    for (size_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < KINDS; ++k)
            if (!kinds[k].copies && owns_kind(b->templates, of->nodes[i], k) &&
                (i || !owns_kind(b, e, k)))
                return true;
    return false;
}

bool lacks_required(const both *b, const tree *of, uint32_t given) {
    for (uint32_t k = 0; k < KINDS; ++k)
        for (uint32_t r = 0; r < KINDS && given >> k & 1; ++r)
            if (model_required_of(&b->model, k) >> r & 1 && !(given >> r & 1) &&
                find_hidden(b->templates, of->nodes[0], r))
                return true;
    return false;
}

// Somebody keeps out of sight what a new value would require.
static bool requires_hidden(const both *b, keel_entity e, keel_entity root) {
    uint32_t added = 0;
    for (uint32_t k = 0; k < KINDS; ++k)
        if (model_has(&b->templates->model, root, k) && !owns_kind(b, e, k)) added |= 1u << k;
    return may_add(b, e, added) < 0;
}

static bool has_child_named_as_a_part(const both *b, keel_entity e, const tree *of) {
    for (size_t i = 1; i < of->count; ++i) {
        const model_world *m = &b->templates->model;
        const char *name = model_name_of(m, of->nodes[i]);
        if (name && keel_is_same(model_parent_of(m, of->nodes[i]), of->nodes[0]) &&
            !keel_is_null(model_find(&b->model, e, name)))
            return true;
    }
    return false;
}

uint32_t refusals_to_apply(const both *b, keel_entity e, const tree *of) {
    if (!model_is_alive(&b->model, e) || !of->count) return 1u << -KEEL_ERROR_DEAD_ENTITY;
    if (b->are_templates && place_in(of, e) != SIZE_MAX) return 1u << -KEEL_ERROR_ARGUMENT;
    const bool is_first = !is_copy_of(b, e, of->nodes[0]);
    uint32_t reasons = 0;
    if (is_first && lacks_valued_loop(b, e, of->nodes[0])) reasons |= 1u << -KEEL_ERROR_ARGUMENT;
    if (is_first && has_child_named_as_a_part(b, e, of)) reasons |= 1u << -KEEL_ERROR_OCCUPIED;
    if (lacks_what_is_not_copied(b, e, of)) reasons |= 1u << -KEEL_ERROR_COPY;
    if (requires_hidden(b, e, of->nodes[0])) reasons |= 1u << -KEEL_ERROR_REQUIRED;
    return reasons;
}

// The parts that a copy has still: what is below another copy of the same prefab is not its own.
static void find_own_parts(const copying *c, keel_entity *made) {
    static keel_entity below[1 << 16];
    const model_world *m = &c->to->model;
    const size_t count = model_list_descendants(m, made[0], below);
    for (size_t i = 0; i < count; ++i) {
        const void *origin = model_get(m, below[i], ORIGIN);
        keel_entity template, up = below[i];
        if (!origin) continue;
        memcpy(&template, origin, sizeof template);
        const size_t place = place_in(c->of, template);
        while (!keel_is_same(up, made[0]) && !is_copy_of(c->to, up, c->of->nodes[0]))
            up = model_parent_of(m, up);
        if (place != SIZE_MAX && keel_is_same(up, made[0]) && keel_is_null(made[place]))
            made[place] = below[i];
    }
}

static void give_lacking(const copying *c) {
    const keel_entity template = c->of->nodes[0], e = c->made[0];
    for (uint32_t k = 0; k < KINDS; ++k) {
        const void *models = model_get(&c->from->model, template, k);
        const hidden *h = find_hidden(c->from, template, k);
        if ((!models && !h) || owns_kind(c->to, e, k)) continue;
        const value v = value_of_copy(c, k, models ? models : &h->value);
        if (models) model_add(&c->to->model, e, k, &v);
        else hide(c->to, e, k, &v);
    }
    model_add(&c->to->model, e, ORIGIN, &template);
}

// The edges of one relation between the copies of two nodes in their order, and last that from the
// root to itself.
static void relate_all(const copying *c, uint32_t r) {
    const model_relation *relation = &c->from->model.relations[r];
    const bool keeps = keeps_target(c->to, r, c->made[0]);
    for (unsigned loops = 0; loops < 2; ++loops)
        for (size_t i = 0, count = relation->edge_count; i < count; ++i) {
            const model_edge edge = relation->edges[i];
            const size_t from = place_in(c->of, edge.source), to = place_in(c->of, edge.target);
            if (from == SIZE_MAX || to == SIZE_MAX || (!from && !to) != loops) continue;
            if (keeps && (!from || (relation->symmetric && !to))) continue;
            if (model_relate(&c->to->model, r, c->made[from], c->made[to], &edge.value))
                both_fail(c->to, "the model cannot relate parts");
        }
}

size_t model_apply(both *b, keel_entity e, const tree *of, keel_entity *made) {
    const bool is_first = !is_copy_of(b, e, of->nodes[0]);
    const copying c = { b, b->templates, of, 1, 0, made, NULL };
    made[0] = e;
    for (size_t i = 1; i < of->count; ++i)
        made[i] = is_first ? model_add_entity(&b->model) : keel_null();
    if (!is_first) find_own_parts(&c, made);
    for (size_t i = 1; i < of->count && is_first; ++i)
        fill_node(&c, i);
    for (uint32_t r = 0; r < RELATIONS && is_first; ++r)
        relate_all(&c, r);
    give_lacking(&c);
    return is_first ? of->count : 1;
}

void model_copies_are_made(both *b, const keel_entity *made, size_t count) {
    forget_stale_hidden(b); // those that got a value of their own
    for (uint32_t i = 0; i < b->hidden_count; ++i)
        for (size_t k = 0; k < count; ++k) // others may have one by a later command
            if (keel_is_same(b->hidden[i].e, made[k])) follow_hidden(b, made[k], b->hidden[i].kind);
}

// ------------------------------------------------------------------ a world that is merged
static bool is_outside(const tree *of, keel_entity e) {
    return !keel_is_null(e) && place_in(of, e) == SIZE_MAX;
}

static bool names_outsiders(const tree *of, const void *models) {
    pair named;
    if (!models) return false;
    memcpy(&named, models, sizeof named);
    return is_outside(of, named.first) || is_outside(of, named.second);
}

static bool any_names_outsiders(const both *from, const tree *of) {
    if (names_outsiders(of, model_get_unique(&from->model, PAIR))) return true;
    for (uint32_t i = 0; i < of->count; ++i) {
        const hidden *h = find_hidden(from, of->nodes[i], PAIR);
        const void *models = model_get(&from->model, of->nodes[i], PAIR);
        if (names_outsiders(of, h ? (const void *)&h->value : models)) return true;
    }
    return false;
}

static bool is_name_taken(const both *b, const both *from, const tree *of, keel_entity root) {
    for (uint32_t i = 0; i < of->count; ++i) {
        const char *name = model_name_of(&from->model, of->nodes[i]);
        if (name && keel_is_null(model_parent_of(&from->model, of->nodes[i])) &&
            !keel_is_null(model_find(&b->model, root, name)))
            return true;
    }
    return false;
}

static bool can_copy_uniques(const both *from) {
    for (uint32_t k = 0; k < KINDS; ++k)
        if (!kinds[k].copies && model_get_unique(&from->model, k)) return false;
    return true;
}

uint32_t refusals_to_merge(const both *b, const both *from, const tree *of,
                           const keel_merge_options *options) {
    uint32_t reasons = 0;
    if (!keel_is_null(options->root) && !model_is_alive(&b->model, options->root))
        return 1u << -KEEL_ERROR_DEAD_ENTITY;
    if (options->strict && any_names_outsiders(from, of)) reasons |= 1u << -KEEL_ERROR_DEAD_ENTITY;
    if (is_name_taken(b, from, of, options->root)) reasons |= 1u << -KEEL_ERROR_OCCUPIED;
    if (!of->can_copy || !can_copy_uniques(from)) reasons |= 1u << -KEEL_ERROR_COPY;
    return reasons;
}

void model_merge(both *b, const both *from, const tree *of, const keel_merge_options *options,
                 keel_entity *made) {
    const copying c = { b, from, of, 1, 0, made, options };
    model_make_copies(b, of, 1, made);
    fill_copy(&c);
    for (uint32_t k = 0; k < KINDS; ++k) {
        const void *models = model_get_unique(&from->model, k);
        if (!models) continue;
        const value v = value_of_copy(&c, k, models);
        model_set_unique(&b->model, k, &v);
    }
    model_copies_are_made(b, made, of->count);
}
