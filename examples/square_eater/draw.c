// SPDX-License-Identifier: MIT
// The picture of a world: loops over its entities, and rectangles. It changes nothing in the world.
// window.c draws every frame with it, shot.c one.
#include "draw.h"
#include "text.h"
#include <stdio.h>

static const SDL_Color background = { 17, 19, 31, 255 };
static const SDL_Color grid = { 27, 30, 48, 255 };
static const SDL_Color bright = { 236, 239, 250, 255 };
static const SDL_Color dim = { 132, 140, 170, 255 };
// By PAINT_...: four players, friends, foes, pellets.
static const SDL_Color paints[] = {
    { 126, 200, 255, 255 }, { 255, 170, 120, 255 }, { 255, 150, 214, 255 }, { 232, 236, 245, 255 },
    { 134, 224, 160, 255 }, { 240, 96, 112, 255 }, { 255, 224, 130, 255 },
};
static const SDL_Color afraid = { 132, 120, 235, 255 };

static SDL_Color faded(SDL_Color color, float part) {
    color.a = (uint8_t)((float)color.a * part);
    return color;
}

// Returns a colour between two, at `part` from the first to the second.
static SDL_Color mixed(SDL_Color a, SDL_Color b, float part) {
    const float rest = 1 - part;
    return (SDL_Color){ (uint8_t)((float)a.r * rest + (float)b.r * part), (uint8_t)((float)a.g * rest + (float)b.g * part),
                        (uint8_t)((float)a.b * rest + (float)b.b * part), a.a };
}

// Returns a wave of the time, between 0 and 1.
static float wave(uint32_t frame, uint32_t period) {
    const float x = (float)(frame % period) / (float)period;
    return x < 0.5f ? x * 2 : 2 - x * 2;
}

// Returns a square of whole pixels, so that bodies and outlines have the same edges.
static SDL_FRect rect_around(float x, float y, float side) {
    const float whole = SDL_floorf(side + 0.5f);
    return (SDL_FRect){ SDL_floorf(x - side / 2 + 0.5f), SDL_floorf(y - side / 2 + 0.5f), whole, whole };
}

static void fill_rect(SDL_Renderer *renderer, SDL_FRect rect, SDL_Color color) {
    SDL_SetRenderDrawColor(renderer, color.r, color.g, color.b, color.a);
    SDL_RenderFillRectF(renderer, &rect);
}

static void fill(SDL_Renderer *renderer, float x, float y, float side, SDL_Color color) {
    fill_rect(renderer, rect_around(x, y, side), color);
}

static void frame_around(SDL_Renderer *renderer, SDL_FRect r, float width, SDL_Color color) {
    fill_rect(renderer, (SDL_FRect){ r.x, r.y, r.w, width }, color);
    fill_rect(renderer, (SDL_FRect){ r.x, r.y + r.h - width, r.w, width }, color);
    fill_rect(renderer, (SDL_FRect){ r.x, r.y + width, width, r.h - 2 * width }, color);
    fill_rect(renderer, (SDL_FRect){ r.x + r.w - width, r.y + width, width, r.h - 2 * width }, color);
}

static SDL_FRect grown_by(SDL_FRect r, float edge) { return (SDL_FRect){ r.x - edge, r.y - edge, r.w + 2 * edge, r.h + 2 * edge }; }

// Draws a square with a glow, a body that is lighter above, and an outline.
static void glowing(SDL_Renderer *renderer, Position p, float side, SDL_Color color, float glow) {
    const SDL_FRect body = rect_around(p.x, p.y, side);
    for (int i = 1; i <= 3; ++i)
        fill_rect(renderer, grown_by(body, 4.0f * (float)i), faded(color, 0.05f * glow));
    fill_rect(renderer, body, mixed(color, background, 0.55f));
    fill_rect(renderer, (SDL_FRect){ body.x, body.y, body.w, SDL_floorf(body.h * 0.4f) }, faded(color, 0.25f));
    frame_around(renderer, body, side > 10 ? 2 : 1, color);
}

static void draw_floor(SDL_Renderer *renderer) {
    for (int x = 48; x < ARENA_WIDTH; x += 48)
        fill_rect(renderer, (SDL_FRect){ (float)x, ARENA_TOP, 1, ARENA_BOTTOM - ARENA_TOP }, grid);
    for (int y = ARENA_TOP + 46; y < ARENA_BOTTOM; y += 45)
        fill_rect(renderer, (SDL_FRect){ 0, (float)y, ARENA_WIDTH, 1 }, grid);
    fill_rect(renderer, (SDL_FRect){ 0, ARENA_TOP - 2, ARENA_WIDTH, 2 }, faded(dim, 0.35f));
    fill_rect(renderer, (SDL_FRect){ 0, ARENA_BOTTOM, ARENA_WIDTH, 2 }, faded(dim, 0.35f));
}

static void draw_points(SDL_Renderer *renderer, const Position *p, int32_t points, SDL_Color color) {
    char text[16];
    snprintf(text, sizeof text, "+%d", (int)points);
    text_draw_centred(renderer, SDL_floorf(p->x), SDL_floorf(p->y) - 24, points > 50 ? 3 : 2, color, text);
}

static void draw_particles(SDL_Renderer *renderer, keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Particle, particle), KEEL_READ(Position, p), KEEL_READ(Size, size)) {
        const float part = (float)particle->left / 36.0f;
        const SDL_Color color = faded(paints[particle->paint], part < 1 ? part : 1);
        if (particle->points == 0) fill(renderer, p->x, p->y, size->side, color);
        else draw_points(renderer, p, particle->points, color);
    }
}

static void draw_pellets(SDL_Renderer *renderer, keel_world *world) {
    KEEL_EACH(world, KEEL_READ(Pellet, pellet), KEEL_READ(Position, p), KEEL_READ(Size, size)) {
        const float swell = wave((uint32_t)pellet->age, 60);
        fill(renderer, p->x, p->y, size->side + 16 + swell * 10, faded(paints[PAINT_PELLET], 0.08f));
        fill(renderer, p->x, p->y, size->side + 6 + swell * 5, faded(paints[PAINT_PELLET], 0.16f));
        fill(renderer, p->x, p->y, size->side, paints[PAINT_PELLET]);
        fill(renderer, p->x, p->y, size->side - 6, bright);
    }
}

// Returns the frames for which somebody still has power.
static int32_t power_left(keel_world *world) {
    int32_t power = 0;
    KEEL_EACH(world, KEEL_READ(Player, player)) power = player->power > power ? player->power : power;
    return power;
}

// Draws two eyes that look where the square goes.
static void draw_eyes(SDL_Renderer *renderer, Position p, float side, const Velocity *v, SDL_Color color) {
    const float x = v->x > 0.2f ? 1 : v->x < -0.2f ? -1.0f : 0;
    const float y = v->y > 0.2f ? 1 : v->y < -0.2f ? -1.0f : 0;
    const float eye = side * 0.16f;
    for (int i = -1; i <= 1; i += 2)
        fill(renderer, p.x + ((float)i * 0.2f + x * 0.1f) * side, p.y + (y * 0.12f - 0.06f) * side, eye, color);
}

static void draw_friends(SDL_Renderer *renderer, keel_world *world, uint32_t now) {
    const int32_t power = power_left(world);
    const bool warns = power > 0 && power < 90 && now / 8 % 2 == 0;
    KEEL_EACH(world, KEEL_READ(Friend, friend), KEEL_READ(Position, p), KEEL_READ(Velocity, v), KEEL_READ(Size, size)) {
        const float ripe = size->side / friend->full;
        const SDL_Color foe = power > 0 && !warns ? afraid : paints[PAINT_FOE];
        if (friend->grown) {
            glowing(renderer, *p, size->side, foe, 1);
            draw_eyes(renderer, *p, size->side, v, bright);
        } else {
            const SDL_Color yellow = mixed(paints[PAINT_FRIEND], paints[PAINT_PELLET], ripe > 0.8f ? (ripe - 0.8f) * 4 : 0);
            glowing(renderer, *p, size->side, yellow, 0.6f);
        }
    }
}

static void draw_players(SDL_Renderer *renderer, keel_world *world, uint32_t now) {
    KEEL_EACH(world, KEEL_READ(Player, player), KEEL_READ(Position, p), KEEL_READ(Velocity, v), KEEL_READ(Size, size)) {
        if (player->invincible > 0 && now / 5 % 2 == 0) continue;
        const SDL_Color color = paints[PAINT_PLAYER + player->index];
        const float side = size->side * (1 + 0.16f * player->pop);
        if (player->power > 0) {
            const float left = (float)player->power / 360.0f;
            const SDL_Color gold = faded(paints[PAINT_PELLET], 0.5f + 0.5f * wave(now, 20));
            frame_around(renderer, rect_around(p->x, p->y, side + 12 + 14 * left), 3, gold);
        }
        glowing(renderer, *p, side, color, 2);
        draw_eyes(renderer, *p, side, v, bright);
    }
}

// Draws a button with the sign of a pause (two bars) or of a rewind (two triangles of lines).
static void draw_button(SDL_Renderer *renderer, float left, const char *sign) {
    const float middle = left + BUTTON_SIDE / 2.0f;
    const float y = BUTTON_Y + BUTTON_SIDE / 2.0f;
    fill(renderer, middle, y, BUTTON_SIDE, faded(dim, 0.15f));
    frame_around(renderer, rect_around(middle, y, BUTTON_SIDE), 1, faded(dim, 0.6f));
    text_draw_centred(renderer, middle + 1, y - 8, 2, dim, sign);
}

static void draw_score(SDL_Renderer *renderer, const Match *match, const scene *shown) {
    char text[64];
    for (int i = 0; i < match->players; ++i) {
        snprintf(text, sizeof text, "%d", (int)match->score[i]);
        const float x = 18 + (match->players > 2 ? 150.0f : 180.0f) * (float)i;
        fill(renderer, x + 6, 27, 12, paints[PAINT_PLAYER + i]);
        text_draw(renderer, x + 22, 17, 3, match->there >> i & 1 ? bright : dim, text);
    }
    snprintf(text, sizeof text, "best %d", (int)shown->best);
    if (shown->best > 0 && match->players <= 2) text_draw_centred(renderer, ARENA_WIDTH / 2, 20, 2, dim, text);
    draw_button(renderer, BUTTON_PAUSE_X, "II");
    if (!shown->is_session) draw_button(renderer, BUTTON_REWIND_X, "<<");
}

static void draw_veil(SDL_Renderer *renderer, float part) {
    const SDL_FRect all = { 0, 0, ARENA_WIDTH, ARENA_HEIGHT };
    SDL_SetRenderDrawColor(renderer, background.r, background.g, background.b, (uint8_t)(part * 255));
    SDL_RenderFillRectF(renderer, &all);
}

static int count_of(int32_t there) {
    int count = 0;
    for (int i = 0; i < MAX_PLAYERS; ++i)
        count += there >> i & 1;
    return count;
}

static void draw_menu(SDL_Renderer *renderer, const Match *match, const scene *shown, uint32_t now) {
    char text[64];
    draw_veil(renderer, 0.72f);
    text_draw_centred(renderer, ARENA_WIDTH / 2 + 3, 123, 9, faded(paints[PAINT_PLAYER], 0.35f), "Square Eater");
    text_draw_centred(renderer, ARENA_WIDTH / 2, 120, 9, bright, "Square Eater");
    static const char *const rules[] = { "eat what grows", "flee from what is grown", "a pellet turns the tables" };
    static const int paint[] = { PAINT_FRIEND, PAINT_FOE, PAINT_PELLET };
    for (int i = 0; i < 3; ++i) {
        const Position at = { ARENA_WIDTH / 2 - 150, 258 + 34.0f * (float)i };
        glowing(renderer, at, i == 0 ? 12 : 18, paints[paint[i]], 1);
        text_draw(renderer, at.x + 28, at.y - 8, 2, bright, rules[i]);
    }
    text_draw_centred(renderer, ARENA_WIDTH / 2, 386, 3, mixed(bright, dim, wave(now, 90)), "Enter or a tap begins");
    char here[48];
    snprintf(here, sizeof here, "%d of up to %d are here", count_of(match->there), MAX_PLAYERS);
    const char *choice = shown->is_session ? here : match->players > 1 ? "1: alone   >2: two players" : ">1: alone   2: two players";
    text_draw_centred(renderer, ARENA_WIDTH / 2, 424, 2, dim, choice);
    snprintf(text, sizeof text, "best %d", (int)shown->best);
    if (shown->best > 0) text_draw_centred(renderer, ARENA_WIDTH / 2, 456, 2, dim, text);
}

// Returns the largest scale at which a text fits into the picture, up to `most`.
static float scale_for(const char *text, float most) {
    float scale = most;
    while (scale > 1 && text_width(text, scale) > ARENA_WIDTH - 48)
        scale -= 1;
    return scale;
}

static void draw_notice(SDL_Renderer *renderer, const char *title, const char *line, SDL_Color color) {
    draw_veil(renderer, 0.7f);
    text_draw_centred(renderer, ARENA_WIDTH / 2, 190, 8, color, title);
    text_draw_centred(renderer, ARENA_WIDTH / 2, 290, scale_for(line, 3), bright, line);
}

static void draw_over(SDL_Renderer *renderer, const Match *match, const scene *shown) {
    char text[96];
    const int first = (int)match->score[0];
    snprintf(text, sizeof text, first >= shown->best && first > 0 ? "%d: your best" : "%d squares' worth of points", first);
    if (match->players > 1) {
        int length = snprintf(text, sizeof text, "%d", first);
        for (int i = 1; i < match->players && length < 64; ++i)
            length += snprintf(text + length, sizeof text - (size_t)length, " to %d", (int)match->score[i]);
    }
    draw_notice(renderer, "Too small", text, paints[PAINT_FOE]);
    const char *keys = shown->is_session ? "Enter: once more" : "Enter: once more    Z: five seconds back";
    text_draw_centred(renderer, ARENA_WIDTH / 2, 340, 2, dim, keys);
}

// Draws the line about the network, and in what colour this machine plays.
static void draw_net(SDL_Renderer *renderer, const scene *shown) {
    const float y = ARENA_HEIGHT - 23;
    const bool plays = shown->player < MAX_PLAYERS;
    if (plays) fill(renderer, 24, y + 7, 12, paints[PAINT_PLAYER + shown->player]);
    text_draw(renderer, plays ? 38 : 18, y, scale_for(shown->net, 2), shown->is_alarm ? paints[PAINT_FOE] : dim, shown->net);
}

static void draw_help(SDL_Renderer *renderer, const Match *match) {
    const char *keys = match->players > 1 ? "arrows / WASD   P pause   Z 5 s back   R restart   F full   Q quit" :
                                            "mouse, arrows, WASD   P pause   Z 5 s back   R restart   F full   Q quit";
    text_draw_centred(renderer, ARENA_WIDTH / 2, ARENA_HEIGHT - 23, 2, faded(dim, 0.7f), keys);
}

// Moves the picture to and fro after a hit. Its place is that of the viewport, which is not at the edge of every window.
static void shake(SDL_Renderer *renderer, const Match *match, SDL_Rect place, uint32_t now) {
    const int far = match->shake / 3;
    place.x += now % 2 ? far : -far;
    place.y += now / 2 % 2 ? far : -far;
    if (far) SDL_RenderSetViewport(renderer, &place);
}

void draw_scene(SDL_Renderer *renderer, keel_world *world, const scene *shown) {
    const Match *match = keel_get_unique(world, Match);
    const Clock *clock = keel_get_unique(world, Clock);
    const Phase *phase = keel_get_unique(world, Phase);
    if (!match || !clock || !phase) return;
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    SDL_SetRenderDrawColor(renderer, background.r, background.g, background.b, 255);
    SDL_Rect place;
    SDL_RenderGetViewport(renderer, &place);
    if (shown->is_part) draw_veil(renderer, 1); // clearing would clear the other part, too
    else SDL_RenderClear(renderer);
    shake(renderer, match, place, clock->frame);
    draw_floor(renderer);
    draw_pellets(renderer, world);
    draw_friends(renderer, world, clock->frame);
    draw_players(renderer, world, clock->frame);
    draw_particles(renderer, world);
    if (match->shake / 3) SDL_RenderSetViewport(renderer, &place);
    if (shown->rewound > 0) draw_veil(renderer, shown->rewound * 0.7f);
    if (*phase == MENU) draw_menu(renderer, match, shown, clock->frame);
    else draw_score(renderer, match, shown);
    if (*phase == PAUSED) draw_notice(renderer, "Pause", "P or a tap goes on", bright);
    if (*phase == OVER) draw_over(renderer, match, shown);
    if (shown->is_session) draw_net(renderer, shown);
    else draw_help(renderer, match);
}

void draw_waiting(SDL_Renderer *renderer, keel_world *world, const scene *shown, const char *title) {
    draw_scene(renderer, world, shown);
    draw_veil(renderer, 1);
    draw_notice(renderer, title, shown->net, shown->is_alarm ? paints[PAINT_FOE] : bright);
    text_draw_centred(renderer, ARENA_WIDTH / 2, 360, 2, dim, "Q quits");
}
