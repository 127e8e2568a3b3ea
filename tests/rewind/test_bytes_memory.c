// SPDX-License-Identifier: MIT
// A snapshot is written while the system has no memory: the call says so, and the next one writes
// the same bytes as before.
#include "support/api_fixture.h"
#include "support/failing_malloc.h"

#include <string.h>

static bool is_system_full;
static bool fails(void) { return is_system_full; }

// A transient field makes the writer allocate a mask. The mask is the system's memory, not the
// world's, because any thread may write a snapshot.
typedef struct Cache {
    uint32_t value;
    uint32_t scratch;
} Cache;
KEEL_FIELDS(Cache, value, KEEL_FIELD(scratch, .transient = true));
KEEL_COMPONENT(Cache, KEEL_HAS_FIELDS(Cache));

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static bool keep(void *context, const void *data, size_t size) {
    bytes *b = context;
    if (size > sizeof b->data - b->size) return false;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static keel_result write_to(bytes *b, keel_snapshot *snapshot) {
    b->size = 0;
    return keel_snapshot_write(snapshot, (keel_snapshot_sink){ keep, b });
}

static void writing_without_memory(void **unused) {
    (void)unused;
    api_fixture a;
    api_begin(&a);
    (void)keel_add_entity(a.world, KEEL_INIT(Cache, { 7, 8 }));
    keel_snapshot *snapshot = keel_snapshot_create(a.world, "sent");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    bytes before, after;
    assert_int_equal(write_to(&before, snapshot), KEEL_OK);

    is_system_full = true;
    const keel_result result = write_to(&after, snapshot);
    is_system_full = false;
    assert_int_equal(result, KEEL_ERROR_MEMORY);
    assert_string_equal(keel_last_error(a.world)->message,
                        "out of memory while writing a snapshot; nothing was changed");
    keel_clear_errors(a.world);

    assert_int_equal(write_to(&after, snapshot), KEEL_OK);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    keel_snapshot_destroy(snapshot);
    api_end(&a);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(writing_without_memory, "writing a snapshot without memory says so"),
    };
    return RUN(tests);
}
