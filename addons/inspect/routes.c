// SPDX-License-Identifier: MIT
// The table of paths: which function answers which request. The stream is not in it, because the
// server answers it itself.
#include "answers.h"

#include <string.h>

typedef struct route {
    const char *path; // behind "/api/v1/"; with a '/' at its end, something follows
    bool is_post;
    keeli_answer_fn *answer;
} route;

static const route routes[] = {
    { "world", false, keeli_answer_world },
    { "entities", false, keeli_answer_entities },
    { "entity/", false, keeli_answer_entity },
    { "systems", false, keeli_answer_systems },
    { "system/", false, keeli_answer_system },
    { "workload", false, keeli_answer_workload },
    { "workload/", false, keeli_answer_workload },
    { "frames", false, keeli_answer_frames },
    { "query", false, keeli_answer_query },
    { "changes", false, keeli_answer_changes },
    { "diff", false, keeli_answer_diff },
    { "save", false, keeli_answer_save },
    { "watch", true, keeli_answer_watch },
    { "set", true, keeli_answer_set },
    { "add", true, keeli_answer_add },
    { "remove", true, keeli_answer_remove },
    { "disable", true, keeli_answer_disable },
    { "delete", true, keeli_answer_delete },
    { "spawn", true, keeli_answer_spawn },
    { "relate", true, keeli_answer_relate },
    { "unrelate", true, keeli_answer_unrelate },
    { "track", true, keeli_answer_track },
    { "pause", true, keeli_answer_pause },
    { "play", true, keeli_answer_play },
    { "step", true, keeli_answer_step },
    { "back", true, keeli_answer_back },
};

keeli_answer_fn *keeli_route_find(const keeli_request *request) {
    for (size_t i = 0; i < sizeof routes / sizeof *routes; ++i) {
        const size_t length = strlen(routes[i].path);
        const bool has_rest = routes[i].path[length - 1] == '/';
        if (routes[i].is_post != request->is_post) continue;
        if (has_rest ? !strncmp(request->path, routes[i].path, length) && request->path[length]
                     : !strcmp(request->path, routes[i].path))
            return routes[i].answer;
    }
    return NULL;
}
