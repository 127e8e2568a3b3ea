// SPDX-License-Identifier: MIT
// Handles in values of entities that go to other ranks. Each entity that a value here refers to has
// a handle here: if another rank owns it, that of a ghost. Ghosts are deleted when their entity
// dies, or when no value refers to them any more.
#include "domain.h"

#include <string.h>

static const uint64_t id_of_the_dead = UINT64_MAX;

// False: the entity has none.
static bool id_of(const keel_domain *d, keel_entity e, uint64_t *id) {
    const keel_global_id *value = keel_get_component(d->world, e, KEEL_OF(keel_global_id));
    *id = value ? value->value : keel_is_null(e) ? 0 : id_of_the_dead;
    if (value || keel_is_null(e)) return true;
    uint32_t number;
    if (keeli_prefab_number(d, e, &number)) *id = mpi_first_reserved + number;
    else if (d->template_world && keel_is_alive(d->template_world, e)) return false;
    return !keel_is_alive(d->world, e);
}

// Keeps the error of an entity without an id.
static void refuse(keel_domain *d, keel_entity e, const char *what) {
    if (d->template_world && keel_is_alive(d->template_world, e))
        (void)keeli_domain_fail(d, KEEL_ERROR_UNKNOWN,
                                "'%.80s' of an entity refers to a template that was made after "
                                "keel_domain_begin; make all prefabs before",
                                what);
    else
        (void)keeli_domain_fail(d, KEEL_ERROR_UNKNOWN,
                                "'%.80s' of an entity refers to entity %u, which has no global "
                                "id; give it one, or the component of places",
                                what, (unsigned)keel_entity_index(e));
}

bool keeli_handle_mark(keel_domain *d, keel_entity e, uint64_t id) {
    if (!id || id >= mpi_first_reserved || keel_has_component(d->world, e, KEEL_OF(keel_ghost)) ||
        keel_has_component(d->world, e, KEEL_OF(keel_known_ghost)))
        return true;
    const keel_known_ghost known = { id };
    return keel_add_component(d->world, e, KEEL_OF(keel_known_ghost), &known) >= 0;
}

bool keeli_handle_to_id(keel_domain *d, keel_entity e, const char *what, bool marks, uint64_t *id) {
    if (!id_of(d, e, id)) {
        refuse(d, e, what);
        return false;
    }
    if (!marks || keeli_handle_mark(d, e, *id)) return true;
    (void)keeli_domain_fail_world(d);
    return false;
}

bool keeli_handles_to_ids(keel_domain *d, const mpi_column *column, unsigned char *value,
                          bool marks) {
    for (uint32_t i = 0; i < column->handle_count; ++i) {
        keel_entity e;
        uint64_t id;
        memcpy(&e, value + column->handles[i], sizeof e);
        if (!keeli_handle_to_id(d, e, column->component->name, marks, &id)) return false;
        memcpy(value + column->handles[i], &id, sizeof id);
    }
    return true;
}

// Returns a handle of an entity that is dead.
static bool dead_entity(keel_domain *d, keel_entity *out) {
    if (keel_is_null(d->dead)) {
        d->dead = keel_add_entity_values(d->world, NULL);
        if (keel_is_null(d->dead) || keel_delete_entity(d->world, d->dead) < 0) return false;
    }
    *out = d->dead;
    return true;
}

keel_result keeli_ghost_create(keel_domain *d, uint64_t id, keel_entity *out) {
    const keel_global_id global = { id };
    const keel_ghost ghost = keeli_bare_ghost(d, id);
    const keel_value values[] = { { KEEL_OF(keel_global_id), &global },
                                  { KEEL_OF(keel_ghost), &ghost },
                                  { NULL, NULL } };
    *out = keel_add_entity_values(d->world, values);
    if (keel_is_null(*out)) return keeli_domain_fail_world(d);
    if (!keeli_ids_reserve(&d->ids, 1) || !keeli_ids_add(&d->ids, id, *out))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "creating a ghost: out of memory");
    return KEEL_OK;
}

// Returns the entity of an id, or a new ghost that stands for it.
static bool entity_of(keel_domain *d, uint64_t id, keel_entity *out) {
    if (id == id_of_the_dead) return dead_entity(d, out);
    if (id >= mpi_first_reserved) {
        *out = keeli_prefab_at(d, id - mpi_first_reserved);
        return true;
    }
    *out = keeli_ids_find(&d->ids, id);
    return !id || !keel_is_null(*out) || keeli_ghost_create(d, id, out) == KEEL_OK;
}

bool keeli_handle_from_id(keel_domain *d, uint64_t id, keel_entity *out) {
    if (entity_of(d, id, out)) return true;
    (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking handles: out of memory");
    return false;
}

bool keeli_handles_from_ids(keel_domain *d, const mpi_column *column, unsigned char *value) {
    for (uint32_t i = 0; i < column->handle_count; ++i) {
        keel_entity e;
        uint64_t id;
        memcpy(&id, value + column->handles[i], sizeof id);
        if (!keeli_handle_from_id(d, id, &e)) return false;
        memcpy(value + column->handles[i], &e, sizeof e);
    }
    return true;
}

keel_result keeli_handles_leave(keel_domain *d, const mpi_list *list, uint32_t owner) {
    for (uint32_t i = 0; i < list->count; ++i) {
        const keel_entity e = list->items[i];
        const keel_global_id *id = keel_get_component(d->world, e, KEEL_OF(keel_global_id));
        keel_ghost ghost = keeli_bare_ghost(d, id->value);
        ghost.owner = owner;
        // removed and not deleted: it did not die
        keel_known_ghost known;
        const keel_out out[] = { { KEEL_OF(keel_known_ghost), &known, NULL },
                                 { NULL, NULL, NULL } };
        if (keel_remove_component_values(d->world, e, out) < 0) return keeli_domain_fail_world(d);
        // its name goes first: without a parent it might be that of another entity
        if (keel_set_name(d->world, e, NULL) < 0) return keeli_domain_fail_world(d);
        // all at once: some may require others
        if (keel_delete_components(d->world, e, d->components) < 0)
            return keeli_domain_fail_world(d);
        if (keel_add_component(d->world, e, KEEL_OF(keel_ghost), &ghost) < 0)
            return keeli_domain_fail_world(d);
        KEEL_TRY(keeli_edges_leave(d, e));
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ what nobody refers to
typedef struct use_walk {
    keel_domain *d;
    const mpi_column *column;
    mpi_list *used;
    bool is_failed; // an error was kept
} use_walk;

static bool use_values(const keel_value_run *run, void *data) {
    use_walk *w = data;
    const char *values = run->values;
    for (uint32_t i = 0; i < run->count && !w->is_failed; ++i)
        w->is_failed = !keeli_value_use(w->d, w->column,
                                        values + (size_t)i * w->column->component->size, w->used);
    return !w->is_failed;
}

static bool list_span_of_unused(keel_domain *d, const keel_span *span, void *unused) {
    keel_ghost *ghosts = keel_span_write_component(span, KEEL_OF(keel_ghost));
    (void)d;
    for (uint32_t i = 0; i < span->count; ++i) {
        if (!ghosts[i].is_used && ghosts[i].is_bare && !keeli_list_add(unused, span->entities[i]))
            return false;
        ghosts[i].is_used = false;
    }
    return true;
}

// Lists the ghosts without components that no value refers to.
static keel_result list_unused(keel_domain *d, mpi_list *unused) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    return keeli_each_span(d, terms, "deleting ghosts", list_span_of_unused, unused);
}

keel_result keeli_handles_collect(keel_domain *d) {
    if (!d->has_handles) return KEEL_OK;
    mpi_list *used = &d->lists[0], *unused = &d->lists[d->desc.ranks.count];
    used->count = unused->count = 0;
    for (uint32_t i = 0; i < d->column_count; ++i) {
        use_walk w = { d, &d->columns[i], used, false };
        if (!w.column->refers) continue;
        const keel_result result = keel_visit_values(d->world, w.column->component, use_values, &w);
        if (result < 0)
            return keeli_domain_fail(d, result, "looking for handles: a component is in use");
        if (w.is_failed) return d->error.result;
    }
    KEEL_TRY(keeli_edges_use(d, used));
    for (uint32_t i = 0; i < used->count; ++i) {
        keel_ghost *ghost = keel_get_component_mut(d->world, used->items[i], KEEL_OF(keel_ghost));
        if (ghost) ghost->is_used = true;
    }
    KEEL_TRY(list_unused(d, unused));
    KEEL_TRY(keeli_deaths_note(d));
    if (unused->count && keel_delete_entities(d->world, unused->items, unused->count) < 0)
        return keeli_domain_fail_world(d);
    keel_reader_advance(d->ghosts_deleted); // they did not die
    return keeli_ids_update(d);
}
