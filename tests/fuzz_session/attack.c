// SPDX-License-Identifier: MIT
// Byte strings as attacks on a running session: a machine, the target, plays with an honest peer,
// and the string chooses what else arrives: packets of every type that lie, from the peer, from
// strangers, and old ones once more. Afterwards the target's world is the one that its inputs lead
// to, and memory is bounded. Strangers that do not know the session's number change nothing at all.
#include "game.h"

#include "schema.h"

enum {
    TARGET = 0,
    PEER = 1,       // the machine in whose name lies are told; it is honest itself
    THIRD = 2,      // one more honest machine, of ROLE_THREE
    MACHINES = 3,   // their numbers are those in the transports
    STRANGERS = 40, // numbers from 3 on
    QUEUE = 512,    // packets on their way to one machine
    HISTORY = 32,   // packets that were sent, to be sent again
    IMAGE_BYTES = 1 << 20,
    OPERATIONS = 120,
    OPERATION = 48, // bytes of an operation in a string
    STEPS = 1200,   // steps of a sixtieth of a second at most
    OLD_BYTES = 1200
};

typedef enum role {
    ROLE_HOST,      // plays, and others joined it
    ROLE_GUEST,     // plays, and joined the peer
    ROLE_OPEN,      // plays, with free slots and places for spectators
    ROLE_LATE,      // joins the peer's running game
    ROLE_SPECTATOR, // watches the peer's game
    ROLE_WAITS,     // waits for a third player
    ROLE_THREE,     // plays with two others
    ROLES
} role;

typedef struct queued {
    uint32_t from;
    size_t size;
    unsigned char *bytes;
} queued;
typedef struct mailbox {
    queued packets[QUEUE];
    uint32_t first, count;
} mailbox;
typedef struct old_packet {
    size_t size;
    unsigned char bytes[OLD_BYTES];
} old_packet;

typedef struct attack {
    const uint8_t *at, *end; // the string
    role role;
    bool is_stranger_only; // nothing comes from the peer's number, or with the session's
    uint32_t machines;     // 2 or 3
    mailbox boxes[MACHINES];
    keel_world *worlds[MACHINES];
    keel_session *sessions[MACHINES];
    old_packet history[HISTORY];
    uint32_t old_count, steps, forged;
    game_frame *record;
    uint64_t hash_frame; // of the first HASH that was forged
    uint32_t lost;       // events: somebody left, was refused, dropped, differs
    bool has_failed, was_playing;
} attack;
static attack *attack_now; // of the transports

static void attack_must(bool is_so, const char *what) {
    if (!is_so) feed_stop(what);
}

// ------------------------------------------------------------------ the string
static uint8_t take_byte(attack *a) { return a->at < a->end ? *a->at++ : 0; }

// Returns a number that is often near to one that means something.
static uint64_t take_number(attack *a) {
    const keel_session *s = a->sessions[TARGET];
    const uint64_t confirmed = keeli_inputs_confirmed(&s->in);
    const uint8_t what = take_byte(a), more = take_byte(a);
    const uint64_t small = (uint64_t)(int64_t)(int8_t)more;
    switch (what % 12) {
    case 0:
        return more;
    case 1:
        return UINT32_MAX;
    case 2:
        return s->in.now + small;
    case 3:
        return confirmed + small;
    case 4:
        return s->epoch + small;
    case 5:
        return s->in.slot[more % KEEL_SESSION_MAX_PLAYERS].known;
    case 6:
        return s->next_check - s->desc.check_every * (more % 4u);
    case 7:
        return (uint64_t)more << 8 | take_byte(a);
    case 8:
        return (uint64_t)1 << more % 42;
    case 9:
        return UINT32_MAX - more;
    case 10:
        return s->checked;
    default:
        return what & 16 ? s->entry_number : s->image_total;
    }
}

// ------------------------------------------------------------------ the network
static void put(mailbox *box, uint32_t from, const void *bytes, size_t size) {
    if (box->count == QUEUE || !size) return;
    unsigned char *copy = malloc(size);
    if (!copy) feed_stop("out of memory");
    memcpy(copy, bytes, size);
    box->packets[(box->first + box->count++) % QUEUE] =
        (queued){ .from = from, .size = size, .bytes = copy };
}

// A machine's number is the address of its box: what the target sends to strangers is lost.
static void attack_send(void *self, uint32_t to, const void *bytes, size_t size, bool reliable) {
    attack *a = attack_now;
    (void)reliable;
    const uint32_t machine = (uint32_t)((mailbox *)self - a->boxes);
    if (to >= a->machines || to == machine) return;
    put(&a->boxes[to], machine, bytes, size);
    if (size > OLD_BYTES) return;
    old_packet *old = &a->history[a->old_count++ % HISTORY];
    old->size = size;
    memcpy(old->bytes, bytes, size);
}

static size_t attack_receive(void *self, uint32_t *from, void *bytes, size_t capacity) {
    mailbox *box = self;
    if (!box->count) return 0;
    const queued q = box->packets[box->first];
    box->first = (box->first + 1) % QUEUE;
    --box->count;
    *from = q.from;
    const size_t size = q.size < capacity ? q.size : capacity;
    memcpy(bytes, q.bytes, size);
    free(q.bytes);
    return size;
}

static bool attack_connect(void *self, const char *host, uint16_t port, uint32_t *peer) {
    (void)self;
    *peer = (uint32_t)port % STRANGERS;
    return host[0] != '!';
}

static bool attack_address(void *self, uint32_t peer, char *host, size_t capacity, uint16_t *port) {
    (void)self;
    *port = (uint16_t)peer;
    return snprintf(host, capacity, "%u", (unsigned)peer) > 0;
}

// ------------------------------------------------------------------ the machines
static void begin_machine(attack *a, uint32_t machine, uint32_t players, uint32_t start) {
    keel_error error = { 0 };
    const keel_session_desc desc = {
        .step = game_step_of(),
        .input_size = sizeof(Pad),
        .players = players,
        .start_players = start,
        .spectates = machine == TARGET && a->role == ROLE_SPECTATOR,
        .takes_spectators = true,
        .check_every = 10,
        .timeout_ms = 2000,
        .max_image_bytes = IMAGE_BYTES,
        .seed = 9,
        .error = &error,
        .transport = { .self = &a->boxes[machine],
                       .connect = attack_connect,
                       .send = attack_send,
                       .receive = attack_receive,
                       .address = attack_address },
    };
    a->worlds[machine] = game_world();
    a->sessions[machine] = keel_session_begin(a->worlds[machine], &desc);
    if (!a->sessions[machine]) feed_stop(error.message);
}

static void note_events(attack *a, uint32_t machine) {
    for (keel_session_event e; keel_session_next_event(a->sessions[machine], &e);) {
        attack_must(memchr(e.text, 0, sizeof e.text) != NULL, "a text of an event has no end");
        for (const char *c = e.text; *c; ++c)
            attack_must((unsigned char)*c >= ' ' && *c != 127, "an event has a control character");
        const bool is_bad = e.kind == KEEL_SESSION_LEFT || e.kind == KEEL_SESSION_REFUSED ||
                            e.kind == KEEL_SESSION_DROPPED || e.kind == KEEL_SESSION_DIFFERS ||
                            e.kind == KEEL_SESSION_CHEATS || e.kind == KEEL_SESSION_FAILED;
        a->lost += is_bad;
        if (machine != TARGET || e.kind != KEEL_SESSION_FAILED) continue;
        a->has_failed = true;
        attack_must(strstr(e.text, "last inputs of a player who left") != NULL, e.text);
    }
}

// True if what is sent and kept is within its limits.
static void check_limits(attack *a, uint64_t sent_before) {
    const keel_session *s = a->sessions[TARGET];
    const keel_session_status status = keel_session_status_of(s);
    size_t memory = s->log_room + (s->image ? s->image_total : 0);
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PEERS; ++i)
        memory += s->peers[i].image_room + s->peers[i].differ_size;
    attack_must(memory < 8u << 20, "too much memory");
    attack_must(status.bytes_sent - sent_before < 1u << 20, "too much is sent");
    for (uint32_t i = 0; i < s->in.slots; ++i) {
        const input_slot *slot = &s->in.slot[i];
        const bool is_early = slot->is_playing && slot->known > s->in.now + INPUT_FRAMES - 1;
        attack_must(!is_early || slot->known == slot->from, "inputs beyond the ring");
    }
}

static void step_some(attack *a, uint32_t machines, double seconds) {
    if (++a->steps > STEPS) return;
    for (uint32_t machine = 0; machine < machines; ++machine) {
        keel_session *s = a->sessions[machine];
        game_record = machine == TARGET ? a->record : NULL;
        const uint64_t sent = keel_session_status_of(s).bytes_sent;
        const uint32_t player = keel_session_status_of(s).local_player;
        const Pad pad = { (int8_t)(a->steps / 7 % 3 + machine), a->steps % 13 == machine };
        if (player != KEEL_SESSION_NO_PLAYER) (void)keel_session_give_input(s, player, &pad);
        keel_session_poll(s);
        (void)keel_session_advance(s, seconds);
        note_events(a, machine);
        if (machine == TARGET) check_limits(a, sent);
    }
}

static void step(attack *a, double seconds) { step_some(a, a->machines, seconds); }

static void begin_game(attack *a) {
    static const uint32_t players[ROLES] = { 2, 2, GAME_PLAYERS, 3, 3, 3, 3 },
                          start[ROLES] = { 2, 2, 2, 1, 1, 3, 3 };
    const uint32_t count = players[a->role];
    const bool is_host = a->role == ROLE_HOST || a->role == ROLE_OPEN || a->role == ROLE_WAITS;
    const uint32_t host = is_host ? TARGET : PEER;
    begin_machine(a, TARGET, count, start[a->role]);
    begin_machine(a, PEER, count, start[a->role]);
    if (a->machines > THIRD) begin_machine(a, THIRD, count, start[a->role]);
    if (keel_session_listen(a->sessions[host], 0) != KEEL_OK) feed_stop("no host");
    if (a->role == ROLE_LATE || a->role == ROLE_SPECTATOR)
        for (uint32_t i = 0; i < 40; ++i)
            step(a, 1.0 / 60);
    if (keel_session_connect(a->sessions[1 - host], "host", (uint16_t)host) != KEEL_OK)
        feed_stop("no guest");
    if (a->machines > THIRD && keel_session_connect(a->sessions[THIRD], "host", PEER) != KEEL_OK)
        feed_stop("no guest");
    const uint8_t steps = take_byte(a);
    const uint32_t often = a->role == ROLE_THREE ? 5 : 1; // frames that no ring has any more
    for (uint32_t i = steps & 128 ? steps % 8 : steps % 64 * often; i; --i)
        step(a, 1.0 / 60);
}

// ------------------------------------------------------------------ lies
// Returns a slot in which another machine plays.
static uint32_t other_slot(attack *a) {
    const keel_session *s = a->sessions[TARGET];
    const uint32_t slot = keeli_first_slot(keeli_playing_slots(s) & ~s->own);
    return slot == KEEL_SESSION_NO_PLAYER ? 0 : slot;
}

static void forge_blocks(attack *a, packet *p) {
    const uint8_t blocks = take_byte(a);
    p->block_count = blocks % 4 ? 1 : blocks / 4 % 4;
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->block_count; ++i) {
        packet_block *b = &p->blocks[i];
        const uint8_t slot = take_byte(a), count = take_byte(a);
        *b = (packet_block){ .slot = slot & 48 ? (uint8_t)other_slot(a) : slot % 10,
                             .at = used * (uint32_t)sizeof(Pad) };
        b->count = (uint8_t)(1 + (slot & 64 ? count % PACKET_RUN : count % 8u));
        const input_slot *of_target = &a->sessions[TARGET]->in.slot[b->slot % 8];
        b->first = p->type == PACKET_FEED ? p->frame : slot & 3 ? of_target->known : take_number(a);
        if (p->type == PACKET_FEED) b->count = (uint8_t)p->count;
        memset(p->inputs + b->at, slot & 128 ? take_byte(a) : 0, b->count * sizeof(Pad));
        used += b->count;
        if (p->type == PACKET_FEED) p->slots |= 1u << b->slot % 8;
    }
}

static void forge_members(attack *a, packet *p) {
    p->member_count = take_byte(a) % 4;
    for (uint32_t i = 0; i < p->member_count; ++i) {
        packet_member *m = &p->members[i];
        *m = (packet_member){ .slots = take_byte(a), .port = take_byte(a) };
        const uint8_t host = take_byte(a);
        snprintf(m->host, sizeof m->host, "%s", host & 1 ? "h" : host & 2 ? "!" : "");
    }
}

// Text and numbers of all kinds in the places where differ.c parses.
static void forge_difference(attack *a, packet *p) {
    static char text[4096];
    static const char *const names[] = {
        "Ship",
        "Shot",
        "keel_entities",
        "keel_name",
        "",
        "a\tb",
        "%s%n",
        "no",
        "Ship\n",
        "\033[2J",
        ("a name of more than the sixty-three letters that a "
         "component may have in packets, so that it fits nowhere")
    };
    const uint8_t kind = take_byte(a), name = take_byte(a);
    p->kind = kind % 5;
    const unsigned first = (unsigned)take_number(a), size = (unsigned)take_number(a);
    const unsigned count = kind & 64 ? take_byte(a) : 2;
    int length;
    const char *which = names[name % 11];
    if (p->kind == 1)
        length = snprintf(text, sizeof text, "%s\t%x\t%u\n%s\t%llx\t%u\n", which, first, size,
                          names[name / 16 % 11], (unsigned long long)take_number(a), count);
    else if (p->kind == 2)
        length = snprintf(text, sizeof text, "%s\t%u\t%u\t%u\n", which, first,
                          kind & 32 ? 64u << name % 20 : size, count);
    else
        length = snprintf(text, sizeof text, "%s\t%u\n0v1\tx\t%u\n1v1 \"\033\"\t\t\n", which, first,
                          size);
    size_t bytes = (size_t)length;
    if (p->kind == 2)
        for (uint32_t i = 0; i < count * 8 && bytes < sizeof text; ++i)
            text[bytes++] = (char)(kind & 128 ? i : 0);
    if (kind & 16) bytes -= bytes % 7;
    p->bytes = (const unsigned char *)text;
    p->size = (uint32_t)bytes;
}

static void forge_image(attack *a, packet *p) {
    static unsigned char bytes[PACKET_CHUNK];
    const keel_session *s = a->sessions[TARGET];
    const uint8_t what = take_byte(a);
    memset(bytes, what, sizeof bytes);
    p->bytes = bytes;
    p->size = what & 1 ? PACKET_CHUNK : take_byte(a);
    p->offset = what & 2 ? s->image_size : take_number(a);
    p->total = take_number(a);
    if (what & 8) p->total = what & 64 ? IMAGE_BYTES << 4 : IMAGE_BYTES; // the first is too large
    if (what & 4) p->total = s->image_total;
    p->frame = what & 16 ? s->image_frame : p->frame;
    p->hash = what & 32 ? s->image_hash : p->hash;
    if (p->size > p->total) p->size = (uint32_t)p->total;
    if (p->offset > p->total - p->size) p->offset = p->total - p->size;
}

static uint64_t known_lie(attack *a, uint32_t slot) {
    const uint8_t what = take_byte(a);
    if (what & 1) return a->sessions[TARGET]->in.slot[slot % KEEL_SESSION_MAX_PLAYERS].known;
    return what & 2 ? PACKET_GONE : take_number(a);
}

// Returns the slots of the machine that lies.
static uint32_t peers_slots(const attack *a) {
    const keel_session *s = a->sessions[TARGET];
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PEERS; ++i)
        if (s->peers[i].state != PEER_NONE && s->peers[i].transport == PEER)
            return s->peers[i].slots;
    return 0;
}

// Returns the next number of an agreement that it may give.
static uint32_t peers_number(const attack *a) {
    const uint32_t slots = peers_slots(a);
    const uint32_t first = slots ? keeli_first_slot(slots) : 0;
    return (a->sessions[TARGET]->epoch / 8 + 1) * 8 + first;
}

static uint32_t slots_lie(attack *a) {
    const keel_session *s = a->sessions[TARGET];
    const uint8_t what = take_byte(a);
    switch (what % 4) {
    case 0:
        return s->own;
    case 1:
        return keeli_playing_slots(s) & ~s->own & ~(what & 4 ? peers_slots(a) : 0);
    case 2:
        return 1u << what / 32;
    default:
        return take_byte(a);
    }
}

// Fills in a packet: the type that the string chooses, with a valid head and any content.
static void forge(attack *a, packet *p) {
    const keel_session *s = a->sessions[TARGET];
    memset(p, 0, sizeof *p);
    p->type = (packet_type)(1 + take_byte(a) % (PACKET_TYPES - 1));
    const uint8_t flags = take_byte(a);
    p->session = a->is_stranger_only ? (flags & 1 ? 0 : s->number ^ 2)
                 : flags & 3         ? s->number
                                     : (uint32_t)take_number(a);
    p->frame = take_number(a);
    if (p->frame > UINT32_MAX && p->type != PACKET_INPUT) p->frame &= UINT32_MAX;
    p->epoch = (uint32_t)take_number(a);
    if (flags & 4) p->epoch = p->type == PACKET_DECIDE ? s->epoch : peers_number(a);
    p->slots = slots_lie(a);
    if (p->type == PACKET_DECIDE && flags & 128) p->slots = s->leaving;
    if (p->type == PACKET_DECIDE && flags & 32) p->count = p->slots;
    else p->count = flags & 8 ? take_byte(a) : 1 + flags / 64;
    if (p->type == PACKET_FEED) {
        p->count = p->count ? p->count % PACKET_RUN + 1 : 1;
        p->slots = 0;
    }
    if (p->type == PACKET_HASH && flags & 64) p->frame = s->next_check;
    if (p->type == PACKET_HASH && !a->hash_frame) a->hash_frame = p->frame;
    if (p->type == PACKET_DIFFER && flags & 64) p->frame = a->hash_frame;
    p->hash = flags & 16 ? take_number(a) : s->image_hash;
    p->ahead = (int8_t)take_byte(a);
    p->sequence = take_byte(a);
    p->known_count = (flags & 48) == 48 ? take_byte(a) % 9 : s->in.slots;
    for (uint32_t i = 0; i < p->known_count; ++i)
        p->known[i] = known_lie(a, i);
    if (p->type == PACKET_HELLO) {
        keeli_schema_write(s, p);
        p->wants = take_byte(a) % 9;
        if (flags & 4) p->schema ^= 1;
    }
    if (p->type == PACKET_WELCOME) {
        p->players = flags & 128 ? take_byte(a) % 9 : s->desc.players;
        p->first_slot = take_byte(a) & 3 ? take_byte(a) % 8 : PACKET_NO_SLOT;
        p->count = p->first_slot == PACKET_NO_SLOT ? 0 : 1 + flags / 64;
        p->check_every = 1 + take_byte(a);
        p->max_rollback = take_byte(a) % 33;
        p->is_late = flags >> 6 & 1;
    }
    if (p->type == PACKET_START) forge_members(a, p);
    if (p->type == PACKET_IMAGE) forge_image(a, p);
    if (p->type == PACKET_DIFFER) forge_difference(a, p);
    if (p->type == PACKET_BYE || p->type == PACKET_REFUSED) snprintf(p->text, 9, "no %%s%%n");
    forge_blocks(a, p);
}

// Sends a forged packet to the target.
static void send_forged(attack *a, uint32_t from) {
    static packet p;
    static unsigned char bytes[PACKET_BYTES];
    forge(a, &p);
    const size_t size = keeli_packet_write(&p, bytes, sizeof bytes, sizeof(Pad));
    a->forged += size != 0;
    put(&a->boxes[TARGET], from, bytes, size);
}

// Sends an old packet again, perhaps with one byte changed.
static void send_old(attack *a, uint32_t from) {
    const uint8_t which = take_byte(a), change = take_byte(a), by = take_byte(a);
    if (!a->old_count) return;
    const uint32_t count = a->old_count < HISTORY ? a->old_count : HISTORY;
    old_packet old = a->history[which % count];
    if (a->is_stranger_only) memset(old.bytes + 1, 0, 4);
    if (change & 1) old.bytes[(size_t)change * 5 % old.size] ^= by;
    if (a->is_stranger_only) old.bytes[1] ^= 2;
    put(&a->boxes[TARGET], from, old.bytes, old.size);
}

static void send_raw(attack *a, uint32_t from) {
    unsigned char bytes[64];
    const size_t size = 1 + take_byte(a) % 63;
    for (size_t i = 0; i < size; ++i)
        bytes[i] = take_byte(a);
    if (a->is_stranger_only && size >= 5) memset(bytes + 1, 0, 4);
    put(&a->boxes[TARGET], from, bytes, size);
}

static void operate(attack *a) {
    const uint8_t what = take_byte(a);
    const uint32_t stranger = MACHINES + take_byte(a) % (STRANGERS - MACHINES);
    const uint32_t from = a->is_stranger_only || what & 128 ? stranger : PEER;
    switch (what % 8) {
    case 0: // without the peer, if 128 is in it
        for (uint32_t i = 1 + (what >> 3) % 16; i; --i)
            step_some(a, !a->is_stranger_only && what & 128 ? 1 : a->machines, 1.0 / 60);
        break;
    case 1:
        send_raw(a, from);
        break;
    case 2:
        send_old(a, from);
        break;
    case 3: // nothing is heard of the peer for a while
        if (!a->is_stranger_only && what & 64)
            for (uint32_t i = 0; i < 12; ++i)
                step(a, 0.25);
        break;
    case 4: // the same packet often, at once or in a step each
        for (uint32_t i = 0; i < 20; ++i) {
            const uint8_t *at = a->at;
            send_forged(a, from + (what & 64 ? i : 0));
            if (i < 19) a->at = at;
            if (what & 32) step_some(a, a->is_stranger_only ? a->machines : 1, 1.0 / 60);
        }
        step(a, 1.0 / 60);
        break;
    default:
        send_forged(a, from);
        if (what & 8) step(a, 1.0 / 60);
    }
}

// ------------------------------------------------------------------ what must be so
// Compares what the last frames were played with, with the inputs that are known.
static void check_inputs(attack *a) {
    const keel_session *s = a->sessions[TARGET];
    const uint64_t now = s->in.now, from = now > 100 ? now - 100 : 0;
    const bool plays = s->phase == PHASE_PLAYING && a->role != ROLE_LATE;
    for (uint64_t f = from; plays && f < now && f < GAME_FRAMES && f < s->in.wrong; ++f) {
        for (uint32_t i = 0; i < s->in.slots; ++i) {
            const unsigned char *known = keeli_inputs_find(&s->in, i, f);
            const bool is_gone = !keeli_inputs_plays(&s->in, i, f);
            attack_must(is_gone == !a->record[f].plays[i], "played without a player, or with one");
            attack_must(!known || memcmp(known, &a->record[f].pad[i], sizeof(Pad)) == 0,
                        "played with another input");
        }
    }
}

// Plays what the target's frames were last played with, and compares the worlds.
static void check_world(attack *a) {
    uint64_t here, there;
    const uint64_t frames = keel_session_status_of(a->sessions[TARGET]).frame;
    const bool has_own_world = a->role != ROLE_LATE && a->role != ROLE_SPECTATOR;
    if (!has_own_world || a->has_failed || a->steps > STEPS || frames > GAME_FRAMES) return;
    keel_world *world = game_world();
    game_record = NULL;
    for (uint64_t f = 0; f < frames; ++f) {
        keel_inputs in = { .frame = f, .players = a->sessions[TARGET]->in.slots };
        in.size = sizeof(Pad);
        for (uint32_t i = 0; i < in.players; ++i) {
            in.state[i] = a->record[f].plays[i] ? KEEL_INPUT_CONFIRMED : KEEL_INPUT_GONE;
            memcpy(in.bytes[i], &a->record[f].pad[i], sizeof(Pad));
        }
        (void)keel_set_unique_value(world, KEEL_UNIQUE_OF(keel_inputs), &in);
        game_play(world, 1.0 / 60);
    }
    if (keel_world_hash(world, &here) < 0 || keel_world_hash(a->worlds[TARGET], &there) < 0)
        feed_stop("no hash");
    attack_must(here == there, "the world is not the one of its inputs");
    keel_world_destroy(world);
}

// Strangers that do not know the session change nothing for those who play. Before a game begins,
// whoever has the same program may join it.
static void check_undisturbed(attack *a) {
    const bool plays = a->role == ROLE_HOST || a->role == ROLE_GUEST || a->role == ROLE_OPEN ||
                       a->role == ROLE_THREE;
    if (!a->is_stranger_only || !plays || !a->was_playing) return;
    attack_must(a->lost == 0, "strangers disturbed a game");
    const uint64_t before = keel_session_status_of(a->sessions[TARGET]).frame;
    const bool was_full = a->steps + 60 > STEPS;
    for (uint32_t i = 0; i < 60; ++i)
        step(a, 1.0 / 60);
    const keel_session_status status = keel_session_status_of(a->sessions[TARGET]);
    attack_must(was_full || status.frame > before + 30, "strangers stopped a game");
    attack_must(was_full || status.checked + 40 > status.frame, "strangers stopped its checks");
}

static void end_attack(attack *a) {
    for (uint32_t i = 0; i < a->machines; ++i) {
        keel_session_end(a->sessions[i]);
        keel_world_destroy(a->worlds[i]);
    }
    for (uint32_t i = 0; i < a->machines; ++i) {
        while (a->boxes[i].count) {
            free(a->boxes[i].packets[a->boxes[i].first].bytes);
            a->boxes[i].first = (a->boxes[i].first + 1) % QUEUE;
            --a->boxes[i].count;
        }
    }
    free(a->record);
}

// Plays all operations of the string; each has its own bytes, so that a changed byte moves nothing.
static void operate_all(attack *a) {
    const uint8_t *end = a->end;
    for (uint32_t i = 0; i < OPERATIONS && a->at < end; ++i) {
        const uint8_t *next = end - a->at > OPERATION ? a->at + OPERATION : end;
        a->end = next;
        operate(a);
        a->at = next;
    }
}

bool feed_session(const uint8_t *bytes, size_t size) {
    static attack a;
    memset(&a, 0, sizeof a);
    attack_now = &a;
    a.at = bytes;
    a.end = bytes + size;
    a.record = calloc(GAME_FRAMES, sizeof *a.record);
    if (!a.record) feed_stop("out of memory");
    const uint8_t how = take_byte(&a);
    a.role = (role)(how % ROLES);
    a.is_stranger_only = how >= 192;
    a.machines = a.role == ROLE_THREE ? 3 : 2;
    begin_game(&a);
    a.was_playing = keel_session_status_of(a.sessions[TARGET]).is_playing &&
                    keel_session_status_of(a.sessions[PEER]).is_playing;
    operate_all(&a);
    for (uint32_t i = 0; i < 20; ++i)
        step(&a, 1.0 / 60);
    check_undisturbed(&a);
    check_inputs(&a);
    check_world(&a);
    const bool had_effect = a.lost || a.sessions[TARGET]->totals.refused_packets;
    end_attack(&a);
    return had_effect;
}

// ------------------------------------------------------------------ samples
// Packets that lead further one after the other.
static const struct story {
    role role;
    uint8_t steps; // before
    uint8_t types[6];
} stories[] = {
    { ROLE_LATE, 128, { PACKET_WELCOME, PACKET_IMAGE, PACKET_IMAGE, PACKET_START, PACKET_FEED } },
    { ROLE_SPECTATOR, 129, { PACKET_WELCOME, PACKET_IMAGE, PACKET_IMAGE, PACKET_FEED } },
    { ROLE_LATE, 20, { PACKET_FEED, PACKET_ENTERED, PACKET_INPUT, PACKET_ROUND } },
    { ROLE_SPECTATOR, 20, { PACKET_FEED, PACKET_ENTERED, PACKET_HASH, PACKET_ENTERED } },
    { ROLE_HOST, 50, { PACKET_HASH, PACKET_DIFFER, PACKET_DIFFER, PACKET_DIFFER } },
    { ROLE_GUEST, 60, { PACKET_HASH, PACKET_DIFFER, PACKET_DIFFER, PACKET_DIFFER } },
    { ROLE_HOST, 50, { PACKET_INPUT, PACKET_INPUT, PACKET_INPUT, PACKET_BYE } },
    { ROLE_GUEST, 129, { PACKET_WELCOME, PACKET_START, PACKET_MEET, PACKET_GO, PACKET_INPUT } },
    { ROLE_OPEN, 50, { PACKET_HELLO, PACKET_MEET, PACKET_READY, PACKET_INPUT } },
    { ROLE_OPEN, 50, { PACKET_ROUND, PACKET_STATE, PACKET_DECIDE, PACKET_ENTER, PACKET_ENTERED } },
    { ROLE_WAITS, 50, { PACKET_HELLO, PACKET_READY, PACKET_BYE, PACKET_HELLO } },
    { ROLE_THREE, 50, { PACKET_ROUND, PACKET_DECIDE, PACKET_STATE, PACKET_ENTER, PACKET_ENTERED } },
    { ROLE_THREE, 50, { PACKET_ROUND, PACKET_STATE, PACKET_DECIDE, PACKET_BYE } },
};
enum { STORIES = sizeof stories / sizeof *stories, VARIANTS = 24, TYPES = PACKET_TYPES - 1 };

// Adds an operation that forges a packet; all that it does not fix depends on `n`.
static size_t add_forged(uint8_t *bytes, uint32_t code, uint32_t type, uint32_t n) {
    uint64_t filling = n * 0x9e3779b97f4a7c15u + type;
    for (uint32_t i = 0; i < OPERATION; ++i) {
        filling = filling * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(filling >> 56);
    }
    bytes[0] = (uint8_t)code;
    bytes[2] = (uint8_t)(type - 1);
    bytes[3] = (uint8_t)((bytes[3] & 63) | 65); // the right number, frames that are checked
    return OPERATION;
}

size_t feed_session_sample(unsigned n, uint8_t *bytes, size_t capacity) {
    if (n >= ROLES * TYPES + STORIES * VARIANTS || capacity < 16 * OPERATION) return 0;
    size_t size = 2;
    if (n < ROLES * TYPES) { // each type to each role
        bytes[0] = (uint8_t)(n / TYPES);
        bytes[1] = 50; // steps before
        for (uint32_t k = 0; k < 4; ++k)
            size += add_forged(bytes + size, 13, n % TYPES + 1, n * 4 + k);
        return size;
    }
    const struct story *story = &stories[(n - ROLES * TYPES) % STORIES];
    bytes[0] = (uint8_t)story->role;
    bytes[1] = story->steps;
    for (uint32_t k = 0; k < 6 && story->types[k]; ++k) {
        size += add_forged(bytes + size,
                           n % 3 == 0   ? 4 + 32
                           : n % 3 == 1 ? 5
                                        : 13,
                           story->types[k], n * 8 + k);
        const bool is_early = story->steps & 128;
        if (n % 3 == 1) continue; // all at once
        size += add_forged(bytes + size, 0, 1, n);
        bytes[size - OPERATION] = is_early ? 128 : 7 << 3; // steps
    }
    return size;
}
