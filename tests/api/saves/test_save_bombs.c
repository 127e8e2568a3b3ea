// SPDX-License-Identifier: MIT
// Small files that say they are large: memory grows by what was unpacked and is right, never by
// what a number says, and limits hold. The calls of malloc are counted.
// wraps: malloc calloc realloc aligned_alloc posix_memalign free
#include "support/api_types.h"

#include <keel_save.h>
#include <malloc.h>
#include <save.h>
#include <stdlib.h>
#include <string.h>

typedef struct Crate {
    uint8_t bytes[1000];
} Crate;
KEEL_FIELDS(Crate, bytes);
KEEL_COMPONENT(Crate, KEEL_HAS_FIELDS(Crate));

// ------------------------------------------------------------------ memory
static size_t live, peak;
static void *came(void *block) {
    if (block) live += malloc_usable_size(block);
    if (live > peak) peak = live;
    return block;
}
static void *going(void *block) {
    const size_t size = block ? malloc_usable_size(block) : 0;
    live -= size < live ? size : live;
    return block;
}
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *block);
int __real_posix_memalign(void **out, size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size) {
    const int result = __real_posix_memalign(out, align, size);
    if (!result) (void)came(*out);
    return result;
}
void *__wrap_malloc(size_t size) { return came(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return came(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t align, size_t size) {
    return came(__real_aligned_alloc(align, size));
}
void *__wrap_realloc(void *block, size_t size) {
    const size_t before = block ? malloc_usable_size(block) : 0;
    void *grown = __real_realloc(block, size);
    if (!grown) return NULL;
    live -= before < live ? before : live;
    return came(grown);
}
void __wrap_free(void *block) { __real_free(going(block)); }

// ------------------------------------------------------------------ files
static save_bytes file;
static save_writer w;

static bool keep(void *context, const void *bytes, size_t size) {
    unsigned char *at = save_bytes_more(context, size);
    if (at && size) memcpy(at, bytes, size);
    return at || !size;
}
static void begin(void) {
    file.size = 0;
    w = (save_writer){ .sink = { keep, &file } };
    assert_int_equal(save_write_header(&w), KEEL_OK);
}
static void put(const char *tag, const save_bytes *body) {
    const save_part part = { body, 1 };
    assert_int_equal(save_write_section(&w, tag, &part, 1), KEEL_OK);
}
static void put_entities(uint32_t living, uint32_t listed, uint32_t first) {
    save_bytes body = { 0 };
    save_put(&body, living, 4);
    save_put(&body, 0, 4);
    for (uint32_t i = 0; i < listed; ++i)
        save_put(&body, first + i, 4);
    for (uint32_t i = 0; i < listed; ++i)
        save_put(&body, 0, 4);
    put("ENTS", &body);
    save_bytes_free(&body);
}
static void put_zeros(save_bytes *body, size_t size) {
    unsigned char *at = save_bytes_more(body, size);
    assert_non_null(at);
    memset(at, 0, size);
}
static void put_schema(save_bytes *body, uint32_t leaves, uint32_t count) {
    save_put_text(body, "Crate");
    save_put(body, leaves, 4);
    for (uint32_t i = 0; i < leaves && i < 10; ++i) {
        save_put_text(body, "bytes");
        save_put(body, KEEL_FIELD_U8, 1);
        save_put(body, count, 4);
    }
}
static void end(void) {
    assert_int_equal(save_write_end(&w), KEEL_OK);
    save_writer_free(&w);
}

// Refused, with no more memory than that at any time.
static void expect_refused(uint64_t max_bytes, size_t most) {
    static log_record log;
    keel_error why = { 0 };
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = log_to(&log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    assert_int_equal(keel_register(world, Crate), KEEL_OK);
    const size_t before = live;
    peak = live;
    const keel_load_options how = { .error = &why, .max_bytes = max_bytes };
    const keel_result r = keel_load_from(world, file.data, file.size, &how);
    if (r != KEEL_ERROR_FORMAT && r != KEEL_ERROR_SCHEMA) fail_msg("%d: %s", (int)r, why.message);
    if (peak - before > most)
        fail_msg("%zu bytes of memory for a file of %zu: %s", peak - before, file.size,
                 why.message);
    assert_int_equal(keel_entity_count(world), 0);
    keel_world_destroy(world);
    save_bytes_free(&file);
}

enum { MIB = 1 << 20 };

static void zeros_are_unpacked_to_the_limit_only(void **state) {
    (void)state;
    static const char *const tags[] = { "NAME", "COMP", "PARE", "xtra" };
    for (uint32_t i = 0; i < 4; ++i) {
        save_bytes body = { 0 };
        begin();
        put_entities(4, 4, 0);
        if (i == 1) {
            put_schema(&body, 1, 1000);
            save_put(&body, UINT32_MAX, 4);
        }
        if (i == 2) save_put(&body, UINT32_MAX, 4);
        put_zeros(&body, (10 + 90 / test_few()) * MIB);
        put(tags[i], &body);
        end();
        save_bytes_free(&body);
        assert_true(file.size < MIB / 8);
        // the bytes, what they had before they grew, and a private world
        expect_refused(8 * MIB, (i == 1 || i == 2 ? 24 : 2) * (size_t)MIB);
    }
}

static void a_number_alone_takes_no_memory(void **state) {
    (void)state;
    static const uint32_t odd[] = { 4097, 65536, 0x7FFFFFFF, UINT32_MAX };
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t what = 0; what < 5; ++what) {
            save_bytes body = { 0 };
            begin();
            put_entities(what == 0 ? odd[i] : 4, 4, 0);
            if (what == 1) put_schema(&body, odd[i], 1);
            if (what == 2) put_schema(&body, 1, odd[i]);
            if (what == 3) put_schema(&body, 1, 1000), save_put(&body, odd[i], 4);
            if (what == 4) save_put(&body, odd[i], 4);
            if (what) put(what == 4 ? "PARE" : "COMP", &body);
            end();
            save_bytes_free(&body);
            expect_refused(0, 2 * MIB);
        }
}

static void a_head_that_lies_takes_no_memory(void **state) {
    (void)state;
    begin();
    put_entities(4, 4, 0);
    end();
    unsigned char *head = file.data + SAVE_HEADER;
    save_write_number(head + 16, UINT64_C(1) << 60, 8); // raw
    expect_refused(0, 2 * MIB);
}

static void far_entities_cost_little(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    put_entities(2, 2, (1u << 24) - 2); // as far as may be
    save_bytes body = { 0 };
    put_schema(&body, 1, 1000);
    save_put(&body, 9, 4);
    put("COMP", &body);
    end();
    save_bytes_free(&body);
    expect_refused(0, 2 * MIB);
    begin();
    put_entities(1, 1, 1u << 24);
    end();
    expect_refused(0, 2 * MIB);
}

static const struct CMUnitTest tests[] = {
    TEST(zeros_are_unpacked_to_the_limit_only, "zeros are unpacked to max_bytes only"),
    TEST(a_number_alone_takes_no_memory, "a number alone takes no memory"),
    TEST(a_head_that_lies_takes_no_memory, "a head that lies takes no memory"),
    TEST(far_entities_cost_little, "entities with far indices cost little"),
};

int main(void) { return RUN(tests); }
