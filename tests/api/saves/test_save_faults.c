// SPDX-License-Identifier: MIT
// The system fails while a save is written: at each call of each kind, in every way it may. There
// is the old file or the new one, whole; no other file; and no descriptor stays open. And the
// program is killed at each call.
// wraps: mkstemp open write fsync fchmod rename close fcntl
#if !defined _DEFAULT_SOURCE
#define _DEFAULT_SOURCE // mkdtemp
#endif
#include "support/api_types.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <keel_json.h>
#include <keel_save.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Digits {
    uint32_t value[64];
} Digits;
KEEL_FIELDS(Digits, value);
KEEL_COMPONENT(Digits, KEEL_HAS_FIELDS(Digits));

// ------------------------------------------------------------------ the system
enum { OPENS, OPENS_FOLDER, WRITES, SYNCS, MODES, RENAMES, CLOSES, KINDS, ANY = KINDS };
static const char *const kind_names[] = { "mkstemp", "open",   "write", "fsync",
                                          "fchmod",  "rename", "close" };
// What happens at the n-th call of a kind.
typedef enum fault_how { FAILS, IS_SHORT, GIVES_NOTHING, KILLS, KILLS_HALFWAY } fault_how;
static struct {
    bool is_on;
    int kind, error;
    uint32_t at, calls; // the first one is 1
    fault_how how;
    bool happened;
} fault;

static bool happens(int kind) {
    if (!fault.is_on || (fault.kind != ANY && fault.kind != kind) || ++fault.calls != fault.at)
        return false;
    fault.happened = true;
    if (fault.how == KILLS) (void)kill(getpid(), SIGKILL);
    errno = fault.error;
    return true;
}

int __real_mkstemp(char *name);
int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_fchmod(int file, mode_t mode);
int __real_rename(const char *from, const char *to);
int __real_close(int file);
int __real_fcntl(int file, int command, ...);
int __wrap_mkstemp(char *name);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_rename(const char *from, const char *to);
int __wrap_close(int file);
int __wrap_fcntl(int file, int command, ...);

int __wrap_mkstemp(char *name) { return happens(OPENS) ? -1 : __real_mkstemp(name); }
int __wrap_open(const char *path, int flags, ...) {
    va_list values;
    va_start(values, flags);
    const int mode = flags & O_CREAT ? va_arg(values, int) : 0;
    va_end(values);
    return happens(OPENS_FOLDER) ? -1 : __real_open(path, flags, mode);
}
ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (!happens(WRITES)) return __real_write(file, bytes, size);
    const size_t some = size > 1 ? size / 2 : size;
    if (fault.how == KILLS_HALFWAY) {
        const ssize_t done = __real_write(file, bytes, some);
        if (done > 0) (void)kill(getpid(), SIGKILL);
    }
    if (fault.how == IS_SHORT) return __real_write(file, bytes, some);
    return fault.how == GIVES_NOTHING ? 0 : -1;
}
int __wrap_fsync(int file) { return happens(SYNCS) ? -1 : __real_fsync(file); }
int __wrap_fchmod(int file, mode_t mode) { return happens(MODES) ? -1 : __real_fchmod(file, mode); }
int __wrap_rename(const char *from, const char *to) {
    return happens(RENAMES) ? -1 : __real_rename(from, to);
}
int __wrap_close(int file) { // which closes all the same
    const bool fails = happens(CLOSES);
    const int error = errno, done = __real_close(file);
    if (fails) errno = error;
    return fails ? -1 : done;
}
int __wrap_fcntl(int file, int command, ...) {
    va_list values;
    va_start(values, command);
    const int value = va_arg(values, int);
    va_end(values);
    return __real_fcntl(file, command, value);
}

// ------------------------------------------------------------------ worlds and files
static api_fixture f;
static char folder[64], path[96];
static keel_world *later; // the world when it is saved again
static uint64_t old_hash, new_hash;
static keel_error why;
static bool as_json; // keel_json_write keeps the same promise

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .log = log_to(&f.log), .on_misuse = KEEL_MISUSE_RETURN });
    assert_non_null(world);
    assert_non_null(keel_register_component(world, KEEL_OF(Digits)));
    return world;
}

static void fill(keel_world *world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        Digits n;
        for (uint32_t k = 0; k < 64; ++k)
            n.value[k] = (i * 64 + k) * 2654435761u;
        const keel_entity e = keel_add_entity(world);
        assert_int_equal(keel_add_component(world, e, KEEL_OF(Digits), &n), KEEL_OK);
    }
}

static int set_up(void **state) {
    (void)state;
    owned_begin();
    api_begin(&f);
    (void)snprintf(folder, sizeof folder, "test_save_faults.XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/slot.keel", folder);
    assert_non_null(keel_register_component(f.world, KEEL_OF(Digits)));
    fill(f.world, 20);
    later = new_world();
    fill(later, 300);
    old_hash = hash_of(f.world);
    new_hash = hash_of(later);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
    keel_world_destroy(later);
    api_end(&f);
    assert_owned_end();
    return 0;
}
#define FAULT_TEST(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }
#define JSON_TEST(function, title)                                                                 \
    { title, function, set_up_json, tear_down_json, NULL }

static keel_result write_file(const keel_world *world) {
    if (as_json) return keel_json_write(world, path, NULL, &why);
    return keel_save(world, path, &(keel_save_options){ .error = &why });
}
static keel_result read_file(keel_world *world) {
    if (as_json) return keel_json_load(world, path, NULL, &why);
    return keel_load(world, path, &(keel_load_options){ .error = &why });
}
static int set_up_json(void **state) {
    as_json = true;
    return set_up(state);
}
static int tear_down_json(void **state) {
    as_json = false;
    return tear_down(state);
}

// 0: there is no file.
static uint64_t hash_of_file(void) {
    if (access(path, F_OK) != 0) return 0;
    keel_world *world = new_world();
    const keel_result r = read_file(world);
    if (r < 0) fail_msg("%s", why.message);
    const uint64_t hash = hash_of(world);
    keel_world_destroy(world);
    return hash;
}

// Files beside it; they are removed when `removes`.
static uint32_t count_others(bool removes) {
    uint32_t count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "slot.keel")) continue;
        ++count;
        char name[400];
        (void)snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (removes) assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(closedir(all), 0);
    return count;
}

static int next_descriptor(void) {
    const int next = dup(0);
    assert_true(next >= 0);
    assert_int_equal(close(next), 0);
    return next;
}

static void put_old(bool is_there) {
    (void)unlink(path);
    if (is_there) assert_int_equal(write_file(f.world), KEEL_OK);
}

// ------------------------------------------------------------------ failures
static keel_result save_with(int kind, uint32_t at, fault_how how, int error) {
    fault.kind = kind;
    fault.at = at;
    fault.how = how;
    fault.error = error;
    fault.calls = 0;
    fault.happened = false;
    fault.is_on = true;
    why = (keel_error){ 0 };
    const keel_result r = write_file(later);
    fault.is_on = false;
    return r;
}

// Every call of a kind fails in turn; how many there were.
static uint32_t fail_each(int kind, int error, bool old_is_there) {
    for (uint32_t at = 1;; ++at) {
        put_old(old_is_there);
        const int before = next_descriptor();
        const keel_result r = save_with(kind, at, FAILS, error);
        const bool is_new = hash_of_file() == new_hash;
        assert_int_equal(next_descriptor(), before);
        assert_int_equal(count_others(false), 0);
        if (!fault.happened) {
            assert_int_equal(r, KEEL_OK);
            assert_true(is_new);
            return at - 1;
        }
        // a signal is no failure, nor is the end of looking at the folder
        if (r == KEEL_OK && (error == EINTR || (kind == CLOSES && at == 2))) {
            assert_true(is_new);
            continue;
        }
        if (r != KEEL_ERROR_FILE) fail_msg("%s %u: %d", kind_names[kind], (unsigned)at, (int)r);
        assert_int_equal(why.result, r);
        assert_non_null(strstr(why.message, path));
        if (!is_new) assert_true(hash_of_file() == (old_is_there ? old_hash : 0));
    }
}

static void the_old_file_or_the_new_one_is_there(void **state) {
    (void)state;
    static const int errors[] = { EIO, ENOSPC, EINTR, EACCES };
    for (uint32_t i = 0; i < 8; ++i)
        for (int kind = 0; kind < KINDS; ++kind) {
            const uint32_t calls = fail_each(kind, errors[i / 2], i % 2);
            const uint32_t least[] = { 1, 1, as_json ? 1 : 4, 2, i % 2, 1, 2 };
            assert_true(calls >= least[kind]);
        }
}

static void what_is_written_in_pieces_is_whole(void **state) {
    (void)state;
    for (uint32_t at = 1; at == 1 || fault.happened; ++at) {
        put_old(true);
        assert_int_equal(save_with(WRITES, at, IS_SHORT, 0), KEEL_OK);
        assert_true(hash_of_file() == new_hash);
        put_old(true);
        const keel_result r = save_with(WRITES, at, GIVES_NOTHING, 0);
        assert_int_equal(r, fault.happened ? KEEL_ERROR_FILE : KEEL_OK);
        assert_true(hash_of_file() == (fault.happened ? old_hash : new_hash));
        assert_int_equal(count_others(false), 0);
    }
}

// ------------------------------------------------------------------ what is no file
static void links_stay_and_pipes_are_refused(void **state) {
    (void)state;
    char real[96], link[96];
    (void)snprintf(real, sizeof real, "%s/slot.keel", folder);
    (void)snprintf(link, sizeof link, "%s/link", folder);
    for (uint32_t i = 0; i < 3; ++i) { // the file is there; it is not; the link begins at the root
        put_old(i != 1);
        char there[600] = "slot.keel", at[400];
        if (i == 2) (void)snprintf(there, sizeof there, "%s/%s", getcwd(at, sizeof at), real);
        assert_int_equal(symlink(there, link), 0);
        (void)snprintf(path, sizeof path, "%s", link);
        assert_int_equal(write_file(later), KEEL_OK);
        struct stat is;
        assert_int_equal(lstat(link, &is), 0);
        assert_true(S_ISLNK(is.st_mode));
        (void)snprintf(path, sizeof path, "%s", real);
        assert_true(hash_of_file() == new_hash);
        assert_int_equal(unlink(link), 0);
    }
    assert_int_equal(mkfifo(link, 0600), 0);
    (void)snprintf(path, sizeof path, "%s", link);
    assert_int_equal(write_file(later), KEEL_ERROR_FILE);
    assert_non_null(strstr(why.message, "a device or pipe"));
    struct stat is;
    assert_int_equal(lstat(link, &is), 0);
    assert_true(S_ISFIFO(is.st_mode));
    assert_int_equal(unlink(link), 0);
    (void)snprintf(path, sizeof path, "%s", folder);
    assert_int_equal(write_file(later), KEEL_ERROR_FILE);
    assert_int_equal(symlink("link", link), 0); // to itself
    (void)snprintf(path, sizeof path, "%s", link);
    assert_int_equal(write_file(later), KEEL_ERROR_FILE);
    assert_int_equal(unlink(link), 0);
    (void)snprintf(path, sizeof path, "%s", real);
}

// The file, so many of its bytes, into a pipe, by a child.
static pid_t feed(const char *pipe, size_t most) {
    char real[96];
    (void)snprintf(real, sizeof real, "%s/slot.keel", folder);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child) return child;
    const int from = __real_open(real, O_RDONLY), to = __real_open(pipe, O_WRONLY);
    char some[1000];
    for (ssize_t n; most && (n = read(from, some, most < 1000 ? most : 1000)) > 0;
         most -= (size_t)n)
        if (__real_write(to, some, (size_t)n) != n) abort();
    (void)kill(getpid(), SIGKILL); // which closes the pipe
    return 0;
}

static keel_result damaged(void) { return as_json ? KEEL_ERROR_TEXT : KEEL_ERROR_FORMAT; }

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    char real[96], pipe[96];
    (void)snprintf(real, sizeof real, "%s/slot.keel", folder);
    (void)snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(write_file(later), KEEL_OK);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    (void)snprintf(path, sizeof path, "%s", pipe);
    int status;
    pid_t child = feed(pipe, SIZE_MAX);
    assert_true(hash_of_file() == new_hash);
    assert_int_equal(waitpid(child, &status, 0), child);
    child = feed(pipe, 5000); // it ends too early
    keel_world *world = new_world();
    assert_int_equal(read_file(world), damaged());
    assert_int_equal(keel_entity_count(world), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    keel_world_destroy(world);
    assert_int_equal(unlink(pipe), 0);
    (void)snprintf(path, sizeof path, "%s", real);
}

static bool to_a_file(void *context, const void *bytes, size_t size) {
    return !size || __real_write(*(const int *)context, bytes, size) == (ssize_t)size;
}

static void what_is_no_save_is_told_so(void **state) {
    (void)state;
    char real[96];
    (void)snprintf(real, sizeof real, "%s/slot.keel", folder);
    keel_world *world = new_world();
    (void)snprintf(path, sizeof path, "%s", folder);
    assert_int_equal(read_file(world), KEEL_ERROR_FILE);
    assert_non_null(strstr(why.message, "Is a directory"));
    (void)snprintf(path, sizeof path, "/dev/null"); // nothing
    assert_int_equal(read_file(world), damaged());
    (void)snprintf(path, sizeof path, "%s", real);
    assert_int_equal(__real_close(__real_open(path, O_CREAT | O_WRONLY, 0600)), 0);
    assert_int_equal(read_file(world), damaged());
    if (!as_json) {
        assert_string_equal(why.message, "'slot.keel': this is no save of Keel");
        const keel_load_options little = { .error = &why, .max_bytes = 1 << 20 };
        assert_int_equal(keel_load(world, "/dev/zero", &little), KEEL_ERROR_FORMAT);
        assert_string_equal(why.message, "'/dev/zero' is larger than max_bytes");
    }
    assert_int_equal(keel_entity_count(world), 0);
    (void)snprintf(path, sizeof path, "/dev/full");
    if (access(path, W_OK) == 0) {
        assert_int_equal(write_file(later), KEEL_ERROR_FILE);
        assert_non_null(strstr(why.message, "a device or pipe, '/dev/full'"));
        int full = __real_open(path, O_WRONLY);
        assert_int_equal(keel_save_to(later, (keel_save_sink){ to_a_file, &full },
                                      &(keel_save_options){ .error = &why }),
                         KEEL_ERROR_FILE);
        assert_string_equal(why.message, "the save could not be written");
        assert_int_equal(__real_close(full), 0);
    }
    (void)snprintf(path, sizeof path, "%s", real);
    keel_world_destroy(world);
}

// ------------------------------------------------------------------ the end
static void who_is_killed_leaves_the_old_file_or_the_new_one(void **state) {
    (void)state;
    static const fault_how ways[] = { KILLS, KILLS_HALFWAY };
    uint32_t kept = 0, replaced = 0;
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t at = 1, is_over = 0; !is_over; ++at) {
            const bool is_there = i % 2;
            put_old(is_there);
            const pid_t child = fork();
            assert_true(child >= 0);
            if (!child) { // by signals: an exit would look for memory that the parent has
                const keel_result r = save_with(i / 2 ? WRITES : ANY, at, ways[i / 2], 0);
                (void)kill(getpid(), r == KEEL_OK ? SIGTERM : SIGABRT);
            }
            int status = 0;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status) &&
                        (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM));
            is_over = WTERMSIG(status) == SIGTERM;
            const uint64_t hash = hash_of_file();
            assert_true(hash == new_hash || hash == (is_there ? old_hash : 0));
            kept += hash != new_hash;
            replaced += hash == new_hash;
            assert_true(count_others(true) <= 1);
        }
    assert_true(kept > (as_json ? 6 : 10) && replaced > 4); // before the rename, and after it
}

static const struct CMUnitTest tests[] = {
    FAULT_TEST(the_old_file_or_the_new_one_is_there,
               "when the system fails, there is the old file or the new one, and nothing else"),
    FAULT_TEST(what_is_written_in_pieces_is_whole, "what is written in pieces is whole"),
    FAULT_TEST(who_is_killed_leaves_the_old_file_or_the_new_one,
               "who is killed leaves the old file or the new one"),
    FAULT_TEST(links_stay_and_pipes_are_refused, "links stay what they are; pipes are refused"),
    JSON_TEST(links_stay_and_pipes_are_refused, "and so it is with JSON"),
    FAULT_TEST(a_pipe_is_read_to_its_end, "a pipe is read to its end"),
    JSON_TEST(a_pipe_is_read_to_its_end, "so it is with JSON: a pipe is read"),
    FAULT_TEST(what_is_no_save_is_told_so,
               "folders, empty files, and devices are told to be no saves"),
    JSON_TEST(what_is_no_save_is_told_so, "so it is with JSON: they are told to be no levels"),
    JSON_TEST(the_old_file_or_the_new_one_is_there, "so it is with JSON when the system fails"),
    JSON_TEST(what_is_written_in_pieces_is_whole, "JSON that is written in pieces is whole"),
    JSON_TEST(who_is_killed_leaves_the_old_file_or_the_new_one, "so it is with JSON, killed"),
};

int main(void) { return RUN(tests); }
