// SPDX-License-Identifier: MIT
// You will learn: how a save of last year's program loads today. A field has another name, another
// one is wider, a third one is gone and lives on in a new one: what the declarations say is enough
// for the first two, and a migrate function makes the rest.
#include <keel_save.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ version 1, last year
typedef struct OldHealth { int16_t hp; uint8_t shield; char title[8]; } OldHealth;
KEEL_FIELDS(OldHealth, hp, shield, title);
KEEL_COMPONENT(OldHealth, .name = "Health", KEEL_HAS_FIELDS(OldHealth), .version = 1);

// ------------------------------------------------------------------ version 2, today
typedef enum Rank { NOBODY, KNIGHT, QUEEN } Rank;
KEEL_ENUM(Rank, NOBODY, KNIGHT, QUEEN);
typedef struct Vitals { int32_t points, armour; Rank rank; } Vitals;
KEEL_FIELDS(Vitals, KEEL_FIELD(points, .was = "hp"), armour, KEEL_FIELD(rank, .of = KEEL_TYPE(Rank)));

// `points` is there already: it was `hp`, and is wider now. What is gone is read by its old name.
static keel_result migrate_vitals(const keel_old_value *old, void *value, void *data) {
    Vitals *vitals = value;
    const char *title = keel_old_text(old, "title", "");
    (void)data;
    vitals->armour = 10 * (int32_t)keel_old_int(old, "shield", 0);
    vitals->rank = !strcmp(title, "queen") ? QUEEN : !strcmp(title, "knight") ? KNIGHT : NOBODY;
    return KEEL_OK;
}
KEEL_COMPONENT(Vitals, KEEL_HAS_FIELDS(Vitals), .saved_as = "Health", .version = 2, .migrate = migrate_vitals);

// ------------------------------------------------------------------ a file, in memory
static struct { unsigned char bytes[4096]; size_t size; } file;
static bool append(void *context, const void *bytes, size_t size) {
    (void)context;
    if (size > sizeof file.bytes - file.size) return false;
    memcpy(file.bytes + file.size, bytes, size);
    file.size += size;
    return true;
}

static void save_last_year(void) {
    keel_world *world = keel_world_create(NULL);
    (void)keel_add_entity(world, KEEL_INIT(OldHealth, { 30, 2, "knight" }));
    (void)keel_add_entity(world, KEEL_INIT(OldHealth, { -1, 255, "queen" }));
    if (keel_save_to(world, (keel_save_sink){ append, NULL }, NULL) < 0) puts("not saved");
    keel_world_destroy(world);
}

int main(void) {
    save_last_year();
    keel_error why = { 0 };
    const keel_load_options how = { .error = &why };

    // a program that has never heard of it
    keel_world *stranger = keel_world_create(NULL);
    if (keel_load_from(stranger, file.bytes, file.size, &how) < 0) printf("%s\n", why.message);
    keel_world_destroy(stranger);

    keel_world *world = keel_world_create(NULL);
    (void)keel_register(world, Vitals);
    if (keel_load_from(world, file.bytes, file.size, &how) < 0) printf("%s\n", why.message);
    KEEL_EACH(world, KEEL_ENTITY(e), KEEL_READ(Vitals, v)) {
        keel_field_place rank;
        char text[16];
        (void)keel_field_find(KEEL_OF(Vitals), "rank", &rank, NULL);
        keel_field_print(&rank, v, text, sizeof text);
        printf("%u: %d points, armour %d, %s\n", (unsigned)keel_entity_index(e), (int)v->points, (int)v->armour, text);
    }
    keel_world_destroy(world);
    return 0;
}
