// SPDX-License-Identifier: MIT
// Makes all members agree on the last frame of a player who is gone. The lowest member that is left
// leads: it asks everybody (ROUND), and who is asked stops to listen to the player and answers with
// all inputs of theirs that it has (STATE). The most that anybody knows counts: the leader sends
// what others lack (DECIDE), and from that frame on the inputs are zeros. Until then they are
// predicted, and the limit of frames holds, so nobody can have confirmed a frame that is decided
// otherwise.
//
// A round has a number that is higher than all before it. If the leader goes, the next one asks
// anew, with a higher one; each member obeys the highest, and answers to older ones count no more.
// An answer has the state of all slots, so that a decision that reached some members only is
// repeated for the others.
#include "session.h"

static const double ask_again = 1.0; // seconds until a round begins anew
enum { FAR_NUMBER = 65536 };         // no honest machine misses so many numbers

uint32_t keeli_playing_slots(const keel_session *s) {
    uint32_t playing = 0;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        playing |= (uint32_t)s->in.slot[i].is_playing << i;
    return playing;
}

uint32_t keeli_agree_staying(keel_session *s) {
    uint32_t slots = s->own;
    EACH_PEER(s, peer)
        if (keeli_peer_stays(peer)) slots |= peer->slots;
    return slots;
}

bool keeli_agree_leads(keel_session *s) {
    return s->own && keeli_first_slot(keeli_agree_staying(s)) == keeli_first_slot(s->own);
}

uint32_t keeli_agree_number(keel_session *s) {
    s->epoch = (s->epoch / 8 + 1) * 8 + keeli_first_slot(s->own);
    if (!s->epoch) s->epoch = 8; // 0 is a wish
    return s->epoch;
}

bool keeli_agree_is_later(const keel_session *s, uint32_t number) {
    const uint32_t ahead = number - s->epoch; // numbers may begin anew behind the last one
    return ahead && ahead <= INT32_MAX;
}

// True if a number is so far from ours that somebody lied to one of both machines.
static bool is_far(const keel_session *s, uint32_t number) {
    return number - s->epoch > FAR_NUMBER && s->epoch - number > FAR_NUMBER;
}

void keeli_agree_suspect(keel_session *s, session_peer *peer) {
    peer->is_suspect = true;
    s->leaving |= peer->slots & keeli_playing_slots(s);
    if (!(peer->slots & keeli_playing_slots(s))) keeli_peer_forget(s, peer);
}

static void suspect_slots(keel_session *s, uint32_t slots) {
    EACH_PEER(s, peer)
        if (keeli_peer_stays(peer) && peer->slots & slots) keeli_agree_suspect(s, peer);
}

// Returns the slots for which this machine has no input of the last player that it knows of.
static uint32_t slots_without_input(const keel_session *s) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        slots |= (uint32_t)(s->in.slot[i].known == s->in.slot[i].from) << i;
    return slots;
}

// True if a member says that players never gave any input, of whom this machine has some and knows
// no more than the member does: no honest one says so.
static bool denies_inputs(const keel_session *s, const packet *p) {
    const uint32_t slots = p->count & ~s->own;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (slots >> i & 1 && keeli_inputs_given(&s->in, i) && p->known[i] >= s->in.slot[i].known)
            return true;
    return false;
}

// True if a decision takes back what this machine knows: an honest leader knows at least as much.
static bool takes_back(const keel_session *s, const packet *p) {
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        if (!(p->slots >> i & 1)) continue;
        if (p->known[i] < s->in.slot[i].known) return true;
        if (p->count >> i & 1 && keeli_inputs_given(&s->in, i)) return true;
    }
    return false;
}

// True if nobody can know so many inputs of a slot.
static bool is_too_much(const keel_session *s, const packet *p) {
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (p->known[i] > s->in.now + INPUT_FRAMES) return true;
    return false;
}

// Writes what this machine knows of all slots, with inputs that the peer may lack.
static void write_state(keel_session *s, const session_peer *peer, packet *p, uint32_t slots) {
    p->frame = s->in.now;
    p->known_count = s->in.slots;
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        p->known[i] = s->in.slot[i].known;
        const uint64_t from = peer->known[i];
        if (slots >> i & 1 && from != PACKET_GONE)
            (void)keeli_packet_add_block(s, p, i, from, s->in.slot[i].known);
    }
}

// ------------------------------------------------------------------ leading
// Applies a decision: the players of `slots` are gone, each from the frame on that is known now.
// Those of `never` have not given any input: they count as never entered, with the frame in
// `known`.
static void apply_gone(keel_session *s, uint32_t slots, uint32_t never, const uint64_t *known) {
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        if (!(slots >> i & 1)) continue;
        const bool was_playing = s->in.slot[i].is_playing;
        if (never >> i & 1) keeli_inputs_withdraw(&s->in, i, known[i]);
        else if (was_playing) keeli_inputs_leave(&s->in, i);
        if (was_playing) keeli_session_event(s, KEEL_SESSION_LEFT, i, s->in.slot[i].known, NULL);
    }
    s->leaving &= ~slots;
    s->entering &= ~slots;
    EACH_PEER(s, peer) {
        if (!(peer->slots & slots)) continue;
        if (peer->state == PEER_MEMBER) keeli_peer_forget(s, peer);
        else if (peer->state == PEER_FEED && peer->is_ready)
            keeli_connect_refuse(s, peer, "a player left while this machine joined; connect again");
    }
}

// Ends the round of this machine: sends to each what it lacks.
static void decide(keel_session *s) {
    const uint32_t slots = s->asked;
    s->is_asking = false;
    EACH_PEER(s, peer) {
        if (!keeli_peer_stays(peer)) continue;
        packet *p = keeli_packet_begin(s, PACKET_DECIDE);
        p->epoch = s->epoch;
        p->slots = slots;
        p->count = s->never;
        write_state(s, peer, p, slots & ~s->never);
        for (uint32_t i = 0; i < s->in.slots; ++i)
            if (s->never >> i & 1) p->known[i] = s->found[i];
        keeli_peer_send(s, peer, true);
    }
    apply_gone(s, slots, s->never, s->found);
}

static void decide_if_all_answered(keel_session *s) {
    EACH_PEER(s, peer)
        if (keeli_peer_stays(peer) && peer->answered != s->epoch) return;
    decide(s);
}

// Takes what a member knows of a slot. Who knows the most decides whether there are any inputs.
static void note_found(keel_session *s, uint32_t slot, uint64_t known, bool has_none) {
    const uint32_t bit = 1u << slot;
    if (known < s->found[slot]) return;
    if (known > s->found[slot]) s->never |= bit;
    s->found[slot] = known;
    if (!has_none) s->never &= ~bit;
}

static void begin_round(keel_session *s) {
    s->asked = s->leaving;
    s->is_asking = true;
    s->asked_at = s->clock;
    s->never = slots_without_input(s);
    (void)keeli_agree_number(s);
    for (uint32_t i = 0; i < s->in.slots; ++i)
        s->found[i] = s->in.slot[i].known;
    EACH_PEER(s, peer) {
        if (!keeli_peer_stays(peer)) continue;
        packet *p = keeli_packet_begin(s, PACKET_ROUND);
        p->epoch = s->epoch;
        p->slots = s->asked;
        p->frame = s->in.now;
        keeli_peer_send(s, peer, true);
    }
    decide_if_all_answered(s);
}

// Asks the leader to begin a round, once for each leader and set of slots.
static void ask_leader(keel_session *s) {
    const uint32_t leader = keeli_first_slot(keeli_agree_staying(s));
    const uint32_t told = s->leaving << 8 | leader;
    session_peer *peer = keeli_peer_of(s, leader);
    if (s->told == told || !peer) return;
    s->told = told;
    packet *p = keeli_packet_begin(s, PACKET_ROUND);
    p->epoch = 0;
    p->slots = s->leaving;
    p->frame = s->in.now;
    keeli_peer_send(s, peer, true);
}

void keeli_agree_step(keel_session *s) {
    if (!s->leaving) {
        s->told = 0;
        return;
    }
    if (!keeli_agree_leads(s)) {
        s->is_asking = false;
        ask_leader(s);
        return;
    }
    const bool is_new = !s->is_asking || s->leaving & ~s->asked;
    if (is_new || s->clock - s->asked_at > ask_again) begin_round(s);
}

// ------------------------------------------------------------------ answering
// True if the number of an agreement is one that the peer may have given.
static bool is_number_of(const session_peer *peer, uint32_t epoch) {
    return epoch % KEEL_SESSION_MAX_PLAYERS == keeli_first_slot(peer->slots);
}

// Tells the leader what this machine knows, with the highest number that it has seen.
static void send_state(keel_session *s, session_peer *peer) {
    packet *p = keeli_packet_begin(s, PACKET_STATE);
    p->epoch = s->epoch;
    p->slots = keeli_playing_slots(s) & ~s->leaving;
    p->count = slots_without_input(s);
    write_state(s, peer, p, UINT32_MAX & ~s->own & ~peer->slots);
    keeli_peer_send(s, peer, true);
}

static bool take_round(keel_session *s, session_peer *peer, const packet *p) {
    if (!p->slots || p->slots >> s->in.slots || p->slots & peer->slots) return false;
    if (p->epoch && !keeli_agree_is_later(s, p->epoch)) { // an older one
        if (is_far(s, p->epoch)) send_state(s, peer);
        return true;
    }
    if (p->epoch && !is_number_of(peer, p->epoch)) return false;
    if (p->slots & s->own) {
        keeli_session_stop(s, KEEL_SESSION_DROPPED,
                           "the others did not hear this machine for too long");
        return true;
    }
    suspect_slots(s, p->slots);
    if (!p->epoch) { // a wish: keeli_agree_step begins the round if this machine leads
        s->leaving |= p->slots;
        return true;
    }
    s->epoch = p->epoch;
    s->is_asking = false;
    send_state(s, peer);
    return true;
}

// Takes inputs of slots that are about to be gone.
static void take_blocks(keel_session *s, const packet *p, uint32_t slots) {
    for (uint32_t b = 0; b < p->block_count; ++b) {
        const packet_block *block = &p->blocks[b];
        if (block->slot >= s->in.slots || !(slots >> block->slot & 1)) continue;
        for (uint32_t i = 0; i < block->count; ++i)
            (void)keeli_inputs_add(&s->in, block->slot, block->first + i,
                                   p->inputs + block->at + i * s->desc.input_size);
    }
}

static bool take_state(keel_session *s, session_peer *peer, const packet *p) {
    if (s->is_asking && is_far(s, p->epoch)) { // the other one has seen a later number
        s->epoch = p->epoch;
        s->is_asking = false;
    }
    if (!s->is_asking || p->epoch != s->epoch) return true; // it answers an older round
    if (p->known_count != s->in.slots || p->slots >> s->in.slots) return false;
    if (is_too_much(s, p) || denies_inputs(s, p)) return false;
    // Slots that are gone for the other one and not for us, or the other way round.
    const uint32_t differ =
        (p->slots ^ (keeli_playing_slots(s) & ~s->leaving)) & ~s->own & ~peer->slots;
    s->asked |= differ;
    suspect_slots(s, differ);
    take_blocks(s, p, s->asked & ~p->count);
    for (uint32_t i = 0; i < s->in.slots; ++i)
        note_found(s, i, p->known[i], p->count >> i & 1);
    peer->answered = p->epoch;
    decide_if_all_answered(s);
    return true;
}

static bool take_decision(keel_session *s, const session_peer *peer, const packet *p) {
    if (p->epoch != s->epoch || s->is_asking) return true; // a later round decides
    if (!is_number_of(peer, p->epoch)) return false;       // only who asked decides
    if (p->known_count != s->in.slots || p->slots >> s->in.slots) return false;
    if (p->slots & s->own) {
        keeli_session_stop(s, KEEL_SESSION_DROPPED,
                           "the others went on without this machine; join again");
        return true;
    }
    if (is_too_much(s, p) || takes_back(s, p)) return false;
    const uint32_t gave = p->slots & ~p->count;
    take_blocks(s, p, gave);
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (gave >> i & 1 && s->in.slot[i].is_playing && s->in.slot[i].known != p->known[i]) {
            keeli_session_stop(s, KEEL_SESSION_FAILED,
                               "the last inputs of a player who left did not arrive");
            return true;
        }
    apply_gone(s, p->slots, p->count, p->known);
    return true;
}

bool keeli_agree_packet(keel_session *s, session_peer *peer, const packet *p) {
    const bool plays = s->phase == PHASE_PLAYING && peer->state == PEER_MEMBER;
    switch (p->type) {
    case PACKET_ROUND:
        return plays && take_round(s, peer, p);
    case PACKET_STATE:
        return plays && take_state(s, peer, p);
    case PACKET_DECIDE:
        return plays && take_decision(s, peer, p);
    case PACKET_ENTER:
    case PACKET_ENTERED:
        return keeli_join_enter(s, peer, p);
    default:
        return false;
    }
}
