// SPDX-License-Identifier: MIT
// The assertion handler, and which tier is on in which build.
#define _POSIX_C_SOURCE 200809L
#include "base/assert.h"

#include "support/test.h"

#include <string.h>

static struct {
    int count, line;
    const char *condition, *message, *file;
} seen;

// Remembers the failure and lets the program go on.
static bool remember(const char *condition, const char *message, const char *file, int line) {
    ++seen.count;
    seen.condition = condition;
    seen.message = message;
    seen.file = file;
    seen.line = line;
    return false;
}

static void begin(void) {
    memset(&seen, 0, sizeof seen);
    keel_set_assert_handler(remember);
}

static void the_handler_is_told_everything(void **state) {
    (void)state;
    begin();
    keeli_assert_failed("a == b", "a is not b", "x.c", 12);
    keel_set_assert_handler(NULL);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.condition, "a == b");
    assert_string_equal(seen.message, "a is not b");
    assert_string_equal(seen.file, "x.c");
    assert_int_equal(seen.line, 12);
}

static int calls;

// Not called at all where assertions are off.
static __attribute__((unused)) bool ask(bool answer) {
    ++calls;
    return answer;
}

static void a_condition_that_holds_is_evaluated_at_most_once(void **state) {
    (void)state;
    begin();
    calls = 0;
    KEEL_ASSERT(ask(true), "contract");
    KEEL_ASSERT_INTERNAL(ask(true));
    KEELI_CHECK_STRUCTURE(ask(true));
    keel_set_assert_handler(NULL);
    assert_int_equal(seen.count, 0);
    assert_true(calls <= 3);
}

static void contracts_are_checked_in_checked_builds(void **state) {
    (void)state;
    begin();
    KEEL_ASSERT(ask(false), "contract");
    const int line = __LINE__ - 1;
    keel_set_assert_handler(NULL);
#if KEELI_CHECKED
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.condition, "ask(false)");
    assert_string_equal(seen.message, "contract");
    assert_int_equal(seen.line, line);
#else
    (void)line;
    assert_int_equal(seen.count, 0);
#endif
}

static void invariants_are_checked_without_ndebug(void **state) {
    (void)state;
    begin();
    KEEL_ASSERT_INTERNAL(ask(false));
    keel_set_assert_handler(NULL);
#ifdef NDEBUG
    assert_int_equal(seen.count, 0);
#else
    assert_int_equal(seen.count, 1);
    assert_non_null(strstr(seen.message, "please report"));
#endif
}

static void structures_are_walked_in_validating_builds(void **state) {
    (void)state;
    begin();
    KEELI_CHECK_STRUCTURE(ask(false));
    keel_set_assert_handler(NULL);
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
    assert_int_equal(seen.count, 1);
#else
    assert_int_equal(seen.count, 0);
#endif
}

// ------------------------------------------------------------------ aborting, in a child process
#if !defined(_WIN32)
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool print_nothing_and_abort(const char *condition, const char *message, const char *file,
                                    int line) {
    (void)condition, (void)message, (void)file, (void)line;
    return true;
}

// A child sets the handler and fails. How it ended; what it printed goes to `text`.
static int fail_in_a_child(keel_assert_handler *handler, char *text, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        keel_set_assert_handler(handler);
        keeli_assert_failed("e.bits != 0", "the entity is null", "game.c", 42);
        kill(getpid(), SIGKILL); // not _exit: valgrind would look for leaks here
    }
    assert_true(child > 0);
    close(ends[1]);
    size_t have = 0;
    for (ssize_t got; have + 1 < size && (got = read(ends[0], text + have, size - 1 - have)) > 0;)
        have += (size_t)got;
    text[have] = 0;
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void the_default_prints_and_aborts(void **state) {
    (void)state;
    char text[512];
    const int status = fail_in_a_child(NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "the entity is null"));
    assert_non_null(strstr(text, "game.c:42"));
    assert_non_null(strstr(text, "e.bits != 0"));
}

static void true_aborts(void **state) {
    (void)state;
    char text[512];
    const int status = fail_in_a_child(print_nothing_and_abort, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void false_goes_on(void **state) {
    (void)state;
    char text[512];
    const int status = fail_in_a_child(remember, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_string_equal(text, "");
}
#endif

static const struct CMUnitTest tests[] = {
    TEST(the_handler_is_told_everything, "the handler is told condition, message, file and line"),
    TEST(a_condition_that_holds_is_evaluated_at_most_once,
         "a condition that holds is evaluated once at most and reports nothing"),
    TEST(contracts_are_checked_in_checked_builds, "contracts are checked in checked builds only"),
    TEST(invariants_are_checked_without_ndebug, "invariants are checked without NDEBUG only"),
    TEST(structures_are_walked_in_validating_builds,
         "structures are walked in validating builds only"),
#if !defined(_WIN32)
    TEST(the_default_prints_and_aborts, "the default handler prints what failed and aborts"),
    TEST(true_aborts, "a handler that answers true aborts the process"),
    TEST(false_goes_on, "a handler that answers false lets the process go on"),
#endif
};

int main(void) { return RUN(tests); }
