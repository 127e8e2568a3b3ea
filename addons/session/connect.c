// SPDX-License-Identifier: MIT
// Lets machines meet. A guest says HELLO to the host, which compares what both must have in common
// and answers with slots (WELCOME). When enough players are there, the host tells all who plays and
// where (START); each connects to the members before it and says MEET. Who has met all says READY,
// and when all are ready the host says GO: everybody plays frame 0.
#include "schema.h"

#include <stdio.h>
#include <string.h>

static uint32_t slots_of(uint32_t first, uint32_t count) { return ((1u << count) - 1) << first; }

static uint32_t taken_slots(keel_session *s) {
    uint32_t taken = s->own | keeli_playing_slots(s);
    EACH_PEER(s, peer)
        taken |= peer->slots;
    return taken;
}

static uint32_t count_slots(uint32_t slots) {
    uint32_t count = 0;
    for (; slots; slots &= slots - 1)
        ++count;
    return count;
}

// Returns the first of `count` free slots in a row, or KEEL_SESSION_NO_PLAYER.
static uint32_t free_slots(keel_session *s, uint32_t count) {
    const uint32_t taken = taken_slots(s);
    for (uint32_t first = 0; first + count <= s->desc.players; ++first)
        if (!(taken & slots_of(first, count))) return first;
    return KEEL_SESSION_NO_PLAYER;
}

void keeli_connect_hello(keel_session *s, session_peer *peer) {
    packet *p = keeli_packet_begin(s, PACKET_HELLO);
    p->session = 0;
    keeli_schema_write(s, p);
    keeli_peer_send(s, peer, true);
}

void keeli_connect_refuse(keel_session *s, session_peer *peer, const char *text) {
    packet *p = keeli_packet_begin(s, PACKET_REFUSED);
    p->slots = keeli_agree_staying(s);
    // A stranger does not learn the number of the session.
    if (peer->state == PEER_NEW && s->in_packet.type == PACKET_HELLO) p->session = 0;
    snprintf(p->text, sizeof p->text, "%s", text);
    keeli_peer_send(s, peer, true);
    peer->state = PEER_NEW;
    peer->slots = 0;
}

// ------------------------------------------------------------------ the host
packet *keeli_connect_members(keel_session *s, peer_state state) {
    const keel_session_transport *t = &s->desc.transport;
    packet *p = keeli_packet_begin(s, PACKET_START);
    p->members[p->member_count++] = (packet_member){ .slots = (uint8_t)s->own };
    EACH_PEER(s, peer) {
        if (peer->state != state || peer->is_suspect || !peer->slots) continue;
        packet_member *m = &p->members[p->member_count++];
        if (!t->address || !t->address(t->self, peer->transport, m->host, sizeof m->host, &m->port))
            m->host[0] = '\0';
        m->slots = (uint8_t)peer->slots;
    }
    return p;
}

// Tells all guests who plays. Each START has a new number, since guests may come and go until GO.
static void send_start(keel_session *s) {
    s->epoch += 8;
    packet *p = keeli_connect_members(s, PEER_GUEST);
    p->epoch = s->epoch;
    s->members = 0;
    for (uint32_t i = 0; i < p->member_count; ++i)
        s->members |= p->members[i].slots;
    EACH_PEER(s, peer)
        peer->is_ready = false;
    EACH_PEER(s, peer)
        if (peer->state == PEER_GUEST) keeli_peer_send(s, peer, true);
}

static void start_playing(keel_session *s) {
    s->phase = PHASE_PLAYING;
    s->due = 0;
    s->entry = 0;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (s->members >> i & 1) keeli_inputs_enter(&s->in, i, 0);
    EACH_PEER(s, peer)
        for (uint32_t i = 0; i < s->in.slots; ++i)
            peer->known[i] = 0;
    keeli_record_start(s);
    keeli_session_event(s, KEEL_SESSION_STARTED, keeli_first_slot(s->own), 0, NULL);
}

void keeli_connect_alone(keel_session *s) {
    s->members = s->own;
    start_playing(s);
}

// Begins the game if all guests have met each other.
static void host_go(keel_session *s) {
    uint32_t players = s->own;
    EACH_PEER(s, peer) {
        if (peer->state != PEER_GUEST) continue;
        if (!peer->is_ready) return;
        players |= peer->slots;
    }
    if (count_slots(players) < s->desc.start_players) return;
    if (players != s->members) { // somebody came or went since START
        send_start(s);
        return;
    }

    EACH_PEER(s, peer) {
        if (peer->state != PEER_GUEST) continue;
        packet *p = keeli_packet_begin(s, PACKET_GO);
        p->epoch = s->epoch;
        keeli_peer_send(s, peer, true);
        peer->state = PEER_MEMBER;
        peer->heard_at = s->clock;
    }
    start_playing(s);
}

void keeli_connect_welcome(keel_session *s, session_peer *peer, const packet *hello) {
    const uint32_t first = hello->wants ? free_slots(s, hello->wants) : (uint32_t)PACKET_NO_SLOT;
    packet *p = keeli_packet_begin(s, PACKET_WELCOME);
    p->first_slot = first;
    p->count = hello->wants;
    p->players = s->desc.players;
    p->check_every = s->desc.check_every;
    p->max_rollback = s->desc.max_rollback;
    p->is_late = s->phase == PHASE_PLAYING;
    peer->slots = hello->wants ? slots_of(first, hello->wants) : 0;
    peer->heard_at = s->clock;
    keeli_peer_send(s, peer, true);
}

// Refuses a machine that wants to join, and tells the user of this one, once a second at most.
static void refuse_hello(keel_session *s, session_peer *peer, const char *text) {
    keeli_connect_refuse(s, peer, text);
    if (s->clock < s->warn_at) return;
    s->warn_at = s->clock + 1;
    char warning[PACKET_TEXT + 64];
    snprintf(warning, sizeof warning, "a machine was refused; it is told: %s", text);
    keeli_session_event(s, KEEL_SESSION_WARNING, KEEL_SESSION_NO_PLAYER, s->in.now, warning);
}

// True if one more spectator would take a place that players may need.
static bool has_many_spectators(keel_session *s) {
    uint32_t count = 0;
    EACH_PEER(s, peer)
        count += peer->state == PEER_FEED && !peer->slots;
    return count + KEEL_SESSION_MAX_PLAYERS > KEEL_SESSION_MAX_PEERS;
}

static bool take_hello(keel_session *s, session_peer *peer, const packet *p) {
    char text[PACKET_TEXT + 1];
    if (peer->state != PEER_NEW) return peer->state == PEER_GUEST; // said twice
    if (s->phase != PHASE_HOSTING && s->phase != PHASE_PLAYING) {
        refuse_hello(s, peer, "this machine has not joined a game itself; connect to the host");
        return true;
    }
    if (!keeli_schema_fits(s, p, text)) {
        refuse_hello(s, peer, text);
        return true;
    }
    if (!p->wants && !s->desc.takes_spectators) {
        refuse_hello(s, peer, "the game takes no spectators");
        return true;
    }
    if (!p->wants && has_many_spectators(s)) {
        keeli_connect_refuse(s, peer, "the game has as many spectators as it takes");
        return true;
    }
    if (p->wants && free_slots(s, p->wants) == KEEL_SESSION_NO_PLAYER) {
        refuse_hello(s, peer, "all places are taken");
        return true;
    }
    if (s->phase == PHASE_PLAYING || !p->wants) return keeli_join_begin(s, peer, p);

    keeli_connect_welcome(s, peer, p);
    peer->state = PEER_GUEST;
    if (count_slots(taken_slots(s)) >= s->desc.start_players) send_start(s);
    return true;
}

// ------------------------------------------------------------------ guests
static bool take_welcome(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase != PHASE_JOINING || peer->transport != s->host || p->players != s->desc.players)
        return false;
    s->number = p->session;
    s->desc.check_every = p->check_every;
    s->desc.max_rollback =
        p->max_rollback < s->desc.max_rollback ? p->max_rollback : s->desc.max_rollback;
    s->own = p->count ? slots_of(p->first_slot, p->count) : 0;
    peer->state = PEER_GUEST;
    if (p->is_late || !p->count) s->phase = PHASE_LOADING;
    else s->phase = PHASE_MEETING;
    return true;
}

// Says READY when all members are met.
static void check_ready(keel_session *s) {
    EACH_PEER(s, peer)
        if (peer->state == PEER_MEETING ||
            (peer->slots && !peer->knows_us && peer->transport != s->host))
            return;
    if (s->phase != PHASE_MEETING || s->members & ~taken_slots(s) || !s->members) return;
    s->phase = PHASE_READY;
    EACH_PEER(s, peer) {
        if (peer->transport != s->host) continue;
        packet *p = keeli_packet_begin(s, PACKET_READY);
        p->epoch = s->epoch;
        keeli_peer_send(s, peer, true);
    }
}

void keeli_connect_meet(keel_session *s, session_peer *peer) {
    packet *p = keeli_packet_begin(s, PACKET_MEET);
    p->slots = s->own;
    keeli_peer_send(s, peer, true);
}

// Connects to a member that is before us in the list, and says who we are.
bool keeli_connect_member(keel_session *s, const packet_member *m) {
    const keel_session_transport *t = &s->desc.transport;
    uint32_t transport;
    if (!t->connect || !m->host[0]) return true; // it appears by itself
    if (!t->connect(t->self, m->host, m->port, &transport)) return false;
    session_peer *peer = keeli_peer_add(s, transport);
    if (!peer) return false;
    peer->state = PEER_MEETING;
    peer->slots = m->slots;
    keeli_connect_meet(s, peer);
    return true;
}

// Forgets members that a new START does not name any more.
static void forget_missing(keel_session *s, uint32_t members) {
    EACH_PEER(s, peer)
        if (peer->transport != s->host && peer->slots && (peer->slots & members) != peer->slots)
            keeli_peer_forget(s, peer);
}

static bool take_start(keel_session *s, session_peer *peer, const packet *p) {
    const bool is_awaited = s->phase == PHASE_MEETING || s->phase == PHASE_READY;
    if (!is_awaited || peer->transport != s->host || p->epoch <= s->epoch) return false;
    s->epoch = p->epoch;
    s->members = 0;
    for (uint32_t i = 0; i < p->member_count; ++i) {
        const uint32_t slots = p->members[i].slots;
        if (!slots || s->members & slots || slots >> s->in.slots) return false;
        s->members |= slots;
    }
    if ((s->members & s->own) != s->own) return false;

    forget_missing(s, s->members);
    peer->slots = p->members[0].slots;
    bool is_before = true;
    for (uint32_t i = 1; i < p->member_count; ++i) {
        const packet_member *m = &p->members[i];
        is_before &= m->slots != s->own;
        const bool is_new = m->slots != s->own && !keeli_peer_of(s, keeli_first_slot(m->slots));
        if (is_before && is_new && !keeli_connect_member(s, m))
            keeli_session_stop(s, KEEL_SESSION_REFUSED, "another player cannot be reached");
    }
    if (s->phase == PHASE_READY) s->phase = PHASE_MEETING;
    check_ready(s);
    return true;
}

static bool take_meet(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase == PHASE_JOINING) return true; // our WELCOME is late; the other one says it again
    if (p->session != s->number || !s->number || !p->slots || p->slots & s->own ||
        p->slots >> s->in.slots)
        return false;
    if (s->phase == PHASE_PLAYING || s->phase == PHASE_LOADING || s->phase == PHASE_CATCHING_UP)
        return keeli_join_meet(s, peer, p);
    if (s->phase != PHASE_MEETING && s->phase != PHASE_READY) return false;
    session_peer *known = keeli_peer_of(s, keeli_first_slot(p->slots));
    if (known && known != peer) return false;
    if (peer->state == PEER_NEW) {
        peer->slots = p->slots;
        keeli_connect_meet(s, peer);
    }
    if (peer->slots != p->slots) return false;
    peer->state = PEER_GUEST;
    peer->knows_us = true;
    check_ready(s);
    return true;
}

static bool take_go(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase != PHASE_READY || peer->transport != s->host || p->epoch != s->epoch) return false;
    EACH_PEER(s, member) {
        if (!(member->slots & s->members)) continue; // joins later
        member->state = PEER_MEMBER;
        member->heard_at = s->clock;
    }
    start_playing(s);
    return true;
}

// Another member says that it went on without us. When a net falls into two halves and mends, both
// say so: the larger half goes on, or the one with the lowest slot.
static bool take_dropped(keel_session *s, session_peer *peer, const packet *p) {
    if (peer->state != PEER_MEMBER || p->session != s->number || !p->slots) return false;
    const uint32_t ours = keeli_agree_staying(s) & ~p->slots;
    const uint32_t here = count_slots(ours), there = count_slots(p->slots);
    if (there > here || (there == here && keeli_first_slot(p->slots) < keeli_first_slot(ours)))
        keeli_session_stop(s, KEEL_SESSION_DROPPED, p->text);
    return true;
}

bool keeli_connect_packet(keel_session *s, session_peer *peer, const packet *p) {
    switch (p->type) {
    case PACKET_HELLO:
        return take_hello(s, peer, p);
    case PACKET_WELCOME:
        return take_welcome(s, peer, p);
    case PACKET_START:
        if (p->session != s->number) return false;
        if (s->phase == PHASE_LOADING) return keeli_join_start(s, peer, p);
        return take_start(s, peer, p);
    case PACKET_MEET:
        return take_meet(s, peer, p);
    case PACKET_GO:
        return p->session == s->number && take_go(s, peer, p);
    case PACKET_READY:
        if (p->session != s->number) return false;
        if (s->phase != PHASE_HOSTING) return keeli_join_ready(s, peer, p);
        if (peer->state != PEER_GUEST) return false;
        peer->is_ready = p->epoch == s->epoch;
        host_go(s);
        return true;
    case PACKET_REFUSED:
        if (s->phase == PHASE_PLAYING) return take_dropped(s, peer, p);
        if (peer->transport != s->host || s->phase == PHASE_PLAYING || s->phase == PHASE_HOSTING)
            return false;
        keeli_session_stop(s, KEEL_SESSION_REFUSED, p->text);
        return true;
    default:
        return false;
    }
}

void keeli_connect_lost(keel_session *s, session_peer *peer) {
    const bool was_host =
        peer->transport == s->host && s->phase != PHASE_HOSTING && s->phase != PHASE_PLAYING;
    const bool was_guest = peer->state == PEER_GUEST;
    const bool joins = s->phase == PHASE_LOADING || s->phase == PHASE_CATCHING_UP;
    const bool was_member = joins && peer->slots & s->members;
    keeli_peer_forget(s, peer);
    if (was_member && !was_host)
        keeli_session_stop(s, KEEL_SESSION_REFUSED,
                           "a player left while this machine joined; connect again");
    else if (was_host)
        keeli_session_stop(s, KEEL_SESSION_REFUSED,
                           "nothing is heard of the host; check address and port");
    else if (s->phase == PHASE_HOSTING && was_guest &&
             count_slots(taken_slots(s)) >= s->desc.start_players)
        send_start(s);
}
