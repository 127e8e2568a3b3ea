// SPDX-License-Identifier: MIT
// Compares the programs of all ranks: their components, relations, fields and options; and checks
// that a workload does not write ghosts, and that no component became known too late.
#include "domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what ranks have
// A component, a relation or an option, which must be the same on all ranks.
typedef struct schema_line {
    char name[56];
    uint64_t size, hash;
} schema_line;

enum { OPTIONS = 6 };

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; text && *text; ++text)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u; // FNV-1a
    return hash * 31 + 7;
}

static uint64_t hash_fields(uint64_t hash, const keel_field *fields, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        hash = hash_text(hash, f->name) + (uint64_t)f->type;
        hash = hash * 0x100000001b3u + f->offset;
        hash = hash * 0x100000001b3u + f->count;
        if (f->of) hash = hash_fields(hash, f->of->fields, f->of->field_count);
    }
    return hash;
}

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static schema_line line_of(const keel_component *c) {
    const uint64_t rules = (uint64_t)c->on_delete << 3 | (uint64_t)c->exclusive << 2 |
                           (uint64_t)c->acyclic << 1 | (uint64_t)c->symmetric;
    schema_line line = { .size = c->size };
    (void)snprintf(line.name, sizeof line.name, "%s '%.40s'",
                   c->is_relation ? "relation" : "component", c->name);
    line.hash = hash_fields((uint64_t)c->align << 8 | rules, c->fields, c->field_count);
    return line;
}

static void write_lines(const keel_domain *d, schema_line *lines) {
    for (uint32_t i = 0; i < d->column_count; ++i)
        *lines++ = line_of(d->columns[i].component);
    for (uint32_t i = 0; i < d->relation_count; ++i)
        *lines++ = line_of(d->relations[i].component);
    uint64_t ghosts = d->desc.dimensions;
    for (uint32_t i = 0; i < d->ghost_count; ++i)
        ghosts = ghosts * 31 + d->ghost_columns[i];
    uint64_t reduced = 0, together = 0;
    for (const keel_reduced *r = d->desc.reduced; r && r->unique; ++r)
        reduced = hash_text(reduced * 31 + (uint64_t)r->how, r->unique->type);
    for (uint32_t i = 0; i < d->together_count; ++i)
        together = hash_text(together, d->together[i]->name);
    const schema_line options[OPTIONS] = {
        { ".position, .dimensions and .ghosts", d->ghost_count, ghosts },
        { ".halo", sizeof(double), bits_of(d->desc.halo) },
        { ".reduced", 0, reduced },
        { ".together", d->together_count, together },
        { "the names of prefabs", d->template_count, keeli_prefabs_hash(d) },

        { ".restart", 0, d->desc.restart != NULL }
    };
    memcpy(lines, options, sizeof options);
}

static bool has_line(const schema_line *lines, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(lines[i].name, name) == 0) return true;
    return false;
}

static keel_result compare_lines(keel_domain *d, const schema_line *own, size_t count) {
    const schema_line *first = d->receive[0].bytes; // lines of rank 0
    const size_t first_count = d->receive[0].size / sizeof *first;
    for (size_t i = 0; i < count || i < first_count; ++i) {
        const schema_line *a = i < count ? &own[i] : NULL, *b = i < first_count ? &first[i] : NULL;
        if (a && b && strcmp(a->name, b->name) == 0) {
            if (a->size == b->size && a->hash == b->hash) continue;
            return keeli_domain_fail(d, KEEL_ERROR_SCHEMA,
                                     "%s: it is not the same as on rank 0 (%llu bytes here, %llu "
                                     "there); start all ranks with one program",
                                     a->name, (unsigned long long)a->size,
                                     (unsigned long long)b->size);
        }
        const bool is_here = a && !has_line(first, first_count, a->name);
        return keeli_domain_fail(d, KEEL_ERROR_SCHEMA,
                                 "%s: it is registered %s; register the same components on all "
                                 "ranks before keel_domain_begin",
                                 is_here ? a->name : b->name,
                                 is_here ? "here, but not on rank 0" : "on rank 0, but not here");
    }
    return KEEL_OK;
}

keel_result keeli_schema_compare(keel_domain *d) {
    const size_t count = d->column_count + d->relation_count + OPTIONS;
    schema_line *own = calloc(count, sizeof *own);
    if (own) write_lines(d, own);
    keel_result result = keeli_domain_tell_all(d, own, own ? count * sizeof *own : 0);
    if (!own) result = keeli_domain_fail(d, KEEL_ERROR_MEMORY, "comparing ranks: out of memory");
    if (result >= 0) result = compare_lines(d, own, count);
    free(own);
    return result;
}

uint64_t keeli_schema_hash(const keel_domain *d) {
    const size_t count = d->column_count + d->relation_count + OPTIONS;
    schema_line *lines = calloc(count, sizeof *lines);
    if (!lines) return 0;
    write_lines(d, lines);
    uint64_t hash = 0;
    for (size_t i = 0; i + 1 < count; ++i) { // without .restart
        hash = hash_text(hash, lines[i].name) + lines[i].size;
        hash = hash * 0x100000001b3u + lines[i].hash;
    }
    free(lines);
    return hash;
}

// ------------------------------------------------------------------ workloads
static const char *name_of(const keel_component *c) { return c->name ? c->name : c->type; }

static bool is_of_ghosts(const keel_domain *d, const keel_component *c) {
    const keel_component *known = keel_find_component(d->world, name_of(c));
    for (uint32_t i = 0; i < d->ghost_count; ++i)
        if (d->columns[d->ghost_columns[i]].component == known) return true;
    return false;
}

// Returns the component of ghosts that a system writes of the entities that it visits; NULL: none.
static const keel_component *find_written(const keel_domain *d, const keel_system *system) {
    const keel_component *written = NULL;
    for (const keel_term *t = system->terms; t && t->kind != KEEL_TERM_END; ++t) {
        const bool writes = t->kind == KEEL_TERM_WRITE || t->kind == KEEL_TERM_WRITE_MARKED ||
                            t->kind == KEEL_TERM_EDIT || t->kind == KEEL_TERM_OPTIONAL_WRITE;
        if (writes && is_of_ghosts(d, t->component)) written = t->component;
        if (t->kind == KEEL_TERM_WITHOUT && strcmp(name_of(t->component), "keel_ghost") == 0)
            return NULL;
    }
    return written;
}

keel_result keeli_schema_check_known(keel_domain *d) {
    for (const keel_component *c = d->last_component;
         (c = keel_next_component(d->world, c)) != NULL;)
        if (!c->transient && strncmp(c->name, "keel_", 5) != 0)
            return keeli_domain_fail(
                d, KEEL_ERROR_COMPONENT,
                "component '%.80s' became known after keel_domain_begin, so it "
                "would not go to other ranks; register it before, on all "
                "ranks: keel_register(world, %.80s)",
                c->name, c->type ? c->type : c->name);
    return KEEL_OK;
}

keel_result keeli_schema_check_workload(keel_domain *d, const keel_workload *workload) {
    if (workload == d->checked) return KEEL_OK;
    const uint32_t count = keel_world_workload_nodes(d->world, workload, NULL, 0);
    keel_workload_node *nodes = calloc(count + 1u, sizeof *nodes);
    if (!nodes)
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "checking a workload: out of memory");
    keel_result result = KEEL_OK;
    (void)keel_world_workload_nodes(d->world, workload, nodes, count); // registers what it uses
    result = keeli_schema_check_known(d);
    for (uint32_t i = 0; i < count && result == KEEL_OK; ++i) {
        const bool is_system = nodes[i].kind == KEEL_NODE_SYSTEM && nodes[i].system;
        const keel_component *c = is_system ? find_written(d, nodes[i].system) : NULL;
        if (c)
            result = keeli_domain_fail(d, KEEL_ERROR_ACCESS,
                                       "system '%.60s' writes '%.60s', which ghosts have; add "
                                       "KEEL_WITHOUT(keel_ghost)",
                                       nodes[i].name, name_of(c));
    }
    free(nodes);
    if (result == KEEL_OK) d->checked = workload;
    return result;
}
