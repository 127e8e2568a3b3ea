// SPDX-License-Identifier: MIT
// What the view of the orrery shows, and what each key, click and touch does to it. It knows no window:
// view.c hands the input in, view_sky.c and view_hud.c paint it.
#pragma once
#include "bodies.h"
#include "view_camera.h"
#include "view_paint.h"
#include <keel/keel.h>

// A body that is seen, in the order of the list of bodies.
typedef struct seen_body {
    double place[3];  // relative to the centre, au
    ellipse path;     // about its parent
    double anomaly;   // eccentric, radians
    spot at;          // on the screen
    double radius;    // on the screen, pixels
    bool is_shown;    // moons are not while they are too near to their planet
} seen_body;

typedef struct view {
    keel_world *world;
    const body_list *list;
    seen_body *bodies;
    int *order;           // positions in the list, from the farthest to the nearest
    uint32_t belt;        // asteroids
    paint canvas;
    camera camera;
    double jd;            // what the clock shows
    int speed;            // position in the list of speeds
    bool is_paused;
    int followed;         // position in the list; -1: nobody
    double offset[3];     // from the followed body to the middle of the screen; shrinks to nothing
    double wanted_zoom;   // 0: as it is
    double work;          // of a frame, milliseconds
    bool has_input;     // there is a window: buttons and help are shown
    bool is_touch;        // the help line names fingers
    uint32_t stars;       // changes when the background has to be made again
} view;

// What the buttons and keys do.
typedef enum view_action {
    VIEW_NONE,
    VIEW_SLOWER,
    VIEW_PAUSE,
    VIEW_FASTER,
    VIEW_NARROW,
    VIEW_WIDE,
    VIEW_WHOLE,
    VIEW_RELEASE,
    VIEW_TILT_UP,
    VIEW_TILT_DOWN,
} view_action;

// Begins at a Julian date. `shown` has its world and list already. Returns false when memory runs out.
bool view_begin(view *shown, double jd);

// Frees what view_begin made, and the picture.
void view_end(view *shown);

// Makes the picture this large; the first call chooses what is seen. Returns false when memory runs out.
bool view_resize(view *shown, int width, int height, float unit);

// Lets `seconds` pass: the clock runs, the systems compute, the camera follows.
keel_result view_advance(view *shown, double seconds);

// Shows the world as it is: no time passes in it, and the camera follows.
void view_stand(view *shown, double seconds);

// Takes the time from the world, which the page of the inspector may have put back.
void view_take_time(view *shown);

// Does what a key or a button stands for.
void view_act(view *shown, view_action action);

// Follows the body at a place of the screen; a second click goes near to it. Returns false if there is none.
bool view_click(view *shown, double x, double y);

// Follows a body of the list.
void view_follow(view *shown, int body);

// Moves the picture; nobody is followed any more.
void view_pan(view *shown, double right, double down);

// Zooms; what is at (x, y), or the followed body, stays where it is.
void view_zoom(view *shown, double factor, double x, double y);

// Returns the days that pass in a second, negative when time runs backwards.
double view_speed(const view *shown);
