// SPDX-License-Identifier: MIT
// A run on several threads, src/run/workers.c, with a loop that is split, src/run/loop.c: nodes and
// pieces are handed out, workers wait, take turns, pause for one that needs the world for itself,
// come to help and leave; the run ends, and then the world.
//
//     node 0 --> node 1, which creates entities; MAIN=1: on the caller's thread only, and then
//                --> node 2, by chain_main of src/run/graph.c
//     node 2: a loop of PIECES pieces, of which each may want its turn, or the world for itself,
//             for which it waits until node 1 has ended
//     node 2 --> node 3, its commands
//
// What stands under the workers' lock is done with `lock` in hand; words that are read without it
// (`taken`, `ended`, `waiting`, `pausing`) take a step each, their functions are named beside them.
// How long things take decides who is called and how many pieces are taken at once: here all of it
// is possible. The number in `signal` is one bit for each worker, "has it changed since I looked".
//
// Each node and piece runs once; a turn comes when all before it have ended; who is alone is alone;
// the run returns when all has ended; nobody touches the workers after they were freed; nobody
// waits for ever (an invalid end state).
//
// Spin has all threads see all writes in one order. The code does not ask for that here: a piece
// that stores `ended` and then reads `waiting` may read it before its store arrives, and not wake
// who waits for its turn. That one is woken when its worker waits itself or leaves the loop, so
// it is late and not stuck; PLANTED=5 leaves out the announcement altogether and stays without
// error, which says the same. ThreadSanitizer and the preset `perturb` look at the rest.
//
// PLANTED defects: 1 a loop is joined though an earlier node is ready, 2 the end of a run does not
// wait for helpers (of three workers), 3 who waits for its turn stays at work, 4 pieces are taken in
// two steps, 6 the end of a node is not announced, 8 (with MAIN=1) node 2, which may wait for node 1,
// does not start after it.
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef PIECES
#define PIECES 2
#endif
#ifndef MAIN
#define MAIN 0
#endif
#ifndef PLANTED
#define PLANTED 0
#endif
#define NODES 4
#define LOOP 2 // the node
#define NONE 9

bit lock, pausing, is_open, freed;
byte at_work, helpers, outstanding, unfinished, waiting, jobs;
bool changed[WORKERS], asleep[WORKERS];
// ---- nodes
byte pending[NODES], node_runs[NODES];
bool ready[NODES], has_ended[NODES];
// ---- the loop
bool loop_listed;
byte taken, users, ended_before, piece_runs[PIECES];
bool ended[PIECES];
byte touching; // workers that run somebody's code now

#define take() atomic { lock == 0; lock = 1; assert(!freed) }
#define give() lock = 0
#define IS_CHAINED (MAIN && PLANTED != 8)
#define any_ready (ready[0] || (!MAIN && ready[1]) || ready[2] || ready[3])
#define ready_before_loop (ready[0] || (!MAIN && ready[1]))

// keeli_workers_announce, with the lock
inline announce() {
    d_step {
        changed[0] = true; asleep[0] = false;
        changed[1] = true; asleep[1] = false;
#if WORKERS > 2
        changed[2] = true; asleep[2] = false;
#endif
    }
}

// keeli_workers_await_change, with the lock: it looks for a while without it, then sleeps
inline await_change(who) {
    atomic { changed[who] = false; lock = 0 };
    take();
    if
    :: changed[who]
    :: else ->
        atomic { asleep[who] = true; lock = 0 }; // keeli_condition_wait
        !asleep[who];
        take()
    fi
}

// keeli_workers_call, with the lock: for as many as are wanted, or until the executor refuses
inline call_helpers() {
    do
    :: outstanding + 1 < WORKERS ->
        outstanding++;
        give();
        if
        :: jobs++; take()
        :: take(); outstanding--; break
        fi
    :: break
    od
}

// is_turn of a piece, or of its node and then the piece
#define node_turn (has_ended[1])
inline look_at_turn(piece) {
    is_turn = true;
    do
    :: ended_before < piece && ended[ended_before] -> ended_before++ // keeli_atomic_load
    :: ended_before < piece && !ended[ended_before] -> is_turn = false; break
    :: ended_before >= piece -> break
    od
}

inline await_turn(who, piece, of_node) {
#if PLANTED != 3
    at_work--;
#endif
    waiting++;
    announce();
    do
    :: true ->
        is_turn = false;
        if
        :: !of_node || node_turn -> look_at_turn(piece)
        :: else
        fi;
        if
        :: is_turn -> break
        :: else -> await_change(who)
        fi
    od;
    assert(!of_node || has_ended[1]);
    is_turn = false;
    waiting--
}

inline resume(who) {
    do
    :: pausing -> await_change(who)
    :: else -> break
    od;
    at_work++;
    give()
}

// keeli_workers_alone, of a piece
inline alone(who, piece) {
    take();
    await_turn(who, piece, true);
    do
    :: pausing -> await_change(who)
    :: else -> break
    od;
    pausing = 1;
    do
    :: at_work > 0 -> await_change(who)
    :: else -> break
    od;
    assert(touching == 0);
    pausing = 0;
    at_work++;
    announce();
    call_helpers();
    give()
}

// next_piece: `next` to below `end` are this worker's
inline next_piece(who) {
    if
    :: pausing -> take(); at_work--; announce(); resume(who) // keeli_workers_pause
    :: else
    fi;
    if
    :: next < end -> piece = next; next++
    :: else ->
        piece = NONE;
        seen = taken;
        if
        :: seen < PIECES ->
            if // consider_helpers
            :: owns -> take(); call_helpers(); give()
            :: skip
            fi;
            if
            :: size = 1
            :: size = 2
            fi;
#if PLANTED == 4
            next = seen;
            taken = seen + size;
#else
            atomic { next = taken; taken = taken + size }; // keeli_atomic_fetch_add
#endif
            end = (next + size > PIECES -> PIECES : next + size);
            size = 0;
            if
            :: next < PIECES -> piece = next; next++
            :: else -> next = 0; end = 0
            fi
        :: else
        fi;
        seen = 0
    fi
}

// keeli_loop_work
inline loop_work(who) {
    next = 0; end = 0;
    do
    :: true ->
        next_piece(who);
        if
        :: piece == NONE -> break
        :: else
        fi;
        atomic { touching++; piece_runs[piece]++; assert(piece_runs[piece] == 1) };
        touching--;
        if // what the piece records
        :: skip
        :: take(); await_turn(who, piece, false); resume(who); // next_handle
           for (seen : 0 .. PIECES - 1) { assert(seen >= piece || ended[seen]) };
           seen = 0
        :: alone(who, piece) // reserve_more, make_known
        fi;
        ended[piece] = true; // end_piece
        if
        :: waiting && PLANTED != 5 -> take(); announce(); give()
        :: else
        fi
    od;
    next = 0; end = 0; piece = 0
}

// run_batch
inline run_loop(who) {
    owns = true;
    take();
    loop_listed = true;
    give();
    loop_work(who);
    owns = false;
    take(); // await_helpers
    if
    :: users ->
        at_work--;
        announce();
        do
        :: users || pausing -> await_change(who)
        :: else -> break
        od;
        at_work++
    :: else
    fi;
    loop_listed = false;
    give();
    for (seen : 0 .. PIECES - 1) { assert(piece_runs[seen] == 1 && ended[seen]) };
    seen = 0
}

inline release(to) { // in finish_node
    pending[to]--;
    if
    :: pending[to] == 0 -> ready[to] = true
    :: else
    fi
}

// work_on_node and finish_node
inline work_on_node(who) {
    at_work++;
    give();
    atomic { touching++; node_runs[node]++; assert(node_runs[node] == 1) };
    touching--;
    if
    :: node == LOOP -> run_loop(who)
    :: else
    fi;
    take();
    at_work--;
    has_ended[node] = true;
    if
    :: node == 0 -> release(1)
    :: node == 1 && IS_CHAINED -> release(2)
    :: node == LOOP -> release(3)
    :: else
    fi;
    unfinished--;
    call_helpers(); // call_for_nodes
#if PLANTED != 6
    announce()
#endif
}

inline next_ready(who) {
    node = NONE;
    d_step {
        if
        :: ready[0] -> node = 0
        :: !ready[0] && ready[1] && (!MAIN || who == 0) -> node = 1
        :: !ready[0] && !(ready[1] && (!MAIN || who == 0)) && ready[2] -> node = 2
        :: !ready[0] && !(ready[1] && (!MAIN || who == 0)) && !ready[2] && ready[3] -> node = 3
        :: else
        fi;
        if
        :: node != NONE -> ready[node] = false
        :: else
        fi
    }
}

inline join_loop(who) {
    users++;
    at_work++;
    give();
    loop_work(who);
    take();
    at_work--;
    users--;
    announce()
}

#if PLANTED == 1
#define goes_before false
#else
#define goes_before ready_before_loop
#endif

// work, with the lock
inline work(who) {
    do
    :: true ->
        node = NONE;
        joins = !pausing && loop_listed && taken < PIECES; // keeli_loop_open
        joins = joins && !goes_before;
        if
        :: !joins && !pausing -> next_ready(who)
        :: else
        fi;
        if
        :: joins -> joins = false; join_loop(who)
        :: !joins && node != NONE -> work_on_node(who)
        :: else ->
            if
            :: unfinished == 0 -> break
            :: else
            fi;
            if
            :: who > 0 && !(pausing && any_ready) -> break
            :: else
            fi;
            await_change(who)
        fi
    od;
    node = 0
}

#define own_words                                                                                  \
    byte next, end, piece, seen, size, node;                                                       \
    bool is_turn, owns, joins

// The executor's thread: help.
proctype helper(byte who) {
    own_words;
end_idle:
    atomic { jobs > 0; jobs-- };
    take();
    if
    :: is_open -> helpers++; work(who); helpers--
    :: else
    fi;
    outstanding--;
    announce();
    give();
    goto end_idle
}

// keeli_workers_run, keeli_workers_close, and keeli_workers_deinit when the world goes.
proctype caller() {
    own_words;
    take();
    unfinished = NODES;
    is_open = 1;
    give();
    take();
    d_step { pending[1] = 1; pending[2] = IS_CHAINED; pending[3] = 1; ready[0] = true; ready[2] = !IS_CHAINED };
    call_helpers();
    work(0);
    give();
    take();
    is_open = 0;
    at_work = 0;
    do
    :: helpers && PLANTED != 2 -> await_change(0)
    :: else -> break
    od;
    give();
    for (seen : 0 .. NODES - 1) { assert(node_runs[seen] == 1 && has_ended[seen]) };
    assert(helpers == 0 && users == 0 && !loop_listed && touching == 0 && !waiting && !pausing);
    take();
    do
    :: outstanding -> await_change(0)
    :: else -> break
    od;
    atomic { give(); freed = 1 }
}

init {
    byte k;
    atomic {
        run caller();
        for (k : 1 .. WORKERS - 1) { run helper(k) }
    }
}
