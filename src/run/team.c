// SPDX-License-Identifier: MIT
// Who works on a run. One lock guards what is ready; it is held between two nodes, never while
// somebody's code runs. A lane always takes the ready node that is first in linear order, so the
// first node that has not ended is always being run: whoever waits for its turn waits for somebody
// who goes on.
#include "run/team.h"

#include "run/execute.h"
#include "run/order.h"
#include "run/worth.h"
#include "world/report.h"

#include <string.h>

enum {
    SPIN_NS = 20000, // a lane that waits looks for so long before it sleeps
    // Work that is worth another lane: more than what it costs to get one.
    WORTH_HOT_NS = 5000,
    WORTH_COLD_NS = 40000,
    SHARE_NS =
        2000 // of pieces that are taken at once: taking them costs 100 when others do it, too
};

// ------------------------------------------------------------------ states
static void free_loop(keel_world *world, keeli_loop *loop) {
    KEELI_RELEASE(&world->heap, &loop->ended);
    KEELI_RELEASE(&world->heap, &loop->pieces.list);
    KEELI_RELEASE(&world->heap, &loop->lists);
    KEELI_RELEASE(&world->heap, &loop->stock.handles);
    KEELI_FREE(&world->heap, keeli_loop, loop);
}

static void free_team(keeli_team *team) {
    keel_world *world = team->world;
    for (keeli_loop *loop = team->spare_loops, *next; loop; loop = next) {
        next = loop->next;
        free_loop(world, loop);
    }
    for (uint32_t i = 0; team->lanes && i < team->lane_count; ++i)
        keeli_arena_deinit(&team->lanes[i].scratch, &world->heap);
    keeli_free(&world->heap, team->lanes, team->lane_count * sizeof *team->lanes,
               _Alignof(keeli_lane));
    keeli_condition_deinit(&team->changed);
    keeli_lock_deinit(&team->lock);
    KEELI_FREE(&world->heap, keeli_team, team);
}

static keeli_team *new_team(keel_world *world) {
    keeli_team *team = KEELI_NEW(&world->heap, keeli_team);
    if (!team) return NULL;
    team->world = world;
    keeli_lock_init(&team->lock);
    keeli_condition_init(&team->changed);
    team->lane_count = world->executor.worker_count;
    team->lanes = keeli_new_zeroed(&world->heap, team->lane_count * sizeof *team->lanes,
                                   _Alignof(keeli_lane));
    if (!team->lanes) return free_team(team), NULL;
    for (uint32_t i = 0; i < team->lane_count; ++i) {
        keeli_lane *lane = &team->lanes[i];
        lane->number = i;
        lane->team = team;
        lane->node = KEELI_NO_NODE; // and again when it leaves a node
        lane->first = &team->first;
    }
    return team;
}

static keeli_team *find_spare(keel_world *world) {
    keeli_world_lock(world);
    keeli_team *team = world->teams;
    while (team && team->is_busy)
        team = team->next;
    if (team) team->is_busy = true;
    keeli_world_unlock(world);
    return team;
}

keeli_team *keeli_team_take(keel_world *world) {
    keeli_team *team = find_spare(world);
    if (!team) {
        team = new_team(world);
        if (!team) return keeli_out_of_memory(world, "beginning a run"), NULL;
        team->is_busy = true;
        keeli_world_lock(world);
        team->next = world->teams;
        world->teams = team;
        keeli_world_unlock(world);
    }
    team->failed_node = KEELI_NO_NODE;
    team->failed_result = KEEL_OK;
    team->first.error.result = KEEL_OK;
    team->first.node = KEELI_NO_NODE;
    return team;
}

// What went wrong comes out in linear order, whoever met it first.
static void tell_first_error(keeli_team *team) {
    keel_world *world = team->world;
    if (team->first.error.result == KEEL_OK) return;
    keeli_world_lock(world);
    if (world->error.result == KEEL_OK) world->error = team->first.error;
    keeli_world_unlock(world);
}

void keeli_team_give(keeli_team *team) {
    keel_world *world = team->world;
    tell_first_error(team);
    keeli_world_lock(world);
    team->is_busy = false;
    keeli_world_unlock(world);
}

void keeli_teams_deinit(keel_world *world) {
    for (keeli_team *team = world->teams, *next; team; team = next) {
        next = team->next;
        keeli_lock_take(&team->lock); // a job may come late with an executor of the user's
        while (team->outstanding) {
            ++team->sleepers;
            keeli_condition_wait(&team->changed, &team->lock);
            --team->sleepers;
        }
        keeli_lock_give(&team->lock);
        free_team(team);
    }
    world->teams = NULL;
}

// ------------------------------------------------------------------ waiting (all with the lock)
static void announce(keeli_team *team) {
    keeli_atomic_store(&team->signal, team->signal + 1);
    if (team->sleepers) keeli_condition_wake_all(&team->changed);
}

// Until something has changed, or for no reason.
static void wait_for_change(keeli_team *team) {
    const uint32_t seen = team->signal;
    if (team->world->may_spin) {
        keeli_lock_give(&team->lock);
        const uint64_t end = keeli_clock_ns() + SPIN_NS;
        do {
            for (uint32_t i = 0; i < 32 && keeli_atomic_load(&team->signal) == seen; ++i)
                keeli_pause();
        } while (keeli_atomic_load(&team->signal) == seen && keeli_clock_ns() < end);
        keeli_lock_take(&team->lock);
    }
    if (team->signal != seen) return;
    ++team->sleepers;
    keeli_condition_wait(&team->changed, &team->lock);
    --team->sleepers;
}

// ------------------------------------------------------------------ helpers
static void work(keeli_team *team, keeli_lane *lane);

// The lane of a worker; NULL when the executor is wrong about it.
static keeli_lane *lane_of(const keeli_team *team, uint32_t worker) {
    const bool is_one = worker > 0 && worker < team->lane_count;
    if (is_one && !team->lanes[worker].is_taken) return &team->lanes[worker];
    (void)keeli_misuse(team->world, KEEL_ERROR_ARGUMENT,
                       is_one ? "the executor runs two jobs at once as worker %u"
                              : "the executor runs a job as worker %u, which there is not; workers "
                                "beside the calling thread count from 1 to worker_count - 1",
                       (unsigned)worker);
    return NULL;
}

static void help(void *data, uint32_t worker) {
    keeli_team *team = data;
    keeli_lock_take(&team->lock);
    keeli_lane *lane = team->is_open ? lane_of(team, worker) : NULL;
    if (lane) {
        ++team->helpers;
        lane->is_taken = true;
        keeli_lane_enter(team->world, lane);
        work(team, lane);
        keeli_lane_leave(team->world, lane);
        lane->is_taken = false;
        --team->helpers;
    }
    --team->outstanding;
    announce(team);
    keeli_lock_give(&team->lock);
}

// Ask for as many helpers as there is work for, `count` at most.
static void call_helpers(keeli_team *team, uint32_t count) {
    const keel_executor *x = &team->world->executor;
    while (count-- && team->outstanding + 1 < team->world->worker_count) {
        ++team->outstanding;
        keeli_lock_give(&team->lock);
        const bool comes = x->submit(x->context, help, team);
        keeli_lock_take(&team->lock);
        if (comes) continue;
        --team->outstanding;
        return;
    }
}

static uint64_t worth(const keeli_team *team) {
    const keel_world *world = team->world;
    const bool is_ours = world->executor.context == &world->pool;
    return is_ours && keeli_pool_is_hot(&world->pool) ? WORTH_HOT_NS : WORTH_COLD_NS;
}

// How long the ready nodes take, as far as it was measured; `least` is enough.
static bool takes_longer(const keeli_schedule *s, uint64_t least) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->ready.count && sum < least; ++i) {
        const keeli_node *node = &s->nodes.items[s->ready.items[i]];
        if (node->kind != KEELI_NODE_SYSTEM && node->kind != KEELI_NODE_SYNC) continue;
        sum += node->is_measured ? node->cost : least;
    }
    return sum >= least;
}

static void call_for_nodes(keeli_team *team) {
    const keeli_schedule *s = team->schedule;
    if (!s || !s->ready.count || team->outstanding + 1 >= team->world->worker_count) return;
    if (takes_longer(s, worth(team))) call_helpers(team, s->ready.count);
}

// ------------------------------------------------------------------ nodes
static void make_ready(keeli_schedule *s, uint32_t node) {
    if (s->nodes.items[node].is_main)
        keeli_heap_push(s->ready_main.items, &s->ready_main.count, node);
    else keeli_heap_push(s->ready.items, &s->ready.count, node);
}

// The first that this lane may run, or KEELI_NO_NODE.
static uint32_t next_ready(const keeli_team *team, const keeli_lane *lane) {
    keeli_schedule *s = team->schedule;
    if (!s) return KEELI_NO_NODE;
    const bool is_caller = lane->number == 0;
    if (is_caller && s->ready_main.count &&
        (!s->ready.count || s->ready_main.items[0] < s->ready.items[0]))
        return keeli_heap_pop(s->ready_main.items, &s->ready_main.count);
    return s->ready.count ? keeli_heap_pop(s->ready.items, &s->ready.count) : KEELI_NO_NODE;
}

static void finish(keeli_team *team, uint32_t index, keel_result result) {
    keeli_schedule *s = team->schedule;
    keeli_node *node = &s->nodes.items[index];
    if (result < 0 && index < team->failed_node) {
        team->failed_node = index;
        team->failed_result = result;
    }
    node->has_ended = true;
    node->has_failed = result < 0 || node->is_blocked;
    for (uint32_t e = 0; e < node->edge_count; ++e) {
        const uint32_t next = s->edges.items[node->first_edge + e];
        keeli_node *waiting = &s->nodes.items[next];
        if (node->has_failed && !s->loose.items[node->first_edge + e]) waiting->is_blocked = true;
        if (--waiting->pending == 0) make_ready(s, next);
    }
    --team->unfinished;
}

static void run_node(keeli_team *team, keeli_lane *lane, uint32_t index) {
    const keeli_node *node = &team->schedule->nodes.items[index];
    keel_result result = KEEL_OK;
    const bool is_idle = keeli_node_is_idle(team->schedule, index);
    if (!is_idle && keeli_node_may_run(team->schedule, node)) {
        ++team->active;
        keeli_lock_give(&team->lock);
        lane->node = index;
        result = keeli_node_run(team->schedule, index, lane);
        lane->node = KEELI_NO_NODE;
        keeli_lock_take(&team->lock);
        --team->active;
    }
    finish(team, index, result);
    call_for_nodes(team);
    announce(team);
}

// ------------------------------------------------------------------ loops
static keeli_loop *open_loop(const keeli_team *team) {
    keeli_loop *loop = team->loops;
    while (loop && (loop->is_private || keeli_atomic_load(&loop->taken) >= loop->count))
        loop = loop->next;
    return loop;
}

// Help with a loop, with the lock.
static void join_loop(keeli_team *team, keeli_loop *loop, keeli_lane *lane) {
    ++loop->users;
    ++team->active;
    keeli_lock_give(&team->lock);
    const uint64_t began = keeli_clock_ns();
    loop->work(loop, lane);
    const uint64_t spent = keeli_clock_ns() - began;
    keeli_lock_take(&team->lock);
    loop->spent += spent;
    --team->active;
    --loop->users;
    announce(team);
}

// Is a node ready that stands before the system whose loop this is? Somebody in the loop may be
// waiting for its end, and all others there for that one's turn.
static bool has_earlier(const keeli_team *team, const keeli_loop *loop) {
    const keeli_schedule *s = team->schedule;
    return s && s->ready.count && s->ready.items[0] < loop->owner->node;
}

static void work(keeli_team *team, keeli_lane *lane) {
    for (;;) {
        if (!team->pausing) {
            keeli_loop *loop = open_loop(team);
            if (loop && has_earlier(team, loop)) loop = NULL;
            const uint32_t node = loop ? KEELI_NO_NODE : next_ready(team, lane);
            if (loop) join_loop(team, loop, lane);
            else if (node != KEELI_NO_NODE) run_node(team, lane, node);
            if (loop || node != KEELI_NO_NODE) continue;
        }
        if (!team->unfinished) return;
        // what is ready is for this lane: the others may all be waiting for it
        if (lane->number && !(team->pausing && team->schedule->ready.count)) return;
        wait_for_change(team);
    }
}

keeli_lane *keeli_team_open(keeli_team *team, keeli_schedule *s) {
    keeli_lane_enter(team->world, &team->lanes[0]);
    keeli_lock_take(&team->lock);
    team->schedule = s;
    team->unfinished = s ? s->nodes.count : 0;
    team->settled = 0;
    team->active = s ? 0 : 1;
    team->is_open = true;
    keeli_lock_give(&team->lock);
    return &team->lanes[0];
}

void keeli_team_close(keeli_team *team) {
    keeli_lock_take(&team->lock);
    team->is_open = false;
    team->active = 0;
    while (team->helpers) // that are about to leave
        wait_for_change(team);
    team->schedule = NULL;
    keeli_lock_give(&team->lock);
    keeli_lane_leave(team->world, &team->lanes[0]);
}

void keeli_team_run(keeli_team *team, keeli_schedule *s) {
    keeli_lane *lane = keeli_team_open(team, s);
    keeli_lock_take(&team->lock);
    s->ready.count = s->ready_main.count = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        if (!s->nodes.items[i].pending) make_ready(s, i);
    call_for_nodes(team);
    work(team, lane);
    keeli_lock_give(&team->lock);
    keeli_team_close(team);
}

keeli_loop *keeli_loop_take(keeli_team *team) {
    keeli_lock_take(&team->lock);
    keeli_loop *loop = team->spare_loops;
    if (loop) team->spare_loops = loop->next;
    keeli_lock_give(&team->lock);
    if (!loop) loop = KEELI_NEW(&team->world->heap, keeli_loop);
    if (!loop) return keeli_out_of_memory(team->world, "splitting a loop"), NULL;
    loop->team = team;
    loop->taken = loop->users = loop->settled = 0;
    loop->piece_ns = loop->spent = 0;
    loop->share = 1;
    loop->has_called = loop->is_private = false;
    loop->lists.count = loop->pieces.list.count = 0;
    return loop;
}

bool keeli_loop_size(keeli_loop *loop, uint32_t count, bool in_turns) {
    loop->count = count;
    loop->in_turns = in_turns;
    if (count > loop->most) loop->most = count;
    if (!in_turns) return true;
    if (!KEELI_RESERVE(&loop->team->world->heap, &loop->ended, count)) return false;
    if (count) memset(loop->ended.items, 0, count);
    return true;
}

void keeli_loop_give(keeli_loop *loop) {
    keeli_team *team = loop->team;
    keeli_lock_take(&team->lock);
    loop->next = team->spare_loops;
    team->spare_loops = loop;
    keeli_lock_give(&team->lock);
}

static void unlink_loop(keeli_team *team, keeli_loop *loop) {
    keeli_loop **at = &team->loops;
    while (*at != loop)
        at = &(*at)->next;
    *at = loop->next;
}

void keeli_loop_run(keeli_loop *loop, keeli_lane *lane) {
    keeli_team *team = loop->team;
    loop->owner = lane;
    loop->has_called = team->world->worker_count < 2 || loop->is_private;
    const bool is_timed = !loop->has_called;
    keeli_lock_take(&team->lock);
    loop->next = team->loops;
    team->loops = loop;
    keeli_lock_give(&team->lock);
    loop->began = is_timed ? keeli_clock_ns() : 0;
    loop->work(loop, lane);
    const uint64_t spent = is_timed ? keeli_clock_ns() - loop->began : 0;
    keeli_lock_take(&team->lock);
    if (loop->users) --team->active;
    const bool waits = loop->users > 0;
    if (waits) announce(team);
    while (loop->users)
        wait_for_change(team);
    while (waits && team->pausing)
        wait_for_change(team);
    if (waits) ++team->active;
    unlink_loop(team, loop);
    if (is_timed) loop->piece_ns = (spent + loop->spent) / loop->count;
    keeli_lock_give(&team->lock);
}

// Are the pieces that are left worth another lane?
static void call_if_worth(keeli_loop *loop, uint32_t left) {
    keeli_team *team = loop->team;
    const uint64_t all = loop->piece_ns * left, least = worth(team);
    if (all < least) return;
    loop->has_called = true;
    const uint64_t fair = left / (team->world->worker_count * 2), share = SHARE_NS / loop->piece_ns;
    const uint64_t smaller = share < fair ? share : fair;
    // lanes that were idle may be in the loop already
    keeli_atomic_store(&loop->share, smaller ? (uint32_t)smaller : 1);
    const uint64_t helpers = all / least;
    keeli_lock_take(&team->lock);
    call_helpers(team, helpers < left ? (uint32_t)helpers : left);
    keeli_lock_give(&team->lock);
}

// What pieces took the last time tells how long they will take, and those that the owner has ended;
// it looks after 1, 2, 4, 8 and so on.
static void consider_helpers(keeli_loop *loop, uint32_t taken) {
    if (taken & (taken - 1)) return;
    if (taken) loop->piece_ns = (keeli_clock_ns() - loop->began) / taken;
    if (loop->piece_ns) call_if_worth(loop, loop->count - taken);
}

// A lane that wants to be alone waits for this one.
static void pause_here(keeli_team *team) {
    keeli_lock_take(&team->lock);
    --team->active;
    announce(team);
    while (team->pausing)
        wait_for_change(team);
    ++team->active;
    keeli_lock_give(&team->lock);
}

uint32_t keeli_loop_next(keeli_loop *loop, const keeli_lane *lane, keeli_share *share) {
    keeli_team *team = loop->team;
    if (keeli_atomic_load(&team->pausing)) pause_here(team);
    if (share->next < share->end) return share->next++;
    const uint32_t taken = keeli_atomic_load(&loop->taken);
    if (taken >= loop->count) return UINT32_MAX;
    const uint32_t left = loop->count - taken;
    const bool is_first = lane == loop->owner && !loop->has_called;
    if (is_first) consider_helpers(loop, taken);
    const bool is_alone = is_first && !loop->has_called;
    // several at once while there are many; the last ones as few as are worth it; as long as nobody
    // is called, all until the next look
    const uint32_t many = is_alone ? taken : is_first ? 0 : left / (team->world->worker_count * 8);
    const uint32_t least = is_first ? 1 : keeli_atomic_load(&loop->share);
    const uint32_t count = many > least ? many : least;
    share->next = keeli_atomic_take(&loop->taken, count);
    share->end = share->next + count;
    if (share->next >= loop->count) return share->next = share->end = 0, UINT32_MAX;
    if (share->end > loop->count) share->end = loop->count;
    return share->next++;
}

void keeli_loop_ended(keeli_loop *loop, uint32_t piece) {
    if (!loop->in_turns) return;
    keeli_atomic_store_byte(&loop->ended.items[piece], 1);
    keeli_team *team = loop->team;
    if (!keeli_atomic_load(&team->waiting)) return;
    keeli_lock_take(&team->lock); // somebody waits for its turn
    announce(team);
    keeli_lock_give(&team->lock);
}

// ------------------------------------------------------------------ turns
static bool is_turn(keeli_team *team, uint32_t node, keeli_loop *loop, uint32_t piece) {
    for (; team->schedule && team->settled < node; ++team->settled) {
        const keeli_node *n = &team->schedule->nodes.items[team->settled];
        if (n->creates && !n->has_ended) return false;
    }
    for (; loop && loop->settled < piece; ++loop->settled)
        if (!keeli_atomic_load_byte(&loop->ended.items[loop->settled])) return false;
    return true;
}

// With the lock; this lane does not count as active meanwhile.
static void await_turn(keeli_team *team, uint32_t node, keeli_loop *loop, uint32_t piece) {
    keeli_atomic_store(&team->waiting, team->waiting + 1);
    announce(team);
    while (!is_turn(team, node, loop, piece))
        wait_for_change(team);
    keeli_atomic_store(&team->waiting, team->waiting - 1);
}

void keeli_team_turn(keeli_team *team, keeli_loop *loop, uint32_t piece) {
    keeli_lock_take(&team->lock);
    --team->active;
    await_turn(team, 0, loop, piece);
    while (team->pausing)
        wait_for_change(team);
    ++team->active;
    keeli_lock_give(&team->lock);
}

void keeli_team_alone(keeli_team *team, uint32_t node, keeli_loop *loop, uint32_t piece,
                      void (*call)(void *data), void *data) {
    keeli_lock_take(&team->lock);
    --team->active;
    await_turn(team, node, loop, piece);
    keeli_atomic_store(&team->pausing, 1);
    while (team->active)
        wait_for_change(team);
    call(data);
    keeli_atomic_store(&team->pausing, 0);
    ++team->active;
    announce(team);
    call_for_nodes(team);
    const keeli_loop *open = open_loop(team);
    if (open) call_helpers(team, open->count - keeli_atomic_load(&open->taken));
    keeli_lock_give(&team->lock);
}
