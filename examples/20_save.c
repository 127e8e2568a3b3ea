// SPDX-License-Identifier: MIT
// You will learn: a saved game as text, written and read by code that knows no type: handles come
// back as they were, then values field by field, then parents, then names; and how to tell that
// what was loaded is what was saved.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

typedef struct Cell { int32_t x, y; } Cell;
typedef struct Health { float points; } Health;
typedef struct Hunts { keel_entity whom; } Hunts;
typedef struct Turn { int32_t number; } Turn;
KEEL_FIELDS(Cell, x, y);
KEEL_FIELDS(Health, points);
KEEL_FIELDS(Hunts, whom);
KEEL_FIELDS(Turn, number);
KEEL_COMPONENT(Cell, KEEL_HAS_FIELDS(Cell));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));
KEEL_COMPONENT(Hunts, KEEL_HAS_FIELDS(Hunts));
KEEL_TAG(Player);
KEEL_UNIQUE(Turn, KEEL_HAS_FIELDS(Turn));

// ------------------------------------------------------------------ writing
static void write_entity(FILE *file, const char *word, keel_entity e) {
    fprintf(file, "%s %u %u", word, (unsigned)keel_entity_index(e), (unsigned)keel_entity_version(e));
}

static void write_value(FILE *file, const char *kind, const keel_component *c, const void *value) {
    fprintf(file, "%s %s\n", kind, c->name);
    for (uint32_t i = 0; i < c->field_count; ++i) {
        char text[256];
        keel_field_place place;
        if (keel_field_find(c, c->fields[i].name, &place, NULL) != KEEL_OK) continue;
        keel_field_print(&place, value, text, sizeof text); // every bit of it
        fprintf(file, "  %s %s\n", c->fields[i].name, text);
    }
}

static void save(const keel_world *world, FILE *file) {
    keel_entity e = keel_null();
    while (e = keel_next_entity(world, e), !keel_is_null(e)) {
        write_entity(file, "entity", e);
        fprintf(file, "\n");
        for (const keel_component *c = NULL; (c = keel_next_component_of(world, e, c)) != NULL;)
            if (strncmp(c->name, "keel_", 5) != 0) // parents, children and names: below
                write_value(file, "has", c, keel_get_component(world, e, c));
    }
    while (e = keel_next_entity(world, e), !keel_is_null(e)) { // from the first one again
        KEEL_EACH_CHILD(world, e, child) {                     // in order
            write_entity(file, "child", e);
            write_entity(file, "", child);
            fprintf(file, "\n");
        }
    }
    while (e = keel_next_entity(world, e), !keel_is_null(e)) {
        if (!keel_name_of(world, e)) continue;
        write_entity(file, "name", e);
        fprintf(file, " %s\n", keel_name_of(world, e));
    }
    for (const keel_component *u = NULL; (u = keel_next_unique(world, u)) != NULL;)
        write_value(file, "unique", u, keel_get_unique_value(world, u));
}

// ------------------------------------------------------------------ reading
static keel_entity read_entity(FILE *file) {
    unsigned index = 0, version = 0;
    if (fscanf(file, "%u %u", &index, &version) != 2) return keel_null();
    return keel_entity_make(index, version); // null for what null was written as
}

static bool read_value(FILE *file, const keel_component *c, void *value) {
    for (uint32_t i = 0; i < c->field_count; ++i) {
        char path[64], text[256];
        keel_field_place place;
        keel_error error = { KEEL_ERROR_FILE, "", NULL, "the file ends" };
        if (fscanf(file, "%63s %255[^\n]", path, text) != 2 ||
            keel_field_find(c, path, &place, &error) != KEEL_OK ||
            keel_field_parse(&place, value, text, &error) != KEEL_OK)
            return fprintf(stderr, "%s\n", error.message), false;
    }
    return true;
}

static keel_result load(keel_world *world, FILE *file) { // into an empty world that knows the types
    keel_entity e = keel_null();
    for (char word[64]; fscanf(file, "%63s", word) == 1;) {
        if (strcmp(word, "entity") == 0) {
            KEEL_TRY(keel_add_entity_at(world, e = read_entity(file)));
        } else if (strcmp(word, "child") == 0) {
            const keel_entity parent = read_entity(file);
            KEEL_TRY(keel_attach(world, read_entity(file), parent)); // becomes the last child
        } else if (strcmp(word, "name") == 0) { // unique among siblings, so after all parents
            e = read_entity(file);
            if (fscanf(file, " %63[^\n]", word) == 1) KEEL_TRY(keel_set_name(world, e, word));
        } else { // has, unique
            _Alignas(16) char value[64] = { 0 };
            const bool is_unique = strcmp(word, "unique") == 0;
            if (fscanf(file, "%63s", word) != 1) return KEEL_ERROR_FILE;
            const keel_component *c = keel_find_component(world, word);
            if (!c || c->size > sizeof value || !read_value(file, c, value)) return KEEL_ERROR_FILE;
            KEEL_TRY(is_unique ? keel_set_unique_value(world, c, value)
                               : keel_add_component(world, e, c, value));
        }
    }
    return KEEL_OK;
}

int main(void) {
    keel_world *world = keel_world_create(NULL), *other = keel_world_create(NULL);
    keel_entity hero = keel_add_entity(world, KEEL_INIT(Cell, { 1, 2 }), KEEL_INIT(Player));
    keel_set_name(world, hero, "hero");
    keel_delete_entity(world, keel_add_entity(world)); // its index comes back with another version
    keel_entity wolf = keel_add_entity(world, KEEL_INIT(Cell, { 5, 2 }), KEEL_INIT(Hunts, { hero }));
    keel_set_name(world, keel_add_child(world, hero, KEEL_INIT(Health, { 0.1f })), "a red potion");
    keel_add_child(world, hero, KEEL_INIT(Hunts, { keel_null() }));
    keel_set_unique(world, Turn, { 12 });
    save(world, stdout);

    FILE *file = tmpfile();
    if (!file) return 1;
    save(world, file);
    rewind(file);
    keel_register(other, Cell, Health, Hunts, Player);
    keel_register_component(other, KEEL_UNIQUE_OF(Turn));
    const keel_result result = load(other, file);
    uint64_t saved = 0, loaded = 1;
    keel_world_hash(world, &saved);
    keel_world_hash(other, &loaded);
    printf("%s, %s\n", result == KEEL_OK ? "loaded" : keel_last_error(other)->message,
           saved == loaded ? "the same" : "not the same");
    printf("the wolf hunts the %s\n", keel_name_of(other, keel_at(other, wolf, Hunts)->whom));
    fclose(file);
    keel_world_destroy(other);
    keel_world_destroy(world);
    return 0;
}
