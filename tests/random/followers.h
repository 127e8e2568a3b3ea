// SPDX-License-Identifier: MIT
// Observers and reactive sets beside the model. What observers are told is noted: who came and has
// not gone is who has the component in the model; who entered a view and has not left it is who
// matches in the model; edges that came and have not gone are those of the model. Whoever something
// happened to that a set collects is in the set when observers are told, and nobody else comes to
// it.
#pragma once
#include "both.h"
#include "handle_set.h"

// Sources of sets: the kinds, the first set, entities.
enum { FIRST_SET = KINDS, ENTITIES = KINDS + 1, SOURCES = KINDS + 2, VIEWS = 3 };

typedef struct observed_view {
    struct followers *of;
    uint32_t with, without; // a bit for each kind; `with` 0: not observed
    handle_set members;
} observed_view;

typedef struct reactive_set {
    struct followers *of;
    keel_component tag;
    uint32_t rules[SOURCES]; // KEEL_ON_*
    handle_set members;
    // in this operation: who was collected (a rule says so); who came; who has to come yet
    handle_set reasons, comers, awaited;
} reactive_set;

typedef struct observed_kind {
    struct followers *of;
    bool is_observed;
    handle_set owners;
} observed_kind;

// Edges that came and have not gone: how many, and a sum over them.
typedef struct observed_edges {
    bool is_observed;
    uint32_t count;
    uint64_t sum;
} observed_edges;

typedef struct followers {
    both *b;
    observed_edges relations[RELATIONS];
    observed_kind kinds[KINDS];
    observed_view views[VIEWS];
    reactive_set sets[SETS];
    handle_set entities;
    bool copies_tags; // this operation gives sets' tags to others
} followers;

void followers_begin(both *b);
// After each operation.
void followers_settle(both *b);
void followers_compare(const both *b);
// After the end of the world, which tells of all that goes.
void followers_end(both *b);

extern const uint32_t all_of_component; // KEEL_ON_* bits
keel_observer_fn on_component, on_view;
// From now on the kind's owners are noted.
void follow_kind(followers *f, uint32_t k);
// It is not observed any more, and neither are views and sets that name it.
void follow_unregistered(both *b, uint32_t k);
// A value was put out of sight, or brought back: observers of components are not told.
void follow_hidden(both *b, keel_entity e, uint32_t k);
void follow_shown(both *b, keel_entity e, uint32_t k);
// Entities with tags of sets are copied, or come from elsewhere.
void follow_copies(both *b);
bool does_match(const observed_view *v, const model_slot *slot);
// How many sets the entity is in.
uint32_t count_sets(const both *b, keel_entity e);
