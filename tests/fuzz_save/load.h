// SPDX-License-Identifier: MIT
// Byte strings as saves: see load.c.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef enum load_how {
    LOAD_RAW,      // the bytes are the file
    LOAD_REPAIRED, // the same, with hashes that are right again
    LOAD_BODIES,   // sections are made of them: a letter, a length of two bytes, the body
    LOAD_WAYS
} load_how;
// Load them; aborts when the world is not sound afterwards. Did it load?
int load_bytes(load_how how, const uint8_t *bytes, size_t size);
// A save to begin with, in that form: how many bytes, at most `room`.
size_t load_sample(load_how how, uint8_t *out, size_t room);
// The first byte says how.
int load_string(const uint8_t *bytes, size_t size);
