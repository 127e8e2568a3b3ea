// SPDX-License-Identifier: MIT
// Recipes: cached lists of the nodes and values of templates. A recipe is valid until one of two
// counters changes: the world's `template_edits`, which keeli_may_edit and keeli_world_is_idle
// raise (world/borrow.c), or `edits` of the hierarchy's links. Every edit of templates raises one
// of them: KEELI_IS_TEMPLATE sends edits from their fast paths to the general path, which calls
// keeli_may_edit.
#include "copy/graft.h"

#include "world/tree.h"

static keel_entity next_node(const keel_world *from, keel_entity root, keel_entity at) {
    if (!keeli_has_children(from, root))
        return keel_null();
    return keeli_next_in_tree(from, root, at);
}

uint32_t keeli_recipe_count(const keel_world *templates, keel_entity root) {
    uint32_t count = 0;
    for (keel_entity at = root; !keel_is_null(at); at = next_node(templates, root, at))
        ++count;
    return count;
}

static uint32_t count_values(const keel_world *from, keel_entity root) {
    uint32_t count = 0, at;
    for (keel_entity e = root; !keel_is_null(e); e = next_node(from, root, e)) {
        at = UINT32_MAX;
        for (const keeli_storage *s; (s = keeli_store_next_of(from, keeli_index_of(e), &at));)
            count += !keeli_store_is_derived(s);
    }
    return count;
}

static void fill_recipe(keeli_recipe *r, const keel_world *from) {
    uint32_t n = 0, values = 0, at;
    for (keel_entity e = r->root; n < r->count; e = next_node(from, r->root, e), ++n) {
        const uint32_t index = keeli_index_of(e);
        r->nodes[n] = e;
        // the parent is the node before, or an ancestor of that
        r->above[n] = n ? n - 1 : UINT32_MAX;
        while (n && !keel_is_same(r->nodes[r->above[n]], keeli_parent_of(from, e)))
            r->above[n] = r->above[r->above[n]];
        r->first[n] = values;
        at = UINT32_MAX;
        for (const keeli_storage *s; (s = keeli_store_next_of(from, index, &at)) != NULL;) {
            r->is_more |= keeli_store_is_disabled(s, index) ||
                          (s->relation && s->relation != from->relations.child);
            if (keeli_store_is_derived(s))
                continue;
            r->points |= s->has_handles;
            r->values[values++] = s;
        }
    }
    r->first[n] = values;
}

static keeli_recipe *make_recipe(keel_world *from, keel_entity root) {
    const uint32_t count = keeli_recipe_count(from, root), values = count_values(from, root);
    const size_t bytes = sizeof(keeli_recipe) + values * sizeof(keeli_storage *) +
                         count * sizeof(keel_entity) + (2 * (size_t)count + 1) * sizeof(uint32_t);
    keeli_recipe *r = keeli_new(&from->heap, bytes, _Alignof(keeli_recipe));
    if (!r)
        return NULL;
    *r = (keeli_recipe){ .root = root,
                         .edits = keeli_atomic_peek(&from->template_edits),
                         .link_edits = from->relations.child->edges.edits,
                         .count = count,
                         .bytes = bytes };
    r->values = (void *)(r + 1);
    r->nodes = (void *)(r->values + values);
    r->above = (void *)(r->nodes + count);
    r->first = r->above + count;
    fill_recipe(r, from);
    return r;
}

static void free_recipe(keel_world *from, keeli_recipe *r) {
    if (r)
        keeli_free(&from->heap, r, r->bytes, _Alignof(keeli_recipe));
}

static const keeli_recipe *find_or_make(keel_world *from, keel_entity root) {
    const uint32_t index = keeli_index_of(root), count = from->recipes.count;
    keeli_recipe *old = index < count ? from->recipes.items[index] : NULL;
    if (old && keel_is_same(old->root, root) &&
        old->edits == keeli_atomic_peek(&from->template_edits) &&
        old->link_edits == from->relations.child->edges.edits)
        return old;
    if (index >= count && !KEELI_RESERVE(&from->heap, &from->recipes, index + 1 - count))
        return NULL;
    while (from->recipes.count <= index)
        *KEELI_APPEND(&from->recipes) = NULL;
    keeli_recipe *made = make_recipe(from, root);
    if (!made)
        return NULL;
    free_recipe(from, old);
    return from->recipes.items[index] = made;
}

const keeli_recipe *keeli_recipe_of(const keel_world *to, keel_entity root) {
    keel_world *from = to->templates;
    // several systems may spawn at once; no template is edited meanwhile
    if (to->access.concurrent)
        keeli_lock_acquire(&from->access.lock);
    const keeli_recipe *r = find_or_make(from, root);
    if (to->access.concurrent)
        keeli_lock_release(&from->access.lock);
    return r;
}

void keeli_recipes_deinit(keel_world *templates) {
    for (uint32_t i = 0; i < templates->recipes.count; ++i)
        free_recipe(templates, templates->recipes.items[i]);
    KEELI_RELEASE(&templates->heap, &templates->recipes);
}
