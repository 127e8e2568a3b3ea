// SPDX-License-Identifier: MIT
// Positions as a time series in an SQLite database.
#include "output_sqlite.h"
#include "components.h"

#ifdef ORRERY_SQLITE
#include <keel_sqlite.h>

bool sqlite_begin(output_file *output, keel_world *world, failure *why) {
    if (!output->temporary)
        return fail(why, "orrery: --sqlite: '%s' is no file that can be replaced", output->path);
    // the database has a file of its own under this name
    if (!output_close(output, why)) return false;
    KEEL_EACH(world, KEEL_READ(Name, name), KEEL_ENTITY(e))
        if (keel_set_name(world, e, name->text) < 0)
            return fail(why, "orrery: %s", keel_last_error(world)->message);
    return true;
}

bool sqlite_write_step(const output_file *output, keel_world *world, uint64_t step, failure *why) {
    keel_error error = { 0 };
    const keel_component *const written[] = { KEEL_OF(Position), KEEL_OF(Asteroid),
                                              KEEL_UNIQUE_OF(Clock), NULL };
    const keel_sqlite_write_options how = { .error = &error,
                                            .frame = (int64_t)step,
                                            .append = step > 0,
                                            .components = written };
    return keel_sqlite_write(world, output->temporary, &how) == KEEL_OK ||
           fail(why, "orrery: --sqlite: %s", error.message);
}
#else
bool sqlite_begin(output_file *output, keel_world *world, failure *why) {
    (void)world;
    return fail(why, "orrery: --sqlite: '%s': built without SQLite", output->path);
}
bool sqlite_write_step(const output_file *output, keel_world *world, uint64_t step, failure *why) {
    (void)step;
    return sqlite_begin((output_file *)output, world, why);
}
#endif
