// SPDX-License-Identifier: MIT
// The templates of prefabs. Each rank has its own, with handles of its own: a handle of one goes to
// other ranks as a number, that of its path among all paths. A template without a name is in its
// path with its number among such siblings. handles.c asks for both.
#include "domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi_template {
    keel_entity entity;
    char *path;
};

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const mpi_template *)a)->path, ((const mpi_template *)b)->path);
}

// Returns the number of the siblings before a template that have no name, either.
static uint32_t unnamed_before(const keel_world *templates, keel_entity e) {
    const keel_entity parent = keel_parent_of(templates, e);
    uint32_t count = 0;
    if (!keel_is_null(parent))
        for (keel_entity s = keel_first_child(templates, parent); !keel_is_same(s, e);
             s = keel_next_child(templates, parent, s))
            count += keel_name_of(templates, s) == NULL;
    else
        for (keel_entity s = keel_null(); !keel_is_same(s = keel_next_entity(templates, s), e);)
            count += keel_is_null(keel_parent_of(templates, s)) && !keel_name_of(templates, s);
    return count;
}

// Returns the path of a template, from malloc. NULL when out of memory.
static char *path_of(const keel_world *templates, keel_entity e) {
    char *path = calloc(1, 1);
    for (; path && !keel_is_null(e); e = keel_parent_of(templates, e)) {
        char number[16];
        const char *name = keel_name_of(templates, e);
        (void)snprintf(number, sizeof number, "/%u", (unsigned)unnamed_before(templates, e));
        const char *part = name ? name : number; // no name begins with '/'
        const size_t size = strlen(part) + strlen(path) + 2;
        char *longer = malloc(size);
        if (longer) (void)snprintf(longer, size, "%s/%s", part, path);
        free(path);
        path = longer;
    }
    return path;
}

// Notes the number of each template by its index. False when out of memory.
static bool number_all(keel_domain *d) {
    uint32_t room = 0;
    for (uint32_t i = 0; i < d->template_count; ++i) {
        const uint32_t index = keel_entity_index(d->templates[i].entity);
        room = index < room ? room : index + 1;
    }
    d->template_numbers = calloc(room + 1u, sizeof *d->template_numbers);
    if (!d->template_numbers) return false;
    d->template_room = room;
    for (uint32_t i = 0; i < d->template_count; ++i)
        d->template_numbers[keel_entity_index(d->templates[i].entity)] = i + 1;
    return true;
}

keel_result keeli_prefabs_begin(keel_domain *d) {
    if (!keel_find_component(d->world, "keel_instance")) return KEEL_OK; // there are none
    const keel_world *world = keel_templates(d->world);
    if (!world) return keeli_domain_fail_world(d);
    d->template_world = world;
    const uint32_t count = keel_entity_count(world);
    if (count > MPI_MOST_TEMPLATES)
        return keeli_domain_fail(d, KEEL_ERROR_FULL,
                                 "the world has %u templates of prefabs; a domain has %d at most",
                                 (unsigned)count, MPI_MOST_TEMPLATES);
    d->templates = calloc(count + 1u, sizeof *d->templates);
    bool has_room = d->templates != NULL;
    for (keel_entity e = keel_null(); has_room && !keel_is_null(e = keel_next_entity(world, e));) {
        mpi_template *t = &d->templates[d->template_count++];
        *t = (mpi_template){ e, path_of(world, e) };
        has_room = t->path != NULL;
    }
    if (has_room) qsort(d->templates, d->template_count, sizeof *d->templates, compare_paths);
    return has_room && number_all(d)
               ? KEEL_OK
               : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
}

void keeli_prefabs_end(keel_domain *d) {
    for (uint32_t i = 0; i < d->template_count; ++i)
        free(d->templates[i].path);
    free(d->templates);
    free(d->template_numbers);
}

uint64_t keeli_prefabs_hash(const keel_domain *d) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < d->template_count; ++i)
        hash = keeli_hash_bytes(d->templates[i].path, strlen(d->templates[i].path), hash);
    return hash;
}

bool keeli_prefab_number(const keel_domain *d, keel_entity e, uint32_t *number) {
    const uint32_t index = keel_entity_index(e);
    if (index >= d->template_room || !d->template_numbers[index]) return false;
    *number = d->template_numbers[index] - 1;
    return keel_is_same(d->templates[*number].entity, e);
}

keel_entity keeli_prefab_at(const keel_domain *d, uint64_t number) {
    return number < d->template_count ? d->templates[number].entity : keel_null();
}
