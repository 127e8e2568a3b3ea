// SPDX-License-Identifier: MIT
// The threads of watchers.h.
#include "watchers.h"

#include "client.h"

#include <stdio.h>
#include <string.h>

static const char *const gets[] = {
    "world",
    "entities?limit=50",
    "systems",
    "system/1",
    "frames",
    "workload",
    "workload?without=1:Position",
    "entity/%s",
    "entity/%s?frame=%lu",
    "query?text=Health.points%%20%%3C%%20500&limit=50",
    "query?text=Position,%%20!Frozen&count=1",
    "changes?entity=%s&path=Position.x",
    "diff?limit=20",
    "entities?parent=none&limit=10",
    "save",
};
static const char *const bodies[][2] = {
    { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":5}" },
    { "pause", "{}" },
    { "step", "{\"frames\":2}" },
    { "back", "{\"frame\":%2$lu}" },
    { "add", "{\"entity\":\"%s\",\"component\":\"Frozen\"}" },
    { "play", "{}" },
    { "watch", "{\"entity\":\"%s\",\"path\":\"Position.x\"}" },
    { "remove", "{\"entity\":\"%s\",\"component\":\"Frozen\"}" },
    { "spawn", "{\"name\":null}" },
    { "track", "{\"component\":\"Position\"}" },
};

// Returns the length of a text that is made of a pattern with the ship and a frame in it.
static void watcher_write(char *to, size_t room, const char *pattern, const char *ship,
                          unsigned long frame) {
    size_t length = 0;
    for (const char *at = pattern; *at && length + 40 < room; ++at) {
        if (!strncmp(at, "%s", 2)) length += (size_t)sprintf(to + length, "%s", ship), ++at;
        else if (!strncmp(at, "%lu", 3))
            length += (size_t)sprintf(to + length, "%lu", frame), at += 2;
        else if (!strncmp(at, "%2$lu", 5))
            length += (size_t)sprintf(to + length, "%lu", frame), at += 4;
        else to[length++] = *at, at += !strncmp(at, "%%", 2);
    }
    to[length] = '\0';
}

static void watcher_ask(watchers *w, int *fd, ask what) {
    answer a;
    if (*fd < 0) *fd = client_connect(w->port);
    if (*fd < 0) return;
    if (client_ask_on(*fd, w->port, what) && client_read(*fd, &a, 20)) {
        const bool is_expected = a.status == 200 || a.status == 404 || a.status == 400 ||
                                 (a.status == 503 && strstr(a.body, "busy"));
        atomic_fetch_add(is_expected ? &w->asked : &w->wrong, 1);
        answer_free(&a);
        return;
    }
    client_close(*fd);
    *fd = -1;
}

static void watcher_stream(watchers *w) {
    char path[100];
    (void)snprintf(path, sizeof path, "stream?every=33&entity=%s", w->ship);
    const int fd = client_connect(w->port);
    if (fd < 0) return;
    if (client_ask_on(fd, w->port, (ask){ .path = path }))
        for (int i = 0; i < 10 && !atomic_load(&w->stop); ++i)
            if (client_read_until(fd, "event: entity", 2)) atomic_fetch_add(&w->asked, 1);
    client_close(fd);
}

static void watcher_get(watchers *w, int *fd, unsigned long round) {
    char path[200];
    watcher_write(path, sizeof path, gets[round % (sizeof gets / sizeof *gets)], w->ship, round);
    watcher_ask(w, fd, (ask){ .path = path });
}

static void watcher_edit(watchers *w, int *fd, unsigned long round) {
    char body[200];
    const size_t i = round % (sizeof bodies / sizeof *bodies);
    watcher_write(body, sizeof body, bodies[i][1], w->ship, round / 2);
    watcher_ask(w, fd, (ask){ .path = bodies[i][0], .body = body });
}

static void watcher_leave(watchers *w, unsigned long round) {
    const int fd = client_connect(w->port);
    if (fd < 0) return;
    (void)client_ask_on(fd, w->port, (ask){ .path = gets[round % 7] });
    client_close(fd);
}

static void *watcher_run(void *context) {
    watchers *w = context;
    const unsigned number = atomic_fetch_add(&w->next, 1);
    int fd = -1;
    for (unsigned long round = number; !atomic_load(&w->stop); ++round) {
        if (number < 2) watcher_stream(w);
        else if (number == 2) watcher_ask(w, &fd, (ask){ .path = "query?text=Health&limit=200" });
        else if (number < 6) watcher_get(w, &fd, round);
        else if (number == 6) watcher_leave(w, round);
        else if (number == 7) watcher_ask(w, &fd, (ask){ .path = "/" });
        else if (number == 8) watcher_get(w, &fd, round % 50 + 8);
        else watcher_edit(w, &fd, round);
    }
    if (fd >= 0) client_close(fd);
    return NULL;
}

void watchers_begin(watchers *w, const program *p, unsigned count) {
    memset(w, 0, sizeof *w);
    w->port = p->port;
    (void)snprintf(w->ship, sizeof w->ship, "%s", program_handle(p->ship));
    for (; w->count < count; ++w->count)
        if (pthread_create(&w->threads[w->count], NULL, watcher_run, w)) return;
}

void watchers_end(watchers *w) {
    atomic_store(&w->stop, true);
    for (unsigned i = 0; i < w->count; ++i)
        pthread_join(w->threads[i], NULL);
}
