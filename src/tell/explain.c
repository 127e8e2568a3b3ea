// SPDX-License-Identifier: MIT
// Writes the plan of a view as text (keel_view_explain). It makes the same plan as a loop, but
// visits no entities. Users call it; loops and systems do not.
#include "base/text.h"
#include "find/iterate.h"
#include "follow/follow.h"
#include "world/registry.h"
#include "world/report.h"

#include <inttypes.h>

static const char *storage_name(const keeli_storage *s) { return s->component.name; }

static const char *storage_kind(const keeli_storage *s) { return keeli_storage_text(s->kind); }

// ------------------------------------------------------------------ the leader
// Writes the required components that are stored in archetypes.
static void put_archetypes(keeli_writer *w, const keeli_plan *plan, const keel_world *world) {
    const keeli_match_key *key = &plan->match->key;
    keeli_write(w, "archetypes with ");
    for (uint32_t i = 0; i < key->count && (key->asked[i] & 3) == KEELI_ASK_MUST; ++i)
        keeli_write(w, "%s%s", i ? ", " : "",
                    storage_name(world->root.storages[key->asked[i] >> 2]));
    keeli_write(w, " (%u of them have rows), row by row", (unsigned)plan->match->list.count);
}

static void put_any(keeli_writer *w, const keeli_bound_term *any, const keeli_view *view) {
    for (uint32_t k = 0; k < any->count; ++k) {
        const keeli_storage *s = view->storages[any->first + k];
        keeli_write(w, "%s%s", k ? ", " : "any of ", s ? storage_name(s) : "an unknown component");
    }
}

static void put_levels(keeli_writer *w, const keeli_plan *plan) {
    keeli_write(w, "levels of %s, targets first", storage_name(plan->relation));
    if (plan->needs_target)
        return;

    keeli_write(w, "; before them those without a target, by ascending index of %s",
                plan->leader ? storage_name(plan->leader) : "living entities");
}

static void put_leader(keeli_writer *w, const keeli_plan *plan, const keeli_view *view) {
    keeli_write(w, "leader: ");
    switch (plan->scan) {
    case KEELI_SCAN_NOTHING:
        keeli_write(w, "none, because nothing can match");
        break;
    case KEELI_SCAN_SET:
        keeli_write(w, "sparse set %s, in packed order", storage_name(plan->leader));
        break;
    case KEELI_SCAN_BITS:
        keeli_write(w, "presence bits of %s, by ascending index", storage_name(plan->leader));
        break;
    case KEELI_SCAN_UNION:
        keeli_write(w, "presence bits of ");
        put_any(w, plan->united, view);
        keeli_write(w, ", by ascending index");
        break;
    case KEELI_SCAN_ROWS:
        put_archetypes(w, plan, view->world);
        break;
    case KEELI_SCAN_ENTITIES:
        keeli_write(w, "living entities, by ascending index");
        break;
    case KEELI_SCAN_GROUP:
        keeli_write(w, "group %s, in packed order", plan->group->name);
        break;
    case KEELI_SCAN_CHANGES:
        keeli_write(w, "changes of %s, oldest first", storage_name(plan->lead->storage));
        break;
    case KEELI_SCAN_HANDLES:
        keeli_write(w, "a list of %u handles, in its order", (unsigned)view->facts.among_count);
        break;
    case KEELI_SCAN_LEVELS:
        put_levels(w, plan);
        break;
    case KEELI_SCAN_SOURCES:
        keeli_write(w, "sources of %s in %s, in the order of relating",
                    KEELI_ENTITY(view->world, view->facts.related_to), storage_name(plan->related));
        break;
    }

    const bool is_among = plan->scan == KEELI_SCAN_HANDLES;
    keeli_write(w, "%s%s\ntouches: %" PRIu64 "\n", view->facts.has_leading ? ", by choice" : "",
                view->facts.is_backwards ? "; collected, and visited backwards" : "",
                is_among ? view->facts.among_count : keeli_plan_touches(plan, view));
}

// ------------------------------------------------------------------ filters and columns
static void put_filters(keeli_writer *w, const keeli_plan *plan, const keeli_view *view) {
    for (uint32_t i = 0; i < plan->need_count; ++i)
        keeli_write(w, "filter: has %s (%s)\n", storage_name(plan->need[i]),
                    storage_kind(plan->need[i]));
    for (uint32_t i = 0; i < plan->without_count; ++i)
        keeli_write(w, "filter: without %s (%s)\n", storage_name(plan->without[i]),
                    storage_kind(plan->without[i]));
    for (uint32_t i = 0; i < plan->any_count; ++i) {
        keeli_write(w, "filter: ");
        put_any(w, plan->any[i], view);
        keeli_write(w, "\n");
    }
}

static void put_changes(keeli_writer *w, const keeli_plan *plan) {
    for (uint32_t i = 0; i < plan->change_count; ++i) {
        const keeli_change_filter *f = &plan->changes[i];
        keeli_write(w, "filter: %s%s%s%s %s\n", f->negated ? "not " : "",
                    f->inserted ? "inserted" : "", f->inserted && f->modified ? " or " : "",
                    f->modified ? "modified" : "", storage_name(f->storage));
    }
}

static void put_changed_up(keeli_writer *w, const keeli_plan *plan) {
    if (plan->is_changed_up)
        keeli_write(w, "filter: inserted or modified %s, or that of one above by %s\n",
                    storage_name(plan->changed_up.storage), storage_name(plan->relation));
}

static void put_columns(keeli_writer *w, const keeli_plan *plan, const keeli_view *view) {
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        const keeli_storage *s = column->storage;
        const char *access = keeli_term_writes(view->terms[column->term].kind) ? "write" : "read";
        keeli_write(w, "column: %s%s %s (%s)", column->maybe ? "maybe " : "", access,
                    s ? storage_name(s) : "an unknown component", s ? storage_kind(s) : "absent");
        if (column->how == KEELI_OF_TARGET)
            keeli_write(w, " of the target of %s", storage_name(column->relation));
        if (column->how == KEELI_UP)
            keeli_write(w, " of the nearest above by %s", storage_name(column->relation));
        keeli_write(w, "\n");
    }
}

// ------------------------------------------------------------------ chunks
static const char *chunks_of(const keeli_plan *plan) {
    switch (plan->scan) {
    case KEELI_SCAN_NOTHING:
        return "none";
    case KEELI_SCAN_CHANGES:
    case KEELI_SCAN_HANDLES:
    case KEELI_SCAN_SOURCES:
        return "lists";
    case KEELI_SCAN_LEVELS:
        return plan->needs_target ? "lists, none of two levels"
                                  : "as presence bits give them; below lists, none of two levels";
    case KEELI_SCAN_SET:
    case KEELI_SCAN_GROUP:
        if (!plan->has_ranges || plan->without_count || plan->any_count)
            return "lists";
        return plan->need_count || plan->beside_count
                   ? "spans where the sets have the same order, lists elsewhere"
                   : "spans";
    case KEELI_SCAN_ROWS:
        return plan->only_rows ? "spans" : "lists";
    default:
        return plan->has_masks ? "spans where no entity is left out, masks elsewhere" : "lists";
    }
}

size_t keel_view_explain(const keel_view *view, char *text, size_t size) {
    const keeli_view *state = keeli_view_of(view);
    keeli_plan plan;
    uint64_t room[KEELI_PLAN_ROOM(KEEL_MAX_TERMS, KEEL_MAX_TERMS) / sizeof(uint64_t)];
    keeli_plan_init(&plan, room, KEEL_MAX_TERMS);
    keeli_writer w = keeli_writer_begin(text, size);
    if (!state || !keeli_plan_make(&plan, state, state->facts.among != NULL))
        return 0;

    keeli_write(&w, "view: %s\n", state->holder.name);
    put_leader(&w, &plan, state);
    put_filters(&w, &plan, state);
    put_changes(&w, &plan);
    put_changed_up(&w, &plan);
    put_columns(&w, &plan, state);
    keeli_write(&w, "chunks: %s\n", state->facts.is_backwards ? "lists" : chunks_of(&plan));
    return w.length;
}
