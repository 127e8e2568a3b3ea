// SPDX-License-Identifier: MIT
// The file of bodies: what is read, and what is refused with which words.
#include "bodies.h"
#include "csv.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER "name,parent,a,e,i,L,peri,node,a_rate,e_rate,i_rate,L_rate,peri_rate,node_rate\n"
#define SUN "Sun,,0,0,0,0,0,0,0,0,0,0,0,0\n"
#define EARTH "Earth,Sun,1,0.0167,0,100,103,0,0,0,0,36000,0,0\n"
#define TAIL ",1,0,0,0,0,0,0,0,0,0,0,0\n"

static char path[] = "/tmp/orrery_bodies_XXXXXX";

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// The text is refused, and the message is "PATH:" and then this.
static void assert_refused_bytes(const char *text, size_t size, const char *expected) {
    body_list list;
    failure why;
    write_file(text, size);
    const bool loaded = bodies_load(&list, path, &why);
    bodies_free(&list);
    assert_false(loaded);
    assert_memory_equal(why.text, path, strlen(path));
    assert_string_equal(why.text + strlen(path) + 1, expected);
}

static void assert_refused(const char *text, const char *expected) {
    assert_refused_bytes(text, strlen(text), expected);
}

static void load(body_list *list, const char *text) {
    failure why = { "" };
    write_file(text, strlen(text));
    if (!bodies_load(list, path, &why)) fail_msg("%s", why.text);
}

static void the_file_of_the_project_is_read(void **state) {
    (void)state;
    body_list list;
    failure why;
    assert_true(bodies_load(&list, ORRERY_BODIES, &why));
    assert_int_equal(list.count, 21);
    assert_int_equal(list.centre, 0);
    assert_string_equal(list.items[0].name, "Sun");
    const body_row *moon = &list.items[9];
    assert_string_equal(moon->name, "Moon");
    assert_string_equal(list.items[moon->parent].name, "EarthMoon");
    assert_true(moon->at_j2000.a == 0.00256955529);
    assert_true(fabs(moon->at_j2000.i - 5.145 * 3.14159265358979323846 / 180) < 1e-15);
    assert_true(fabs(moon->per_century.node + 1934.1363 * 3.14159265358979323846 / 180) < 1e-12);
    bodies_free(&list);
}

static void comments_blanks_order_and_quotes_do_not_matter(void **state) {
    (void)state;
    body_list list;
    load(&list,
         "\xEF\xBB\xBF# a comment, with \"one quote\n"
         "\n   \n"
         "node_rate, parent ,name,a,e,i,L,peri,node,a_rate,e_rate,i_rate,L_rate,peri_rate,more\n"
         "9,\"A \"\"big\"\", one\",Moon,1,0,0,0,0,0,0,0,0,0,0,x\r\n" // before its parent
         "   # indented comment\n"
         "0 , ,  \"A \"\"big\"\", one\" ,0,0,0,0,0,0,0,0,0,0,0,"); // no line end
    assert_int_equal(list.count, 2);
    assert_int_equal(list.centre, 1);
    assert_string_equal(list.items[1].name, "A \"big\", one");
    assert_int_equal(list.items[0].parent, 1);
    assert_int_equal(list.items[0].line, 5);
    assert_true(list.items[0].per_century.node > 0.15);
    bodies_free(&list);
}

static void files_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    body_list list;
    failure why;
    assert_false(bodies_load(&list, "/nonexistent/bodies.csv", &why));
    assert_string_equal(why.text, "orrery: /nonexistent/bodies.csv: No such file or directory");
    bodies_free(&list);
    assert_false(bodies_load(&list, "/", &why));
    assert_string_equal(why.text, "orrery: /: Is a directory");
    bodies_free(&list);
    assert_refused("", "1: the file ends before a header line");
    assert_refused("# nothing\n\n", "2: the file ends before a header line");
    assert_refused(HEADER, "1: the file ends before the first body");
}

static void headers_must_have_each_column_once(void **state) {
    (void)state;
    assert_refused("name,parent,a,e\n", "1: the header has no column 'i'");
    assert_refused("\nname,a,name,parent\n", "2: two columns are named 'name'");
    assert_refused(SUN, "1: the header has no column 'name'");
}

static void lines_must_have_the_shape_of_the_header(void **state) {
    (void)state;
    assert_refused(HEADER SUN "Earth,Sun,1\n", "3: 3 fields, but the header has 14");
    assert_refused(HEADER "Sun,,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
                   "2: 15 fields, but the header has 14");
    assert_refused(HEADER "\"Sun,,0,0,0,0,0,0,0,0,0,0,0,0\n",
                   "2: a quoted field is not closed, or text follows it");
    assert_refused(HEADER "\"Sun\" x,,0,0,0,0,0,0,0,0,0,0,0,0\n",
                   "2: a quoted field is not closed, or text follows it");
    static const char zero[] = HEADER "Sun,,0,0,0,0\0,0,0,0,0,0,0,0,0\n";
    assert_refused_bytes(zero, sizeof zero - 1, "2: the line has a zero byte");
    char many[200] = "";
    memset(many, ',', 100);
    assert_refused(many, "1: more than 64 fields");
}

static void numbers_must_be_finite_numbers(void **state) {
    (void)state;
    assert_refused(HEADER "Sun,,zero,0,0,0,0,0,0,0,0,0,0,0\n", "2: a: 'zero' is not a number");
    assert_refused(HEADER "Sun,,0,0,0,0,0,0,0,0,0,0,0,\n", "2: node_rate: '' is not a number");
    assert_refused(HEADER SUN "Earth,Sun,1,0,NaN,0,0,0,0,0,0,0,0,0\n",
                   "3: i: 'NaN' is not a number");
    assert_refused(HEADER SUN "Earth,Sun,1,0,0,inf,0,0,0,0,0,0,0,0\n",
                   "3: L: 'inf' is not a number");
    assert_refused(HEADER SUN "Earth,Sun,1,0,0,0,0,0,1e999,0,0,0,0,0\n",
                   "3: a_rate: '1e999' is not a number");
    assert_refused(HEADER "Sun,,1\x1b[,0,0,0,0,0,0,0,0,0,0,0\n", "2: a: '1?[' is not a number");
}

static void orbits_must_be_ellipses(void **state) {
    (void)state;
    assert_refused(HEADER SUN "X,Sun,1,1"
                              ",0,0,0,0,0,0,0,0,0,0\n",
                   "3: e: the eccentricity 1 of 'X' is not in [0, 1)");
    assert_refused(HEADER SUN "X,Sun,1,-0.1"
                              ",0,0,0,0,0,0,0,0,0,0\n",
                   "3: e: the eccentricity -0.1 of 'X' is not in [0, 1)");
    assert_refused(HEADER SUN "X,Sun,1,1.7"
                              ",0,0,0,0,0,0,0,0,0,0\n",
                   "3: e: the eccentricity 1.7 of 'X' is not in [0, 1)");
    assert_refused(HEADER SUN "X,Sun,0,0"
                              ",0,0,0,0,0,0,0,0,0,0\n",
                   "3: a: the semi-major axis 0 of 'X' is not above 0");
}

static void names_must_be_there_and_differ(void **state) {
    (void)state;
    assert_refused(HEADER SUN ",Sun" TAIL, "3: the body has no name");
    assert_refused(HEADER SUN EARTH "Sun,Earth" TAIL EARTH,
                   "4: duplicate name 'Sun', first on line 2");
    assert_refused(HEADER SUN EARTH EARTH EARTH, "4: duplicate name 'Earth', first on line 3");
    assert_refused(HEADER "x123456789012345678901234567890123456789012345678901234567890,Sun" TAIL,
                   "2: the name 'x1234567890123456789...' is longer than 60 bytes");
}

static void parents_must_be_there(void **state) {
    (void)state;
    assert_refused(HEADER SUN "Moon,Earth" TAIL, "3: unknown parent 'Earth' of 'Moon'");
    assert_refused(HEADER SUN "Moon,sun" TAIL, "3: unknown parent 'sun' of 'Moon'");
    assert_refused(HEADER SUN "Nemesis," TAIL,
                   "3: 'Nemesis' has no parent, but 'Sun' on line 2 is the centre");
}

static void parents_must_not_go_round(void **state) {
    (void)state;
    assert_refused(HEADER SUN "A,A" TAIL, "3: parent cycle: 'A' -> 'A'");
    assert_refused(HEADER "A,B" TAIL "B,A" TAIL, "2: parent cycle: 'A' -> 'B' -> 'A'");
    assert_refused(HEADER SUN "X,A" TAIL "A,B" TAIL "B,C" TAIL "C,A" TAIL,
                   "4: parent cycle: 'A' -> 'B' -> 'C' -> 'A'");
}

static void long_chains_are_checked_in_linear_time(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(HEADER, file);
    for (int k = COUNT; k > 0; --k)
        fprintf(file, "b%d,b%d" TAIL, k, k - 1); // children first
    fputs("b0," TAIL, file);
    fclose(file);
    body_list list;
    failure why;
    assert_true(bodies_load(&list, path, &why));
    assert_int_equal(list.count, COUNT + 1);
    assert_int_equal(list.centre, COUNT);
    bodies_free(&list);
}

static void orbits_must_stay_ellipses_during_the_run(void **state) {
    (void)state;
    body_list list;
    failure why;
    load(&list, HEADER SUN "X,Sun,1,0.5,0,0,0,0,-0.1,0.1,0,0,0,0\n");
    assert_true(bodies_check_span(&list, 2451545.0, 2451545.0 + 36525, &why));
    assert_false(bodies_check_span(&list, 2451545.0, 2451545.0 + 5 * 36525, &why));
    assert_string_equal(why.text + strlen(path) + 1,
                        "3: the eccentricity of 'X' is 1 on 2500-01-04 12:00, not in [0, 1)");
    bodies_free(&list);
}

static void lines_are_cut_into_fields(void **state) {
    (void)state;
    char plain[] = " a ,, b c\t,\r\n", quoted[] = "\"x,\"\"y\" , \"\",z\n";
    char *fields[4];
    assert_int_equal(csv_split(plain, fields, 4), 4);
    assert_string_equal(fields[0], "a");
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "b c");
    assert_string_equal(fields[3], "");
    assert_int_equal(csv_split(quoted, fields, 4), 3);
    assert_string_equal(fields[0], "x,\"y");
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "z");
}

static void fields_are_quoted_when_they_need_it(void **state) {
    (void)state;
    FILE *file = tmpfile();
    char text[64] = "";
    assert_non_null(file);
    csv_write_field(file, "plain name");
    putc(' ', file);
    csv_write_field(file, "a \"b\", c");
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(text, "plain name \"a \"\"b\"\", c\"");
    fclose(file);
}

static const struct CMUnitTest tests[] = {
    TEST(the_file_of_the_project_is_read, "the file of the project is read"),
    TEST(comments_blanks_order_and_quotes_do_not_matter, "comments, order and quotes are fine"),
    TEST(files_that_cannot_be_read_are_refused, "files that cannot be read are refused"),
    TEST(headers_must_have_each_column_once, "headers must have each column once"),
    TEST(lines_must_have_the_shape_of_the_header, "lines must have the shape of the header"),
    TEST(numbers_must_be_finite_numbers, "numbers must be finite numbers"),
    TEST(orbits_must_be_ellipses, "orbits must be ellipses"),
    TEST(names_must_be_there_and_differ, "names must be there, and differ"),
    TEST(parents_must_be_there, "parents must be there, and only one body has none"),
    TEST(parents_must_not_go_round, "parents must not go round in a cycle"),
    TEST(long_chains_are_checked_in_linear_time, "long chains of parents are checked fast"),
    TEST(orbits_must_stay_ellipses_during_the_run, "orbits must stay ellipses during the run"),
    TEST(lines_are_cut_into_fields, "lines are cut into fields"),
    TEST(fields_are_quoted_when_they_need_it, "fields are quoted when they need it"),
};

int main(void) {
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return 1;
    close(descriptor);
    const int failed = RUN(tests);
    unlink(path);
    return failed;
}
