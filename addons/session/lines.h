// SPDX-License-Identifier: MIT
// Writes the content of an image as lines of text that two machines, or two runs, can compare;
// finds the first component, block, entity and field in which two worlds differ. It knows no
// session.
#pragma once
#include <keel/keel.h>

enum {
    LINES_BYTES = 56000, // the longest text of a block
    LINES_BLOCK = 64,    // indices whose values are written at once
    LINES_PARTS = 512
};

// Writes a line for each field of each value of a component whose entity has an index from `first`
// on, in LINES_BLOCK indices: handle and name, field, value, with tabs between. Uniques, events and
// edges have lines, too. What does not fit is left out.
void keeli_lines_write(const keel_world *image, const keel_component *component, uint32_t first,
                       char text[LINES_BYTES]);
// Compares the lines of two sides. Writes what differs first: `Velocity.x of 3v1 "ship": 1 here, 2
// there`. Returns false if nothing does.
// `sides` are the words for the two sides: "here" and "there".
bool keeli_lines_compare(const char *component, const char *const texts[2],
                         const char *const sides[2], char *text, size_t size);
// Finds the first value in which two images differ, and writes it as above. Returns false if the
// hashes of all parts are the same.
bool keeli_images_compare(const keel_world *const images[2], const char *const sides[2], char *text,
                          size_t size);
