// SPDX-License-Identifier: MIT
// The best score: a file in the folder that SDL_GetPrefPath names; in a browser, whose files are gone with the
// page, localStorage. window.c calls it.
#include "best.h"
#include <SDL.h>
#include <stdbool.h>

#ifdef __EMSCRIPTEN__
#include <emscripten.h>

// Storage may be forbidden, in a private window: then there is no best score.
EM_JS(int, page_load_best, (void), {
    try { return parseInt(localStorage.getItem("square_eater.best")) || 0; } catch (error) { return 0; }
});
EM_JS(void, page_save_best, (int score), {
    try { localStorage.setItem("square_eater.best", score); } catch (error) { }
});

int32_t best_load(void) { return page_load_best(); }
void best_save(int32_t score) { page_save_best(score); }

#else
#include <stdio.h>

static bool best_path(char path[1024]) {
    char *folder = SDL_GetPrefPath("keel", "square_eater");
    const bool ok = folder && SDL_snprintf(path, 1024, "%sbest.txt", folder) < 1000;
    SDL_free(folder);
    return ok;
}

int32_t best_load(void) {
    char path[1024], line[32] = "";
    FILE *file = best_path(path) ? fopen(path, "r") : NULL;
    if (!file) return 0;
    if (!fgets(line, sizeof line, file)) line[0] = '\0';
    fclose(file);
    const int score = SDL_atoi(line);
    return score > 0 ? score : 0;
}

void best_save(int32_t score) {
    char path[1024] = "a folder for it", part[1032];
    if (best_path(path)) {
        SDL_snprintf(part, sizeof part, "%s.part", path);
        FILE *file = fopen(part, "w");
        const bool written = file && fprintf(file, "%d\n", (int)score) > 0;
        if (file && fclose(file) == 0 && written && rename(part, path) == 0) return;
    }
    static bool said;
    if (!said) fprintf(stderr, "square_eater: the best score cannot be kept in %s\n", path);
    said = true;
}
#endif
