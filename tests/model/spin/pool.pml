// SPDX-License-Identifier: MIT
// The pool of threads, src/base/pool.c: looking for a job, sleeping, being called, the end.
//
// Each step is one atomic operation of the code, or what is done with a lock in hand; its function
// is named beside it. PUSHERS threads outside queue JOBS jobs each; the first job of all queues one
// more, as jobs may. Then they wait until all jobs were run, and only then the pool stops: a job
// that nobody hears of is a deadlock, which spin calls an invalid end state. Whether a worker looks
// once more or gives up is left open, as time would.
//
// Spin has all threads see all writes in one order. That this is so for `tail`, `head` and `idle`
// is what keeli_ordered_* asks of the processor; ThreadSanitizer and the preset `perturb` look at
// the rest. PLANTED defects: 1 park does not look again, 2 park looks before it counts as parked,
// 3 stop calls one sleeper only, 4 a cell is given to the next round before its job was read.
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef PUSHERS
#define PUSHERS 1
#endif
#ifndef JOBS
#define JOBS 2
#endif
#ifndef PLANTED
#define PLANTED 0
#endif
#define ALL (PUSHERS * JOBS + 1)
#define CAPACITY 2

// ---- the queue
byte tail, head, turn[CAPACITY], job[CAPACITY];
byte runs[ALL]; // how often each job was run
byte done, ended, pushers_left = PUSHERS;
// ---- `idle`
#define SPINNING 1
#define WAKING 16
#define PARKED 256
#define spinning(i) (i % 16)
#define waking(i) (i / 16 % 16)
#define parked(i) (i / 256)
#define looking(i) (spinning(i) + waking(i))
short idle;
bit stopping, lock, pool_lock;
byte calls, thread_count;
bool asleep[WORKERS];

#define take(l) atomic { l == 0; l = 1 }
#define give(l) l = 0

inline wake_one() { // keeli_condition_wake: anybody who sleeps
    atomic {
        if
        :: asleep[0] -> asleep[0] = false
#if WORKERS > 1
        :: asleep[1] -> asleep[1] = false
#endif
#if WORKERS > 2
        :: asleep[2] -> asleep[2] = false
#endif
        :: else
        fi
    }
}
inline wake_all() {
    d_step {
        asleep[0] = false;
#if WORKERS > 1
        asleep[1] = false;
#endif
#if WORKERS > 2
        asleep[2] = false;
#endif
    }
}

// push: the queue is full when the job of the round before is there; whoever pushes tries again.
inline push(number) {
    at = tail;
    do
    :: true ->
        t = turn[at % CAPACITY]; // keeli_atomic_load(&cell->turn)
        if
        :: t < at -> at = tail // full: keel runs the job without help; here it is tried again
        :: t > at -> at = tail
        :: t == at ->
            atomic { // keeli_ordered_swap(&tail)
                if
                :: tail == at -> tail++; won = true
                :: else -> at = tail; won = false
                fi
            }
            if
            :: won ->
                job[at % CAPACITY] = number;
                turn[at % CAPACITY] = at + 1;
                break
            :: else
            fi
        fi
    od;
    won = false; t = 0; at = 0
}

inline pop(got, number) {
    at = head;
    do
    :: true ->
        t = turn[at % CAPACITY];
        if
        :: t < at + 1 -> got = false; break
        :: t > at + 1 -> at = head
        :: t == at + 1 ->
            atomic { // keeli_ordered_swap(&head)
                if
                :: head == at -> head++; won = true
                :: else -> at = head; won = false
                fi
            }
            if
            :: won ->
#if PLANTED == 4
                turn[at % CAPACITY] = at + CAPACITY;
                number = job[at % CAPACITY];
#else
                number = job[at % CAPACITY];
                turn[at % CAPACITY] = at + CAPACITY;
#endif
                got = true; break
            :: else
            fi
        fi
    od;
    won = false; t = 0; at = 0
}

// waiting: `head` first, so that it is never more than there are
inline waiting(n) {
    at = head;
    n = tail - at;
    at = 0
}

inline call_sleepers(count) {
    take(lock);
    calls = calls + count;
    give(lock);
    if
    :: count == 1 -> wake_one()
    :: else -> wake_all()
    fi
}

inline call_if_short(yes) {
    yes = true;
    i = idle;
    do
    :: true ->
        waiting(n);
        if
        :: n <= looking(i) -> break
        :: n > looking(i) && parked(i) == 0 -> yes = false; break
        :: n > looking(i) && parked(i) > 0 ->
            atomic { // keeli_ordered_swap(&idle)
                if
                :: idle == i -> idle = i - PARKED + WAKING; won = true
                :: else -> i = idle; won = false
                fi
            }
            if
            :: won -> call_sleepers(1); break
            :: else
            fi
        fi
    od;
    won = false; i = 0; n = 0
}

// start_thread, with pool->lock
inline start_thread() {
    idle = idle + WAKING;
    run worker(thread_count);
    thread_count++
}

inline get_help() {
    call_if_short(yes);
    if
    :: !yes && thread_count < WORKERS -> // start_another_thread
        take(pool_lock);
        if
        :: !stopping && thread_count < WORKERS -> start_thread()
        :: else
        fi;
        give(pool_lock)
    :: else
    fi;
    yes = false
}

proctype worker(byte self) {
    byte at, t, n, number;
    short i;
    bool won, yes, got;
    idle = idle + SPINNING - WAKING; // run_worker
look:
    pop(got, number); // spin: the first look
    if
    :: got -> goto found
    :: else
    fi;
    if
    :: goto look // spin goes on,
    :: skip      // or has looked for long enough
    fi;
    if // find_job
    :: stopping ->
        waiting(n);
        if
        :: n == 0 -> goto out
        :: else -> n = 0
        fi
    :: else
    fi;
    // park
#if PLANTED == 2
    waiting(n);
    yes = (n > 0) || stopping;
    idle = idle + PARKED - SPINNING;
#else
    idle = idle + PARKED - SPINNING;
    waiting(n);
    yes = (n > 0) || stopping;
#endif
    n = 0;
#if PLANTED == 1
    yes = false;
#endif
    if
    :: yes -> // unpark
        yes = false;
        i = idle;
        do
        :: parked(i) == 0 -> break
        :: parked(i) > 0 ->
            atomic { // keeli_ordered_swap(&idle)
                if
                :: idle == i -> idle = i - PARKED + SPINNING; yes = true
                :: else -> i = idle
                fi
            }
            if
            :: yes -> break
            :: else
            fi
        od;
        i = 0;
        if
        :: yes -> yes = false; goto look
        :: else
        fi
    :: else
    fi;
    take(lock);
    do
    :: calls > 0 -> break
    :: calls == 0 -> // keeli_condition_wait gives the lock and sleeps in one step
        atomic { lock = 0; asleep[self] = true };
        !asleep[self];
        take(lock)
    od;
    calls--;
    give(lock);
    idle = idle + SPINNING - WAKING;
    goto look;
found:
    idle = idle - SPINNING; // run_worker
    get_help();
    do
    :: true ->
        atomic { runs[number]++; assert(runs[number] == 1) };
        if
        :: number == 0 -> push(ALL - 1); get_help() // a job submits one
        :: else
        fi;
        atomic { done++; number = 0 };
        pop(got, number);
        if
        :: got
        :: else -> break
        fi
    od;
    idle = idle + SPINNING;
    goto look;
out:
    ended++
}

proctype pusher(byte first) {
    byte at, t, n, k;
    short i;
    bool won, yes;
    for (k : 0 .. JOBS - 1) {
        if // keeli_pool_submit: start_first_thread
        :: thread_count == 0 ->
            take(pool_lock);
            if
            :: thread_count == 0 -> start_thread()
            :: else
            fi;
            give(pool_lock)
        :: else
        fi;
        push(first + k);
        get_help()
    }
    pushers_left--
}

proctype owner() { // keeli_pool_deinit
    short i;
    byte count;
    pushers_left == 0 && done == ALL; // who waits for jobs waits for ever when one is lost
    take(pool_lock);
    stopping = 1;
    give(pool_lock);
    i = idle;
    do
    :: true ->
        atomic { // keeli_ordered_swap(&idle): all who are parked are called
            if
            :: idle == i -> idle = i - parked(i) * (PARKED - WAKING); break
            :: else -> i = idle
            fi
        }
    od;
    count = parked(i);
#if PLANTED == 3
    count = (count > 1 -> 1 : count);
#endif
    if
    :: count -> call_sleepers(count)
    :: else
    fi;
    ended == thread_count; // keeli_thread_join
    assert(done == ALL && head == tail && calls == 0);
    assert(idle == thread_count * SPINNING)
}

init {
    byte k;
    atomic {
        for (k : 0 .. CAPACITY - 1) { turn[k] = k }
        for (k : 0 .. PUSHERS - 1) { run pusher(k * JOBS) }
        run owner()
    }
}
