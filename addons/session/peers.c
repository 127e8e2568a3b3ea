// SPDX-License-Identifier: MIT
// The other machines: what is sent to each, what is taken from each, and who was silent for too
// long. Inputs go out with each frame, all that a peer does not know yet, so that a lost packet
// costs nothing but time. A peer that hears two others which do not hear each other passes their
// inputs on.
#include "session.h"

#include <math.h>
#include <string.h>

enum {
    PACKETS_AT_ONCE = 64,   // packets that are handled in one poll
    BAD_A_SECOND = 50,      // a peer with more bad packets is dropped
    BYTES_A_SECOND = 65536, // a peer that sends more is not heard
};
static const double silent_after = 1.0; // seconds until KEEL_SESSION_SILENT
static const double relay_after = 0.5;  // seconds of silence until others are asked for inputs
static const double relay_for = 1.0;    // seconds for which they pass them on
static const double ask_every = 0.25;   // seconds until they are asked again
static const double stranger_for = 3.0; // seconds in which a new machine must say something

uint32_t keeli_first_slot(uint32_t slots) {
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS; ++i)
        if (slots >> i & 1) return i;
    return KEEL_SESSION_NO_PLAYER;
}

session_peer *keeli_peer_of(keel_session *s, uint32_t slot) {
    EACH_PEER(s, peer)
        if (peer->slots >> slot & 1) return peer;
    return NULL;
}

// Returns a free place, or that of the machine that is there longest without having said anything
// valid, so that strangers cannot keep others out.
static session_peer *free_place(keel_session *s) {
    session_peer *oldest = NULL;
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PEERS; ++i) {
        session_peer *peer = &s->peers[i];
        if (peer->state == PEER_NONE) return peer;
        const bool may_go = peer->state == PEER_NEW && peer->transport != s->host;
        if (may_go && (!oldest || peer->heard_at < oldest->heard_at)) oldest = peer;
    }
    if (oldest) keeli_peer_forget(s, oldest);
    return oldest;
}

session_peer *keeli_peer_add(keel_session *s, uint32_t transport) {
    session_peer *peer = free_place(s);
    if (!peer) return NULL;
    *peer = (session_peer){
        .state = PEER_NEW, .transport = transport, .heard_at = s->clock, .second_at = s->clock
    };
    return peer;
}

void keeli_peer_forget(keel_session *s, session_peer *peer) {
    keeli_join_forget(s, peer);
    if (s->desc.transport.forget) s->desc.transport.forget(s->desc.transport.self, peer->transport);
    *peer = (session_peer){ .state = PEER_NONE };
}

// ------------------------------------------------------------------ sending
packet *keeli_packet_begin(keel_session *s, packet_type type) {
    packet *p = &s->out_packet;
    memset(p, 0, offsetof(packet, inputs));
    p->type = type;
    p->session = s->number;
    return p;
}

void keeli_peer_send(keel_session *s, session_peer *peer, bool reliable) {
    const size_t size =
        keeli_packet_write(&s->out_packet, s->sent, sizeof s->sent, s->desc.input_size);
    if (!size) return;
    ++s->totals.packets_sent;
    s->totals.bytes_sent += size;
    s->desc.transport.send(s->desc.transport.self, peer->transport, s->sent, size, reliable);
}

bool keeli_packet_add_block(const keel_session *s, packet *p, uint32_t slot, uint64_t from,
                            uint64_t to) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->block_count; ++i)
        used += p->blocks[i].count;
    if (from >= to || p->block_count == PACKET_BLOCKS ||
        used + PACKET_RUN > PACKET_BLOCKS * PACKET_RUN)
        return false;

    packet_block *block = &p->blocks[p->block_count];
    *block =
        (packet_block){ .slot = (uint8_t)slot, .first = from, .at = used * s->desc.input_size };
    for (uint64_t f = from; f < to && block->count < PACKET_RUN; ++f, ++block->count) {
        const unsigned char *input = keeli_inputs_find(&s->in, slot, f);
        if (!input) break;
        memcpy(p->inputs + block->at + block->count * s->desc.input_size, input,
               s->desc.input_size);
    }
    p->block_count += block->count > 0;
    return block->count > 0;
}

// Returns the most inputs that a packet takes without being split on its way.
static uint32_t inputs_in_packet(const keel_session *s) {
    const size_t each = keeli_packet_block_bytes(1, s->desc.input_size) -
                        keeli_packet_block_bytes(0, s->desc.input_size);
    const size_t room = PACKET_INPUT_BYTES - 64;
    const size_t most = room / each;
    return most < PACKET_RUN ? (uint32_t)most : PACKET_RUN;
}

// True if a member has said that it does not hear the player of a slot, whose inputs we know. The
// member may know an earlier frame of entering than we do: what lies between both are no inputs.
static bool needs_relay(const keel_session *s, const session_peer *peer, uint32_t slot) {
    if (peer->slots >> slot & 1 || s->own >> slot & 1 || s->leaving >> slot & 1) return false;
    const input_slot *known = &s->in.slot[slot];
    const bool is_behind =
        known->is_playing && peer->known[slot] >= known->from && peer->known[slot] < known->known;
    return is_behind && s->clock < peer->relay_until[slot];
}

// Writes only what differs from the last input that the peer knows.
static void pack_after_known(const keel_session *s, packet_block *block) {
    const unsigned char *before =
        block->first ? keeli_inputs_find(&s->in, block->slot, block->first - 1) : NULL;
    if (before) memcpy(block->before, before, s->desc.input_size);
}

// Adds our inputs that the peer does not know, and those that it does not hear from others.
static void add_inputs(keel_session *s, session_peer *peer, packet *p) {
    uint32_t left = inputs_in_packet(s);
    for (uint32_t i = 0; i < s->in.slots && left; ++i) {
        const bool is_own = s->own >> i & 1 && s->in.slot[i].is_playing;
        if (!is_own && !needs_relay(s, peer, i)) continue;
        uint64_t from = peer->known[i], to = s->in.slot[i].known;
        if (is_own && from < s->entry) from = s->entry;
        if (to > from + left) to = from + left;
        if (!keeli_packet_add_block(s, p, i, from, to)) continue;
        packet_block *block = &p->blocks[p->block_count - 1];
        pack_after_known(s, block);
        left -= block->count;
    }
}

static void send_inputs(keel_session *s, session_peer *peer) {
    packet *p = keeli_packet_begin(s, PACKET_INPUT);
    const float ahead = keeli_pace_average(peer);
    p->frame = s->in.now;
    p->ahead = (int32_t)lroundf(ahead);
    p->sequence = peer->sequence_out++;
    p->known_count = s->in.slots;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        p->known[i] = keeli_inputs_known(&s->in, i);
    add_inputs(s, peer, p);
    keeli_peer_send(s, peer, false);
}

void keeli_peers_send_inputs(keel_session *s) {
    EACH_PEER(s, peer) {
        if (keeli_peer_stays(peer)) send_inputs(s, peer);
        else if (peer->state == PEER_FEED) keeli_join_feed(s, peer);
    }
    s->sent_at[s->in.now % SENT_TIMES] = s->clock;
}

void keeli_peers_send_alive(keel_session *s) {
    EACH_PEER(s, peer) {
        if (peer->state == PEER_NEW || !s->number) continue;
        if (peer->state == PEER_MEETING) {
            keeli_connect_meet(s, peer);
            continue;
        }
        (void)keeli_packet_begin(s, PACKET_ALIVE);
        keeli_peer_send(s, peer, false);
    }
}

// ------------------------------------------------------------------ receiving
// Notes a bad packet; drops a peer that sends many.
static void count_bad(keel_session *s, session_peer *peer) {
    ++s->totals.refused_packets;
    if (++peer->bad <= BAD_A_SECOND) return;
    if (peer->state == PEER_MEMBER) keeli_agree_suspect(s, peer);
    else keeli_peer_forget(s, peer);
}

static void note_loss(session_peer *peer, uint8_t sequence) {
    const int8_t step = (int8_t)(uint8_t)(sequence - peer->sequence_in);
    if (!peer->has_sequence || step > 0) {
        const float lost = peer->has_sequence ? (float)(step - 1) / (float)step : 0;
        peer->loss += (lost - peer->loss) / 64 * (float)(peer->has_sequence ? step : 1);
        peer->sequence_in = sequence;
        peer->has_sequence = true;
    }
}

// Takes what a peer says that it knows; false if it cannot know that.
static bool note_known(keel_session *s, session_peer *peer, const packet *p) {
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (s->own >> i & 1 && s->in.slot[i].is_playing && p->known[i] != PACKET_GONE &&
            p->known[i] > s->in.slot[i].known)
            return false;
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        const bool rises = peer->known[i] == PACKET_GONE ? p->known[i] != PACKET_GONE
                                                         : p->known[i] > peer->known[i];
        if (rises) peer->known[i] = p->known[i];
    }
    const uint32_t own = keeli_first_slot(s->own);
    if (own != KEEL_SESSION_NO_PLAYER && p->known[own] != PACKET_GONE &&
        p->known[own] > s->delay[own]) {
        const uint64_t sent = p->known[own] - s->delay[own];
        const float ping = (float)(s->clock - s->sent_at[sent % SENT_TIMES]) * 1000;
        peer->ping += (ping - peer->ping) / (peer->ping > 0 ? 16 : 1);
    }
    return true;
}

// Takes the inputs of one block. False: no honest peer sends it.
static bool take_block(keel_session *s, session_peer *peer, const packet_block *block) {
    const uint32_t slot = block->slot;
    if (slot >= s->in.slots || s->own >> slot & 1) return false;
    if (s->leaving >> slot & 1) return true;
    session_peer *origin = peer->slots >> slot & 1 ? peer : keeli_peer_of(s, slot);
    const bool is_own = origin == peer;
    if (!origin || (!is_own && s->clock - origin->heard_at < relay_after)) return true;

    static const unsigned char zeros[KEEL_SESSION_MAX_INPUT];
    unsigned char inputs_of_block[PACKET_RUN * KEEL_SESSION_MAX_INPUT];
    const unsigned char *before =
        block->first ? keeli_inputs_find(&s->in, slot, block->first - 1) : zeros;
    if (!before) return true; // one before is missing
    if (!keeli_inputs_unpack(inputs_of_block, block->count, s->desc.input_size, before,
                             block->bytes, block->size))
        return false;
    for (uint32_t i = 0; i < block->count; ++i) {
        const unsigned char *input = inputs_of_block + (size_t)i * s->desc.input_size;
        const input_result result = keeli_inputs_add(&s->in, slot, block->first + i, input);
        if (result == INPUT_EARLY) break;
        if (result == INPUT_CONFLICT) {
            keeli_session_event(s, KEEL_SESSION_CHEATS, keeli_first_slot(peer->slots),
                                block->first + i, NULL);
            return false;
        }
    }
    return true;
}

// A member that is heard through others only is not gone, but it stays silent for us.
static void note_relayed(keel_session *s, const session_peer *peer, uint32_t slot,
                         uint64_t before) {
    session_peer *origin = keeli_peer_of(s, slot);
    if (origin && origin != peer && s->in.slot[slot].known > before) origin->relayed_at = s->clock;
}

static bool take_inputs(keel_session *s, session_peer *peer, const packet *p) {
    if (p->known_count != s->in.slots) return false;
    for (uint32_t i = 0; i < p->block_count; ++i)
        if (p->blocks[i].slot >= s->in.slots) return false;
    if (!note_known(s, peer, p)) return false;

    note_loss(peer, (uint8_t)p->sequence);
    if (p->frame >= peer->frame) {
        peer->frame = p->frame;
        keeli_pace_note(s, peer, p->frame, p->ahead);
    }
    for (uint32_t i = 0; i < p->block_count; ++i) {
        const uint32_t slot = p->blocks[i].slot;
        const uint64_t before = s->in.slot[slot].known;
        if (!take_block(s, peer, &p->blocks[i])) return false;
        note_relayed(s, peer, slot, before);
    }
    return true;
}

// A peer said that it leaves.
static void take_bye(keel_session *s, session_peer *peer) {
    if (peer->state == PEER_MEMBER) keeli_agree_suspect(s, peer);
    else keeli_connect_lost(s, peer);
}

// Tells a machine that believes to be a member, but is none any more, that we went on without it.
static bool tell_gone(keel_session *s, session_peer *peer) {
    if (!peer->is_ready)
        keeli_connect_refuse(s, peer, "the others went on without this machine; connect again");
    peer->is_ready = true; // once
    return true;
}

// Handles a valid packet. False: it is out of place.
static bool handle(keel_session *s, session_peer *peer, const packet *p) {
    const bool is_member = peer->state == PEER_MEMBER && p->session == s->number;
    switch (p->type) {
    case PACKET_HELLO:
    case PACKET_REFUSED:
    case PACKET_WELCOME:
    case PACKET_START:
    case PACKET_MEET:
    case PACKET_READY:
    case PACKET_GO:
        return keeli_connect_packet(s, peer, p);
    case PACKET_IMAGE:
    case PACKET_FEED:
        return p->session == s->number && keeli_join_packet(s, peer, p);
    case PACKET_INPUT:
        if (p->session != s->number) return false;
        if (peer->state == PEER_FEED || (peer->state == PEER_GUEST && s->phase == PHASE_PLAYING))
            return keeli_join_known(s, peer, p);
        if (s->phase != PHASE_PLAYING) // the game begins there a little earlier
            return true;
        if (peer->state == PEER_NEW) return tell_gone(s, peer);
        return is_member && take_inputs(s, peer, p);
    case PACKET_HASH:
        if (s->phase == PHASE_PLAYING && is_member)
            keeli_frames_hash_of(s, peer, p->frame, p->hash);
        return p->session == s->number;
    case PACKET_ALIVE:
        if (is_member)
            for (uint32_t i = 0; i < s->in.slots; ++i)
                if (p->slots >> i & 1) peer->relay_until[i] = s->clock + relay_for;
        return p->session == s->number;
    case PACKET_BYE:
        if (p->session != s->number) return false;
        take_bye(s, peer);
        return true;
    case PACKET_DIFFER:
        return is_member && keeli_differ_packet(s, peer, p);
    default:
        return p->session == s->number && keeli_agree_packet(s, peer, p);
    }
}

// True if the peer may send one more packet of that size in this second.
static bool is_within_rate(keel_session *s, session_peer *peer, size_t size) {
    if (s->clock - peer->second_at >= 1) {
        peer->second_at = s->clock;
        peer->packets = peer->bytes = peer->bad = 0;
    }
    const bool loads = s->phase == PHASE_LOADING;
    const uint32_t packets = loads ? 2000 : s->desc.rate * 4 + 200;
    ++peer->packets;
    peer->bytes += (uint32_t)size;
    return peer->packets <= packets && peer->bytes <= (loads ? 16 : 1) * BYTES_A_SECOND;
}

static session_peer *peer_by_transport(keel_session *s, uint32_t transport) {
    EACH_PEER(s, peer)
        if (peer->transport == transport) return peer;
    return keeli_peer_add(s, transport);
}

void keeli_peers_receive(keel_session *s) {
    const keel_session_transport *t = &s->desc.transport;
    for (uint32_t i = 0; i < PACKETS_AT_ONCE && s->phase != PHASE_ENDED; ++i) {
        uint32_t transport;
        const size_t size = t->receive(t->self, &transport, s->received, sizeof s->received);
        if (!size) return;
        s->totals.bytes_received += size;
        session_peer *peer = peer_by_transport(s, transport);
        if (!peer && t->forget) t->forget(t->self, transport); // no place is left
        if (!peer) continue;
        // A stranger can send packets in the name of a member, but does not know the session's
        // number unless they see the traffic. Such packets do not count against the member.
        if (peer->state == PEER_MEMBER && keeli_packet_session(s->received, size) != s->number) {
            ++s->totals.refused_packets;
            continue;
        }
        if (peer->is_suspect || !is_within_rate(s, peer, size)) continue;
        if (!keeli_packet_read(&s->in_packet, s->received, size, s->desc.input_size, s->in.now) ||
            !handle(s, peer, &s->in_packet)) {
            count_bad(s, peer);
            continue;
        }
        if (peer->state != PEER_NONE && peer->state != PEER_NEW) peer->heard_at = s->clock;
    }
}

// ------------------------------------------------------------------ silence
static void watch_member(keel_session *s, session_peer *peer, double heard) {
    const double silent = s->clock - heard;
    const uint32_t player = keeli_first_slot(peer->slots);
    if (silent > silent_after && !peer->is_silent) {
        peer->is_silent = true;
        keeli_session_event(s, KEEL_SESSION_SILENT, player, s->in.now, NULL);
    } else if (silent <= silent_after && peer->is_silent) {
        peer->is_silent = false;
        keeli_session_event(s, KEEL_SESSION_HEARD, player, s->in.now, NULL);
    }
    if (s->desc.timeout_ms != KEEL_SESSION_NEVER && silent * 1000 > s->desc.timeout_ms)
        keeli_agree_suspect(s, peer);
}

// Asks all members to pass on the inputs of those that this machine does not hear itself.
static void ask_for_relays(keel_session *s) {
    uint32_t unheard = 0;
    EACH_PEER(s, peer)
        if (keeli_peer_stays(peer) && s->clock - peer->heard_at > relay_after)
            unheard |= peer->slots;
    if (!unheard || s->clock < s->relay_at) return;
    s->relay_at = s->clock + ask_every;
    EACH_PEER(s, peer) {
        if (!keeli_peer_stays(peer) || peer->slots & unheard) continue;
        packet *p = keeli_packet_begin(s, PACKET_ALIVE);
        p->slots = unheard;
        keeli_peer_send(s, peer, false);
    }
}

void keeli_peers_watch(keel_session *s) {
    ask_for_relays(s);
    EACH_PEER(s, peer) {
        const double heard = peer->heard_at > peer->relayed_at ? peer->heard_at : peer->relayed_at;
        const bool never = s->desc.timeout_ms == KEEL_SESSION_NEVER;
        if (keeli_peer_stays(peer)) watch_member(s, peer, heard);
        else if (peer->state == PEER_NEW && peer->transport != s->host &&
                 s->clock - heard > stranger_for)
            keeli_peer_forget(s, peer);
        else if (peer->state != PEER_MEMBER && !never &&
                 (s->clock - heard) * 1000 > s->desc.timeout_ms)
            keeli_connect_lost(s, peer);
    }
}
