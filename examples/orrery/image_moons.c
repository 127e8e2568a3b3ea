// SPDX-License-Identifier: MIT
// Small maps of the bodies that have moons: each in its own linear scale.
#include "image_moons.h"
#include "image_labels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PANELS = 8, MOON_ORBIT_POINTS = 120 };

static const double km_per_au = 149597870.7;

typedef struct panel {
    cairo_t *canvas;
    const scene *shown;
    int host;             // position of the body that has the moons
    double x, y;          // middle of the map, pixels
    double pixels_per_au;
    label_set *labels;
} panel;

static double apocentre_of(const ellipse *path) {
    const double *p = path->p;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * (1 + path->e);
}

static double outermost(const scene *shown, int host) {
    double farthest = 0;
    for (int k = 0; k < shown->body_count; ++k)
        if (shown->bodies[k].parent == host)
            farthest = fmax(farthest, apocentre_of(&shown->bodies[k].path));
    return farthest;
}

static double innermost(const scene *shown, int host) {
    double nearest = INFINITY;
    for (int k = 0; k < shown->body_count; ++k)
        if (shown->bodies[k].parent == host)
            nearest = fmin(nearest, apocentre_of(&shown->bodies[k].path));
    return nearest;
}

static void draw_orbit(const panel *in, const scene_body *moon) {
    const double *p = moon->path.p, *q = moon->path.q, scale = in->pixels_per_au;
    const double spacing = 2 * IMAGE_PI * scale * apocentre_of(&moon->path) / MOON_ORBIT_POINTS;
    cairo_new_path(in->canvas);
    for (int k = 0; k < MOON_ORBIT_POINTS; ++k) {
        const double eccentric = 2 * IMAGE_PI * k / MOON_ORBIT_POINTS;
        const double along = cos(eccentric) - moon->path.e, across = sin(eccentric);
        const double x = in->x + scale * (along * p[0] + across * q[0]);
        const double y = in->y - scale * (along * p[1] + across * q[1]);
        cairo_line_to(in->canvas, x, y);
        labels_avoid_point(in->labels, x, y, spacing);
    }
    cairo_close_path(in->canvas);
    set_colour(in->canvas, look_of(moon->name).tint, 0.45);
    cairo_set_line_width(in->canvas, 1.2);
    cairo_stroke(in->canvas);
}

static void draw_host(const panel *in) {
    const scene_body *host = &in->shown->bodies[in->host];
    look seen = look_of(host->name);
    const double room = innermost(in->shown, in->host) * in->pixels_per_au * 0.45;
    seen.radius = fmin(fmin(seen.radius, 14), fmax(room, 3));
    draw_ball(in->canvas, in->x, in->y, seen, -host->x, host->y); // lit by the Sun
    labels_avoid_disc(in->labels, in->x, in->y, seen.radius * (seen.has_ring ? 1.8 : 1));
}

static void draw_moons(const panel *in, bool names) {
    for (int k = 0; k < in->shown->body_count; ++k) {
        const scene_body *moon = &in->shown->bodies[k];
        if (moon->parent != in->host) continue;
        const look seen = look_of(moon->name);
        const double x = in->x + in->pixels_per_au * moon->local_x;
        const double y = in->y - in->pixels_per_au * moon->local_y;
        if (names) {
            labels_draw(in->labels, in->canvas, x, y, seen.radius, 15, colour_text, moon->name);
        } else {
            draw_ball(in->canvas, x, y, seen, 0, 0);
            labels_avoid_disc(in->labels, x, y, seen.radius);
        }
    }
}

// Three digits, such as "405,000 km".
static void format_km(double au, char *text, size_t size) {
    const double km = au * km_per_au;
    const double unit = pow(10, fmax(floor(log10(fmax(km, 1))) - 2, 0));
    char number[32];
    format_count((unsigned long long)(round(km / unit) * unit), number, sizeof number);
    if (km < 999500) snprintf(text, size, "%s km", number);
    else snprintf(text, size, "%.2f million km", km / 1e6);
}

static void draw_panel(panel *in, label_box box) {
    const double title = 54, margin = 16;
    const double farthest = outermost(in->shown, in->host);
    const double width = box.right - box.left, height = box.bottom - box.top - title - 30;
    const double radius = fmin(width, height) / 2 - margin;
    in->x = (box.left + box.right) / 2;
    in->y = box.top + title + height / 2;
    in->pixels_per_au = radius / farthest;
    in->labels->box_count = in->labels->point_count = 0;
    in->labels->area = (label_box){ box.left + 2, box.top + title - 16, box.right - 2, box.bottom - 28 };
    for (int k = 0; k < in->shown->body_count; ++k)
        if (in->shown->bodies[k].parent == in->host) draw_orbit(in, &in->shown->bodies[k]);
    draw_host(in);
    draw_moons(in, false);
    draw_moons(in, true);
    char size[48];
    format_km(farthest, size, sizeof size);
    set_font(in->canvas, 18, true);
    draw_text(in->canvas, in->x, box.top + 26, ALIGN_CENTRE, colour_text,
              in->shown->bodies[in->host].name);
    set_font(in->canvas, 14, false);
    draw_text(in->canvas, in->x, box.bottom - 8, ALIGN_CENTRE, colour_faint_text, size);
}

// Bodies that have moons, in the order of the file; the centre has planets.
static int find_hosts(const scene *shown, int hosts[MAX_PANELS]) {
    int count = 0;
    for (int k = 0; k < shown->body_count && count < MAX_PANELS; ++k)
        if (shown->bodies[k].parent >= 0 && outermost(shown, k) > 0) hosts[count++] = k;
    return count;
}

bool moons_draw(cairo_t *canvas, const scene *shown, double left, double top, double width,
                double height) {
    int hosts[MAX_PANELS];
    const int count = find_hosts(shown, hosts);
    panel drawn = { .canvas = canvas, .shown = shown, .labels = calloc(1, sizeof *drawn.labels) };
    if (!drawn.labels || count == 0) {
        free(drawn.labels);
        return false; // the picture is good without them
    }
    const double each = fmin(width / count, height * 1.1), gap = 12;
    const double first = left + (width - each * count) / 2;
    for (int k = 0; k < count; ++k) {
        drawn.host = hosts[k];
        draw_panel(&drawn, (label_box){ first + each * k + gap / 2, top,
                                        first + each * (k + 1) - gap / 2, top + height });
    }
    free(drawn.labels);
    return true;
}
