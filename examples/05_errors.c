// SPDX-License-Identifier: MIT
// You will learn: how Keel tells you that something went wrong, and three styles of dealing with
// it: at the call, in a system, and once per frame. Nothing here crashes, in any build.
#include <keel/keel.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Health { int points; } Health;
typedef struct Name { char text[32]; } Name;
KEEL_COMPONENT(Health);
KEEL_COMPONENT(Name);

typedef struct budget { size_t left; } budget;
static void *limited(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    const budget *b = context;
    if (new_size > old_size && new_size > b->left) return NULL;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return align <= 16 ? realloc(block, new_size)
                       : aligned_alloc(align, (new_size + align - 1) & ~(align - 1));
}

static void to_stdout(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level;
    printf("  log: %s\n", line);
}

// style 1: check at the call, hand the result up
static keel_result load_level(keel_world *world, keel_entity *door) {
    *door = keel_add_entity(world, KEEL_INIT(Health, { 100 }));
    if (keel_is_null(*door)) return keel_last_error(world)->result;
    KEEL_TRY(keel_add(world, *door, Name, { "door" }));
    return KEEL_OK;
}

// style 2: a system says why it failed, and the steps after it do not run
KEEL_SYSTEM_ONCE(autosave, KEEL_CONTEXT(context)) {
    keel_fail(context, "save slot 1", "cannot open %s", "/nonexistent/save");
}
KEEL_SYSTEM_ONCE(after_autosave) { puts("must not run"); }
KEEL_WORKLOAD(save, KEEL_STEP(autosave), KEEL_STEP(after_autosave, .after = "autosave"));

KEEL_SYSTEM(poison, KEEL_WRITE(Health, h)) { --h->points; }
KEEL_SYSTEM(sum_up, KEEL_READ(Health, h), KEEL_DATA(int, sum)) { *sum += h->points; }

int main(void) {
    budget memory = { SIZE_MAX };
    keel_world *world = keel_world_create(&(keel_world_desc){ .allocator = { limited, &memory },
                                                              .log = { to_stdout, NULL },
                                                              .on_misuse = KEEL_MISUSE_RETURN });
    keel_entity door;
    if (load_level(world, &door) < 0) return 1;

    puts("out of memory: the call fails, the world is as before, a retry works");
    memory.left = 0;
    const uint32_t before = keel_entity_count(world);
    const keel_value_column *no_columns = NULL;
    printf("%s\n", keel_result_text(keel_add_entity_columns(world, 100000, NULL, no_columns)));
    printf("as before: %s\n", keel_entity_count(world) == before ? "yes" : "no");
    memory.left = SIZE_MAX;

    puts("style 3: play on, and look once a frame: the first error is kept");
    printf("frame check: %s\n", keel_result_text(keel_first_error(world)->result));
    keel_clear_errors(world);

    puts("a conflict names both sides");
    KEEL_EACH(world, KEEL_READ(Health, h), KEEL_ENTITY(e)) {
        (void)h;
        keel_run(world, poison);
        keel_add(world, e, Health, { 5 });
        keel_delete_entity(keel_world_commands(world), e); // recorded instead
        break;                                             // leaves the loop and ends its view
    }
    keel_apply_commands(world);
    printf("the door is %s\n", keel_is_alive(world, door) ? "alive" : "deleted by the command");

    puts("a stale handle is no misuse: NULL, false or a result");
    printf("get: %s, add: %s, delete: %s\n", keel_get(world, door, Health) ? "a value" : "NULL",
           keel_result_text(keel_add(world, door, Health, { 1 })),
           keel_result_text(keel_delete_entity(world, door)));

    puts("systems");
    printf("%s\n", keel_result_text(keel_run_workload(world, save)));
    const keel_error *error = keel_last_error(world);
    printf("%s failed on %s\n", error->system, (const char *)error->object);
    double wrong = 0;
    keel_run_with(world, sum_up, &wrong);
    keel_world_destroy(world);
    return 0;
}
