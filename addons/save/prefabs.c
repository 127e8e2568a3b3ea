// SPDX-License-Identifier: MIT
// Saves and restores the links from prefab copies to their templates. The program that loads a save
// may give the templates other handles, so the section "pref" has the handle and path of each
// template, if the template and all its ancestors have names. Older programs skip this section, and
// use the saved handles. The templates themselves are not saved. write.c and read.c call it.
#include "save.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 1024 };

typedef struct save_template {
    keel_entity there, here; // handle in the program that saved, and in this program; `here` is
                             // null if this program has no template at the path
    char *path;
} save_template;

void save_templates_free(save_templates *t) {
    for (size_t i = 0; i < t->count; ++i)
        free(t->list[i].path);
    free(t->list);
}

static const keel_component *instance_of(const keel_world *world) {
    return save_find(world, "keel_instance", false);
}

// ------------------------------------------------------------------ writing
// Writes the names from the root to `e` into `path`. False if `e` or an ancestor has no name, or if
// the path is too long.
static bool path_of(const keel_world *templates, keel_entity e, char path[PATH]) {
    size_t used = PATH - 1;
    path[used] = 0;
    for (; !keel_is_null(e); e = keel_parent_of(templates, e)) {
        const char *name = keel_name_of(templates, e);
        const size_t length = name ? strlen(name) : 0;
        if (!length || length + 1 > used) return false;
        if (path[used]) path[--used] = '/';
        used -= length;
        memcpy(path + used, name, length);
    }
    memmove(path, path + used, PATH - used);
    return true;
}

typedef struct writing {
    const keel_world *world;
    save_bytes seen; // a byte for each index of a template: 1 once its path is in `body` or the
                     // template was found to have no path
    save_bytes body; // the body of the section
} writing;

// Grows `seen` with zeros so that it has a byte for `index`. False if memory runs out.
static bool see(save_bytes *seen, size_t index) {
    const size_t had = seen->size;
    if (index < had) return true;
    unsigned char *more = save_bytes_more(seen, index + 1 - had);
    if (more) memset(more, 0, index + 1 - had);
    return more != NULL;
}

static bool put_template(writing *w, keel_entity copy) {
    char path[PATH];
    const keel_entity of = keel_prefab_of(w->world, copy).root;
    if (keel_is_null(of)) return true; // the template was deleted, or the world has no templates
    const uint32_t index = keel_entity_index(of);
    // keel_templates creates the world of templates if there is none. A world with a prefab copy
    // has one, so the call does not change it and the cast is safe
    const keel_world *templates = keel_templates((keel_world *)(uintptr_t)w->world);
    w->seen.data[index] = 1;
    if (!path_of(templates, of, path)) return true;
    save_put(&w->body, index, 4);
    save_put(&w->body, keel_entity_version(of), 4);
    save_put_text(&w->body, path);
    return !w->body.is_full;
}

static bool put_templates_of(const keel_value_run *run, void *data) {
    writing *w = data;
    const keel_entity *made_of = run->values;
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t index = keel_entity_index(made_of[i]);
        if (keel_is_null(made_of[i])) continue;
        if (!see(&w->seen, index)) return false;
        if (w->seen.data[index]) continue;
        if (!put_template(w, keel_entity_at(w->world, run->index + i))) return false;
    }
    return true;
}

keel_result save_write_templates(save_writer *w, const keel_world *world) {
    const keel_component *instance = instance_of(world);
    writing job = { .world = world };
    const save_part part = { &job.body, 1 };
    keel_result result = KEEL_OK;
    // The error is ignored. If the world cannot be read now, writing its components returns the
    // same error; if memory ran out, `is_full` tells
    if (instance) (void)keel_visit_values(world, instance, put_templates_of, &job);
    if (job.seen.is_full || job.body.is_full)
        result = save_fail(w->error, KEEL_ERROR_MEMORY, "out of memory while saving");
    if (result == KEEL_OK && job.body.size) result = save_write_section(w, "pref", &part, 1);
    save_bytes_free(&job.seen);
    save_bytes_free(&job.body);
    return result;
}

// ------------------------------------------------------------------ reading
static save_template *add(save_templates *t, const char *path) {
    save_template *grown = realloc(t->list, (t->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    t->list = grown;
    const size_t bytes = strlen(path) + 1;
    save_template *fresh = &grown[t->count];
    if (!(fresh->path = malloc(bytes))) return NULL;
    memcpy(fresh->path, path, bytes);
    ++t->count;
    return fresh;
}

static int compare(const void *a, const void *b) {
    const uint64_t x = ((const save_template *)a)->there.bits;
    const uint64_t y = ((const save_template *)b)->there.bits;
    return x < y ? -1 : x > y;
}

keel_result save_read_templates(save_reader *r, keel_world *world, save_templates *t) {
    const keel_world *templates = instance_of(world) ? keel_templates(world) : NULL;
    char path[PATH];
    if (t->count) return save_impossible(r, "the section is there twice");
    while (save_has_more(r)) {
        const uint32_t index = (uint32_t)save_take_number(r, 4);
        const uint32_t version = (uint32_t)save_take_number(r, 4);
        if (!save_take_text(r, path, sizeof path)) return save_impossible(r, "a path is damaged");
        if (index > KEEL_MAX_ENTITY_INDEX || version > KEEL_MAX_ENTITY_VERSION)
            return save_impossible(r, "the handle of a template is too large for this program");
        save_template *fresh = add(t, path);
        if (!fresh)
            return save_fail(r->error, KEEL_ERROR_MEMORY,
                             "out of memory while loading; nothing was changed");
        fresh->there = keel_entity_make(index, version);
        fresh->here = templates ? keel_find_entity(templates, keel_null(), path) : keel_null();
    }
    if (t->count) qsort(t->list, t->count, sizeof *t->list, compare);
    return KEEL_OK;
}

// Replaces the template handles of copies by those of this program. A copy whose template is
// missing gets a null template, and the missing template is reported once.
void save_place_templates(const save_templates *t, keel_world *made, keel_world *world,
                          keel_load_report_fn *report, void *data) {
    const keel_component *instance = instance_of(made);
    const keel_world *templates = instance && instance_of(world) ? keel_templates(world) : NULL;
    if (!instance || !keel_component_count(made, instance)) return;
    // templates that were reported, by index in `t`; the last element is for unknown handles. If
    // memory runs out, a template is reported for each of its copies
    bool *told = calloc(t->count + 1, sizeof *told);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(made, e));) {
        keel_entity *of = keel_get_component_mut(made, e, instance);
        const save_template *known = NULL;
        if (!of) continue;
        if (t->count)
            known = bsearch(&(save_template){ .there = *of }, t->list, t->count, sizeof *known,
                            compare);
        if (known) *of = known->here;
        if (templates && keel_is_alive(templates, *of)) continue;
        const size_t place = known ? (size_t)(known - t->list) : t->count;
        if (report && !(told && told[place]))
            report(&(keel_load_note){ KEEL_LOAD_UNKNOWN_PREFAB, instance->name,
                                      known ? known->path : NULL },
                   data);
        if (told) told[place] = true;
    }
    free(told);
}
