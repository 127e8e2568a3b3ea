// SPDX-License-Identifier: MIT
// Every public macro of typed.h at least once, in C and in C++. What includes this file must
// compile without a warning.
#pragma once
#include <keel/keel.h>

typedef struct Place {
    float x, y;
    int32_t floors[3];
    keel_entity owner;
} Place;
typedef struct Speed {
    float x, y;
} Speed;
typedef struct Label {
    char *text;
} Label;
typedef struct Count {
    uint32_t value;
} Count;

static inline void label_drop(void *value, void *data) { (void)value, (void)data; }

enum { NEAR = 1, FAR = 2 };
KEEL_ENUM(Distance, NEAR, FAR);
KEEL_FLAGS(Distances, NEAR, FAR);
KEEL_FIELDS(Place, x, KEEL_FIELD(y, .max = 9), KEEL_FIELD(floors, .of = KEEL_TYPE(Distance)),
            owner);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Speed, .storage = KEEL_SPARSE_SET);
KEEL_COMPONENT(Label, .name = "game.Label", .drop = label_drop);
KEEL_COMPONENT(Count);
KEEL_UNIQUE(Count);
KEEL_TAG(Frozen);

KEEL_SYSTEM_DECLARE(elsewhere);
KEEL_CONDITION_DECLARE(asked_elsewhere);
KEEL_WORKLOAD_DECLARE(listed_elsewhere);

// Custom views: each kind of member, nothing inside, one inside another.
typedef struct Bundle {
    keel_view all, few;
    const Count *read;
    Count *written;
} Bundle;
typedef struct Wild {
    Bundle bundle;
    keel_world *world;
    int *own;
} Wild;
typedef struct Empty {
    char byte;
} Empty;
static inline keel_result wild_init(void *view, keel_context *context) {
    Wild *wild = (Wild *)view;
    wild->own = (int *)keel_context_scratch(context, sizeof *wild->own, sizeof *wild->own);
    keel_run_info run;
    (void)keel_context_info(context, &run);
    return wild->own && run.last_run <= run.this_run ? KEEL_OK : KEEL_ERROR_MEMORY;
}
static inline void wild_drop(void *view, keel_context *context) { (void)view, (void)context; }
KEEL_CUSTOM_VIEW(Bundle,
                 KEEL_VIEW(all, KEEL_WRITE(Place, place), KEEL_OPTIONAL_READ(Speed, speed),
                           KEEL_ENTITY(e), KEEL_ANY_OF(Label, Speed), KEEL_WITHOUT(Frozen),
                           KEEL_MAY_EDIT_ENTITIES),
                 KEEL_UNIQUE_READ(Count, read), KEEL_VIEW(few, KEEL_READ(Speed, speed)),
                 KEEL_UNIQUE_WRITE(Count, written), KEEL_MAY_READ(Label, Frozen),
                 KEEL_MAY_EDIT(Label));
KEEL_CUSTOM_VIEW(Wild, .init = wild_init, KEEL_CUSTOM_WRITE(Bundle, bundle), KEEL_WORLD(world),
                 .drop = wild_drop);
KEEL_CUSTOM_VIEW(Empty);
KEEL_SYSTEM_ONCE(with_wild, KEEL_CUSTOM_WRITE(Wild, wild), KEEL_CUSTOM_READ(Empty, empty)) {
    *wild->own = empty->byte;
}
KEEL_SYSTEM(with_bundle, KEEL_READ(Label, label), KEEL_CUSTOM_WRITE(Bundle, bundle)) {
    bundle->written->value += keel_view_count(&bundle->few) + (label->text != NULL);
}
KEEL_SYSTEM_SPAN(with_empty, KEEL_READ(Label, label), KEEL_SPAN_COUNT(n),
                 KEEL_CUSTOM_WRITE(Empty, empty)) {
    if (n && label[0].text) ++empty->byte;
}
KEEL_CONDITION(is_empty, KEEL_CUSTOM_READ(Empty, empty)) { return empty->byte == 0; }

// Systems of all kinds: sixteen parameters, filters only, handles only.
KEEL_SYSTEM(full, KEEL_WRITE(Place, place), KEEL_READ(Speed, speed),
            KEEL_OPTIONAL_READ(Label, label), KEEL_OPTIONAL_WRITE(Count, count), KEEL_WITH(Speed),
            KEEL_WITHOUT(Frozen), KEEL_ANY_OF(Place, Speed), KEEL_ENTITY(e),
            KEEL_UNIQUE_READ(Count, total), KEEL_COMMANDS(commands, Speed, Frozen),
            KEEL_CONTEXT(context), KEEL_DATA(Speed, wind), KEEL_MAY_READ(keel_child),
            KEEL_MAY_READ(Speed, Frozen), KEEL_WITH(Place), KEEL_ANY_OF(Place)) {
    place->x += speed->x + wind->x + (label ? 1.0f : 0.0f) + (float)total->value;
    if (count) ++count->value;
    if (keel_is_null(keel_parent_of(context, e))) (void)keel_add(commands, e, Frozen);
    if (place->x > 1e6f) keel_fail(context, NULL, "too far: %g", (double)place->x);
}
KEEL_SYSTEM(only_filters, KEEL_WITH(Frozen), KEEL_COMMANDS(commands)) { (void)commands; }
KEEL_SYSTEM(only_without, KEEL_WITHOUT(Frozen), KEEL_UNIQUE_WRITE(Count, total)) { ++total->value; }
KEEL_SYSTEM(only_handles, KEEL_ENTITY(e), KEEL_DATA(keel_entity, last)) { *last = e; }
KEEL_SYSTEM(only_maybe, KEEL_OPTIONAL_READ(Speed, speed)) { (void)speed; }
KEEL_SYSTEM_SPAN(spans, KEEL_SPAN_COUNT(n), KEEL_WRITE(Place, place), KEEL_READ(Speed, speed),
                 KEEL_OPTIONAL_READ(Label, label), KEEL_SPAN_ENTITIES(entities),
                 KEEL_UNIQUE_READ(Count, total), KEEL_WITHOUT(Frozen), KEEL_DATA(Speed, wind),
                 KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    (void)context, (void)label;
    for (uint32_t i = 0; i < n; ++i) {
        place[i].x += speed[i].x + wind->x + (float)total->value;
        if (place[i].x < 0) (void)keel_delete_entity(commands, entities[i]);
    }
}
KEEL_SYSTEM_ONCE(nothing) {}
KEEL_SYSTEM_ONCE(once, KEEL_MAY_WRITE(Place, Speed), KEEL_MAY_EDIT(Label, Count),
                 KEEL_CONTEXT(context), KEEL_MAY_READ(keel_child),
                 KEEL_UNIQUE_WRITE(Count, total)) {
    KEEL_EACH(context, KEEL_READ(Speed, speed), KEEL_WRITE(Place, place), KEEL_ENTITY(e)) {
        place->x += speed->x;
        KEEL_EACH_CHILD(context, e, child)
            total->value += keel_has(context, child, Speed);
    }
    const keel_entity none = keel_null();
    (void)keel_add(context, none, Count, { 1 });
    (void)keel_add_values(context, none, KEEL_INIT(Count, { 1 }));
    (void)keel_remove(context, none, Count);
    (void)keel_delete(context, none, Label, Count);
    Count taken;
    (void)keel_remove(context, none, Count, &taken);
    (void)keel_get(context, none, Place);
    (void)keel_get_mut(context, none, Place);
    (void)keel_get_unique(context, Count);
    (void)keel_get_unique_mut(context, Count);
    (void)keel_is_alive(context, none);
    KEEL_EACH_ANCESTOR(context, none, up)
        (void)up;
    KEEL_EACH_DESCENDANT(context, none, down)
        (void)down;
    KEEL_EACH_DESCENDANT_BREADTH(context, none, level)
        (void)level;
}
KEEL_SYSTEM_ONCE(with_world, KEEL_WORLD(world)) { (void)keel_strip(world, keel_null()); }
KEEL_CONDITION(many, KEEL_UNIQUE_READ(Count, total), KEEL_MAY_READ(Speed)) {
    return total->value > 3;
}

KEEL_SYSTEM(each_through, KEEL_READ(Speed, speed),
            KEEL_VIEW(all, KEEL_WRITE(Place, place), KEEL_ANY_OF(Speed, Place)),
            KEEL_VIEW(none, KEEL_ENTITY(e))) {
    (void)speed, (void)keel_view_count(all), (void)none;
}
KEEL_SYSTEM_SPAN(span_through, KEEL_SPAN_COUNT(n), KEEL_READ(Speed, speed),
                 KEEL_VIEW(all, KEEL_READ(Place, place))) {
    (void)n, (void)speed, (void)all;
}
KEEL_SYSTEM_ONCE(once_through, KEEL_VIEW(all, KEEL_READ(Place, place))) {
    (void)keel_view_count(all);
}
KEEL_CONDITION(ask_through, KEEL_VIEW(all, KEEL_READ(Place, place))) {
    return keel_view_count(all) > 0;
}
typedef enum Phase { MENU, PLAYING } Phase;
KEEL_STATE(Phase);
KEEL_SYSTEM_ONCE(set_phase, KEEL_CONTEXT(context), KEEL_MAY_SET_STATE(Phase)) {
    keel_set_state(context, Phase, MENU);
}
KEEL_WORKLOAD(phases, KEEL_TRANSITION(Phase), KEEL_TRANSITION(Phase, .label = "again"),
              KEEL_STEP(set_phase, .on_enter = KEEL_IN(Phase, PLAYING), .every = 1, .times = 2));
KEEL_WORKLOAD(inner, KEEL_STEP(only_filters), KEEL_STEP(nothing, .run_if = KEEL_IF(many)));
KEEL_WORKLOAD(outer, KEEL_STEP(once), KEEL_STEP(elsewhere, .run_if = KEEL_IF(asked_elsewhere)),
              KEEL_NESTED(inner), KEEL_NESTED(listed_elsewhere, .run_if = KEEL_IF(many)));

// Loops on all workers.
static inline void add_range(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)data;
    if (piece->partial) *(uint32_t *)piece->partial += end - begin;
}
static inline void add_span(const keel_span *span, const keel_piece *piece, void *data) {
    (void)data, (void)keel_piece_scratch(piece, span->count, 1);
}
static inline void add_up(void *total, const void *partial, void *data) {
    (void)data;
    *(uint32_t *)total += *(const uint32_t *)partial;
}
KEEL_SYSTEM_ONCE(loops, KEEL_CONTEXT(context), KEEL_UNIQUE_WRITE(Count, total)) {
    const keel_reduction sum = { &total->value, sizeof total->value, add_up };
    (void)keel_parallel_for(context, 100, 0, add_range, NULL);
    (void)keel_parallel_reduce(context, 100, 10, add_range, NULL, &sum);
}

// Events.
KEEL_EVENT(Count);
KEEL_EVENT(Speed, .limit = 100);
KEEL_SYSTEM(send_counts, KEEL_READ(Count, count), KEEL_SEND(Count, out), KEEL_RECEIVE(Speed, in)) {
    KEEL_EACH_EVENT(in, Speed, speed)
        if (speed->x > 1) keel_send(out, Count, { count->value });
}
KEEL_SYSTEM_SPAN(send_spans, KEEL_READ(Count, count), KEEL_SPAN_COUNT(n), KEEL_SEND(Speed, out)) {
    for (uint32_t i = 0; i < n && count[i].value; ++i)
        keel_send(out, Speed);
}
KEEL_SYSTEM_ONCE(swap_counts, KEEL_RECEIVE(Count, in), KEEL_SEND(Count, out), KEEL_CONTEXT(context),
                 KEEL_COMMANDS(commands), KEEL_UNIQUE_WRITE(Count, total)) {
    KEEL_EACH_EVENT(in, Count, count)
        total->value += count->value;
    KEEL_EACH_EVENT(context, Count, count)
        keel_send(out, Count, *count);
    if (keel_missed_events(in, Count) + keel_missed_events(context, Count))
        (void)keel_send(context, Count, { 3 });
    (void)keel_send(commands, Count, { keel_event_count(context, Count) });
}
KEEL_CONDITION(any_counts, KEEL_RECEIVE(Count, in)) { return keel_event_count(in, Count) > 0; }
static inline keel_result send_all(keel_world *world, const keel_world *same, keel_reader *reader) {
    const Speed fast = { 3, 4 };
    KEEL_TRY(keel_send(world, Speed, fast));
    KEEL_TRY(keel_send(world, Speed));
    KEEL_TRY(keel_send(keel_world_commands(world), Speed, { 1, 2 }));
    KEEL_EACH_EVENT(world, Speed, speed) {
        KEEL_EACH_EVENT(reader, Speed, other)
            if (other->x > speed->x) break;
    }
    KEEL_TRY(keel_advance_events(world, Speed));
    KEEL_TRY(keel_clear_events(world, Speed));
    KEEL_TRY(keel_set_event_limit(world, Speed, 7));
    const keel_reader *looked = reader;
    if (keel_missed_events(same, Speed) + keel_missed_events(looked, Speed)) return KEEL_ABSENT;
    KEEL_TRY(keel_run(world, send_counts));
    KEEL_TRY(keel_run(world, send_spans));
    KEEL_TRY(keel_run(world, swap_counts));
    return keel_event_count(same, Speed) + keel_event_count(looked, Speed) +
                       KEEL_EVENT_OF(Speed)->limit >
                   0
               ? KEEL_OK
               : KEEL_ABSENT;
}
KEEL_WORKLOAD(exchange, KEEL_STEP(swap_counts, .run_if = KEEL_IF(any_counts)));

static inline keel_result run_all(keel_world *world) {
    Speed wind = { 1, 0 };
    keel_entity last;
    KEEL_TRY(keel_run_with(world, full, &wind));
    KEEL_TRY(keel_set_state(world, Phase, PLAYING));
    KEEL_TRY(keel_run_workload(world, phases, .dt = 1));
    KEEL_TRY(keel_run_workload_with(world, phases, &wind));
    KEEL_TRY(keel_add_workload(world, phases));
    KEEL_TRY(keel_run_named(world, "phases", .dt = 1));
    KEEL_TRY(keel_run_default(world, .dt = 1));
    KEEL_TRY(keel_run_with(world, only_handles, &last));
    KEEL_TRY(keel_run(world, only_without));
    KEEL_TRY(keel_run(world, only_maybe));
    KEEL_TRY(keel_run_with(world, spans, &wind));
    KEEL_TRY(keel_run(world, with_world));
    KEEL_TRY(keel_run(world, with_wild));
    KEEL_TRY(keel_run(world, with_bundle));
    KEEL_TRY(keel_run(world, with_empty));
    KEEL_TRY(keel_run(world, loops));
    uint32_t many_indices = 0;
    const keel_reduction sum = { &many_indices, sizeof many_indices, add_up };
    KEEL_TRY(keel_parallel_for(world, 100, 0, add_range, NULL));
    KEEL_TRY(keel_parallel_reduce(world, 100, 10, add_range, NULL, &sum));
    Bundle bundle;
    KEEL_TRY(keel_custom_begin(world, Bundle, &bundle));
    KEEL_TRY(keel_custom_end(world, &bundle));
    if (KEEL_CUSTOM_OF(Bundle)->size != sizeof bundle) return KEEL_ABSENT;
    KEEL_TRY(keel_add_workload(world, outer));
    KEEL_TRY(keel_add_step(world, "late", KEEL_STEP(once, .run_if = KEEL_IF(many))));
    KEEL_TRY(keel_add_step(world, "late", KEEL_NESTED(inner)));
    return keel_run_workload(world, outer);
}

static inline keel_result edit_all(keel_world *world, keel_commands *commands) {
    KEEL_TRY(keel_register(world, Place, Speed, Label, Count, Frozen));
    const Speed fast = { 3, 4 };
    const Speed speeds[2] = { { 1, 2 }, { 3, 4 } };
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Speed, { 1, 2 }), KEEL_INIT(Frozen));
    const keel_entity child = keel_add_child(world, e, KEEL_INIT(Speed, fast), KEEL_INIT(Place));
    const keel_entity later = keel_add_entity(commands, KEEL_INIT(Speed, fast));
    const keel_entity below = keel_add_child(commands, later);
    keel_entity many_of_them[2];
    KEEL_TRY(keel_add_entities(world, 2, many_of_them, KEEL_COLUMN(Speed, speeds),
                               KEEL_COLUMN_IN(Count, (const Count *)NULL, sizeof(Count)),
                               KEEL_FILL(Frozen), KEEL_FILL(Place, { 1, 2, { 3, 4, 5 }, e })));
    KEEL_TRY(keel_add(world, e, Place));
    KEEL_TRY(keel_add(commands, e, Count, { 3 }));
    KEEL_TRY(keel_add_unchecked(world, e, Speed, fast));
    KEEL_TRY(keel_add_unchecked(world, e, Frozen));
    KEEL_TRY(keel_add_values(world, e, KEEL_INIT(Count, { 1 }), KEEL_INIT(Place)));
    KEEL_TRY(keel_add_values(commands, e, KEEL_INIT(Count, { 1 })));
    Speed taken;
    bool was_there;
    KEEL_TRY(keel_remove_values(world, e, KEEL_OUT(Speed, &taken, &was_there)));
    KEEL_TRY(keel_remove(world, child, Speed, &taken));
    KEEL_TRY(keel_remove(commands, child, Place));
    KEEL_TRY(keel_delete(world, child, Place, Speed));
    KEEL_TRY(keel_delete(commands, child, Place, Speed));
    KEEL_TRY(keel_attach(world, child, e));
    KEEL_TRY(keel_attach(commands, below, e));
    KEEL_TRY(keel_detach(world, child));
    KEEL_TRY(keel_detach(commands, child));
    KEEL_TRY(keel_unlink(world, child));
    KEEL_TRY(keel_unlink(commands, child));
    KEEL_TRY(keel_unlink_tree(world, child));
    KEEL_TRY(keel_unlink_tree(commands, child));
    KEEL_TRY(keel_strip(world, e));
    KEEL_TRY(keel_strip(commands, e));
    KEEL_TRY(keel_delete_tree(commands, e));
    KEEL_TRY(keel_delete_entity(commands, e));
    KEEL_TRY(keel_delete_tree(world, e));
    KEEL_TRY(keel_delete_entity(world, child));
    KEEL_TRY(keel_delete_entities_having(world, Frozen));
    KEEL_TRY(keel_clear(world, Speed));
    KEEL_TRY(keel_retain(world, Count, NULL, NULL));
    return keel_reserve(world, Place, 100);
}

static inline float read_all(keel_world *world, const keel_world *same, keel_entity e) {
    float sum = (float)keel_count(same, Speed);
    KEEL_EACH(world, KEEL_READ(Speed, speed), KEEL_WRITE(Place, place),
              KEEL_OPTIONAL_READ(Label, label), KEEL_OPTIONAL_WRITE(Count, count), KEEL_WITH(Speed),
              KEEL_WITHOUT(Frozen), KEEL_ANY_OF(Speed, Frozen), KEEL_ENTITY(other)) {
        if (keel_is_same(other, e)) continue;
        place->x += speed->x + (label ? 1.0f : 0.0f) + (count ? 1.0f : 0.0f);
        KEEL_EACH(world, KEEL_READ(Speed, inner))
            sum += inner->x;
    }
    KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(n), KEEL_READ(Speed, speed), KEEL_SPAN_ENTITIES(entities),
                   KEEL_OPTIONAL_READ(Place, place)) {
        for (uint32_t i = 0; i < n; ++i)
            sum += speed[i].x + (float)keel_entity_index(entities[i]) + (place ? place[i].x : 0.0f);
    }
    const Speed *speed = keel_get(same, e, Speed);
    Speed *writable = keel_get_mut(world, e, Speed);
    if (writable && speed) writable->x = speed->y;
    const keel_lookup speeds = keel_lookup_of(world, Speed);
    const Speed *found = keel_lookup_get(&speeds, e, Speed);
    Speed *zeroed = keel_get_or_add(world, e, Speed);
    Speed *got = keel_get_or_add(world, e, Speed),
          *added = keel_get_or_add(world, e, Speed, { 1, 2 });
    const bool all = keel_has(same, e, Speed) && keel_is_alive(same, e) && found && zeroed && got &&
                     added && KEEL_OF(Speed)->size == KEEL_UNIQUE_OF(Count)->size;
    KEEL_EACH_CHILD(same, e, child)
        sum += keel_is_null(keel_next_child(same, e, child)) ? 1.0f : 2.0f;
    KEEL_EACH_ANCESTOR(same, e, ancestor)
        sum += keel_is_same(keel_parent_of(same, e), ancestor);
    KEEL_EACH_DESCENDANT(same, keel_first_child(same, e), down)
        sum += (float)keel_entity_index(down);
    KEEL_EACH_DESCENDANT_BREADTH(same, e, level)
        sum += (float)keel_entity_index(level);
    return all ? sum : 0;
}

static inline keel_result views_and_uniques(keel_world *world, keel_entity e) {
    const Count five = { 5 };
    KEEL_TRY(keel_set_unique(world, Count, { 1 }));
    KEEL_TRY(keel_set_unique(world, Count, five));
    const Count *total = keel_get_unique(world, Count);
    Count *writable = keel_get_unique_mut(world, Count), taken;
    if (total && writable) ++writable->value;
    KEEL_TRY(keel_remove_unique(world, Count, &taken));
    KEEL_TRY(keel_remove_unique(world, Count));
    keel_view view;
    KEEL_TRY(keel_view_begin(&view, world,
                             KEEL_TERMS(KEEL_EDIT(Place, place), KEEL_READ(Speed, speed),
                                        KEEL_UNIQUE_WRITE(Count, count), KEEL_MAY_EDIT(Frozen),
                                        KEEL_MAY_EDIT_ENTITIES),
                             "view"));
    keel_iterator iterator;
    keel_span span;
    KEEL_TRY(keel_iterator_begin(&iterator, &view));
    while (keel_iterator_next_span(&iterator, &span)) {
        const Speed *from = keel_span_read(&span, Speed);
        Place *to = keel_span_write(&span, Place);
        for (uint32_t i = 0; i < span.count; ++i)
            to[i].x = from[i].x;
    }
    KEEL_TRY(keel_view_parallel_for(&view, add_span, NULL));
    (void)keel_add_entity(&view, KEEL_INIT(Place));
    (void)keel_add(&view, e, Frozen);
    (void)keel_add_unchecked(&view, e, Frozen);
    (void)keel_add_values(&view, e, KEEL_INIT(Frozen));
    (void)keel_remove(&view, e, Frozen);
    (void)keel_remove_values(&view, e, KEEL_OUT(Place, (Place *)NULL));
    (void)keel_delete(&view, e, Frozen);
    (void)keel_get(&view, e, Speed);
    (void)keel_get_mut(&view, e, Place);
    (void)keel_has(&view, e, Speed);
    (void)keel_get_unique(&view, Count);
    (void)keel_get_unique_mut(&view, Count);
    keel_view_end(&view);
    KEEL_TRY(keel_view_begin(&view, world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "everything"));
    (void)keel_strip(&view, e);
    (void)keel_delete_entities_having(&view, Frozen);
    (void)keel_delete_entity(&view, e);
    keel_view_end(&view);
    return KEEL_OK;
}
