// SPDX-License-Identifier: MIT
#include "run/stock.h"

#include "run/team.h"
#include "world/registry.h"
#include "world/report.h"

enum { batch_at_least = 16 };

static keel_result hold(keel_world *world, keeli_stock *stock, uint32_t count) {
    if (!KEELI_RESERVE(&world->heap, &stock->handles, count)) return KEEL_ERROR_MEMORY;
    KEEL_TRY(keeli_entity_index_reserve(&world->entities, &world->heap, count));
    for (uint32_t i = 0; i < count; ++i)
        stock->handles.items[stock->handles.count++] = keeli_entity_index_hold(&world->entities);
    return KEEL_OK;
}

keel_result keeli_stocks_fill(keeli_schedule *s) {
    if (!s->created) return KEEL_OK;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const keel_result result =
            node->creates ? hold(s->world, &node->stock, node->stock.want) : KEEL_OK;
        if (result < 0) {
            keeli_stocks_return(s);
            return keeli_error(s->world, result, "cannot prepare entities for '%s': %s", node->name,
                               keel_result_text(result));
        }
    }
    return KEEL_OK;
}

void keeli_stock_return(keel_world *world, keeli_stock *stock) {
    if (stock->handles.count > stock->most) stock->most = stock->handles.count;
    while (stock->handles.count > stock->used)
        keeli_entity_index_unhold(&world->entities, stock->handles.items[--stock->handles.count]);
    stock->want = stock->used + stock->used / 4;
    stock->handles.count = stock->used = 0;
}

void keeli_stocks_return(keeli_schedule *s) {
    for (uint32_t i = s->created ? s->nodes.count : 0; i--;)
        keeli_stock_return(s->world, &s->nodes.items[i].stock);
}

// ------------------------------------------------------------------ while it runs
typedef struct more {
    keel_world *world;
    keeli_stock *stock;
    keel_result result;
} more;

static void hold_more(void *data) {
    more *m = data;
    const uint32_t used = m->stock->used;
    m->result = hold(m->world, m->stock, used < batch_at_least ? batch_at_least : used);
}

void keeli_context_alone(keel_context *context, void (*call)(void *data), void *data) {
    keeli_team *team = context->lane->team;
    if (team) keeli_team_alone(team, 0, NULL, 0, call, data); // no turn: whose it is does not count
    else call(data);
}

// When it is this system's turn and nobody else is at work.
static void call_alone(keel_context *context, void (*call)(void *data), void *data) {
    const keeli_lane *lane = context->lane;
    if (lane->team)
        keeli_team_alone(lane->team, lane->node, context->loop, context->piece, call, data);
    else call(data);
}

static keel_result promise(keel_commands *list, keel_entity *out) {
    keel_context *context = list->source;
    keeli_stock *stock = context->node ? &context->node->stock : &context->loop->stock;
    if (context->loop && !context->has_turn)
        keeli_team_turn(context->lane->team, context->loop, context->piece);
    context->has_turn = true;
    if (stock->used == stock->handles.count) {
        more m = { context->world, stock, KEEL_OK };
        call_alone(context, hold_more, &m);
        if (m.result < 0) return m.result;
    }
    *out = stock->handles.items[stock->used++];
    return KEEL_OK;
}

// ------------------------------------------------------------------ components
typedef struct newcomer {
    keel_world *world;
    const keel_component *component;
    keeli_storage *storage;
    keel_result *result;
} newcomer;

static void make_known(void *data) {
    newcomer *n = data;
    const uint32_t kept = n->world->share_depth;
    n->world->share_depth = 0; // nobody else is at work
    n->storage = keeli_storage_get(n->world, n->component, n->component->is_unique, n->result);
    n->world->share_depth = kept;
}

static keeli_storage *enroll(keel_commands *list, const keel_component *component,
                             keel_result *result) {
    keel_context *context = list->source;
    newcomer n = { context->world, component, NULL, result };
    call_alone(context, make_known, &n);
    return n.storage;
}

void keeli_stock_serve(keel_commands *list, keel_context *context) {
    list->promise = promise;
    list->enroll = enroll;
    list->source = context;
}
