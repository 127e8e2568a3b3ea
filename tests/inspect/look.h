// SPDX-License-Identifier: MIT
// A program in one thread that asks its own inspector: a test steps it frame by frame, so that each
// answer can be compared with the world as the test reads it. The program is paused from its begin
// on; a request moves no frame. The tests of what the inspector answers use it.
#pragma once
#include "client.h"
#include "program.h"

#include <jansson.h>

typedef struct look look;
struct look {
    keel_world *world; // of the test, which made it
    keel_inspect *inspect;
    uint16_t port;
    void (*run)(look *l); // runs a frame; NULL: the workload of the inspector
    const keel_workload *workload;
    uint64_t frame; // that ran last
    int status;     // of the last answer
    void *data;     // of the test, for `run`
};

// Begins an inspector of `l->world` that allows edits, and pauses it at frame 0.
void look_begin(look *l, const keel_inspect_desc *desc);
// Ends the inspector, checks the world, and destroys it.
void look_end(look *l);
// Runs frames.
void look_run(look *l, uint32_t frames);
// Calls keel_inspect_update once and runs a frame if it says so. Returns whether it did.
bool look_update(look *l);

// Asks, and returns the answer; `status` has its status. The caller calls json_decref.
json_t *look_get(look *l, const char *path, ...) __attribute__((format(printf, 2, 3)));
json_t *look_post(look *l, const char *path, const char *body, ...)
    __attribute__((format(printf, 3, 4)));
// The same for answers that have another status than 200, or that only matter by their status and a
// part of their text.
void look_fails(look *l, int status, const char *part, const char *path, const char *body, ...)
    __attribute__((format(printf, 5, 6)));
void look_does(look *l, const char *path, const char *body, ...)
    __attribute__((format(printf, 3, 4)));
// Asks and returns the answer as it came. The caller calls answer_free.
void look_ask(look *l, ask what, answer *a);
// Sends a request and returns its connection when the inspector has it, without an update.
int look_send(look *l, ask what);
// Calls keel_inspect_update until the answer is there, and reads it.
void look_wait(look *l, int fd, answer *a);

// ---- reading answers; a path is made of keys and indices: "components.3.name"
// Returns the value at a path, or fails the test.
json_t *at(const json_t *json, const char *path, ...) __attribute__((format(printf, 2, 3)));
// True if there is a value at a path.
bool has(const json_t *json, const char *path);
const char *text_at(const json_t *json, const char *path); // null: NULL
int64_t number_at(const json_t *json, const char *path);
bool bool_at(const json_t *json, const char *path);
size_t count_at(const json_t *json, const char *path);
// Returns the object of an array whose member `key` is a text, or NULL.
json_t *find(const json_t *array, const char *key, const char *value);
// Returns a text for a URL. Valid until the fourth next call.
const char *escaped(const char *text);
// Returns the handle of an answer: null is the null handle.
keel_entity handle_of(const json_t *value);
// Fails the test if two texts, of which both may be NULL, are not the same.
void assert_same_text(const char *a, const char *b);
