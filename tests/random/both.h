// SPDX-License-Identifier: MIT
// A Keel world and the reference model side by side: the kinds of components that random operations
// use, their values and the lives of what those own, and the comparison of all state.
#pragma once
#include "model/world_model.h"
#include "support/counting_allocator.h"

#include <keel/keel.h>

// ------------------------------------------------------------------ the string of an operation
// Each operation is a record of this many bytes: what to do, then its parameters. So any record can
// be taken out, or made simpler, without changing what the others mean.
enum { RECORD = 8, HEADER = 4 };

// The parameters of one operation: the bytes of its record, then numbers that follow from them.
typedef struct dice {
    const uint8_t *record;
    uint32_t at;
    uint64_t state;
} dice;

uint8_t roll(dice *d);                        // a byte
uint32_t roll_below(dice *d, uint32_t limit); // 0 to limit - 1; limit > 0
uint32_t roll_word(dice *d);                  // 32 bits
uint32_t mix_of(uint32_t a, uint32_t b);      // a hash of both
static inline bool roll_once_in(dice *d, uint32_t n) { return roll_below(d, n) == n - 1; }

// ------------------------------------------------------------------ kinds
// The last one names two entities. Behind them only the model has what somebody is a copy of
// (keel_prefab_of), a handle, as one more kind.
enum { KINDS = 13, PAIR = 12, ORIGIN = KINDS, ALL_KINDS, MAX_SIZE = 1280, SETS = 2, RELATIONS = 8 };
// What stands behind the payload of a value.
typedef enum tail {
    TAIL_NONE,
    TAIL_TOKEN, // a thing that must be released once; 0 owns nothing
    TAIL_SELF   // the value's own address or NULL: only the move and copy hooks keep it right
} tail;

typedef struct value_kind {
    uint32_t size, align;
    tail tail;
    bool copies; // has a copy hook, or needs none
} value_kind;
extern const value_kind kinds[ALL_KINDS];
typedef struct pair {
    keel_entity first, second;
} pair;

typedef union value {
    uint8_t bytes[MAX_SIZE];
    uint32_t words[MAX_SIZE / 4];
    _Alignas(64) struct { char align[64]; } aligned;
} value;

// ------------------------------------------------------------------ both worlds
// What a string's header asks for.
typedef struct setting {
    uint8_t storages;           // 0 sparse, 1 indexed, 2 archetype, more: a mix by this number
    uint8_t of_slots;           // the same for kinds with a slot: each world may have its own
    bool far, many, dry;        // indices far away; crowds; memory that runs out
    bool templates;             // are there prefabs?
    bool names, template_names; // does anybody get a name?
    uint8_t of_children;        // a keel_on_delete
    bool requires;              // do some kinds require others?
} setting;

// A group that was made; a bit for each kind that it names.
enum { GROUPS = 3 };
typedef struct group {
    keel_group *group; // NULL: none
    uint32_t owned, get, exclude;
} group;

// A value that was put out of sight: absent for the model, until it comes back.
enum { HIDDEN = 24 };
typedef struct hidden {
    keel_entity e;
    uint32_t kind;
    value value;
} hidden;

typedef struct both {
    setting setting;
    counting_allocator *memory;
    keel_world *world;
    model_world model;
    keel_component components[KINDS], uniques[KINDS], relations[RELATIONS];
    const keel_component *required[KINDS][3]; // lists of components, up to a NULL
    keel_lookup columns[KINDS];
    group groups[GROUPS];
    hidden hidden[HIDDEN];
    uint32_t hidden_count, hidden_counts[KINDS];
    struct followers *followers; // observers and sets (followers.h)
    struct queues *queues;       // events (queues.h)
    struct both *templates;      // NULL: none; of the templates: themselves
    bool are_templates;          // which nobody follows
    bool is_copy;                // of the world that those belong to
    uint64_t dropped;            // commands on entities that were not alive
    uint32_t step;               // operations so far
    bool dry;                    // memory may run out in this operation
    bool ran_dry;                // it did: nothing may have changed
    bool trace;
    const char *doing; // the operation, for messages
} both;

void both_begin(both *b, setting s, bool trace);
// In a world that is there: kinds, relations.
void both_describe(both *b);
// Compare, destroy, and check that nothing is left.
void both_end(both *b);
// Compare everything that can be seen. A difference ends the process.
void both_compare(both *b);

// Print what differs and end the process with FAILED, which no sanitizer uses.
enum { FAILED = 3 };
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3), noreturn))
#endif
void both_fail(const both *b, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void both_trace(const both *b, const char *format, ...);

// The result of a call that is meant to be `expected`. False when memory ran out, which is noted,
// and in which case nothing was changed; any other difference ends the process.
bool both_agree(both *b, keel_result result, keel_result expected);
// The same for a call that needs no memory.
void both_agree_surely(both *b, keel_result result, keel_result expected);

// ------------------------------------------------------------------ values

// A value with this payload that owns what its kind owns. It must be handed over or released.
void value_make(value *v, uint32_t kind, uint32_t payload);
void value_release(value *v, uint32_t kind);
// As the model keeps it: the payload, and behind it something other than zero if it owns something.
void value_plain(value *v, uint32_t kind, uint32_t payload);
uint32_t payload_size(uint32_t kind);
// Does Keel's value have the payload of the model's?
bool same_payload(const void *keels, const void *models, uint32_t kind);
// Copy hooks fail after this many more copies.
extern uint32_t copies_left;

// ------------------------------------------------------------------ out of sight
void hide(both *b, keel_entity e, uint32_t k, const value *v);
const hidden *find_hidden(const both *b, keel_entity e, uint32_t k);
// What takes the component away drops it too.
void forget_hidden(both *b, keel_entity e, uint32_t k);
void forget_hidden_of(both *b, keel_entity e);
void forget_hidden_kind(both *b, uint32_t k);
// Those whose entity died, or got the component anew.
void forget_stale_hidden(both *b);

// ------------------------------------------------------------------ what others require
// May the entity get these kinds, a bit for each? KEEL_ERROR_DEAD_ENTITY, or KEEL_ERROR_REQUIRED
// when one of them requires what is out of sight there.
keel_result may_add(const both *b, keel_entity e, uint32_t added);
// May what it has out of sight come back? What that requires must be in sight.
keel_result may_show(const both *b, keel_entity e, uint32_t k);
// Is some kind left that requires it?
bool is_required(const both *b, uint32_t k);
// The result of taking kinds away, and why that is refused, or KEEL_OK. True: they are gone.
bool agree_on_taking(both *b, keel_result result, keel_result refusal);

// ------------------------------------------------------------------ copies and groups
// A copy of the world is made: what its values own is counted apart.
uint32_t lives_begin_copy(void);
void lives_end_copy(const both *b, uint32_t before);
void compare_groups(const both *b);
// Does the copy hook fail in this operation? And what a call that copies returned: true when it
// was done.
bool may_copies_fail(dice *d);
// With which errors it is refused: a bit for each (1 << -KEEL_ERROR_DEAD_ENTITY). True: it was
// done.
bool agree_on_reasons(both *b, keel_result result, uint32_t reasons, bool may_fail);
bool agree_on_copies(both *b, keel_result result, bool can_copy, bool may_fail);
// A bit for each kind that the entity has.
uint32_t bits_of(const model_slot *slot);

// ------------------------------------------------------------------ choices
// An entity: mostly living, sometimes dead, null, or made up.
keel_entity roll_entity(both *b, dice *d);
keel_entity roll_living(both *b, dice *d); // null when there is none
uint32_t roll_kind(dice *d);
const char *roll_name(dice *d); // NULL, "" and what has a '/', too
// The place in model.slots of a living handle, or SIZE_MAX.
const model_slot *slot_of_living(const both *b, keel_entity e);
// Are there so many entities that operations should add no more?
bool is_crowded(const both *b);

// ------------------------------------------------------------------ operations
typedef void operation(both *b, dice *d);
typedef struct operation_entry {
    const char *name;
    operation *run;
    uint32_t weight; // all together: 256 at most
} operation_entry;
// What is done to worlds beside the main one, too: any edit; entities that point to each other, and
// have names.
operation edit_somehow, point_somehow, op_unique, op_disable;
// Each list ends with a NULL name.
extern const operation_entry entity_operations[], component_operations[], bulk_operations[],
    hierarchy_operations[], command_operations[], view_operations[], group_operations[],
    world_operations[], many_operations[], follow_operations[], event_operations[],
    relation_operations[], name_operations[], prefab_operations[], template_operations[];
