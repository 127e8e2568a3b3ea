// SPDX-License-Identifier: MIT
/// @file executor.h
/// Where a world's systems run beside the thread that runs them.
///
/// A world has **workers**: threads that share the work of a run. Worker 0 is the thread that calls
/// keel_run*; the others come from the world's own pool of threads, which start when they are first
/// needed and sleep when there is nothing to do. A program that has a job system already hands it
/// to the world instead: it fills in keel_executor and sets keel_world_desc.executor.
///
/// Results never depend on who runs what.
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The highest number of workers that a world can have.
#define KEEL_MAX_WORKERS 1024

/// A piece of work. `worker` says which worker runs it.
typedef void keel_job(void *data, uint32_t worker);

/// A job system. It must live as long as the worlds that were made with it.
typedef struct keel_executor {
    void *context; ///< handed to every call
    /// How many workers there are, from 1 to KEEL_MAX_WORKERS. The thread that calls keel_run* is
    /// one of them: worker 0. With 1, `submit` is never called.
    uint32_t worker_count;
    /// Run `job(data, worker)` soon, once, on another thread, with 1 <= worker < worker_count. At
    /// no time do two jobs run with the same worker number. Must return without running it. What
    /// the caller wrote before is seen by the job. An accepted job must run, also when nobody seems
    /// to need it any more.
    /// @threads any; several at once, and from inside jobs
    /// @return false when it can't be run; Keel then does the work on the calling thread
    bool (*submit)(void *context, keel_job *job, void *data);
} keel_executor;

#ifdef __cplusplus
}
#endif
