// SPDX-License-Identifier: MIT
// What the parts of the picture share: colours, sizes, text.
#include "image_style.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const colour colour_text = { 0.93, 0.94, 0.97 };
const colour colour_faint_text = { 0.56, 0.62, 0.74 };
const colour colour_line = { 0.45, 0.55, 0.75 };
const colour colour_night = { 0.020, 0.027, 0.055 };

// Radii are for telling the bodies apart, far from true proportions.
static const struct {
    const char *name;
    look shape;
} looks[] = {
    { "Sun", { { 1.00, 0.86, 0.45 }, 19, false } },
    { "Mercury", { { 0.76, 0.70, 0.65 }, 6.5, false } },
    { "Venus", { { 0.96, 0.82, 0.56 }, 9.5, false } },
    { "Earth", { { 0.38, 0.64, 0.98 }, 10, false } },
    { "EarthMoon", { { 0.38, 0.64, 0.98 }, 10, false } },
    { "Mars", { { 0.93, 0.44, 0.28 }, 8, false } },
    { "Jupiter", { { 0.90, 0.72, 0.54 }, 19, false } },
    { "Saturn", { { 0.93, 0.82, 0.58 }, 15, true } },
    { "Uranus", { { 0.55, 0.86, 0.90 }, 13, false } },
    { "Neptune", { { 0.36, 0.50, 0.98 }, 13, false } },
    { "Moon", { { 0.80, 0.81, 0.84 }, 4, false } },
    { "Io", { { 0.97, 0.89, 0.48 }, 4, false } },
    { "Europa", { { 0.85, 0.80, 0.72 }, 3.6, false } },
    { "Ganymede", { { 0.74, 0.68, 0.62 }, 5, false } },
    { "Callisto", { { 0.60, 0.56, 0.54 }, 4.6, false } },
    { "Titan", { { 0.96, 0.76, 0.38 }, 5, false } },
};

look look_of(const char *name) {
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; ++k)
        if (strcmp(looks[k].name, name) == 0) return looks[k].shape;
    return (look){ { 0.72, 0.76, 0.84 }, 3.6, false };
}

void set_colour(cairo_t *canvas, colour tint, double alpha) {
    cairo_set_source_rgba(canvas, tint.red, tint.green, tint.blue, alpha);
}

static void draw_ring(cairo_t *canvas, double x, double y, look shape) {
    cairo_save(canvas);
    cairo_translate(canvas, x, y);
    cairo_rotate(canvas, -0.4);
    cairo_scale(canvas, 1, 0.36);
    cairo_new_path(canvas);
    cairo_arc(canvas, 0, 0, shape.radius * 1.75, 0, 2 * IMAGE_PI);
    cairo_restore(canvas); // the pen stays round
    set_colour(canvas, shape.tint, 0.75);
    cairo_set_line_width(canvas, shape.radius * 0.2);
    cairo_stroke(canvas);
}

void draw_ball(cairo_t *canvas, double x, double y, look shape, double light_x, double light_y) {
    const double r = shape.radius, length = hypot(light_x, light_y);
    const double dx = length > 0 ? light_x / length * r * 0.55 : 0;
    const double dy = length > 0 ? light_y / length * r * 0.55 : 0;
    cairo_pattern_t *shade = cairo_pattern_create_radial(x + dx, y + dy, 0, x + dx, y + dy, r * 1.75);
    const colour c = shape.tint;
    cairo_pattern_add_color_stop_rgb(shade, 0, 0.45 + 0.55 * c.red, 0.45 + 0.55 * c.green,
                                     0.45 + 0.55 * c.blue);
    cairo_pattern_add_color_stop_rgb(shade, 0.35, c.red, c.green, c.blue);
    cairo_pattern_add_color_stop_rgb(shade, 1, c.red * 0.22, c.green * 0.22, c.blue * 0.24);
    // A dark rim sets the ball off from its orbit.
    set_colour(canvas, colour_night, 0.9);
    cairo_new_path(canvas);
    cairo_arc(canvas, x, y, r + 2, 0, 2 * IMAGE_PI);
    cairo_fill(canvas);
    cairo_set_source(canvas, shade);
    cairo_arc(canvas, x, y, r, 0, 2 * IMAGE_PI);
    cairo_fill(canvas);
    cairo_pattern_destroy(shade);
    if (shape.has_ring) draw_ring(canvas, x, y, shape);
}

void set_font(cairo_t *canvas, double size, bool is_bold) {
    cairo_select_font_face(canvas, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas, size);
}

double text_width(cairo_t *canvas, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(canvas, text, &extents);
    return extents.x_advance;
}

void draw_text(cairo_t *canvas, double x, double y, alignment align, colour tint,
               const char *text) {
    const double width = text_width(canvas, text);
    const double shift = align == ALIGN_LEFT ? 0 : align == ALIGN_CENTRE ? width / 2 : width;
    cairo_new_path(canvas);
    cairo_move_to(canvas, x - shift, y);
    cairo_text_path(canvas, text);
    set_colour(canvas, colour_night, 0.85);
    cairo_set_line_width(canvas, 5);
    cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke_preserve(canvas);
    set_colour(canvas, tint, 1);
    cairo_fill(canvas);
}

void format_count(unsigned long long count, char *text, size_t size) {
    char digits[32];
    const int length = snprintf(digits, sizeof digits, "%llu", count);
    size_t at = 0;
    for (int k = 0; k < length && at + 2 < size; ++k) {
        if (k > 0 && (length - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = '\0';
}
