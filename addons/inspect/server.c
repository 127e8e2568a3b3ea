// SPDX-License-Identifier: MIT
// The HTTP server of keel::inspect: libmicrohttpd with one thread of its own, and the courier
// thread. It judges requests by rules.c, reads bodies, hands requests to the world's thread, and
// sends answers. It never touches the world.
#include "inspect.h"
#include "page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_PORT = 27750,
    LAST_PORT = 27759,
    SECONDS_FOR_HEAD = 2, // silence until the head of a request is there
    SECONDS_AFTERWARDS = 30,
    SPARE_CONNECTIONS = 16, // above KEELI_CONNECTIONS, connections without a token are closed
    WRONG_TOKENS = 10,      // in a second
    BODY_AT_FIRST = 4096,
    BYTES_OF_EDIT = 8192 // of memory for the answer of an edit
};

static const uint64_t second = 1000000000, answers_are_looked_at = 2000000,
                      streams_are_looked_at = 8000000;

// A connection, as long as it is open.
typedef struct server_connection {
    struct server_connection *next, **link;
    int socket;
    bool trusted; // it has shown the token
} server_connection;

struct keeli_server {
    struct MHD_Daemon *daemon;
    pthread_t courier;
    pthread_mutex_t lock;
    pthread_cond_t changed; // something to do for the courier
    bool has_courier;
    atomic_bool ending;
    unsigned outstanding;               // requests that are suspended; under the lock
    unsigned unsent;                    // these, and those whose answer is not sent; under the lock
    unsigned open_streams;              // under the lock
    server_connection *connections;     // newest first; under the lock
    unsigned connection_count;          // under the lock
    uint64_t wrong_since, refuse_until; // of wrong tokens; HTTP thread only
    unsigned wrong_count;
};

uint64_t keeli_inspect_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

// ------------------------------------------------------------------ responses
static const char *const security_headers[][2] = {
    { "X-Content-Type-Options", "nosniff" },
    { "X-Frame-Options", "DENY" },
    { "Referrer-Policy", "no-referrer" },
    { "Cache-Control", "no-store" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
};

static enum MHD_Result server_send(struct MHD_Connection *connection, unsigned status,
                                   const char *type, struct MHD_Response *response) {
    if (!response) return MHD_NO;
    for (size_t i = 0; i < sizeof security_headers / sizeof *security_headers; ++i)
        MHD_add_response_header(response, security_headers[i][0], security_headers[i][1]);
    MHD_add_response_header(response, "Content-Security-Policy", keeli_inspect_page_policy);
    MHD_add_response_header(response, "Content-Type", type);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, POST");
    const enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

// Sends the answer of a request, and hands its text over.
static enum MHD_Result server_send_answer(struct MHD_Connection *connection,
                                          keeli_request *request) {
    if (request->out.failed) {
        const bool is_long = request->out.is_long;
        keeli_request_fail(request, 500, is_long ? "size" : "memory",
                           is_long ? "the answer is longer than 4 MiB: ask for fewer rows"
                                   : "out of memory");
    }
    if (request->out.failed) return MHD_NO;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        request->out.length, request->out.text, MHD_RESPMEM_MUST_FREE);
    if (!response) return MHD_NO;
    request->out = (keeli_out){ 0 };
    if (request->disposition[0])
        MHD_add_response_header(response, "Content-Disposition", request->disposition);
    return server_send(connection, request->status, request->type, response);
}

// Returns the page as libmicrohttpd wants it, which does not write to it but takes no const.
static void *server_page(void) {
    union {
        const void *constant;
        void *page;
    } bytes = { keeli_inspect_page };
    return bytes.page;
}

static enum MHD_Result server_send_page(struct MHD_Connection *connection) {
    struct MHD_Response *response = MHD_create_response_from_buffer(
        keeli_inspect_page_size, server_page(), MHD_RESPMEM_PERSISTENT);
    if (response) MHD_add_response_header(response, "Content-Encoding", "gzip");
    return server_send(connection, MHD_HTTP_OK, "text/html; charset=utf-8", response);
}

// ------------------------------------------------------------------ requests
static const char *server_header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

typedef struct server_count {
    const char *name;
    unsigned count;
} server_count;
static enum MHD_Result server_count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                           const char *value) {
    server_count *count = context;
    (void)kind;
    (void)value;
    count->count += !strcasecmp(key, count->name);
    return MHD_YES;
}
static unsigned server_header_count(struct MHD_Connection *connection, const char *name) {
    server_count count = { name, 0 };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, server_count_header, &count);
    return count.count;
}

static keeli_verdict server_judge(keel_inspect *inspect, struct MHD_Connection *connection,
                                  const char *method, const char *url) {
    const union MHD_ConnectionInfo *bytes =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const keeli_head head = {
        .method = method,
        .url = url,
        .bytes = bytes ? bytes->header_size : 0,
        .host = server_header(connection, "Host"),
        .host_count = server_header_count(connection, "Host"),
        .origin = server_header(connection, "Origin"),
        .origin_count = server_header_count(connection, "Origin"),
        .fetch_site = server_header(connection, "Sec-Fetch-Site"),
        .fetch_site_count = server_header_count(connection, "Sec-Fetch-Site"),
        .token = server_header(connection, "X-Keel-Token"),
        .token_count = server_header_count(connection, "X-Keel-Token"),
        .content_type = server_header(connection, "Content-Type"),
        .content_length = server_header(connection, "Content-Length"),
        .content_length_count = server_header_count(connection, "Content-Length"),
        .transfer_encoding = server_header(connection, "Transfer-Encoding"),
    };
    return keeli_rules_judge(&inspect->rules, &head);
}

// Counts wrong tokens. After ten in a second, connections that have not shown the right one wait
// for a second. True: this request is refused for that.
static bool server_slows_down(keeli_server *server, const server_connection *from, bool wrong) {
    const uint64_t now = keeli_inspect_now();
    if (wrong && now - server->wrong_since > second) {
        server->wrong_since = now;
        server->wrong_count = 0;
    }
    if (wrong && ++server->wrong_count >= WRONG_TOKENS) server->refuse_until = now + second;
    return now < server->refuse_until && !(from && from->trusted) &&
           (!wrong || server->wrong_count > WRONG_TOKENS);
}

// Called with the URL of a request before anything else of it is read. The request is freed by
// server_on_completed.
static void *server_new_request(void *context, const char *url, struct MHD_Connection *connection) {
    (void)context;
    keeli_request *request = calloc(1, sizeof *request);
    if (!request) return NULL;
    request->connection = connection;
    request->status = MHD_HTTP_OK;
    request->type = "application/json";
    const size_t length = strlen(url), room = sizeof request->arguments - 1;
    memcpy(request->arguments, url, length < room ? length : room);
    return request;
}

static enum MHD_Result server_refuse(struct MHD_Connection *connection, keeli_request *request,
                                     unsigned status, const char *code, const char *message) {
    request->handed_over = true;
    keeli_request_fail(request, status, code, "%s", message);
    return server_send_answer(connection, request);
}

typedef struct server_copy {
    char *to;
    size_t room;
} server_copy;
static enum MHD_Result server_copy_argument(void *context, enum MHD_ValueKind kind, const char *key,
                                            const char *value) {
    server_copy *copy = context;
    (void)kind;
    const size_t key_size = strlen(key) + 1, value_size = value ? strlen(value) + 1 : 1;
    if (!*key || key_size + value_size >= copy->room) return MHD_YES;
    memcpy(copy->to, key, key_size);
    memcpy(copy->to + key_size, value ? value : "", value_size);
    copy->to += key_size + value_size;
    copy->room -= key_size + value_size;
    return MHD_YES;
}

static bool server_append_body(keeli_request *request, const char *bytes, size_t size) {
    if (request->body_length + size > KEELI_MAX_BODY) return false;
    if (request->body_length + size > request->body_room) {
        const size_t room = (request->body_length + size) * 2 + BODY_AT_FIRST;
        char *grown = realloc(request->body, room);
        if (!grown) return false;
        request->body = grown;
        request->body_room = room;
    }
    memcpy(request->body + request->body_length, bytes, size);
    request->body_length += size;
    return true;
}

static bool server_parse_body(keeli_request *request) {
    json_error_t error;
    request->fields = json_loadb(request->body ? request->body : "", request->body_length,
                                 JSON_REJECT_DUPLICATES, &error);
    if (!request->fields)
        return !keeli_request_fail(request, 400, "body", "the body is not JSON: %s (byte %d)",
                                   error.text, error.position);
    if (!json_is_object(request->fields))
        return !keeli_request_fail(request, 400, "body", "the body must be an object");
    return true;
}

// Gives a request to the world's thread.
static enum MHD_Result server_hand_over(keel_inspect *inspect, keeli_request *request) {
    keeli_server *server = inspect->server;
    pthread_mutex_lock(&server->lock);
    const bool ending = atomic_load(&server->ending);
    if (!ending) { // the lock orders this before the end, which answers all that is in `incoming`
        ++server->outstanding;
        ++server->unsent;
        request->is_unsent = true;
        MHD_suspend_connection(request->connection);
        request->next = atomic_load(&inspect->incoming);
        while (!atomic_compare_exchange_weak(&inspect->incoming, &request->next, request)) {}
        pthread_cond_signal(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    if (!ending) return MHD_YES;
    keeli_request_fail(request, 503, "ended", "the program has ended the inspector");
    return server_send_answer(request->connection, request);
}

// ------------------------------------------------------------------ streams
static const char says_ended[] = "event: end\ndata: {}\n\n";
static const char says_stopped[] = "event: world\ndata: {\"stopped\":true}\n\n";

// Takes over the newest facts of a stream, if they are for this page. Under the lock.
static bool stream_take_facts(keeli_stream *stream) {
    keeli_facts *facts = atomic_exchange(&stream->ready, NULL);
    if (!facts) return false;
    if (facts->generation != atomic_load(&stream->generation) || facts->out.failed) {
        keeli_facts *spare = atomic_exchange(&stream->spare, facts);
        if (spare) {
            keeli_out_free(&spare->out);
            free(spare);
        }
        return false;
    }
    keeli_facts *old = stream->sending ? atomic_exchange(&stream->spare, stream->sending) : NULL;
    if (old) {
        keeli_out_free(&old->out);
        free(old);
    }
    stream->sending = facts;
    stream->sent = 0;
    stream->heard = keeli_inspect_now();
    stream->says_stopped = false;
    return true;
}

static size_t stream_copy(keeli_stream *stream, char *to, size_t room) {
    const size_t left = stream->sending->out.length - stream->sent,
                 count = left < room ? left : room;
    memcpy(to, stream->sending->out.text + stream->sent, count);
    stream->sent += count;
    return count;
}

// Called by libmicrohttpd when it can send more. Without anything to send, the stream is suspended
// until the courier has something.
static ssize_t stream_read(void *context, uint64_t position, char *to, size_t room) {
    keel_inspect *inspect = ((keeli_request *)context)->job;
    keeli_stream *stream = ((keeli_request *)context)->stream;
    keeli_server *server = inspect->server;
    ssize_t count = 0;
    (void)position;
    pthread_mutex_lock(&server->lock);
    const bool between = !stream->sending || stream->sent == stream->sending->out.length;
    if (!between || stream_take_facts(stream)) {
        count = (ssize_t)stream_copy(stream, to, room);
    } else if (stream->ended) {
        count = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (atomic_load(&server->ending) && room >= sizeof says_ended) {
        stream->ended = true;
        count = (ssize_t)sizeof says_ended - 1;
        memcpy(to, says_ended, (size_t)count);
    } else if (stream->says_stopped && room >= sizeof says_stopped) {
        stream->says_stopped = false;
        count = (ssize_t)sizeof says_stopped - 1;
        memcpy(to, says_stopped, (size_t)count);
    } else if (atomic_load(&server->ending)) {
        count = MHD_CONTENT_READER_END_OF_STREAM; // a stream that is ending is never suspended
    } else {
        stream->suspended = true;
        MHD_suspend_connection(stream->connection);
    }
    pthread_mutex_unlock(&server->lock);
    return count;
}

static keeli_stream *stream_open(keel_inspect *inspect, keeli_request *request, keel_entity entity,
                                 uint64_t every) {
    keeli_server *server = inspect->server;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    pthread_mutex_lock(&server->lock);
    keeli_stream *stream = NULL;
    for (int i = 0; i < KEELI_STREAMS && !stream; ++i)
        if (!inspect->streams[i].in_use) stream = &inspect->streams[i];
    if (stream) {
        stream->in_use = true;
        stream->suspended = stream->ended = stream->says_stopped = false;
        stream->connection = request->connection;
        stream->socket = info ? info->connect_fd : -1;
        stream->every = every;
        stream->due = 0;
        stream->heard = keeli_inspect_now();
        stream->sent = stream->sending ? stream->sending->out.length : 0;
        atomic_store(&stream->entity, entity.bits);
        atomic_fetch_add(&stream->generation, 1);
        ++server->open_streams;
        pthread_cond_signal(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    return stream;
}

static void stream_close(keel_inspect *inspect, keeli_stream *stream) {
    keeli_server *server = inspect->server;
    pthread_mutex_lock(&server->lock);
    stream->in_use = false;
    stream->connection = NULL;
    atomic_store(&stream->entity, 0);
    atomic_fetch_and(&inspect->wanted, ~(1u << (stream - inspect->streams)));
    --server->open_streams;
    pthread_mutex_unlock(&server->lock);
}

static enum MHD_Result stream_begin(keel_inspect *inspect, keeli_request *request) {
    keel_entity entity = keel_null();
    uint64_t milliseconds = 100;
    const char *text = keeli_argument(request, "entity");
    keeli_argument_number(request, "every", &milliseconds);
    if (text && !keeli_parse_handle(text, &entity)) {
        keeli_request_fail(request, 400, "argument", "'%.40s' is no handle", text);
        return server_send_answer(request->connection, request);
    }
    if (milliseconds < 33) milliseconds = 33;
    if (milliseconds > 10000) milliseconds = 10000;
    request->stream = stream_open(inspect, request, entity, milliseconds * 1000000);
    if (!request->stream) {
        keeli_request_fail(request, 503, "busy", "busy: %d streams are open already",
                           (int)KEELI_STREAMS);
        return server_send_answer(request->connection, request);
    }
    request->job = inspect;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 << 10, stream_read, request, NULL);
    return server_send(request->connection, MHD_HTTP_OK, "text/event-stream", response);
}

static void stream_free(keeli_stream *stream) {
    keeli_facts *all[] = { atomic_load(&stream->ready), atomic_load(&stream->spare),
                           stream->sending };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (all[i]) keeli_out_free(&all[i]->out);
        free(all[i]);
    }
}

// ------------------------------------------------------------------ callbacks of libmicrohttpd
static const char api[] = "/api/v1/";

// Begins a request: judges its head, and copies what answers need.
static enum MHD_Result server_begin(keel_inspect *inspect, struct MHD_Connection *connection,
                                    const char *path, const char *method, keeli_request *request) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    server_connection *from = info ? info->socket_context : NULL;
    const keeli_verdict verdict = server_judge(inspect, connection, method, request->arguments);
    if (server_slows_down(inspect->server, from, verdict.wrong_token))
        return server_refuse(connection, request, 429, "token",
                             "too many wrong tokens: wait for a second");
    if (verdict.status)
        return server_refuse(connection, request, verdict.status, verdict.code, verdict.message);
    request->is_begun = true;
    request->is_post = !strcmp(method, "POST");
    memset(request->arguments, 0, sizeof request->arguments);
    if (!request->is_post && !strcmp(path, "/")) return server_send_page(connection);

    if (from) from->trusted = true;
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)SECONDS_AFTERWARDS);
    if (!strncmp(path, api, sizeof api - 1) && strlen(path) - sizeof api + 1 < sizeof request->path)
        strcpy(request->path, path + sizeof api - 1);
    server_copy copy = { request->arguments, sizeof request->arguments - 1 };
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, server_copy_argument, &copy);
    return MHD_YES;
}

// Answers a request whose body is there, or hands it over.
static enum MHD_Result server_route(keel_inspect *inspect, keeli_request *request) {
    request->handed_over = true;
    if (!request->is_post && !strcmp(request->path, "stream"))
        return stream_begin(inspect, request);
    request->answer = keeli_route_find(request);
    if (!request->answer) {
        keeli_request_fail(request, 404, "path", "there is nothing here");
        return server_send_answer(request->connection, request);
    }
    // An edit that was made is never answered by an error because memory ran out afterwards.
    if (request->is_post && !keeli_out_reserve(&request->out, BYTES_OF_EDIT)) return MHD_NO;
    if (request->is_post && !server_parse_body(request))
        return server_send_answer(request->connection, request);
    return server_hand_over(inspect, request);
}

static enum MHD_Result server_on_request(void *context, struct MHD_Connection *connection,
                                         const char *path, const char *method, const char *version,
                                         const char *body, size_t *body_size, void **state) {
    keel_inspect *inspect = context;
    keeli_request *request = *state;
    (void)version;
    if (!request) return MHD_NO;
    if (!request->is_begun) return server_begin(inspect, connection, path, method, request);
    if (*body_size) {
        const bool fits = server_append_body(request, body, *body_size);
        *body_size = 0;
        return fits ? MHD_YES : MHD_NO;
    }
    if (!request->handed_over) return server_route(inspect, request);
    return server_send_answer(connection, request);
}

static void server_note_sent(keeli_server *server) {
    pthread_mutex_lock(&server->lock);
    --server->unsent;
    pthread_mutex_unlock(&server->lock);
}

static void server_on_completed(void *context, struct MHD_Connection *connection, void **state,
                                enum MHD_RequestTerminationCode code) {
    keeli_request *request = *state;
    (void)connection;
    (void)code;
    if (!request) return;
    if (request->stream) stream_close(context, request->stream);
    if (request->is_unsent) server_note_sent(((keel_inspect *)context)->server);
    request->job = request->stream ? NULL : request->job;
    keeli_request_free(request);
    *state = NULL;
}

// Closes the oldest connection that has not shown the token. libmicrohttpd notices it, and frees
// what belongs to the connection.
static void server_drop_a_stranger(keeli_server *server) {
    server_connection *oldest = NULL;
    for (server_connection *c = server->connections; c; c = c->next)
        if (!c->trusted && c->socket >= 0) oldest = c;
    if (!oldest) return;
    shutdown(oldest->socket, SHUT_RDWR);
    oldest->socket = -1;
}

static void server_connection_opened(keeli_server *server, struct MHD_Connection *connection,
                                     void **state) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    server_connection *opened = calloc(1, sizeof *opened);
    if (!opened) return;
    opened->socket = info ? info->connect_fd : -1;
    opened->next = server->connections;
    opened->link = &server->connections;
    if (opened->next) opened->next->link = &opened->next;
    server->connections = opened;
    *state = opened;
    if (++server->connection_count > KEELI_CONNECTIONS) server_drop_a_stranger(server);
}

static void server_on_connection(void *context, struct MHD_Connection *connection, void **state,
                                 enum MHD_ConnectionNotificationCode code) {
    keeli_server *server = ((keel_inspect *)context)->server;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        server_connection_opened(server, connection, state);
        return;
    }
    server_connection *closed = *state;
    if (!closed) return;
    *closed->link = closed->next;
    if (closed->next) closed->next->link = closed->link;
    --server->connection_count;
    free(closed);
    *state = NULL;
}

// ------------------------------------------------------------------ the courier
void keeli_request_finish(keel_inspect *inspect, keeli_request *request) {
    request->next = atomic_load(&inspect->answered);
    while (!atomic_compare_exchange_weak(&inspect->answered, &request->next, request)) {}
}

static void courier_resume_requests(keel_inspect *inspect) {
    keeli_request *request = atomic_exchange(&inspect->answered, NULL);
    while (request) {
        keeli_request *next = request->next; // the request may be freed once its connection goes on
        --inspect->server->outstanding;
        MHD_resume_connection(request->connection);
        request = next;
    }
}

// True if the page has closed the connection of a stream. libmicrohttpd does not look at
// connections that are suspended, so the stream would keep its place until its next event.
static bool courier_sees_end(const keeli_stream *stream) {
    char byte;
    return recv(stream->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void courier_look_at_stream(keel_inspect *inspect, keeli_stream *stream, uint64_t now,
                                   bool ending) {
    if (now >= stream->due) {
        atomic_fetch_or(&inspect->wanted, 1u << (stream - inspect->streams));
        stream->due = now + stream->every;
    }
    if (now - stream->heard > second + stream->every) {
        stream->heard = now;
        stream->says_stopped = true;
    }
    if (stream->suspended && !stream->ended && courier_sees_end(stream)) stream->ended = true;
    const bool has_something = stream->ended || stream->says_stopped || atomic_load(&stream->ready);
    if (stream->suspended && (ending || has_something)) {
        stream->suspended = false;
        MHD_resume_connection(stream->connection);
    }
}

static void courier_wait(keeli_server *server, uint64_t nanoseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const uint64_t end = (uint64_t)until.tv_nsec + nanoseconds;
    until.tv_sec += (time_t)(end / second);
    until.tv_nsec = (long)(end % second);
    pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

// True when no connection is suspended any more, and the pages have been told, or half a second has
// passed: some do not read.
static bool courier_is_done(keeli_server *server, uint64_t *ends) {
    if (!atomic_load(&server->ending) || server->outstanding) return false;
    if (!*ends) *ends = keeli_inspect_now() + second / 2;
    return (!server->open_streams && !server->unsent) || keeli_inspect_now() > *ends;
}

static void *courier_run(void *context) {
    keel_inspect *inspect = context;
    keeli_server *server = inspect->server;
    uint64_t ends = 0;
    pthread_mutex_lock(&server->lock);
    while (!courier_is_done(server, &ends)) {
        const uint64_t now = keeli_inspect_now();
        courier_resume_requests(inspect);
        for (int i = 0; i < KEELI_STREAMS; ++i)
            if (inspect->streams[i].in_use)
                courier_look_at_stream(inspect, &inspect->streams[i], now,
                                       atomic_load(&server->ending));
        if (server->outstanding || atomic_load(&server->ending))
            courier_wait(server, answers_are_looked_at);
        else if (server->open_streams) courier_wait(server, streams_are_looked_at);
        else pthread_cond_wait(&server->changed, &server->lock);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

// ------------------------------------------------------------------ start and stop
static bool server_fail(keel_error *error, keel_result result, const char *message) {
    *error = (keel_error){ .result = result };
    snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

static int server_listen(const struct sockaddr_in *address) {
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!bind(fd, (const struct sockaddr *)address, sizeof *address) && !listen(fd, 128)) return fd;
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

// Opens the socket: the port that was asked for, or the first free one of ours.
static int server_open(const char *address, uint16_t *port, keel_error *error) {
    struct sockaddr_in at = { .sin_family = AF_INET };
    char message[160];
    if (inet_pton(AF_INET, address, &at.sin_addr) != 1) {
        snprintf(message, sizeof message, "'%.60s' is no IPv4 address; the default is 127.0.0.1",
                 address);
        server_fail(error, KEEL_ERROR_ARGUMENT, message);
        return -1;
    }
    const uint16_t first = *port ? *port : FIRST_PORT, last = *port ? *port : LAST_PORT;
    for (unsigned i = first; i <= last; ++i) {
        at.sin_port = htons((uint16_t)i);
        const int fd = server_listen(&at);
        *port = (uint16_t)i;
        if (fd >= 0) return fd;
    }
    snprintf(message, sizeof message, "cannot listen on %.40s, port %u%s: %s", address, first,
             first == last ? "" : " to 27759", strerror(errno));
    server_fail(error, KEEL_ERROR_FILE, message);
    return -1;
}

static bool server_start_threads(keel_inspect *inspect, int socket) {
    keeli_server *server = inspect->server;
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, server_on_request,
        inspect, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_URI_LOG_CALLBACK, server_new_request,
        inspect, MHD_OPTION_NOTIFY_COMPLETED, server_on_completed, inspect,
        MHD_OPTION_NOTIFY_CONNECTION, server_on_connection, inspect, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(KEELI_CONNECTIONS + SPARE_CONNECTIONS), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SECONDS_FOR_HEAD, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 << 10,
        MHD_OPTION_END);
    if (!server->daemon) return false;
    server->has_courier = !pthread_create(&server->courier, NULL, courier_run, inspect);
    return server->has_courier;
}

bool keeli_server_start(keel_inspect *inspect, const char *address, uint16_t port,
                        keel_error *error) {
    keeli_server *server = calloc(1, sizeof *server);
    if (!server)
        return server_fail(error, KEEL_ERROR_MEMORY, "out of memory: starting the inspector");
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    inspect->server = server;
    const int socket = server_open(address, &port, error);
    if (socket < 0) {
        keeli_server_stop(inspect);
        return false;
    }
    snprintf(inspect->host, sizeof inspect->host, "%.15s:%u", address, port);
    inspect->rules.host = inspect->host;
    inspect->rules.port = port;
    inspect->rules.any_address = !strcmp(address, "0.0.0.0");
    if (server_start_threads(inspect, socket)) return true;
    if (!server->daemon) close(socket);
    keeli_server_stop(inspect);
    return server_fail(error, KEEL_ERROR_MEMORY,
                       "out of memory: starting the threads of the inspector");
}

void keeli_server_stop(keel_inspect *inspect) {
    keeli_server *server = inspect->server;
    if (!server) return;
    pthread_mutex_lock(&server->lock);
    atomic_store(&server->ending, true);
    pthread_cond_signal(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (server->has_courier) pthread_join(server->courier, NULL);
    if (server->daemon) MHD_stop_daemon(server->daemon);
    for (int i = 0; i < KEELI_STREAMS; ++i)
        stream_free(&inspect->streams[i]);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
    inspect->server = NULL;
}

void keeli_server_refuse_new_requests(keel_inspect *inspect) {
    pthread_mutex_lock(&inspect->server->lock);
    atomic_store(&inspect->server->ending, true);
    pthread_cond_signal(&inspect->server->changed);
    pthread_mutex_unlock(&inspect->server->lock);
}
