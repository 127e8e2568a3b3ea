// SPDX-License-Identifier: MIT
// The world of the orrery: hierarchy, belt, moons, table.
#include "components.h"
#include "dates.h"
#include "output_csv.h"
#include "population.h"
#include "scene.h"
#include "support/test.h"
#include "systems.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    body_list list;
    keel_world *world;
} fixture;

static int set_up(void **state) {
    fixture *made = calloc(1, sizeof *made);
    failure why;
    *state = made;
    return !made || !bodies_load(&made->list, ORRERY_BODIES, &why) ||
           !(made->world = keel_world_create(NULL)) ||
           populate_bodies(made->world, &made->list) != KEEL_OK;
}

static int tear_down(void **state) {
    fixture *made = *state;
    keel_world_destroy(made->world);
    bodies_free(&made->list);
    free(made);
    return 0;
}

static double length_of(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

static keel_entity find(keel_world *world, const char *name) {
    KEEL_EACH(world, KEEL_READ(Name, this), KEEL_ENTITY(e)) {
        if (strcmp(this->text, name) == 0) return e;
    }
    return keel_null();
}

static void bodies_hang_on_their_parents(void **state) {
    keel_world *world = ((fixture *)*state)->world;
    const keel_entity sun = find(world, "Sun"), earth = find(world, "EarthMoon");
    assert_int_equal(keel_entity_count(world), 21);
    assert_true(keel_is_null(keel_parent_of(world, sun)));
    assert_true(keel_is_same(keel_parent_of(world, earth), sun));
    assert_true(keel_is_same(keel_parent_of(world, find(world, "Moon")), earth));
    assert_int_equal(keel_child_count(world, sun), 8);
    assert_int_equal(keel_child_count(world, find(world, "Jupiter")), 4);
}

// Between a (1 - e) and a (1 + e) of the parent, for every body at every step.
static void check_apsides(const fixture *made, double jd) {
    const double centuries = (jd - J2000) / DAYS_PER_CENTURY;
    int row = 0;
    KEEL_EACH(made->world, KEEL_READ(Name, name), KEEL_READ(Position, at), KEEL_ENTITY(e)) {
        const body_row *body = &made->list.items[row++];
        assert_string_equal(body->name, name->text); // the order of the file
        if (body->parent < 0) continue;
        const Position *parent = keel_get(made->world, keel_parent_of(made->world, e), Position);
        assert_non_null(parent);
        const elements now = elements_at(&body->at_j2000, &body->per_century, centuries);
        const double r = length_of(at->x - parent->x, at->y - parent->y, at->z - parent->z);
        assert_true(r >= now.a * (1 - now.e) * (1 - 1e-9));
        assert_true(r <= now.a * (1 + now.e) * (1 + 1e-9));
    }
    assert_int_equal(row, made->list.count);
}

static void bodies_stay_within_their_apsides(void **state) {
    const fixture *made = *state;
    double first, last;
    assert_true(date_parse("1900-01-01", &first));
    assert_true(date_parse("2050-12-31", &last));
    for (double jd = first; jd < last; jd += 33.3) {
        assert_int_equal(orrery_step(made->world, jd), KEEL_OK);
        check_apsides(made, jd);
    }
}

// A known place: the Sun is 0.9833 au away at perihelion in early January, in the direction of
// 102.9 degrees, and the Earth moves counter-clockwise.
static void the_earth_is_at_perihelion_in_january(void **state) {
    keel_world *world = ((fixture *)*state)->world;
    assert_int_equal(orrery_step(world, 2451547.5), KEEL_OK); // 2000-01-04
    const Position at = *keel_get(world, find(world, "EarthMoon"), Position);
    assert_true(fabs(length_of(at.x, at.y, at.z) - 0.98329) < 1e-4);
    assert_true(fabs(atan2(at.y, at.x) * 180 / 3.14159265 - 102.9) < 1);
    assert_int_equal(orrery_step(world, 2451548.5), KEEL_OK);
    const Position next = *keel_get(world, find(world, "EarthMoon"), Position);
    assert_true(at.x * next.y - at.y * next.x > 0);
}

static void a_moon_may_stand_before_its_planet(void **state) {
    (void)state;
    char path[] = "/tmp/orrery_positions_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("name,parent,a,e,i,L,peri,node,a_rate,e_rate,i_rate,L_rate,peri_rate,node_rate\n"
          "Pebble,Moon,0.001,0,0,0,0,0,0,0,0,0,0,0\n"
          "Moon,Planet,0.01,0,0,90,0,0,0,0,0,0,0,0\n"
          "Planet,Star,1,0,0,0,0,0,0,0,0,0,0,0\n"
          "Star,,0,0,0,0,0,0,0,0,0,0,0,0\n",
          file);
    fclose(file);
    body_list list;
    failure why;
    assert_true(bodies_load(&list, path, &why));
    unlink(path);
    keel_world *world = keel_world_create(NULL);
    assert_int_equal(populate_bodies(world, &list), KEEL_OK);
    assert_int_equal(orrery_step(world, J2000), KEEL_OK);
    const Position *pebble = keel_get(world, find(world, "Pebble"), Position);
    assert_true(fabs(pebble->x - 1.001) < 1e-15 && fabs(pebble->y - 0.01) < 1e-15);
    keel_world_destroy(world);
    bodies_free(&list);
}

static void the_belt_goes_round_the_sun(void **state) {
    const fixture *made = *state;
    enum { COUNT = 2500 }; // more than one batch
    assert_int_equal(populate_belt(made->world, COUNT, 1), KEEL_OK);
    assert_int_equal(keel_entity_count(made->world), COUNT + 21);
    assert_int_equal(keel_count(made->world, Asteroid), COUNT);
    assert_int_equal(keel_child_count(made->world, find(made->world, "Sun")), COUNT + 8);
    double x[2] = { 0, 0 };
    for (int day = 0; day < 2; ++day) {
        assert_int_equal(orrery_step(made->world, J2000 + 100 * day), KEEL_OK);
        KEEL_EACH(made->world, KEEL_READ(Position, at), KEEL_WITH(Asteroid)) {
            const double r = length_of(at->x, at->y, at->z);
            assert_true(r > 2.1 - 1e-9 && r < 3.3 + 1e-9);
            x[day] += fabs(at->x);
        }
        check_apsides(made, J2000 + 100 * day); // the planets do not mind
    }
    assert_true(x[0] != x[1]);
}

static void the_table_has_the_bodies_of_the_file_only(void **state) {
    const fixture *made = *state;
    output_file output = { .file = tmpfile() };
    failure why;
    char line[128];
    assert_non_null(output.file);
    assert_int_equal(populate_belt(made->world, 10, 1), KEEL_OK);
    assert_int_equal(orrery_step(made->world, 2461365.5), KEEL_OK);
    assert_true(csv_begin(&output, &why));
    assert_true(csv_write_step(&output, made->world, 2461365.5, &why));
    rewind(output.file);
    assert_string_equal(fgets(line, sizeof line, output.file), "jd,name,x,y,z\n");
    for (int k = 0; k < made->list.count; ++k) {
        double jd, x, y, z;
        char name[64];
        assert_non_null(fgets(line, sizeof line, output.file));
        assert_int_equal(sscanf(line, "%lf,%63[^,],%lf,%lf,%lf\n", &jd, name, &x, &y, &z), 5);
        assert_true(jd == 2461365.5);
        assert_string_equal(name, made->list.items[k].name);
        const Position *at = keel_get(made->world, find(made->world, name), Position);
        assert_true(fabs(at->x - x) < 1e-12 && fabs(at->y - y) < 1e-12 && fabs(at->z - z) < 1e-12);
    }
    assert_null(fgets(line, sizeof line, output.file));
    fclose(output.file);
}

static void a_scene_has_everything_that_is_drawn(void **state) {
    const fixture *made = *state;
    assert_int_equal(populate_belt(made->world, 10, 1), KEEL_OK);
    assert_int_equal(orrery_step(made->world, 2461365.5), KEEL_OK);
    scene shown;
    assert_true(scene_collect(&shown, made->world, &made->list, 2461000.5, 2461365.5));
    assert_int_equal(shown.body_count, 21);
    assert_int_equal(shown.dust_count, 10);
    const scene_body *moon = &shown.bodies[9], *earth = &shown.bodies[moon->parent];
    assert_string_equal(earth->name, "EarthMoon");
    assert_true(fabs(earth->x + moon->local_x - moon->x) < 1e-12);
    assert_true(fabs(earth->swept - 6.28) < 0.01); // 365 days
    scene_free(&shown);
}

#define TEST_WORLD(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }
static const struct CMUnitTest tests[] = {
    TEST_WORLD(bodies_hang_on_their_parents, "bodies hang on their parents"),
    TEST_WORLD(bodies_stay_within_their_apsides, "bodies stay within their apsides, 1900 to 2050"),
    TEST_WORLD(the_earth_is_at_perihelion_in_january, "the Earth is at perihelion in January"),
    TEST(a_moon_may_stand_before_its_planet, "a moon may stand before its planet in the file"),
    TEST_WORLD(the_belt_goes_round_the_sun, "the belt goes round the Sun"),
    TEST_WORLD(the_table_has_the_bodies_of_the_file_only, "the table has the file's bodies only"),
    TEST_WORLD(a_scene_has_everything_that_is_drawn, "a scene has everything that is drawn"),
};

int main(void) { return RUN(tests); }
