// SPDX-License-Identifier: MIT
// Answers GET save: the world as a file of keel::save, for a report of a bug. Nothing is written to
// the disk of this machine.
#include "answers.h"

#include <stdio.h>

#ifdef KEELI_INSPECT_SAVES
#include <keel_save.h>

static bool save_append(void *context, const void *bytes, size_t size) {
    keeli_out *out = context;
    keeli_out_raw(out, bytes, size);
    return !out->failed;
}

bool keeli_answer_save(keel_inspect *inspect, keeli_request *request) {
    keel_error error = { .result = KEEL_OK };
    request->out.max_length = SIZE_MAX / 4;
    const keel_save_sink sink = { save_append, &request->out };
    const keel_result result =
        keel_save_to(inspect->world, sink, &(keel_save_options){ .error = &error });
    if (request->out.failed)
        return keeli_request_fail(request, 500, "memory", "out of memory: saving the world");
    if (result == KEEL_ERROR_BORROWED || result == KEEL_ERROR_SHARED)
        return keeli_request_fail(request, 503, "busy", "busy: %s", error.message);
    if (result < 0) return keeli_request_fail(request, 400, "save", "%s", error.message);
    request->type = "application/octet-stream";
    snprintf(request->disposition, sizeof request->disposition,
             "attachment; filename=\"world-%llu.keel\"", (unsigned long long)inspect->frame);
    return true;
}
#else
bool keeli_answer_save(keel_inspect *inspect, keeli_request *request) {
    (void)inspect;
    return keeli_request_fail(request, 501, "unavailable",
                              "this program was built without keel::save");
}
#endif
