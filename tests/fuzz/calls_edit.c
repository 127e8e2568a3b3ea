// SPDX-License-Identifier: MIT
// Entities, components, uniques, names, the hierarchy, commands.
#include "fuzz.h"

// ------------------------------------------------------------------ lists of values
typedef struct value_list {
    keel_value list[5];
    void *owned[5];
    uint32_t count;
} value_list;

// Each value owns its bytes: single ones are cut out of one array of as many.
static void take_values(value_list *v) {
    static _Alignas(64) unsigned char bytes[FUZZ_DEPTH + 1][4][FUZZ_LARGEST];
    *v = (value_list){ .count = fuzz_below(5) };
    for (uint32_t i = 0; i < v->count; ++i) {
        const keel_component *c = fuzz_component();
        v->list[i].component = c ? c : fuzz_components[0];
        if (c == keel_if_missing() || fuzz_one_in(4)) continue;
        const void *value = fuzz_values(v->list[i].component, 1);
        __builtin_memcpy(bytes[f.depth][i], value, FUZZ_LARGEST);
        v->owned[i] = bytes[f.depth][i];
        v->list[i].value = bytes[f.depth][i];
    }
}
static void end_values(value_list *v, bool taken) {
    for (uint32_t i = 0; !taken && i < v->count; ++i)
        if (v->owned[i]) fuzz_release(v->list[i].component, v->owned[i], 1);
}
static const keel_value *list_of(const value_list *v) { return v->count ? v->list : NULL; }

static void add_one(keel_result (*add)(keel_scope *, keel_entity, const keel_component *,
                                       const void *)) {
    const keel_component *c = fuzz_component();
    void *value = fuzz_one_in(4) ? NULL : fuzz_values(c, 1);
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    const keel_result result = add(scope, e, c, value);
    if (result != KEEL_OK && value) fuzz_release(c, value, 1);
    fuzz_edit(result);
}

// In this order: what the arguments of one call read first is up to the compiler, and a kept string
// must mean the same to each.
static void edit_entity(keel_result (*edit)(keel_scope *, keel_entity)) {
    keel_scope *scope = fuzz_scope();
    fuzz_edit(edit(scope, fuzz_entity()));
}
static void edit_all(keel_result (*edit)(keel_scope *, const keel_component *)) {
    keel_scope *scope = fuzz_scope();
    fuzz_edit(edit(scope, fuzz_component()));
}
static keel_entity relative(keel_entity (*of)(const keel_scope *, keel_entity)) {
    const keel_scope *scope = fuzz_scope();
    return fuzz_keep(of(scope, fuzz_entity()));
}

// ------------------------------------------------------------------ entities
FUZZ(keel_add_entity_values) {
    value_list v;
    take_values(&v);
    const keel_entity e = fuzz_made((keel_add_entity_values)(fuzz_scope(), list_of(&v)));
    end_values(&v, !keel_is_null(e));
}
FUZZ(keel_add_child_values) {
    value_list v;
    take_values(&v);
    keel_scope *scope = fuzz_scope();
    const keel_entity parent = fuzz_entity();
    const keel_entity e = fuzz_made((keel_add_child_values)(scope, parent, list_of(&v)));
    end_values(&v, !keel_is_null(e));
}
FUZZ(keel_add_entity_at) {
    const keel_entity e = fuzz_one_in(8) ? fuzz_forged() : fuzz_entity();
    const keel_result result = keel_add_entity_at(fuzz_world(), e);
    if (result == KEEL_OK) (void)fuzz_keep(e);
    fuzz_edit(result);
}
static keel_prefab any_prefab(void) {
    return fuzz_one_in(4) ? (keel_prefab){ fuzz_entity() } : f.prefab;
}
// keel_add_entity_columns, or keel_spawn_columns of a template that may be there.
static void add_columns(bool spawns) {
    const bool huge = fuzz_one_in(16);
    const uint32_t count = huge ? fuzz_number() : fuzz_below(FUZZ_MANY + 1);
    keel_entity out[FUZZ_MANY];
    keel_value_column columns[3] = { { 0 } };
    void *owned = NULL;
    uint32_t owned_count = 0;
    const keel_component *c = fuzz_component();
    for (uint32_t i = 0; i < fuzz_below(3); ++i) {
        columns[i].component = i ? fuzz_component() : c;
        if (!columns[i].component) columns[i].component = fuzz_components[1];
    }
    if (columns[0].component && c && !fuzz_one_in(4)) { // the first one has values
        const bool fill = huge || fuzz_one_in(4);
        owned_count = fill ? 1 : count;
        owned = fuzz_values(c, owned_count);
        columns[0].values = owned;
        columns[0].stride = fill ? 0 : c->size;
        if (fuzz_one_in(32)) columns[0].stride = 1;
    }
    const bool none = fuzz_one_in(16);
    keel_scope *scope = fuzz_scope();
    const keel_prefab prefab = spawns ? any_prefab() : (keel_prefab){ keel_null() };
    const keel_result result =
        spawns
            ? (keel_spawn_columns)(scope, prefab, count, huge ? NULL : out, none ? NULL : columns)
            : (keel_add_entity_columns)(scope, count, huge ? NULL : out, none ? NULL : columns);
    const bool taken = result == KEEL_OK && !none && columns[0].stride;
    if (owned && !taken) fuzz_release(c, owned, owned_count);
    for (uint32_t i = 0; result == KEEL_OK && !huge && i < count; ++i)
        (void)fuzz_keep(out[i]);
    fuzz_edit(result);
}
FUZZ(keel_add_entity_columns) { add_columns(false); }
FUZZ(keel_spawn_columns) { add_columns(true); }
FUZZ(keel_spawn_values) {
    value_list v;
    take_values(&v);
    keel_scope *scope = fuzz_scope();
    const keel_prefab prefab = any_prefab();
    const keel_entity e = fuzz_made((keel_spawn_values)(scope, prefab, list_of(&v)));
    end_values(&v, !keel_is_null(e));
}
FUZZ(keel_apply_prefab) {
    keel_scope *scope = fuzz_scope();
    const keel_prefab prefab = any_prefab();
    fuzz_edit((keel_apply_prefab)(scope, fuzz_entity(), prefab));
}
FUZZ(keel_prefab_of) {
    const keel_scope *scope = fuzz_scope();
    (void)(keel_prefab_of)(scope, fuzz_entity());
}
// Their handles look like those of the game's own entities.
FUZZ(keel_templates) {
    enum { MOST = 24 };
    keel_world *templates = keel_templates(fuzz_world());
    if (!templates) {
        fuzz_edit(KEEL_ERROR_ARGUMENT);
        return;
    }
    if (keel_entity_count(templates) > MOST) return;
    value_list v;
    take_values(&v);
    const keel_entity parent = fuzz_entity();
    const keel_entity e = fuzz_one_in(2)
                              ? (keel_add_entity_values)(KEEL_SCOPE(templates), list_of(&v))
                              : (keel_add_child_values)(KEEL_SCOPE(templates), parent, list_of(&v));
    f.prefab.root = fuzz_made(e);
    end_values(&v, !keel_is_null(e));
}
FUZZ(keel_clone_entities) {
    keel_entity out[FUZZ_MANY];
    const bool huge = fuzz_one_in(16);
    const uint32_t count = huge ? fuzz_number() : fuzz_below(FUZZ_MANY + 1);
    keel_scope *scope = fuzz_scope();
    const keel_result result =
        (keel_clone_entities)(scope, fuzz_entity(), count, huge ? NULL : out);
    for (uint32_t i = 0; result == KEEL_OK && !huge && i < count; ++i)
        (void)fuzz_keep(out[i]);
    fuzz_edit(result);
}
FUZZ(keel_delete_entity) { edit_entity(keel_delete_entity); }
// Undefined unless the entity is alive, nothing is open and it is in no hierarchy.
FUZZ(keel_delete_entity_unchecked) {
    keel_world *world = f.worlds[0];
    const keel_entity e = fuzz_entity();
    if (f.depth || f.shared[0] || !keel_is_alive(world, e)) return;
    for (uint32_t i = 0; i < FUZZ_VIEWS; ++i)
        if (f.views[i].world) return;
    if (keel_child_count(world, e) || !keel_is_null(keel_parent_of(world, e))) return;
    keel_delete_entity_unchecked(world, e);
}
FUZZ(keel_delete_entities) {
    keel_entity list[FUZZ_MANY];
    const uint32_t count = fuzz_entities(list);
    keel_scope *scope = fuzz_scope();
    fuzz_edit((keel_delete_entities)(scope, fuzz_one_in(32) ? NULL : list, count));
}
FUZZ(keel_delete_entities_having_component) { edit_all(keel_delete_entities_having_component); }
FUZZ(keel_delete_entities_matching) {
    keel_scope *scope = fuzz_scope();
    fuzz_edit((keel_delete_entities_matching)(scope, fuzz_terms()));
}
FUZZ(keel_clear_entities) {
    if (fuzz_one_in(4)) fuzz_edit(keel_clear_entities(fuzz_world()));
}
FUZZ(keel_last_count) { (void)keel_last_count(fuzz_world()); }
FUZZ(keel_move_entity) {
    keel_world *from = fuzz_world(), *to = fuzz_world();
    (void)fuzz_made(keel_move_entity(from, fuzz_entity(), to));
}

// ------------------------------------------------------------------ components
FUZZ(keel_add_component) { add_one(keel_add_component); }
FUZZ(keel_add_component_unchecked) {
    const keel_component *c = fuzz_components[fuzz_below(3)];
    void *value = fuzz_values(c, 1);
    const keel_entity e = fuzz_entity();
    if (!keel_is_alive(f.worlds[0], e)) return;
    fuzz_edit((keel_add_component_unchecked)(KEEL_SCOPE(f.worlds[0]), e, c, value));
}
FUZZ(keel_add_component_values) {
    value_list v;
    take_values(&v);
    keel_scope *scope = fuzz_scope();
    const keel_result result = (keel_add_component_values)(scope, fuzz_entity(), list_of(&v));
    end_values(&v, result == KEEL_OK);
    fuzz_edit(result);
}
FUZZ(keel_if_missing) {
    if (!keel_if_missing()) __builtin_trap();
}
FUZZ(keel_get_or_add_component) {
    const keel_component *c = fuzz_component();
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    unsigned char *value = keel_get_or_add_component(world, e, c, NULL);
    if (value && c && c->size && !c->drop) *value = (unsigned char)fuzz_byte();
}
FUZZ(keel_remove_component) {
    const keel_component *c = fuzz_component();
    void *out = fuzz_one_in(3) ? NULL : fuzz_place(c);
    keel_scope *scope = fuzz_scope();
    const keel_result result = (keel_remove_component)(scope, fuzz_entity(), c, out);
    if (result == KEEL_OK && out) fuzz_release(c, out, 1);
    fuzz_edit(result);
}
FUZZ(keel_remove_component_values) {
    static _Alignas(64) unsigned char places[FUZZ_DEPTH + 1][3][FUZZ_LARGEST];
    keel_out outs[4] = { { 0 } };
    bool taken[3] = { false };
    const uint32_t count = fuzz_below(4);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_component *c = fuzz_component();
        if (!c || c->size > FUZZ_LARGEST) c = fuzz_components[i];
        outs[i] = (keel_out){ c, fuzz_one_in(4) ? NULL : places[f.depth][i], &taken[i] };
    }
    keel_scope *scope = fuzz_scope();
    const keel_result result = (keel_remove_component_values)(scope, fuzz_entity(), outs);
    for (uint32_t i = 0; i < count; ++i)
        if (result == KEEL_OK && taken[i] && outs[i].value)
            fuzz_release(outs[i].component, outs[i].value, 1);
    fuzz_edit(result);
}
FUZZ(keel_drain_component) {
    const keel_component *c = fuzz_component();
    void *out = fuzz_one_in(3) ? NULL : fuzz_place(c);
    keel_entity e = keel_null();
    keel_scope *scope = fuzz_scope();
    if ((keel_drain_component)(scope, c, fuzz_one_in(3) ? NULL : &e, out) && out)
        fuzz_release(c, out, 1);
}
FUZZ(keel_delete_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    fuzz_edit((keel_delete_component)(scope, e, fuzz_component()));
}
FUZZ(keel_delete_components) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    fuzz_edit((keel_delete_components)(scope, e, fuzz_list()));
}
FUZZ(keel_strip) { edit_entity(keel_strip); }
FUZZ(keel_add_component_to_many) {
    keel_entity list[FUZZ_MANY];
    const uint32_t count = fuzz_entities(list);
    const keel_component *c = fuzz_component();
    const bool fill = fuzz_one_in(3);
    const uint32_t owned = fill ? 1 : count;
    void *values = fuzz_one_in(4) ? NULL : fuzz_values(c, owned);
    const size_t stride = fill || !c ? 0 : c->size;
    keel_scope *scope = fuzz_scope();
    const keel_entity *many = fuzz_one_in(32) ? NULL : list;
    const keel_result result =
        (keel_add_component_to_many)(scope, many, count, c, values, fuzz_one_in(64) ? 1 : stride);
    // zero stride (tags, one value for all): the caller keeps it
    if (values && (result != KEEL_OK || !stride)) fuzz_release(c, values, owned);
    fuzz_edit(result);
}
FUZZ(keel_delete_component_from_many) {
    keel_entity list[FUZZ_MANY];
    const uint32_t count = fuzz_entities(list);
    keel_scope *scope = fuzz_scope();
    const keel_entity *many = fuzz_one_in(32) ? NULL : list;
    fuzz_edit((keel_delete_component_from_many)(scope, many, count, fuzz_component()));
}
FUZZ(keel_add_component_to_matching) {
    const keel_component *c = fuzz_component();
    void *value = fuzz_one_in(4) ? NULL : fuzz_values(c, 1);
    keel_scope *scope = fuzz_scope();
    const keel_result result = (keel_add_component_to_matching)(scope, fuzz_terms(), c, value);
    if (value) fuzz_release(c, value, 1);
    fuzz_edit(result);
}
FUZZ(keel_delete_component_from_matching) {
    keel_scope *scope = fuzz_scope();
    const keel_term *terms = fuzz_terms();
    fuzz_edit((keel_delete_component_from_matching)(scope, terms, fuzz_component()));
}
FUZZ(keel_clear_component) { edit_all(keel_clear_component); }
FUZZ(keel_retain_component) {
    keel_retain_fn *keep = fuzz_one_in(32) ? NULL : fuzz_retain;
    const keel_component *c = fuzz_component();
    fuzz_edit(keel_retain_component(fuzz_world(), c, keep, NULL));
}
FUZZ(keel_enable_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    const keel_component *c = fuzz_component();
    fuzz_edit((keel_enable_component)(scope, e, c, fuzz_one_in(2)));
}
FUZZ(keel_enable_entity) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    fuzz_edit((keel_enable_entity)(scope, e, fuzz_one_in(2)));
}
FUZZ(keel_is_component_disabled) {
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    (void)keel_is_component_disabled(world, e, fuzz_component());
}
static bool look_at_run(const keel_value_run *run, void *data) {
    uint32_t *left = data;
    *left -= *left && run->count ? 1 : 0;
    return *left != 0;
}
FUZZ(keel_visit_values) {
    const keel_world *world = fuzz_world();
    const keel_component *c = fuzz_component();
    uint32_t left = 8;
    fuzz_edit(keel_visit_values(world, c, fuzz_one_in(32) ? NULL : look_at_run, &left));
}
FUZZ(keel_replace_component) { add_one(keel_replace_component); }
FUZZ(keel_patch_component) {
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    const keel_component *c = fuzz_component();
    fuzz_edit(keel_patch_component(world, e, c, fuzz_one_in(32) ? NULL : fuzz_patch, NULL));
}
FUZZ(keel_mark_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    fuzz_edit((keel_mark_component)(scope, e, fuzz_component()));
}
FUZZ(keel_reserve_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_one_in(4) ? &keel_entities : fuzz_component();
    fuzz_edit(keel_reserve_component(world, c, fuzz_number()));
}

// ------------------------------------------------------------------ looking
// The first byte of what is there can be read.
static void read_byte(const void *value, const keel_component *c) {
    if (value && c && c->size) fuzz_sink = *(const unsigned char *)value;
}
FUZZ(keel_get_component) {
    const keel_component *c = fuzz_component();
    keel_scope *scope = fuzz_scope();
    read_byte((keel_get_component)(scope, fuzz_entity(), c), c);
}
FUZZ(keel_get_component_mut) {
    const keel_component *c = fuzz_component();
    keel_scope *scope = fuzz_scope();
    unsigned char *value = (keel_get_component_mut)(scope, fuzz_entity(), c);
    if (value && c && c->size && !c->drop) *value = (unsigned char)fuzz_byte();
}
// They stop the program where nothing is there.
FUZZ(keel_at_component) {
    const keel_component *c = fuzz_component();
    const keel_entity e = fuzz_entity();
    if (!(keel_get_component)(KEEL_SCOPE(f.worlds[0]), e, c)) return;
    read_byte((keel_at_component)(KEEL_SCOPE(f.worlds[0]), e, c, "here"), c);
}
FUZZ(keel_at_component_mut) {
    const keel_component *c = fuzz_component();
    const keel_entity e = fuzz_entity();
    if (!(keel_get_component_mut)(KEEL_SCOPE(f.worlds[0]), e, c)) return;
    read_byte((keel_at_component_mut)(KEEL_SCOPE(f.worlds[0]), e, c, "here"), c);
}
FUZZ(keel_has_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    (void)(keel_has_component)(scope, e, fuzz_component());
}
FUZZ(keel_has_all_components) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    (void)(keel_has_all_components)(scope, e, fuzz_list());
}
FUZZ(keel_has_any_component) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    (void)(keel_has_any_component)(scope, e, fuzz_list());
}

// ------------------------------------------------------------------ uniques and states
FUZZ(keel_set_unique_value) {
    const keel_component *c = fuzz_unique();
    void *value = fuzz_one_in(4) ? NULL : fuzz_values(c, 1);
    const keel_result result = (keel_set_unique_value)(fuzz_scope(), c, value);
    if (result != KEEL_OK && value) fuzz_release(c, value, 1);
    fuzz_edit(result);
}
FUZZ(keel_get_or_set_unique_value) {
    const keel_component *c = fuzz_unique();
    read_byte(keel_get_or_set_unique_value(fuzz_world(), c, NULL), c);
}
FUZZ(keel_get_unique_value) {
    const keel_component *c = fuzz_unique();
    read_byte((keel_get_unique_value)(fuzz_scope(), c), c);
}
FUZZ(keel_get_unique_value_mut) {
    const keel_component *c = fuzz_unique();
    read_byte((keel_get_unique_value_mut)(fuzz_scope(), c), c);
}
FUZZ(keel_remove_unique_value) {
    const keel_component *c = fuzz_unique();
    void *out = fuzz_one_in(3) ? NULL : fuzz_place(c);
    const keel_result result = (keel_remove_unique_value)(fuzz_scope(), c, out);
    if (result == KEEL_OK && out) fuzz_release(c, out, 1);
    fuzz_edit(result);
}
FUZZ(keel_clear_uniques) { fuzz_edit(keel_clear_uniques(fuzz_world())); }
FUZZ(keel_set_state_of) {
    const keel_state *state = fuzz_one_in(32) ? NULL : fuzz_states[fuzz_below(2)];
    keel_scope *scope = fuzz_scope();
    fuzz_edit((keel_set_state_of)(scope, state, fuzz_below(4)));
}

// ------------------------------------------------------------------ the hierarchy and names
FUZZ(keel_attach) {
    keel_scope *scope = fuzz_scope();
    const keel_entity child = fuzz_entity();
    fuzz_edit((keel_attach)(scope, child, fuzz_entity()));
}
FUZZ(keel_detach) { edit_entity(keel_detach); }
FUZZ(keel_unlink) { edit_entity(keel_unlink); }
FUZZ(keel_unlink_tree) { edit_entity(keel_unlink_tree); }
FUZZ(keel_delete_tree) { edit_entity(keel_delete_tree); }
FUZZ(keel_sort_children) {
    keel_world *world = fuzz_world();
    const keel_entity e = fuzz_entity();
    fuzz_edit(keel_sort_children(world, e, fuzz_one_in(32) ? NULL : fuzz_compare_entities, NULL));
}
FUZZ(keel_parent_of) { (void)relative(keel_parent_of); }
FUZZ(keel_child_count) {
    keel_scope *scope = fuzz_scope();
    (void)(keel_child_count)(scope, fuzz_entity());
}
FUZZ(keel_first_child) { (void)relative(keel_first_child); }
FUZZ(keel_next_child) {
    keel_scope *scope = fuzz_scope();
    const keel_entity parent = fuzz_entity();
    (void)fuzz_keep((keel_next_child)(scope, parent, fuzz_entity()));
}
FUZZ(keel_next_descendant) {
    keel_scope *scope = fuzz_scope();
    const keel_entity root = fuzz_entity();
    const keel_entity after = fuzz_entity();
    (void)fuzz_keep((keel_next_descendant)(scope, root, after, (keel_walk_order)fuzz_below(3)));
}
FUZZ(keel_set_name) {
    keel_scope *scope = fuzz_scope();
    const keel_entity e = fuzz_entity();
    fuzz_edit((keel_set_name)(scope, e, fuzz_text()));
}
FUZZ(keel_name_of) {
    keel_scope *scope = fuzz_scope();
    const char *name = (keel_name_of)(scope, fuzz_entity());
    if (name && __builtin_strlen(name) > FUZZ_LARGEST) __builtin_trap();
}
FUZZ(keel_find_entity) {
    keel_scope *scope = fuzz_scope();
    const keel_entity parent = fuzz_one_in(2) ? keel_null() : fuzz_entity();
    (void)fuzz_keep((keel_find_entity)(scope, parent, fuzz_text()));
}

// ------------------------------------------------------------------ relations
FUZZ(keel_relate_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    fuzz_edit((keel_relate_component)(scope, source, c, fuzz_entity(), NULL));
}
FUZZ(keel_unrelate_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    fuzz_edit((keel_unrelate_component)(scope, source, c, fuzz_entity()));
}
FUZZ(keel_unrelate_all_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    fuzz_edit((keel_unrelate_all_component)(scope, fuzz_entity(), c));
}
FUZZ(keel_unrelate_sources_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    fuzz_edit((keel_unrelate_sources_component)(scope, fuzz_entity(), c));
}
FUZZ(keel_is_related_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    (void)(keel_is_related_component)(scope, source, c, fuzz_entity());
}
FUZZ(keel_get_related_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    (void)(keel_get_related_component)(scope, source, c, fuzz_entity());
}
FUZZ(keel_get_related_component_mut) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    (void)(keel_get_related_component_mut)(scope, source, c, fuzz_entity());
}
FUZZ(keel_target_of_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    (void)fuzz_keep((keel_target_of_component)(scope, fuzz_entity(), c));
}
FUZZ(keel_target_count_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    (void)(keel_target_count_component)(scope, fuzz_entity(), c);
}
FUZZ(keel_source_count_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    (void)(keel_source_count_component)(scope, fuzz_entity(), c);
}
FUZZ(keel_next_target_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    (void)fuzz_keep((keel_next_target_component)(scope, source, c, fuzz_entity()));
}
FUZZ(keel_next_source_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity target = fuzz_entity();
    (void)fuzz_keep((keel_next_source_component)(scope, target, c, fuzz_entity()));
}
static bool look_at_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    uint32_t *left = data;
    (void)source, (void)target, (void)value;
    *left -= *left ? 1 : 0;
    return *left != 0;
}
FUZZ(keel_visit_edges) {
    const keel_world *world = fuzz_world();
    const keel_component *c = fuzz_relation();
    uint32_t left = 8;
    fuzz_edit(keel_visit_edges(world, c, fuzz_one_in(32) ? NULL : look_at_edge, &left));
}
// Two sources come before, mostly: by chance there are seldom any.
FUZZ(keel_sort_sources) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_relation();
    const keel_entity e = fuzz_entity();
    keel_entity_compare *compare = fuzz_one_in(32) ? NULL : fuzz_compare_entities;
    keel_result result = KEEL_OK;
    for (uint32_t left = fuzz_one_in(2) ? 0 : 2; left && result >= 0; --left)
        result = keel_relate_component(world, fuzz_entity(), c, e, NULL);
    fuzz_prepared();
    fuzz_edit(result < 0 ? result : keel_sort_sources(world, e, c, compare, NULL));
}
FUZZ(keel_next_target_above_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity source = fuzz_entity();
    (void)fuzz_keep((keel_next_target_above_component)(scope, source, c, fuzz_entity()));
}
FUZZ(keel_next_source_below_component) {
    keel_scope *scope = fuzz_scope();
    const keel_component *c = fuzz_relation();
    const keel_entity target = fuzz_entity();
    (void)fuzz_keep((keel_next_source_below_component)(scope, target, c, fuzz_entity()));
}

// ------------------------------------------------------------------ commands
FUZZ(keel_world_commands) { (void)keel_world_commands(fuzz_world()); }
FUZZ(keel_apply_commands) {
    // those before the one that failed are applied: not "nothing has changed"
    const keel_result result = keel_apply_commands(fuzz_world());
    if (result > KEEL_ABSENT) __builtin_trap();
}
FUZZ(keel_commands_call) {
    keel_commands *commands = keel_world_commands(fuzz_world());
    if (f.contexts[f.depth] && fuzz_one_in(2))
        commands = keel_context_commands(f.contexts[f.depth]);
    static const unsigned char data[64];
    keel_command_fn *function = fuzz_one_in(32) ? NULL : fuzz_command;
    const void *bytes = fuzz_one_in(4) ? NULL : data;
    fuzz_edit(keel_commands_call(commands, function, bytes, fuzz_one_in(4) ? 0 : 33));
}
