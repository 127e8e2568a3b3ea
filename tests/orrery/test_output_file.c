// SPDX-License-Identifier: MIT
// Output files: complete or not there.
#include "output_file.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/orrery_output_XXXXXX";
static char path[64], link_path[64];

static void write_text(const char *where, const char *text) {
    FILE *file = fopen(where, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *where, const char *expected) {
    char text[64] = "";
    FILE *file = fopen(where, "r");
    assert_non_null(file);
    (void)!fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_string_equal(text, expected);
}

static int count_files(void) {
    char command[96];
    int count = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", directory);
    FILE *listing = popen(command, "r");
    assert_non_null(listing);
    assert_int_equal(fscanf(listing, "%d", &count), 1);
    pclose(listing);
    return count;
}

static int clean(void **state) {
    (void)state;
    unlink(path);
    unlink(link_path);
    return count_files() != 0; // nothing else may be left
}

static void publish(const char *where, const char *text) {
    output_file output = { 0 };
    failure why;
    assert_true(output_open(&output, where, &why));
    fputs(text, output.file);
    assert_true(output_close(&output, &why));
    assert_true(output_publish(&output, &why));
    output_discard(&output);
}

static void a_file_appears_when_it_is_published(void **state) {
    (void)state;
    output_file output = { 0 };
    failure why;
    assert_true(output_open(&output, path, &why));
    fputs("new", output.file);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(output_close(&output, &why));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(output_publish(&output, &why));
    output_discard(&output);
    assert_text(path, "new");
    assert_int_equal(count_files(), 1);
}

static void a_discarded_file_leaves_the_old_one(void **state) {
    (void)state;
    output_file output = { 0 };
    failure why;
    write_text(path, "old");
    assert_true(output_open(&output, path, &why));
    fputs("new", output.file);
    output_discard(&output);
    assert_text(path, "old");
    assert_int_equal(count_files(), 1);
}

static void permissions_are_those_of_the_old_file_or_the_usual_ones(void **state) {
    (void)state;
    struct stat status;
    const mode_t mask = umask(027);
    publish(path, "x");
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    publish(path, "y");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
}

static void a_symbolic_link_stays_one(void **state) {
    (void)state;
    struct stat status;
    write_text(path, "old");
    assert_int_equal(symlink(path, link_path), 0);
    publish(link_path, "new");
    assert_text(path, "new");
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void devices_are_written_and_not_replaced(void **state) {
    (void)state;
    struct stat status;
    publish("/dev/null", "x");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void a_file_is_known_by_any_name(void **state) {
    (void)state;
    char detour[80];
    output_file output = { 0 };
    failure why;
    snprintf(detour, sizeof detour, "%s/../%s/./file", directory, directory + 5); // behind /tmp/
    assert_true(output_open(&output, path, &why));                                // not there yet
    assert_true(output_replaces(&output, path) && output_replaces(&output, detour));
    assert_false(output_replaces(&output, link_path) || output_replaces(&output, "/dev/null"));
    output_discard(&output);
    assert_false(output_replaces(&output, path));
}

static void a_full_disk_is_noticed(void **state) {
    (void)state;
    output_file output = { 0 };
    failure why;
    assert_true(output_open(&output, "/dev/full", &why));
    fputs("x", output.file);
    assert_false(output_close(&output, &why));
    assert_string_equal(why.text, "orrery: /dev/full: No space left on device");
    output_discard(&output);
}

static void places_that_cannot_be_written_are_refused(void **state) {
    (void)state;
    output_file output = { 0 };
    failure why;
    assert_false(output_open(&output, directory, &why));
    assert_non_null(strstr(why.text, ": Is a directory"));
    assert_false(output_open(&output, "/nonexistent/file", &why));
    assert_string_equal(why.text, "orrery: /nonexistent/file: No such file or directory");
    assert_false(output_open(&output, "", &why));
    output_discard(&output);
}

#define TEST_CLEAN(function, title)                                                                \
    { title, function, NULL, clean, NULL }
static const struct CMUnitTest tests[] = {
    TEST_CLEAN(a_file_appears_when_it_is_published, "a file appears when it is published"),
    TEST_CLEAN(a_discarded_file_leaves_the_old_one, "a discarded file leaves the old one"),
    TEST_CLEAN(permissions_are_those_of_the_old_file_or_the_usual_ones, "permissions are kept"),
    TEST_CLEAN(a_symbolic_link_stays_one, "a symbolic link stays one"),
    TEST_CLEAN(devices_are_written_and_not_replaced, "devices are written and not replaced"),
    TEST_CLEAN(a_file_is_known_by_any_name, "a file is known by any of its names"),
    TEST_CLEAN(a_full_disk_is_noticed, "a full disk is noticed"),
    TEST_CLEAN(places_that_cannot_be_written_are_refused, "places one cannot write are refused"),
};

int main(void) {
    if (!mkdtemp(directory)) return 1;
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(link_path, sizeof link_path, "%s/link", directory);
    const int failed = RUN(tests);
    rmdir(directory);
    return failed;
}
