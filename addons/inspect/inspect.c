// SPDX-License-Identifier: MIT
// The inspector as the program sees it: begin, update, end. keel_inspect_update answers requests
// between two frames, within the budget, and decides whether the next frame runs.
#include "inspect.h"
#include "frames.h"
#include "past.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { DEFAULT_BUDGET = 500000, DEFAULT_PAST_BYTES = 256 << 20, MAX_PAST = 4096 };

// Counts the forks between the first inspector and this process. A child process has none of the
// threads, so its inspectors do nothing.
static atomic_uint inspect_forks;
static void inspect_on_fork(void) { atomic_fetch_add(&inspect_forks, 1); }
static void inspect_watch_forks(void) { pthread_atfork(NULL, NULL, inspect_on_fork); }

bool keeli_inspect_is_late(const keel_inspect *inspect) {
    return keeli_inspect_now() >= inspect->deadline;
}

// ------------------------------------------------------------------ begin
static bool inspect_refuse(keel_error *error, keel_result result, const char *message) {
    *error = (keel_error){ .result = result };
    snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

static bool inspect_token_is_good(const char *token) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t length = strlen(token);
    return length >= KEELI_MIN_TOKEN && length <= KEELI_MAX_TOKEN &&
           strspn(token, allowed) == length;
}

static bool inspect_desc_is_good(const keel_inspect_desc *desc, keel_error *error) {
    if (desc->token && !inspect_token_is_good(desc->token))
        return inspect_refuse(
            error, KEEL_ERROR_ARGUMENT,
            ".token needs 32 to 128 letters, digits, '-' and '_'; leave it out for a random one");
    if (desc->address && strncmp(desc->address, "127.", 4) && !desc->token)
        return inspect_refuse(
            error, KEEL_ERROR_ARGUMENT,
            "other machines may ask at this .address, so .token must be set, too");
    if (!(desc->budget >= 0 && desc->budget <= 1))
        return inspect_refuse(error, KEEL_ERROR_ARGUMENT, ".budget must be from 0 to 1 second");
    if (desc->past > MAX_PAST)
        return inspect_refuse(error, KEEL_ERROR_ARGUMENT, ".past must be at most 4,096 frames");
    if (desc->workload && desc->workload_name)
        return inspect_refuse(error, KEEL_ERROR_ARGUMENT,
                              "set .workload or .workload_name, not both");
    return true;
}

static bool inspect_make_token(keel_inspect *inspect, const char *given, keel_error *error) {
    unsigned char bytes[16];
    if (given) {
        strcpy(inspect->token, given);
        return true;
    }
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return inspect_refuse(error, KEEL_ERROR_FILE,
                              "the system gave no random bytes for a token");
    for (size_t i = 0; i < sizeof bytes; ++i)
        snprintf(inspect->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

// Finds the name of the process, for the title of the page.
static void inspect_find_program(keel_inspect *inspect, const char *given) {
    snprintf(inspect->program, sizeof inspect->program, "%s", given ? given : "program");
    FILE *file = given ? NULL : fopen("/proc/self/comm", "r");
    if (!file) return;
    if (fgets(inspect->program, sizeof inspect->program, file))
        inspect->program[strcspn(inspect->program, "\n")] = '\0';
    fclose(file);
}

// Starts to keep the times of frames. False: `error` is filled in.
static bool inspect_make_frames(keel_inspect *inspect, keel_error *error) {
    keeli_guest guest;
    keeli_guest_begin(inspect->world, &guest);
    keel_clear_errors(inspect->world);
    inspect->frames = keeli_frames_create(inspect->world);
    if (!inspect->frames) *error = *keel_last_error(inspect->world);
    keeli_guest_end(inspect->world, &guest);
    if (inspect->frames || error->result < 0) return inspect->frames != NULL;
    return inspect_refuse(error, KEEL_ERROR_MEMORY, "out of memory: starting the inspector");
}

static bool inspect_prepare(keel_inspect *inspect, const keel_inspect_desc *desc,
                            keel_error *error) {
    inspect->workload = desc->workload;
    if (desc->workload_name)
        snprintf(inspect->workload_name, sizeof inspect->workload_name, "%s", desc->workload_name);
    inspect->allow_edits = desc->allow_edits;
    inspect->changes = desc->changes;
    inspect->budget = desc->budget > 0 ? (uint64_t)(desc->budget * 1e9) : DEFAULT_BUDGET;
    inspect_find_program(inspect, desc->program);
    if (!inspect_make_token(inspect, desc->token, error)) return false;
    inspect->rules.token = inspect->token;
    inspect->rules.allow_edits = desc->allow_edits;
    if (desc->past)
        inspect->past =
            keeli_past_create(inspect->world, desc->past,
                              desc->past_bytes ? desc->past_bytes : (size_t)DEFAULT_PAST_BYTES);
    if (desc->past && !inspect->past)
        return inspect_refuse(error, KEEL_ERROR_MEMORY, "out of memory: starting the inspector");
    return inspect_make_frames(inspect, error);
}

static void inspect_free(keel_inspect *inspect) {
    keeli_past_destroy(inspect->past);
    keeli_frames_destroy(inspect->frames);
    free(inspect);
}

keel_inspect *keel_inspect_begin(keel_world *world, const keel_inspect_desc *desc,
                                 keel_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const keel_inspect_desc defaults = { 0 }, *how = desc ? desc : &defaults;
    keel_error own_error, *why = error ? error : &own_error;
    keel_inspect *inspect = NULL;
    bool ok = world ? inspect_desc_is_good(how, why)
                    : inspect_refuse(why, KEEL_ERROR_ARGUMENT,
                                     "the inspector needs a world; NULL was passed");
    if (ok) {
        pthread_once(&once, inspect_watch_forks);
        inspect = calloc(1, sizeof *inspect);
        ok = inspect ||
             inspect_refuse(why, KEEL_ERROR_MEMORY, "out of memory: starting the inspector");
    }
    if (ok) {
        inspect->world = world;
        inspect->forks = atomic_load(&inspect_forks);
        ok = inspect_prepare(inspect, how, why) &&
             keeli_server_start(inspect, how->address ? how->address : "127.0.0.1", how->port, why);
    }
    if (!ok) {
        if (!error) fprintf(stderr, "keel_inspect_begin: %s\n", why->message);
        if (inspect) inspect_free(inspect);
        return NULL;
    }

    snprintf(inspect->url, sizeof inspect->url, "http://%s/#%s", inspect->host, inspect->token);
    if (!how->quiet) fprintf(stderr, "%s is inspected at %s\n", inspect->program, inspect->url);
    return inspect;
}

const char *keel_inspect_url(const keel_inspect *inspect) { return inspect ? inspect->url : ""; }

// ------------------------------------------------------------------ update
static void inspect_append(keel_inspect *inspect, keeli_request *request) {
    request->next = NULL;
    if (inspect->last_waiting) inspect->last_waiting->next = request;
    else inspect->first_waiting = request;
    inspect->last_waiting = request;
}

// Appends what has come in to the requests that wait, in the order of arrival.
static void inspect_take_incoming(keel_inspect *inspect) {
    keeli_request *newest = atomic_exchange(&inspect->incoming, NULL), *oldest = NULL;
    while (newest) {
        keeli_request *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        keeli_request *next = oldest->next;
        inspect_append(inspect, oldest);
        oldest = next;
    }
}

static keeli_request *inspect_take_first(keel_inspect *inspect) {
    keeli_request *request = inspect->first_waiting;
    inspect->first_waiting = request->next;
    if (!inspect->first_waiting) inspect->last_waiting = NULL;
    return request;
}

// Gives a request back to the server. Its job is freed here, because it may belong to the world.
static void inspect_finish(keel_inspect *inspect, keeli_request *request) {
    if (request->job && request->free_job) request->free_job(request->job);
    request->job = NULL;
    keeli_request_finish(inspect, request);
}

// Gives each waiting request a slice, until the budget is used up. A page may ask for what would be
// misuse by the program: it gets the error, and the program does not stop.
static void inspect_answer(keel_inspect *inspect) {
    keeli_request *last = inspect->last_waiting, *request = NULL;
    while (inspect->first_waiting && request != last) {
        request = inspect_take_first(inspect);
        if (!request->begun) request->begun = keeli_inspect_now();
        ++request->frames;
        if (request->is_post) keel_tick(inspect->world); // what it changes has a tick of its own
        if (request->answer(inspect, request)) inspect_finish(inspect, request);
        else inspect_append(inspect, request);
        if (keeli_inspect_is_late(inspect)) return;
    }
}

void keeli_inspect_note_edit(keel_inspect *inspect) {
    inspect->edits[inspect->edit_count++ % KEELI_EDITS] = keel_tick(inspect->world);
}

bool keeli_inspect_is_edit(const keel_inspect *inspect, uint64_t tick) {
    for (uint32_t i = 0; i < inspect->edit_count && i < KEELI_EDITS; ++i)
        if (inspect->edits[i] == tick) return true;
    return false;
}

static void inspect_serve(keel_inspect *inspect, unsigned wanted) {
    const uint64_t begin = keeli_inspect_now();
    inspect->deadline = begin + inspect->budget;
    if (wanted) keeli_streams_write(inspect, atomic_exchange(&inspect->wanted, 0));
    inspect_take_incoming(inspect);
    if (inspect->first_waiting) {
        keeli_guest guest;
        keeli_guest_begin(inspect->world, &guest);
        inspect_answer(inspect);
        keeli_guest_end(inspect->world, &guest);
    }
    inspect->spent = keeli_inspect_now() - begin;
    if (inspect->spent > inspect->worst) inspect->worst = inspect->spent;
}

static void inspect_take_past(keel_inspect *inspect) {
    const uint64_t begin = keeli_inspect_now();
    keeli_past_take(inspect->past, inspect->frame);
    inspect->past_spent = keeli_inspect_now() - begin;
}

// Tracks modifications of all components, new ones too, and separates the changes that the program
// made by hand from those of its systems.
static void inspect_track_changes(keel_inspect *inspect) {
    enum { FRAMES_BETWEEN = 32, KINDS = KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION };
    keel_world *world = inspect->world;
    keel_tick(world);
    if (inspect->frame % FRAMES_BETWEEN != 1) return;
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c))
        if ((keel_tracked_kinds(world, c) & KINDS) != KINDS) keel_track_component(world, c, KINDS);
}

bool keel_inspect_update(keel_inspect *inspect) {
    if (!inspect || inspect->forks != atomic_load_explicit(&inspect_forks, memory_order_relaxed))
        return true;
    const unsigned wanted = atomic_load_explicit(&inspect->wanted, memory_order_relaxed);
    const unsigned long updates = atomic_load_explicit(&inspect->updates, memory_order_relaxed);
    atomic_store_explicit(&inspect->updates, updates + 1, memory_order_relaxed);
    if (wanted || inspect->first_waiting ||
        atomic_load_explicit(&inspect->incoming, memory_order_relaxed))
        inspect_serve(inspect, wanted);
    if (inspect->paused && !inspect->steps) {
        keeli_frames_close(inspect->frames);
        return false;
    }

    inspect->steps -= inspect->paused;
    ++inspect->frame;
    if (inspect->changes) inspect_track_changes(inspect);
    if (inspect->past) inspect_take_past(inspect);
    keeli_frames_note(inspect->frames, inspect->frame); // behind all that is the inspector's
    return true;
}

// ------------------------------------------------------------------ end
void keel_inspect_end(keel_inspect *inspect) {
    if (!inspect) return;
    if (inspect->forks == atomic_load(&inspect_forks)) {
        keeli_server_refuse_new_requests(inspect);
        inspect_take_incoming(inspect);
        while (inspect->first_waiting) {
            keeli_request *request = inspect_take_first(inspect);
            keeli_request_fail(request, 503, "ended", "the program has ended the inspector");
            inspect_finish(inspect, request);
        }
        keeli_server_stop(inspect);
    }
    inspect_free(inspect);
}
