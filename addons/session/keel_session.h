// SPDX-License-Identifier: MIT
/// @file keel_session.h
/// Plays one game on several machines, by rollback: `keel::session`. Each machine plays all frames
/// at once, with the inputs that it knows, and guesses those that are still on their way. When a
/// guess was wrong, the world goes back to that frame and plays the frames since then again.
/// docs/tasks/play_together.md is the chapter.
///
///     KEEL_SYSTEM(steer, KEEL_WRITE(Ship, ship), KEEL_UNIQUE_READ(keel_inputs, in)) {
///         ship->x += keel_input_of(in, ship->player, Pad)->x;
///     }
///     keel_session *s = keel_session_begin(world, &(keel_session_desc){
///                           .step = KEEL_WORKLOAD_OF(frame), .input_size = sizeof(Pad), .players =
///                           2 });
///     keel_session_connect(s, "192.168.1.7", 7791); // the other one: keel_session_listen(s, 7791)
///     while (is_open) {
///         keel_session_poll(s);
///         keel_session_give_input(s, keel_session_status_of(s).local_player, &pad);
///         keel_session_advance(s, seconds_since_last_time);
///         draw(world);
///     }
///     keel_session_end(s);
///
/// **The game must be deterministic:** its state lives in the world, its steps read nothing but the
/// world and keel_inputs, and its numbers come from keel::maths (docs/tasks/determinism.md). Test
/// it with keel_session_sync_test before you play with others.
///
/// **The world belongs to the session** from keel_session_begin to keel_session_end: only the
/// session runs the workload, and nothing else may edit the world, since the next rollback undoes
/// such an edit, or not. Looking at it is fine.
///
/// **Frames.** State F is the world before frame F is played. The inputs of frame F are known for a
/// player, or predicted: the last known input is repeated. A frame is confirmed when the inputs of
/// all players are known for it and all frames before.
///
/// **Threads.** All functions belong to the world's owner.
#pragma once
#include <keel/keel.h>
#include <keel_float_check.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KEEL_SESSION_MAX_PLAYERS = 8,   ///< the most slots for players
    KEEL_SESSION_MAX_INPUT = 64,    ///< the most bytes of one player's input in a frame
    KEEL_SESSION_MAX_ROLLBACK = 32, ///< the most frames of `max_rollback`
    KEEL_SESSION_MAX_DELAY = 32,    ///< the most frames of `input_delay`
    KEEL_SESSION_MAX_PEERS = 24     ///< the most other machines: players and spectators
};
#define KEEL_SESSION_NO_DELAY UINT32_MAX  ///< `.input_delay`: inputs count for the present frame
#define KEEL_SESSION_LOCKSTEP UINT32_MAX  ///< `.max_rollback`: nothing is predicted
#define KEEL_SESSION_NEVER UINT32_MAX     ///< `.timeout_ms`: nobody is dropped, for debuggers
#define KEEL_SESSION_NO_PLAYER UINT32_MAX ///< a slot: none

/// A game that is played with others.
typedef struct keel_session keel_session;

// ---------------------------------------------------------------- inputs, as systems see them
/// The knowledge of the input of one player in the frame that is played.
typedef enum keel_input_state {
    KEEL_INPUT_GONE,      ///< nobody plays here: the input is zeros
    KEEL_INPUT_CONFIRMED, ///< the input that the player gave
    KEEL_INPUT_PREDICTED  ///< a guess: the last known input. For drawing only: a game that decides
                          ///< by it differs between machines, and keel_session_sync_test finds it
} keel_input_state;

/// The inputs of all players in the frame that is played: a unique that the session sets before
/// each frame, for KEEL_UNIQUE_READ(keel_inputs, in). It is no part of snapshots and hashes.
typedef struct keel_inputs {
    uint64_t frame;                          ///< the frame that is played, from 0
    uint32_t players;                        ///< number of slots
    uint32_t size;                           ///< bytes of an input
    uint8_t state[KEEL_SESSION_MAX_PLAYERS]; ///< keel_input_state of each slot
    /// The input of each slot, aligned to 8 bytes; see keel_input_of
    unsigned char bytes[KEEL_SESSION_MAX_PLAYERS][KEEL_SESSION_MAX_INPUT];
} keel_inputs;
/// @cond
#ifdef __cplusplus
} // components have overloads there
#endif
KEEL_UNIQUE(keel_inputs, .transient = true);
#ifdef __cplusplus
extern "C" {
#endif
/// @endcond

/// Returns the input of a player. Typed: keel_input_of.
/// @param size bytes that the caller expects
/// @return zeros for a player beyond the slots, for another size, and for `in` NULL; never NULL
static inline const void *keel_input_at(const keel_inputs *in, uint32_t player, size_t size) {
    static keel_inputs nothing; // zeros
    const bool is_there =
        in && player < in->players && player < KEEL_SESSION_MAX_PLAYERS && size == in->size;
    return is_there ? in->bytes[player] : nothing.bytes[0];
}
/// Returns the input of a player as a `const T *`: `keel_input_of(in, 0, Pad)->jump`.
#define keel_input_of(in, player, T) ((const T *)keel_input_at((in), (player), sizeof(T)))

// ---------------------------------------------------------------- transports
/// The functions that carry packets between machines. `self` is passed to each. All calls come
/// from the thread that calls the session, and none may wait.
typedef struct keel_session_transport {
    void *self; ///< passed to every function
    /// Begins to take connections. NULL: the transport needs no call
    bool (*listen)(void *self, uint16_t port);
    /// Begins to connect to a machine, and writes its number. Packets that are sent before the
    /// connection stands are sent then. NULL: peers appear by themselves
    bool (*connect)(void *self, const char *host, uint16_t port, uint32_t *peer);
    /// Sends a packet. An unreliable one may be lost, doubled or late; reliable ones arrive in
    /// order, unless the peer is gone
    void (*send)(void *self, uint32_t peer, const void *bytes, size_t size, bool reliable);
    /// Receives a packet, with the number of the machine that sent it. A packet that is longer than
    /// `capacity` is left out.
    /// @return its bytes; 0: there is none
    size_t (*receive)(void *self, uint32_t *peer, void *bytes, size_t capacity);
    /// Writes under which address others reach a machine: with more than two players each connects
    /// to each. NULL: the transport connects all machines by itself, or there are two
    bool (*address)(void *self, uint32_t peer, char *host, size_t capacity, uint16_t *port);
    /// Forgets a machine. NULL: nothing to do
    void (*forget)(void *self, uint32_t peer);
    /// Closes the transport, at the end of the session. It may wait for half a second, so that what
    /// was sent last arrives. NULL: nothing to do
    void (*close)(void *self);
    /// Lets time pass: the seconds of each keel_session_advance. NULL: nothing to do
    void (*advance)(void *self, double seconds);
    /// Sends what waits: after all packets of a call were handed over. NULL: nothing waits
    void (*flush)(void *self);
    /// Returns the port under which others reach this machine. NULL: there are none
    uint16_t (*port)(void *self);
    /// Returns a sentence that says why the last `listen` or `connect` failed. NULL: nobody knows
    const char *(*problem)(void *self);
} keel_session_transport;

/// The options of ENet. Zero members take their defaults.
typedef struct keel_enet_desc {
    uint32_t peers; ///< the most other machines; default 28: those of a session, and 4 who connect
    /// The most machines of one address, but for this machine's own; default 2. Others who share a
    /// connection to the internet have one address
    uint32_t peers_per_address;
} keel_enet_desc;
/// Returns a transport over UDP and IPv4: that of a session without `.transport`, for other
/// options, and for keel_simulated_transport. Give it to one session, whose end closes it; if the
/// session cannot begin, close it yourself: `t.close(t.self)`. All players connect to each other,
/// so each must be reachable: routers that block connections from outside are not overcome.
/// @param desc NULL: the defaults
/// @return all zeros on error: Keel is built without ENet, memory ran out, or more than 4,095 peers
KEEL_API keel_session_transport keel_enet_transport(const keel_enet_desc *desc);

// ---------------------------------------------------------------- a session
/// The options of a session. Zero members take their defaults.
typedef struct keel_session_desc {
    const keel_workload *step; ///< plays one frame
    uint32_t input_size;       ///< bytes of one player's input in a frame, 1 to 64, without padding
    uint32_t players;          ///< slots for players, 2 to 8
    uint32_t start_players;    ///< the game begins with this many players; default `players`
    uint32_t local_players;    ///< number of players at this machine; default 1
    bool spectates;            ///< plays nothing, and gets confirmed inputs; default false
    uint32_t rate;             ///< frames a second, 1 to 1,000; default 60
    uint32_t input_delay;      ///< frames until an input counts, to 32; default 2
    uint32_t max_rollback;     ///< the most frames that are played again, to 32; default 8
    uint32_t check_every;      ///< frames between two hashes that are compared; default 30
    uint32_t timeout_ms;       ///< silence after which a player is dropped; default 5,000
    uint32_t spectator_delay;  ///< frames that inputs are held back from spectators; default 0
    bool takes_spectators;     ///< default false
    uint64_t max_image_bytes;  ///< limit of a world that another machine sends; default 64 MiB
    uint64_t seed;      ///< makes the session's number, which packets carry; default: a clock
    const char *record; ///< path of a replay that is written over; default none
    bool record_images; ///< the replay gets the state of every ten seconds, so that
                        ///< keel_replay_seek is fast; default false
    keel_error *error;  ///< filled when keel_session_begin returns NULL; may be NULL
    keel_session_transport transport; ///< default: ENet, if Keel is built with it
} keel_session_desc;

/// The kinds of events.
typedef enum keel_session_event_kind {
    KEEL_SESSION_STARTED = 1, ///< all are there: frame `frame` is played next
    KEEL_SESSION_REFUSED,     ///< the other machine refused us, `text` says why; nothing follows
    KEEL_SESSION_JOINED,      ///< `player` plays from `frame` on
    KEEL_SESSION_LEFT,        ///< `player` is gone: from `frame` on the input is zeros
    KEEL_SESSION_SILENT,      ///< nothing was heard of `player` for a second
    KEEL_SESSION_HEARD,       ///< `player` is heard again
    KEEL_SESSION_WAITING,     ///< waits for inputs of `player` for `frame`
    KEEL_SESSION_RESUMED,     ///< plays on after waiting
    KEEL_SESSION_ROLLED_BACK, ///< went back to `frame`, and played `count` frames again
    KEEL_SESSION_UNDONE,      ///< the thing that was reported by keel_session_once for `frame` with
                              ///< `key` did not happen
    KEEL_SESSION_DIFFERS,     ///< the world of `player` is another one in `frame`. The event comes
                          ///< twice: at once, and when the machines have found out in what: then
                          ///< `text` names component, entity, field and both values
    KEEL_SESSION_CHEATS,    ///< `player` sent two inputs for one frame
    KEEL_SESSION_DROPPED,   ///< the others go on without us, `text` says why
    KEEL_SESSION_SPECTATOR, ///< a spectator came
    KEEL_SESSION_WARNING,   ///< `text` says what may differ between machines, why
                            ///< keel_session_listen or keel_session_connect failed, why a
                            ///< machine that wanted to join was refused, or why the replay ends
                            ///< while the game goes on
    KEEL_SESSION_FAILED     ///< the step failed, or memory ran out: `text`; nothing follows
} keel_session_event_kind;

/// Something that happened in a session.
typedef struct keel_session_event {
    keel_session_event_kind kind; ///< the kind
    uint32_t player;              ///< a slot, or KEEL_SESSION_NO_PLAYER
    uint64_t frame;               ///< a frame
    uint64_t key;                 ///< KEEL_SESSION_UNDONE: the key
    uint32_t count;               ///< KEEL_SESSION_ROLLED_BACK: frames that were played again
    char text[256];               ///< a sentence that says what happened
} keel_session_event;

/// One player, as this machine sees it.
typedef struct keel_session_player {
    bool is_playing; ///< somebody plays in this slot
    bool is_local;   ///< at this machine
    uint64_t known;  ///< inputs are known for all frames before this one
    uint32_t delay;  ///< frames until an input counts; of local players
    float ping_ms;   ///< the way there and back; 0: not known
    float loss;      ///< part of the packets that were lost, 0 to 1
} keel_session_player;

/// The state of a session.
typedef struct keel_session_status {
    bool is_playing;          ///< the game has begun, and this machine is part of it
    bool is_waiting;          ///< too many frames are not confirmed
    uint64_t frame;           ///< the frame that is played next
    uint64_t confirmed;       ///< all inputs are known for all frames before this one
    uint64_t checked;         ///< the last frame whose hash was equal on all machines
    uint32_t local_player;    ///< the first slot that is played here, or KEEL_SESSION_NO_PLAYER
    uint32_t players;         ///< slots
    uint32_t max_rollback;    ///< frames
    float ahead;              ///< frames that this machine is ahead of the others; negative: behind
    uint64_t replayed;        ///< frames that were played again, since the begin
    uint64_t waits;           ///< times that the session waited
    uint64_t packets_sent;    ///< packets
    uint64_t bytes_sent;      ///< their bytes, without those of the transport
    uint64_t bytes_received;  ///< bytes of packets that were received
    uint64_t refused_packets; ///< packets that were no valid ones
    uint16_t port;            ///< under which others reach this machine; 0: not known
    size_t memory;            ///< bytes that the session and its snapshots use
    keel_session_player player[KEEL_SESSION_MAX_PLAYERS]; ///< the slots
} keel_session_status;

/// Begins a session over a world, which holds the state of frame 0: on all machines the same one.
/// It registers all that the systems of the workload use; register other components before. Call
/// keel_session_listen or keel_session_connect next. After KEEL_SESSION_REFUSED the world is as
/// before, and another session can begin over it.
/// @return NULL on error, and `desc->error` says why: KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_FILE (`record` cannot be written), and as keel_world_hash and keel_snapshot_take
KEEL_API keel_session *keel_session_begin_with(keel_world *world, const keel_session_desc *desc,
                                               uint32_t float_problems);
/// As above. The macro also asks, with the compiler flags of the file that calls it, whether
/// floating-point numbers are computed alike on all machines (keel_float_check).
#define keel_session_begin(world, ...)                                                             \
    keel_session_begin_with((world), __VA_ARGS__, keel_float_check())

/// Waits for others: this machine is the host, and has slot 0. It does not block.
/// @param port 0: the system chooses one, keel_session_status.port
/// @return KEEL_OK; KEEL_ERROR_FILE: the port cannot be opened, the event KEEL_SESSION_WARNING says
///   why, and another call may follow; KEEL_ERROR_ARGUMENT, also without a transport
KEEL_API keel_result keel_session_listen(keel_session *s, uint16_t port);
/// Joins the session of a host, or of any machine of a running game: the event KEEL_SESSION_STARTED
/// or KEEL_SESSION_REFUSED follows. It does not block, but while the name of a machine is looked
/// up. Who plays at the host's own machine joins with its address in the network, not with
/// 127.0.0.1, when others join from other machines: they get the address that the host sees.
/// @param host for ENet: an IPv4 address, or a name
/// @return KEEL_OK; KEEL_ERROR_FILE: the name or port is not valid, the event KEEL_SESSION_WARNING
///   says why, and another call may follow; KEEL_ERROR_ARGUMENT, also without a transport
KEEL_API keel_result keel_session_connect(keel_session *s, const char *host, uint16_t port);

/// Receives packets: at most 64.
KEEL_API void keel_session_poll(keel_session *s);
/// Gives the input of a local player, of `input_size` bytes. It counts for each frame that is
/// played until the next call.
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT: the player is not played here
KEEL_API keel_result keel_session_give_input(keel_session *s, uint32_t player, const void *input);
/// Lets time pass: goes back and plays again what was predicted wrong, plays 0 to 2 frames, and
/// sends. Call it once each time that the game draws.
/// @param elapsed_seconds since the last call; of more than a quarter of a second the rest is lost
/// @return KEEL_OK; KEEL_ABSENT: no frame was played, since none is due, the game has not begun, or
///   inputs are missing; the error of the step, with the session at its end
KEEL_API keel_result keel_session_advance(keel_session *s, double elapsed_seconds);
/// Returns the next event. Up to 256 wait; then the oldest are lost.
/// @return false: there is none
KEEL_API bool keel_session_next_event(keel_session *s, keel_session_event *event);
/// Returns what the session is doing; all zeros for NULL.
KEEL_API keel_session_status keel_session_status_of(const keel_session *s);
/// Tells whether something happens for the first time in the frame that is being played, for
/// sounds, particles and rumble, which must not start again each time that the frame is played.
/// Call it on the thread that advances the session, from a step with `.main_thread`, or after the
/// advance. What was reported and did not happen when the frame was played again is the event
/// KEEL_SESSION_UNDONE.
/// @param s NULL: true, for games and tests without a session
/// @param key what happens, and to whom: two things in one frame need two keys
KEEL_API bool keel_session_once(keel_session *s, uint64_t key);
/// Changes the delay of a local player, from the next frame on. When it grows, the last input is
/// repeated for the frames between; when it shrinks, inputs for frames that have one are left out.
/// @param frames 0 to 32
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT
KEEL_API keel_result keel_session_set_delay(keel_session *s, uint32_t player, uint32_t frames);
/// Drops a player, as if nothing were heard of them any more: the others agree on the last frame.
/// @return KEEL_OK, KEEL_ABSENT (nobody plays there), KEEL_ERROR_ARGUMENT (a local player)
KEEL_API keel_result keel_session_drop(keel_session *s, uint32_t player);
/// Leaves the game and ends the session. The world stays as it is. NULL is allowed.
KEEL_API void keel_session_end(keel_session *s);

/// Returns the state of a frame whose hash differed, or of one of the last four that were compared:
/// to save it on both machines and compare the files (keel_save_snapshot, `keel-save diff`).
/// @return valid until the next keel_session_advance; NULL: it is not kept
KEEL_API keel_snapshot *keel_session_snapshot(keel_session *s, uint64_t frame);

// ---------------------------------------------------------------- sync test
/// Fills in the input of a player for a frame.
typedef void keel_session_input_fn(void *data, uint64_t frame, uint32_t player, void *input);
/// The options of keel_session_sync_test. Zero members take their defaults.
typedef struct keel_sync_test_desc {
    const keel_workload *step; ///< plays one frame
    uint32_t input_size;       ///< bytes of an input, 1 to 64
    uint32_t players;          ///< 1 to 8
    uint32_t rate;             ///< frames a second; default 60
    uint32_t frames;           ///< frames to play; default 600
    uint32_t max_rollback;     ///< frames to go back each time; default 8
    /// Default: random bytes, which each player keeps for some frames. If those play no real game,
    /// little is tested: then give inputs of your own
    keel_session_input_fn *input;
    void *data;    ///< passed to `input`
    uint64_t seed; ///< decides the random bytes
} keel_sync_test_desc;
/// The finding of keel_session_sync_test.
typedef struct keel_sync_test_report {
    uint64_t frame; ///< the first frame whose state differed when it was played again
    /// A sentence: the component, entity and field with both values; or that only orders differ
    char text[256];
} keel_sync_test_report;
/// Plays a game, goes back in each frame and plays again, and compares the states: with the orders,
/// free handles, ticks and events that decide what happens next (KEEL_HASH_ORDER). It finds state
/// outside of the world, and systems that decide by keel_inputs.state: inputs are marked as
/// predicted the first time and as confirmed the second time. It registers all that the systems of
/// the workload use. Run it in a test of your game.
/// @param report filled on KEEL_ERROR_DIFFERS and other errors; may be NULL
/// @return KEEL_OK; KEEL_ERROR_DIFFERS: a frame was not the same again; KEEL_ERROR_ARGUMENT,
///   KEEL_ERROR_MEMORY, and as keel_snapshot_take, keel_run_workload_of and keel_world_hash
KEEL_API keel_result keel_session_sync_test(keel_world *world, const keel_sync_test_desc *desc,
                                            keel_sync_test_report *report);

// ---------------------------------------------------------------- replays
/// Records a game of one program as a replay: without a session, which has `.record` for it.
typedef struct keel_replay_recorder keel_replay_recorder;
/// The options of keel_replay_record_begin. Zero members take their defaults.
typedef struct keel_replay_record_desc {
    const char *path;     ///< the file, which is written over
    uint32_t input_size;  ///< bytes of an input, 1 to 64
    uint32_t players;     ///< 1 to 8; default 1
    uint32_t rate;        ///< frames a second, 1 to 1,000; default 60
    uint32_t check_every; ///< frames between two hashes; default 30
    bool images;          ///< an image every ten seconds, for keel_replay_seek; default false
    keel_error *error;    ///< filled on error; may be NULL
} keel_replay_record_desc;
/// Begins a replay with the state of the world, which is that before frame 0. Register all
/// components before.
///
///     keel_set_unique(world, keel_inputs, { .frame = frame, .players = 1, .size = sizeof(Pad) });
///     ... the input into bytes[0], KEEL_INPUT_CONFIRMED into state[0]
///     keel_replay_record_frame(recorder);
///     keel_run_workload(world, frame_of_the_game, .dt = 1.0 / 60);
/// @return NULL on error, and `desc->error` says why: KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_FILE, and as keel_world_hash and keel_snapshot_take
KEEL_API keel_replay_recorder *keel_replay_record_begin(keel_world *world,
                                                        const keel_replay_record_desc *desc);
/// Records the inputs of a frame that is about to be played: the unique keel_inputs of the world.
/// Its `frame` counts from 0. Every `check_every` frames the world is hashed.
/// @return KEEL_OK; KEEL_ERROR_MISSING_UNIQUE; KEEL_ERROR_ARGUMENT: another frame, number of
/// players
///   or size, or a slot that is KEEL_INPUT_GONE with an input that is not zeros; KEEL_ERROR_FILE:
///   the file cannot be written, and has the frames before; KEEL_ERROR_MEMORY. After the last two
///   the recording has ended, and each call fails alike
KEEL_API keel_result keel_replay_record_frame(keel_replay_recorder *recorder);
/// Ends a recording, and closes its file. NULL is allowed.
/// @return KEEL_OK, or the error that ended the recording
KEEL_API keel_result keel_replay_record_end(keel_replay_recorder *recorder);

/// A replay that is played.
typedef struct keel_replay keel_replay;
/// Called after each frame of a replay; `frame` is played next. Returns false to stop.
typedef bool keel_replay_frame_fn(keel_world *world, uint64_t frame, void *data);
/// The options of playing a replay. Zero members take their defaults.
typedef struct keel_replay_options {
    keel_error *error;  ///< filled on error, with a sentence; may be NULL. It must live until the
                        ///< replay is closed
    uint64_t until;     ///< keel_replay_play plays the frames before this one; default all
    uint64_t max_bytes; ///< limit of the file, and of the memory of an image; default 1 GiB
    uint32_t max_entities;      ///< limit of indices in an image; default 16,777,216
    keel_replay_frame_fn *each; ///< keel_replay_play calls it after each frame, to draw or to
                                ///< compare; default none
    void *data;                 ///< passed to `each`
} keel_replay_options;
/// The content of a replay, and its place.
typedef struct keel_replay_info {
    uint64_t first;       ///< the first frame
    uint64_t end;         ///< the frame behind the last one
    uint64_t frame;       ///< the frame that is played next
    uint64_t differs;     ///< after KEEL_ERROR_DIFFERS: the frame whose state is another one
    uint64_t same;        ///< the last frame whose state was the recorded one
    uint64_t checks;      ///< states that were compared
    uint32_t players;     ///< slots
    uint32_t input_size;  ///< bytes of an input
    uint32_t rate;        ///< frames a second
    uint32_t check_every; ///< frames between two checks
    uint32_t images;      ///< states to which keel_replay_seek can go without playing
    bool is_whole;        ///< false: the recording was not ended, or the file is damaged; it plays
                          ///< to its last whole part
} keel_replay_info;
/// Plays a replay: into a world with the same components, registered in the same order, whose
/// content is replaced. The state is compared with the recorded hashes. If one differs, the frames
/// since the last one that was the same are played once more, and the message tells whether this
/// machine plays them alike twice.
/// @param step the workload that was recorded
/// @param options NULL: all defaults
/// @return KEEL_OK: all was played, or `until` or `each` ended it; KEEL_ERROR_DIFFERS: a state is
/// not
///   the recorded one, and the world is in that frame; KEEL_ERROR_FILE: the file cannot be read;
///   KEEL_ERROR_FORMAT: it is no replay, of another version, or above a limit; KEEL_ERROR_SCHEMA:
///   it was recorded with other components; KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY, and as
///   keel_snapshot_read, keel_snapshot_take and keel_run_workload_of
KEEL_API keel_result keel_replay_play(keel_world *world, const keel_workload *step,
                                      const char *path, const keel_replay_options *options);
/// Opens a replay to play it frame by frame, and puts the world into the state of its first frame.
/// The file is read whole, and closed. A replay that was recorded in a world that has no image
/// (KEEL_ERROR_COPY of keel_snapshot_write) has none: then the world must be as it was then.
/// @param options `until`, `each` and `data` are not used
/// @return NULL on error, and `options->error` says why, as keel_replay_play
KEEL_API keel_replay *keel_replay_open(keel_world *world, const keel_workload *step,
                                       const char *path, const keel_replay_options *options);
/// Plays one frame.
/// @return KEEL_OK; KEEL_ABSENT: there are no more; errors as keel_replay_play: the replay stays
///   where it is until keel_replay_seek
KEEL_API keel_result keel_replay_next(keel_replay *replay);
/// Goes to the begin of a frame: to the nearest state before it, from which it plays on.
/// @return KEEL_OK; KEEL_ABSENT: the replay does not have this frame; errors as keel_replay_play
KEEL_API keel_result keel_replay_seek(keel_replay *replay, uint64_t frame);
/// Returns what a replay has; all zeros for NULL.
KEEL_API keel_replay_info keel_replay_info_of(const keel_replay *replay);
/// Closes a replay. The world stays as it is. NULL is allowed.
KEEL_API void keel_replay_close(keel_replay *replay);

// ---------------------------------------------------------------- loopback
/// Machines in one process: a transport with delay, jitter, loss and duplicates from a seed, for
/// tests and for games that show what a network does to them. Time passes by keel_loopback_advance
/// only, so that a test of an hour takes seconds, and the same seed does the same.
typedef struct keel_loopback keel_loopback;
/// The harm that the network of a loopback does to packets. All zeros: none.
typedef struct keel_loopback_desc {
    uint32_t peers;   ///< machines, 1 to 64
    uint64_t seed;    ///< decides all that is random
    float delay_ms;   ///< one way
    float jitter_ms;  ///< up to so much more, for each packet: later ones may overtake it
    float loss;       ///< part of the packets that get lost, 0 to 1
    float duplicates; ///< part of the packets that arrive twice, 0 to 1
} keel_loopback_desc;
/// Creates a network. The machines have the numbers from 0 on, which are their addresses, too:
/// keel_session_connect(s, "0", 0).
/// @return NULL on error: out of memory, or a number out of range
KEEL_API keel_loopback *keel_loopback_create(const keel_loopback_desc *desc);
/// Destroys a network, after the sessions that use it. NULL is allowed.
KEEL_API void keel_loopback_destroy(keel_loopback *loopback);
/// Returns the transport of a machine, for `.transport`.
KEEL_API keel_session_transport keel_loopback_transport(keel_loopback *loopback, uint32_t machine);
/// Lets time pass for all packets.
KEEL_API void keel_loopback_advance(keel_loopback *loopback, double seconds);
/// Changes what the network does to packets, from now on. `peers` and `seed` stay.
KEEL_API void keel_loopback_set(keel_loopback *loopback, const keel_loopback_desc *desc);
/// Cuts the way between two machines, or mends it: packets on a way that is cut are lost.
KEEL_API void keel_loopback_cut(keel_loopback *loopback, uint32_t a, uint32_t b, bool is_cut);

/// Returns a transport that sends through another one, but delays, loses and doubles packets as a
/// loopback does: to see what a bad network does to a game. Time is that of keel_session_advance.
/// Give it to one session, whose end closes both.
/// @param inner for example keel_enet_transport(NULL); closed on error
/// @param desc what happens to the packets that this machine sends; `peers` does not count
/// @return all zeros on error: out of memory, or an inner transport without functions
KEEL_API keel_session_transport keel_simulated_transport(keel_session_transport inner,
                                                         const keel_loopback_desc *desc);

#ifdef __cplusplus
}
#endif
