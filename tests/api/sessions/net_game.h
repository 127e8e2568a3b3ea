// SPDX-License-Identifier: MIT
// A small game for tests of sessions, and some machines that play it over a loopback network. Tests
// of tests/api/sessions include it.
#pragma once
#include "support/test.h"

#include <keel_session.h>

#include <stdio.h>
#include <string.h>

typedef struct Pad {
    int8_t x, y;
    uint8_t fire, aim;
} Pad;
typedef struct Ship {
    float x, y;
    uint32_t player, shots, alone;
} Ship;
typedef struct Shot {
    float x, y;
    int32_t life;
} Shot;
KEEL_FIELDS(Ship, x, y, player, shots, alone);
KEEL_COMPONENT(Ship, KEEL_HAS_FIELDS(Ship));
KEEL_FIELDS(Shot, x, y, life);
KEEL_COMPONENT(Shot, KEEL_HAS_FIELDS(Shot), .storage = KEEL_ARCHETYPE);

enum { MACHINES = 8, FRAMES = 4000 };

// What one machine saw of its frames: the last time that each was played.
typedef struct seen_frame {
    uint8_t state[KEEL_SESSION_MAX_PLAYERS];
    Pad pad[KEEL_SESSION_MAX_PLAYERS];
    uint32_t times;
} seen_frame;

typedef struct machine {
    keel_world *world;
    keel_session *session;
    keel_session_desc desc;
    seen_frame *seen;
    keel_session_event events[256];
    uint32_t event_count;
    double speed;      // its clock
    bool is_stopped;   // does nothing
    uint64_t plant_at; // computes something else in this frame; 0: never
    uint64_t nudge_at; // ship 0 jumps in this frame; 0: never
    uint32_t once_new, once_undone;
    Pad pad;
} machine;
static machine machines[MACHINES];
static keel_loopback *network;
static machine *playing; // the machine that advances

KEEL_SYSTEM(steer, KEEL_WRITE(Ship, s), KEEL_UNIQUE_READ(keel_inputs, in), KEEL_COMMANDS(out)) {
    const Pad *pad = keel_input_of(in, s->player, Pad);
    s->x += (float)pad->x * 0.1F;
    s->y += (float)pad->y * 0.1F;
    if (playing->nudge_at && playing->nudge_at == in->frame && s->player == 0) s->x += 1;
    s->alone += in->state[s->player] == KEEL_INPUT_GONE;
    if (!pad->fire) return;
    ++s->shots;
    keel_add_entity(out, KEEL_INIT(Shot, { s->x, s->y, 20 }));
}
KEEL_SYSTEM(fly, KEEL_WRITE(Shot, s), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    s->x += 0.25F;
    if (--s->life <= 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM_ONCE(see, KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (!playing->seen || in->frame >= FRAMES) return;
    seen_frame *f = &playing->seen[in->frame];
    ++f->times;
    for (uint32_t i = 0; i < in->players; ++i) {
        f->state[i] = in->state[i];
        f->pad[i] = *keel_input_of(in, i, Pad);
        if (f->pad[i].aim) playing->once_new += keel_session_once(playing->session, f->pad[i].aim);
    }
}
KEEL_WORKLOAD(net_frame, KEEL_STEP(see, .main_thread = true), KEEL_STEP(steer), KEEL_STEP(fly));

static keel_world *net_world(uint32_t players) {
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Ship, Shot);
    for (uint32_t i = 0; i < players; ++i) {
        char name[16];
        snprintf(name, sizeof name, "ship %u", (unsigned)i);
        const keel_entity e = keel_add_entity(w, KEEL_INIT(Ship, { (float)i, 0, i, 0, 0 }));
        keel_set_name(w, e, name);
    }
    return w;
}

static void net_begin(const keel_loopback_desc *weather) {
    keel_loopback_desc desc = *weather;
    desc.peers = MACHINES;
    memset(machines, 0, sizeof machines);
    network = keel_loopback_create(&desc);
    assert_non_null(network);
}

// Begins the session of a machine, with some members of `desc` filled in.
static machine *net_machine(uint32_t i, const keel_session_desc *desc) {
    machine *m = &machines[i];
    m->world = net_world(8);
    m->speed = 1;
    m->seen = calloc(FRAMES, sizeof *m->seen);
    m->desc = *desc;
    keel_error error = { 0 };
    m->desc.error = &error;
    if (!m->desc.step) m->desc.step = KEEL_WORKLOAD_OF(net_frame);
    if (!m->desc.input_size) m->desc.input_size = sizeof(Pad);
    if (!m->desc.seed) m->desc.seed = 5;
    m->desc.transport = keel_loopback_transport(network, i);
    m->session = keel_session_begin(m->world, &m->desc);
    if (!m->session) fail_msg("%s", error.message);
    return m;
}

static void net_end_machine(machine *m) {
    playing = m;
    keel_session_end(m->session);
    keel_world_destroy(m->world);
    free(m->seen);
    *m = (machine){ .is_stopped = true };
}

static void net_end(void) {
    for (uint32_t i = 0; i < MACHINES; ++i)
        if (machines[i].world) net_end_machine(&machines[i]);
    keel_loopback_destroy(network);
}

static void net_step(machine *m, double seconds) {
    if (!m->session || m->is_stopped) return;
    playing = m;
    keel_session_poll(m->session);
    const uint32_t player = keel_session_status_of(m->session).local_player;
    if (player != KEEL_SESSION_NO_PLAYER)
        (void)keel_session_give_input(m->session, player, &m->pad);
    (void)keel_session_advance(m->session, seconds * m->speed);
    for (keel_session_event e; keel_session_next_event(m->session, &e);) {
        m->once_undone += e.kind == KEEL_SESSION_UNDONE;
        if (e.kind != KEEL_SESSION_ROLLED_BACK && m->event_count < 256)
            m->events[m->event_count++] = e;
    }
}

// Lets all machines play for some steps of a sixtieth of a second.
static void net_run(uint32_t steps) {
    for (uint32_t t = 0; t < steps; ++t) {
        keel_loopback_advance(network, 1.0 / 60);
        for (uint32_t i = 0; i < MACHINES; ++i)
            net_step(&machines[i], 1.0 / 60);
    }
}

// The same, while players press keys at random.
static inline void net_run_wild(uint32_t steps, uint32_t seed) {
    for (uint32_t t = 0; t < steps; ++t) {
        for (uint32_t i = 0; i < MACHINES; ++i) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 30) continue;
            machines[i].pad =
                (Pad){ (int8_t)(seed >> 8 & 3), (int8_t)(seed >> 10 & 3), seed >> 12 & 1, 0 };
        }
        net_run(1);
    }
}

// Begins a game of `count` machines. They meet in calm weather.
static inline void net_start(const keel_loopback_desc *weather, uint32_t count,
                             const keel_session_desc *desc) {
    net_begin(&(keel_loopback_desc){ .delay_ms = 5, .seed = weather->seed });
    keel_session_desc d = *desc;
    if (!d.players) d.players = count;
    for (uint32_t i = 0; i < count; ++i) {
        machine *m = net_machine(i, &d);
        const keel_result result =
            i ? keel_session_connect(m->session, "0", 0) : keel_session_listen(m->session, 0);
        assert_int_equal(result, KEEL_OK);
    }
    for (uint32_t i = 0; i < 30 && !keel_session_status_of(machines[count - 1].session).is_playing;
         ++i)
        net_run(1);
    keel_loopback_set(network, weather);
}

static keel_session_status status_of(uint32_t i) {
    return keel_session_status_of(machines[i].session);
}

// Returns the first event of a kind, or NULL.
static inline const keel_session_event *event_of(uint32_t i, keel_session_event_kind kind) {
    for (uint32_t k = 0; k < machines[i].event_count; ++k)
        if (machines[i].events[k].kind == kind) return &machines[i].events[k];
    return NULL;
}

// Asserts that two machines played the same inputs in all frames that both have confirmed, and that
// no machine saw a difference. Returns that number of frames.
static inline uint64_t assert_same_game(uint32_t a, uint32_t b) {
    const keel_session_status x = status_of(a), y = status_of(b);
    uint64_t end = x.confirmed < y.confirmed ? x.confirmed : y.confirmed;
    end = end < x.frame ? end : x.frame;
    end = end < y.frame ? end : y.frame;
    for (uint64_t f = 0; f < end; ++f) {
        const seen_frame *p = &machines[a].seen[f], *q = &machines[b].seen[f];
        if (!p->times || !q->times) continue;
        assert_memory_equal(p->pad, q->pad, sizeof p->pad);
        for (uint32_t i = 0; i < x.players; ++i)
            assert_int_equal(p->state[i] == KEEL_INPUT_GONE, q->state[i] == KEEL_INPUT_GONE);
    }
    assert_null(event_of(a, KEEL_SESSION_DIFFERS));
    assert_null(event_of(b, KEEL_SESSION_DIFFERS));
    return end;
}
