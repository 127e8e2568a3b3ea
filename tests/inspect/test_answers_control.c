// SPDX-License-Identifier: MIT
// Pause, step, back and watch, and the stream of events while the program runs.
#include "look.h"
#include "support/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

typedef struct Place {
    int32_t x;
} Place;
KEEL_FIELDS(Place, x);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
typedef struct Fuel {
    int32_t left;
} Fuel;
KEEL_FIELDS(Fuel, left);
KEEL_COMPONENT(Fuel, KEEL_HAS_FIELDS(Fuel), .storage = KEEL_ARCHETYPE);
typedef struct Clock {
    int32_t ticks;
} Clock;
KEEL_FIELDS(Clock, ticks);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
typedef struct Hit {
    int32_t damage;
} Hit;
KEEL_EVENT(Hit);

KEEL_SYSTEM_ONCE(control_tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->ticks; }
KEEL_SYSTEM(control_double, KEEL_WRITE(Place, p)) { p->x = p->x * 2 % 1000003; }
KEEL_SYSTEM(control_add, KEEL_WRITE(Place, p), KEEL_UNIQUE_READ(Clock, clock)) {
    p->x += clock->ticks;
}
KEEL_SYSTEM(control_order, KEEL_READ(Place, p), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Fuel)) {
    keel_add(commands, e, Fuel, { p->x });
}
KEEL_SYSTEM_ONCE(control_breed, KEEL_UNIQUE_READ(Clock, clock), KEEL_COMMANDS(commands, Place)) {
    if (clock->ticks % 2) keel_add_entity(commands, KEEL_INIT(Place, { clock->ticks }));
}
KEEL_WORKLOAD(control_work, KEEL_STEP(control_tick), KEEL_STEP(control_double),
              KEEL_STEP(control_add), KEEL_STEP(control_order), KEEL_STEP(control_breed));

static void begin(look *l, const keel_inspect_desc *how) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 2 }) };
    keel_register(l->world, Place, Fuel);
    keel_set_unique(l->world, Clock, { 0 });
    keel_inspect_desc desc = *how;
    desc.workload = &KEEL_WORKLOAD_control_work;
    look_begin(l, &desc);
}

static uint64_t hash_of(const look *l) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(l->world, &hash), KEEL_OK);
    return hash;
}

// ------------------------------------------------------------------ frames
static void frames_run_as_asked(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    assert_false(look_update(&l));              // paused from the begin on
    json_t *json = look_post(&l, "step", "{}"); // one
    assert_int_equal(number_at(json, "frame"), 0);
    assert_true(bool_at(json, "paused"));
    json_decref(json);
    while (look_update(&l)) {}
    assert_int_equal(keel_get_unique(l.world, Clock)->ticks, 1);
    look_run(&l, 5);
    assert_int_equal(keel_get_unique(l.world, Clock)->ticks, 6);
    look_does(&l, "play", "{}");
    const uint64_t frame = l.frame;
    for (int i = 0; i < 7; ++i)
        assert_true(look_update(&l));
    assert_int_equal(l.frame, frame + 7);
    json = look_post(&l, "pause", "{}");
    assert_int_equal(number_at(json, "frame"), l.frame);
    json_decref(json);
    assert_false(look_update(&l));
    // A pause takes back the steps that did not run yet.
    look_does(&l, "step", "{\"frames\":50}");
    look_does(&l, "pause", "{}");
    assert_false(look_update(&l));
    look_fails(&l, 400, "from 1 to", "step", "{\"frames\":0}");
    look_fails(&l, 400, "from 1 to", "step", "{\"frames\":null}");
    look_end(&l);
}

static void frames_can_be_taken_back(void **state) {
    enum { FRAMES = 12 };
    look l;
    uint64_t hashes[FRAMES + 1]; // at the begin of each frame
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8 });
    for (int i = 0; i < 20; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Place, { i }));
    for (int i = 1; i <= FRAMES; ++i) {
        hashes[i] = hash_of(&l);
        look_run(&l, 1);
    }
    const uint64_t end = hash_of(&l);
    for (int back = FRAMES; back > FRAMES - 8; back -= 3) {
        json_t *json = look_post(&l, "back", "{\"frame\":%d}", back);
        assert_int_equal(number_at(json, "frame"), back - 1);
        assert_true(bool_at(json, "paused"));
        assert_int_equal(number_at(json, "past.newest"), back);
        json_decref(json);
        assert_true(hash_of(&l) == hashes[back]);
        l.frame = (uint64_t)back - 1;
        // The same frames again have the same hashes, and each frame is listed once.
        for (int i = back; i <= FRAMES; ++i) {
            assert_true(hash_of(&l) == hashes[i]);
            look_run(&l, 1);
        }
        assert_true(hash_of(&l) == end);
        json = look_get(&l, "frames");
        assert_int_equal(count_at(json, "frames"), FRAMES);
        for (size_t i = 0; i < FRAMES; ++i)
            assert_int_equal(number_at(at(json, "frames.%zu", i), "frame"), i + 1);
        const json_t *tick = find(at(json, "systems"), "name", "control_tick");
        assert_int_equal(number_at(tick, "runs"), FRAMES);
        json_decref(json);
        json = look_get(&l, "world");
        assert_int_equal(number_at(json, "frame"), FRAMES);
        assert_int_equal(number_at(json, "past.newest"), FRAMES);
        json_decref(json);
    }
    look_fails(&l, 404, "not kept", "back", "{\"frame\":4}");
    look_fails(&l, 404, "not kept", "back", "{\"frame\":13}");
    look_fails(&l, 404, "not kept", "back", "{\"frame\":0}");
    look_fails(&l, 400, "number", "back", "{\"frame\":\"5\"}");
    look_end(&l);
}

static void without_a_past_there_is_no_way_back(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    look_run(&l, 2);
    look_fails(&l, 404, ".past", "back", "{\"frame\":1}");
    look_end(&l);
}

static void an_open_view_keeps_the_world(void **state) {
    look l;
    keel_view view;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8 });
    look_run(&l, 3);
    assert_int_equal(keel_view_begin(&view, l.world, KEEL_TERMS(KEEL_WRITE(Place, p)), "a view"),
                     KEEL_OK);
    look_fails(&l, 503, "busy: ", "back", "{\"frame\":2}");
    keel_view_end(&view);
    json_t *json = look_post(&l, "back", "{\"frame\":2}");
    assert_int_equal(number_at(json, "frame"), 1);
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ watch
static void step_is(const json_t *json, size_t i, const char *system, const char *kind,
                    const char *before, const char *after) {
    const json_t *one = at(json, "steps.%zu", i);
    assert_string_equal(text_at(one, "system"), system);
    assert_string_equal(text_at(one, "kind"), kind);
    assert_same_text(text_at(one, "before"), before);
    assert_same_text(text_at(one, "after"), after);
}

static void a_frame_is_watched(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { 10 }));
    json_t *json =
        look_post(&l, "watch", "{\"entity\":\"%s\",\"path\":\"Place.x\"}", program_handle(e));
    assert_int_equal(number_at(json, "frame"), 1);
    assert_int_equal(count_at(json, "steps"), 2);
    step_is(json, 0, "control_double", "system", "10", "20");
    step_is(json, 1, "control_add", "system", "20", "21");
    assert_int_equal(number_at(json, "steps.1.position"), 2);
    json_decref(json);
    assert_false(look_update(&l)); // one frame, and paused again
    keel_delete(l.world, e, Fuel);
    json = look_post(&l, "watch", "{\"entity\":\"%s\",\"path\":\"Fuel.left\"}", program_handle(e));
    assert_int_equal(count_at(json, "steps"), 1);
    step_is(json, 0, "control_order", "commands", NULL, "44");
    json_decref(json);
    json = look_post(&l, "watch", "{\"path\":\"Clock.ticks\"}");
    assert_int_equal(count_at(json, "steps"), 1);
    step_is(json, 0, "control_tick", "system", "2", "3");
    json_decref(json);
    const keel_entity other = keel_add_entity(l.world);
    json =
        look_post(&l, "watch", "{\"entity\":\"%s\",\"path\":\"Place.x\"}", program_handle(other));
    assert_int_equal(count_at(json, "steps"), 0); // it has no Place
    json_decref(json);
    look_fails(&l, 400, "no path", "watch", "{\"entity\":\"0v0\",\"path\":\"Place\"}");
    look_fails(&l, 400, "entity", "watch", "{\"path\":\"Place.x\"}");
    // While the program plays, the next frame is watched.
    look_does(&l, "play", "{}");
    json = look_post(&l, "watch", "{\"path\":\"Clock.ticks\"}");
    assert_int_equal(count_at(json, "steps"), 1);
    json_decref(json);
    look_does(&l, "pause", "{}");
    look_end(&l);
}

static void a_watch_ends_with_its_frame(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const char *body = "{\"path\":\"Clock.ticks\"}";
    // The client goes away: the frame runs, and later ones are not watched.
    const uint64_t frame = l.frame;
    client_close(look_send(&l, (ask){ .path = "watch", .body = body }));
    while (look_update(&l)) {}
    assert_int_equal(l.frame, frame + 1);
    look_run(&l, 2);
    json_t *json = look_post(&l, "watch", "%s", body);
    assert_int_equal(count_at(json, "steps"), 1);
    json_decref(json);
    // The inspector ends while a watch waits.
    client_close(look_send(&l, (ask){ .path = "watch", .body = body }));
    (void)keel_inspect_update(l.inspect);
    look_end(&l);
}

static void two_watches_at_once_are_one(void **state) {
    look l;
    answer a[2];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const char *body = "{\"path\":\"Clock.ticks\"}";
    int fds[2];
    for (int i = 0; i < 2; ++i)
        fds[i] = look_send(&l, (ask){ .path = "watch", .body = body });
    for (int i = 0; i < 2; ++i)
        look_wait(&l, fds[i], &a[i]);
    assert_int_equal(a[0].status == 200, 1);
    assert_int_equal(a[1].status == 503, 1);
    assert_non_null(strstr(a[0].body, "control_tick"));
    assert_non_null(strstr(a[1].body, "busy: "));
    assert_int_equal(l.frame, 1);
    answer_free(&a[0]);
    answer_free(&a[1]);
    look_end(&l);
}

// ------------------------------------------------------------------ the stream
typedef struct stream {
    look *l;
    int fd;
    size_t length, plain_length;
    char raw[1 << 19], plain[1 << 19]; // as it came; without the lengths of its chunks
} stream;

static void stream_begin(stream *s, look *l, const char *path) {
    *s = (stream){ .l = l };
    s->fd = client_connect(l->port);
    assert_true(client_ask_on(s->fd, l->port, (ask){ .path = path }));
}

// Takes out the lengths of the chunks.
static void stream_unpack(stream *s) {
    char *at = strstr(s->raw, "\r\n\r\n");
    s->plain_length = 0;
    if (at) at += 4;
    while (at && at < s->raw + s->length) {
        char *end;
        const size_t size = strtoul(at, &end, 16);
        if (end + 2 + size > s->raw + s->length) break;
        memcpy(s->plain + s->plain_length, end + 2, size);
        s->plain_length += size;
        at = end + 2 + size + 2;
    }
    s->plain[s->plain_length] = '\0';
}

// Reads until there is an event of this name behind what was read before, and returns its data.
// Updates the inspector meanwhile, if `updates`.
static json_t *stream_next(stream *s, const char *name, bool updates) {
    char begin[40];
    const double until = client_now() + 20;
    struct pollfd wait = { .fd = s->fd, .events = POLLIN };
    (void)snprintf(begin, sizeof begin, "event: %s\ndata: ", name);
    for (;;) {
        stream_unpack(s);
        char *event = strstr(s->plain, begin), *end = event ? strstr(event, "\n\n") : NULL;
        if (end) {
            json_error_t error;
            event += strlen(begin);
            json_t *json = json_loadb(event, (size_t)(end - event), JSON_REJECT_DUPLICATES, &error);
            if (!json) fail_msg("%s: %s", name, error.text);
            return json;
        }
        if (updates) (void)look_update(s->l);
        if (client_now() > until) fail_msg("no event %s came", name);
        if (poll(&wait, 1, 2) <= 0) continue;
        const ssize_t count = recv(s->fd, s->raw + s->length, sizeof s->raw - 1 - s->length, 0);
        if (count <= 0) fail_msg("the stream ended before an event %s", name);
        s->length += (size_t)count;
    }
}

// Forgets the events that have come so far.
static void stream_forget(stream *s) {
    struct pollfd wait = { .fd = s->fd, .events = POLLIN };
    while (poll(&wait, 1, 0) > 0) {
        const ssize_t count = recv(s->fd, s->raw + s->length, sizeof s->raw - 1 - s->length, 0);
        if (count <= 0) break;
        s->length += (size_t)count;
    }
    // What is left of a chunk stays behind an end of the head of its own.
    stream_unpack(s);
    char *at = strstr(s->raw, "\r\n\r\n") + 4;
    for (;;) {
        char *end;
        const size_t size = strtoul(at, &end, 16);
        if (at >= s->raw + s->length || end + 2 + size + 2 > s->raw + s->length) break;
        at = end + 2 + size + 2;
    }
    const size_t rest = (size_t)(s->raw + s->length - at);
    memmove(s->raw + 4, at, rest + 1);
    memcpy(s->raw, "\r\n\r\n", 4);
    s->length = rest + 4;
}

static stream streamed; // half a megabyte twice

// A world with an entity, of which four frames have run, and a stream about both.
static keel_entity stream_scene(stream *s, look *l) {
    char path[64];
    begin(l, &(keel_inspect_desc){ .past = 8 });
    const keel_entity e = keel_add_entity(l->world, KEEL_INIT(Place, { 10 }));
    keel_send(l->world, Hit, { 1 });
    look_run(l, 4);
    (void)snprintf(path, sizeof path, "stream?entity=%s&every=33", program_handle(e));
    stream_begin(s, l, path);
    return e;
}
static void stream_end(stream *s, look *l) {
    client_close(s->fd);
    look_end(l);
}

static void a_stream_tells_the_world(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    const keel_entity e = stream_scene(s, &l);
    json_t *json = stream_next(s, "world", true);
    assert_int_equal(number_at(json, "frame"), 4);
    assert_true(bool_at(json, "paused"));
    assert_int_equal(number_at(json, "entities"), keel_entity_count(l.world));
    assert_int_equal(number_at(json, "past.newest"), 4);
    assert_false(bool_at(json, "stopped"));
    json_decref(json);
    json = stream_next(s, "counts", true);
    for (size_t i = 0; i < count_at(json, "components"); ++i) {
        const json_t *one = at(json, "components.%zu", i);
        const keel_component *c = keel_find_component(l.world, text_at(one, "0"));
        assert_int_equal(number_at(one, "1"), keel_component_count(l.world, c));
    }
    assert_string_equal(text_at(json, "events.0.0"), "Hit");
    assert_int_equal(number_at(json, "events.0.1"), 1);
    json_decref(json);
    json = stream_next(s, "entity", true);
    assert_string_equal(text_at(json, "entity"), program_handle(e));
    assert_false(has(json, "systems"));
    assert_int_equal(number_at(find(at(json, "components"), "name", "Place"), "fields.0.value"),
                     keel_get(l.world, e, Place)->x);
    json_decref(json);
    stream_end(s, &l);
}

static void a_stream_tells_the_frames(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    (void)stream_scene(s, &l);
    json_decref(stream_next(s, "world", true));
    look_does(&l, "play", "{}");
    stream_forget(s);
    json_t *json = stream_next(s, "frames", true);
    int64_t last = 0;
    for (size_t i = 0; i < count_at(json, "frames"); ++i) {
        const int64_t frame = number_at(at(json, "frames.%zu", i), "0");
        assert_true(frame > last && frame <= (int64_t)l.frame);
        last = frame;
    }
    assert_true(last > 4);
    assert_int_equal(count_at(json, "systems"), 5);
    for (size_t i = 0; i < 5; ++i)
        assert_int_equal(number_at(at(json, "systems.%zu", i), "0"), i);
    json_decref(json);
    stream_forget(s);
    json = stream_next(s, "world", true);
    assert_false(bool_at(json, "paused"));
    json_decref(json);
    stream_end(s, &l);
}

static void a_stream_goes_back(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    const keel_entity e = stream_scene(s, &l);
    json_decref(stream_next(s, "world", true));
    look_does(&l, "pause", "{}");
    json_t *json = look_post(&l, "back", "{\"frame\":%d}", (int)l.frame - 3);
    l.frame = (uint64_t)number_at(json, "frame");
    json_decref(json);
    for (int i = 0; i < 3; ++i) { // an event from before may be on its way
        stream_forget(s);
        json = stream_next(s, "world", true);
        if (i == 2) assert_int_equal(number_at(json, "frame"), l.frame);
        json_decref(json);
    }
    keel_delete_entity(l.world, e);
    stream_forget(s);
    for (bool gone = false; !gone; stream_forget(s)) {
        json = stream_next(s, "entity", true);
        gone = has(json, "gone");
        json_decref(json);
    }
    // Frames are timed again behind the one that the program went back to.
    stream_forget(s);
    look_run(&l, 2);
    json = stream_next(s, "frames", true);
    assert_true(number_at(json, "frames.0.0") <= (int64_t)l.frame);
    json_decref(json);
    stream_end(s, &l);
}

static void a_stream_tells_that_the_program_stands(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    (void)stream_scene(s, &l);
    json_decref(stream_next(s, "world", true));
    stream_forget(s); // the program does not come to keel_inspect_update
    for (bool stopped = false; !stopped; stream_forget(s)) {
        json_t *json = stream_next(s, "world", false);
        stopped = bool_at(json, "stopped");
        json_decref(json);
    }
    stream_end(s, &l);
}

static void a_stream_keeps_the_errors_of_the_program(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    look_does(&l, "play", "{}");
    stream_begin(s, &l, "stream?every=33");
    json_decref(stream_next(s, "world", true));
    assert_true(keel_set_name(l.world, keel_entity_make(99, 3), "nobody") < 0);
    const keel_result first = keel_last_error(l.world)->result;
    assert_true(first < 0);
    stream_forget(s);
    json_decref(stream_next(s, "frames", true));
    assert_int_equal(keel_last_error(l.world)->result, first);
    keel_clear_errors(l.world);
    client_close(s->fd);
    look_end(&l);
}

static void run_stored(look *l) { (void)keel_run_named(l->world, "stored"); }

// The workload that is shown gets a step before the others, so that their positions change.
static void a_stream_follows_its_workload(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    l = (look){ .world = keel_world_create(
                    &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_set_unique(l.world, Clock, { 0 });
    assert_int_equal(keel_add_step(l.world, "stored", KEEL_STEP(control_double)), KEEL_OK);
    l.run = run_stored;
    look_begin(&l, &(keel_inspect_desc){ .workload_name = "stored" });
    (void)keel_add_entity(l.world, KEEL_INIT(Place, { 1 }));
    look_does(&l, "play", "{}");
    stream_begin(s, &l, "stream?every=33");
    json_t *json = stream_next(s, "frames", true);
    assert_int_equal(count_at(json, "systems"), 1);
    json_decref(json);
    keel_remove_workload(l.world, "stored");
    assert_int_equal(keel_add_step(l.world, "stored", KEEL_STEP(control_tick)), KEEL_OK);
    assert_int_equal(keel_add_step(l.world, "stored", KEEL_STEP(control_double)), KEEL_OK);
    for (size_t shown = 0; shown != 2;) {
        stream_forget(s);
        json = stream_next(s, "frames", true);
        shown = count_at(json, "systems");
        if (shown == 2) assert_int_equal(number_at(json, "systems.1.0"), 1);
        json_decref(json);
    }
    // Positions of the earlier plan are shown no more.
    for (bool old = true; old;) {
        stream_forget(s);
        json = stream_next(s, "frames", true);
        old = count_at(json, "systems") != 2 || number_at(json, "systems.0.0") != 0;
        json_decref(json);
    }
    client_close(s->fd);
    look_end(&l);
}

static void long_entities_spoil_no_event(void **state) {
    look l;
    stream *s = &streamed;
    char path[64];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity e = keel_add_entity(l.world);
    char *name = malloc(1 << 20);
    memset(name, 'n', 1 << 20);
    name[(1 << 20) - 1] = '\0';
    for (int i = 0; i < 5; ++i) { // its answer is longer than 4 MiB
        name[0] = (char)('0' + i);
        const keel_entity child = keel_add_entity(l.world);
        keel_attach(l.world, child, e);
        assert_int_equal(keel_set_name(l.world, child, name), KEEL_OK);
    }
    free(name);
    (void)snprintf(path, sizeof path, "stream?entity=%s&every=33", program_handle(e));
    stream_begin(s, &l, path);
    for (int i = 0; i < 4; ++i, stream_forget(s)) {
        json_t *json = stream_next(s, "world", true);
        assert_int_equal(number_at(json, "entities"), 6);
        json_decref(json);
        if (strstr(s->plain, "event: entity"))
            fail_msg("%.300s", strstr(s->plain, "event: entity"));
    }
    client_close(s->fd);
    look_end(&l);
}

static void a_stream_ends_with_the_inspector(void **state) {
    look l;
    stream *s = &streamed;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    stream_begin(s, &l, "stream");
    json_decref(stream_next(s, "world", true));
    stream_forget(s);
    keel_inspect_end(l.inspect);
    l.inspect = NULL;
    json_decref(stream_next(s, "end", false));
    client_close(s->fd);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(frames_run_as_asked, "frames run as the page asks"),
    TEST(frames_can_be_taken_back, "frames are taken back, and run again with the same hashes"),
    TEST(without_a_past_there_is_no_way_back, "without a past there is no way back"),
    TEST(an_open_view_keeps_the_world, "while a view is open, there is no way back"),
    TEST(a_frame_is_watched, "the systems and commands that change a value are watched"),
    TEST(a_watch_ends_with_its_frame, "a watch ends with its frame, also without its client"),
    TEST(two_watches_at_once_are_one, "of two watches at once, the second is refused"),
    TEST(a_stream_tells_the_world, "a stream tells the counts of the world and the entity"),
    TEST(a_stream_tells_the_frames, "a stream tells the times of frames and systems"),
    TEST(a_stream_goes_back,
         "a stream goes back with the program, and tells that an entity is gone"),
    TEST(a_stream_tells_that_the_program_stands, "a stream tells that the program stands"),
    TEST(a_stream_keeps_the_errors_of_the_program, "a stream keeps the errors of the program"),
    TEST(a_stream_follows_its_workload, "a stream follows a workload that changes"),
    TEST(long_entities_spoil_no_event, "an entity that is too long is left out as a whole"),
    TEST(a_stream_ends_with_the_inspector, "a stream ends with the inspector"),
};
int main(void) { return RUN(tests); }
