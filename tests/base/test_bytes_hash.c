// SPDX-License-Identifier: MIT
// The hash of bytes.
#include "base/bytes.h"

#include "support/test.h"

#include <string.h>

// Published results of XXH64 with seed 0, on little-endian machines.
static void known_texts_have_known_hashes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } known[] = {
        { "", 0xEF46DB3751D8E999u },
        { "a", 0xD24EC4F1A98C6E5Bu },
        { "as", 0x1C330FB2D66BE179u },
        { "asdf", 0x415872F599CEA71Eu },
        { "abc", 0x44BC2CF5AD770999u },
        { "Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1u },
        { "Call me Ishmael. Some years ago--never mind how long precisely-", 0x02A2E85470D6FD96u },
    };
    const uint16_t one = 1;
    if (*(const unsigned char *)&one != 1) skip();
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        assert_true(keeli_hash(known[i].text, strlen(known[i].text), 0) == known[i].hash);
}

static uint32_t bits_of(uint64_t word) {
    uint32_t count = 0;
    for (; word; word &= word - 1)
        ++count;
    return count;
}

// A good hash changes half of its bits.
static void each_bit_counts(void **state) {
    (void)state;
    unsigned char bytes[100] = { 0 };
    for (size_t size = 1; size <= sizeof bytes; size += 3)
        for (size_t bit = 0; bit < size * 8; ++bit) {
            const uint64_t before = keeli_hash(bytes, size, 7);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_in_range(bits_of(before ^ keeli_hash(bytes, size, 7)), 10, 54);
            bytes[bit / 8] = 0;
        }
}

static void seed_and_length_count(void **state) {
    (void)state;
    static const unsigned char zeros[70];
    for (size_t size = 0; size < sizeof zeros; ++size) {
        assert_true(keeli_hash(zeros, size, 0) != keeli_hash(zeros, size, 1));
        assert_true(keeli_hash(zeros, size, 0) != keeli_hash(zeros, size + 1, 0));
        assert_true(keeli_hash_mix(size + 1) != keeli_hash_mix(size));
    }
}

static void addresses_do_not_count(void **state) {
    (void)state;
    unsigned char bytes[120];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i * 37);
    for (size_t size = 0; size < 90; ++size) {
        const uint64_t hash = keeli_hash(bytes, size, 3);
        for (size_t shift = 1; shift < 9; ++shift) {
            unsigned char moved[sizeof bytes];
            memcpy(moved + shift, bytes, size);
            assert_true(keeli_hash(moved + shift, size, 3) == hash);
        }
    }
}

static const struct CMUnitTest tests[] = {
    TEST(known_texts_have_known_hashes, "known texts have the published hashes"),
    TEST(each_bit_counts, "each bit of each length changes about half of the hash"),
    TEST(seed_and_length_count, "seed and length count"),
    TEST(addresses_do_not_count, "the address of the bytes does not count"),
};
int main(void) { return RUN(tests); }
