// SPDX-License-Identifier: MIT
// orrery: where the bodies of the solar system are, step by step.
//
// What you will learn: how a program is made of Keel's parts. components.h says what entities are
// made of, population.c makes them, systems.c moves them, output_csv.c and scene.c ask for what they
// show. This file puts the parts together.
#include "bodies.h"
#include "dates.h"
#include "options.h"
#include "output_csv.h"
#include "output_sqlite.h"
#include "population.h"
#include "progress.h"
#include "scene.h"
#include "image.h"
#include "systems.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_DONE = 0, EXIT_MEMORY = 1, EXIT_INPUT = 2, EXIT_SIGNAL = 128 };

// All there is while the program runs; zero: not there yet.
typedef struct orrery {
    settings set;
    body_list bodies;
    output_file csv, sqlite, image;
    keel_world *world;
    keel_reader *reader; // with --changed-only: what was written
    double seconds; // that the steps took
    failure why;
} orrery;

// The signal that asks the program to stop, or 0. Then it removes its unfinished files first.
static volatile sig_atomic_t stop_signal;

static void ask_to_stop(int signal_number) {
    stop_signal = signal_number;
}

static void listen_to_signals(void) {
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; ++k) {
        struct sigaction action = { .sa_handler = ask_to_stop };
        sigaction(signals[k], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of writing like any other
}

// The last error of the world, as the failure.
static int fail_in_world(orrery *o, keel_result result) {
    const keel_error *error = keel_last_error(o->world);
    fail(&o->why, "orrery: %s", error->result < 0 ? error->message : keel_result_text(result));
    return EXIT_MEMORY;
}

static bool open_outputs(orrery *o) {
    const settings *set = &o->set;
    if (set->csv && !output_open(&o->csv, set->csv, &o->why)) return false;
    if (set->sqlite && !output_open(&o->sqlite, set->sqlite, &o->why)) return false;
    if (set->image && !output_open(&o->image, set->image, &o->why)) return false;
    if (output_replaces(&o->csv, set->data))
        return fail(&o->why, "orrery: --csv: '%s' is the file of --data", set->csv);
    if (output_replaces(&o->image, set->data))
        return fail(&o->why, "orrery: --image: '%s' is the file of --data", set->image);
    if (set->csv && output_replaces(&o->image, set->csv))
        return fail(&o->why, "orrery: --image: '%s' is the file of --csv", set->image);
    if (output_replaces(&o->sqlite, set->data))
        return fail(&o->why, "orrery: --sqlite: '%s' is the file of --data", set->sqlite);
    if ((set->csv && output_replaces(&o->sqlite, set->csv)) ||
        (set->image && output_replaces(&o->sqlite, set->image)))
        return fail(&o->why, "orrery: --sqlite: '%s' is the file of --csv or --image", set->sqlite);
    return true;
}

// Read and check everything before any work is done.
static int prepare(orrery *o) {
    const settings *set = &o->set;
    const double last_jd = options_step_jd(set, set->steps - 1);
    const bool ready = bodies_load(&o->bodies, set->data, &o->why) &&
                       bodies_check_span(&o->bodies, set->from_jd, last_jd, &o->why) &&
                       open_outputs(o) && (!set->csv || csv_begin(&o->csv, &o->why));
    return ready ? EXIT_DONE : EXIT_INPUT;
}

static int populate(orrery *o) {
    const uint64_t capacity = (uint64_t)o->bodies.count + o->set.belt;
    const keel_world_desc desc = { .name = "orrery",
                                   .log = keel_log_none, // main prints the error
                                   .entity_capacity = (uint32_t)capacity,
                                   .worker_count = o->set.threads };
    o->world = keel_world_create(&desc);
    if (!o->world) {
        fail(&o->why, "orrery: out of memory");
        return EXIT_MEMORY;
    }
    if (o->set.changed_only) o->reader = keel_reader_create(o->world, "--csv");
    if (o->set.changed_only && !o->reader) return fail_in_world(o, KEEL_ERROR_MEMORY);
    keel_result result = populate_bodies(o->world, &o->bodies);
    if (result >= 0) result = populate_belt(o->world, o->set.belt, o->set.seed);
    if (result < 0) return fail_in_world(o, result);
    if (o->set.sqlite && !sqlite_begin(&o->sqlite, o->world, &o->why)) return EXIT_INPUT;
    return EXIT_DONE;
}

// A KEEL_EACH that cannot be opened runs no time at all; only the world knows.
static bool loop_failed(const orrery *o) { return keel_last_error(o->world)->result < 0; }

static bool write_rows(orrery *o, double jd) {
    return o->reader ? csv_write_changes(&o->csv, o->reader, jd, &o->why)
                     : csv_write_step(&o->csv, o->world, jd, &o->why);
}

static int run_step(orrery *o, uint64_t step) {
    const double jd = options_step_jd(&o->set, step);
    const keel_result result = orrery_step(o->world, jd);
    if (result < 0) return fail_in_world(o, result);
    if (o->set.csv && !write_rows(o, jd)) return EXIT_INPUT;
    if (o->set.sqlite && !sqlite_write_step(&o->sqlite, o->world, step, &o->why)) return EXIT_INPUT;
    if (loop_failed(o)) return fail_in_world(o, KEEL_OK);
    if (!stop_signal) return EXIT_DONE;
    fail(&o->why, "orrery: stopped by a signal (%s)", strsignal(stop_signal));
    return EXIT_SIGNAL + stop_signal;
}

static int run(orrery *o) {
    int status = EXIT_DONE;
    progress line;
    progress_begin(&line, o->set.steps);
    for (uint64_t step = 0; step < o->set.steps && status == EXIT_DONE; ++step) {
        status = run_step(o, step);
        progress_step(&line, step + 1);
    }
    o->seconds = progress_end(&line);
    return status;
}

static int draw(orrery *o) {
    if (!o->set.image) return EXIT_DONE;
    const double last_jd = options_step_jd(&o->set, o->set.steps - 1);
    scene shown;
    int status = EXIT_DONE;
    if (!scene_collect(&shown, o->world, &o->bodies, o->set.from_jd, last_jd)) {
        fail(&o->why, "orrery: out of memory");
        status = EXIT_MEMORY;
    } else if (loop_failed(o)) {
        status = fail_in_world(o, KEEL_OK);
    } else if (!image_write(&shown, &o->image, &o->why)) {
        status = EXIT_INPUT;
    }
    scene_free(&shown);
    return status;
}

// All files are complete before any of them gets its name.
static int publish(orrery *o) {
    const bool done = (!o->set.csv || output_close(&o->csv, &o->why)) &&
                      (!o->set.image || output_close(&o->image, &o->why)) &&
                      (!o->set.csv || output_publish(&o->csv, &o->why)) &&
                      (!o->set.sqlite || output_publish(&o->sqlite, &o->why)) &&
                      (!o->set.image || output_publish(&o->image, &o->why));
    return done ? EXIT_DONE : EXIT_INPUT;
}

static void warn_about_dates(const settings *set) {
    double first, last;
    date_parse("1800-01-01", &first);
    date_parse("2050-12-31", &last);
    if (set->from_jd < first || set->from_jd + set->days > last)
        fprintf(stderr, "orrery: warning: the planets' elements are good from 1800 to 2050 only\n");
}

static int summarize(orrery *o) {
    const uint32_t entities = keel_entity_count(o->world);
    const double speed = o->seconds > 0 ? (double)o->set.steps / o->seconds : 0;
    uint64_t hash;
    const keel_result hashed = keel_world_hash(o->world, &hash);
    if (hashed < 0) return fail_in_world(o, hashed);
    const bool printed =
        printf("%" PRIu32 " entities, %" PRIu64 " steps in %.2f s: %.1f steps per second, "
               "%.2f million entity updates per second, hash 0x%016" PRIx64 "\n",
               entities, o->set.steps, o->seconds, speed, speed * entities / 1e6, hash) >= 0 &&
        fflush(stdout) == 0;
    if (!printed) fail(&o->why, "orrery: standard output: %s", strerror(errno));
    return printed ? EXIT_DONE : EXIT_INPUT;
}

static int run_all(orrery *o) {
    int status = prepare(o);
    if (status != EXIT_DONE) return status;
    warn_about_dates(&o->set);
    if ((status = populate(o)) != EXIT_DONE) return status;
    if ((status = run(o)) != EXIT_DONE) return status;
    if ((status = draw(o)) != EXIT_DONE) return status;
    if ((status = publish(o)) != EXIT_DONE) return status;
    return summarize(o);
}

int main(int count, char *arguments[]) {
    orrery o = { 0 };
    int status = EXIT_INPUT;
    listen_to_signals();
    if (options_parse(&o.set, count, arguments, &o.why)) {
        if (o.set.help) {
            printf(options_help, "orrery");
            return EXIT_DONE;
        }
        status = run_all(&o);
    }
    if (status != EXIT_DONE) fprintf(stderr, "%s\n", o.why.text);
    keel_world_destroy(o.world);
    output_discard(&o.csv);
    output_discard(&o.sqlite);
    output_discard(&o.image);
    bodies_free(&o.bodies);
    return status;
}
