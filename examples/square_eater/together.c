// SPDX-License-Identifier: MIT
// The game with others: how the inputs of a session become those of the game, and what is told about the network.
// together_headless.c, window.c and both.c call it.
#include "together.h"
#include "game.h"
#include <stdio.h>
#include <string.h>

// The buttons of the frame before. A press is a button that was not down then: the session may give one input to two
// frames, and guesses that players go on with what they do.
typedef struct Held {
    uint16_t buttons[MAX_PLAYERS];
} Held;
KEEL_FIELDS(Held, buttons);
KEEL_UNIQUE(Held, .no_padding = true, KEEL_HAS_FIELDS(Held));

// From this frame on the world stands still, so that machines that wait for each other end with the same one. Each
// machine has its own.
typedef struct Ending {
    uint64_t frame;
} Ending;
KEEL_UNIQUE(Ending, .transient = true);

enum { SHARED_BUTTONS = PRESS_START | PRESS_PAUSE | PRESS_RESTART };

static int8_t direction_of(int8_t part) { return (int8_t)((part > 0) - (part < 0)); }

// Turns what a player sent into what counts in this frame. It may come from a program that sends anything.
static Pad pad_of_sent(const Sent *sent, uint16_t held) {
    Pad pad = sent->pad;
    const uint32_t buttons = pad.buttons;
    pad.x = direction_of(pad.x);
    pad.y = direction_of(pad.y);
    pad.buttons = (uint16_t)((buttons & POINTING) | (buttons & ~(uint32_t)held & SHARED_BUTTONS));
    return pad;
}

KEEL_SYSTEM_ONCE(take_inputs, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_UNIQUE_READ(Phase, phase), KEEL_UNIQUE_WRITE(Input, input),
                 KEEL_UNIQUE_WRITE(Held, held), KEEL_UNIQUE_WRITE(Match, match), KEEL_UNIQUE_WRITE(Dice, dice)) {
    match->there = 0;
    bool begins = false;
    for (uint32_t i = 0; i < MAX_PLAYERS; ++i) {
        const Sent *sent = keel_input_of(in, i, Sent);
        input->pads[i] = pad_of_sent(sent, held->buttons[i]);
        held->buttons[i] = sent->pad.buttons;
        begins |= input->pads[i].buttons & (PRESS_START | PRESS_RESTART);
        if (in->state[i] != KEEL_INPUT_GONE) match->there |= 1 << i;
    }
    if (*phase == MENU && begins) dice->state = game_dice(keel_input_of(in, 0, Sent)->seed);
}

KEEL_CONDITION(before_the_end, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_UNIQUE_READ(Ending, ending)) {
    return in->frame < ending->frame;
}

KEEL_WORKLOAD(played_frame, KEEL_STEP(take_inputs), KEEL_NESTED(frame));
KEEL_WORKLOAD(shared_frame, KEEL_NESTED(played_frame, .run_if = KEEL_IF(before_the_end)));

// ---------------------------------------------------------------- begin and end
// Creates the world that all machines begin with: the seed of the match comes later.
static keel_world *shared_world(const together_options *o) {
    keel_world *world = game_create(0, 0, o->threads);
    if (!world) return NULL;
    keel_set_unique(world, Held, { .buttons = { 0 } });
    keel_set_unique(world, Ending, { o->frames ? o->frames : UINT64_MAX });
    if (keel_get_unique(world, Held) && keel_get_unique(world, Ending)) return world;
    keel_world_destroy(world);
    return NULL;
}

// Opens the port or the way to the host. False: `why` says what is wrong with it.
static bool together_open(together *t, const together_options *o, char why[256]) {
    const keel_result result = o->join ? keel_session_connect(t->session, o->join, o->port) : keel_session_listen(t->session, o->port);
    if (result == KEEL_OK) return true;
    snprintf(why, 256, "%s cannot be %s", o->join ? "the host" : "the port", o->join ? "joined" : "opened");
    for (keel_session_event e; keel_session_next_event(t->session, &e);)
        if (e.kind == KEEL_SESSION_WARNING) snprintf(why, 256, "%.250s", e.text);
    return false;
}

bool together_begin(together *t, const together_options *o, char why[256]) {
    keel_error error = { 0 };
    *t = (together){ .seed = o->seed, .wanted = o->players, .world = shared_world(o) };
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(shared_frame),
                                     .input_size = sizeof(Sent),
                                     .players = MAX_PLAYERS,
                                     .start_players = o->players,
                                     .spectates = o->watches,
                                     .takes_spectators = true,
                                     .rate = FRAMES_PER_SECOND,
                                     .max_rollback = o->max_rollback,
                                     .timeout_ms = o->is_patient ? 120000 : 0,
                                     .error = &error,
                                     .transport = o->transport };
    t->session = t->world ? keel_session_begin(t->world, &desc) : NULL;
    if (!t->session) {
        snprintf(why, 256, "%.250s", error.message[0] ? error.message : "memory is exhausted");
        if (o->transport.close) o->transport.close(o->transport.self);
    } else if (together_open(t, o, why)) {
        t->status = keel_session_status_of(t->session);
        if (o->join) snprintf(t->where, sizeof t->where, "asking %.200s, port %u", o->join, (unsigned)o->port);
        return true;
    }
    together_end(t);
    return false;
}

void together_end(together *t) {
    keel_session_end(t->session);
    keel_world_destroy(t->world);
    t->session = NULL;
    t->world = NULL;
}

// ---------------------------------------------------------------- what happens
static void note_news(together *t, const char *what, const keel_session_event *e) {
    if (e->player < MAX_PLAYERS) snprintf(t->news, sizeof t->news, "player %u %s", (unsigned)e->player + 1, what);
    else snprintf(t->news, sizeof t->news, "%s", what);
    t->news_age = 0;
}

static void note_event(together *t, const keel_session_event *e) {
    switch (e->kind) {
    case KEEL_SESSION_JOINED: note_news(t, "is here", e); break;
    case KEEL_SESSION_LEFT: note_news(t, "left", e); break;
    case KEEL_SESSION_SILENT: note_news(t, "is silent", e); break;
    case KEEL_SESSION_HEARD: note_news(t, "is heard again", e); break;
    case KEEL_SESSION_WAITING: note_news(t, "is waited for", e); break;
    case KEEL_SESSION_SPECTATOR: note_news(t, "somebody watches", &(keel_session_event){ .player = MAX_PLAYERS }); break;
    case KEEL_SESSION_WARNING: note_news(t, e->text, &(keel_session_event){ .player = MAX_PLAYERS }); break;
    case KEEL_SESSION_DIFFERS: snprintf(t->alarm, sizeof t->alarm, "%s", e->text); break;
    case KEEL_SESSION_CHEATS:
        snprintf(t->alarm, sizeof t->alarm, "player %u sent two inputs for one frame", (unsigned)e->player + 1);
        break;
    case KEEL_SESSION_REFUSED: snprintf(t->why, sizeof t->why, "%s", t->has_begun ? "the host has left" : e->text); break; // who watched
    case KEEL_SESSION_DROPPED:
    case KEEL_SESSION_FAILED: snprintf(t->why, sizeof t->why, "%s", e->text); break;
    default: break;
    }
}

static uint32_t players_of(const keel_session_status *status) {
    uint32_t players = 0;
    for (uint32_t i = 0; i < status->players; ++i)
        players += status->player[i].is_playing;
    return players;
}

static void count_replayed(together *t, double seconds) {
    t->seconds += seconds;
    if (t->seconds < 1) return;
    t->replayed_rate = (uint32_t)((double)(t->status.replayed - t->replayed) / t->seconds);
    t->replayed = t->status.replayed;
    t->seconds = 0;
}

void together_step(together *t, Pad pad, double seconds) {
    const uint64_t frame = t->status.frame;
    t->presses |= (uint16_t)(pad.buttons & SHARED_BUTTONS);
    pad.buttons |= t->presses;
    keel_session_poll(t->session);
    const uint32_t player = keel_session_status_of(t->session).local_player;
    if (player != KEEL_SESSION_NO_PLAYER) (void)keel_session_give_input(t->session, player, &(Sent){ .pad = pad, .seed = t->seed });
    (void)keel_session_advance(t->session, seconds); // an error is an event
    for (keel_session_event e; keel_session_next_event(t->session, &e);)
        note_event(t, &e);
    t->status = keel_session_status_of(t->session);
    t->has_begun = t->status.is_playing || t->status.frame > 0; // who watches does not play
    t->news_age += seconds;
    count_replayed(t, seconds);
    if (t->status.frame != frame || !t->has_begun) t->presses = 0;
}

bool together_is_done(const together *t, uint32_t frames) {
    const keel_session_status *status = &t->status;
    if (!t->has_begun || status->frame < frames || status->confirmed < frames) return false;
    const bool has_others = players_of(status) > 1 && status->local_player != KEEL_SESSION_NO_PLAYER;
    return !has_others || status->checked >= frames;
}

// ---------------------------------------------------------------- what is told
static float ping_of(const keel_session_status *status) {
    float ping = 0;
    for (uint32_t i = 0; i < status->players; ++i)
        if (status->player[i].ping_ms > ping) ping = status->player[i].ping_ms;
    return ping;
}

void together_tell(const together *t, char *line, size_t size) {
    const bool has_news = t->news[0] && t->news_age < 4;
    if (t->why[0] || t->alarm[0]) {
        snprintf(line, size, "%s", t->why[0] ? t->why : t->alarm);
    } else if (!t->has_begun && t->where[0]) {
        snprintf(line, size, "%s", has_news ? t->news : t->where);
    } else if (!t->has_begun) {
        snprintf(line, size, "%u players are needed; the others join port %u", (unsigned)t->wanted, (unsigned)t->status.port);
    } else {
        snprintf(line, size, "ping %.0f ms   %u frames/s again%s%s", (double)ping_of(&t->status), (unsigned)t->replayed_rate,
                 has_news ? "   " : "", has_news ? t->news : "");
    }
}
