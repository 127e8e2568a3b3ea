// SPDX-License-Identifier: MIT
// Pictures of the game as PNG files, by stb_image_write.h. main.c and window.c call it.
#include "shot.h"
#include "draw.h"
#include <stdio.h>

#if defined(__GNUC__) // the header is not written for the warnings of this project
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static bool write_png(const SDL_Surface *surface, const char *path, char why[256]) {
    char part[1024];
    const bool named = (size_t)snprintf(part, sizeof part, "%s.part", path) < sizeof part;
    if (named && stbi_write_png(part, surface->w, surface->h, 3, surface->pixels, surface->pitch) && rename(part, path) == 0) return true;
    if (named) remove(part);
    snprintf(why, 256, "the picture %.120s cannot be written: see that its folder is there and has room", path);
    return false;
}

static bool fail_by_sdl(char why[256]) {
    snprintf(why, 256, "the picture cannot be made: %s", SDL_GetError());
    return false;
}

// Draws a world into a surface of 32 bits a pixel, as SDL does not blend into one of 24.
static bool draw_into(SDL_Surface *surface, keel_world *world) {
    SDL_Renderer *renderer = surface ? SDL_CreateSoftwareRenderer(surface) : NULL;
    if (!renderer) return false;
    draw_scene(renderer, world, &(scene){ .best = 0 });
    SDL_RenderPresent(renderer);
    SDL_DestroyRenderer(renderer);
    return true;
}

bool shot_write(keel_world *world, const char *path, char why[256]) {
    SDL_Surface *drawn = SDL_CreateRGBSurfaceWithFormat(0, ARENA_WIDTH, ARENA_HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
    SDL_Surface *packed = draw_into(drawn, world) ? SDL_ConvertSurfaceFormat(drawn, SDL_PIXELFORMAT_RGB24, 0) : NULL;
    const bool ok = packed ? write_png(packed, path, why) : fail_by_sdl(why);
    SDL_FreeSurface(packed);
    SDL_FreeSurface(drawn);
    return ok;
}

bool shot_write_window(SDL_Renderer *renderer, const char *path, char why[256]) {
    int width = 0, height = 0;
    SDL_GetRendererOutputSize(renderer, &width, &height);
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, width, height, 24, SDL_PIXELFORMAT_RGB24);
    bool ok = false;
    if (surface && SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_RGB24, surface->pixels, surface->pitch) == 0)
        ok = write_png(surface, path, why);
    else fail_by_sdl(why);
    SDL_FreeSurface(surface);
    return ok;
}
