// SPDX-License-Identifier: MIT
// The naive way to say whom reactive sets have, and who enters and leaves what terms match: arrays
// that are gone through from end to end. Entities have small numbers here.
#pragma once
#include <keel/keel.h>

enum { REACT_SLOTS = 40, REACT_COMPONENTS = 6, REACT_FIRST_SET = 4, REACT_VIEWS = 7 };

// Who matches, as bits of components: all of these, none of these, one of these (0: does not
// matter).
typedef struct react_shape {
    uint32_t all, none, any;
} react_shape;
extern const react_shape react_shapes[REACT_VIEWS];
bool react_fits(const react_shape *shape, uint32_t bits);

typedef struct react_model {
    keel_entity entities[REACT_SLOTS];                                           // null: nobody
    bool has[REACT_SLOTS][REACT_COMPONENTS], off[REACT_SLOTS][REACT_COMPONENTS]; // off: disabled
    uint32_t rules[REACT_COMPONENTS][REACT_COMPONENTS]; // by set and source: KEEL_ON_*
    bool observed[REACT_VIEWS], member[REACT_VIEWS][REACT_SLOTS];
    uint32_t told[REACT_VIEWS][REACT_SLOTS][2]; // how often it entered, left
} react_model;

uint32_t react_bits(const react_model *m, uint32_t slot);
bool react_reaches(const react_model *m, uint32_t from, uint32_t to);
// Something happened to a component.
void react_event(react_model *m, uint32_t slot, uint32_t c, uint32_t kind);
void react_collect(react_model *m, uint32_t slot, uint32_t set);
// Edits. What a component takes along when it goes is told at once; when all is done follows
// react_settle.
void react_put(react_model *m, uint32_t slot, uint32_t bits);
void react_take(react_model *m, uint32_t slot, uint32_t c, uint32_t kind);
void react_hide(react_model *m, uint32_t slot, uint32_t c);
void react_clear(react_model *m, uint32_t c); // everybody loses it together
void react_strip(react_model *m, uint32_t slot);
void react_delete(react_model *m, uint32_t slot);
void react_settle(react_model *m);
