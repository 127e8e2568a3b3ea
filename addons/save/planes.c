// SPDX-License-Identifier: MIT
// Reorders elements into planes of bytes and back, because planes compress better: plane k has byte
// k of each element. Eight bytes of eight elements are a matrix, which is transposed in registers
// in three steps. This file compresses nothing: sections.c calls it for each chunk.
#include "save.h"

#include <string.h>

// The fast versions transpose eight bytes of sixteen elements at a time, by SSE2. They return the
// number of elements converted, a multiple of 16; the caller converts the rest.
#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i pair_bytes(__m128i a, __m128i b, uint32_t upper) {
    return upper ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
}

static uint32_t fast_to_planes(unsigned char *out, const unsigned char *in, uint32_t count,
                               uint32_t element) {
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m128i a[8], b[2][4], c[4][2];
        const unsigned char *row = in + (size_t)i * element;
        for (uint32_t k = 0; k < 8; ++k)
            a[k] = _mm_unpacklo_epi8(
                _mm_loadl_epi64((const __m128i *)(const void *)(row + (size_t)k * element)),
                _mm_loadl_epi64((const __m128i *)(const void *)(row + (size_t)(k + 8) * element)));
        for (uint32_t k = 0; k < 8; ++k)
            b[k / 4][k % 4] = pair_bytes(a[k % 4], a[k % 4 + 4], k / 4);
        for (uint32_t k = 0; k < 8; ++k)
            c[k / 2][k % 2] = pair_bytes(b[k / 4][k % 2], b[k / 4][k % 2 + 2], k / 2 % 2);
        for (uint32_t k = 0; k < 8; ++k)
            _mm_storeu_si128((__m128i *)(void *)(out + (size_t)k * count + i),
                             pair_bytes(c[k / 2][0], c[k / 2][1], k % 2));
    }
    return i;
}

static uint32_t fast_from_planes(unsigned char *out, const unsigned char *in, uint32_t count,
                                 uint32_t element) {
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m128i p[8], x[2][4], y[4][2];
        for (uint32_t k = 0; k < 8; ++k)
            p[k] = _mm_loadu_si128((const __m128i *)(const void *)(in + (size_t)k * count + i));
        for (uint32_t k = 0; k < 8; ++k)
            x[k / 4][k % 4] = pair_bytes(p[k % 4 * 2], p[k % 4 * 2 + 1], k / 4);
        for (uint32_t k = 0; k < 8; ++k) {
            const __m128i *of = &x[k / 4][k % 2 * 2];
            y[k / 2][k % 2] =
                k / 2 % 2 ? _mm_unpackhi_epi16(of[0], of[1]) : _mm_unpacklo_epi16(of[0], of[1]);
        }
        unsigned char *row = out + (size_t)i * element;
        for (uint32_t k = 0; k < 8; ++k, row += 2 * (size_t)element) {
            const __m128i *of = y[k / 2];
            const __m128i two =
                k % 2 ? _mm_unpackhi_epi32(of[0], of[1]) : _mm_unpacklo_epi32(of[0], of[1]);
            _mm_storel_epi64((__m128i *)(void *)row, two);
            _mm_storel_epi64((__m128i *)(void *)(row + element), _mm_unpackhi_epi64(two, two));
        }
    }
    return i;
}
#else
static uint32_t fast_to_planes(unsigned char *out, const unsigned char *in, uint32_t count,
                               uint32_t element) {
    (void)out, (void)in, (void)count, (void)element;
    return 0;
}
static uint32_t fast_from_planes(unsigned char *out, const unsigned char *in, uint32_t count,
                                 uint32_t element) {
    (void)out, (void)in, (void)count, (void)element;
    return 0;
}
#endif

// Returns up to eight bytes as a word, the first byte lowest.
static inline uint64_t load(const unsigned char *at, uint32_t bytes) {
    uint64_t word = 0;
    memcpy(&word, at, bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}
static inline void store(unsigned char *at, uint64_t word, uint32_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, bytes);
}

static inline void swap(uint64_t *a, uint64_t *b, uint32_t shift, uint64_t mask) {
    const uint64_t other = (*a >> shift ^ *b) & mask;
    *b ^= other;
    *a ^= other << shift;
}
// Transposes a matrix of 8 x 8 bytes.
static inline void turn(uint64_t m[8]) {
    for (uint32_t i = 0; i < 4; ++i)
        swap(&m[i], &m[i + 4], 32, 0x00000000FFFFFFFFu);
    for (uint32_t i = 0; i < 8; i += i % 4 ? 3 : 1)
        swap(&m[i], &m[i + 2], 16, 0x0000FFFF0000FFFFu);
    for (uint32_t i = 0; i < 8; i += 2)
        swap(&m[i], &m[i + 1], 8, 0x00FF00FF00FF00FFu);
}

// Reorders `width` bytes of each element, 4 or 8. Inlined, so that `width` is a constant. Returns
// the number of elements converted; the caller converts the rest, fewer than 8.
static inline __attribute__((always_inline)) uint32_t
some_to_planes(unsigned char *out, const unsigned char *in, uint32_t count, uint32_t element,
               uint32_t width) {
    uint32_t i = width == 8 ? fast_to_planes(out, in, count, element) : 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t m[8];
        for (uint32_t k = 0; k < 8; ++k)
            m[k] = load(in + (size_t)(i + k) * element, width);
        turn(m);
        for (uint32_t k = 0; k < width; ++k)
            store(out + (size_t)k * count + i, m[k], 8);
    }
    return i;
}
static inline __attribute__((always_inline)) uint32_t
some_from_planes(unsigned char *out, const unsigned char *in, uint32_t count, uint32_t element,
                 uint32_t width) {
    uint32_t i = width == 8 ? fast_from_planes(out, in, count, element) : 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t m[8] = { 0 };
        for (uint32_t k = 0; k < width; ++k)
            m[k] = load(in + (size_t)k * count + i, 8);
        turn(m);
        for (uint32_t k = 0; k < 8; ++k)
            store(out + (size_t)(i + k) * element, m[k], width);
    }
    return i;
}

static uint32_t width_at(uint32_t k, uint32_t element) {
    return k + 8 <= element ? 8 : k + 4 <= element ? 4 : 1;
}

void save_to_planes(unsigned char *out, const unsigned char *in, uint32_t size, uint32_t element) {
    const uint32_t count = size / element;
    for (uint32_t k = 0, width; k < element; k += width) {
        unsigned char *planes = out + (size_t)k * count;
        uint32_t done = 0;
        width = width_at(k, element);
        if (width == 8) done = some_to_planes(planes, in + k, count, element, 8);
        else if (width == 4) done = some_to_planes(planes, in + k, count, element, 4);
        for (uint32_t i = done; i < count; ++i)
            for (uint32_t j = 0; j < width; ++j)
                planes[(size_t)j * count + i] = in[(size_t)i * element + k + j];
    }
}

void save_from_planes(unsigned char *out, const unsigned char *in, uint32_t size,
                      uint32_t element) {
    const uint32_t count = size / element;
    for (uint32_t k = 0, width; k < element; k += width) {
        const unsigned char *planes = in + (size_t)k * count;
        uint32_t done = 0;
        width = width_at(k, element);
        if (width == 8) done = some_from_planes(out + k, planes, count, element, 8);
        else if (width == 4) done = some_from_planes(out + k, planes, count, element, 4);
        for (uint32_t i = done; i < count; ++i)
            for (uint32_t j = 0; j < width; ++j)
                out[(size_t)i * element + k + j] = planes[(size_t)j * count + i];
    }
}
