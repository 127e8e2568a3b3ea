// SPDX-License-Identifier: MIT
// Compares each storage of two worlds by counters: moves, cleared bits, edits and epochs. It
// compares values only of names and uniques, whose writes no counter shows. It copies nothing;
// image.c calls it. In this file `t` is a storage of the world that becomes the image, and `s` the
// storage of the same component in the other world.
#include "rewind/compare.h"

#include "follow/changes.h"

#include <keel/typed.h>

#include <string.h>

// True if both worlds were the same once, and every later write of the storage has a stamp.
static bool is_known(const keeli_image *image, const keeli_storage *t) {
    const keeli_stamps *stamps = &keeli_image_live(image, t)->stamps;
    return stamps->from && stamps->from <= image->since;
}

static bool have_same_bits(const keeli_presence *a, const keeli_presence *b) {
    return a->cleared == b->cleared && a->count == b->count;
}

// True if the same entities have values in both worlds, in the same places.
static bool has_same_set(const keeli_storage *t, const keeli_storage *s) {
    return have_same_bits(&t->presence, &s->presence) &&
           have_same_bits(&t->disabled, &s->disabled) && t->set.moves == s->set.moves &&
           t->set.count == s->set.count;
}

// True if no value of the storage has another place in the other world. Archetypes that only one of
// the worlds has are not considered.
static bool is_in_place(const keeli_image *image, const keeli_storage *t, const keeli_storage *s) {
    if (keeli_store_is_sparse(t))
        return t->set.moves == s->set.moves;
    if (!keeli_store_has_rows(t))
        return t->presence.cleared == s->presence.cleared;
    return image->to->archetypes.moves == image->from->archetypes.moves;
}

// True if ticks of modifications tell which values were written since both were the same.
static bool is_ticked(const keeli_image *image, const keeli_storage *t) {
    const keeli_storage *live = keeli_image_live(image, t);
    const keel_world *snapshot = image->teller == image->to ? image->from : image->to;
    const uint32_t kinds = KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION;
    // If a kind of change was not tracked when the snapshot was taken, the snapshot has no ticks of
    // that kind, even if the world was restored from it since.
    const bool were_tracked =
        !(live->tracking.kinds & kinds & ~snapshot->root.storages[t->slot]->tracking.kinds_then);
    const bool are_complete = keeli_is_marked(live) && live->stamps.vague < image->since;
    return image->tick && were_tracked && are_complete &&
           image->to->changes.tick_base == image->from->changes.tick_base;
}

// True if a unique of plain bytes has the same value in both worlds. Compared only for histories: a
// step of a history need not store a unique that stays as it is.
static bool has_same_unique(const keeli_image *image, const keeli_storage *t,
                            const keeli_storage *s) {
    if (!image->to->journal || keeli_copies_singly(t))
        return false;
    if (!t->unique || !s->unique)
        return false;
    return !t->size || !memcmp(t->unique, s->unique, t->size);
}

// True if the storage holds names and the take need not copy them, since all are the same. Values
// with copy hooks are always copied, because some ways to write them set no stamp.
static bool has_same_names(const keeli_image *image, const keeli_storage *t,
                           const keeli_storage *s) {
    const bool are_names = t->size && keeli_copies_singly(t) && !s->component.copy;
    if (!keeli_image_is_take(image) || !are_names || t->disabled.count)
        return false;

    for (uint32_t slot = 0; slot < s->set.count; ++slot) {
        const keel_name *a = keeli_sparse_set_value(&t->set, slot);
        const keel_name *b = keeli_sparse_set_value(&s->set, slot);
        if (strcmp(a->text, b->text) != 0)
            return false;
    }
    return true;
}

// True if no edge was added or removed, and no value of an edge was written, since both worlds were
// the same.
static bool has_same_edges(const keeli_image *image, const keeli_storage *t,
                           const keeli_storage *s) {
    const keeli_edges *own = &t->relation->edges;
    const keeli_edges *from = &s->relation->edges;
    if (own->edits != from->edits)
        return false;
    if (!keeli_edges_have_values(from))
        return true;

    const keeli_edges *live = keeli_image_is_take(image) ? from : own;
    return live->values.written < image->since;
}

// Returns which blocks of edges may have changed since both worlds were the same.
static keeli_edge_changes edge_changes(const keeli_image *image, const keeli_storage *t) {
    const keeli_edges *live = &keeli_image_live(image, t)->relation->edges;
    if (!is_known(image, t))
        return (keeli_edge_changes){ 0 };
    return (keeli_edge_changes){ live->stamps, image->since };
}

static void compare_storage(const keeli_image *image, keeli_staged *g, const keeli_storage *t,
                            const keeli_storage *s) {
    *g = (keeli_staged){ .is_known = is_known(image, t) };
    g->is_in_place = is_in_place(image, t, s);
    g->keeps_unique = has_same_unique(image, t, s);
    if (s->relation && !keeli_store_has_sources(s))
        g->changes = edge_changes(image, t);
    g->is_same = g->is_known && !keeli_image_leaves(t) && has_same_set(t, s);
    if (!g->is_same)
        return;

    g->is_ticked = is_ticked(image, t);
    g->keeps_values = has_same_names(image, t, s);
    g->keeps_edges = s->relation && has_same_edges(image, t, s);
}

void keeli_image_compare(keeli_image *image) {
    const keel_world *to = image->to;
    image->same_numbers = true;
    bool are_same = true;
    for (uint32_t i = 0; i < to->storages.count; ++i) {
        const keeli_storage *t = to->storages.items[i];
        const keeli_storage *s = keeli_image_source(image, t);
        keeli_staged *g = &image->staged.items[image->staged.count++];
        compare_storage(image, g, t, s);
        are_same &= g->is_same;
        image->same_numbers &= t->ordinal == s->ordinal;
    }

    image->same_lists = image->since && image->same_numbers && are_same && !to->followers.set_count;
    if (keeli_image_is_take(image)) {
        image->same_numbers = true; // the image gets its numbers from the world
    }
}

bool keeli_are_same_rows(const keeli_image *image) {
    const keeli_archetypes *a = &image->to->archetypes, *b = &image->from->archetypes;
    if (!image->since || image->has_archetypes || a->moves != b->moves)
        return false;

    for (uint32_t i = 0; i < a->count; ++i)
        if (a->all[i]->row_count != b->all[i]->row_count)
            return false;
    return true;
}
