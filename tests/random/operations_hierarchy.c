// SPDX-License-Identifier: MIT
// Random operations on parents and children.
#include "both.h"

static void op_attach(both *b, dice *d) {
    const keel_entity child = roll_entity(b, d), parent = roll_entity(b, d);
    const keel_result result = keel_attach(b->world, child, parent);
    both_trace(b, "index %u below index %u: %s", (unsigned)keel_entity_index(child),
               (unsigned)keel_entity_index(parent), keel_result_text(result));
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else both_agree_surely(b, result, model_attach(&b->model, child, parent));
}

static void op_detach(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    both_agree_surely(b, keel_detach(b->world, e), model_detach(&b->model, e));
}

static void op_unlink(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    if (roll_once_in(d, 4))
        both_agree_surely(b, keel_unlink_tree(b->world, e), model_unlink_tree(&b->model, e));
    else both_agree_surely(b, keel_unlink(b->world, e), model_unlink(&b->model, e));
}

static void op_delete_tree(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    both_trace(b, "index %u", (unsigned)keel_entity_index(e));
    both_agree_surely(b, keel_delete_tree(b->world, e), model_delete_tree(&b->model, e));
}

// Few different keys, so that the order of equal ones shows.
static int by_key(keel_entity a, keel_entity b, uint32_t salt) {
    const uint32_t key_a = mix_of(keel_entity_index(a), salt) % 4;
    const uint32_t key_b = mix_of(keel_entity_index(b), salt) % 4;
    return key_a < key_b ? -1 : key_a > key_b;
}
static int keels_order(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world;
    return by_key(a, b, *(const uint32_t *)data);
}
static int models_order(const model_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world;
    return by_key(a, b, *(const uint32_t *)data);
}

static void op_sort_children(both *b, dice *d) {
    const keel_entity living = roll_living(b, d), parent = keel_parent_of(b->world, living);
    const keel_entity e = keel_is_null(parent) ? roll_entity(b, d) : parent;
    uint32_t salt = roll(d);
    both_agree_surely(b, keel_sort_children(b->world, e, keels_order, &salt),
                      model_sort_children(&b->model, e, models_order, &salt));
}

// Walks over all below an entity, compared with the model's lists.
static void op_descend(both *b, dice *d) {
    enum { MOST = 512 };
    keel_entity list[MOST];
    const keel_entity root = roll_entity(b, d);
    if (model_entity_count(&b->model) > MOST) return;
    for (int breadth = 0; breadth < 2; ++breadth) {
        const size_t count = breadth ? model_list_descendants_breadth(&b->model, root, list)
                                     : model_list_descendants(&b->model, root, list);
        keel_entity e = root;
        for (size_t i = 0; i <= count; ++i) {
            e = keel_next_descendant(b->world, root, e,
                                     breadth ? KEEL_BREADTH_FIRST : KEEL_DEPTH_FIRST);
            if (!keel_is_same(e, i < count ? list[i] : keel_null()))
                both_fail(b, "descendant %zu of index %u is another", i,
                          (unsigned)keel_entity_index(root));
        }
    }
}

const operation_entry hierarchy_operations[] = {
    { "attach", op_attach, 7 },
    { "detach", op_detach, 2 },
    { "unlink", op_unlink, 2 },
    { "delete_tree", op_delete_tree, 3 },
    { "sort_children", op_sort_children, 2 },
    { "descend", op_descend, 1 },
    { NULL, NULL, 0 },
};
