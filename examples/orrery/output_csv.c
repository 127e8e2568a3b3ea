// SPDX-License-Identifier: MIT
// The table of positions: jd,name,x,y,z.
#include "output_csv.h"
#include "components.h"
#include "csv.h"

bool csv_begin(const output_file *output, failure *why) {
    return fputs("jd,name,x,y,z\n", output->file) >= 0 || output_fail(output, why);
}

static void write_row(FILE *file, double jd, const Name *name, const Position *position) {
    fprintf(file, "%.15g,", jd); // 8 decimals, as many as a Julian date can have
    csv_write_field(file, name->text);
    // 12 decimals: 15 cm.
    fprintf(file, ",%.12f,%.12f,%.12f\n", position->x, position->y, position->z);
}

bool csv_write_step(const output_file *output, keel_world *world, double jd, failure *why) {
    // Name has the fewest values, so that its order is the order of the loop: that of the file.
    KEEL_EACH(world, KEEL_READ(Name, name), KEEL_READ(Position, position))
        write_row(output->file, jd, name, position);
    return !ferror(output->file) || output_fail(output, why);
}

bool csv_write_changes(const output_file *output, keel_reader *reader, double jd, failure *why) {
    KEEL_EACH(reader, KEEL_READ(Name, name), KEEL_READ(Position, position), KEEL_CHANGED(Position))
        write_row(output->file, jd, name, position);
    keel_reader_advance(reader);
    return !ferror(output->file) || output_fail(output, why);
}
