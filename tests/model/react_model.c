// SPDX-License-Identifier: MIT
#include "model/react_model.h"

#include <string.h>

enum { SLOTS = REACT_SLOTS, COMPONENTS = REACT_COMPONENTS, VIEWS = REACT_VIEWS };

const react_shape react_shapes[VIEWS] = { { 1, 8, 0 },  { 3, 0, 0 },  { 0, 16, 3 }, { 16, 0, 12 },
                                          { 32, 0, 0 }, { 4, 34, 0 }, { 0, 0, 21 } };

bool react_fits(const react_shape *s, uint32_t bits) {
    return (bits & s->all) == s->all && !(bits & s->none) && (!s->any || bits & s->any);
}

uint32_t react_bits(const react_model *m, uint32_t slot) {
    uint32_t bits = 0;
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        bits |= (uint32_t)m->has[slot][c] << c;
    return bits;
}

bool react_reaches(const react_model *m, uint32_t from, uint32_t to) {
    if (from == to) return true;
    for (uint32_t set = REACT_FIRST_SET; set < COMPONENTS; ++set)
        if (m->rules[set][from] && react_reaches(m, set, to)) return true;
    return false;
}

// ------------------------------------------------------------------ sets
void react_collect(react_model *m, uint32_t slot, uint32_t set) {
    if (m->has[slot][set]) return;
    m->has[slot][set] = true;
    m->off[slot][set] = false;
    react_event(m, slot, set, KEEL_ON_INSERTED);
}

void react_event(react_model *m, uint32_t slot, uint32_t c, uint32_t kind) {
    for (uint32_t set = REACT_FIRST_SET; set < COMPONENTS; ++set)
        if (m->rules[set][c] & kind) react_collect(m, slot, set);
}

// ------------------------------------------------------------------ views
// Who leaves because of it leaves now; who is kept out by what came leaves when all is done.
static void leaving(react_model *m, uint32_t slot, uint32_t lost) {
    for (uint32_t v = 0; v < VIEWS; ++v) {
        const react_shape wanted = { react_shapes[v].all, 0, react_shapes[v].any };
        if (!m->member[v][slot] || react_fits(&wanted, react_bits(m, slot) & ~lost)) continue;
        m->member[v][slot] = false;
        ++m->told[v][slot][1];
    }
}

void react_settle(react_model *m) {
    for (uint32_t v = 0; v < VIEWS; ++v)
        for (uint32_t s = 0; s < SLOTS; ++s) {
            const bool now = m->observed[v] && react_fits(&react_shapes[v], react_bits(m, s));
            if (now == m->member[v][s]) continue;
            m->member[v][s] = now;
            ++m->told[v][s][now ? 0 : 1];
        }
}

// ------------------------------------------------------------------ edits
void react_put(react_model *m, uint32_t slot, uint32_t bits) {
    const uint32_t before = react_bits(m, slot);
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        if (bits >> c & 1) m->has[slot][c] = true, m->off[slot][c] = false;
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        if (bits >> c & 1)
            react_event(m, slot, c, before >> c & 1 ? KEEL_ON_MODIFIED : KEEL_ON_INSERTED);
}

void react_take(react_model *m, uint32_t slot, uint32_t c, uint32_t kind) {
    m->off[slot][c] = false;
    if (!m->has[slot][c]) return;
    react_event(m, slot, c, kind);
    leaving(m, slot, 1u << c);
    m->has[slot][c] = false;
}

void react_hide(react_model *m, uint32_t slot, uint32_t c) {
    leaving(m, slot, 1u << c);
    m->has[slot][c] = false;
    m->off[slot][c] = true;
}

void react_clear(react_model *m, uint32_t c) {
    for (uint32_t s = 0; s < SLOTS; ++s)
        if (m->has[s][c]) react_event(m, s, c, KEEL_ON_DELETED);
    for (uint32_t s = 0; s < SLOTS; ++s) {
        if (m->has[s][c]) leaving(m, s, 1u << c);
        m->has[s][c] = m->off[s][c] = false;
    }
}

static void empty(react_model *m, uint32_t slot) {
    leaving(m, slot, ~0u);
    memset(m->has[slot], 0, sizeof m->has[slot]);
    memset(m->off[slot], 0, sizeof m->off[slot]);
}

void react_strip(react_model *m, uint32_t slot) {
    bool coming[COMPONENTS] = { false };
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        for (uint32_t set = REACT_FIRST_SET; m->has[slot][c] && set < COMPONENTS; ++set)
            coming[set] |= m->rules[set][c] & KEEL_ON_DELETED;
    empty(m, slot);
    for (uint32_t set = REACT_FIRST_SET; set < COMPONENTS; ++set)
        if (coming[set]) react_collect(m, slot, set);
}

void react_delete(react_model *m, uint32_t slot) {
    empty(m, slot);
    m->entities[slot] = keel_null();
}
