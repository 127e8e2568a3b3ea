// SPDX-License-Identifier: MIT
// The internal header of keel::inspect: the inspector, requests and how they pass between threads.
//
// Three threads take part. The HTTP thread of libmicrohttpd reads requests, applies the rules of
// safety, and puts requests into `incoming`. The world's thread answers them in
// keel_inspect_update and puts them into `answered`; it never takes a lock and never wakes a
// thread, because waking costs more than an answer. The courier thread looks at `answered`, and
// tells libmicrohttpd to go on with these connections.
#pragma once
#include "keel_inspect.h"
#include "out.h"
#include "rules.h"

#include <jansson.h>
#include <stdatomic.h>

struct MHD_Connection;

typedef struct keeli_request keeli_request;

// Answers a request, on the world's thread. False: the answer needs more time; the function is
// called again in the next frame, and finds its state in `request->job`.
typedef bool keeli_answer_fn(keel_inspect *inspect, keeli_request *request);

// A request. It belongs to one thread at a time: the HTTP thread, until it is in `incoming`; the
// world's thread, until it is in `answered`; then the HTTP thread again.
struct keeli_request {
    keeli_request *next;
    struct MHD_Connection *connection;
    bool is_post;
    bool is_begun;    // its head was judged; before, `arguments` has the URL as it was sent
    bool handed_over; // it was given to the world's thread, or answered at once
    bool is_unsent;   // it was given to the world's thread; the server counts it until it is sent
    char path[96];    // behind "/api/v1/"
    char arguments[KEELI_MAX_URL + 8]; // name, zero, value, zero; an empty name ends the list
    char *body;
    size_t body_length, body_room;
    json_t *fields; // the body, parsed: an object
    keeli_answer_fn *answer;
    void *job; // state between two slices
    void (*free_job)(void *job);
    uint64_t begun;       // nanoseconds, when the first slice began
    uint64_t frames;      // frames that slices were in
    unsigned status;      // of the answer
    const char *type;     // its content type
    char disposition[96]; // its Content-Disposition, or empty
    keeli_out out;        // its body
    struct keeli_stream *stream;
};

// A facts text for a stream: events as they are sent.
typedef struct keeli_facts {
    keeli_out out;
    unsigned generation; // of the stream that they were made for
} keeli_facts;

enum { KEELI_EDITS = 64 };
enum { KEELI_STREAMS = 8, KEELI_CONNECTIONS = 64 };

// A stream of events to one page.
typedef struct keeli_stream {
    atomic_uint generation;       // changes when the slot gets another page
    _Atomic(uint64_t) entity;     // the entity whose values are sent; 0: none
    _Atomic(keeli_facts *) ready; // written by the world's thread, to be sent
    _Atomic(keeli_facts *) spare; // memory for the next facts
    // The world's thread only: what was sent last.
    unsigned known_generation;
    uint64_t last_frame, last_time, last_counts;
    uint64_t last_timed; // the latest frame whose times were sent
    double rate;
    // Under the lock of the server:
    bool in_use, suspended;
    struct MHD_Connection *connection;
    int socket;
    uint64_t every, due, heard; // nanoseconds
    keeli_facts *sending;
    size_t sent;
    bool says_stopped; // the program has not called keel_inspect_update for a second
    bool ended;
} keeli_stream;

typedef struct keeli_server keeli_server;
typedef struct keeli_past keeli_past;
typedef struct keeli_frames keeli_frames;

struct keel_inspect {
    keel_world *world;
    const keel_workload *workload; // NULL: see workload_name
    char workload_name[64];        // empty: the default workload
    char program[64];
    char url[256];
    bool allow_edits, changes;
    uint64_t budget; // nanoseconds
    // The world's thread only:
    unsigned forks; // of the process, when the inspector began
    bool paused;
    bool watches;      // a watch waits for the end of its frame (answer_watch.c)
    uint64_t steps;    // frames to run although the program is paused
    uint64_t frame;    // of the frame that runs, or ran last
    uint64_t deadline; // of the answers in this frame
    uint64_t spent,
        worst; // nanoseconds that answers took: in the last frame that had some; at most
    uint64_t
        edits[KEELI_EDITS]; // ticks of the latest edits by pages; the i-th is at i % KEELI_EDITS
    uint32_t edit_count;
    uint64_t past_spent; // nanoseconds of the last snapshot for the past
    keeli_request *first_waiting, *last_waiting;
    keeli_past *past;
    keeli_frames *frames;
    // Between threads:
    _Atomic(keeli_request *) incoming;
    _Atomic(keeli_request *) answered;
    atomic_uint wanted;   // bit i: stream i wants facts
    atomic_ulong updates; // calls of keel_inspect_update, for the courier
    keeli_stream streams[KEELI_STREAMS];
    keeli_server *server;
    keeli_rules rules;
    char host[32], token[KEELI_MAX_TOKEN + 1];
};

// ---- time
uint64_t keeli_inspect_now(void); // nanoseconds of a monotonic clock
// True when the answers of this frame have used up their time.
bool keeli_inspect_is_late(const keel_inspect *inspect);

// ---- server.c
// Starts the threads. False: `error` is filled in.
bool keeli_server_start(keel_inspect *inspect, const char *address, uint16_t port,
                        keel_error *error);
void keeli_server_stop(keel_inspect *inspect);
// From now on, new requests get an error. Those that were handed over must be finished.
void keeli_server_refuse_new_requests(keel_inspect *inspect);
// Puts requests of the world's thread into `answered`.
void keeli_request_finish(keel_inspect *inspect, keeli_request *request);
void keeli_request_free(keeli_request *request);

// Notes that a page has changed the world, so that the change can be told from those of the
// program.
void keeli_inspect_note_edit(keel_inspect *inspect);
// True if the change with this tick was made by a page.
bool keeli_inspect_is_edit(const keel_inspect *inspect, uint64_t tick);

// ---- requests, for answers (request.c)
// Returns an argument of the URL, or NULL.
const char *keeli_argument(const keeli_request *request, const char *name);
// Reads an argument that is a number. False: it is missing or no number; `*number` is unchanged.
bool keeli_argument_number(const keeli_request *request, const char *name, uint64_t *number);
// Reads `limit`, 100 by default, and `after`, null by default. False: the request has failed.
bool keeli_argument_page(keeli_request *request, uint64_t *limit, keel_entity *after);
// Returns a text of the body, or NULL.
const char *keeli_field_text(const keeli_request *request, const char *name);
// Makes the answer an error, in place of all that was written. Returns true, as an answer that is
// finished does.
bool keeli_request_fail(keeli_request *request, unsigned status, const char *code,
                        const char *format, ...);
bool keeli_request_fail_at(keeli_request *request, unsigned column, const char *code,
                           const char *message);
// Makes the answer the error of a call on the world.
bool keeli_request_fail_by(keeli_request *request, const keel_world *world, keel_result result);
// Parses "17v3". False if the text is no handle.
bool keeli_parse_handle(const char *text, keel_entity *entity);

// ---- routes.c
// Returns the function that answers a request, or NULL if there is no such path.
keeli_answer_fn *keeli_route_find(const keeli_request *request);

// ---- streams.c: the world's thread writes facts for the streams of `wanted`
void keeli_streams_write(keel_inspect *inspect, unsigned wanted);
