// SPDX-License-Identifier: MIT
// The picture of a scene: a page with a title, the map, the moons and a line of explanation.
#include "image.h"
#include "dates.h"
#include "image_map.h"
#include "image_moons.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_WIDTH = 1600, PAGE_HEIGHT = 2000 };

static void draw_background(cairo_t *canvas, double x, double y) {
    cairo_pattern_t *sky = cairo_pattern_create_radial(x, y, 0, x, y, PAGE_HEIGHT * 0.7);
    cairo_pattern_add_color_stop_rgb(sky, 0, 0.075, 0.090, 0.150);
    cairo_pattern_add_color_stop_rgb(sky, 0.55, 0.035, 0.045, 0.085);
    cairo_pattern_add_color_stop_rgb(sky, 1, colour_night.red, colour_night.green,
                                     colour_night.blue);
    cairo_set_source(canvas, sky);
    cairo_paint(canvas);
    cairo_pattern_destroy(sky);
}

static void draw_title(cairo_t *canvas, const scene *shown) {
    char from[DATE_TEXT_SIZE], to[DATE_TEXT_SIZE], line[96], number[48];
    date_format(shown->from_jd, from);
    date_format(shown->to_jd, to);
    set_font(canvas, 46, true);
    draw_text(canvas, 56, 88, ALIGN_LEFT, colour_text, "Orrery");
    set_font(canvas, 28, false);
    draw_text(canvas, 57, 132, ALIGN_LEFT, colour_text, to);
    set_font(canvas, 17, false);
    if (shown->to_jd > shown->from_jd) {
        snprintf(line, sizeof line, "trails since %s", from);
        draw_text(canvas, 58, 164, ALIGN_LEFT, colour_faint_text, line);
    }
    set_font(canvas, 17, false);
    snprintf(line, sizeof line, "%d bodies", shown->body_count);
    draw_text(canvas, PAGE_WIDTH - 56, 72, ALIGN_RIGHT, colour_faint_text, line);
    if (shown->dust_count > 0) {
        format_count(shown->dust_count, number, sizeof number);
        snprintf(line, sizeof line, "%s asteroid%s", number, shown->dust_count == 1 ? "" : "s");
        draw_text(canvas, PAGE_WIDTH - 56, 98, ALIGN_RIGHT, colour_faint_text, line);
    }
}

static void draw_footer(cairo_t *canvas, const scene *shown, bool has_moons) {
    char scale[128], line[256];
    map_describe_scale(shown, scale, sizeof scale);
    snprintf(line, sizeof line, "Seen from the north pole of the ecliptic; \xE2\x99\x88 is the vernal "
             "equinox of J2000; %s.", scale);
    set_font(canvas, 15, false);
    draw_text(canvas, PAGE_WIDTH / 2.0, PAGE_HEIGHT - 50, ALIGN_CENTRE, colour_faint_text, line);
    if (!has_moons) return;
    draw_text(canvas, PAGE_WIDTH / 2.0, PAGE_HEIGHT - 26, ALIGN_CENTRE, colour_faint_text,
              "Each system of moons has its own scale: the number is the farthest distance from the "
              "planet.");
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int count) {
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS
                                                  : CAIRO_STATUS_WRITE_ERROR;
}

bool image_write(const scene *shown, const output_file *output, failure *why) {
    const double x = PAGE_WIDTH / 2.0, y = 830, radius = 735;
    cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, PAGE_WIDTH, PAGE_HEIGHT);
    cairo_t *canvas = cairo_create(page);
    draw_background(canvas, x, y);
    const bool drawn = map_draw(canvas, shown, x, y, radius);
    const bool has_moons = moons_draw(canvas, shown, 40, 1585, PAGE_WIDTH - 80, 325);
    draw_title(canvas, shown);
    draw_footer(canvas, shown, has_moons);
    cairo_status_t status = drawn ? cairo_status(canvas) : CAIRO_STATUS_NO_MEMORY;
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(page, write_bytes, output->file);
    cairo_surface_destroy(page);
    if (status == CAIRO_STATUS_WRITE_ERROR) return output_fail(output, why);
    return status == CAIRO_STATUS_SUCCESS ||
           fail(why, "orrery: %s: %s", output->path, cairo_status_to_string(status));
}
