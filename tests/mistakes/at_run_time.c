// SPDX-License-Identifier: MIT
// Mistakes that compile, and what a run says: prints the rows of a table in docs/reference/mistakes.md.
// tools/mistakes reads them; a checked build is needed, to see which of them stop a program there.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Time {
    float now;
} Time;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_UNIQUE(Time);

// The world of a row: a ship with a position and a child `gun`, and a rock with a name that is its
// own.
static keel_world *world, *other;
static keel_entity ship, gun, rock;
static char said[512];
static bool stopped;

// Each is two things: what it says of itself, and what is done.
KEEL_SYSTEM_ONCE(forgetful, KEEL_CONTEXT(context)) { (void)keel_get(context, ship, Position); }
KEEL_SYSTEM_ONCE(clock_reader, KEEL_UNIQUE_READ(Time, time)) { (void)time; }
KEEL_SYSTEM_ONCE(failing, KEEL_CONTEXT(context)) {
    keel_fail(context, NULL, "no file %s", "save.1");
}
KEEL_SYSTEM_ONCE(with_number, KEEL_DATA(int, number)) { (void)number; }
KEEL_SYSTEM_ONCE(eat) {}
KEEL_SYSTEM_ONCE(cook) {}
KEEL_WORKLOAD(day, KEEL_STEP(eat, .after = "cook"), KEEL_STEP(cook, .after = "eat"));

static void hear(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level;
    if (!said[0]) snprintf(said, sizeof said, "%s", line);
}
static bool go_on(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)file, (void)line;
    if (!said[0]) snprintf(said, sizeof said, "%s", message);
    stopped = true;
    return false;
}

static void begin(void) {
    world = keel_world_create(
        &(keel_world_desc){ .name = "game", .log = { hear, NULL }, .worker_count = 1 });
    other = keel_world_create(
        &(keel_world_desc){ .name = "other", .log = { hear, NULL }, .worker_count = 1 });
    ship = keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }));
    gun = keel_add_entity(world, KEEL_INIT(Position, { 3, 4 }));
    rock = keel_add_entity(world);
    (void)keel_attach(world, gun, ship);
    (void)keel_set_name(world, ship, "ship");
    (void)keel_set_name(world, rock, "rock");
    said[0] = 0;
    stopped = false;
}

static const char *name_of(keel_result result) {
#define NAME(name, value, text)                                                                    \
    if (result == name) return #name;
    KEEL_RESULTS(NAME)
#undef NAME
    return "?";
}

// A text as a cell of a table in Markdown.
static void print_cell(const char *text) {
    for (; *text; ++text) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

static void row(const char *what, const char *code, keel_result result) {
    printf("| %s | `", what);
    print_cell(code);
    printf("` | `%s` | %s | ", name_of(result), stopped ? "stops" : "goes on");
    print_cell(said[0] ? said : "nothing: ordinary in a game");
    puts(" |");
    keel_world_destroy(other);
    keel_world_destroy(world);
}

// A row whose mistake is one call, and one whose mistake needs statements around it.
#define CALL(what, ...) (begin(), row(what, #__VA_ARGS__, (__VA_ARGS__)))
#define LINES(what, ...)                                                                           \
    do {                                                                                           \
        begin();                                                                                   \
        keel_result result = KEEL_OK;                                                              \
        __VA_ARGS__                                                                                \
        row(what, #__VA_ARGS__, result);                                                           \
    } while (0)

int main(void) {
    keel_set_assert_handler(go_on);
    CALL("the entity was deleted",
         (keel_delete_entity(world, ship), keel_add(world, ship, Velocity, { 1, 0 })));
    CALL("a null handle", keel_add(world, keel_null(), Velocity, { 1, 0 }));
    CALL("an entity deleted twice",
         (keel_delete_entity(world, ship), keel_delete_entity(world, ship)));
    CALL("the component was never added", keel_delete(world, ship, Velocity));
    CALL("no world", keel_add((keel_world *)NULL, ship, Velocity, { 1, 0 }));
    CALL("child and parent swapped", keel_attach(world, ship, gun));
    CALL("an entity attached to itself", keel_attach(world, rock, rock));
    CALL("a name that is taken", keel_set_name(world, rock, "ship"));
    CALL("a name with a slash", keel_set_name(world, rock, "space/rock"));
    CALL("an access that was not declared", keel_run(world, forgetful));
    CALL("a unique that was never set", keel_run(world, clock_reader));
    CALL("a system that fails", keel_run(world, failing));
    CALL("data that a system takes was not passed", keel_run(world, with_number));
    CALL("data of another size", keel_run_with(world, with_number, &(char){ 1 }));
    CALL("steps that wait for each other", keel_run_workload(world, day));
    LINES("an entity with children moved", if (keel_is_null(keel_move_entity(world, ship, other)))
                                               result = keel_last_error(world)->result;);
    LINES(
        "created inside a loop over entities", KEEL_EACH(world, KEEL_ENTITY(e)) {
            (void)e;
            if (keel_is_null(keel_add_entity(world))) result = keel_last_error(world)->result;
            break;
        });
    LINES(
        "added to what the loop runs over", KEEL_EACH(world, KEEL_WRITE(Position, p)) {
            (void)p;
            result = keel_add(world, rock, Position, { 0, 0 });
            break;
        });
    LINES("an edit while threads share the world", (void)keel_share_begin(world);
          result = keel_add(world, rock, Position, { 0, 0 }); (void)keel_share_end(world););
    LINES(
        "a loop in a loop that writes the same", KEEL_EACH(world, KEEL_WRITE(Position, p)) {
            KEEL_EACH(world, KEEL_WRITE(Position, q))
                (void)p, (void)q;
            result = keel_last_error(world)->result;
            break;
        });
    LINES("a pointer of an entity that was deleted", (void)keel_delete_entity(world, ship);
          Position *p = keel_get_mut(world, ship, Position);
          result = p ? KEEL_OK : KEEL_ERROR_DEAD_ENTITY;);
    return 0;
}
