// SPDX-License-Identifier: MIT
/// @file executor.h
/// Executor: lets a job system that the program has already do the work of a world.
///
/// A world has **workers**: threads that share the work of a run. Worker 0 is the thread that calls
/// keel_run*. The others belong to the world's own pool of threads, which start when they are first
/// needed and sleep when there is nothing to do. A program with its own job system fills in
/// keel_executor and sets keel_world_desc.executor instead.
///
/// Results never depend on which worker runs what.
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The highest number of workers of a world.
#define KEEL_MAX_WORKERS 1024

/// A piece of work. `worker` is the number of the worker that runs it.
typedef void keel_job(void *data, uint32_t worker);

/// A job system. It must live as long as the worlds that were made with it.
typedef struct keel_executor {
    void *context; ///< passed to every call
    /// The number of workers, from 1 to KEEL_MAX_WORKERS. The thread that calls keel_run* is one of
    /// them: worker 0. With 1, `submit` is never called.
    uint32_t worker_count;
    /// Runs `job(data, worker)` soon, once, on another thread, with 1 <= worker < worker_count. Two
    /// jobs with the same worker number must never run at the same time. The function must return
    /// without running the job itself. The job must see what the caller wrote before. If the
    /// function returns true, the job must run, even if the program is about to end: Keel waits for
    /// all jobs that it submitted.
    /// @threads any; several at once, and from inside jobs
    /// @return false when the job cannot be run; Keel then does the work on the calling thread
    bool (*submit)(void *context, keel_job *job, void *data);
} keel_executor;

#ifdef __cplusplus
}
#endif
