// SPDX-License-Identifier: MIT
// The functions of executor_tbb.h. The number of a worker is the index of its thread in the arena:
// no two threads have the same at one time, and index 0 is reserved for a thread from outside.
#include "support/executor_tbb.h"

#include <atomic>
#include <new>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>
#include <utility>

namespace {
struct job_system {
    keel_executor executor;
    tbb::task_scheduler_handle scheduler{ tbb::attach{} };
    tbb::global_control limit; // allows more threads than cores
    tbb::task_arena arena;
    std::atomic<unsigned> running{ 0 }; // accepted, not yet ended

    explicit job_system(uint32_t workers)
        : executor{}, limit(tbb::global_control::max_allowed_parallelism, workers),
          arena(static_cast<int>(workers), 1) {}
};

bool submit(void *context, keel_job *job, void *data) {
    job_system *s = static_cast<job_system *>(context);
    ++s->running;
    try {
        s->arena.enqueue([s, job, data] {
            job(data, static_cast<uint32_t>(tbb::this_task_arena::current_thread_index()));
            --s->running;
        });
    } catch (...) {
        --s->running;
        return false;
    }
    return true;
}
} // namespace

keel_executor *tbb_executor_create(uint32_t worker_count) {
    try {
        job_system *s = new job_system(worker_count);
        s->executor.context = s;
        s->executor.worker_count = worker_count;
        s->executor.submit = submit;
        return &s->executor;
    } catch (...) {
        return nullptr;
    }
}

void tbb_executor_destroy(keel_executor *executor) {
    job_system *s = static_cast<job_system *>(executor->context);
    while (s->running)
        std::this_thread::yield();
    tbb::task_scheduler_handle scheduler = std::move(s->scheduler);
    delete s;
    (void)tbb::finalize(scheduler, std::nothrow); // ends the threads, unless other code uses oneTBB
}
