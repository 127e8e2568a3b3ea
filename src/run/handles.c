// SPDX-License-Identifier: MIT
// Handles for the entities that commands of workload steps create. The handles are reserved in
// linear order before any step runs, so that they do not depend on which thread is faster. A step
// that needs more handles than in earlier runs waits for its turn. So does a step whose commands
// name a component that the world does not know yet. execute.c reserves the handles and returns the
// unused ones; command lists get them through keeli_handles_serve.
#include "follow/changes.h"
#include "run/context.h"
#include "run/workers.h"
#include "world/registry.h"
#include "world/report.h"

enum { batch_at_least = 16 }; // least number of handles that are reserved at once during a run

// Reserves `count` more handles.
static keel_result reserve_handles(keel_world *world, keeli_handles *reserved, uint32_t count) {
    if (!KEELI_RESERVE(&world->heap, &reserved->list, count))
        return KEEL_ERROR_MEMORY;
    KEEL_TRY(keeli_entity_index_reserve(&world->entities, &world->heap, count));

    for (uint32_t i = 0; i < count; ++i)
        *KEELI_APPEND(&reserved->list) = keeli_entity_index_hold(&world->entities);
    return KEEL_OK;
}

uint32_t keeli_handles_wanted(const keel_world *world, const keeli_handles *reserved) {
    return reserved->emptied == world->emptied ? reserved->want : 0;
}

keel_result keeli_handles_reserve_all(keeli_schedule *s) {
    if (!s->created)
        return KEEL_OK;

    for (uint32_t i = 0; i < s->nodes.count * KEELI_STEP_SYSTEMS; ++i) {
        const keeli_node *node = &s->nodes.items[i / KEELI_STEP_SYSTEMS];
        keeli_bound *bound = node->creates ? node->bound[i % KEELI_STEP_SYSTEMS] : NULL;
        if (!bound)
            continue;
        const uint32_t wanted = keeli_handles_wanted(s->world, &bound->reserved);
        const keel_result result = reserve_handles(s->world, &bound->reserved, wanted);
        if (result >= 0)
            continue;
        keeli_handles_return_all(s);
        return keeli_error(s->world, result, "cannot prepare entities for '%s': %s", node->name,
                           keel_result_text(result));
    }
    return KEEL_OK;
}

void keeli_handles_return(keel_world *world, keeli_handles *reserved) {
    if (reserved->list.count > reserved->most)
        reserved->most = reserved->list.count;
    while (reserved->list.count > reserved->used)
        keeli_entity_index_unhold(&world->entities, reserved->list.items[--reserved->list.count]);

    reserved->want = reserved->used + reserved->used / 4;
    reserved->emptied = world->emptied;
    reserved->list.count = reserved->used = 0;
}

void keeli_handles_return_all(keeli_schedule *s) {
    if (!s->created)
        return;
    for (uint32_t i = s->nodes.count * KEELI_STEP_SYSTEMS; i--;) {
        keeli_bound *bound = s->nodes.items[i / KEELI_STEP_SYSTEMS].bound[i % KEELI_STEP_SYSTEMS];
        if (bound)
            keeli_handles_return(s->world, &bound->reserved);
    }
}

// ------------------------------------------------------------------ while it runs
void keeli_context_alone(keel_context *context, bool in_turn, void (*call)(void *data),
                         void *data) {
    const keeli_worker *worker = context->worker;
    if (!worker->workers) {
        call(data); // no other thread works on the run
    } else if (in_turn) {
        keeli_workers_alone(worker->workers, worker->node, context->loop, context->piece, call,
                            data);
    } else {
        keeli_workers_alone(worker->workers, 0, NULL, 0, call, data);
    }
}

// Arguments and result of reserve_more.
typedef struct more {
    keel_world *world;
    keeli_handles *reserved;
    keel_result result;
} more;

static void reserve_more(void *data) {
    more *m = data;
    const uint32_t used = m->reserved->used;
    m->result =
        reserve_handles(m->world, m->reserved, used < batch_at_least ? batch_at_least : used);
}

// Returns the handle of a new entity for a command list. A piece of a split loop waits for its turn
// first. If all reserved handles are used, this waits until no other thread runs user code, and
// reserves more.
static keel_result next_handle(keel_commands *list, keel_entity *out) {
    keel_context *context = list->source;
    keeli_handles *reserved = context->node ? &context->bound->reserved : &context->loop->reserved;

    if (context->loop && !context->has_turn)
        keeli_workers_await_turn(context->worker->workers, context->loop, context->piece);
    context->has_turn = true;

    if (reserved->used == reserved->list.count) {
        more m = { context->in.world, reserved, KEEL_OK };
        keeli_context_alone(context, true, reserve_more, &m);
        if (m.result < 0)
            return m.result;
    }
    *out = reserved->list.items[reserved->used++];
    return KEEL_OK;
}

// ------------------------------------------------------------------ components
// Arguments and result of make_known.
typedef struct newcomer {
    keel_world *world;
    const keel_component *component;
    keeli_storage *storage;
    keel_result *result;
} newcomer;

// Registers a component in the world. Called while no other thread runs user code.
static void make_known(void *data) {
    newcomer *n = data;
    const uint32_t kept = n->world->refused;
    n->world->refused = 0; // allows the registration
    n->storage = keeli_storage_get(n->world, n->component, n->component->is_unique, n->result);
    n->world->refused = kept;
}

// Registers a component for a command list that names it, when it is the turn of its system.
// Returns the storage, or NULL with the error in `*result`.
static keeli_storage *enroll(keel_commands *list, const keel_component *component,
                             keel_result *result) {
    keel_context *context = list->source;
    newcomer n = { context->in.world, component, NULL, result };
    keeli_context_alone(context, true, make_known, &n);
    return n.storage;
}

void keeli_handles_serve(keel_commands *list, keel_context *context) {
    list->promise = next_handle;
    list->enroll = enroll;
    list->source = context;
}
