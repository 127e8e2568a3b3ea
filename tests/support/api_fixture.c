// SPDX-License-Identifier: MIT
// The functions of api_fixture.h: the world of a test, counted values, and the state of a world as
// text. It contains no tests; programs of tests/ link it.
#include "support/api_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ the world
static void keep_line(void *context, keel_log_level level, const char *line) {
    log_record *log = context;
    if (level == KEEL_LOG_ERROR) ++log->errors;
    else ++log->warnings;
    snprintf(log->last, sizeof log->last, "%s", line);
}

keel_logger log_to(log_record *log) { return (keel_logger){ keep_line, log }; }

void api_begin_with(api_fixture *f, keel_world_desc desc) {
    memset(f, 0, sizeof *f);
    counting_allocator_init(&f->memory);
    desc.allocator = f->memory.allocator;
    if (!desc.log.write) desc.log = log_to(&f->log);
    f->world = keel_world_create(&desc);
    assert_non_null(f->world);
}

void api_begin_workers(api_fixture *f, uint32_t workers) {
    api_begin_with(f,
                   (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .worker_count = workers });
}
void api_begin(api_fixture *f) {
    api_begin_with(f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN });
}

void api_end(api_fixture *f) {
    keel_error error;
    counting_allocator_never_fail(&f->memory);
    if (!keel_world_check(f->world, &error)) fail_msg("%s", error.message);
    assert_int_equal(keel_world_statistics(f->world).memory.total, f->memory.live_bytes);
    keel_world_destroy(f->world);
    f->world = NULL;
    assert_int_equal(f->memory.live_bytes, 0);
    assert_int_equal(f->memory.live_blocks, 0);
}

void assert_error(keel_world *world, keel_result result, const char *part) {
    const keel_error error = *keel_first_error(world);
    keel_clear_errors(world);
    if (error.result != result)
        fail_msg("expected '%s', got '%s': %s", keel_result_text(result),
                 keel_result_text(error.result), error.message);
    if (part && !strstr(error.message, part))
        fail_msg("no '%s' in the message: %s", part, error.message);
}

void assert_no_error(keel_world *world) {
    const keel_error *error = keel_first_error(world); // errors of dead entities are not recorded
    if (error->result != KEEL_OK) fail_msg("unexpected error: %s", error->message);
}

// ------------------------------------------------------------------ values with an owner
lives owned;

void owned_begin(void) {
    memset(&owned, 0, sizeof owned);
    owned.copies_left = UINT32_MAX;
}

Owned owned_make(void) {
    const uint32_t token = ++owned.made;
    if (token >= TOKENS) {
        ++owned.faults;
        return (Owned){ 0 };
    }
    owned.alive[token] = true;
    ++owned.living;
    return (Owned){ token, ~token };
}

void owned_release(Owned value) {
    if (value.token == 0 && value.inverse == 0) {
        ++owned.empty_drops;
        return;
    }
    if (value.inverse != ~value.token || value.token >= TOKENS || !owned.alive[value.token]) {
        ++owned.faults;
        return;
    }
    owned.alive[value.token] = false;
    --owned.living;
}

void owned_drop(void *value, void *hook_data) {
    (void)hook_data;
    ++owned.drops;
    owned_release(*(const Owned *)value);
    memset(value, 0xEE, sizeof(Owned)); // a second drop is noticed
}

bool owned_copy(void *to, const void *from, void *hook_data) {
    (void)hook_data;
    const Owned *source = from;
    if (owned.copies_left == 0) return false;
    --owned.copies_left;
    ++owned.copies;
    if (source->token && (source->inverse != ~source->token || !owned.alive[source->token]))
        ++owned.faults;
    *(Owned *)to = source->token ? owned_make() : (Owned){ 0 };
    return true;
}

void owned_move(void *to, void *from, void *hook_data) {
    (void)hook_data;
    ++owned.moves;
    memcpy(to, from, sizeof(Owned));
    memset(from, 0xDD, sizeof(Owned)); // a later use of the moved value is noticed
}

void assert_owned_end(void) {
    assert_int_equal(owned.living, 0);
    assert_int_equal(owned.faults, 0);
}

// ------------------------------------------------------------------ state as text
typedef struct text {
    char *start;
    size_t length, capacity;
} text;

__attribute__((format(printf, 2, 3))) static void append(text *t, const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (t->length + (size_t)n + 1 > t->capacity) {
        t->capacity = t->capacity * 2 + 4096;
        t->start = realloc(t->start, t->capacity);
        assert_non_null(t->start);
    }
    memcpy(t->start + t->length, line, (size_t)n + 1);
    t->length += (size_t)n;
}

static void append_value(text *t, const void *value, uint32_t size) {
    const unsigned char *byte = value;
    uint64_t hash = 14695981039346656037u;
    if (!value) {
        append(t, " nothing\n");
        return;
    }
    for (uint32_t i = 0; i < size; ++i)
        hash = (hash ^ byte[i]) * 1099511628211u;
    append(t, " %016" PRIx64 "\n", hash);
}

// The targets of an entity, and its sources, in order.
static void append_edges(text *t, keel_world *world, const keel_component *c, keel_entity e) {
    keel_entity other = keel_null();
    append(t, " ->");
    while (!keel_is_null(other = keel_next_target_component(world, e, c, other)))
        append(t, " %" PRIx64, (uint64_t)other.bits);
    append(t, " <-");
    while (!keel_is_null(other = keel_next_source_component(world, e, c, other)))
        append(t, " %" PRIx64, (uint64_t)other.bits);
}

static void append_component(text *t, keel_world *world, const keel_component *c) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = c },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    append(t, "%s (%u bytes): %u\n", c->name, (unsigned)c->size,
           (unsigned)keel_component_count(world, c));
    assert_int_equal(keel_view_begin(&view, world, terms, "world_text"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i) {
            const keel_entity e = span.entities[i];
            const void *value = keel_get_component(world, e, c);
            append(t, "  %" PRIx64, (uint64_t)e.bits);
            append_value(t, value, c->size);
        }
    keel_view_end(&view);
    keel_entity e = keel_null();
    while (c->is_relation && !keel_is_null(e = keel_next_entity(world, e)))
        append_edges(t, world, c, e);
}

char *world_text(keel_world *world, const keel_component *const *uniques) {
    text t = { 0 };
    append(&t, "%u entities\n", (unsigned)keel_entity_count(world));
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e)))
        append(&t, "  %" PRIx64 "\n", (uint64_t)e.bits);
    const keel_component *c = NULL;
    while ((c = keel_next_component(world, c)) != NULL)
        if (keel_component_count(world, c)) append_component(&t, world, c);
    for (; uniques && *uniques; ++uniques) {
        append(&t, "unique %s:", (*uniques)->type);
        append_value(&t, keel_get_unique_value(world, *uniques), (*uniques)->size);
    }
    return t.start;
}

void assert_same_text(char *actual, char *expected) {
    assert_string_equal(actual, expected);
    free(actual);
    free(expected);
}

// ------------------------------------------------------------------ small helpers
keel_entity handle_at(uint32_t index, uint32_t version) {
    const keel_entity e = keel_entity_make(index, version);
    assert_false(keel_is_null(e));
    return e;
}

void assert_same_entity(keel_entity actual, keel_entity expected) {
    if (keel_is_same(actual, expected)) return;
    fail_msg("got index %u version %u, expected index %u version %u",
             (unsigned)keel_entity_index(actual), (unsigned)keel_entity_version(actual),
             (unsigned)keel_entity_index(expected), (unsigned)keel_entity_version(expected));
}

bool api_go_on(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)message, (void)file, (void)line;
    return false;
}

const char *docs_text(const char *name) {
    static char docs[100000];
    char path[1000];
    const char *folder = getenv("KEEL_DOCS"); // set by ctest
    if (folder) snprintf(path, sizeof path, "%s/%s", folder, name);
    else {
        snprintf(path, sizeof path, "%s", __FILE__);
        for (uint32_t i = 0; i < 3; ++i) {
            char *last = strrchr(path, '/');
            if (!last) return NULL;
            *last = 0;
        }
        const size_t length = strlen(path);
        snprintf(path + length, sizeof path - length, "/docs/%s", name);
    }
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    docs[fread(docs, 1, sizeof docs - 1, file)] = 0;
    fclose(file);
    return docs;
}

uint32_t count_parents(keel_world *world) {
    uint32_t count = 0;
    KEEL_EACH(world, KEEL_TARGETED(keel_child)) {
        ++count;
    }
    return count;
}
