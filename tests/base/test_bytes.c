// SPDX-License-Identifier: MIT
// Copies of values whose size is known at run time only.
#include "base/bytes.h"

#include "support/test.h"

typedef void copy(void *to, const void *from, uint32_t size);

static void copies_exactly(copy *copy_bytes, uint32_t size) {
    unsigned char from[192], to[192];
    for (uint32_t i = 0; i < sizeof from; ++i)
        from[i] = (unsigned char)(i + 1);
    memset(to, 0xEE, sizeof to);
    copy_bytes(to + 16, from + 16, size);
    for (uint32_t i = 0; i < sizeof to; ++i)
        assert_int_equal(to[i], i >= 16 && i - 16 < size ? from[i] : 0xEE);
    copy_bytes(from + 16, from + 16, size); // to where it is
    for (uint32_t i = 0; i < sizeof from; ++i)
        assert_int_equal(from[i], (unsigned char)(i + 1));
}

static void copy_moved(void *to, const void *from, uint32_t size) {
    keeli_bytes_copy(to, from, size);
}
static void copy_fresh(void *to, const void *from, uint32_t size) {
    keeli_bytes_copy_fresh(to, from, size);
}

static void every_size_is_copied_and_nothing_around_it(void **state) {
    (void)state;
    for (uint32_t size = 0; size <= 160; ++size) {
        copies_exactly(copy_moved, size);
        copies_exactly(copy_fresh, size);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(every_size_is_copied_and_nothing_around_it,
         "copies of 0 to 160 bytes, also onto themselves"),
};

int main(void) { return RUN(tests); }
