// SPDX-License-Identifier: MIT
// What the view of the orrery shows, and what each key, click and touch does to it.
#include "view_state.h"
#include "components.h"
#include "dates.h"
#include "systems.h"
#include "view_look.h"
#include <math.h>
#include <stdlib.h>

// Days in a second.
static const double speeds[] = { -100, -30, -10, -3, -1, -0.1, 0.1, 1, 3, 10, 30, 100, 365 };
enum { SPEED_COUNT = sizeof speeds / sizeof speeds[0], FIRST_SPEED = 9 };

// The elements of the planets are good in these years, 1800 to 2050.
static const double first_jd = 2378496.5, last_jd = 2470171.5;
// What a screen shows at first: the orbit of Jupiter.
static const double first_reach = 5.7, most_tilt = 1.25;

double view_speed(const view *shown) { return speeds[shown->speed]; }

bool view_begin(view *shown, double jd) {
    shown->jd = fmin(last_jd, fmax(first_jd, jd));
    shown->speed = FIRST_SPEED;
    shown->followed = -1;
    shown->bodies = calloc((size_t)shown->list->count, sizeof *shown->bodies);
    shown->order = calloc((size_t)shown->list->count, sizeof *shown->order);
    if (!shown->bodies || !shown->order) return false;
    for (int k = 0; k < shown->list->count; ++k) shown->order[k] = k;
    return true;
}

void view_end(view *shown) {
    free(shown->bodies);
    free(shown->order);
    paint_free(&shown->canvas);
    shown->bodies = NULL;
    shown->order = NULL;
}

// ---------------------------------------------------------------- camera

// A wide screen sees the system from the side, as much as fills it.
static void see_whole(view *shown, double reach) {
    camera *from = &shown->camera;
    const double shape = from->height / from->width;
    from->x = from->y = from->z = 0;
    from->tilt = acos(fmin(0.97, fmax(0.5, shape * 0.95)));
    from->zoom = fmin(from->width, from->height / cos(from->tilt)) / 2 / reach;
    shown->followed = -1;
    shown->wanted_zoom = 0;
}

bool view_resize(view *shown, int width, int height, float unit) {
    const bool is_first = !shown->canvas.pixels;
    const double before = fmin(shown->camera.width, shown->camera.height);
    if (!paint_resize(&shown->canvas, width, height, unit)) return false;
    shown->camera.width = width;
    shown->camera.height = height;
    ++shown->stars;
    if (is_first) see_whole(shown, first_reach);
    else shown->camera.zoom *= fmin(width, height) / before;
    return true;
}

static void centre_on(view *shown, const double place[3]) {
    camera *from = &shown->camera;
    from->x = place[0] + shown->offset[0];
    from->y = place[1] + shown->offset[1];
    from->z = place[2] + shown->offset[2];
}

void view_follow(view *shown, int body) {
    if (body < 0 || body >= shown->list->count) return;
    const double *place = shown->bodies[body].place;
    shown->followed = body;
    shown->offset[0] = shown->camera.x - place[0];
    shown->offset[1] = shown->camera.y - place[1];
    shown->offset[2] = shown->camera.z - place[2];
}

// Returns the distance that should fit on the screen when somebody looks at a body closely, au.
static double reach_of(const view *shown, int body) {
    double farthest = 0;
    for (int k = 0; k < shown->list->count; ++k) {
        const double a = shown->list->items[k].at_j2000.a;
        if (shown->list->items[k].parent == body && a > farthest) farthest = a;
    }
    if (body == shown->list->centre) return first_reach;
    return farthest > 0 ? farthest : 0.01;
}

static void come_near(view *shown, int body) {
    const double side = fmin(shown->camera.width, shown->camera.height);
    shown->wanted_zoom = side / 2.6 / reach_of(shown, body);
}

bool view_click(view *shown, double x, double y) {
    int nearest = -1;
    double best = 1e30;
    for (int k = 0; k < shown->list->count; ++k) {
        const seen_body *body = &shown->bodies[k];
        const double distance = hypot(body->at.x - x, body->at.y - y) - body->radius;
        if (!body->is_shown || distance > 20 * (double)shown->canvas.unit || distance >= best) continue;
        nearest = k;
        best = distance;
    }
    if (nearest < 0) return false;
    if (nearest == shown->followed) come_near(shown, nearest);
    else view_follow(shown, nearest);
    return true;
}

void view_pan(view *shown, double right, double down) {
    shown->followed = -1;
    shown->wanted_zoom = 0;
    camera_pan(&shown->camera, right, down);
}

void view_zoom(view *shown, double factor, double x, double y) {
    shown->wanted_zoom = 0;
    if (shown->followed >= 0) {
        x = shown->camera.width / 2;
        y = shown->camera.height / 2;
    }
    camera_zoom(&shown->camera, factor, x, y);
}

void view_act(view *shown, view_action action) {
    camera *from = &shown->camera;
    switch (action) {
    case VIEW_SLOWER: shown->speed -= shown->speed > 0; break;
    case VIEW_FASTER: shown->speed += shown->speed < SPEED_COUNT - 1; break;
    case VIEW_PAUSE: shown->is_paused = !shown->is_paused; break;
    case VIEW_NARROW: view_zoom(shown, 1.4, from->width / 2, from->height / 2); break;
    case VIEW_WIDE: view_zoom(shown, 1 / 1.4, from->width / 2, from->height / 2); break;
    case VIEW_WHOLE: see_whole(shown, from->zoom * first_reach < from->height / 4 ? first_reach : 32); break;
    case VIEW_RELEASE: shown->followed = -1; break;
    case VIEW_TILT_UP: from->tilt = fmax(0, from->tilt - 0.05); break;
    case VIEW_TILT_DOWN: from->tilt = fmin(most_tilt, from->tilt + 0.05); break;
    case VIEW_NONE: break;
    }
}

// ---------------------------------------------------------------- time

static void run_clock(view *shown, double seconds) {
    if (shown->is_paused) return;
    shown->jd += view_speed(shown) * seconds;
    if (shown->jd >= first_jd && shown->jd <= last_jd) return;
    shown->jd = fmin(last_jd, fmax(first_jd, shown->jd));
    shown->is_paused = true;
}

// Copies what the world says. Name has the fewest values, so that its order leads the loop: the list's.
static void collect(view *shown) {
    int k = 0;
    KEEL_EACH(shown->world, KEEL_READ(Name, name), KEEL_READ(Position, position),
              KEEL_OPTIONAL_READ(Orbit, orbit), KEEL_OPTIONAL_READ(Anomaly, anomaly)) {
        (void)name;
        seen_body *body = &shown->bodies[k++];
        body->place[0] = position->x;
        body->place[1] = position->y;
        body->place[2] = position->z;
        if (!orbit || !anomaly) continue; // the centre
        body->path = orbit->path;
        body->anomaly = atan2(anomaly->sine, anomaly->cosine);
    }
}

static void move_camera(view *shown, double seconds) {
    const double rest = exp(-6 * seconds);
    if (shown->wanted_zoom > 0) {
        camera *from = &shown->camera;
        from->zoom = exp(log(shown->wanted_zoom) + log(from->zoom / shown->wanted_zoom) * rest);
        if (fabs(from->zoom / shown->wanted_zoom - 1) < 0.01) shown->wanted_zoom = 0;
    }
    if (shown->followed < 0) return;
    for (int k = 0; k < 3; ++k) shown->offset[k] *= rest;
    centre_on(shown, shown->bodies[shown->followed].place);
}

// Finds where everything is on the screen, parents or not: a moon hides while its planet's disc reaches it.
static void place_bodies(view *shown) {
    const lens through = camera_lens(&shown->camera);
    const double near = sqrt(fmax(1, shown->camera.zoom / (double)shown->canvas.unit / 60));
    for (int k = 0; k < shown->list->count; ++k) {
        const body_row *row = &shown->list->items[k];
        seen_body *body = &shown->bodies[k];
        const body_look look = body_look_of(row->name);
        const double grown = fmin(2.6, pow(near, 0.3));
        body->at = lens_project(&through, body->place);
        body->radius = (double)(look.radius * shown->canvas.unit) * grown;
        body->is_shown = true;
        if (row->parent < 0 || row->parent == shown->list->centre) continue;
        const double planet = (double)(body_look_of(row->parent_name).radius * shown->canvas.unit) * grown;
        const double orbit = row->at_j2000.a * shown->camera.zoom;
        body->is_shown = orbit > planet * 1.5;
        body->radius = fmin(body->radius, orbit * 0.3);
    }
}

void view_stand(view *shown, double seconds) {
    collect(shown);
    move_camera(shown, seconds);
    place_bodies(shown);
}

keel_result view_advance(view *shown, double seconds) {
    run_clock(shown, seconds);
    KEEL_TRY(orrery_step(shown->world, shown->jd));
    view_stand(shown, seconds);
    return KEEL_OK;
}

void view_take_time(view *shown) {
    const Clock *clock = keel_get_unique(shown->world, Clock);
    if (clock) shown->jd = fmin(last_jd, fmax(first_jd, J2000 + clock->centuries * DAYS_PER_CENTURY));
}
