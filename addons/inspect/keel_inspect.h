// SPDX-License-Identifier: MIT
/// @file keel_inspect.h
/// keel::inspect shows a running program in the browser: entities and their values, why a system
/// does not match an entity, what a workload waits for, how long frames take, and the frames
/// before. See docs/tasks/inspector.md.
///
///     keel_inspect *inspect = keel_inspect_begin(world, &(keel_inspect_desc){ .workload =
///     &KEEL_WORKLOAD_frame }, NULL); while (playing) {
///         if (keel_inspect_update(inspect)) keel_run_workload(world, frame);
///         draw(world);
///     }
///     keel_inspect_end(inspect);
///
/// keel_inspect_begin prints an address to open in a browser on the same machine. Requests are
/// answered inside keel_inspect_update, between two frames, within a budget of time; while nobody
/// looks, the call costs nanoseconds.
///
/// **Safety.** The server listens on 127.0.0.1 only, asks for a token that is part of the printed
/// address, answers no page of another origin, and changes nothing unless `.allow_edits` is set.
/// Nothing is read from or written to the disk.
///
/// The library uses libmicrohttpd and jansson, and is built where they are found. It runs on POSIX
/// systems.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An inspector of one world. A program that has several worlds begins one for each.
typedef struct keel_inspect keel_inspect;

/// The options of keel_inspect_begin. All zero, or NULL for the whole, is the default.
typedef struct keel_inspect_desc {
    /// The workload of a frame, whose systems, plan and times are shown; default: the world's
    /// default workload. A stored workload is named by `workload_name`
    const keel_workload *workload;
    const char *workload_name; ///< a workload that is stored in the world; default: see `workload`
    const char *program;       ///< the name in the title of the page; default: that of the process
    /// The IPv4 address to listen on; default "127.0.0.1". With another one `token` must be set,
    /// because other machines may then ask
    const char *address;
    /// The port; default 27750, or the next one up to 27759 that is free. Another number must be
    /// free
    uint16_t port;
    const char *token; ///< 32 to 128 letters, digits, '-' and '_'; default: 128 random bits
    bool allow_edits;  ///< the page may change values, pause, step and go back; default false
    bool quiet;        ///< do not print the address; keel_inspect_url returns it; default false
    double budget; ///< seconds in one frame for answers, to 1; default 0.0005. A single step of an
                   ///< answer may take longer
    uint32_t past; ///< frames that can be looked at and gone back to, to 4,096; default 0
    /// Bytes of memory for `past`: the number of frames is lowered to stay below it; default 256
    /// MiB
    size_t past_bytes;
    bool changes; ///< keep which system wrote a value, by tracking modifications of all components;
                  ///< default false
} keel_inspect_desc;

/// Starts an inspector, and prints its address to stderr. It starts keeping timings
/// (keel_timings_begin) if the program does not keep them yet, and threads that wait for requests.
/// @param world must outlive the inspector
/// @param desc copied; NULL: the defaults
/// @param error filled on error; NULL: the error is printed to stderr
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_ARGUMENT (an option that is out of range, an address that is
///   none, an address of other machines without a token), KEEL_ERROR_FILE (no port is free),
///   KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED
KEEL_API keel_inspect *keel_inspect_begin(keel_world *world, const keel_inspect_desc *desc,
                                          keel_error *error);

/// Answers requests, and says whether the program should run its next frame. Call it once in each
/// round of the frame loop, where no view is open and no commands are recorded.
/// @threads the world's owner
/// @return true: run a frame; false while the page has paused the program: keep drawing and
///   polling, and call again. Always true for NULL
KEEL_API bool keel_inspect_update(keel_inspect *inspect);

/// Stops an inspector. Requests that wait get an error, pages show that the program has ended. NULL
/// is allowed.
/// @threads the world's owner
KEEL_API void keel_inspect_end(keel_inspect *inspect);

/// Returns the address to open in a browser, with the token: "http://127.0.0.1:27750/#...".
/// @return valid until keel_inspect_end; "" for NULL
KEEL_API const char *keel_inspect_url(const keel_inspect *inspect);

#ifdef __cplusplus
}
#endif
