// SPDX-License-Identifier: MIT
// Ten clients at once against a frame loop with two workers: streams, questions, edits, clients
// that leave. The thread sanitizer finds nothing here, without a suppression.
#include "client.h"
#include "support/test.h"
#include "watchers.h"

#include <stdlib.h>
#include <time.h>

static void ten_clients_at_once(void **state) {
    (void)state;
    const char *seconds = getenv("KEEL_TEST_SECONDS");
    program p;
    watchers w;
    program_begin(&p, &(program_desc){ .workers = 2, .inspect = { .past = 50, .changes = true } });
    watchers_begin(&w, &p, WATCHERS);
    const double until = client_now() + (seconds ? atof(seconds) : 4);
    while (client_now() < until)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    watchers_end(&w);
    client_expect(p.port, (ask){ .path = "play", .body = "{}" }, 200, NULL);
    program_end(&p);
    print_message("%lu answers, %lu frames\n", atomic_load(&w.asked), atomic_load(&p.frames));
    assert_int_equal(atomic_load(&w.wrong), 0);
    assert_true(atomic_load(&w.asked) > 100);
}

// The same, and the inspector ends while they ask.
static void the_end_comes_while_all_ask(void **state) {
    (void)state;
    for (uint32_t i = 0, rounds = test_rounds(4) + 1; i < rounds; ++i) {
        program p;
        watchers w;
        program_begin(&p, &(program_desc){ .workers = 2, .inspect = { .past = 50 } });
        watchers_begin(&w, &p, WATCHERS);
        nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
        program_end(&p);
        watchers_end(&w);
        assert_true(atomic_load(&w.asked) > 0);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(ten_clients_at_once, "ten clients at once get their answers"),
    TEST(the_end_comes_while_all_ask, "the inspector ends while ten clients ask"),
};
int main(void) { return RUN(tests); }
