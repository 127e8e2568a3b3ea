// SPDX-License-Identifier: MIT
// You will learn: how an editor, a script host or a binding uses Keel without macros: components made
// at run time, any component of any entity read and written by name, a query typed in by a user.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

// the game's own types; the fields are described for the editor
typedef struct Position { float x, y; } Position;
typedef struct Door { bool open; int32_t key; keel_entity leads_to; } Door;
KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Door, open, key, leads_to);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Door, KEEL_HAS_FIELDS(Door));
KEEL_TAG(Selected);

// from here on: code that knows no type
static void print_field(const keel_field *f, const void *value) {
    const char *at = (const char *)value + f->offset;
    float f32;
    int32_t i32;
    keel_entity e;
    switch (f->type) {
    case KEEL_FIELD_F32: memcpy(&f32, at, sizeof f32); printf("%g", (double)f32); break;
    case KEEL_FIELD_BOOL: printf("%s", *at ? "true" : "false"); break;
    case KEEL_FIELD_I32: memcpy(&i32, at, sizeof i32); printf("%d", (int)i32); break;
    case KEEL_FIELD_ENTITY: memcpy(&e, at, sizeof e); printf("entity %u", keel_entity_index(e)); break;
    default: printf("%u of something", f->count);
    }
}

static void print_entity(const keel_world *world, keel_entity e) {
    const keel_component *c = NULL;
    while ((c = keel_next_component_of(world, e, c)) != NULL) {
        printf("  %s", c->name);
        const void *value = keel_get_component(world, e, c);
        for (uint32_t i = 0; i < c->field_count; ++i) {
            printf("%s%s = ", i ? ", " : ": ", c->fields[i].name);
            print_field(&c->fields[i], value);
        }
        printf("\n");
    }
}

static keel_result set_float(keel_world *world, keel_entity e, const char *component,
                             const char *field, float to) {
    const keel_component *c = keel_find_component(world, component);
    if (!c) return KEEL_ERROR_UNKNOWN;
    char *bytes = keel_get_component_mut(world, e, c);
    for (uint32_t i = 0; bytes && i < c->field_count; ++i)
        if (strcmp(c->fields[i].name, field) == 0 && c->fields[i].type == KEEL_FIELD_F32) {
            memcpy(bytes + c->fields[i].offset, &to, sizeof to);
            return KEEL_OK;
        }
    return KEEL_ABSENT;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_register(world, Position, Door, Selected); // so that the editor can list them at once
    // a script says: component Armor { hits: i32, weight: f32 }
    const keel_field fields[] = { { .name = "hits", .type = KEEL_FIELD_I32, .offset = 0, .count = 1 }, { .name = "weight", .type = KEEL_FIELD_F32, .offset = 4, .count = 1 } };
    const keel_component description = {
        .name = "Armor", .size = 8, .align = 4, .fields = fields, .field_count = 2 };
    const keel_component *armor = keel_register_component(world, &description);

    keel_entity hall = keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }));
    keel_entity door =
        keel_add_entity(world, KEEL_INIT(Position, { 3, 4 }),
                        KEEL_INIT(Door, { .key = 7, .leads_to = hall }), KEEL_INIT(Selected));
    keel_add_component(world, door, armor, &(struct { int32_t hits; float weight; }){ 5, 2.5f });
    set_float(world, door, "Position", "y", 40);
    printf("entity %u\n", keel_entity_index(door));
    print_entity(world, door);

    // a query typed in by the user: "Position, !Selected"
    const keel_component *position = keel_find_component(world, "Position");
    const keel_term terms[] = {
        { .kind = KEEL_TERM_READ, .component = position },
        { .kind = KEEL_TERM_WITHOUT, .component = keel_find_component(world, "Selected") },
        { .kind = KEEL_TERM_ENTITY },
        { .kind = KEEL_TERM_END },
    };
    keel_view view;
    if (keel_view_begin(&view, world, terms, "editor query") == KEEL_OK) {
        keel_iterator it;
        keel_iterator_begin(&it, &view);
        for (keel_span span; keel_iterator_next_span(&it, &span);) {
            const char *values = keel_span_read_component(&span, position);
            for (uint32_t i = 0; i < span.count; ++i) {
                printf("query: entity %u, x = ", keel_entity_index(span.entities[i]));
                print_field(&position->fields[0], values + i * position->size);
                printf("\n");
            }
        }
        keel_view_end(&view);
    }
    keel_world_destroy(world);
    return 0;
}
