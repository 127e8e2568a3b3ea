// SPDX-License-Identifier: MIT
// The tool keel-save: checks, lists, prints and compares saves without the program that wrote them.
// This file parses the command line and runs a command; a user calls it from a shell.
#include "tool.h"

#include <keel_json.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: keel-save [--max-bytes N] [--max-entities N] COMMAND\n"
    "  check FILE      reads all of the file; exits with 0 if it is sound\n"
    "  list FILE       prints components, relations and uniques, their fields and sizes\n"
    "  print FILE      prints the world as JSON; handles as @INDEXvVERSION\n"
    "  diff FILE FILE  prints additions (+), removals (-) and changes (~); exits with 1 if any\n"
    "Exits with 2 on an error, which is printed. The program that wrote the save is not needed.\n"
    "--max-bytes (default 1073741824) limits the size of the file and of its unpacked content,\n"
    "--max-entities (default 16777216) the largest index of an entity.\n";

enum { FINE, DIFFERENT, FAILED };

static bool print_text(void *context, const char *text, size_t length) {
    return fwrite(text, 1, length, context) == length;
}

static int fail(const loaded_save *save) {
    fprintf(stderr, "keel-save: %s: %s\n", save->path,
            save->error.message[0] ? save->error.message : keel_result_text(save->error.result));
    return FAILED;
}

static int diff(loaded_save *a, loaded_save *b) {
    if (load_sections(b) < 0 || load_world(b) < 0) return fail(b);
    return diff_saves(a, b, stdout) ? DIFFERENT : FINE;
}

static int run(const char *command, loaded_save *save, loaded_save *other) {
    const keel_json_write_options all = { .handles = true };
    if (load_sections(save) < 0 || load_world(save) < 0) return fail(save);
    if (!strcmp(command, "list")) list_save(save, stdout);
    if (!strcmp(command, "check"))
        printf("%s: sound, %u entities, %u sections\n", save->path, (unsigned)save->entity_count,
               (unsigned)save->section_count);
    if (!strcmp(command, "print") &&
        keel_json_write_to(save->world, print_text, stdout, &all, &save->error) < 0)
        return fail(save);
    if (!strcmp(command, "diff")) return diff(save, other);
    return FINE;
}

// Returns the limit that a text spells, or 0 if it is no number from 1 to `most`.
static uint64_t limit_of(const char *text, uint64_t most) {
    char *end;
    if (!text || *text < '0' || *text > '9') return 0;
    const uint64_t number = strtoull(text, &end, 10);
    return *end || number > most ? 0 : number;
}

int main(int argc, char **argv) {
    keel_load_options how = { .max_bytes = (uint64_t)1 << 30, .max_entities = 1u << 24 };
    int at = 1;
    for (; at + 1 < argc && !strncmp(argv[at], "--max-", 6); at += 2) {
        const bool is_bytes = !strcmp(argv[at], "--max-bytes");
        const uint64_t limit = limit_of(argv[at + 1], is_bytes ? UINT64_MAX / 2 : UINT32_MAX);
        if (!limit || (!is_bytes && strcmp(argv[at], "--max-entities") != 0)) break;
        if (is_bytes) how.max_bytes = limit;
        else how.max_entities = (uint32_t)limit;
    }
    const char *command = at < argc ? argv[at] : "";
    const int files = !strcmp(command, "diff") ? 2 : 1;
    const bool is_known = !strcmp(command, "check") || !strcmp(command, "list") ||
                          !strcmp(command, "print") || files == 2;
    if (!strcmp(command, "--help") || !strcmp(command, "-h")) {
        fputs(help, stdout);
        return FINE;
    }
    if (!is_known || argc - at != files + 1) {
        fputs(help, stderr);
        return FAILED;
    }
    loaded_save save = { .path = argv[at + 1], .how = how };
    loaded_save other = { .path = argv[argc - 1], .how = how };
    int status = run(command, &save, &other);
    unload(&save);
    unload(&other);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("keel-save: stdout");
        status = FAILED;
    }
    return status;
}
