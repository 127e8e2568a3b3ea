// SPDX-License-Identifier: MIT
// Places for labels.
// A label is tried in rings of growing distance around its disc, and goes where it touches nothing
// that is forbidden and where distance and covered lines cost least. The first places come first.
#include "image_labels.h"
#include <math.h>

enum { DIRECTIONS = 24, RINGS = 6 };
static const double nearest_gap = 4, ring_gap = 6; // pixels between disc and label

static bool overlap(label_box a, label_box b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

void labels_avoid_box(label_set *set, label_box box) {
    if (set->box_count < MAX_LABEL_BOXES) set->boxes[set->box_count++] = box;
}

void labels_avoid_disc(label_set *set, double x, double y, double radius) {
    labels_avoid_box(set, (label_box){ x - radius, y - radius, x + radius, y + radius });
}

void labels_avoid_point(label_set *set, double x, double y, double pixels) {
    if (set->point_count == MAX_LABEL_POINTS) return;
    double *point = set->points[set->point_count++];
    point[0] = x;
    point[1] = y;
    point[2] = pixels;
}

static bool is_free(const label_set *set, label_box box) {
    const label_box *area = &set->area;
    if (box.left < area->left || box.right > area->right || box.top < area->top ||
        box.bottom > area->bottom)
        return false;
    for (int k = 0; k < set->box_count; ++k)
        if (overlap(box, set->boxes[k])) return false;
    return true;
}

// How many pixels of lines a box covers.
static double covered_by(const label_set *set, label_box box) {
    double pixels = 0;
    for (int k = 0; k < set->point_count; ++k) {
        const double *point = set->points[k];
        if (point[0] > box.left && point[0] < box.right && point[1] > box.top &&
            point[1] < box.bottom)
            pixels += point[2];
    }
    return pixels;
}

// The box of width x height that lies in a direction of the disc and just does not touch it.
static label_box box_beside(double x, double y, double radius, double direction, double width,
                            double height) {
    const double c = cos(direction), s = sin(direction);
    // How far the middle of the box is from where it is nearest to the disc, in this direction.
    const double reach = fmin(width / 2 / fmax(fabs(c), 1e-9), height / 2 / fmax(fabs(s), 1e-9));
    const double middle_x = x + c * (radius + reach), middle_y = y + s * (radius + reach);
    return (label_box){ middle_x - width / 2, middle_y - height / 2, middle_x + width / 2,
                        middle_y + height / 2 };
}

static bool find_box(const label_set *set, double x, double y, double radius, double width,
                     double height, label_box *best) {
    double best_cost = INFINITY;
    for (int ring = 0; ring < RINGS; ++ring) {
        for (int k = 0; k < DIRECTIONS; ++k) {
            const double gap = nearest_gap + ring_gap * ring;
            const label_box box = box_beside(x, y, radius + gap, 2 * IMAGE_PI * k / DIRECTIONS,
                                             width, height);
            if (!is_free(set, box)) continue;
            const double cost = 0.12 * covered_by(set, box) + 2.5 * ring;
            if (cost >= best_cost) continue;
            best_cost = cost;
            *best = box;
        }
    }
    return best_cost < INFINITY;
}

// A line from the disc to a label that is not close to it.
static void draw_leader(cairo_t *canvas, double x, double y, double radius, label_box box) {
    const double to_x = fmin(fmax(x, box.left), box.right);
    const double to_y = fmin(fmax(y, box.top), box.bottom);
    const double dx = to_x - x, dy = to_y - y, length = hypot(dx, dy);
    if (length < radius + nearest_gap + 1.5 * ring_gap) return;
    const double start = (radius + 2) / length;
    cairo_new_path(canvas);
    cairo_move_to(canvas, x + dx * start, y + dy * start);
    cairo_line_to(canvas, to_x, to_y);
    set_colour(canvas, colour_faint_text, 0.8);
    cairo_set_line_width(canvas, 1);
    cairo_stroke(canvas);
}

void labels_draw(label_set *set, cairo_t *canvas, double x, double y, double radius, double size,
                 colour tint, const char *text) {
    label_box box = { 0 };
    if (set->box_count == MAX_LABEL_BOXES) return; // the next label would not know of this one
    set_font(canvas, size, false);
    const double width = text_width(canvas, text) + 4, height = size * 1.05;
    if (!find_box(set, x, y, radius, width, height, &box)) return;
    draw_leader(canvas, x, y, radius, box);
    draw_text(canvas, box.left + 2, box.bottom - size * 0.26, ALIGN_LEFT, tint, text);
    labels_avoid_box(set, box);
}
