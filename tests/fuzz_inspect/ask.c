// SPDX-License-Identifier: MIT
// Asks the rules, the routes and the paths of keel::inspect, and checks what must hold for every
// string: ask.h.
#include "ask.h"

#include "inspect/answers.h"
#include "inspect/frames.h"
#include "inspect/past.h"
#include "inspect/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Position {
    double x, y;
} Position;
KEEL_FIELDS(Position, x, y);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
typedef struct Health {
    int32_t points[3];
    char label[8];
    keel_entity target;
} Health;
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000), label, target);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health), .storage = KEEL_ARCHETYPE, .name = "a.Health");
KEEL_TAG(Frozen);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);
typedef struct Clock {
    uint32_t frame;
} Clock;
KEEL_FIELDS(Clock, frame);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
KEEL_SYSTEM(ask_move, KEEL_WRITE(Position, p), KEEL_WITHOUT(Frozen)) { p->x += 1; }
KEEL_WORKLOAD(ask_frame, KEEL_STEP(ask_move));

#define TOKEN "0123456789abcdef0123456789abcdef"
const char *const ask_samples[] = {
    "hGET\n/api/v1/world\n127.0.0.1:27750\n\n\n" TOKEN "\n\n",
    "hGET\n/\nlocalhost:27750\n\n\n\n\n",
    "hGET\n/api/v1/world\n127.0.0.1:27750\nhttp://127.0.0.1:27750\nsame-origin\n" TOKEN "\n\n",
    "hPOST\n/api/v1/set\n127.0.0.1:27750\n\nnone\n" TOKEN "\napplication/json; a=b\n12",
    "rworld\n\n",
    "rentities\nlimit=3&parent=none&after=1v0\n",
    "rentity/1v0\n\n",
    "rentity/1v0\nframe=1\n",
    "rquery\ntext=Position, !Frozen&columns=a.Health.points[1]&limit=2\n",
    "rquery\ntext=\"a.Health\"&count=1\n",
    "rsystem/0\n\n",
    "rworkload\nwithout=0:Position\n",
    "rframes\nfrom=1&to=9&lanes=1\n",
    "rchanges\nentity=1v0&path=Position.x\n",
    "rdiff\nfrom=1&to=1&limit=3\n",
    "rset\n\n{\"entity\":\"1v0\",\"path\":\"a.Health.points[2]\",\"value\":77}",
    "rset\n\n{\"entity\":null,\"path\":\"Clock.frame\",\"value\":\"7\"}",
    "radd\n\n{\"entity\":\"0v0\",\"component\":\"Frozen\"}",
    "rdisable\n\n{\"entity\":\"1v0\",\"component\":\"Position\",\"disabled\":false}",
    "rspawn\n\n{\"name\":null,\"parent\":\"1v0\"}",
    "rrelate\n\n{\"entity\":\"2v0\",\"relation\":\"PartOf\",\"target\":\"1v0\"}",
    "rtrack\n\n{\"component\":\"Position\"}",
    "rstep\n\n{\"frames\":2}",
    "rback\n\n{\"frame\":1}",
    "rpause\n\n{}",
    "pa.Health.points[1]",
    "pPosition.x",
    "p17v3",
    NULL,
};

static void demand(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "fuzz_inspect: %s\n", what);
    abort();
}

// ------------------------------------------------------------------ heads
// Cuts the next line off. An empty line is NULL: the header is missing.
static char *ask_line(char **text) {
    char *line = *text, *end = strchr(line, '\n');
    *text = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    return line;
}

static bool ask_host_is_ours(const char *host) {
    return host && (!strcmp(host, "127.0.0.1:27750") ||
                    (strlen(host) == 15 && strstr(host, ":27750") == host + 9));
}

static void ask_check_allowed(const keeli_head *head, const keeli_rules *rules) {
    const bool is_post = !strcmp(head->method, "POST");
    demand(is_post || !strcmp(head->method, "GET"), "another method is allowed");
    demand(rules->any_address || ask_host_is_ours(head->host), "another host is allowed");
    demand(!head->origin || !strncmp(head->origin, "http://", 7), "another scheme is allowed");
    demand(!head->origin || !strcmp(head->origin + 7, head->host), "another origin is allowed");
    demand(!head->fetch_site || !strcmp(head->fetch_site, "none") ||
               !strcmp(head->fetch_site, "same-origin"),
           "another site is allowed");
    demand((!is_post && head->url[0] == '/' && (!head->url[1] || head->url[1] == '?')) ||
               (head->token && !strcmp(head->token, TOKEN)),
           "a wrong token is allowed");
    demand(strlen(head->url) <= KEELI_MAX_URL && !strstr(head->url, "%00"),
           "a wrong URL is allowed");
    if (!is_post) return;
    demand(rules->allow_edits, "an edit is allowed in a program that is read only");
    demand(head->content_type && !strncasecmp(head->content_type, "application/json", 16),
           "another type of body is allowed");
    demand(head->content_length && strtod(head->content_length, NULL) <= KEELI_MAX_BODY,
           "a long body is allowed");
}

static bool ask_head(char *text) {
    char *lines[8];
    for (int i = 0; i < 8; ++i) {
        lines[i] = ask_line(&text);
        if (!*lines[i] && i > 1) lines[i] = NULL;
    }
    const keeli_head head = { .method = lines[0],
                              .url = lines[1],
                              .host = lines[2],
                              .host_count = lines[2] != NULL,
                              .origin = lines[3],
                              .origin_count = lines[3] != NULL,
                              .fetch_site = lines[4],
                              .fetch_site_count = lines[4] != NULL,
                              .token = lines[5],
                              .token_count = lines[5] != NULL,
                              .content_type = lines[6],
                              .content_length = lines[7],
                              .content_length_count = lines[7] != NULL };
    bool is_allowed = false;
    for (unsigned how = 0; how < 4; ++how) {
        const keeli_rules rules = { .host = how & 2 ? "0.0.0.0:27750" : "127.0.0.1:27750",
                                    .port = 27750,
                                    .any_address = how & 2,
                                    .token = TOKEN,
                                    .allow_edits = how & 1 };
        const keeli_verdict verdict = keeli_rules_judge(&rules, &head);
        demand(!verdict.status == !verdict.message, "a refusal has no sentence");
        if (!verdict.status) ask_check_allowed(&head, &rules);
        is_allowed = is_allowed || !verdict.status;
    }
    return is_allowed;
}

// ------------------------------------------------------------------ requests
static keel_inspect asked;

static void ask_end(void) {
    keeli_past_destroy(asked.past);
    keeli_frames_destroy(asked.frames);
    keel_world_destroy(asked.world);
    asked = (keel_inspect){ 0 };
}

// Makes the world, which is made anew now and then, because requests change it.
static void ask_begin(void) {
    static unsigned rounds;
    if (asked.world && ++rounds % 512) return;
    if (asked.world) ask_end();
    keel_world *world =
        keel_world_create(&(keel_world_desc){ .log = keel_log_none, .worker_count = 1 });
    keel_register(world, Position, Health, Frozen, PartOf);
    keel_set_unique(world, Clock, { 1 });
    for (int i = 0; i < 6; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Position, { i, 0 }));
        if (i == 1) keel_set_name(world, e, "<b>\xff");
        if (i % 2) keel_add(world, e, Health, { .label = "12345678" });
    }
    asked = (keel_inspect){ .world = world,
                            .workload = &KEEL_WORKLOAD_ask_frame,
                            .allow_edits = true,
                            .budget = 1000000000,
                            .past = keeli_past_create(world, 4, 1 << 24),
                            .frames = keeli_frames_create(world) };
    demand(asked.past && asked.frames, "no memory");
    keeli_past_take(asked.past, ++asked.frame);
    keeli_frames_note(asked.frames, asked.frame);
    (void)keel_run_workload(world, ask_frame);
}

// Packs `a=b&c=d` as the server does.
static void ask_pack(keeli_request *request, char *text) {
    char *to = request->arguments, *end = to + sizeof request->arguments - 4;
    while (*text) {
        char *next = text + strcspn(text, "&"), *value;
        if (*next) *next++ = '\0';
        value = text + strcspn(text, "=");
        if (*value) *value++ = '\0';
        if (*text && to + strlen(text) + strlen(value) < end) {
            to = stpcpy(to, text) + 1;
            to = stpcpy(to, value) + 1;
        }
        text = next;
    }
}

static void ask_answer(keeli_request *request) {
    keeli_guest guest;
    keeli_guest_begin(asked.world, &guest);
    request->begun = keeli_inspect_now();
    for (int slices = 0;; ++slices) {
        demand(slices < 100, "an answer does not end");
        asked.deadline = keeli_inspect_now() + asked.budget;
        if (request->answer(&asked, request)) break;
        ++asked.frame;
    }
    if (request->job && request->free_job) request->free_job(request->job);
    request->job = NULL;
    keeli_guest_end(asked.world, &guest);
}

// Checks what holds for each answer: it is JSON of a status that the protocol has.
static void ask_check_answer(const keeli_request *request) {
    keel_error error;
    demand(request->status >= 200 && request->status <= 503, "a status is invented");
    demand(keel_world_check(asked.world, &error), "the world is broken");
    if (request->out.failed || strcmp(request->type, "application/json") != 0) return;
    json_error_t wrong;
    json_t *answer = json_loadb(request->out.text, request->out.length, 0, &wrong);
    if (!answer) (void)fprintf(stderr, "%.*s\n", (int)request->out.length, request->out.text);
    demand(json_is_object(answer), "an answer is no JSON");
    const bool is_error = json_object_get(answer, "error") != NULL;
    demand(is_error == (request->status != 200), "an error has the status of an answer");
    json_decref(answer);
}

static bool ask_request(char *text) {
    keeli_request *request = calloc(1, sizeof *request);
    const char *path = ask_line(&text);
    char *arguments = ask_line(&text);
    bool is_answered = false;
    ask_begin();
    request->status = 200;
    request->type = "application/json";
    if (strlen(path) < sizeof request->path) (void)strcpy(request->path, path);
    ask_pack(request, arguments);
    for (int post = 0; post < 2 && !request->answer; ++post) {
        request->is_post = post;
        request->answer = keeli_route_find(request);
    }
    if (request->is_post && request->answer)
        request->fields = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (request->answer && (!request->is_post || json_is_object(request->fields))) {
        ask_answer(request);
        ask_check_answer(request);
        is_answered = request->status == 200;
    }
    keeli_request_free(request);
    return is_answered;
}

// ------------------------------------------------------------------ paths
static bool ask_path(const char *text) {
    keel_field_place place;
    keel_error error;
    keel_entity entity;
    ask_begin();
    const keel_component *c = keeli_path_find(asked.world, text, &place, &error);
    demand(c || error.message[0], "a path that is wrong has no message");
    demand(!c || place.offset + place.size <= c->size, "a field lies outside of its component");
    if (!keeli_parse_handle(text, &entity)) return c != NULL;
    demand(strspn(text, "0123456789v") == strlen(text), "a handle has other letters");
    const unsigned long index = strtoul(text, NULL, 10);
    demand(index == keel_entity_index(entity), "a handle has another index");
    return true;
}

bool ask_bytes(const uint8_t *bytes, size_t size) {
    if (!size) return false;
    char *text = malloc(size + 1); // on the heap, so that no byte behind it is read
    if (!text) return false;
    memcpy(text, bytes, size);
    text[size] = '\0';
    const bool is_good = *text == 'h'   ? ask_head(text + 1)
                         : *text == 'p' ? ask_path(text + 1)
                                        : ask_request(text + 1);
    free(text);
    return is_good;
}
