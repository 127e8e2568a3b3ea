// SPDX-License-Identifier: MIT
// You will learn: how an editor, a script host or a binding uses Keel without macros: components made
// at run time, any field of any entity printed and set by its path, a query typed in by a user.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

// the game's own types, described for the editor
typedef enum Mood { CALM, ANGRY } Mood;
typedef struct Vec2 { float x, y; } Vec2;
typedef struct Slot { int16_t count; char label[8]; } Slot;
typedef struct Position { float x, y; } Position;
typedef struct Turret { Vec2 aim; Mood mood; float reload; Slot slots[2]; keel_entity target; void *mesh; } Turret;
KEEL_ENUM(Mood, CALM, ANGRY);
KEEL_FIELDS(Vec2, x, y);
KEEL_FIELDS(Slot, count, label);
KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Turret, KEEL_FIELD(aim, .of = KEEL_TYPE(Vec2)), KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(reload, .unit = "s", .max = 9.5), KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), target,
            KEEL_FIELD(mesh, .transient = true, .hidden = true));
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Turret, KEEL_HAS_FIELDS(Turret));
KEEL_TAG(Selected);

// from here on: code that knows no type
static void print_entity(const keel_world *world, keel_entity e) {
    const keel_component *c = NULL;
    while ((c = keel_next_component_of(world, e, c)) != NULL) {
        if (c->is_relation) continue; // has a value for each target: keel_get_related_component
        const void *value = keel_get_component(world, e, c);
        printf("  %s\n", c->name);
        for (uint32_t i = 0; i < c->field_count; ++i) {
            const keel_field *f = &c->fields[i];
            keel_field_place place;
            char text[256];
            if (f->hidden || keel_field_find(c, f->name, &place, NULL) != KEEL_OK) continue;
            keel_field_print(&place, value, text, sizeof text);
            printf("    %s = %s%s%s\n", f->name, text, f->unit ? " " : "", f->unit ? f->unit : "");
        }
    }
}

// "Turret.slots[1].count = 4": what a user types into a console
static keel_result set(keel_world *world, keel_entity e, const char *line) {
    char name[32], path[64], text[128];
    keel_field_place place;
    keel_error error;
    if (sscanf(line, "%31[^.].%63[^ =] = %127[^\n]", name, path, text) != 3) return KEEL_ERROR_TEXT;
    const keel_component *c = keel_find_component(world, name);
    void *value = c ? keel_get_component_mut(world, e, c) : NULL;
    if (!value) return KEEL_ERROR_UNKNOWN;
    keel_result result = keel_field_find(c, path, &place, &error);
    if (result == KEEL_OK) result = keel_field_parse(&place, value, text, &error);
    if (result != KEEL_OK) printf("! %s\n", error.message);
    return result;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_register(world, Position, Turret, Selected); // so that the editor can list them at once
    // a script says: component Armor { hits: i32, weight: f32 }
    const keel_field fields[] = { { .name = "hits", .type = KEEL_FIELD_I32, .count = 1 },
                                  { .name = "weight", .type = KEEL_FIELD_F32, .offset = 4, .count = 1 } };
    const keel_component description = {
        .name = "Armor", .size = 8, .align = 4, .fields = fields, .field_count = 2 };
    const keel_component *armor = keel_register_component(world, &description);

    keel_entity wall = keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }));
    keel_entity tower = keel_add_entity(world, KEEL_INIT(Position, { 3, 4 }), KEEL_INIT(Turret, { .reload = 2.5f }),
                                        KEEL_INIT(Selected));
    keel_add_component(world, tower, armor, NULL);
    const char *lines[] = { "Position.y = 40", "Turret.aim = {x: 0.1, y: -1}", "Turret.mood = ANGRY",
                            "Turret.slots[1].count = 4", "Turret.slots[1].label = bolts", "Turret.target = 0v0",
                            "Armor.weight = 1e-3", "Turret.reload = 12", "Turret.aim.z = 1", "Turret.mood = hungry" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        (void)set(world, tower, lines[i]);
    printf("entity %u\n", keel_entity_index(tower));
    print_entity(world, tower);
    printf("the target is the wall: %s\n", keel_is_same(keel_at(world, tower, Turret)->target, wall) ? "yes" : "no");

    // a query typed in by the user: "Position, !Selected"
    const keel_component *position = keel_find_component(world, "Position");
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = position },
                                { .kind = KEEL_TERM_WITHOUT, .component = keel_find_component(world, "Selected") },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    if (keel_view_begin(&view, world, terms, "editor query") == KEEL_OK) {
        keel_iterator it;
        keel_iterator_begin(&it, &view);
        for (keel_span span; keel_iterator_next_span(&it, &span);)
            for (uint32_t i = 0; i < span.count; ++i)
                printf("query: entity %u\n", keel_entity_index(span.entities[i]));
        keel_view_end(&view);
    }
    keel_world_destroy(world);
    return 0;
}
