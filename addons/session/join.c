// SPDX-License-Identifier: MIT
// Joins a running game, and hands one over. Who joins gets the exact image of a confirmed state
// from the leader, and from that frame on the confirmed inputs of all (a feed); it plays them as
// fast as it can. When it has caught up and has met all members, the leader names the frame in
// which the player enters (ENTER). A member agrees if it has not confirmed that frame yet, and
// waits for the player's inputs from then on; when all have agreed, the leader tells the player
// (ENTERED). Spectators stay at the feed. Nobody waits for who joins.
#include "game.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_AT_ONCE = 20,    // frames that are played in one advance to catch up
    NEAR_FRAMES = 30,       // a machine that is this near may enter
    ENTER_AFTER = 30,       // frames from now until a player enters
    KEPT_FRAMES = 300,      // the log keeps so many frames beyond those that feeds need
    FEED_FRAMES = 36000,    // a feed that is further behind is forgotten
    IMAGE_A_SECOND = 262144 // bytes
};

// ------------------------------------------------------------------ the log of confirmed inputs
static size_t log_entry(const keel_session *s) { return 1 + (size_t)s->in.slots * s->in.size; }

static bool has_feeds(keel_session *s) {
    EACH_PEER(s, peer)
        if (peer->state == PEER_FEED) return true;
    return false;
}

// Forgets the frames that all feeds know.
static void trim_log(keel_session *s) {
    uint64_t least = s->log_end;
    EACH_PEER(s, peer)
        if (peer->state == PEER_FEED && peer->image && peer->feed_from < least)
            least = peer->feed_from;
    const uint64_t kept =
        s->log_end > KEPT_FRAMES ? s->log_end - KEPT_FRAMES : 0; // new images need these
    least = least < kept ? least : kept;
    if (least <= s->log_first) return;
    const size_t entries = (size_t)(s->log_end - least);
    if (least - s->log_first < 256) return;
    memmove(s->log, s->log + (size_t)(least - s->log_first) * log_entry(s), entries * log_entry(s));
    s->log_first = least;
}

static bool log_frame(keel_session *s, uint64_t frame) {
    const size_t need = (size_t)(frame + 1 - s->log_first) * log_entry(s);
    if (!keeli_grow(&s->log, &s->log_room, need)) return false;
    unsigned char *to = s->log + need - log_entry(s);
    to[0] = 0;
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        const unsigned char *input = keeli_inputs_find(&s->in, i, frame);
        if (!input) return false;
        memcpy(to + 1 + (size_t)i * s->in.size, input, s->in.size);
        to[0] |= (unsigned char)(keeli_inputs_plays(&s->in, i, frame) << i);
    }
    s->log_end = frame + 1;
    return true;
}

// Writes the image of a confirmed state for a peer.
static bool write_image(void *context, const void *bytes, size_t size) {
    session_peer *peer = context;
    if (!keeli_grow(&peer->image, &peer->image_room, peer->image_size + size)) return false;
    memcpy(peer->image + peer->image_size, bytes, size);
    peer->image_size += size;
    return true;
}

static keel_result make_image(keel_session *s, session_peer *peer) {
    const uint64_t end = keeli_inputs_final(&s->in);
    if (end == s->in.now) // nothing is predicted: the ring may be without states
        KEEL_TRY(keel_ring_take(s->ring, end));
    const uint64_t frame = keeli_frames_nearest(s, end);
    keel_snapshot *snapshot = keel_ring_snapshot(s->ring, frame);
    if (!snapshot) return KEEL_ABSENT;

    peer->image_size = 0;
    keel_result result = keel_snapshot_hash(snapshot, 0, &peer->image_hash);
    if (result == KEEL_OK)
        result = keel_snapshot_write(snapshot, (keel_snapshot_sink){ write_image, peer });
    if (result != KEEL_OK) {
        keeli_connect_refuse(s, peer, "the host cannot write its world as an image");
        return KEEL_OK;
    }
    peer->image_frame = peer->feed_from = frame;
    if (!s->log_end || s->log_first == s->log_end) s->log_first = s->log_end = frame;
    return KEEL_OK;
}

// True if a peer is being sent an image: the next one is made when it has all of it.
static bool is_sending_image(keel_session *s) {
    EACH_PEER(s, peer)
        if (peer->state == PEER_FEED && peer->image && !peer->has_image) return true;
    return false;
}

keel_result keeli_join_collect(keel_session *s) {
    if (!has_feeds(s)) {
        s->log_first = s->log_end = 0;
        return KEEL_OK;
    }
    EACH_PEER(s, peer)
        if (peer->state == PEER_FEED && !peer->image && !is_sending_image(s))
            KEEL_TRY(make_image(s, peer));
    for (uint64_t f = s->log_end, end = keeli_inputs_final(&s->in); f < end; ++f)
        if (!log_frame(s, f)) return KEEL_ERROR_MEMORY;
    trim_log(s);
    return KEEL_OK;
}

// ------------------------------------------------------------------ feeding
static void send_image(keel_session *s, session_peer *peer) {
    size_t left = IMAGE_A_SECOND / s->desc.rate + PACKET_CHUNK;
    while (peer->image_sent < peer->image_size && left >= PACKET_CHUNK) {
        packet *p = keeli_packet_begin(s, PACKET_IMAGE);
        const size_t rest = peer->image_size - peer->image_sent;
        p->frame = peer->image_frame;
        p->hash = peer->image_hash;
        p->offset = peer->image_sent;
        p->total = peer->image_size;
        p->size = rest < PACKET_CHUNK ? (uint32_t)rest : PACKET_CHUNK;
        p->bytes = peer->image + peer->image_sent;
        keeli_peer_send(s, peer, true);
        peer->image_sent += p->size;
        left -= PACKET_CHUNK;
    }
    peer->has_image = peer->image_sent == peer->image_size;
    unsigned char *rest = peer->has_image ? realloc(peer->image, 1) : NULL;
    if (!rest) return;
    peer->image = rest; // one byte stays: it says that the image was made
    peer->image_room = 1;
}

// Sends the inputs of frames in which the same slots play, as many as fit a packet.
static void send_feed(keel_session *s, session_peer *peer) {
    uint64_t end = s->log_end;
    end = peer->slots ? end : end > s->desc.spectator_delay ? end - s->desc.spectator_delay : 0;
    const uint64_t first = peer->feed_from;
    if (first >= end || first < s->log_first) return;
    const size_t each = 1 + (size_t)s->in.slots * (s->in.size + s->in.size / 7 + 1);
    const uint64_t most = (PACKET_INPUT_BYTES - 128) / each;
    const unsigned char *from = s->log + (size_t)(first - s->log_first) * log_entry(s);
    packet *p = keeli_packet_begin(s, PACKET_FEED);
    p->frame = first;
    p->slots = from[0];
    while (first + p->count < end && p->count < PACKET_RUN && p->count < (most ? most : 1) &&
           from[p->count * log_entry(s)] == from[0])
        ++p->count;

    uint32_t used = 0;
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        if (!(p->slots >> i & 1)) continue;
        packet_block *block = &p->blocks[p->block_count++];
        *block = (packet_block){
            .slot = (uint8_t)i, .count = (uint8_t)p->count, .first = first, .at = used
        };
        for (uint32_t f = 0; f < p->count; ++f, used += s->in.size)
            memcpy(p->inputs + used, from + f * log_entry(s) + 1 + (size_t)i * s->in.size,
                   s->in.size);
    }
    keeli_peer_send(s, peer, false);
}

void keeli_join_feed(keel_session *s, session_peer *peer) {
    if (!peer->image) return;
    if (s->log_end > peer->feed_from + FEED_FRAMES) keeli_peer_forget(s, peer);
    else if (!peer->has_image) send_image(s, peer);
    else send_feed(s, peer);
}

bool keeli_join_known(keel_session *s, session_peer *peer, const packet *p) {
    if (p->known_count != s->in.slots) return false;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        peer->known[i] = p->known[i];
    const uint64_t known = p->ahead < 0 ? peer->feed_from : p->frame;
    if (peer->state == PEER_FEED && known > peer->feed_from && known <= s->log_end)
        peer->feed_from = known;
    return true;
}

void keeli_join_forget(keel_session *s, session_peer *peer) {
    free(peer->image);
    free(peer->differ_early);
    peer->image = peer->differ_early = NULL;
    if (peer->slots && (s->entering & peer->slots) == peer->slots) s->entering = 0;
}

bool keeli_join_begin(keel_session *s, session_peer *peer, const packet *hello) {
    if (hello->wants && !keeli_agree_leads(s)) {
        keeli_connect_refuse(
            s, peer,
            "this machine does not lead the game; connect to the player with the lowest number");
        return true;
    }
    keeli_connect_welcome(s, peer, hello);
    peer->state = PEER_FEED;
    if (!hello->wants) {
        keeli_session_event(s, KEEL_SESSION_SPECTATOR, KEEL_SESSION_NO_PLAYER, s->in.now, NULL);
        return true;
    }
    packet *p = keeli_connect_members(s, PEER_MEMBER);
    p->epoch = s->epoch;
    keeli_peer_send(s, peer, true);
    return true;
}

// ------------------------------------------------------------------ who joins
bool keeli_join_start(keel_session *s, session_peer *peer, const packet *p) {
    if (peer->transport != s->host || s->members) return false;
    s->epoch = p->epoch;
    for (uint32_t i = 0; i < p->member_count; ++i) {
        const packet_member *m = &p->members[i];
        if (!m->slots || m->slots & (s->members | s->own) || m->slots >> s->in.slots) return false;
        s->members |= m->slots;
        if (i && !keeli_connect_member(s, m))
            keeli_session_stop(s, KEEL_SESSION_REFUSED, "another player cannot be reached");
    }
    if (p->member_count) peer->slots = p->members[0].slots;
    return true;
}

bool keeli_join_meet(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase != PHASE_PLAYING) { // the answer of a member
        if (peer->state != PEER_MEETING || peer->slots != p->slots) return false;
        peer->state = PEER_GUEST;
        peer->knows_us = true;
        return true;
    }
    if (peer->state != PEER_NEW) return peer->slots == p->slots; // said again
    if (p->slots & keeli_playing_slots(s)) return false;
    session_peer *known = keeli_peer_of(s, keeli_first_slot(p->slots));
    if (known && known->state != PEER_GUEST) return false; // this machine itself lets them join
    if (known)                                             // an earlier attempt
        keeli_peer_forget(s, known);
    peer->state = PEER_GUEST;
    peer->slots = p->slots;
    keeli_connect_meet(s, peer);
    return true;
}

// Makes the world that of the image.
static keel_result load_image(keel_session *s) {
    keel_snapshot *snapshot = keel_snapshot_create(s->world, "the image of a running game");
    if (!snapshot) return keel_last_error(s->world)->result;
    keel_error error = { 0 };
    const keel_snapshot_read_options options = { .error = &error,
                                                 .max_bytes = s->desc.max_image_bytes };
    const keel_result result =
        keeli_game_restore(s->world, snapshot, s->image, s->image_size, s->image_hash, &options);
    keel_snapshot_destroy(snapshot);
    free(s->image);
    s->image = NULL;
    if (result != KEEL_OK) {
        const bool is_another = result == KEEL_ERROR_DIFFERS;
        keeli_session_stop(s, KEEL_SESSION_REFUSED,
                           is_another ? "the image of the game is not the one that was sent"
                                      : error.message);
        return KEEL_OK;
    }
    keeli_inputs_reset(&s->in, s->image_frame);
    s->fed = s->image_frame;
    s->phase = PHASE_CATCHING_UP;
    KEEL_TRY(keeli_frames_reset(s));
    keeli_record_start(s);
    return KEEL_OK;
}

static bool take_image(keel_session *s, const packet *p) {
    if (s->phase != PHASE_LOADING || p->offset != s->image_size) return false;
    if (!s->image) {
        if (p->total > s->desc.max_image_bytes || !p->total) {
            keeli_session_stop(s, KEEL_SESSION_REFUSED,
                               "the image of the game is larger than max_image_bytes");
            return true;
        }
        s->image = malloc((size_t)p->total);
        if (!s->image) {
            keeli_session_stop(s, KEEL_SESSION_REFUSED, "joining: out of memory");
            return true;
        }
        s->image_total = (size_t)p->total;
        s->image_frame = p->frame;
        s->image_hash = p->hash;
    }
    if (p->total != s->image_total || p->frame != s->image_frame || p->hash != s->image_hash)
        return false;
    memcpy(s->image + s->image_size, p->bytes, p->size);
    s->image_size += p->size;
    return true;
}

// Takes the inputs of one frame of a feed.
static void take_fed_frame(keel_session *s, const packet *p, uint32_t at) {
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        const bool plays = p->slots >> i & 1;
        if (plays && !s->in.slot[i].is_playing) keeli_inputs_enter(&s->in, i, s->fed);
        else if (!plays && s->in.slot[i].is_playing) keeli_inputs_leave(&s->in, i);
    }
    for (uint32_t b = 0; b < p->block_count; ++b)
        (void)keeli_inputs_add(&s->in, p->blocks[b].slot, s->fed,
                               p->inputs + p->blocks[b].at + (size_t)at * s->in.size);
    ++s->fed;
}

static bool take_feed(keel_session *s, const packet *p) {
    if (s->phase != PHASE_CATCHING_UP || p->slots >> s->in.slots || p->frame > s->fed)
        return s->phase == PHASE_PLAYING || s->phase == PHASE_LOADING;
    for (uint32_t i = 0; i < p->count; ++i) // as many as the kept inputs allow
        if (p->frame + i == s->fed && s->fed < s->in.now + INPUT_AHEAD) take_fed_frame(s, p, i);
    return true;
}

bool keeli_join_packet(keel_session *s, session_peer *peer, const packet *p) {
    if (peer->transport != s->host) return false;
    return p->type == PACKET_IMAGE ? take_image(s, p) : take_feed(s, p);
}

// Tells all members what is known here, and the leader when this machine may enter.
static void send_known(keel_session *s) {
    bool met_all = s->own != 0 && s->members != 0;
    EACH_PEER(s, peer) {
        packet *p = keeli_packet_begin(s, PACKET_INPUT);
        p->frame = s->fed;
        p->ahead = s->phase == PHASE_LOADING ? -1 : 0;
        p->sequence = peer->sequence_out++;
        p->known_count = s->in.slots;
        for (uint32_t i = 0; i < s->in.slots; ++i)
            p->known[i] = s->fed;
        met_all &= peer->state == PEER_GUEST;
        keeli_peer_send(s, peer, false);
    }
    met_all &= (keeli_playing_slots(s) & s->members) == s->members;
    const bool is_near = s->phase == PHASE_CATCHING_UP && s->fed - s->in.now < NEAR_FRAMES &&
                         s->fed > s->image_frame;
    if (s->said_ready || !met_all || !is_near) return;
    s->said_ready = true;
    EACH_PEER(s, peer) {
        if (peer->transport != s->host) continue;
        packet *p = keeli_packet_begin(s, PACKET_READY);
        p->epoch = s->members;
        keeli_peer_send(s, peer, true);
    }
}

keel_result keeli_join_advance(keel_session *s, uint32_t *played) {
    if (s->phase == PHASE_LOADING && s->image && s->image_size == s->image_total)
        KEEL_TRY(load_image(s));
    if (s->phase == PHASE_CATCHING_UP) {
        const uint64_t behind = s->fed - s->in.now;
        s->due += s->elapsed * s->desc.rate;
        double frames = behind > 8 ? FRAMES_AT_ONCE : s->due;
        for (; frames >= 1 && s->in.now < s->fed; frames -= 1, ++*played)
            KEEL_TRY(keeli_frames_play(s));
        s->due = frames < 1 && behind <= 8 ? frames : 0;
        keeli_frames_check(s);
    }
    if (s->phase != PHASE_ENDED && s->clock >= s->send_at) {
        send_known(s);
        s->send_at = s->clock + 1.0 / s->desc.rate;
    }
    return KEEL_OK;
}

void keeli_join_end(keel_session *s) {
    free(s->image);
    free(s->log);
}

// ------------------------------------------------------------------ entering
// Lets the players of a peer enter here.
static void enter(keel_session *s, session_peer *peer, uint64_t frame) {
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        if (!(peer->slots >> i & 1)) continue;
        const bool is_new = !s->in.slot[i].is_playing;
        keeli_inputs_enter(&s->in, i, frame);
        if (is_new) keeli_session_event(s, KEEL_SESSION_JOINED, i, frame, NULL);
    }
    peer->heard_at = s->clock;
}

// Asks all members to let a player enter.
static void send_enter(keel_session *s, session_peer *peer, uint64_t frame) {
    s->entering = peer->slots;
    s->entry_frame = frame;
    s->entry_number = keeli_agree_number(s);
    s->entry_at = s->clock;
    EACH_PEER(s, member) {
        member->entered = 0;
        if (!keeli_peer_stays(member) || member == peer) continue;
        packet *p = keeli_packet_begin(s, PACKET_ENTER);
        p->epoch = s->entry_number;
        p->slots = peer->slots;
        p->frame = frame;
        keeli_peer_send(s, member, true);
    }
    enter(s, peer, frame);
}

bool keeli_join_ready(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase != PHASE_PLAYING || peer->state != PEER_FEED || !peer->slots || !peer->has_image)
        return false;
    if (keeli_playing_slots(s) & ~p->epoch & ~peer->slots) {
        keeli_connect_refuse(s, peer, "another player joined at the same time; connect again");
        return true;
    }
    peer->is_ready = true;
    return true;
}

// Tells the player that all have agreed; from now on they are a member.
static void finish_enter(keel_session *s, session_peer *peer) {
    packet *p = keeli_packet_begin(s, PACKET_ENTERED);
    p->epoch = s->entry_number;
    p->slots = peer->slots;
    p->frame = s->entry_frame;
    p->count = keeli_playing_slots(s);
    keeli_peer_send(s, peer, true);
    peer->state = PEER_MEMBER;
    peer->is_ready = false;
    s->entering = 0;
    free(peer->image);
    peer->image = NULL;
}

// True if a peer has all inputs of who played in its slots before. It cannot get them later: once
// it enters, the slots are its own.
static bool has_slots_to_itself(const keel_session *s, const session_peer *peer) {
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (peer->slots >> i & 1 && peer->feed_from < s->in.slot[i].known) return false;
    return true;
}

void keeli_join_step(keel_session *s) {
    if (!keeli_agree_leads(s) || s->leaving) return;
    EACH_PEER(s, peer) {
        if (peer->state != PEER_FEED || !peer->is_ready) continue;
        if (s->entering != peer->slots && !has_slots_to_itself(s, peer)) continue;
        const bool is_late = s->clock - s->entry_at > 1 || s->epoch != s->entry_number;
        if (!s->entering || (s->entering == peer->slots && is_late)) {
            const uint64_t frame = s->in.now + ENTER_AFTER;
            send_enter(s, peer, s->entering && s->entry_frame > frame ? s->entry_frame : frame);
        }
        if (s->entering != peer->slots) return;
        EACH_PEER(s, member)
            if (keeli_peer_stays(member) && member->entered != s->entry_number) return;
        finish_enter(s, peer);
        return;
    }
}

// True if inputs of a player of these slots are known already.
static bool has_begun(const keel_session *s, uint32_t slots) {
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (slots >> i & 1 && keeli_inputs_given(&s->in, i)) return true;
    return false;
}

// A member is asked to let a player enter.
static bool take_enter(keel_session *s, session_peer *peer, const packet *p) {
    if (!keeli_agree_is_later(s, p->epoch)) return true;
    session_peer *who = p->slots ? keeli_peer_of(s, keeli_first_slot(p->slots)) : NULL;
    if (p->slots & s->own || !p->slots || p->slots >> s->in.slots) return false;
    if (has_begun(s, p->slots) || p->frame > s->in.now + INPUT_AHEAD) return false;
    s->epoch = p->epoch;
    const bool is_known =
        who && who->slots == p->slots && (who->state == PEER_GUEST || who->state == PEER_MEMBER);
    const uint64_t least = keeli_inputs_final(&s->in);
    const bool agrees = is_known && !who->is_suspect && least <= p->frame;
    packet *answer = keeli_packet_begin(s, PACKET_ENTERED);
    answer->epoch = p->epoch;
    answer->slots = p->slots;
    // a later frame is a refusal: not even one who is far behind may name an earlier one
    const uint64_t later = least + ENTER_AFTER > p->frame ? least + ENTER_AFTER : p->frame + 1;
    answer->frame = agrees ? p->frame : later;
    keeli_peer_send(s, peer, true);
    if (!agrees) return true;
    enter(s, who, p->frame);
    who->state = PEER_MEMBER;
    return true;
}

// This machine enters: all members have agreed.
static bool take_entry(keel_session *s, session_peer *peer, const packet *p) {
    if (s->phase != PHASE_CATCHING_UP || peer->transport != s->host || p->slots != s->own ||
        !s->own || p->frame < s->fed) // a spectator does not enter, nor anybody in the past
        return false;
    s->epoch = p->epoch;
    s->entry = p->frame;
    s->phase = PHASE_PLAYING;
    s->due = 0;
    EACH_PEER(s, member) {
        if (!member->slots) continue;
        member->state = PEER_MEMBER;
        for (uint32_t i = 0; i < s->in.slots; ++i)
            member->known[i] = s->fed;
        member->heard_at = s->clock;
    }
    s->leaving = keeli_playing_slots(s) & ~p->count; // gone, but the feed did not say so yet
    EACH_PEER(s, member)
        if (member->slots & s->leaving) member->is_suspect = true;
    for (uint32_t i = 0; i < s->in.slots; ++i)
        if (s->own >> i & 1) keeli_inputs_enter(&s->in, i, s->entry);
    keeli_session_event(s, KEEL_SESSION_STARTED, keeli_first_slot(s->own), s->in.now, NULL);
    keeli_session_event(s, KEEL_SESSION_JOINED, keeli_first_slot(s->own), s->entry, NULL);
    return true;
}

bool keeli_join_enter(keel_session *s, session_peer *peer, const packet *p) {
    if (p->type == PACKET_ENTER)
        return s->phase == PHASE_PLAYING && peer->state == PEER_MEMBER && take_enter(s, peer, p);
    if (s->phase == PHASE_CATCHING_UP) return take_entry(s, peer, p);
    if (peer->state != PEER_MEMBER || p->epoch != s->entry_number)
        return peer->state == PEER_MEMBER;
    if (p->frame > s->in.now + INPUT_AHEAD) return false;
    if (p->frame > s->entry_frame) {
        s->entry_frame = p->frame;
        s->entry_at = -1; // again, with that frame
    } else {
        peer->entered = p->epoch;
    }
    return true;
}
