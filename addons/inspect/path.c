// SPDX-License-Identifier: MIT
// Splits a path behind the name of the component. A name may have points itself, so the longest
// name that the world knows counts.
#include "path.h"

#include <stdio.h>
#include <string.h>

const keel_component *keeli_path_find(const keel_world *world, const char *path,
                                      keel_field_place *place, keel_error *error) {
    char name[256];
    for (size_t length = strlen(path); length-- > 0;) {
        if (path[length] != '.' || length >= sizeof name) continue;
        memcpy(name, path, length);
        name[length] = '\0';
        const keel_component *component = keel_find_component(world, name);
        if (component)
            return keel_field_find(component, path + length + 1, place, error) == KEEL_OK
                       ? component
                       : NULL;
    }
    *error = (keel_error){ .result = KEEL_ERROR_UNKNOWN };
    snprintf(error->message, sizeof error->message,
             "'%.120s' is no path: a component, a point and a field are needed", path);
    return NULL;
}
