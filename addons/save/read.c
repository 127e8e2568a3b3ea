// SPDX-License-Identifier: MIT
// Loads a save: keel_load and keel_load_from. It builds a private world with the caller's
// components by Keel's public verbs, which check every edit; only if all of the file is valid is
// that world copied or merged into the caller's. Chunks and hashes are checked in sections.c,
// values converted in match.c and rows.c.
#include "../stage.h"
#include "save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A component that an entity has disabled.
typedef struct save_disabled {
    const keel_component *component;
    keel_entity entity;
} save_disabled;

typedef struct load_job {
    save_reader r;
    keel_world *world;    // the private world
    const keel_world *to; // the caller's world
    uint32_t max_entities;
    uint32_t size; // the highest entity index in the file + 1
    keel_unknown unknown;
    keel_load_report_fn *report;
    void *report_data;
    bool narrow, has_entities; // keel_load_options.narrow; the section ENTS was read
    save_bytes info;           // body of an "info" section that was just read, for the next section
    save_templates templates;  // templates of prefab copies, by their handles in the file
    save_kept *kept;           // sections of unknown components
    const keel_merge_options *merge;
    save_disabled *disabled; // components to disable once everything is loaded
    size_t disabled_count;
    save_given *given; // who has components that others require
} load_job;

static keel_result no_memory(load_job *job) {
    return save_fail(job->r.error, KEEL_ERROR_MEMORY,
                     "out of memory while loading; nothing was changed");
}

// Turns the result of a verb of the private world into that of the load, and fills the error.
// Results that are no errors, such as KEEL_ABSENT, become KEEL_OK.
static keel_result check(load_job *job, keel_result result) {
    if (result >= 0) return KEEL_OK;
    if (result == KEEL_ERROR_MEMORY) return no_memory(job);
    const keel_error *why = keel_last_error(job->world);
    return save_impossible(&job->r, why->result ? why->message : keel_result_text(result));
}

// ------------------------------------------------------------------ entities
static keel_result add_handles(load_job *job, uint32_t count, const unsigned char *indices,
                               const unsigned char *versions, bool is_free) {
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t index = (uint32_t)save_read_number(indices + i * 4, 4);
        uint32_t version = (uint32_t)save_read_number(versions + i * 4, 4);
        if (index >= job->max_entities || index > KEEL_MAX_ENTITY_INDEX)
            return save_impossible(&job->r, "there are more entities than max_entities, or than "
                                            "the handles of this program can name");
        if (index >= job->size) job->size = index + 1;
        if (version > KEEL_MAX_ENTITY_VERSION || (is_free && !version))
            return save_impossible(&job->r, "a version does not fit the handles of this program");
        // the deletion in read_entities raises the version by one. At the highest version it
        // retires the index, even if the saved world had not used that version yet
        if (is_free && version < KEEL_MAX_ENTITY_VERSION) --version;
        KEEL_TRY(check(job, keel_add_entity_at(job->world, keel_entity_make(index, version))));
    }
    return KEEL_OK;
}

// Adds the first entities at once, as far as their handles are those that an empty world would give
// them: indices 0, 1, ... with version 0. `done` receives their number.
static keel_result add_fresh(load_job *job, uint32_t living, const unsigned char *indices,
                             const unsigned char *versions, uint32_t *done) {
    uint32_t n = 0;
    while (n < living && n < job->max_entities && n <= KEEL_MAX_ENTITY_INDEX &&
           save_read_index(indices + n * 4) == n && !save_read_index(versions + n * 4))
        ++n;
    *done = job->size = n;
    if (!n) return KEEL_OK;
    return check(job, keel_add_entity_columns(job->world, n, NULL, NULL));
}

static keel_result read_entities(load_job *job) {
    save_reader *r = &job->r;
    const uint64_t living = save_take_number(r, 4), dead = save_take_number(r, 4);
    const unsigned char *indices = save_take(r, (living + dead) * 4);
    const unsigned char *versions = save_take(r, (living + dead) * 4);
    if (job->has_entities || !indices || !versions) return save_impossible(r, "its size is wrong");
    if (living + dead > job->max_entities)
        return save_impossible(r, "there are more entities than max_entities");
    job->has_entities = true;
    uint32_t fresh;
    KEEL_TRY(add_fresh(job, (uint32_t)living, indices, versions, &fresh));
    KEEL_TRY(add_handles(job, (uint32_t)living - fresh, indices + fresh * 4, versions + fresh * 4,
                         false));
    KEEL_TRY(add_handles(job, (uint32_t)dead, indices + living * 4, versions + living * 4, true));
    for (uint64_t i = living + dead; i-- > living;) {
        const uint32_t index = (uint32_t)save_read_number(indices + i * 4, 4);
        KEEL_TRY(check(job, keel_delete_entity(job->world, keel_entity_at(job->world, index))));
    }
    return KEEL_OK;
}

static keel_result entity_at(load_job *job, const unsigned char *index, keel_entity *out) {
    *out = keel_entity_at(job->world, save_read_index(index));
    return keel_is_null(*out) ? save_impossible(&job->r, "names an entity that does not exist")
                              : KEEL_OK;
}

static void tell(const load_job *job, keel_load_change change, const char *component,
                 const char *field) {
    if (job->report) job->report(&(keel_load_note){ change, component, field }, job->report_data);
}

// ------------------------------------------------------------------ components
// Reads the name of a section's component. `out` receives the component, or NULL if the caller must
// skip the rest of the section. An unknown component is kept, skipped or an error, by the load's
// option `unknown`.
static keel_result read_name(load_job *job, const keel_component **out) {
    save_reader *r = &job->r;
    char name[256];
    if (!save_take_text(r, name, sizeof name) || !*name)
        return save_impossible(r, "the name of its component is damaged");
    (void)snprintf(r->name + 4, sizeof r->name - 4, " '%.70s'", name);
    const keel_component *c = save_find(job->to, name, !strcmp(r->tag, "UNIQ"));
    *out = c && !c->transient && !save_is_own(c) ? c : NULL;
    // a program without prefabs does not know "keel_instance": it is skipped without a report
    if (*out || c || strcmp(name, "keel_instance") == 0) return KEEL_OK;
    KEEL_TRY(save_unpack_all(r));
    if (job->unknown == KEEL_UNKNOWN_KEEP) return save_keep(&job->kept, r, &job->info, job->world);
    if (job->unknown == KEEL_UNKNOWN_SKIP) {
        if (strcmp(r->tag, "DISA") != 0) tell(job, KEEL_LOAD_SKIPPED_COMPONENT, name, NULL);
        return KEEL_OK;
    }
    static const char of_state[] = "_transition"; // KEEL_STATE
    const size_t length = strlen(name), end = sizeof of_state - 1;
    const bool is_state = length > end && strcmp(name + length - end, of_state) == 0;
    return save_fail(
        r->error, KEEL_ERROR_SCHEMA,
        "the program does not know '%.100s', which is in the save; register it%s first, "
        "or load with .unknown = KEEL_UNKNOWN_SKIP or KEEL_UNKNOWN_KEEP",
        name, is_state ? " (KEEL_STATE_OF of its state has it, as .transition)" : "");
}

// Allocates aligned memory for some values.
static char *new_values(const keel_component *c, uint32_t count) {
    const size_t align = c->align > sizeof(void *) ? c->align : sizeof(void *);
    const size_t size = (c->size ? c->size : 1) * (size_t)count;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

// Makes a value: copies `initial`, overwrites the fields that the row has, and calls .migrate. On
// error `value` is valid nevertheless, and the caller drops it.
static keel_result make_value(load_job *job, save_match *match, const unsigned char *row,
                              char *value) {
    const keel_component *c = match->here.component;
    const keel_old_value old = { match };
    memset(value, 0, c->size);
    if (c->initial && c->copy && !c->copy(value, c->initial, c->hook_data)) {
        memset(value, 0, c->size);
        return no_memory(job);
    }
    if (c->initial && !c->copy) memcpy(value, c->initial, c->size);
    if (!save_match_row(match, row)) return save_impossible(&job->r, "a text is damaged");
    KEEL_TRY(save_unpack(match, value));
    const keel_result result = match->migrates ? c->migrate(&old, value, c->hook_data) : KEEL_OK;
    char whose[SAVE_WHOSE];
    if (result >= 0) return KEEL_OK;
    return save_fail(job->r.error, result, "'%s'%s: .migrate failed: %s", c->name,
                     save_whose(match, whose), keel_result_text(result));
}

// Drops values that were not moved into the world.
static void drop_values(const keel_component *c, char *values, uint32_t count) {
    if (!c->drop) return;
    for (uint32_t i = 0; i < count; ++i)
        c->drop(values + (size_t)i * c->size, c->hook_data);
}

// Adds the component to entities, with values that are converted one by one.
static keel_result give(load_job *job, save_match *match, uint64_t count,
                        const unsigned char *indices, const unsigned char *rows) {
    const keel_component *c = match->here.component;
    const uint32_t step = c->size > 1024 ? 64 : 4096;
    keel_entity *entities = malloc(step * sizeof *entities);
    char *values = new_values(c, step);
    keel_result result = entities && values ? KEEL_OK : no_memory(job);
    for (uint64_t done = 0; done < count && result == KEEL_OK; done += step) {
        const uint32_t n = count - done < step ? (uint32_t)(count - done) : step;
        uint32_t made = 0;
        for (uint32_t i = 0; i < n && result == KEEL_OK; ++i) {
            const unsigned char *index = indices + (done + i) * 4;
            result = entity_at(job, index, &entities[i]);
            if (result == KEEL_OK && done + i &&
                save_read_number(index, 4) <= save_read_number(index - 4, 4))
                result = save_impossible(&job->r, "its entities are not in order");
            if (result < 0) break;
            match->whose = entities[i];
            result = make_value(job, match, rows + (done + i) * match->file.row_bytes,
                                values + (size_t)i * c->size);
            ++made;
        }
        if (result == KEEL_OK && !save_given_add(&job->given, job->to, job->size, c, entities, n))
            result = no_memory(job);
        if (result == KEEL_OK)
            result = check(job, keel_add_component_to_many(job->world, entities, n, c,
                                                           c->size ? values : NULL, c->size));
        if (result < 0) drop_values(c, values, made);
    }
    free(entities);
    free(values);
    return result;
}

// ------------------------------------------------------------------ many values at a time
// Finds the handles of entities by their indices. An error if the indices do not ascend.
static keel_result find_all(load_job *job, const unsigned char *indices, uint64_t count,
                            keel_entity *entities) {
    int64_t before = -1;
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t index = save_read_index(indices + i * 4);
        KEEL_TRY(entity_at(job, indices + i * 4, &entities[i]));
        if (index <= before) return save_impossible(&job->r, "its entities are not in order");
        before = index;
    }
    return KEEL_OK;
}

// Reads the next `count` rows and adds their values to `entities`. Decompresses no more of the
// section than these rows. `values` is room for the converted values.
static keel_result stream_some(load_job *job, const save_match *match, const save_plan *plan,
                               const keel_entity *entities, uint32_t count, char *values) {
    const keel_component *c = match->here.component;
    const unsigned char *rows = save_take(&job->r, (uint64_t)count * match->file.row_bytes);
    if (!rows) return save_impossible(&job->r, "its size is wrong");
    const void *from = values;
    if (!plan->is_whole) {
        for (uint32_t i = 0; i < count; ++i)
            if (c->initial) memcpy(values + (size_t)i * c->size, c->initial, c->size);
            else memset(values + (size_t)i * c->size, 0, c->size);
    }
    if (plan->is_whole && !c->move) from = rows;
    else if (!save_unpack_rows(plan, rows, count, values))
        return save_impossible(&job->r, "a value is invalid for its type");
    if (!save_given_add(&job->given, job->to, job->size, c, entities, count)) return no_memory(job);
    KEEL_TRY(check(job, keel_add_component_to_many(job->world, entities, count, c,
                                                   c->size ? from : NULL, c->size)));
    save_forget(&job->r);
    return KEEL_OK;
}

static keel_result stream(load_job *job, const save_match *match, const save_plan *plan,
                          uint64_t count) {
    const keel_component *c = match->here.component;
    const uint32_t step = c->size > 1024 ? 64 : 4096;
    const unsigned char *indices = save_take(&job->r, count * 4);
    if (!indices) return save_impossible(&job->r, "its size is wrong");
    keel_entity *entities = malloc((size_t)(count + 1) * sizeof *entities);
    char *values = new_values(c, step);
    keel_result result = entities && values ? KEEL_OK : no_memory(job);
    if (result == KEEL_OK) result = find_all(job, indices, count, entities);
    save_forget(&job->r);
    for (uint64_t done = 0; done < count && result == KEEL_OK; done += step) {
        const uint32_t n = count - done < step ? (uint32_t)(count - done) : step;
        result = stream_some(job, match, plan, entities + done, n, values);
    }
    free(entities);
    free(values);
    return result;
}

// ------------------------------------------------------------------ one value after the other
static keel_result relate(load_job *job, save_match *match, uint64_t count,
                          const unsigned char *sources, const unsigned char *targets,
                          const unsigned char *rows) {
    const keel_component *c = match->here.component;
    char *value = new_values(c, 1);
    keel_result result = value ? KEEL_OK : no_memory(job);
    for (uint64_t i = 0; i < count && result == KEEL_OK; ++i) {
        keel_entity source, target;
        result = entity_at(job, sources + i * 4, &source);
        if (result == KEEL_OK) result = entity_at(job, targets + i * 4, &target);
        if (result < 0) break;
        match->whose = source;
        result = make_value(job, match, rows + i * match->file.row_bytes, value);
        if (result == KEEL_OK)
            result = check(
                job, keel_relate_component(job->world, source, c, target, c->size ? value : NULL));
        if (result < 0) drop_values(c, value, 1);
    }
    free(value);
    return result;
}

static keel_result set_unique(load_job *job, save_match *match, const unsigned char *row) {
    const keel_component *c = match->here.component;
    char *value = new_values(c, 1);
    if (!value) return no_memory(job);
    keel_result result = make_value(job, match, row, value);
    if (result == KEEL_OK) result = check(job, keel_set_unique_value(job->world, c, value));
    if (result < 0) drop_values(c, value, 1);
    free(value);
    return result;
}

static keel_result read_one_by_one(load_job *job, save_match *match, uint64_t count) {
    save_reader *r = &job->r;
    const bool is_unique = !strcmp(r->tag, "UNIQ"), is_relation = !strcmp(r->tag, "RELA");
    keel_result result;
    KEEL_TRY(save_unpack_all(r));
    const unsigned char *first = save_take(r, is_unique ? 0 : count * 4);
    const unsigned char *second = save_take(r, is_relation ? count * 4 : 0);
    const unsigned char *rows = save_take(r, count * match->file.row_bytes);
    if (!first || !second || !rows) return save_impossible(r, "its size is wrong");
    match->text_at = r->body.data + r->offset;
    match->text_end = r->body.data + r->body.size;
    if (match->file.text_count) r->offset = r->body.size; // the texts are the rest of the section
    if (is_unique) result = set_unique(job, match, rows);
    else if (is_relation) result = relate(job, match, count, first, second, rows);
    else result = give(job, match, count, first, rows);
    if (result == KEEL_OK && match->file.text_count && match->text_at != match->text_end)
        result = save_impossible(r, "its size is wrong");
    return result;
}

static void tell_fields(const load_job *job, const save_match *m) {
    for (uint32_t i = 0; i < m->file.leaf_count; ++i)
        if (m->from[i].is_gone)
            tell(job, KEEL_LOAD_SKIPPED_FIELD, m->here.component->name, m->file.leaves[i].path);
    for (uint32_t i = 0; i < m->here.leaf_count; ++i)
        if (m->leaf_of[i] == UINT32_MAX && m->here.leaves[i].type != SAVE_STREAM)
            tell(job, KEEL_LOAD_NEW_FIELD, m->here.component->name, m->here.leaves[i].path);
}

// Registers a component of the file in the private world. An archetype component gets another
// storage there: with archetypes, each added component would move whole rows, while the final copy
// makes each row once. Indexed storage is fastest; a sparse set needs less memory if few entities
// have the component.
static keel_result settle(load_job *job, const keel_component *c, uint64_t count) {
    keel_component here = *c;
    if (c->storage == KEEL_ARCHETYPE)
        here.storage = count >= job->size / 4 ? KEEL_INDEXED : KEEL_SPARSE_SET;
    const bool is_known = keel_register_component(job->world, &here) != NULL;
    return is_known ? KEEL_OK : check(job, keel_last_error(job->world)->result);
}

static keel_result read_values(load_job *job, const keel_component *c) {
    save_reader *r = &job->r;
    const bool is_unique = !strcmp(r->tag, "UNIQ"), is_relation = !strcmp(r->tag, "RELA");
    save_match match = { .narrow = job->narrow, .whose = keel_null(), .error = r->error };
    if (c->is_unique != is_unique || c->is_relation != is_relation || c->is_event)
        return save_fail(r->error, KEEL_ERROR_SCHEMA,
                         "'%.100s' is %s in the program and %s in the save", c->name,
                         c->is_event      ? "an event"
                         : c->is_unique   ? "a unique"
                         : c->is_relation ? "a relation"
                                          : "a component",
                         is_unique     ? "a unique"
                         : is_relation ? "a relation"
                                       : "a component");
    keel_result result = save_read_schema(r, &match.file, &job->info);
    const uint64_t count = result < 0 ? 0 : is_unique ? 1 : save_take_number(r, 4);
    if (result == KEEL_OK) result = settle(job, c, count);
    if (result == KEEL_OK) result = save_schema_make(&match.here, c, r->error);
    if (result == KEEL_OK) result = save_match_make(&match);
    if (result == KEEL_OK) {
        save_plan plan = { 0 };
        const uint64_t bytes = count * c->size;
        if (bytes > r->bytes_left) result = save_impossible(r, "its values exceed max_bytes");
        else if (!save_plan_unpack(&plan, &match)) result = no_memory(job);
        else if (plan.steps && !is_unique && !is_relation)
            result = stream(job, &match, &plan, count);
        else result = read_one_by_one(job, &match, count);
        if (count && result == KEEL_OK) tell_fields(job, &match);
        r->bytes_left -= bytes < r->bytes_left ? bytes : r->bytes_left;
        save_plan_free(&plan);
        if (result == KEEL_OK && count) result = save_match_end(&match);
    }
    save_match_free(&match);
    return result;
}

// ------------------------------------------------------------------ the rest
static keel_result read_disabled(load_job *job, const keel_component *c) {
    const uint64_t count = save_take_number(&job->r, 4);
    const unsigned char *indices = save_take(&job->r, count * 4);
    if (!indices) return save_impossible(&job->r, "its size is wrong");
    const size_t all = job->disabled_count + (size_t)count;
    save_disabled *grown = realloc(job->disabled, (all + 1) * sizeof *grown);
    if (!grown) return no_memory(job);
    job->disabled = grown;
    for (uint64_t i = 0; i < count; ++i) {
        save_disabled *d = &job->disabled[job->disabled_count + i];
        d->component = c;
        KEEL_TRY(entity_at(job, indices + i * 4, &d->entity));
    }
    job->disabled_count = all;
    return KEEL_OK;
}

// Disables the components that the file lists as disabled. An entity's component can be disabled
// only after its components that require it, so passes over the list are repeated until a pass
// disables nothing.
static keel_result disable_all(load_job *job) {
    size_t left = job->disabled_count;
    for (size_t before = left + 1; left && left < before;) {
        before = left;
        left = 0;
        for (size_t i = 0; i < before; ++i) {
            const save_disabled d = job->disabled[i];
            const keel_result r = keel_enable_component(job->world, d.entity, d.component, false);
            if (r == KEEL_ERROR_REQUIRED) job->disabled[left++] = d;
            else if (r)
                return r < 0 ? check(job, r)
                             : save_impossible(
                                   &job->r, "disables a component that the entity does not have");
            else
                KEEL_TRY(
                    check(job, save_given_trim(job->given, job->world, d.entity, d.component)));
        }
    }
    return left ? save_impossible(&job->r, "disables a required component") : KEEL_OK;
}

static keel_result read_parents(load_job *job) {
    const uint64_t count = save_take_number(&job->r, 4);
    const unsigned char *children = save_take(&job->r, count * 4);
    const unsigned char *parents = save_take(&job->r, count * 4);
    if (!children || !parents) return save_impossible(&job->r, "its size is wrong");
    for (uint64_t i = 0; i < count; ++i) {
        keel_entity child, parent;
        KEEL_TRY(entity_at(job, children + i * 4, &child));
        KEEL_TRY(entity_at(job, parents + i * 4, &parent));
        KEEL_TRY(check(job, keel_attach(job->world, child, parent)));
    }
    return KEEL_OK;
}

static keel_result read_names(load_job *job) {
    for (; save_has_more(&job->r); save_forget(&job->r)) {
        char name[1024];
        unsigned char
            index[4]; // a copy: reading the text may decompress a chunk and move the bytes
        keel_entity e;
        save_write_index(index, (uint32_t)save_take_number(&job->r, 4));
        if (!save_take_text(&job->r, name, sizeof name))
            return save_impossible(&job->r, "a name is damaged");
        KEEL_TRY(entity_at(job, index, &e));
        KEEL_TRY(check(job, keel_set_name(job->world, e, name)));
    }
    return KEEL_OK;
}

// Moves the body of an "info" section to `job->info`, for the section of values that follows.
static keel_result read_info(load_job *job) {
    const save_bytes body = job->r.body;
    if (job->info.size || !body.size)
        return save_impossible(&job->r, "is empty or follows another info section");
    job->r.body = (save_bytes){ 0 };
    job->r.offset = 0;
    job->info = body;
    return save_finish_section(&job->r, false);
}

static keel_result read_section(load_job *job, keel_world *to) {
    save_reader *r = &job->r;
    const keel_component *c = NULL;
    keel_result result = KEEL_OK;
    const bool has_templates = !strcmp(r->tag, "pref");
    const bool is_optional =
        r->tag[0] >= 'a' && r->tag[0] <= 'z' && strcmp(r->tag, "info") != 0 && !has_templates;
    const bool streams = is_optional || !strcmp(r->tag, "COMP") || !strcmp(r->tag, "NAME");
    if (!streams) KEEL_TRY(save_unpack_all(r));
    if (!strcmp(r->tag, "info")) return read_info(job);
    if (job->info.size && strcmp(r->tag, "COMP") != 0 && strcmp(r->tag, "RELA") != 0 &&
        strcmp(r->tag, "UNIQ") != 0)
        return save_impossible(r, "follows an info section, which must precede values");
    if (!strcmp(r->tag, "ENTS")) result = read_entities(job);
    else if (!job->has_entities) return save_impossible(r, "comes before the entities");
    else if (has_templates) result = save_read_templates(r, to, &job->templates);
    else if (!strcmp(r->tag, "PARE")) result = read_parents(job);
    else if (!strcmp(r->tag, "NAME")) result = read_names(job);
    else if (!strcmp(r->tag, "COMP") || !strcmp(r->tag, "RELA") || !strcmp(r->tag, "UNIQ") ||
             !strcmp(r->tag, "DISA")) {
        KEEL_TRY(read_name(job, &c));
        if (!c) {
            save_bytes_free(&job->info);
            return save_finish_section(r, true);
        }
        result = r->tag[0] == 'D' ? read_disabled(job, c) : read_values(job, c);
    } else if (is_optional) {
        return save_finish_section(r, true); // a later minor version wrote it
    } else {
        return save_impossible(r, "is unknown; a later version of Keel wrote it");
    }
    return result == KEEL_OK ? save_finish_section(r, false) : result;
}

// True if the stage registers the component when its section is read (see settle), not before.
static bool is_settled_later(const keel_component *c) {
    return !c->is_unique && c->storage == KEEL_ARCHETYPE;
}

static keel_result take_error(load_job *job, const keel_world *to, keel_result result) {
    if (result < 0 && job->r.error) *job->r.error = *keel_last_error(to);
    return result < 0 ? result : KEEL_OK;
}

static keel_result read_all(load_job *job, keel_world *to) {
    KEEL_TRY(save_read_header(&job->r));
    KEEL_TRY(save_check_names(to, job->r.error));
    memcpy(job->r.name, "ENTS", 5);
    KEEL_TRY(check(job, stage_register(job->world, to, is_settled_later)));
    for (;;) {
        KEEL_TRY(save_read_section(&job->r));
        if (!strcmp(job->r.tag, "ENDS")) break;
        KEEL_TRY(read_section(job, to));
    }
    if (!job->has_entities) return save_impossible(&job->r, "there are no entities before");
    if (job->info.size) return save_impossible(&job->r, "follows an info section");
    if (!job->merge || job->merge->same_templates)
        save_place_templates(&job->templates, job->world, to, job->report, job->report_data);
    KEEL_TRY(disable_all(job));
    save_kept **kept = job->merge ? NULL : save_kept_of(to, job->kept != NULL);
    if (job->kept && !kept) return take_error(job, to, keel_last_error(to)->result);
    KEEL_TRY(take_error(job, to, stage_finish(job->world, to, job->merge)));
    if (!kept) return KEEL_OK;
    save_kept *old = *kept;
    *kept = job->kept;
    job->kept = old;
    return KEEL_OK;
}

static uint64_t limit_of(const keel_load_options *how) {
    return how->max_bytes ? how->max_bytes : (uint64_t)1 << 30;
}

keel_result keel_load_from(keel_world *world, const void *bytes, size_t size,
                           const keel_load_options *options) {
    const keel_load_options how = options ? *options : (keel_load_options){ 0 };
    if (!world || (!bytes && size))
        return save_fail(how.error, KEEL_ERROR_ARGUMENT, "the world is NULL, or the bytes are");
    if (size > limit_of(&how))
        return save_fail(how.error, KEEL_ERROR_FORMAT, "the save is larger than max_bytes");
    if (how.merge && how.unknown == KEEL_UNKNOWN_KEEP)
        return save_fail(how.error, KEEL_ERROR_ARGUMENT,
                         "merging gives entities other handles, which kept components cannot "
                         "follow; load with KEEL_UNKNOWN_SKIP");
    if ((uint32_t)how.unknown > KEEL_UNKNOWN_KEEP)
        return save_fail(how.error, KEEL_ERROR_ARGUMENT, ".unknown is none of KEEL_UNKNOWN_*");
    load_job job = { .to = world,
                     .unknown = how.unknown,
                     .report = how.report,
                     .report_data = how.report_data,
                     .narrow = how.narrow,
                     .merge = how.merge,
                     .max_entities = how.max_entities ? how.max_entities : 1u << 24 };
    job.r.at = size ? bytes : keel_save_signature;
    job.r.end = job.r.at + size;
    job.r.error = how.error;
    job.r.bytes_left = limit_of(&how);
    job.world = stage_create("a save", (keel_allocator){ 0 });
    const keel_result result = job.world ? read_all(&job, world) : no_memory(&job);
    keel_world_destroy(job.world);
    save_reader_free(&job.r);
    save_bytes_free(&job.info);
    save_kept_free(job.kept);
    save_templates_free(&job.templates);
    free(job.disabled);
    save_given_free(job.given);
    return result;
}

keel_result keel_load(keel_world *world, const char *path, const keel_load_options *options) {
    const keel_load_options how = options ? *options : (keel_load_options){ 0 };
    save_bytes bytes = { 0 };
    if (!world || !path)
        return save_fail(how.error, KEEL_ERROR_ARGUMENT, "the world or the path is NULL");
    keel_result result = save_read_file(path, limit_of(&how), &bytes, how.error);
    if (result == KEEL_OK)
        result =
            save_name_file(path, how.error, keel_load_from(world, bytes.data, bytes.size, &how));
    save_bytes_free(&bytes);
    return result;
}
