// SPDX-License-Identifier: MIT
// Compares what two machines must have in common; see schema.h.
#include "schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FNV-1a, 64 bits.
static uint64_t schema_mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}
static uint64_t schema_mix_number(uint64_t hash, uint64_t number) {
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return schema_mix(hash, bytes, sizeof bytes);
}
static uint64_t schema_mix_text(uint64_t hash, const char *text) {
    return schema_mix(hash, text, strlen(text) + 1);
}

// Adds the fields of a struct, and those of structs in it.
static uint64_t mix_fields(uint64_t hash, const keel_field *fields, uint32_t count,
                           uint32_t depth) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        hash = schema_mix_text(hash, f->name);
        hash = schema_mix_number(hash, f->type);
        hash = schema_mix_number(hash, f->offset);
        hash = schema_mix_number(hash, f->count);
        if (f->type == KEEL_FIELD_STRUCT && f->of && depth < 16)
            hash = mix_fields(hash, f->of->fields, f->of->field_count, depth + 1);
    }
    return hash;
}

static uint64_t component_hash(const keel_component *c) {
    uint64_t hash = 0xcbf29ce484222325u;
    const uint32_t options = (uint32_t)c->is_unique | (uint32_t)c->is_event << 1 |
                             (uint32_t)c->is_relation << 2 | (uint32_t)c->exclusive << 3 |
                             (uint32_t)c->acyclic << 4 | (uint32_t)c->symmetric << 5 |
                             (uint32_t)c->on_delete << 6 | (uint32_t)c->storage << 8;
    hash = schema_mix_number(hash, options);
    hash = schema_mix_number(hash, c->limit);
    return mix_fields(hash, c->fields, c->field_count, 0);
}

// Calls `each` for all components, uniques and types of events that count in hashes.
typedef void component_fn(void *data, const keel_component *c);
static void each_component(const keel_world *world, component_fn *each, void *data) {
    for (const keel_component *c = NULL; (c = keel_next_component(world, c)) != NULL;)
        if (!c->transient) each(data, c);
    for (const keel_component *c = NULL; (c = keel_next_unique(world, c)) != NULL;)
        if (!c->transient) each(data, c);
    for (const keel_component *c = NULL; (c = keel_next_event_type(world, c)) != NULL;)
        if (!c->transient) each(data, c);
}

static void add_component(void *data, const keel_component *c) {
    packet *p = data;
    const uint64_t hash = component_hash(c);
    p->schema = schema_mix_text(p->schema, c->name);
    p->schema = schema_mix_number(p->schema, c->size);
    p->schema = schema_mix_number(p->schema, hash);
    if (p->component_count == PACKET_COMPONENTS) return;
    packet_component *to = &p->components[p->component_count++];
    snprintf(to->name, sizeof to->name, "%s", c->name);
    to->size = c->size;
    to->hash = hash;
}

void keeli_schema_of(const keel_world *world, packet *p) {
    p->schema = 0xcbf29ce484222325u;
    p->component_count = 0;
    each_component(world, add_component, p);
}

void keeli_schema_write(const keel_session *s, packet *p) {
    keeli_schema_of(s->world, p);
    p->input_size = s->desc.input_size;
    p->rate = s->desc.rate;
    p->floats = s->floats;
    p->wants = s->desc.spectates ? 0 : s->desc.local_players;
}

static bool say(char *text, const char *format, ...) KEELI_PRINTF(2, 3);
static bool say(char *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(text, PACKET_TEXT + 1, format, list);
    va_end(list);
    return false;
}

// Compares two components of one name.
static bool component_fits(const packet_component *there, const packet_component *here,
                           char *text) {
    if (there->size != here->size)
        return say(text, "component '%.60s': %u bytes here, %u there", there->name,
                   (unsigned)there->size, (unsigned)here->size);
    if (there->hash != here->hash)
        return say(text, "component '%.60s' has other fields or options there", there->name);
    return true;
}

static const packet_component *find_component(const packet *p, const char *name) {
    for (uint32_t i = 0; i < p->component_count; ++i)
        if (strcmp(p->components[i].name, name) == 0) return &p->components[i];
    return NULL;
}

bool keeli_schema_components_fit(const packet *there, const packet *own, char *text) {
    if (there->schema == own->schema) return true;
    for (uint32_t i = 0; i < there->component_count; ++i) {
        const packet_component *here = find_component(own, there->components[i].name);
        if (!here)
            return say(text, "component '%.60s' is not registered there",
                       there->components[i].name);
        if (!component_fits(&there->components[i], here, text)) return false;
    }
    for (uint32_t i = 0; i < own->component_count; ++i)
        if (!find_component(there, own->components[i].name))
            return say(text,
                       "component '%.60s' is registered there, but not here; register all "
                       "components before keel_session_begin",
                       own->components[i].name);
    return say(text, "the components are registered in another order there");
}

bool keeli_schema_fits(const keel_session *s, const packet *p, char *text) {
    if (p->kind != PACKET_VERSION)
        return say(text, "version %u of sessions here, %u there; use the same Keel",
                   (unsigned)p->kind, (unsigned)PACKET_VERSION);
    if (p->input_size != s->desc.input_size)
        return say(text, "an input has %u bytes here, %u there", (unsigned)p->input_size,
                   (unsigned)s->desc.input_size);
    if (p->rate != s->desc.rate)
        return say(text, "%u frames a second here, %u there", (unsigned)p->rate,
                   (unsigned)s->desc.rate);
    if (p->floats != s->floats) {
        const uint32_t bits = p->floats ^ s->floats;
        return say(text, "floating-point numbers are computed in another way there: %s",
                   keel_float_problem(bits & (0u - bits)));
    }
    packet *own = malloc(sizeof *own);
    if (!own) return say(text, "the other machine is out of memory");
    keeli_schema_write(s, own);
    const bool fits = keeli_schema_components_fit(p, own, text);
    free(own);
    return fits;
}
