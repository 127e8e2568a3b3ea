// SPDX-License-Identifier: MIT
// Text of any size. stb_easy_font.h turns letters into rectangles, which are drawn as such. draw.c calls it.
#include "text.h"

#if defined(__GNUC__) // the header is not written for the warnings of this project
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb/stb_easy_font.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// A corner of stb_easy_font's quads.
typedef struct Corner {
    float x, y, z;
    unsigned char color[4];
} Corner;
enum { CORNERS = 4096, MAX_TEXT = 128 };

// The functions of stb want text that can be written, though they only read it.
static char *copy(char to[MAX_TEXT], const char *text) {
    SDL_strlcpy(to, text, MAX_TEXT);
    return to;
}

float text_width(const char *text, float scale) {
    char letters[MAX_TEXT];
    return (float)stb_easy_font_width(copy(letters, text)) * scale;
}

void text_draw(SDL_Renderer *renderer, float x, float y, float scale, SDL_Color color, const char *text) {
    static Corner corners[CORNERS];
    static SDL_FRect rects[CORNERS / 4];
    char letters[MAX_TEXT];
    const int quads = stb_easy_font_print(0, 0, copy(letters, text), NULL, corners, sizeof corners);
    for (int i = 0; i < quads; ++i) {
        const Corner *from = &corners[i * 4], *to = &corners[i * 4 + 2];
        rects[i] = (SDL_FRect){ x + from->x * scale, y + from->y * scale, (to->x - from->x) * scale, (to->y - from->y) * scale };
    }
    SDL_SetRenderDrawColor(renderer, color.r, color.g, color.b, color.a);
    SDL_RenderFillRectsF(renderer, rects, quads);
}

void text_draw_centred(SDL_Renderer *renderer, float x, float y, float scale, SDL_Color color, const char *text) {
    text_draw(renderer, x - text_width(text, scale) / 2, y, scale, color, text);
}
