// SPDX-License-Identifier: MIT
// How well-known bodies look on the screen.
#include "view_look.h"
#include <stddef.h>
#include <string.h>

// Radii are for telling the bodies apart, far from true proportions.
static const struct {
    const char *name;
    body_look look;
} looks[] = {
    { "Sun", { { 1.00f, 0.86f, 0.45f }, 11, 0, false, "Sun" } },
    { "Mercury", { { 0.76f, 0.70f, 0.65f }, 3.6f, 0, false, "Mercury" } },
    { "Venus", { { 0.96f, 0.82f, 0.56f }, 5.4f, 0.2f, false, "Venus" } },
    { "EarthMoon", { { 0.36f, 0.62f, 0.98f }, 5.6f, 0, false, "Earth" } },
    { "Mars", { { 0.93f, 0.42f, 0.26f }, 4.6f, 0, false, "Mars" } },
    { "Jupiter", { { 0.90f, 0.72f, 0.54f }, 10.5f, 1, false, "Jupiter" } },
    { "Saturn", { { 0.93f, 0.82f, 0.58f }, 8, 0.6f, true, "Saturn" } },
    { "Uranus", { { 0.55f, 0.86f, 0.90f }, 7, 0, false, "Uranus" } },
    { "Neptune", { { 0.34f, 0.48f, 0.98f }, 7, 0.3f, false, "Neptune" } },
    { "Moon", { { 0.80f, 0.81f, 0.84f }, 3, 0, false, "Moon" } },
    { "Io", { { 0.97f, 0.89f, 0.48f }, 3, 0, false, "Io" } },
    { "Europa", { { 0.85f, 0.80f, 0.72f }, 2.8f, 0, false, "Europa" } },
    { "Ganymede", { { 0.74f, 0.68f, 0.62f }, 3.6f, 0, false, "Ganymede" } },
    { "Callisto", { { 0.60f, 0.56f, 0.54f }, 3.4f, 0, false, "Callisto" } },
    { "Titan", { { 0.96f, 0.76f, 0.38f }, 3.6f, 0, false, "Titan" } },
};

body_look body_look_of(const char *name) {
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; ++k)
        if (strcmp(looks[k].name, name) == 0) return looks[k].look;
    return (body_look){ { 0.72f, 0.76f, 0.84f }, 2.6f, 0, false, name };
}
