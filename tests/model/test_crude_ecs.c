// SPDX-License-Identifier: MIT
// The crude ECS with an AnyMap for each entity.
#include "crude_ecs.h"

#include "support/test.h"

#include <stdio.h>

typedef struct position {
    double x, y;
} position;

typedef struct health {
    double points;
} health;

enum { POSITION, HEALTH, SPRITE };

static const char *attach_position(crude_ecs *ecs, size_t id, double x, double y) {
    const position p = { x, y };
    return crude_ecs_attach(ecs, id, POSITION, &p, sizeof p);
}

static const char *attach_health(crude_ecs *ecs, size_t id, double points) {
    const health h = { points };
    return crude_ecs_attach(ecs, id, HEALTH, &h, sizeof h);
}

static bool is_position(const crude_ecs *ecs, size_t id, double x, double y) {
    const position *p = crude_ecs_get(ecs, id, POSITION);
    return p != NULL && p->x == x && p->y == y;
}

static bool is_health(const crude_ecs *ecs, size_t id, double points) {
    const health *h = crude_ecs_get(ecs, id, HEALTH);
    return h != NULL && h->points == points;
}

static void register_count(crude_ecs *ecs, size_t count) {
    for (size_t i = 0; i < count; i++)
        crude_ecs_register(ecs);
}

// S-149

static void ids_ascend_and_a_freed_one_comes_back(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    assert_int_equal(crude_ecs_register(&ecs), 0);
    assert_int_equal(crude_ecs_register(&ecs), 1);
    assert_int_equal(crude_ecs_register(&ecs), 2);
    crude_ecs_unregister(&ecs, 1);
    assert_int_equal(crude_ecs_register(&ecs), 1);
    assert_int_equal(crude_ecs_register(&ecs), 3);
    crude_ecs_deinit(&ecs);
}

static void the_lowest_free_id_comes_first(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 5);
    crude_ecs_unregister(&ecs, 0);
    crude_ecs_unregister(&ecs, 4);
    crude_ecs_unregister(&ecs, 2);
    assert_int_equal(crude_ecs_register(&ecs), 0);
    assert_int_equal(crude_ecs_register(&ecs), 2);
    assert_int_equal(crude_ecs_register(&ecs), 4);
    assert_int_equal(crude_ecs_register(&ecs), 5);
    crude_ecs_deinit(&ecs);
}

// S-150

static void unregister_frees_the_slot_and_drops_the_components(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_position(&ecs, 0, 1, 2);
    attach_health(&ecs, 0, 10);
    attach_health(&ecs, 1, 20);
    crude_ecs_unregister(&ecs, 0);
    assert_false(crude_ecs_is_registered(&ecs, 0));
    assert_null(crude_ecs_get(&ecs, 0, POSITION));
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    assert_true(crude_ecs_is_registered(&ecs, 1));
    assert_true(is_health(&ecs, 1, 20));
    crude_ecs_deinit(&ecs);
}

static void unregister_of_no_entity_does_nothing(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    crude_ecs_unregister(&ecs, 0);
    register_count(&ecs, 2);
    attach_health(&ecs, 1, 20);
    crude_ecs_unregister(&ecs, 2);
    crude_ecs_unregister(&ecs, SIZE_MAX);
    assert_true(crude_ecs_is_registered(&ecs, 0));
    assert_true(is_health(&ecs, 1, 20));
    crude_ecs_unregister(&ecs, 0);
    crude_ecs_unregister(&ecs, 0);
    assert_string_equal(ecs.error, "");
    assert_int_equal(crude_ecs_register(&ecs), 0);
    assert_int_equal(crude_ecs_register(&ecs), 2);
    crude_ecs_deinit(&ecs);
}

// S-151

static void attach_to_an_entity_succeeds(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 1);
    assert_null(attach_position(&ecs, 0, 1, 2));
    assert_null(attach_health(&ecs, 0, 3));
    assert_true(is_position(&ecs, 0, 1, 2));
    assert_true(is_health(&ecs, 0, 3));
    crude_ecs_deinit(&ecs);
}

static void attach_to_no_entity_tells_its_number(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    assert_string_equal(attach_health(&ecs, 0, 1), "No entity with id 0 found.");
    register_count(&ecs, 13);
    crude_ecs_unregister(&ecs, 12);
    assert_string_equal(attach_health(&ecs, 12, 1), "No entity with id 12 found.");
    assert_string_equal(attach_health(&ecs, 4711, 1), "No entity with id 4711 found.");
    assert_null(crude_ecs_get(&ecs, 12, HEALTH));
    crude_ecs_deinit(&ecs);
}

static void the_error_has_room_for_the_highest_id(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    char expected[2 * CRUDE_ECS_ERROR_SIZE];
    snprintf(expected, sizeof expected, "No entity with id %zu found.", SIZE_MAX);
    assert_string_equal(attach_health(&ecs, SIZE_MAX, 1), expected);
    crude_ecs_deinit(&ecs);
}

// S-152

static void attach_of_the_same_type_replaces_the_value(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_health(&ecs, 0, 1);
    attach_health(&ecs, 1, 1);
    attach_position(&ecs, 0, 7, 8);
    assert_null(attach_health(&ecs, 0, 2));
    assert_true(is_health(&ecs, 0, 2));
    assert_true(is_health(&ecs, 1, 1));
    assert_true(is_position(&ecs, 0, 7, 8));
    assert_null(crude_ecs_detach(&ecs, 0, HEALTH));
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    crude_ecs_deinit(&ecs);
}

// S-153

static void detach_drops_only_the_named_component(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_position(&ecs, 0, 1, 2);
    attach_health(&ecs, 0, 3);
    attach_health(&ecs, 1, 4);
    assert_null(crude_ecs_detach(&ecs, 0, HEALTH));
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    assert_true(is_position(&ecs, 0, 1, 2));
    assert_true(is_health(&ecs, 1, 4));
    crude_ecs_deinit(&ecs);
}

static void detach_of_an_absent_component_succeeds(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 1);
    attach_position(&ecs, 0, 1, 2);
    assert_null(crude_ecs_detach(&ecs, 0, HEALTH));
    assert_null(crude_ecs_detach(&ecs, 0, HEALTH));
    assert_true(is_position(&ecs, 0, 1, 2));
    crude_ecs_deinit(&ecs);
}

static void detach_from_no_entity_tells_its_number(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 3);
    assert_string_equal(crude_ecs_detach(&ecs, 3, HEALTH), "No entity with id 3 found.");
    crude_ecs_unregister(&ecs, 1);
    assert_string_equal(crude_ecs_detach(&ecs, 1, HEALTH), "No entity with id 1 found.");
    crude_ecs_deinit(&ecs);
}

// S-154

static void get_gives_the_value_or_null(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 1);
    attach_health(&ecs, 0, 3);
    assert_true(is_health(&ecs, 0, 3));
    assert_non_null(crude_ecs_get_mut(&ecs, 0, HEALTH));
    assert_null(crude_ecs_get(&ecs, 0, POSITION));
    assert_null(crude_ecs_get_mut(&ecs, 0, POSITION));
    crude_ecs_deinit(&ecs);
}

static void get_of_no_entity_is_null_and_no_error(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    register_count(&ecs, 1);
    attach_health(&ecs, 0, 3);
    crude_ecs_unregister(&ecs, 0);
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    assert_null(crude_ecs_get_mut(&ecs, 0, HEALTH));
    assert_null(crude_ecs_get(&ecs, SIZE_MAX, HEALTH));
    assert_null(crude_ecs_get_mut(&ecs, SIZE_MAX, HEALTH));
    assert_string_equal(ecs.error, "");
    crude_ecs_deinit(&ecs);
}

static void a_change_in_place_is_visible(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_health(&ecs, 0, 3);
    attach_health(&ecs, 1, 3);
    health *h = crude_ecs_get_mut(&ecs, 0, HEALTH);
    h->points -= 1;
    assert_true(is_health(&ecs, 0, 2));
    assert_true(is_health(&ecs, 1, 3));
    crude_ecs_deinit(&ecs);
}

// S-156

static void an_id_used_again_starts_without_components(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_position(&ecs, 0, 1, 2);
    attach_health(&ecs, 0, 3);
    crude_ecs_unregister(&ecs, 0);
    assert_int_equal(crude_ecs_register(&ecs), 0);
    assert_null(crude_ecs_get(&ecs, 0, POSITION));
    assert_null(crude_ecs_get(&ecs, 0, HEALTH));
    assert_null(attach_health(&ecs, 0, 4));
    assert_true(is_health(&ecs, 0, 4));
    crude_ecs_deinit(&ecs);
}

static void an_ecs_can_be_used_again_after_deinit(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 2);
    attach_health(&ecs, 1, 3);
    crude_ecs_deinit(&ecs);
    assert_false(crude_ecs_is_registered(&ecs, 0));
    assert_int_equal(crude_ecs_register(&ecs), 0);
    assert_null(crude_ecs_get(&ecs, 1, HEALTH));
    crude_ecs_deinit(&ecs);
}

// S-157

// A component with a method.
typedef struct sprite {
    int frames;
    void (*render)(struct sprite *self);
} sprite;

static void render_frame(sprite *self) { self->frames++; }

// What a game's main loop does when a system is a method of a component.
static void render_all(crude_ecs *ecs) {
    for (size_t id = 0; id < ecs->slot_count; id++) {
        sprite *s = crude_ecs_get_mut(ecs, id, SPRITE);
        if (s != NULL) s->render(s);
    }
}

static int frames_of(const crude_ecs *ecs, size_t id) {
    const sprite *s = crude_ecs_get(ecs, id, SPRITE);
    return s == NULL ? -1 : s->frames;
}

static void a_system_can_be_a_method_of_a_component(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 3);
    const sprite drawn = { .render = render_frame };
    crude_ecs_attach(&ecs, 0, SPRITE, &drawn, sizeof drawn);
    crude_ecs_attach(&ecs, 2, SPRITE, &drawn, sizeof drawn);
    render_all(&ecs);
    crude_ecs_unregister(&ecs, 0);
    render_all(&ecs);
    assert_int_equal(frames_of(&ecs, 0), -1);
    assert_int_equal(frames_of(&ecs, 1), -1);
    assert_int_equal(frames_of(&ecs, 2), 2);
    crude_ecs_deinit(&ecs);
}

static bool is_collision(const crude_ecs *ecs, size_t a, size_t b) {
    const position *p = crude_ecs_get(ecs, a, POSITION);
    const position *q = crude_ecs_get(ecs, b, POSITION);
    return p != NULL && q != NULL && p->x == q->x && p->y == q->y;
}

static void on_collision(crude_ecs *ecs, size_t a, size_t b) {
    health *first = crude_ecs_get_mut(ecs, a, HEALTH);
    health *second = crude_ecs_get_mut(ecs, b, HEALTH);
    if (first != NULL) first->points -= 1;
    if (second != NULL) second->points -= 1;
}

static void send_collisions(crude_ecs *ecs) {
    for (size_t a = 0; a < ecs->slot_count; a++)
        for (size_t b = a + 1; b < ecs->slot_count; b++)
            if (is_collision(ecs, a, b)) on_collision(ecs, a, b);
}

static void a_system_can_be_run_by_events(void **state) {
    (void)state;
    crude_ecs ecs = { 0 };
    register_count(&ecs, 3);
    for (size_t id = 0; id < 3; id++) {
        attach_position(&ecs, id, id == 1 ? 5 : 0, 0);
        attach_health(&ecs, id, 10);
    }
    send_collisions(&ecs);
    assert_true(is_health(&ecs, 0, 9));
    assert_true(is_health(&ecs, 1, 10));
    assert_true(is_health(&ecs, 2, 9));
    crude_ecs_deinit(&ecs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        // proves S-149
        TEST(ids_ascend_and_a_freed_one_comes_back,
             "ids ascend from 0, and a freed id comes back before a new one"),
        // proves S-149
        TEST(the_lowest_free_id_comes_first, "the lowest free id comes first"),
        // proves S-150
        TEST(unregister_frees_the_slot_and_drops_the_components,
             "unregister frees the slot and drops the components"),
        // proves S-150
        TEST(unregister_of_no_entity_does_nothing,
             "unregister of an id that is no entity does nothing"),
        // proves S-151
        TEST(attach_to_an_entity_succeeds, "attach gives an entity a component"),
        // proves S-151
        TEST(attach_to_no_entity_tells_its_number, "attach to no entity fails and tells the id"),
        // proves S-151
        TEST(the_error_has_room_for_the_highest_id, "the error tells the highest id too"),
        // proves S-152
        TEST(attach_of_the_same_type_replaces_the_value,
             "attach of a type that is there replaces the value"),
        // proves S-153
        TEST(detach_drops_only_the_named_component,
             "detach drops the named component and no other"),
        // proves S-153
        TEST(detach_of_an_absent_component_succeeds, "detach of an absent component succeeds"),
        // proves S-153
        TEST(detach_from_no_entity_tells_its_number,
             "detach from no entity fails and tells the id"),
        // proves S-154
        TEST(get_gives_the_value_or_null, "get gives the component, or NULL without one"),
        // proves S-154
        TEST(get_of_no_entity_is_null_and_no_error, "get of no entity gives NULL and is no error"),
        // proves S-154
        TEST(a_change_in_place_is_visible, "a component changed in place stays changed"),
        // proves S-156
        TEST(an_id_used_again_starts_without_components,
             "an id that is used again starts without components"),
        TEST(an_ecs_can_be_used_again_after_deinit, "an ECS can be used again after deinit"),
        // proves S-157
        TEST(a_system_can_be_a_method_of_a_component,
             "a system can be a method of a component, called by the user"),
        // proves S-157
        TEST(a_system_can_be_run_by_events, "a system can be run by events"),
    };
    return RUN(tests);
}
