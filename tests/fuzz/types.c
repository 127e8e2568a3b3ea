// SPDX-License-Identifier: MIT
// What the worlds of the fuzzer hold: components of each storage, of each size class, with and
// without hooks; some that must be refused.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

uint64_t fuzz_boxes;
volatile unsigned char fuzz_sink;

// ------------------------------------------------------------------ values
// It owns a number on the heap; zeros own nothing. A moved value is garbage that must not be read.
typedef struct box {
    uint32_t *number;
} box;
static void *const garbage = (void *)(uintptr_t)0xDBDBDBDBu;

static uint32_t *new_number(uint32_t n) {
    uint32_t *number = malloc(sizeof *number);
    if (!number) abort();
    *number = n;
    ++fuzz_boxes;
    return number;
}
static void check_box(const box *b) {
    if (b->number == garbage) abort();
}
static void box_drop(void *value, void *data) {
    box *b = value;
    (void)data;
    check_box(b);
    if (b->number) {
        free(b->number);
        --fuzz_boxes;
    }
    b->number = garbage;
    if (fuzz_one_in(16)) fuzz_inside(NULL);
}
static bool box_copy(void *to, const void *from, void *data) {
    const box *b = from;
    (void)data;
    check_box(b);
    if (fuzz_one_in(16)) return false;
    if (fuzz_one_in(16)) fuzz_inside(NULL);
    *(box *)to = (box){ b->number ? new_number(*b->number) : NULL };
    return true;
}
static void box_move(void *to, void *from, void *data) {
    (void)data;
    check_box(from);
    memcpy(to, from, sizeof(box));
    ((box *)from)->number = garbage;
}
static uint64_t box_hash(const void *value, void *data) {
    (void)data;
    check_box(value);
    return ((const box *)value)->number ? *((const box *)value)->number : 0;
}

typedef struct Spot {
    uint32_t x, y;
} Spot;
typedef struct Speed {
    uint32_t x, y;
} Speed;
typedef struct Mass {
    uint32_t kilograms;
} Mass;

#define NUMBER .no_padding = true, .align = 4
#define BOX                                                                                        \
    .size = sizeof(box), .align = _Alignof(box), .drop = box_drop, .copy = box_copy,               \
    .move = box_move, .hash = box_hash
static const keel_component types[] = {
    { .name = "small", NUMBER, .size = 4 },
    { .name = "small_indexed", NUMBER, .size = 4, .storage = KEEL_INDEXED },
    { .name = "small_row", NUMBER, .size = 4, .storage = KEEL_ARCHETYPE },
    { .name = "wide", NUMBER, .size = 12, .tracking = KEEL_TRACK_ALL },
    { .name = "wide_indexed",
      NUMBER,
      .size = 12,
      .storage = KEEL_INDEXED,
      .tracking = KEEL_TRACK_ALL },
    { .name = "wide_row",
      NUMBER,
      .size = 12,
      .storage = KEEL_ARCHETYPE,
      .tracking = KEEL_TRACK_ALL },
    { .name = "tag" },
    { .name = "tag_indexed", .storage = KEEL_INDEXED },
    { .name = "tag_row", .storage = KEEL_ARCHETYPE },
    { .name = "tracked_tag", .tracking = KEEL_TRACK_ALL },
    { .name = "large", NUMBER, .size = FUZZ_LARGEST },
    { .name = "large_indexed", NUMBER, .size = FUZZ_LARGEST, .storage = KEEL_INDEXED },
    { .name = "large_row",
      .no_padding = true,
      .size = 512,
      .align = 64,
      .storage = KEEL_ARCHETYPE },
    { .name = "box", BOX },
    { .name = "box_indexed", BOX, .storage = KEEL_INDEXED, .tracking = KEEL_TRACK_ALL },
    { .name = "box_row", BOX, .storage = KEEL_ARCHETYPE },
    { .name = "box_tracked", BOX, .tracking = KEEL_TRACK_ALL },
    { .name = "passing", NUMBER, .size = 4, .transient = true },
    { .name = "owner_only", NUMBER, .size = 4, .threads = KEEL_THREADS_OWNER_ONLY },
    { .name = "one_at_a_time",
      NUMBER,
      .size = 4,
      .storage = KEEL_INDEXED,
      .threads = KEEL_THREADS_ONE_AT_A_TIME },
    // refused, or another definition of a name that may be there
    { .name = "small", NUMBER, .size = 8 },
    { .name = "wide", NUMBER, .size = 12, .storage = KEEL_ARCHETYPE },
    { .name = "no_copy", .size = 8, .align = 8, .no_padding = true, .drop = box_drop },
    { .name = "odd_align", .size = 6, .align = 3 },
    { .name = "too_large", .size = 1u << 30, .align = 1 },
    { .name = "torn", .size = 6, .align = 4 },
    { .name = "", .size = 4, .align = 4 },
    { .size = 4, .align = 4 },
    { .name = "no_storage", NUMBER, .size = 4, .storage = (keel_storage)77 },
    // relations
    { .name = "likes", .is_relation = true, .tracking = KEEL_TRACK_ALL },
    { .name = "knows", .is_relation = true },
    { .name = "follows", .is_relation = true, .exclusive = true },
    { .name = "owns", .is_relation = true, .on_delete = KEEL_DELETE_SOURCES },
    { .name = "needs", .is_relation = true, .on_delete = KEEL_REFUSE },
    { .name = "part_of",
      .is_relation = true,
      .exclusive = true,
      .acyclic = true,
      .on_delete = KEEL_DELETE_SOURCES },
    { .name = "torn", .is_relation = true, .acyclic = true }, // refused
    { .name = "docked",
      .is_relation = true,
      .exclusive = true,
      .size = 8,
      .align = 4,
      .no_padding = true,
      .tracking = KEEL_TRACK_ALL },
    { .name = "holds", .is_relation = true, BOX, .tracking = KEEL_TRACK_ALL },
};
_Static_assert(sizeof types / sizeof *types == 38, "a component gets a place in the list below");
KEEL_COMPONENT(Spot, .no_padding = true);
KEEL_COMPONENT(Speed, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Mass, .no_padding = true, .storage = KEEL_ARCHETYPE, .tracking = KEEL_TRACK_ALL);
const keel_component *const fuzz_components[] = {
    &types[0],  &types[1],     &types[2],      &types[3],    &types[4],  &types[5],  &types[6],
    &types[7],  &types[8],     &types[9],      &types[10],   &types[11], &types[12], &types[13],
    &types[14], &types[15],    &types[16],     &types[17],   &types[18], &types[19], &types[20],
    &types[21], &types[22],    &types[23],     &types[24],   &types[25], &types[26], &types[27],
    &types[28], KEEL_OF(Spot), KEEL_OF(Speed), KEEL_OF(Mass)
};
const keel_component *const fuzz_relations[] = { &types[29], &types[30], &types[31],
                                                 &types[32], &types[33], &types[34],
                                                 &types[35], &types[36], &types[37] };
const uint32_t fuzz_relation_count = sizeof fuzz_relations / sizeof *fuzz_relations;
const uint32_t fuzz_component_count = sizeof fuzz_components / sizeof *fuzz_components;

static const keel_component uniques[] = {
    { .name = "clock", NUMBER, .size = 8, .is_unique = true },
    { .name = "box_unique", BOX, .is_unique = true },
    { .name = "passing_unique", NUMBER, .size = 4, .is_unique = true, .transient = true },
    { .name = "tag_unique", .is_unique = true },
    { .name = "owner_unique",
      NUMBER,
      .size = 4,
      .is_unique = true,
      .threads = KEEL_THREADS_OWNER_ONLY },
    { .name = "clock", NUMBER, .size = 4, .is_unique = true },
};
const keel_component *const fuzz_uniques[] = { &uniques[0], &uniques[1], &uniques[2],
                                               &uniques[3], &uniques[4], &uniques[5] };
const uint32_t fuzz_unique_count = sizeof uniques / sizeof *uniques;

static const keel_component events[] = {
    { .name = "hit", NUMBER, .size = 8, .is_unique = true, .is_event = true },
    { .name = "box_event", BOX, .is_unique = true, .is_event = true, .limit = 4 },
    { .name = "bell", .is_unique = true, .is_event = true, .limit = 2 },
    { .name = "hit", NUMBER, .size = 4, .is_unique = true, .is_event = true },
};
const keel_component *const fuzz_events[] = { &events[0], &events[1], &events[2], &events[3] };
const uint32_t fuzz_event_count = sizeof events / sizeof *events;

typedef enum phase { MENU, PLAYING, OVER } phase;
typedef enum weather { SUN, RAIN } weather;
KEEL_STATE(phase);
KEEL_STATE(weather);
const keel_state *const fuzz_states[] = { KEEL_STATE_OF(phase), KEEL_STATE_OF(weather) };

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(move, KEEL_WRITE(Spot, p), KEEL_READ(Speed, v), KEEL_CONTEXT(context)) {
    p->x += v->x;
    fuzz_inside(context);
}
KEEL_SYSTEM(fall, KEEL_WRITE(Mass, m), KEEL_OPTIONAL_READ(Spot, p), KEEL_ENTITY(e),
            KEEL_CONTEXT(context)) {
    m->kilograms += p ? p->x : keel_entity_index(e);
    fuzz_inside(context);
}
KEEL_SYSTEM(mark, KEEL_WRITE_MARKED(Mass, m, marked), KEEL_CONTEXT(context)) {
    *marked = ++m->kilograms & 1;
    fuzz_inside(context);
}
KEEL_SYSTEM(changed, KEEL_CHANGED(Mass), KEEL_READ(Spot, p), KEEL_COMMANDS(commands),
            KEEL_ENTITY(e), KEEL_CONTEXT(context)) {
    if (p->y & 1) (void)keel_delete(commands, e, Mass);
    fuzz_inside(context);
}
KEEL_SYSTEM_SPAN(whole, KEEL_WRITE(Speed, v), KEEL_SPAN_COUNT(n), KEEL_CONTEXT(context)) {
    for (uint32_t i = 0; i < n; ++i)
        ++v[i].y;
    fuzz_inside(context);
}
KEEL_SYSTEM_ONCE(look, KEEL_MAY_READ(Spot, Speed), KEEL_MAY_WRITE(Mass), KEEL_CONTEXT(context)) {
    fuzz_inside(context);
}
KEEL_SYSTEM_ONCE(edit, KEEL_MAY_EDIT(Spot, Mass), KEEL_MAY_EDIT_ENTITIES, KEEL_COMMANDS(commands),
                 KEEL_CONTEXT(context)) {
    (void)keel_add_entity(commands, KEEL_INIT(Spot, { 1, 2 }));
    fuzz_inside(context);
}
KEEL_SYSTEM_ONCE(all, KEEL_WORLD(world), KEEL_CONTEXT(context)) {
    (void)keel_add_entity(world, KEEL_INIT(Mass, { 1 }));
    fuzz_inside(context);
}
KEEL_SYSTEM_ONCE(fails, KEEL_CONTEXT(context)) {
    keel_fail(context, NULL, "as %s asks", "the fuzzer");
    fuzz_inside(context);
}
KEEL_SYSTEM_ONCE(states, KEEL_MAY_SET_STATE(phase), KEEL_CONTEXT(context)) { fuzz_inside(context); }
KEEL_CONDITION(perhaps, KEEL_MAY_READ(Spot), KEEL_CONTEXT(context)) {
    fuzz_inside(context);
    return fuzz_one_in(2);
}
static keel_result plain(keel_context *context) {
    fuzz_inside(context);
    return fuzz_one_in(8) ? KEEL_ERROR_UNKNOWN : KEEL_OK;
}
static keel_result plain_span(keel_context *context, const keel_span *span) {
    const uint32_t *n = keel_span_read_component(span, &types[0]);
    for (uint32_t i = 0; n && i < span->count; ++i)
        if (n[i] == 0xFFFFFFFF && !keel_is_null(keel_null())) abort();
    fuzz_inside(context);
    return KEEL_OK;
}
// By hand, over what the world may not know or must refuse.
static const keel_component *const any_of[] = { &types[7], &types[8], NULL };
static const keel_term plain_terms[] = { { .kind = KEEL_TERM_MAY_EDIT, .component = &types[13] },
                                         { .kind = KEEL_TERM_UNIQUE_WRITE,
                                           .component = &uniques[0] },
                                         { .kind = KEEL_TERM_SEND, .component = &events[0] },
                                         { .kind = KEEL_TERM_RECEIVE, .component = &events[1] },
                                         { .kind = KEEL_TERM_COMMANDS },
                                         { .kind = KEEL_TERM_CONTEXT },
                                         { .kind = KEEL_TERM_END } };
static const keel_term span_terms[] = {
    { .kind = KEEL_TERM_READ, .component = &types[0] },
    { .kind = KEEL_TERM_WRITE, .component = &types[4] },
    { .kind = KEEL_TERM_ANY_OF, .component = &types[6], .others = any_of },
    { .kind = KEEL_TERM_CONTEXT },
    { .kind = KEEL_TERM_END }
};
static const keel_term bad_terms[] = { { .kind = KEEL_TERM_READ, .component = &types[24] },
                                       { .kind = (keel_term_kind)99, .component = &types[0] },
                                       { .kind = KEEL_TERM_END } };
static const keel_system plain_system = {
    .name = "plain", .kind = KEEL_SYSTEM_PER_RUN, .function = plain, .terms = plain_terms
};
static const keel_system span_system = {
    .name = "spans", .kind = KEEL_SYSTEM_PER_SPAN, .each_span = plain_span, .terms = span_terms
};
static const keel_system bad_system = {
    .name = "bad", .kind = KEEL_SYSTEM_PER_SPAN, .each_span = plain_span, .terms = bad_terms
};
static const keel_system empty_system = { .name = NULL, .kind = (keel_system_kind)9 };
const keel_system *const fuzz_systems[] = { &KEEL_SYSTEM_move,
                                            &KEEL_SYSTEM_fall,
                                            &KEEL_SYSTEM_mark,
                                            &KEEL_SYSTEM_changed,
                                            &KEEL_SYSTEM_whole,
                                            &KEEL_SYSTEM_look,
                                            &KEEL_SYSTEM_edit,
                                            &KEEL_SYSTEM_all,
                                            &KEEL_SYSTEM_fails,
                                            &KEEL_SYSTEM_states,
                                            &KEEL_CONDITION_perhaps,
                                            &plain_system,
                                            &span_system,
                                            &bad_system,
                                            &empty_system };
const uint32_t fuzz_system_count = sizeof fuzz_systems / sizeof *fuzz_systems;
const keel_system *const fuzz_condition = KEEL_IF(perhaps);

// ------------------------------------------------------------------ custom views
typedef struct Kit {
    uint32_t made;
} Kit;
static keel_result kit_init(void *value, keel_context *context) {
    ((Kit *)value)->made = 1;
    fuzz_inside(context);
    if (fuzz_one_in(8)) keel_fail_text(context, "no kit");
    return fuzz_one_in(8) ? KEEL_ERROR_UNKNOWN : KEEL_OK;
}
static void kit_drop(void *value, keel_context *context) {
    if (((Kit *)value)->made != 1) abort();
    ((Kit *)value)->made = 2;
    fuzz_inside(context);
}
static const keel_term kit_terms[] = { { .kind = KEEL_TERM_MAY_EDIT, .component = &types[0] },
                                       { .kind = KEEL_TERM_MAY_READ, .component = &types[14] },
                                       { .kind = KEEL_TERM_END } };
static const keel_custom_view kit = { .name = "kit",
                                      .size = sizeof(Kit),
                                      .align = _Alignof(Kit),
                                      .terms = kit_terms,
                                      .init = kit_init,
                                      .drop = kit_drop };
static const keel_custom_view bad_kit = { .name = "bad kit", .size = 0, .align = 3 };
static keel_term inner_terms[2] = { { .kind = KEEL_TERM_CUSTOM }, { .kind = KEEL_TERM_END } };
static const keel_custom_view nested_kit = {
    .name = "nested", .size = sizeof(Kit), .align = _Alignof(Kit), .terms = inner_terms
};
const keel_custom_view *const fuzz_custom_views[] = { &kit, &bad_kit, &nested_kit, NULL };
const uint32_t fuzz_custom_view_count = 4;
__attribute__((constructor)) static void close_circle(void) { inner_terms[0].custom = &nested_kit; }

// ------------------------------------------------------------------ values in hand
static bool is_box(const keel_component *component) {
    return component && component->hash == box_hash;
}
// Its hook is that of boxes, and its values are none: zeros only.
static bool is_zero(const keel_component *component) {
    return component && component->drop && !is_box(component);
}

static size_t size_of(const keel_component *component) {
    return !component || component->size > FUZZ_LARGEST ? FUZZ_LARGEST : component->size;
}

void *fuzz_values(const keel_component *component, uint32_t count) {
    static _Alignas(64) unsigned char memory[FUZZ_DEPTH + 1][2][(FUZZ_MANY + 1) * FUZZ_LARGEST];
    static uint32_t turn;
    unsigned char *values = memory[f.depth][turn++ % 2]; // hooks call with others
    const size_t size = size_of(component);
    for (uint32_t i = 0; i < count; ++i) {
        if (is_box(component)) ((box *)values)[i].number = new_number(fuzz_byte());
        else memset(values + i * size, is_zero(component) ? 0 : (int)fuzz_byte(), size);
    }
    return values;
}

void fuzz_release(const keel_component *component, void *values, uint32_t count) {
    for (uint32_t i = 0; is_box(component) && i < count; ++i) {
        box *b = (box *)values + i;
        check_box(b);
        if (b->number) {
            free(b->number);
            --fuzz_boxes;
        }
        b->number = NULL;
    }
}

void *fuzz_place(const keel_component *component) {
    static _Alignas(64) unsigned char places[FUZZ_DEPTH + 1][FUZZ_LARGEST];
    (void)component;
    return memset(places[f.depth], 0, FUZZ_LARGEST);
}
