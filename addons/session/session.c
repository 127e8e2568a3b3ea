// SPDX-License-Identifier: MIT
// The public functions of a session: its begin and end, inputs, time, events and status.
#include "session.h"
#include "game.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double longest_step = 0.25; // seconds of an advance that count

// ------------------------------------------------------------------ events
// Writes the sentence of an event that its place in the code does not give one.
static void write_sentence(keel_session_event *e) {
    const unsigned long long frame = e->frame;
    char who[24] = "somebody";
    if (e->player != KEEL_SESSION_NO_PLAYER)
        snprintf(who, sizeof who, "player %u", (unsigned)e->player);
#define SAY(...) snprintf(e->text, sizeof e->text, __VA_ARGS__)
    switch (e->kind) {
    case KEEL_SESSION_STARTED:
        SAY("the game begins with frame %llu", frame);
        break;
    case KEEL_SESSION_JOINED:
        SAY("%s plays from frame %llu on", who, frame);
        break;
    case KEEL_SESSION_LEFT:
        SAY("%s is gone from frame %llu on", who, frame);
        break;
    case KEEL_SESSION_SILENT:
        SAY("nothing was heard of %s for a second", who);
        break;
    case KEEL_SESSION_HEARD:
        SAY("%s is heard again", who);
        break;
    case KEEL_SESSION_WAITING:
        SAY("waiting for the input of %s for frame %llu", who, frame);
        break;
    case KEEL_SESSION_RESUMED:
        SAY("playing on after waiting");
        break;
    case KEEL_SESSION_ROLLED_BACK:
        SAY("went back to frame %llu", frame);
        break;
    case KEEL_SESSION_UNDONE:
        SAY("what was reported in frame %llu did not happen", frame);
        break;
    case KEEL_SESSION_DIFFERS:
        SAY("the world of %s is another one in frame %llu", who, frame);
        break;
    case KEEL_SESSION_CHEATS:
        SAY("%s sent two inputs for frame %llu", who, frame);
        break;
    case KEEL_SESSION_SPECTATOR:
        SAY("a spectator came");
        break;
    case KEEL_SESSION_REFUSED:
    case KEEL_SESSION_DROPPED:
    case KEEL_SESSION_WARNING:
    case KEEL_SESSION_FAILED:
        break;
    }
#undef SAY
}

keel_session_event *keeli_session_event(keel_session *s, keel_session_event_kind kind,
                                        uint32_t player, uint64_t frame, const char *text) {
    if (s->event_count == EVENTS) {
        s->event_first = (s->event_first + 1) % EVENTS;
        --s->event_count;
    }
    keel_session_event *event = &s->events[(s->event_first + s->event_count++) % EVENTS];
    *event = (keel_session_event){ .kind = kind, .player = player, .frame = frame };
    if (text) snprintf(event->text, sizeof event->text, "%s", text);
    else write_sentence(event);
    return event;
}

void keeli_session_stop(keel_session *s, keel_session_event_kind kind, const char *text) {
    if (s->phase == PHASE_ENDED) return;
    s->phase = PHASE_ENDED;
    keeli_session_event(s, kind, KEEL_SESSION_NO_PLAYER, s->in.now, text);
}

bool keel_session_next_event(keel_session *s, keel_session_event *event) {
    if (!s || !event || !s->event_count) return false;
    *event = s->events[s->event_first];
    s->event_first = (s->event_first + 1) % EVENTS;
    --s->event_count;
    return true;
}

// ------------------------------------------------------------------ begin
static void fill_defaults(keel_session_desc *d) {
    const struct {
        uint32_t *member;
        uint32_t usual;
    } defaults[] = { { &d->start_players, d->players },
                     { &d->local_players, d->spectates ? 0 : 1 },
                     { &d->rate, 60 },
                     { &d->input_delay, 2 },
                     { &d->max_rollback, 8 },
                     { &d->check_every, 30 },
                     { &d->timeout_ms, 5000 } };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; ++i)
        if (!*defaults[i].member) *defaults[i].member = defaults[i].usual;
    if (d->input_delay == KEEL_SESSION_NO_DELAY) d->input_delay = 0;
    if (d->max_rollback == KEEL_SESSION_LOCKSTEP) d->max_rollback = 0;
    if (!d->max_image_bytes) d->max_image_bytes = 64u << 20;
}

// Returns what is wrong with a descriptor, or NULL.
static const char *find_mistake(const keel_session_desc *d) {
    if (!d->step) return "a session needs .step, the workload that plays one frame";
    if (!d->input_size || d->input_size > KEEL_SESSION_MAX_INPUT)
        return "the .input_size of a session is 1 to 64 bytes";
    if (d->players < 1 || d->players > KEEL_SESSION_MAX_PLAYERS)
        return "a session has 1 to 8 .players";
    if (d->start_players > d->players || d->local_players > d->players)
        return "a session cannot have more .start_players or .local_players than .players";
    if (d->spectates && d->local_players) return "who .spectates has no .local_players";
    if (d->rate > 1000) return "the .rate of a session is 1 to 1,000 frames a second";
    if (d->input_delay > KEEL_SESSION_MAX_DELAY)
        return "the .input_delay of a session is at most 32 frames";
    if (d->max_rollback > KEEL_SESSION_MAX_ROLLBACK)
        return "the .max_rollback of a session is at most 32 frames";
    if (d->transport.self && (!d->transport.send || !d->transport.receive))
        return "a transport needs the functions send and receive";
    return NULL;
}

// Fills in the error of a session that cannot begin. Returns NULL.
static keel_session *refuse_begin(const keel_session_desc *d, keel_result result,
                                  const char *text) {
    if (d && d->error) {
        *d->error = (keel_error){ .result = result };
        snprintf(d->error->message, sizeof d->error->message, "%s", text);
    }
    return NULL;
}

// Ends a session that could not begin; its transport stays with the caller. Returns NULL.
static keel_session *begin_failed(keel_session *s, keel_error error) {
    if (s->desc.error) *s->desc.error = error;
    s->desc.transport = (keel_session_transport){ 0 };
    keel_session_end(s);
    return NULL;
}

// Returns a number that other sessions do not have.
static uint32_t session_number(const keel_session_desc *d) {
    uint64_t seed = (uint64_t)time(NULL) * 1000000007u + (uint64_t)clock() + (uintptr_t)d;
#ifdef TIME_UTC // mingw-w64 lacks it
    struct timespec now = { 0 };
    timespec_get(&now, TIME_UTC);
    seed += (uint64_t)now.tv_nsec << 20;
#endif
    seed = d->seed ? d->seed : seed;
    return (uint32_t)(keeli_random(&seed) >> 32) | 1;
}

keel_session *keel_session_begin_with(keel_world *world, const keel_session_desc *desc,
                                      uint32_t float_problems) {
    if (!world || !desc)
        return refuse_begin(desc, KEEL_ERROR_ARGUMENT, "a session needs a world and a descriptor");
    keel_session_desc d = *desc;
    fill_defaults(&d);
    const char *mistake = find_mistake(&d);
    if (mistake) return refuse_begin(&d, KEEL_ERROR_ARGUMENT, mistake);
    keel_session *s = calloc(1, sizeof *s);
    if (!s || !keeli_inputs_init(&s->in, d.players, d.input_size)) {
        free(s);
        return refuse_begin(&d, KEEL_ERROR_MEMORY, "beginning a session: out of memory");
    }

    s->world = world;
    s->desc = d;
    s->floats = float_problems;
    uint64_t hash;
    if (!keeli_game_prepare(world, d.step) || keel_world_hash(world, &hash) < 0 ||
        keeli_frames_begin(s) < 0)
        return begin_failed(s, *keel_last_error(world));
    keel_error error = { .result = KEEL_ERROR_FILE };
    if (!keeli_record_open(s, error.message)) return begin_failed(s, error);
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS; ++i)
        s->delay[i] = d.input_delay;
    if (float_problems)
        keeli_session_event(s, KEEL_SESSION_WARNING, KEEL_SESSION_NO_PLAYER, 0,
                            keel_float_problem(float_problems & (0u - float_problems)));
    return s;
}

// Opens the default transport if the descriptor has none. False: there is none.
static bool open_transport(keel_session *s) {
    if (!s->desc.transport.send) s->desc.transport = keel_enet_transport(NULL);
    if (s->desc.transport.send) return true;
    keeli_session_event(s, KEEL_SESSION_WARNING, KEEL_SESSION_NO_PLAYER, 0,
                        "Keel is built without ENet: this session needs a .transport");
    return false;
}

// Tells why the transport could not listen or connect.
static keel_result transport_failed(keel_session *s) {
    const keel_session_transport *t = &s->desc.transport;
    const char *text = t->problem ? t->problem(t->self) : "the transport could not be opened";
    keeli_session_event(s, KEEL_SESSION_WARNING, KEEL_SESSION_NO_PLAYER, 0, text);
    return KEEL_ERROR_FILE;
}

static void flush_transport(const keel_session *s) {
    const keel_session_transport *t = &s->desc.transport;
    if (t->flush) t->flush(t->self);
}

keel_result keel_session_listen(keel_session *s, uint16_t port) {
    if (!s || s->phase != PHASE_NEW || s->desc.spectates) return KEEL_ERROR_ARGUMENT;
    if (!open_transport(s)) return KEEL_ERROR_ARGUMENT;
    const keel_session_transport *t = &s->desc.transport;
    if (t->listen && !t->listen(t->self, port)) return transport_failed(s);
    s->phase = PHASE_HOSTING;
    s->number = session_number(&s->desc);
    s->own = (1u << s->desc.local_players) - 1;
    s->host = UINT32_MAX;
    if (s->desc.local_players >= s->desc.start_players) keeli_connect_alone(s);
    return KEEL_OK;
}

keel_result keel_session_connect(keel_session *s, const char *host, uint16_t port) {
    if (!s || s->phase != PHASE_NEW || !host) return KEEL_ERROR_ARGUMENT;
    if (!open_transport(s)) return KEEL_ERROR_ARGUMENT;
    const keel_session_transport *t = &s->desc.transport;
    uint32_t peer = 0;
    if (t->connect && !t->connect(t->self, host, port, &peer)) return transport_failed(s);
    session_peer *to = keeli_peer_add(s, peer);
    if (!to) return KEEL_ERROR_FULL;
    s->host = peer;
    s->phase = PHASE_JOINING;
    keeli_connect_hello(s, to);
    flush_transport(s);
    return KEEL_OK;
}

void keel_session_end(keel_session *s) {
    if (!s) return;
    const keel_session_transport *t = &s->desc.transport;
    if (s->number && t->send && s->phase != PHASE_ENDED) {
        EACH_PEER(s, peer) {
            packet *p = keeli_packet_begin(s, PACKET_BYE);
            snprintf(p->text, sizeof p->text, "left");
            keeli_peer_send(s, peer, true);
        }
    }
    flush_transport(s);
    EACH_PEER(s, peer)
        keeli_peer_forget(s, peer);
    if (t->close) t->close(t->self);
    keeli_record_end(s);
    keeli_differ_end(s);
    keeli_frames_end(s);
    keeli_join_end(s);
    keeli_inputs_deinit(&s->in);
    free(s);
}

// ------------------------------------------------------------------ inputs
keel_result keel_session_give_input(keel_session *s, uint32_t player, const void *input) {
    if (!s || !input || player >= s->in.slots || !(s->own >> player & 1))
        return KEEL_ERROR_ARGUMENT;
    memcpy(s->pending[player], input, s->desc.input_size);
    return KEEL_OK;
}

keel_result keel_session_set_delay(keel_session *s, uint32_t player, uint32_t frames) {
    if (!s || player >= s->in.slots || !(s->own >> player & 1) || frames > KEEL_SESSION_MAX_DELAY)
        return KEEL_ERROR_ARGUMENT;
    s->delay[player] = frames;
    return KEEL_OK;
}

// Fixes the inputs of the local players, up to the frame that lies behind their delay. When the
// delay grew, the input fills the frames between; when it shrank, there is nothing to do for a
// while.
static void fix_local_inputs(keel_session *s) {
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        if (!(s->own >> i & 1) || !s->in.slot[i].is_playing) continue;
        const uint64_t to = s->in.now + s->delay[i];
        while (s->in.slot[i].known <= to)
            if (keeli_inputs_add(&s->in, i, s->in.slot[i].known, s->pending[i]) != INPUT_TAKEN)
                break;
    }
}

keel_result keel_session_drop(keel_session *s, uint32_t player) {
    if (!s || player >= s->in.slots || s->own >> player & 1) return KEEL_ERROR_ARGUMENT;
    session_peer *peer = keeli_peer_of(s, player);
    if (!peer || peer->state != PEER_MEMBER) return KEEL_ABSENT;
    if (!peer->is_suspect) keeli_agree_suspect(s, peer);
    return KEEL_OK;
}

// ------------------------------------------------------------------ time
void keel_session_poll(keel_session *s) {
    if (!s || s->phase == PHASE_NEW || s->phase == PHASE_ENDED) return;
    keeli_peers_receive(s);
    flush_transport(s);
}

static keel_result fail(keel_session *s, keel_result result) {
    const keel_error *error = keel_last_error(s->world);
    keeli_session_stop(s, KEEL_SESSION_FAILED,
                       error->message[0] ? error->message : "a frame could not be played");
    return result;
}

// Tells that the session waits, and for whom, or that it goes on.
static void note_waiting(keel_session *s, bool waits) {
    if (waits == s->is_waiting) return;
    s->is_waiting = waits;
    s->totals.waits += waits;
    uint32_t slowest = KEEL_SESSION_NO_PLAYER;
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        const bool is_less = slowest == KEEL_SESSION_NO_PLAYER ||
                             keeli_inputs_known(&s->in, i) < keeli_inputs_known(&s->in, slowest);
        if (s->in.slot[i].is_playing && is_less) slowest = i;
    }
    keeli_session_event(s, waits ? KEEL_SESSION_WAITING : KEEL_SESSION_RESUMED, slowest,
                        keeli_inputs_confirmed(&s->in), NULL);
}

// Plays the frames that are due, at most two.
static keel_result play_due(keel_session *s, uint32_t *played) {
    const double frame = keeli_pace_frame(s);
    const double most = 2 * frame;
    s->due = s->due > most ? most : s->due;
    while (s->due >= frame && *played < 2) {
        fix_local_inputs(s);
        if (!keeli_frames_may_play(s)) {
            note_waiting(s, true);
            s->due = s->due > frame ? frame : s->due;
            return KEEL_OK;
        }
        note_waiting(s, false);
        KEEL_TRY(keeli_frames_play(s));
        s->due -= frame;
        ++*played;
    }
    return KEEL_OK;
}

static keel_result advance_game(keel_session *s, uint32_t *played) {
    keeli_agree_step(s);
    if (s->phase != PHASE_PLAYING) return KEEL_OK;
    KEEL_TRY(keeli_frames_correct(s));
    KEEL_TRY(play_due(s, played));
    keeli_frames_check(s);
    KEEL_TRY(keeli_join_collect(s));
    keeli_join_step(s);
    if (*played || s->clock >= s->send_at) {
        keeli_peers_send_inputs(s);
        s->send_at = s->clock + 1.0 / s->desc.rate;
    }
    return KEEL_OK;
}

// Returns the seconds after which a machine that does not play yet says that it is there.
static double alive_every(const keel_session *s) {
    const double part = s->desc.timeout_ms / 8000.0;
    return part < 0.02 ? 0.02 : part > 0.25 ? 0.25 : part;
}

static keel_result advance_session(keel_session *s, double elapsed) {
    const keel_session_transport *t = &s->desc.transport;
    s->clock += elapsed;
    s->elapsed = elapsed;
    if (t->advance) t->advance(t->self, elapsed);
    keeli_peers_receive(s);
    keeli_peers_watch(s);

    uint32_t played = 0;
    keel_result result = KEEL_OK;
    if (s->phase == PHASE_PLAYING) {
        s->due += elapsed;
        result = advance_game(s, &played);
    } else if (s->phase == PHASE_LOADING || s->phase == PHASE_CATCHING_UP) {
        result = keeli_join_advance(s, &played);
    }
    if (s->phase != PHASE_PLAYING && s->phase != PHASE_ENDED && s->clock >= s->alive_at) {
        keeli_peers_send_alive(s);
        s->alive_at = s->clock + alive_every(s);
    }
    if (result < 0) return fail(s, result);
    return played ? KEEL_OK : KEEL_ABSENT;
}

keel_result keel_session_advance(keel_session *s, double elapsed_seconds) {
    if (!s || !(elapsed_seconds >= 0)) return KEEL_ERROR_ARGUMENT;
    if (s->phase == PHASE_NEW || s->phase == PHASE_ENDED) return KEEL_ABSENT;
    const keel_result result =
        advance_session(s, elapsed_seconds > longest_step ? longest_step : elapsed_seconds);
    flush_transport(s);
    return result;
}

// ------------------------------------------------------------------ status
static void describe_player(const keel_session *s, uint32_t i, keel_session_player *player) {
    *player = (keel_session_player){ .is_playing = s->in.slot[i].is_playing,
                                     .is_local = s->own >> i & 1,
                                     .known = s->in.slot[i].known };
    if (player->is_local) player->delay = s->delay[i];
    for (uint32_t k = 0; k < KEEL_SESSION_MAX_PEERS; ++k) {
        const session_peer *peer = &s->peers[k];
        if (peer->state == PEER_NONE || !(peer->slots >> i & 1)) continue;
        player->ping_ms = peer->ping;
        player->loss = peer->loss;
    }
}

keel_session_status keel_session_status_of(const keel_session *s) {
    if (!s) return (keel_session_status){ .local_player = KEEL_SESSION_NO_PLAYER };
    keel_session_status status = s->totals;
    status.is_playing = s->phase == PHASE_PLAYING;
    status.is_waiting = s->is_waiting;
    status.frame = s->in.now;
    status.confirmed = keeli_inputs_confirmed(&s->in);
    status.checked = s->checked;
    status.local_player = keeli_first_slot(s->own);
    status.players = s->in.slots;
    status.max_rollback = s->desc.max_rollback;
    status.ahead = keeli_pace_ahead(s);
    const keel_session_transport *t = &s->desc.transport;
    if (t->port) status.port = t->port(t->self);
    status.memory = sizeof *s + keeli_inputs_bytes(&s->in) + keel_ring_bytes(s->ring);
    for (uint32_t i = 0; i < CHECKS; ++i)
        status.memory += keel_snapshot_bytes(s->checks[i].snapshot);
    for (uint32_t i = 0; i < s->in.slots; ++i)
        describe_player(s, i, &status.player[i]);
    return status;
}
