// SPDX-License-Identifier: MIT
// The entities that live together: children with their parents, and sources of the relations in
// `.together` with their targets. exchange.c asks who leads an entity, and who goes with a root.
#include "domain.h"

#include <stdlib.h>

keel_result keeli_together_begin(keel_domain *d) {
    uint32_t count = 0;
    while (d->desc.together && d->desc.together[count])
        ++count;
    d->together = calloc(count + 1u, sizeof *d->together);
    if (!d->together)
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    for (uint32_t i = 0; i < count; ++i) {
        const keel_component *r = keel_register_component(d->world, d->desc.together[i]);
        if (!r) return keeli_domain_fail_world(d);
        if (!r->is_relation || !r->exclusive || r->symmetric || r->transient)
            return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                     "'%.80s' is in .together, and is no exclusive relation; "
                                     "declare it with KEEL_RELATION and .exclusive = true, not "
                                     ".symmetric or .transient",
                                     r->name);
        d->together[d->together_count++] = r;
    }
    return KEEL_OK;
}

keel_result keeli_together_check(keel_domain *d, const keel_component *relation) {
    bool is_near = relation->on_delete != KEEL_REFUSE || relation == d->child;
    for (uint32_t i = 0; i < d->together_count && !is_near; ++i)
        is_near = d->together[i] == relation;
    return is_near ? KEEL_OK
                   : keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                       "relation '%.80s' refuses to delete targets (KEEL_REFUSE), "
                                       "whose sources may be on other ranks; list it in .together, "
                                       "or declare it with another .on_delete",
                                       relation->name);
}

keel_entity keeli_together_leader(const keel_domain *d, keel_entity e) {
    keel_entity leader = keel_parent_of(d->world, e);
    for (uint32_t i = 0; i < d->together_count && keel_is_null(leader); ++i)
        leader = keel_target_of_component(d->world, e, d->together[i]);
    return leader;
}

// Adds the sources of an entity that follow it, in their order. One with another leader, or a
// ghost, does not. In a circle the root follows, too: it is in the list already.
static bool add_sources(keel_domain *d, keel_entity root, keel_entity of,
                        const keel_component *relation, mpi_list *list) {
    bool has_room = true;
    keeli_relation_walk walk = keeli_relation_walk_of((keel_scope *)d->world, of, relation, true);
    for (keel_entity e; has_room && !keel_is_null(e = keeli_relation_walk_next(&walk));)
        if (keel_is_same(keeli_together_leader(d, e), of) && !keel_is_same(e, root) &&
            !keel_has_component(d->world, e, KEEL_OF(keel_ghost)))
            has_room = keeli_list_add(list, e);
    keeli_relation_walk_end(&walk);
    return has_room;
}

bool keeli_together_list(keel_domain *d, keel_entity root, mpi_list *list) {
    if (!keeli_list_add(list, root)) return false;
    // level by level: the list is the queue. Each entity has one leader, so none is added twice
    for (uint32_t i = list->count - 1; i < list->count; ++i) {
        const keel_entity leader = list->items[i];
        if (!add_sources(d, root, leader, d->child, list)) return false;
        for (uint32_t k = 0; k < d->together_count; ++k)
            if (!add_sources(d, root, leader, d->together[k], list)) return false;
    }
    return true;
}
