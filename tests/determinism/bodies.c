// SPDX-License-Identifier: MIT
// What the systems of a plan do. All of it follows from values, handles and seeds, so that a value
// that comes from somewhere else, too early or too late, changes all that comes after it.
#include "play.h"
#include "support/job_watch.h"

#include "base/platform/platform.h"

#include <string.h>

stage now;

// ------------------------------------------------------------------ components
// A value that owns something has this at its end; zeros own nothing.
enum { OWNER = 7, GONE = 0xD };

static void owned_drop(void *value, void *hook_data) {
    (void)hook_data;
    uint64_t *v = value;
    if (*v && *v % 16 != OWNER) (void)keeli_atomic_add(&now.faults, 1);
    else if (*v) (void)keeli_atomic_add(&now.owned, -1);
    *v = GONE;
}

static bool owned_copy(void *to, const void *from, void *hook_data) {
    (void)hook_data;
    *(uint64_t *)to = *(const uint64_t *)from;
    if (*(uint64_t *)to) (void)keeli_atomic_add(&now.owned, 1);
    return true;
}

static uint32_t slots[COMPONENTS + RELATIONS + UNIQUES + EVENTS];

#define NAMED(i, title)                                                                            \
    .name = title, .type = title, .no_padding = true, .file = __FILE__, .slot = &slots[i]
#define VALUE(i, title, kind, count)                                                               \
    { NAMED(i, title), .size = (count)*8, .align = (count) ? 8 : 1, .storage = kind }
#define TRACKED(i, title, kind, count)                                                             \
    { NAMED(i, title), .size = (count)*8, .align = 8, .storage = kind, .tracking = KEEL_TRACK_ALL }
#define OWNED(i, title, kind)                                                                      \
    {                                                                                              \
        NAMED(i, title), .size = 8, .align = 8, .storage = kind, .drop = owned_drop,               \
                         .copy = owned_copy                                                        \
    }
#define UNIQUE(i, title)                                                                           \
    { NAMED(COMPONENTS + RELATIONS + (i), title), .size = 8, .align = 8, .is_unique = true }
#define EVENT(i, title)                                                                            \
    {                                                                                              \
        NAMED(COMPONENTS + RELATIONS + UNIQUES + (i), title),                                      \
            .size = 8, .align = 8, .is_unique = true, .is_event = true, .limit = 40                \
    }

static const uint64_t needs = 77;
static const keel_component *const needed[] = { &components[INDEXED_A], NULL };
const keel_component components[COMPONENTS] = {
    VALUE(0, "SparseA", KEEL_SPARSE_SET, 1),
    TRACKED(1, "SparseB", KEEL_SPARSE_SET, 3),
    VALUE(2, "SparseC", KEEL_SPARSE_SET, 1),
    OWNED(3, "Owned", KEEL_SPARSE_SET),
    VALUE(4, "Tag", KEEL_SPARSE_SET, 0),
    VALUE(5, "IndexedA", KEEL_INDEXED, 1),
    TRACKED(6, "IndexedB", KEEL_INDEXED, 3),
    VALUE(7, "Large", KEEL_INDEXED, 137),
    VALUE(8, "RowA", KEEL_ARCHETYPE, 1),
    TRACKED(9, "RowB", KEEL_ARCHETYPE, 3),
    OWNED(10, "RowC", KEEL_ARCHETYPE),
    VALUE(11, "RowTag", KEEL_ARCHETYPE, 0),
    { NAMED(NEEDY, "Needy"), .size = 8, .align = 8, .tracking = KEEL_TRACK_ALL, .required = needed,
      .initial = &needs },
};
const keel_component relations[RELATIONS] = {
    { NAMED(LIKES, "Likes"), .align = 1, .is_relation = true, .tracking = KEEL_TRACK_ALL },
    { NAMED(LIKES + 1, "Docked"), .size = 8, .align = 8, .is_relation = true, .exclusive = true },
    { NAMED(LIKES + 2, "PartOf"), .align = 1, .is_relation = true, .exclusive = true,
      .acyclic = true, .on_delete = KEEL_DELETE_SOURCES },
};
const keel_component uniques[UNIQUES] = { UNIQUE(0, "U0"), UNIQUE(1, "U1"), UNIQUE(2, "U2"),
                                          UNIQUE(3, "U3") };
const keel_component events[EVENTS] = { EVENT(0, "E0"), EVENT(1, "E1") };

// Which of them there are follows from the plan.
static uint32_t some_component(uint64_t h) {
    return (uint32_t)h % (now.plan->is_wide ? COMPONENTS : NEEDY);
}

const void *value_of(any_value *v, uint32_t component, uint64_t h) {
    const component_plan *about = &component_plans[component];
    if (!about->words) return NULL;
    for (uint32_t i = 0; i < about->words; ++i)
        v->words[i] = h + i;
    if (!about->is_owned) return v->words;
    v->words[0] = (h & ~UINT64_C(15)) | OWNER;
    (void)keeli_atomic_add(&now.owned, 1);
    return v->words;
}

void value_take_back(const any_value *v, uint32_t component) {
    (void)v;
    if (component_plans[component].is_owned) (void)keeli_atomic_add(&now.owned, -1);
}

// Two components with values, for calls that take a list.
typedef struct pair {
    any_value values[2];
    uint32_t components[2], count;
    keel_value list[3];
} pair;

static void make_pair(pair *p, uint32_t a, uint32_t b, uint64_t h) {
    p->components[0] = a;
    p->components[1] = b;
    p->count = a == b || h % 3 == 0 ? 1 : 2;
    memset(p->list, 0, sizeof p->list);
    for (uint32_t i = 0; i < p->count; ++i) {
        const uint32_t c = p->components[i];
        p->list[i] = (keel_value){ &components[c], value_of(&p->values[i], c, mix(h, i)) };
    }
}

static void take_back(const pair *p) {
    for (uint32_t i = 0; i < p->count; ++i)
        value_take_back(&p->values[i], p->components[i]);
}

static keel_entity known(uint64_t h) {
    return now.known_count ? now.known[h % now.known_count] : keel_null();
}

// ------------------------------------------------------------------ relations and prefabs
// In any scope that may; a number that the handles which come of it are part of.
static void relate_some(keel_scope *scope, const keel_component *relation, uint64_t h,
                        keel_entity e) {
    const keel_entity other = known(h >> 16);
    const uint64_t value = h >> 3;
    switch (h % 6) {
    case 0:
        (void)keel_unrelate_component(scope, e, relation, other);
        return;
    case 1:
        (void)keel_unrelate_all_component(scope, e, relation);
        return;
    case 2:
        (void)keel_unrelate_sources_component(scope, other, relation);
        return;
    default:
        (void)keel_relate_component(scope, e, relation, other, relation->size ? &value : NULL);
        return;
    }
}

static uint64_t spawn_some(keel_scope *scope, uint64_t h) {
    const uint64_t value = h;
    const keel_value own[] = { { &components[h >> 3 & 1 ? 0 : 8], &value }, { NULL, NULL } };
    if (h >> 4 & 3) return keel_spawn_values(scope, now.prefab, h & 1 ? own : NULL).bits;
    keel_entity roots[3] = { { 0 } };
    (void)keel_spawn_columns(scope, now.prefab, 3, roots, NULL);
    return mix(roots[0].bits, roots[2].bits);
}

// Few names, so that some are refused, and some are lost when a parent goes.
static void name_or_copy(keel_scope *scope, uint64_t h, keel_entity e) {
    static const char *const names[] = { "a", "b", "c", "d", "e", NULL };
    if (h % 3 || !now.plan->creates) (void)keel_set_name(scope, e, names[(h >> 2) % 6]);
    else (void)keel_apply_prefab(scope, e, now.prefab);
}

static void edit_wide(keel_world *world, uint64_t h, keel_entity e) {
    const uint64_t number = h >> 5;
    if (h % 32 == 0) (void)keel_clear_all_changes(world, KEEL_TRACK_ALL, UINT64_MAX);
    else if (h % 4 == 0) (void)keel_send_event(KEEL_SCOPE(world), &events[h >> 2 & 1], &number);
    else if (h % 4 == 1 && now.plan->creates) (void)spawn_some(KEEL_SCOPE(world), h >> 8);
    else if (h % 16 == 2) name_or_copy(KEEL_SCOPE(world), h >> 8, e);
    else relate_some(KEEL_SCOPE(world), &relations[(h >> 2) % RELATIONS], h >> 8, e);
}

// ------------------------------------------------------------------ edits of the owner's
static void add_one(const keel_chunk *chunk, keel_context *context) {
    (void)context;
    for (uint32_t i = 0; i < chunk->count; ++i)
        if (chunk->form == KEEL_CHUNK_SPAN) ++((uint64_t *)chunk->columns[0].base)[i];
}
static const keel_term row_terms[] = { { .kind = KEEL_TERM_WRITE, .component = &components[8] },
                                       { .kind = KEEL_TERM_END } };
static const keel_system add_one_system = {
    .name = "add_one", .kind = KEEL_SYSTEM_PER_SPAN, .run = add_one, .terms = row_terms
};

static int by_value(const void *a, const void *b, void *data) {
    (void)data;
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}
static int by_handle(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (a.bits < b.bits) - (a.bits > b.bits);
}

static void edit_entity(keel_world *world, uint64_t h, keel_entity e) {
    const uint32_t c = some_component(h >> 8);
    pair p;
    switch ((h >> 16) % 8) {
    case 0:
        make_pair(&p, c, some_component(h >> 24), h);
        if (keel_is_null(keel_add_entity_values(world, p.list))) take_back(&p);
        return;
    case 1:
    case 2:
        make_pair(&p, c, c, h);
        if (keel_add_component(world, e, &components[c], p.list[0].value) < 0) take_back(&p);
        return;
    case 3:
    case 4:
        (void)keel_remove_component(world, e, &components[c], NULL);
        return;
    case 5:
        (void)keel_delete_entity(world, e);
        return;
    default:
        (void)keel_attach(world, e, known(h >> 24));
        return;
    }
}

static void edit_order(keel_world *world, uint64_t h) {
    const uint32_t c = some_component(h >> 8);
    switch ((h >> 16) % 5) {
    case 0:
        if (component_plans[c].words)
            (void)keel_sort_with(world, .component = &components[c], .compare = by_value,
                                 .data = 0);
        return;
    case 1:
        (void)keel_sort_children(world, known(h >> 24), by_handle, NULL);
        return;
    case 2:
        (void)keel_enable_component(world, known(h >> 24), &components[5], false);
        return;
    case 3:
        (void)keel_run_system(world, &add_one_system, NULL);
        return;
    default:
        (void)keel_run_system(world, &add_one_system, &(keel_run_desc){ .parallel = true });
        return;
    }
}

void edit_world(keel_world *world, uint64_t h, uint32_t count) {
    while (count--) {
        h = mix(h, count);
        if (now.plan->is_wide && h >> 5 & 1) edit_wide(world, h >> 8, known(h >> 32));
        else if (h % 8) edit_entity(world, h, known(h >> 32));
        else edit_order(world, h);
    }
}

static keel_result edit_later(keel_world *world, void *data) {
    edit_world(world, *(const uint64_t *)data, 2);
    return KEEL_OK;
}

// ------------------------------------------------------------------ a running system
// A column of values in the chunks of a loop.
typedef struct column {
    uint32_t term, component;
    bool writes;
} column;

typedef struct job {
    const system_plan *plan;
    keel_context *context;
    keel_commands *commands;
    const term_plan *allowed;    // what the commands may edit
    const keel_component *sends; // events of this type
    bool may_look;               // has its context
    uint64_t base;               // of all numbers
    uint64_t *written[TERMS];    // uniques
    uint32_t written_count;
    column columns[TERMS];
    uint32_t column_count;
    uint32_t recorded;
    bool failed;
} job;

static void wait_a_little(const job *j) {
    if (!now.delays || !j->plan->delays) return;
    const uint64_t random = mix(j->plan->seed, keeli_atomic_next(&now.delays_drawn));
    if (random % j->plan->delays) return;
    if (random >> 8 & 63)
        for (uint32_t i = (uint32_t)(random >> 16) % 300; i; --i)
            keeli_pause();
    else wait_some_us((uint32_t)(random >> 16) % 60);
}

static void tell(const job *j, uint64_t h) {
    const uint32_t lane = keel_context_info(j->context, &(keel_run_info){ 0 })->worker;
    if (lane >= now.workers) (void)keeli_atomic_add(&now.faults, 1);
    else now.lanes[lane].sum += h;
}

static void fail_now(job *j, uint64_t h) {
    j->failed = true;
    keel_fail(j->context, j->plan, "at %llx", (unsigned long long)h);
}

static bool is_to_fail(const job *j, uint64_t h) {
    const system_plan *s = j->plan;
    return s->fails && s->fail_rounds >> now.round & 1 && (h >> 8) % s->fails == 0;
}

static void use_unique(job *j, const term_plan *t, void *unique) {
    uint64_t *u = unique;
    if (!u) {
        (void)keeli_atomic_add(&now.faults, 1);
        return;
    }
    j->base = mix(j->base, *u);
    if (t->kind == KEEL_TERM_UNIQUE_WRITE) j->written[j->written_count++] = u;
}

static void receive(job *j, const keel_component *event) {
    keel_event_walk walk = keel_events_of(KEEL_SCOPE(j->context), event);
    while (keel_event_next(&walk))
        j->base = mix(j->base, *(const uint64_t *)walk.value);
}

static void begin_job(job *j, uint32_t index, keel_context *context, const keel_chunk *chunk) {
    memset(j, 0, sizeof *j);
    j->plan = &now.plan->systems[index];
    j->context = context;
    j->base = mix(j->plan->seed, now.round);
    j->commands = keel_context_commands(context);
    for (uint32_t t = 0; t < j->plan->term_count; ++t) {
        const term_plan *term = &j->plan->terms[t];
        if (term->kind == KEEL_TERM_COMMANDS) j->allowed = term;
        if (term->kind == KEEL_TERM_CONTEXT) j->may_look = true;
        if (term->kind == KEEL_TERM_SEND) j->sends = &events[term->components[0]];
        if (term->kind == KEEL_TERM_RECEIVE) receive(j, &events[term->components[0]]);
        if (term->kind == KEEL_TERM_UNIQUE_READ || term->kind == KEEL_TERM_UNIQUE_WRITE) {
            const keel_component *u = &uniques[term->components[0]];
            uint64_t copy = 0;
            const uint64_t *read = chunk ? NULL : keel_get_unique_value(context, u);
            if (read) copy = *read;
            use_unique(j, term,
                       chunk ? chunk->columns[t].base
                       : term->kind == KEEL_TERM_UNIQUE_WRITE
                           ? keel_get_unique_value_mut(context, u)
                       : read ? &copy
                              : NULL);
        }
    }
}

// ------------------------------------------------------------------ look-ups
static uint64_t look_at_links(const job *j, uint64_t h, keel_entity e) {
    h = mix(h, keel_parent_of(j->context, e).bits);
    h = mix(h, keel_first_child(j->context, e).bits);
    return mix(h, keel_next_descendant(j->context, e, keel_null(), KEEL_DEPTH_FIRST).bits);
}

static uint64_t look_at_relation(const job *j, uint64_t h, keel_entity e, uint32_t relation) {
    const keel_component *r = &relations[relation - LIKES];
    for (keel_entity to = keel_null();
         !keel_is_null(to = keel_next_target_component(j->context, e, r, to));)
        h = mix(h, to.bits);
    for (keel_entity of = keel_null();
         !keel_is_null(of = keel_next_source_component(j->context, e, r, of));)
        h = mix(h, of.bits);
    return mix(h, keel_target_count_component(j->context, e, r));
}

static uint64_t look_up(const job *j, uint64_t h, const term_plan *t) {
    const keel_entity e = known(h);
    h = mix(h, keel_is_alive(j->context, e));
    if (t->components[0] == LINKS) return look_at_links(j, h, e);
    if (t->components[0] >= LIKES) return look_at_relation(j, h, e, t->components[0]);
    for (uint32_t i = 0; i < t->count; ++i) {
        const keel_component *c = &components[t->components[i]];
        const uint64_t *p = keel_get_component(j->context, e, c);
        h = mix(h, p && c->size ? *p : (uint64_t)(p != NULL));
        if (t->kind != KEEL_TERM_MAY_WRITE) continue;
        uint64_t *w = keel_get_component_mut(j->context, e, c);
        if (w) w[c->size / 8 - 1] = mix(*w, h);
    }
    return h;
}

static uint64_t look_around(const job *j, uint64_t h) {
    for (uint32_t t = 0; j->may_look && t < j->plan->term_count; ++t) {
        const keel_term_kind kind = j->plan->terms[t].kind;
        if (kind == KEEL_TERM_MAY_READ || kind == KEEL_TERM_MAY_WRITE)
            h = look_up(j, h, &j->plan->terms[t]);
    }
    return h;
}

// ------------------------------------------------------------------ commands
// The relation that a list of what commands edit ends with, or NULL.
static const keel_component *allowed_relation(const job *j) {
    const uint32_t count = j->allowed->count, last = count ? j->allowed->components[count - 1] : 0;
    return last >= LIKES ? &relations[last - LIKES] : NULL;
}

static uint32_t pick(const job *j, uint64_t h) {
    if (j->plan->misuses && h % 16 == 0) return some_component(h >> 8); // may be refused
    const uint32_t own = j->allowed->count - (allowed_relation(j) != NULL);
    return own ? j->allowed->components[h % own] : some_component(h);
}

static uint64_t create(const job *j, uint64_t h, keel_entity parent, bool child) {
    pair p;
    if (!now.plan->creates) return 0;
    make_pair(&p, pick(j, h >> 8), pick(j, h >> 16), h);
    const keel_entity e = child ? keel_add_child_values(j->commands, parent, p.list)
                                : keel_add_entity_values(j->commands, p.list);
    if (keel_is_null(e)) take_back(&p);
    else if (h >> 24 & 1) (void)keel_remove_component(j->commands, e, p.list[0].component, NULL);
    return e.bits;
}

static void record_values(const job *j, uint64_t h, keel_entity e) {
    pair p;
    make_pair(&p, pick(j, h >> 8), pick(j, h >> 16), h);
    const keel_result result =
        h >> 24 & 1 ? keel_add_component_values(j->commands, e, p.list)
                    : keel_add_component(j->commands, e, p.list[0].component, p.list[0].value);
    if (result < 0) take_back(&p);
    else if (!(h >> 24 & 1) && p.count == 2) value_take_back(&p.values[1], p.components[1]);
}

static void record_removal(const job *j, uint64_t h, keel_entity e) {
    const keel_component *const list[] = { &components[pick(j, h >> 8)],
                                           &components[pick(j, h >> 16)], NULL };
    if (h >> 24 & 1) (void)keel_delete_components(j->commands, e, list);
    else (void)keel_remove_component(j->commands, e, list[0], NULL);
}

static void record_anything(const job *j, uint64_t h, keel_entity e) {
    keel_commands *c = j->commands;
    if (now.plan->is_wide && h >> 20 & 1) {
        const uint64_t number = h >> 30;
        if (h >> 21 & 1) relate_some(KEEL_SCOPE(c), &relations[(h >> 22) % RELATIONS], h >> 24, e);
        else (void)keel_send_event(KEEL_SCOPE(c), &events[h >> 22 & 1], &number);
        return;
    }
    switch ((h >> 24) % 10) {
    case 0:
        (void)keel_delete_entity(c, known(h >> 32));
        return;
    case 1:
        (void)keel_strip(c, e);
        return;
    case 2:
        (void)keel_detach(c, e);
        return;
    case 3:
        (void)keel_unlink(c, known(h >> 32));
        return;
    case 4:
        (void)keel_unlink_tree(c, e);
        return;
    case 5:
        (void)keel_delete_tree(c, known(h >> 32));
        return;
    case 6:
        (void)keel_commands_call(c, edit_later, &h, sizeof h);
        return;
    default:
        (void)keel_attach(c, e, known(h >> 32));
        return;
    }
}

// Now and then; a number that a created entity is part of.
static uint64_t record(job *j, uint64_t h, keel_entity e) {
    if (!j->commands || (h >> 40) % 6) return 0;
    const bool everything = j->allowed->count == 0;
    const uint64_t next = mix(h, ++j->recorded);
    if (allowed_relation(j) && next >> 50 & 1) {
        relate_some(KEEL_SCOPE(j->commands), allowed_relation(j), next >> 4, e);
        return 0;
    }
    if (everything && now.plan->is_wide && now.plan->creates && (next >> 50) % 8 == 0)
        return spawn_some(KEEL_SCOPE(j->commands), next >> 4);
    if (everything && now.plan->is_wide && (next >> 50) % 8 == 1) {
        name_or_copy(KEEL_SCOPE(j->commands), next >> 4, e);
        return 0;
    }
    switch (next % (everything ? 8 : 5)) {
    case 0:
        return create(j, next >> 4, e, everything && next >> 60 & 1);
    case 1:
    case 2:
        record_values(j, next >> 4, e);
        return 0;
    case 3:
    case 4:
        record_removal(j, next >> 4, e);
        return 0;
    default:
        record_anything(j, next >> 4, e);
        return 0;
    }
}

// ------------------------------------------------------------------ loops
static uint64_t *item(const keel_chunk *chunk, const column *c, uint32_t i) {
    const keel_chunk_column *from = &chunk->columns[c->term];
    const size_t size = components[c->component].size;
    if (chunk->form != KEEL_CHUNK_LIST)
        return from->base ? (uint64_t *)(void *)((char *)from->base + i * size) : NULL;
    const uint32_t at = from->index[i], low = at & (((uint32_t)1 << from->shift) - 1);
    return at == UINT32_MAX
               ? NULL
               : (uint64_t *)(void *)((char *)from->pages[at >> from->shift] + low * size);
}

static void work_on(job *j, const keel_chunk *chunk, uint32_t i) {
    const keel_entity e = chunk->entities ? chunk->entities[i] : keel_null();
    uint64_t h = mix(j->base, e.bits);
    for (uint32_t c = 0; c < j->column_count; ++c) {
        const uint64_t *p = item(chunk, &j->columns[c], i);
        h = mix(h, p ? *p : 1);
    }
    if (h % 4 == 0) h = look_around(j, h);
    if (j->may_look && j->plan->misuses && h % 32 == 0)
        (void)keel_get_component(j->context, e, &components[h >> 8 & 7]);
    h = mix(h, record(j, h, chunk->entities ? e : known(h)));
    for (uint32_t c = 0; c < j->column_count; ++c) {
        uint64_t *p = j->columns[c].writes ? item(chunk, &j->columns[c], i) : NULL;
        if (p) p[components[j->columns[c].component].size / 8 - 1] = mix(*p, h);
        if (p) *p = mix(*p, h);
    }
    for (uint32_t u = 0; u < j->written_count; ++u)
        *j->written[u] = mix(*j->written[u], h);
    if (j->sends && h % 8 == 3) (void)keel_send_event(KEEL_SCOPE(j->context), j->sends, &h);
    tell(j, h);
    if (j->may_look && is_to_fail(j, h)) fail_now(j, h);
}

static void work_on_chunk(job *j, const keel_chunk *chunk) {
    wait_a_little(j);
    for (uint32_t i = 0; i < chunk->count && !j->failed; ++i)
        if (chunk->form != KEEL_CHUNK_MASK || chunk->words[i / 64] >> (i % 64) & 1)
            work_on(j, chunk, i);
}

static void add_column(job *j, uint32_t term, uint32_t component, bool writes) {
    j->columns[j->column_count++] = (column){ term, component, writes };
}

static void use_scratch(const job *j, uint64_t h) {
    uint64_t *words = keel_context_scratch(j->context, 64 * sizeof *words, 64);
    if (!words || (uintptr_t)words % 64) (void)keeli_atomic_add(&now.faults, 1);
    else
        for (uint32_t i = 0; i < 64; ++i)
            words[i] = h;
}

static void run_chunk(uint32_t index, const keel_chunk *chunk, keel_context *context) {
    job j;
    begin_job(&j, index, context, chunk);
    for (uint32_t t = 0; t < j.plan->term_count; ++t) {
        const term_plan *term = &j.plan->terms[t];
        const keel_term_kind kind = term->kind;
        const bool writes = kind == KEEL_TERM_WRITE || kind == KEEL_TERM_OPTIONAL_WRITE;
        const bool reads = kind == KEEL_TERM_READ || kind == KEEL_TERM_OPTIONAL_READ ||
                           kind == KEEL_TERM_OF_TARGET_READ || kind == KEEL_TERM_UP_READ ||
                           kind == KEEL_TERM_OF_TARGET_OPTIONAL_READ;
        if ((writes || reads) && component_plans[term->components[0]].words)
            add_column(&j, t, term->components[0], writes);
    }
    if (j.plan->body == BODY_SPAN) tell(&j, mix(j.base, chunk->count)); // the same cuts
    if (j.base % 4 == 0) use_scratch(&j, j.base);
    work_on_chunk(&j, chunk);
}

// ------------------------------------------------------------------ systems that run once
// A view of what the system may read and write, and the entity.
static uint32_t inner_terms(job *j, keel_term *terms) {
    uint32_t n = 0;
    terms[n++] = (keel_term){ .kind = KEEL_TERM_ENTITY };
    for (uint32_t t = 0; t < j->plan->term_count; ++t) {
        const term_plan *term = &j->plan->terms[t];
        const bool writes = term->kind == KEEL_TERM_MAY_WRITE;
        if ((!writes && term->kind != KEEL_TERM_MAY_READ) || term->components[0] >= LIKES) continue;
        const uint32_t c = term->components[0];
        if (component_plans[c].words) add_column(j, n, c, writes);
        terms[n++] = (keel_term){ .kind = !component_plans[c].words ? KEEL_TERM_WITH
                                          : writes                  ? KEEL_TERM_WRITE
                                                                    : KEEL_TERM_READ,
                                  .component = &components[c] };
    }
    terms[n] = (keel_term){ .kind = KEEL_TERM_END };
    return n;
}

static void loop_inside(job *j) {
    keel_term terms[TERMS + 1];
    keel_view view;
    keel_iterator walk;
    (void)inner_terms(j, terms);
    if (keel_view_begin(&view, j->context, terms, "inside") < 0 ||
        keel_iterator_begin(&walk, &view) < 0)
        (void)keeli_atomic_add(&now.faults, 1);
    const bool may_look = j->may_look;
    j->may_look = false; // what it would write is in use
    for (const keel_chunk *c; !j->failed && (c = keel_iterator_next(&walk)) != NULL;)
        work_on_chunk(j, c);
    j->may_look = may_look;
    keel_iterator_end(&walk);
    keel_view_end(&view);
}

static const term_plan *term_of(const job *j, keel_term_kind kind) {
    for (uint32_t t = 0; t < j->plan->term_count; ++t)
        if (j->plan->terms[t].kind == kind) return &j->plan->terms[t];
    return NULL;
}

static void edit_inside(job *j) {
    const term_plan *may_edit = term_of(j, KEEL_TERM_MAY_EDIT);
    uint64_t h = look_around(j, j->base);
    for (uint32_t i = 0; may_edit && i < 20; ++i) {
        h = mix(h, i);
        const uint32_t c = may_edit->components[h % may_edit->count];
        const keel_entity e = known(h >> 8);
        pair p;
        if (h >> 16 & 1) {
            make_pair(&p, c, c, h);
            if (keel_add_component(j->context, e, &components[c], p.list[0].value) < 0)
                take_back(&p);
        } else (void)keel_remove_component(j->context, e, &components[c], NULL);
        h = mix(h, record(j, h, e));
        wait_a_little(j);
    }
    for (uint32_t t = 0; t < j->plan->term_count; ++t) {
        const term_plan *term = &j->plan->terms[t];
        for (uint32_t i = 0; i < 10; ++i)
            if (term->kind == KEEL_TERM_MAY_EDIT && term->components[0] >= LIKES)
                relate_some(KEEL_SCOPE(j->context), &relations[term->components[0] - LIKES],
                            mix(h, i), known(mix(h, i) >> 40));
    }
    if (j->sends) (void)keel_send_event(KEEL_SCOPE(j->context), j->sends, &h);
    tell(j, h);
}

static void create_inside(job *j) {
    const term_plan *may_edit = term_of(j, KEEL_TERM_MAY_EDIT);
    if (!may_edit || !term_of(j, KEEL_TERM_MAY_EDIT_ENTITIES)) return;
    const keel_component *others[2] = { NULL, NULL };
    if (may_edit->count > 1) others[0] = &components[may_edit->components[1]];
    const keel_term terms[] = { { .kind = KEEL_TERM_MAY_EDIT_ENTITIES },
                                { .kind = KEEL_TERM_MAY_EDIT,
                                  .component = &components[may_edit->components[0]],
                                  .others = others[0] ? others : NULL },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    uint64_t h = j->base;
    if (keel_view_begin(&view, j->context, terms, "creating") < 0)
        (void)keeli_atomic_add(&now.faults, 1);
    for (uint32_t i = 0; i < 4; ++i) {
        pair p;
        h = mix(h, i);
        make_pair(&p, may_edit->components[0], may_edit->components[may_edit->count - 1], h);
        const keel_entity e = keel_add_entity_values(&view, p.list);
        if (keel_is_null(e)) take_back(&p);
        h = mix(h, e.bits);
        wait_a_little(j);
    }
    keel_view_end(&view);
    tell(j, h);
}

static keel_result run_once(uint32_t index, keel_context *context) {
    job j;
    begin_job(&j, index, context, NULL);
    wait_a_little(&j);
    switch (j.plan->body) {
    case BODY_LOOP:
        tell(&j, look_around(&j, j.base));
        loop_inside(&j);
        break;
    case BODY_EDIT:
        edit_inside(&j);
        break;
    case BODY_CREATE:
        create_inside(&j);
        break;
    default:
        edit_world(keel_context_world(context), j.base, 10);
        break;
    }
    if (!is_to_fail(&j, j.base)) return KEEL_OK;
    if (j.base & 1) return KEEL_ERROR_FULL;
    fail_now(&j, j.base);
    return KEEL_OK;
}

// ------------------------------------------------------------------ conditions
static void answer(uint32_t index, const keel_chunk *chunk, keel_context *context) {
    const condition_plan *c = &now.plan->conditions[index];
    uint64_t *unique = chunk->columns[0].base;
    const uint64_t h = mix(mix(c->seed, *unique), now.round);
    if (c->writes) *unique = h;
    if (c->records) {
        pair p;
        make_pair(&p, some_component((uint32_t)h), some_component((uint32_t)(h >> 8)), h);
        if (!now.plan->creates ||
            keel_is_null(keel_add_entity_values(keel_context_commands(context), p.list)))
            take_back(&p);
    }
    if (c->fails && (h >> 16) % c->fails == 0) keel_fail(context, c, "no answer");
    keel_answer(context, h % 3 != 0);
}

// ------------------------------------------------------------------ functions with a number
#define BODIES(i)                                                                                  \
    static void chunk_##i(const keel_chunk *chunk, keel_context *context) {                        \
        run_chunk(i, chunk, context);                                                              \
    }                                                                                              \
    static keel_result once_##i(keel_context *context) { return run_once(i, context); }
#define CONDITION(i)                                                                               \
    static void answer_##i(const keel_chunk *chunk, keel_context *context) {                       \
        answer(i, chunk, context);                                                                 \
    }
#define ALL(X)                                                                                     \
    X(0)                                                                                           \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)
ALL(BODIES)
CONDITION(0)
CONDITION(1)
CONDITION(2)
CONDITION(3)
#define CHUNK(i) chunk_##i,
#define ONCE(i) once_##i,
chunk_body *const chunk_bodies[SYSTEMS] = { ALL(CHUNK) };
once_body *const once_bodies[SYSTEMS] = { ALL(ONCE) };
chunk_body *const condition_bodies[CONDITIONS] = { answer_0, answer_1, answer_2, answer_3 };
