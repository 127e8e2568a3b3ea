// SPDX-License-Identifier: MIT
// Places for labels: beside what they name, and never over each other.
#pragma once
#include "image_style.h"

enum { MAX_LABEL_BOXES = 2048, MAX_LABEL_POINTS = 16384 };

typedef struct label_box {
    double left, top, right, bottom;
} label_box;

typedef struct label_set {
    label_box area;                   // where labels may be
    label_box boxes[MAX_LABEL_BOXES]; // what they must not touch: discs and labels placed before
    int box_count;
    double points[MAX_LABEL_POINTS][3]; // what they had better not cover: x, y, length of line
    int point_count;
} label_set;

// Keep labels off a disc, or off a rectangle. Beyond the set's capacity it is forgotten.
void labels_avoid_disc(label_set *set, double x, double y, double radius);
void labels_avoid_box(label_set *set, label_box box);

// Keep labels off a point if they can do so: it stands for some pixels of a line.
void labels_avoid_point(label_set *set, double x, double y, double pixels);

// Draw a label beside a disc, in the current font. A label that fits nowhere is left out.
void labels_draw(label_set *set, cairo_t *canvas, double x, double y, double radius, double size,
                 colour tint, const char *text);
