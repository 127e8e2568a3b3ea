// SPDX-License-Identifier: MIT
// A process that forked: the child has the worlds of its parent, but none of their threads. It runs
// on the one that it has.
#include "support/api_fixture.h"

#if defined(_WIN32) || defined(__SANITIZE_THREAD__) // no fork; none of a process with threads
static void there_is_no_fork(void **state) { (void)state; }
static const struct CMUnitTest tests[] = {
    TEST(there_is_no_fork, "a process with threads does not fork here"),
};
#else
#include <sys/wait.h>
#include <unistd.h>

typedef struct Number {
    uint32_t value;
} Number;
KEEL_COMPONENT(Number, .no_padding = true);
typedef struct Other {
    uint32_t value;
} Other;
KEEL_COMPONENT(Other, .no_padding = true);

enum { COUNT = 20000 };
KEEL_SYSTEM(count_up, KEEL_WRITE(Number, n)) {
    for (uint32_t i = 0; i < 50; ++i)
        n->value = n->value * 3 + i;
}
KEEL_SYSTEM(count_others, KEEL_WRITE(Other, o)) {
    for (uint32_t i = 0; i < 50; ++i)
        o->value = o->value * 5 + i;
}
KEEL_SYSTEM(replace, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (n->value % 64) return;
    keel_delete_entity(out, e);
    keel_add_entity(out, KEEL_INIT(Number, { n->value + 1 }));
}
KEEL_WORKLOAD(frame, KEEL_STEP(count_up, .parallel = true), KEEL_STEP(count_others),
              KEEL_STEP(replace, .parallel = true));

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .worker_count = 4 });
    assert_non_null(world);
    for (uint32_t i = 0; i < COUNT; ++i)
        (void)keel_add_entity(world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    return world;
}

static uint64_t play(keel_world *world) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 8; ++i)
        if (keel_run_workload(world, frame) < 0) return 0;
    return keel_world_hash(world, &hash) < 0 ? 0 : hash;
}

// What becomes of the child: 0, or what it says is wrong; one that waits for ever is ended.
static int in_child(int (*run)(keel_world *world), keel_world *world) {
    const pid_t child = fork();
    if (!child) {
        alarm(10);
        _exit(run(world));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t expected;
static int play_and_destroy(keel_world *world) {
    if (play(world) != expected) return 1;
    keel_world_destroy(world);
    return 0;
}
static int destroy_only(keel_world *world) { return keel_world_destroy(world), 0; }
static int play_anew(keel_world *world) {
    (void)world;
    keel_world *own = new_world(); // has threads of its own
    const bool ran = play(own) != 0;
    keel_world_destroy(own);
    return !ran;
}
static int fork_again(keel_world *world) { return in_child(play_and_destroy, world); }

static void add_to(uint32_t from, uint32_t end, const keel_piece *piece, void *data) {
    (void)piece;
    uint32_t *numbers = data;
    for (uint32_t i = from; i < end; ++i)
        ++numbers[i];
}
static int loop_directly(keel_world *world) {
    static uint32_t numbers[4096];
    if (keel_parallel_for(world, 4096, 16, add_to, numbers) < 0) return 1;
    for (uint32_t i = 0; i < 4096; ++i)
        if (numbers[i] != 1) return 2;
    return 0;
}

static void with_threads(int (*run)(keel_world *world)) {
    keel_world *world = new_world(), *copy = new_world();
    assert_int_not_equal(play(world), 0);
    assert_int_not_equal(play(copy), 0);
    expected = play(copy);
    assert_int_equal(in_child(run, world), 0);
    assert_true(play(world) == expected); // the parent goes on as if there were no child
    keel_world_destroy(copy);
    keel_world_destroy(world);
}

static void a_child_plays_on_with_the_same_results(void **state) {
    (void)state;
    for (uint32_t i = 0; i < test_rounds(5); ++i)
        with_threads(play_and_destroy);
}
static void a_child_destroys_the_world(void **state) {
    (void)state;
    with_threads(destroy_only);
}
static void a_child_of_a_child_plays_on(void **state) {
    (void)state;
    with_threads(fork_again);
}
static void a_child_loops_directly(void **state) {
    (void)state;
    with_threads(loop_directly);
}
static void worlds_that_a_child_makes_have_threads(void **state) {
    (void)state;
    with_threads(play_anew);
}
static void a_child_whose_parent_never_ran_plays(void **state) {
    (void)state;
    keel_world *world = new_world(), *copy = new_world();
    expected = play(copy);
    assert_int_equal(in_child(play_and_destroy, world), 0);
    keel_world_destroy(copy);
    keel_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    TEST(a_child_plays_on_with_the_same_results, "a child plays on, with the same results"),
    TEST(a_child_destroys_the_world, "a child destroys a world whose threads it has not"),
    TEST(a_child_of_a_child_plays_on, "a child of a child plays on"),
    TEST(a_child_loops_directly, "a child loops over a range"),
    TEST(worlds_that_a_child_makes_have_threads, "worlds that a child makes are as all others"),
    TEST(a_child_whose_parent_never_ran_plays, "a child whose parent never ran anything plays"),
};
#endif
int main(void) { return RUN(tests); }
