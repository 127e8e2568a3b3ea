// SPDX-License-Identifier: MIT
// Texts and buttons in front of the sky: the date, the followed body, help.
#include "view_hud.h"
#include "dates.h"
#include "view_look.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const tint bright = { 0.93f, 0.94f, 0.97f }, faint = { 0.62f, 0.68f, 0.80f };
static const tint accent = { 0.62f, 0.78f, 1 }, panel = { 0.10f, 0.13f, 0.22f };

// ---------------------------------------------------------------- buttons

static const struct {
    view_action action;
    const char *sign;
} buttons[] = {
    { VIEW_SLOWER, "<<" }, { VIEW_PAUSE, "||" }, { VIEW_FASTER, ">>" }, { VIEW_WIDE, "-" }, { VIEW_NARROW, "+" }, { VIEW_WHOLE, "o" },
};
enum { BUTTON_COUNT = sizeof buttons / sizeof buttons[0] };
static const float button_side = 44, button_gap = 8; // points; a finger needs 44

static void button_box(const view *shown, int k, float box[4]) {
    const paint *on = &shown->canvas;
    const float side = button_side * on->unit, gap = button_gap * on->unit;
    const float row = BUTTON_COUNT * side + (BUTTON_COUNT - 1) * gap;
    box[0] = ((float)on->width - row) / 2 + (float)k * (side + gap);
    box[1] = (float)on->height - side - 12 * on->unit;
    box[2] = box[0] + side;
    box[3] = box[1] + side;
}

view_action hud_button_at(const view *shown, double x, double y) {
    for (int k = 0; k < BUTTON_COUNT; ++k) {
        float box[4];
        button_box(shown, k, box);
        if (x >= (double)box[0] && x <= (double)box[2] && y >= (double)box[1] && y <= (double)box[3]) return buttons[k].action;
    }
    return VIEW_NONE;
}

static void paint_buttons(const view *shown) {
    const paint *on = &shown->canvas;
    for (int k = 0; k < BUTTON_COUNT; ++k) {
        float box[4];
        button_box(shown, k, box);
        paint_panel(on, box, 10 * on->unit, panel, 0.8f);
        const bool is_play = buttons[k].action == VIEW_PAUSE && shown->is_paused;
        const char *sign = is_play ? ">" : buttons[k].sign;
        const float size = 22, width = paint_text_width(on, size, sign);
        const float x = (box[0] + box[2] - width) / 2, y = (box[1] + box[3]) / 2 - size * on->unit * 0.36f;
        paint_text(on, x, y, size, is_play ? accent : bright, sign);
    }
}

// ---------------------------------------------------------------- texts

static void describe_speed(const view *shown, char text[64]) {
    const double days = view_speed(shown);
    if (shown->is_paused) snprintf(text, 64, "paused");
    else if (fabs(days) < 1) snprintf(text, 64, "%+.1f hours a second", days * 24);
    else if (fabs(days) == 1) snprintf(text, 64, "%+.0f day a second", days);
    else if (fabs(days) == 365) snprintf(text, 64, "%+.0f year a second", days / 365);
    else snprintf(text, 64, "%+.0f days a second", days);
}

// Writes a whole number with commas: "100,000".
static void write_count(uint32_t count, char text[16]) {
    if (count < 1000) snprintf(text, 16, "%" PRIu32, count);
    else if (count < 1000000) snprintf(text, 16, "%" PRIu32 ",%03" PRIu32, count / 1000, count % 1000);
    else snprintf(text, 16, "%" PRIu32 ",%03" PRIu32 ",%03" PRIu32, count / 1000000, count / 1000 % 1000, count % 1000);
}

// A page has a line for the work of a frame, and a picture took none.
static bool tells_work(const view *shown) {
#ifdef __EMSCRIPTEN__
    (void)shown;
    return false;
#else
    return shown->work > 0;
#endif
}

static void paint_date(const view *shown) {
    const paint *on = &shown->canvas;
    const float left = 18 * on->unit;
    char date[DATE_TEXT_SIZE], speed[64], count[16], line[96];
    date_format(floor(shown->jd - 0.5) + 0.5, date);
    describe_speed(shown, speed);
    write_count(keel_entity_count(shown->world), count);
    snprintf(line, sizeof line, "%s bodies, %.1f ms a frame", count, shown->work);
    paint_text(on, left, 16 * on->unit, 34, bright, date);
    paint_text(on, left, 48 * on->unit, 18, shown->is_paused ? accent : faint, speed);
    if (tells_work(shown)) paint_text(on, left, 68 * on->unit, 18, faint, line);
}

// Writes a distance in the unit that fits.
static void write_distance(double au, char text[48]) {
    if (au >= 0.1) snprintf(text, 48, "%.3f au", au);
    else snprintf(text, 48, "%.0f km", au * 149597870.7);
}

static void paint_followed(const view *shown) {
    if (shown->followed < 0 || shown->followed == shown->list->centre) return;
    const paint *on = &shown->canvas;
    const body_row *row = &shown->list->items[shown->followed];
    const double *place = shown->bodies[shown->followed].place;
    const double *around = shown->bodies[row->parent].place;
    const double far = hypot(hypot(place[0] - around[0], place[1] - around[1]), place[2] - around[2]);
    const body_look look = body_look_of(row->name);
    char distance[48], line[128];
    write_distance(far, distance);
    snprintf(line, sizeof line, "%s from %s, light takes %.*f %s", distance, body_look_of(row->parent_name).label,
             far > 0.1 ? 1 : 2, far > 0.1 ? far * 8.3167 : far * 499.005, far > 0.1 ? "minutes" : "seconds");
    const float top = (tells_work(shown) ? 100 : 80) * on->unit, left = 18 * on->unit;
    paint_text(on, left, top, 24, look.colour, look.label);
    paint_text(on, left, top + 24 * on->unit, 18, faint, line);
}

static void paint_help(const view *shown) {
    const paint *on = &shown->canvas;
    const bool is_wide = (float)on->width > 760 * on->unit;
    const char *text = !is_wide || shown->is_touch ? "drag, pinch, tap a planet; tap it again to come near"
                                                   : "drag and wheel; click a planet, again to come near; "
                                                     "space, arrows, + and -; 0 all, F full screen";
    const float size = 15, width = paint_text_width(on, size, text);
    paint_text(on, ((float)on->width - width) / 2, (float)on->height - 74 * on->unit, size, faint, text);
}

void hud_paint(const view *shown) {
    paint_date(shown);
    paint_followed(shown);
    if (!shown->has_input) return;
    paint_help(shown);
    paint_buttons(shown);
}
