// SPDX-License-Identifier: MIT
// The state of a session, and the functions that its files have for each other. session.c is the
// public face; frames.c plays, goes back and checks; peers.c sends and receives; connect.c lets
// machines meet; agree.c decides who is gone and who enters; join.c hands over a running game;
// differ.c names what differs; record.c writes a replay; pace.c keeps the machines together.
#pragma once
#include "packet.h"

enum {
    EVENTS = 256,
    CHECKS = 4,       // compared states that are kept
    HASHES = 8,       // hashes of a peer that wait for ours
    PACE_WINDOW = 32, // packets over which the distance to a peer is averaged
    ONCE_KEYS = 1024, // reported keys of the last frames
    SENT_TIMES = 256  // frames of which the time of sending is known
};

typedef enum session_phase {
    PHASE_NEW,         // neither listens nor connects
    PHASE_HOSTING,     // waits for guests
    PHASE_JOINING,     // said HELLO, waits for WELCOME and START
    PHASE_MEETING,     // meets the other members
    PHASE_READY,       // met all, waits for GO
    PHASE_LOADING,     // waits for the image of a running game
    PHASE_CATCHING_UP, // plays confirmed inputs until it may enter; spectators stay here
    PHASE_PLAYING,
    PHASE_ENDED // refused, dropped or failed: nothing happens any more
} session_phase;

typedef enum peer_state {
    PEER_NONE,    // the place is free
    PEER_NEW,     // connected, has said nothing valid yet
    PEER_GUEST,   // the host has welcomed it
    PEER_MEETING, // we said MEET, and wait for its answer
    PEER_MEMBER,  // plays
    PEER_FEED     // gets confirmed inputs: a spectator, or a player who joins late
} peer_state;

// A state that was or will be compared with those of the other machines.
typedef struct session_check {
    keel_snapshot *snapshot;
    uint64_t frame, hash;
    bool is_there;
} session_check;

typedef struct peer_hash {
    uint64_t frame, hash;
    bool is_there;
} peer_hash;

// A machine.
typedef struct session_peer {
    peer_state state;
    uint32_t transport;          // its number there
    uint32_t slots;              // bits: the slots that are played there
    bool is_ready;               // met all others, or caught up
    bool is_suspect;             // nothing more is taken from it: it is about to be gone
    bool has_differed;           // it was told that the worlds differ
    bool was_compared;           // its values of what differs were compared
    uint32_t differ_packets;     // received about it
    unsigned char *differ_early; // the first of them, until this machine has found out, too
    uint32_t differ_size;
    uint64_t differ_frame;
    bool knows_us;     // said MEET
    double heard_at;   // by the session's clock
    double relayed_at; // when another member last passed on something new of it
    bool is_silent;    // the event was sent
    uint64_t known[KEEL_SESSION_MAX_PLAYERS];     // it knows the inputs of a slot for frames below
    double relay_until[KEEL_SESSION_MAX_PLAYERS]; // it does not hear the player of a slot
    uint64_t frame;                               // it plays this one next, by its last packet
    int32_t ahead_there;                          // it believes to be so far ahead of us
    int32_t ahead[PACE_WINDOW];
    uint32_t ahead_count;
    peer_hash hashes[HASHES];
    uint8_t sequence_out, sequence_in;
    bool has_sequence;
    float loss, ping;
    double second_at; // the second for which packets are counted
    uint32_t packets, bytes, bad;
    // feeds and images: join.c
    uint64_t feed_from;   // the first frame of which it needs inputs
    unsigned char *image; // bytes of the state of frame `image_frame`; NULL: not made yet
    size_t image_size, image_room, image_sent;
    uint64_t image_frame, image_hash;
    bool has_image; // all of it was sent
    // agreements
    uint32_t answered; // the epoch of its last answer
    uint32_t entered;  // the number of the ENTER to which it agreed
} session_peer;

// Something that was reported by keel_session_once.
typedef struct once_key {
    uint64_t frame, key;
    bool is_there;  // the entry is in use
    bool was_again; // happened again when the frame was played again
} once_key;

struct keel_session {
    keel_world *world;
    keel_session_desc desc;
    uint32_t delay[KEEL_SESSION_MAX_PLAYERS];
    unsigned char pending[KEEL_SESSION_MAX_PLAYERS][KEEL_SESSION_MAX_INPUT];
    session_phase phase;
    double clock;    // seconds of all advances
    double elapsed;  // seconds of this advance
    double due;      // seconds that are not played yet
    double alive_at; // when a machine that does not play yet says that it is there
    double relay_at; // when members are asked again to pass on inputs
    double send_at;  // when a waiting session sends again
    double warn_at;  // when a refused machine is told of again
    uint32_t number; // identifies the session; 0: not known yet
    uint32_t own;    // bits: the slots that are played here
    uint32_t floats; // keel_float_check of the program
    inputs in;
    uint64_t entry; // this machine gives inputs from this frame on
    // frames
    keel_ring *ring;
    session_check checks[CHECKS];
    uint64_t next_check; // the frame of the next check
    uint64_t checked;
    bool is_waiting;
    bool has_corrected; // this advance has gone back
    uint64_t playing;   // the frame that is being played
    uint32_t ring_frames;
    // peers
    session_peer peers[KEEL_SESSION_MAX_PEERS];
    uint32_t host;    // the peer that we connect to, by its number in the transport
    uint32_t members; // bits: the slots that the host's START named
    packet in_packet, out_packet;
    unsigned char received[PACKET_BYTES], sent[PACKET_BYTES];
    double sent_at[SENT_TIMES];
    // agreements
    uint32_t epoch;   // the highest that was seen
    uint32_t leaving; // bits: slots that are about to be gone
    bool is_asking;   // this machine leads the round `epoch`
    uint32_t asked;   // bits: the slots of which the round is
    uint32_t never;   // bits: nobody has an input of the present player of these slots
    uint64_t found[KEEL_SESSION_MAX_PLAYERS]; // the most that somebody knows
    double asked_at;
    uint32_t told;         // the leader and the slots of the last wish for a round
    uint32_t entering;     // bits: slots that are about to enter, and this machine leads it
    uint32_t entry_number; // identifies the ENTER
    uint64_t entry_frame;
    double entry_at;
    // feeds, and joining a running game: join.c
    unsigned char *log; // confirmed inputs for feeds, from `log_first` to `log_end` - 1: for each
                        // frame a byte of the slots that play, and the inputs of all slots
    size_t log_room;
    uint64_t log_first, log_end;
    unsigned char *image; // the state that arrives
    size_t image_size, image_total;
    uint64_t image_frame, image_hash;
    uint64_t fed; // inputs are known for frames below
    bool said_ready;
    // replay, differences
    keel_replay_recorder *recorder;
    struct differ *differ;
    once_key once[ONCE_KEYS];
    bool has_once; // something was reported
    // events
    keel_session_event events[EVENTS];
    uint32_t event_first, event_count;
    keel_session_status totals; // the counters
};

// ------------------------------------------------------------------ events
// Adds an event, and returns it; the text may be NULL.
keel_session_event *keeli_session_event(keel_session *s, keel_session_event_kind kind,
                                        uint32_t player, uint64_t frame, const char *text);
// Ends the session's part in the game, with an event that says why.
void keeli_session_stop(keel_session *s, keel_session_event_kind kind, const char *text);

// ------------------------------------------------------------------ frames.c
keel_result keeli_frames_begin(keel_session *s);
void keeli_frames_end(keel_session *s);
// Takes the state of the present frame as the first one: of a new game, or of a loaded one.
keel_result keeli_frames_reset(keel_session *s);
// Goes back to the first wrong frame and plays to the present one.
keel_result keeli_frames_correct(keel_session *s);
// Plays one frame.
keel_result keeli_frames_play(keel_session *s);
// Hashes states that are final, sends their hashes, and compares those that are on both sides.
void keeli_frames_check(keel_session *s);
// Takes the hash of a peer.
void keeli_frames_hash_of(keel_session *s, session_peer *peer, uint64_t frame, uint64_t hash);
// Returns the newest frame whose state is there and that is not after `frame`, or UINT64_MAX.
uint64_t keeli_frames_nearest(const keel_session *s, uint64_t frame);
// True if the next frame may be played: not too many frames are unconfirmed.
bool keeli_frames_may_play(const keel_session *s);

// ------------------------------------------------------------------ peers.c
// Sends `s->out_packet` to a peer.
void keeli_peer_send(keel_session *s, session_peer *peer, bool reliable);
// Returns the cleared out_packet with its head.
packet *keeli_packet_begin(keel_session *s, packet_type type);
// Sends inputs and what is known to all members, and confirmed inputs to feeds.
void keeli_peers_send_inputs(keel_session *s);
// Tells all others that this machine is there, while it does not play.
void keeli_peers_send_alive(keel_session *s);
// Receives and handles packets, at most 64.
void keeli_peers_receive(keel_session *s);
// Notices who was silent for too long.
void keeli_peers_watch(keel_session *s);
session_peer *keeli_peer_of(keel_session *s, uint32_t slot);
session_peer *keeli_peer_add(keel_session *s, uint32_t transport);
void keeli_peer_forget(keel_session *s, session_peer *peer);
// Adds inputs of a slot for the frames from `from` to `to` - 1 to a packet, as many as fit. False:
// there is none, or no room.
bool keeli_packet_add_block(const keel_session *s, packet *p, uint32_t slot, uint64_t from,
                            uint64_t to);
// True if a peer plays, and is not about to be gone.
static inline bool keeli_peer_stays(const session_peer *peer) {
    return peer->state == PEER_MEMBER && !peer->is_suspect;
}
// The number of a peer's first slot.
uint32_t keeli_first_slot(uint32_t slots);
#define EACH_PEER(s, peer)                                                                         \
    for (session_peer *peer = (s)->peers; peer < (s)->peers + KEEL_SESSION_MAX_PEERS; ++peer)      \
        if (peer->state != PEER_NONE)

// ------------------------------------------------------------------ connect.c
// Begins the game of a host that plays alone, until others join.
void keeli_connect_alone(keel_session *s);
void keeli_connect_hello(keel_session *s, session_peer *peer);
// Welcomes a guest, who gets slots.
void keeli_connect_welcome(keel_session *s, session_peer *peer, const packet *hello);
// Begins a START that lists this machine and all peers of a state.
packet *keeli_connect_members(keel_session *s, peer_state state);
// Connects to a member, and says who we are. False: it cannot be reached.
bool keeli_connect_member(keel_session *s, const packet_member *m);
// Says to another member which slots are played here.
void keeli_connect_meet(keel_session *s, session_peer *peer);
// Handles HELLO, REFUSED, WELCOME, START, MEET, READY and GO. False: the packet was out of place.
bool keeli_connect_packet(keel_session *s, session_peer *peer, const packet *p);
// A peer that is no member is gone.
void keeli_connect_lost(keel_session *s, session_peer *peer);
// Refuses a peer with a reason.
void keeli_connect_refuse(keel_session *s, session_peer *peer, const char *text);

// ------------------------------------------------------------------ agree.c
// Stops to listen to a peer, and has all members agree on the last frame of its players.
void keeli_agree_suspect(keel_session *s, session_peer *peer);
bool keeli_agree_packet(keel_session *s, session_peer *peer, const packet *p);
// Begins what a member that leads has to do; called in each advance.
void keeli_agree_step(keel_session *s);
// Returns the slots of this machine and of members that are not about to be gone.
uint32_t keeli_agree_staying(keel_session *s);
// True if this machine has the lowest slot of all that stay.
bool keeli_agree_leads(keel_session *s);
// Raises the number of agreements above all that were seen, and returns it.
uint32_t keeli_agree_number(keel_session *s);
// True if the number of an agreement is later than all that were seen.
bool keeli_agree_is_later(const keel_session *s, uint32_t number);
// Bits of the slots in which somebody plays.
uint32_t keeli_playing_slots(const keel_session *s);

// ------------------------------------------------------------------ join.c
// Sends confirmed inputs, and the image before them, to a spectator or late player.
void keeli_join_feed(keel_session *s, session_peer *peer);
// Takes what a feed knows.
bool keeli_join_known(keel_session *s, session_peer *peer, const packet *p);
bool keeli_join_packet(keel_session *s, session_peer *peer, const packet *p);
// Collects confirmed inputs for feeds.
keel_result keeli_join_collect(keel_session *s);
// Goes on with an ENTER that this machine leads.
void keeli_join_step(keel_session *s);
// Lets time pass for a machine that loads a running game, or follows it.
keel_result keeli_join_advance(keel_session *s, uint32_t *played);
void keeli_join_end(keel_session *s);
void keeli_join_forget(keel_session *s, session_peer *peer);
// Welcomes a machine to a running game, or a spectator.
bool keeli_join_begin(keel_session *s, session_peer *peer, const packet *hello);
// Handles START, MEET and READY of a machine that joins late.
bool keeli_join_start(keel_session *s, session_peer *peer, const packet *p);
bool keeli_join_meet(keel_session *s, session_peer *peer, const packet *p);
bool keeli_join_ready(keel_session *s, session_peer *peer, const packet *p);
// Handles ENTER and ENTERED.
bool keeli_join_enter(keel_session *s, session_peer *peer, const packet *p);

// ------------------------------------------------------------------ differ.c
// Finds out together with a peer what differs in a compared state.
void keeli_differ_begin(keel_session *s, session_peer *peer, session_check *check);
void keeli_differ_end(keel_session *s);
bool keeli_differ_packet(keel_session *s, session_peer *peer, const packet *p);

// ------------------------------------------------------------------ record.c
// Prepares the replay that `.record` asks for. False: `text`, of 256 bytes, says why not.
bool keeli_record_open(keel_session *s, char *text);
// Writes the head of the replay, and the state of the present frame, which is played next.
void keeli_record_start(keel_session *s);
// Records the frames that are confirmed.
void keeli_record_step(keel_session *s);
// Records the hashes of a final state.
void keeli_record_check(keel_session *s, const session_check *check);
void keeli_record_end(keel_session *s);

// ------------------------------------------------------------------ pace.c
// Notes how far a peer is behind us, when its packet arrived.
void keeli_pace_note(keel_session *s, session_peer *peer, uint64_t frame, int32_t ahead_there);
// Returns how many frames a peer seems to be behind us, the way of its packets included.
float keeli_pace_average(const session_peer *peer);
// Returns the seconds of a frame: longer when this machine is ahead of others.
double keeli_pace_frame(const keel_session *s);
float keeli_pace_ahead(const keel_session *s);

// ------------------------------------------------------------------ once.c
void keeli_once_again(keel_session *s, uint64_t frame); // frames from `frame` on are played again
void keeli_once_end(keel_session *s, uint64_t from, uint64_t to);
