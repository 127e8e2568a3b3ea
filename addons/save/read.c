// SPDX-License-Identifier: MIT
// Sections become a private world that knows the components of the caller's one, by public verbs,
// which check as they always do. It is copied to the caller's world when all of the file is right.
#include "save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct save_disabled {
    const keel_component *component;
    keel_entity entity;
} save_disabled;

typedef struct load_job {
    save_reader r;
    keel_world *world; // the private one
    uint32_t max_entities;
    bool skip_unknown, has_entities;
    const keel_merge_options *merge;
    save_disabled *disabled; // to be disabled when all is there
    size_t disabled_count;
} load_job;

static keel_result no_memory(load_job *job) {
    return save_fail(job->r.error, KEEL_ERROR_MEMORY,
                     "out of memory while loading; nothing was changed");
}

// What a verb of the private world refused.
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
        if (version > KEEL_MAX_ENTITY_VERSION || (is_free && !version))
            return save_impossible(&job->r, "a version does not fit the handles of this program");
        // the highest one may have been the last or the next: retired either way
        if (is_free && version < KEEL_MAX_ENTITY_VERSION) --version;
        KEEL_TRY(check(job, keel_add_entity_at(job->world, keel_entity_make(index, version))));
    }
    return KEEL_OK;
}

// Those that a world without entities gives by itself come at once: how many, in `done`.
static keel_result add_fresh(load_job *job, uint32_t living, const unsigned char *indices,
                             const unsigned char *versions, uint32_t *done) {
    uint32_t n = 0;
    while (n < living && n < job->max_entities && n <= KEEL_MAX_ENTITY_INDEX &&
           save_read_index(indices + n * 4) == n && !save_read_index(versions + n * 4))
        ++n;
    *done = n;
    if (!n) return KEEL_OK;
    return check(job, keel_add_entity_columns(job->world, n, NULL, NULL));
}

static keel_result read_entities(load_job *job) {
    save_reader *r = &job->r;
    const uint64_t living = save_take_number(r, 4), dead = save_take_number(r, 4);
    const unsigned char *indices = save_take(r, (living + dead) * 8);
    if (job->has_entities || !indices) return save_impossible(r, "its size is wrong");
    const unsigned char *versions = indices + (living + dead) * 4;
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
    return keel_is_null(*out) ? save_impossible(&job->r, "names an entity that is not there")
                              : KEEL_OK;
}

// ------------------------------------------------------------------ components
// The text at the place where the reader is; false when there is none, or it does not fit.
static bool take_text(save_reader *r, char *out, size_t room) {
    const uint64_t length = save_take_number(r, 2);
    const unsigned char *at = save_take(r, length);
    if (!at || length >= room || memchr(at, 0, (size_t)length)) return false;
    memcpy(out, at, (size_t)length);
    out[length] = 0;
    return true;
}

// A component and a unique may have one name.
static const keel_component *find(const keel_world *world, const char *name, bool is_unique) {
    typedef const keel_component *next_of(const keel_world *, const keel_component *);
    next_of *next = is_unique ? keel_next_unique : keel_next_component;
    const keel_component *c = NULL;
    while ((c = next(world, c)) != NULL && strcmp(c->name, name) != 0) {}
    return c;
}

// Which component a section is about: in `out`, NULL when it is left out.
static keel_result read_name(load_job *job, const keel_component **out) {
    save_reader *r = &job->r;
    char name[256];
    if (!take_text(r, name, sizeof name) || !*name)
        return save_impossible(r, "the name of its component is damaged");
    (void)snprintf(r->name + 4, sizeof r->name - 4, " '%.70s'", name);
    const keel_component *c = find(job->world, name, !strcmp(r->tag, "UNIQ"));
    *out = c && !c->transient && !save_is_own(c) ? c : NULL;
    // what a copy of a prefab was made of means nothing without the templates
    if (*out || job->skip_unknown || c || strcmp(name, "keel_instance") == 0) return KEEL_OK;
    return save_fail(r->error, KEEL_ERROR_SCHEMA,
                     "the program does not know '%.100s', which is in the save; register it first, "
                     "or load with .skip_unknown = true",
                     name);
}

static keel_result read_schema(load_job *job, save_match *match) {
    save_reader *r = &job->r;
    const uint64_t count = save_take_number(r, 4);
    if (count > SAVE_MOST_LEAVES || count * 8 > r->raw)
        return save_impossible(r, "it has too many fields");
    match->file.leaves = calloc(count + 1, sizeof *match->file.leaves);
    if (!match->file.leaves) return no_memory(job);
    for (uint64_t i = 0; i < count; ++i) {
        save_leaf *leaf = &match->file.leaves[i];
        if (!take_text(r, leaf->path, sizeof leaf->path))
            return save_impossible(r, "a field is damaged");
        leaf->type = (keel_field_type)save_take_number(r, 1);
        leaf->count = (uint32_t)save_take_number(r, 4);
        if (leaf->type > KEEL_FIELD_TEXT || !leaf->count || leaf->count > KEEL_MAX_COMPONENT_SIZE)
            return save_impossible(r, "a field has an unknown type");
        leaf->place = match->file.row_bytes;
        match->file.row_bytes += save_leaf_bytes(leaf);
        if (match->file.row_bytes > 2 * KEEL_MAX_COMPONENT_SIZE)
            return save_impossible(r, "a value is too large");
    }
    match->file.leaf_count = (uint32_t)count;
    return KEEL_OK;
}

// Memory for some values, aligned.
static char *new_values(const keel_component *c, uint32_t count) {
    const size_t align = c->align > sizeof(void *) ? c->align : sizeof(void *);
    const size_t size = (c->size ? c->size : 1) * (size_t)count;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

// What a value has where the file says nothing.
static void begin_value(const keel_component *c, char *value) {
    // one that owns something begins with nothing, which it need not share
    if (c->initial && !c->drop && !c->copy) memcpy(value, c->initial, c->size);
    else memset(value, 0, c->size);
}

static keel_result make_value(load_job *job, const save_match *match, const unsigned char *row,
                              char *value) {
    begin_value(match->here.component, value);
    return save_unpack(match, row, value) ? KEEL_OK
                                          : save_impossible(&job->r, "a value is none of its type");
}

// Some rows as values.
static keel_result make_values(load_job *job, const save_match *match, const save_plan *plan,
                               const unsigned char *rows, uint32_t count, char *values) {
    const keel_component *c = match->here.component;
    if (plan->is_whole) {
        memcpy(values, rows, (size_t)count * c->size);
        return KEEL_OK;
    }
    for (uint32_t i = 0; !plan->steps && i < count; ++i)
        KEEL_TRY(make_value(job, match, rows + (size_t)i * match->file.row_bytes,
                            values + (size_t)i * c->size));
    for (uint32_t i = 0; plan->steps && i < count; ++i)
        begin_value(c, values + (size_t)i * c->size);
    return !plan->steps || save_unpack_rows(plan, rows, count, values)
               ? KEEL_OK
               : save_impossible(&job->r, "a value is none of its type");
}

// The handles of some indices, which ascend.
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

// Rows are taken some at a time: they are many.
static keel_result give_some(load_job *job, const save_match *match, const save_plan *plan,
                             const keel_entity *entities, uint32_t count, char *values) {
    const keel_component *c = match->here.component;
    const unsigned char *rows = save_take(&job->r, (uint64_t)count * match->file.row_bytes);
    if (!rows) return save_impossible(&job->r, "its size is wrong");
    const void *from = values;
    if (plan->is_whole && !c->copy && !c->move) from = rows;
    else KEEL_TRY(make_values(job, match, plan, rows, count, values));
    KEEL_TRY(check(job, keel_add_component_to_many(job->world, entities, count, c,
                                                   c->size ? from : NULL, c->size)));
    save_forget(&job->r);
    return KEEL_OK;
}

static keel_result give(load_job *job, const save_match *match, uint64_t count,
                        const unsigned char *indices) {
    const keel_component *c = match->here.component;
    const uint32_t step = c->size > 1024 ? 64 : 4096;
    keel_entity *entities = malloc((size_t)(count + 1) * sizeof *entities);
    char *values = new_values(c, step);
    save_plan plan;
    (void)save_plan_unpack(&plan, match);
    keel_result result = entities && values ? KEEL_OK : no_memory(job);
    if (result == KEEL_OK) result = find_all(job, indices, count, entities);
    save_forget(&job->r);
    for (uint64_t done = 0; done < count && result == KEEL_OK; done += step) {
        const uint32_t n = count - done < step ? (uint32_t)(count - done) : step;
        result = give_some(job, match, &plan, entities + done, n, values);
    }
    save_plan_free(&plan);
    free(entities);
    free(values);
    return result;
}

static keel_result relate(load_job *job, const save_match *match, uint64_t count) {
    const keel_component *c = match->here.component;
    const uint32_t row = match->file.row_bytes;
    const unsigned char *sources = save_take(&job->r, count * (8 + (uint64_t)row));
    if (!sources) return save_impossible(&job->r, "its size is wrong");
    const unsigned char *targets = sources + count * 4, *rows = targets + count * 4;
    char *value = new_values(c, 1);
    keel_result result = value ? KEEL_OK : no_memory(job);
    for (uint64_t i = 0; i < count && result == KEEL_OK; ++i) {
        keel_entity source, target;
        result = entity_at(job, sources + i * 4, &source);
        if (result == KEEL_OK) result = entity_at(job, targets + i * 4, &target);
        if (result == KEEL_OK) result = make_value(job, match, rows + i * row, value);
        if (result == KEEL_OK)
            result = check(
                job, keel_relate_component(job->world, source, c, target, c->size ? value : NULL));
    }
    free(value);
    return result;
}

static keel_result set_unique(load_job *job, const save_match *match) {
    const unsigned char *row = save_take(&job->r, match->file.row_bytes);
    if (!row) return save_impossible(&job->r, "its size is wrong");
    char *value = new_values(match->here.component, 1);
    keel_result result = value ? make_value(job, match, row, value) : no_memory(job);
    if (result == KEEL_OK)
        result = check(job, keel_set_unique_value(job->world, match->here.component, value));
    free(value);
    return result;
}

static keel_result read_values(load_job *job, const keel_component *c) {
    save_reader *r = &job->r;
    const bool is_unique = !strcmp(r->tag, "UNIQ"), is_relation = !strcmp(r->tag, "RELA");
    save_match match = { 0 };
    if (c->is_unique != is_unique || c->is_relation != is_relation || c->is_event)
        return save_fail(r->error, KEEL_ERROR_SCHEMA,
                         "'%s' is a component, a relation or a unique, and in the save another of "
                         "these",
                         c->name);
    keel_result result = save_schema_make(&match.here, c, r->error);
    if (result == KEEL_OK) result = read_schema(job, &match);
    if (result == KEEL_OK) result = save_match_make(&match, r->error);
    if (result == KEEL_OK) {
        const uint64_t count = is_unique ? 1 : save_take_number(r, 4);
        const unsigned char *indices = is_unique || is_relation ? NULL : save_take(r, count * 4);
        if (!is_unique && !is_relation && !indices)
            result = save_impossible(r, "its size is wrong");
        else if (count * c->size > r->bytes_left)
            result = save_impossible(r, "there is more than max_bytes");
        else {
            r->bytes_left -= count * c->size;
            result = is_unique     ? set_unique(job, &match)
                     : is_relation ? relate(job, &match, count)
                                   : give(job, &match, count, indices);
        }
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

// What another component requires can only be disabled after it: until nothing changes.
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
                             : save_impossible(&job->r, "disables what is not there");
        }
    }
    return left ? save_impossible(&job->r, "disables what is required") : KEEL_OK;
}

static keel_result read_parents(load_job *job) {
    const uint64_t count = save_take_number(&job->r, 4);
    const unsigned char *children = save_take(&job->r, count * 8);
    if (!children) return save_impossible(&job->r, "its size is wrong");
    const unsigned char *parents = children + count * 4;
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
        keel_entity e;
        const unsigned char *index = save_take(&job->r, 4);
        if (!index || !take_text(&job->r, name, sizeof name))
            return save_impossible(&job->r, "a name is damaged");
        KEEL_TRY(entity_at(job, index, &e));
        KEEL_TRY(check(job, keel_set_name(job->world, e, name)));
    }
    return KEEL_OK;
}

static keel_result read_section(load_job *job) {
    save_reader *r = &job->r;
    const keel_component *c = NULL;
    keel_result result = KEEL_OK;
    if (!strcmp(r->tag, "ENTS")) result = read_entities(job);
    else if (!job->has_entities) return save_impossible(r, "comes before the entities");
    else if (!strcmp(r->tag, "PARE")) result = read_parents(job);
    else if (!strcmp(r->tag, "NAME")) result = read_names(job);
    else if (!strcmp(r->tag, "COMP") || !strcmp(r->tag, "RELA") || !strcmp(r->tag, "UNIQ") ||
             !strcmp(r->tag, "DISA")) {
        KEEL_TRY(read_name(job, &c));
        if (!c) return save_finish_section(r, true);
        result = r->tag[0] == 'D' ? read_disabled(job, c) : read_values(job, c);
    } else if (r->tag[0] >= 'a' && r->tag[0] <= 'z') {
        return save_finish_section(r, true); // of a later version, and may be left out
    } else {
        return save_impossible(r, "is unknown; a later version of Keel wrote it");
    }
    return result == KEEL_OK ? save_finish_section(r, false) : result;
}

// Of the caller's components; what they begin with is not in the file.
static keel_result know(load_job *job, const keel_world *to) {
    typedef const keel_component *next(const keel_world *, const keel_component *);
    next *const lists[] = { keel_next_component, keel_next_unique };
    for (uint32_t i = 0; i < 2; ++i)
        for (const keel_component *c = NULL; (c = lists[i](to, c)) != NULL;)
            if (!save_is_own(c) && !find(job->world, c->name, c->is_unique) &&
                !keel_register_component(job->world, c))
                return check(job, keel_last_error(job->world)->result);
    return check(job, keel_clear_uniques(job->world));
}

static keel_result read_all(load_job *job, keel_world *to) {
    KEEL_TRY(save_read_header(&job->r));
    memcpy(job->r.name, "ENTS", 5);
    KEEL_TRY(know(job, to));
    for (;;) {
        KEEL_TRY(save_read_section(&job->r));
        if (!strcmp(job->r.tag, "ENDS")) break;
        KEEL_TRY(read_section(job));
    }
    if (!job->has_entities) return save_impossible(&job->r, "there are no entities before");
    KEEL_TRY(disable_all(job));
    const keel_result result =
        job->merge ? keel_merge_world(to, job->world, job->merge) : keel_copy_world(job->world, to);
    if (result < 0 && job->r.error) *job->r.error = *keel_last_error(to);
    return result;
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
    load_job job = { .skip_unknown = how.skip_unknown,
                     .merge = how.merge,
                     .max_entities = how.max_entities ? how.max_entities : 1u << 24 };
    job.r.at = size ? bytes : keel_save_signature;
    job.r.end = job.r.at + size;
    job.r.error = how.error;
    job.r.bytes_left = limit_of(&how);
    job.world = save_private_world();
    const keel_result result = job.world ? read_all(&job, world) : no_memory(&job);
    keel_world_destroy(job.world);
    save_reader_free(&job.r);
    free(job.disabled);
    return result;
}

keel_result keel_load(keel_world *world, const char *path, const keel_load_options *options) {
    const keel_load_options how = options ? *options : (keel_load_options){ 0 };
    save_bytes bytes = { 0 };
    if (!world || !path)
        return save_fail(how.error, KEEL_ERROR_ARGUMENT, "the world or the path is NULL");
    keel_result result = save_read_file(path, limit_of(&how), &bytes, how.error);
    if (result == KEEL_OK) result = keel_load_from(world, bytes.data, bytes.size, &how);
    save_bytes_free(&bytes);
    return result;
}
