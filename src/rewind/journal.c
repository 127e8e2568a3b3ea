// SPDX-License-Identifier: MIT
// Records the steps of a history as changes of memory, and exchanges the bytes to go back and
// forward (journal.h says how). It works on bytes and allocations, and does not know which part of
// an image they are. history.c begins and ends steps; image.c and blocks.c write values by it.
#include "rewind/journal.h"

#include "world/storage.h"

#include <string.h>

// ------------------------------------------------------------------ memory
// Returns the header of an allocation. start_of returns the memory behind a header.
static keeli_memory *header_of(void *at) { return (keeli_memory *)at - 1; }
static char *start_of(keeli_memory *m) { return (char *)(m + 1); }

// Returns zeroed memory, which the step that is being made allocates; NULL when out of memory.
static void *allocate_memory(keeli_journal *journal, size_t size, size_t align) {
    if (align < _Alignof(keeli_memory))
        align = _Alignof(keeli_memory);
    const size_t before = (sizeof(keeli_memory) + align - 1) / align * align;
    if (size > SIZE_MAX - before)
        return NULL;
    char *block = keeli_new_zeroed(&journal->heap, before + size, align);
    if (!block)
        return NULL;

    keeli_memory *m = header_of(block + before);
    *m = (keeli_memory){ .next = journal->all,
                         .size = size,
                         .before = before,
                         .align = align,
                         .born = journal->turn,
                         .is_there = true };
    if (m->next)
        m->next->prev = m;
    journal->all = m;

    if (journal->step) {
        m->next_born = journal->step->born;
        journal->step->born = m;
    }
    return block + before;
}

// Frees memory that belongs to no step any more.
static void free_allocation(keeli_journal *journal, keeli_memory *m) {
    if (m->prev)
        m->prev->next = m->next;
    else
        journal->all = m->next;
    if (m->next)
        m->next->prev = m->prev;

    keeli_free(&journal->heap, m->mirror, m->size, 1);
    const size_t before = m->before;
    keeli_free(&journal->heap, start_of(m) - before, before + m->size, m->align);
}

// Frees memory. During a step adds it to `dead` of the step instead, since the step may be undone.
static void free_in_step(keeli_journal *journal, void *at) {
    keeli_memory *m = header_of(at);
    if (!journal->step) {
        free_allocation(journal, m);
        return;
    }

    m->is_there = false;
    m->died = journal->turn;
    m->next_dead[journal->step->link] = journal->step->dead;
    journal->step->dead = m;
}

// The `resize` of keeli_journal_allocator. It always moves the memory, so that the old allocation
// remains for the state before the step.
static void *resize_memory(void *context, void *block, size_t old_size, size_t new_size,
                           size_t align) {
    keeli_journal *journal = context;
    void *fresh = new_size ? allocate_memory(journal, new_size, align) : NULL;
    if (new_size && !fresh)
        return NULL;

    if (block && fresh)
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    if (block)
        free_in_step(journal, block);
    return fresh;
}

void keeli_journal_init(keeli_journal *journal, keel_allocator allocator) {
    *journal = (keeli_journal){ .turn = 1 };
    keeli_heap_init(&journal->heap, allocator);
}

keel_allocator keeli_journal_allocator(keeli_journal *journal) {
    return (keel_allocator){ .context = journal, .resize = resize_memory };
}

void keeli_journal_pin(void *memory) { header_of(memory)->is_pinned = true; }

// ------------------------------------------------------------------ values with hooks
static size_t owned_before(const keeli_owner *o) {
    return (sizeof(keeli_owned) + o->align - 1) / o->align * o->align;
}
// Returns the bytes of the value that lie behind a node.
static void *owned_value(keeli_owned *owned) { return (char *)owned + owned_before(owned->owner); }

static keeli_owned *new_owned(keeli_owner *o) {
    keeli_owned *owned = keeli_new(&o->journal->heap, owned_before(o) + o->size, o->align);
    if (owned)
        *owned = (keeli_owned){ .owner = o };
    return owned;
}

static void free_owned(keeli_owned *owned) {
    keeli_owner *o = owned->owner;
    keeli_free(&o->journal->heap, owned, owned_before(o) + o->size, o->align);
}

static keeli_owned *remove_first(keeli_owned **list) {
    keeli_owned *first = *list;
    if (first)
        *list = first->next;
    return first;
}
static void put_first(keeli_owned **list, keeli_owned *owned) {
    owned->next = *list;
    *list = owned;
}

// Frees the spare nodes (`count`) of a value whose drop hook is called: 2, or 1 if the value was in
// the list `dropped` of a step, and so in the other node.
static void free_spare(keeli_owner *o, uint32_t count) {
    while (count--)
        free_owned(remove_first(&o->spare));
}

// The copy hook of storages of an image. It is only called during a step.
static bool copy_owned(void *to, const void *from, void *data) {
    keeli_owner *o = data;
    keeli_journal *journal = o->journal;
    keeli_owned *fresh[3] = { NULL }; // two spare nodes, and one for the step
    for (uint32_t i = 0; i < 3; ++i) {
        fresh[i] = new_owned(o);
        if (!fresh[i])
            journal->is_full = true;
    }
    if (journal->is_full || !o->copy(to, from, o->data)) {
        for (uint32_t i = 0; i < 3; ++i)
            if (fresh[i])
                free_owned(fresh[i]);
        return false;
    }

    put_first(&o->spare, fresh[0]);
    put_first(&o->spare, fresh[1]);
    memcpy(owned_value(fresh[2]), to, o->size);
    put_first(&journal->step->made, fresh[2]);
    return true;
}

// The drop hook of storages of an image. During a step it moves the value to `dropped` of the step
// and does not drop it.
static void drop_owned(void *value, void *data) {
    keeli_owner *o = data;
    if (!o->journal->step) {
        o->drop(value, o->data);
        free_spare(o, 2);
        return;
    }

    keeli_owned *owned = remove_first(&o->spare);
    KEELI_ASSERT_ROOM(owned);
    memcpy(owned_value(owned), value, o->size);
    put_first(&o->journal->step->dropped, owned);
}

// Returns the owner for the hooks of a component, a new one if there is none; NULL when out of
// memory.
static keeli_owner *owner_of(keeli_journal *journal, const keel_component *c) {
    keeli_owner *o = journal->owners;
    while (o && !(o->drop == c->drop && o->copy == c->copy && o->data == c->hook_data &&
                  o->size == c->size))
        o = o->next;
    if (o)
        return o;

    o = KEELI_NEW(&journal->heap, keeli_owner);
    if (!o)
        return NULL;
    *o = (keeli_owner){ .next = journal->owners,
                        .journal = journal,
                        .drop = c->drop,
                        .copy = c->copy,
                        .data = c->hook_data,
                        .size = c->size,
                        .align = c->align };
    if (o->align < _Alignof(keeli_owned))
        o->align = _Alignof(keeli_owned);
    return journal->owners = o;
}

bool keeli_journal_own(keeli_journal *journal, keeli_storage *t) {
    if (!t->component.drop || !t->component.copy)
        return true;
    keeli_owner *o = owner_of(journal, &t->component);
    if (!o)
        return false;
    t->component.drop = drop_owned;
    t->component.copy = copy_owned;
    t->component.hook_data = o;
    return true;
}

void keeli_journal_deinit(keeli_journal *journal) {
    for (keeli_owner *o = journal->owners, *next; o; o = next) {
        next = o->next;
        KEELI_FREE(&journal->heap, keeli_owner, o);
    }
    keeli_heap_deinit(&journal->heap);
}

// ------------------------------------------------------------------ writes
// A record of a write in keeli_delta.records. It is followed by the bytes to exchange, padded to a
// multiple of 8.
typedef struct record {
    char *at;
    char *mirror; // address of the same bytes in the mirror, or NULL
    size_t bytes;
} record;
enum { LINE = 64, AT_LEAST = KEELI_SIZE(4096, 1) };

// Returns the size of a record with its bytes.
static size_t record_bytes(size_t bytes) { return sizeof(record) + (bytes + 7) / 8 * 8; }

// Appends a record to the step that is being made, with the bytes of `other`. False when out of
// memory.
static bool add_record(keeli_journal *journal, const record *r, const char *other) {
    keeli_delta *step = journal->step;
    const size_t need = step->bytes + record_bytes(r->bytes);
    if (need > step->capacity) {
        const size_t twice = step->capacity * 2 > AT_LEAST ? step->capacity * 2 : AT_LEAST;
        const size_t grown = need > twice ? need : twice;
        char *fresh = keeli_resize(&journal->heap, step->records, step->capacity, grown,
                                   _Alignof(max_align_t));
        if (!fresh)
            return false;
        step->records = fresh;
        step->capacity = grown;
    }

    memcpy(step->records + step->bytes, r, sizeof *r);
    memcpy(step->records + step->bytes + sizeof *r, other, r->bytes);
    step->bytes = need;
    return true;
}

static void trim_records(keeli_journal *journal, keeli_delta *step) {
    char *fresh = keeli_resize(&journal->heap, step->records, step->capacity, step->bytes,
                               _Alignof(max_align_t));
    if (!fresh && step->bytes)
        return; // out of memory: the larger block stays

    step->records = fresh;
    step->capacity = step->bytes;
}

// True if the first line of `a` and `b` differs. `bytes`: the size of the memory from there on; the
// line is shorter than LINE if `bytes` is.
static bool lines_differ(const char *a, const char *b, size_t bytes) {
    if (bytes < LINE)
        return memcmp(a, b, bytes) != 0;

    uint64_t any = 0;
    for (size_t i = 0; i < LINE; i += 8) { // compiled to vector instructions
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        any |= x ^ y;
    }
    return any != 0;
}

// Finds the next run of adjacent lines that differ, from `*at` on. Sets `*at` to its beginning and
// returns its size in bytes, 0 if no further line differs.
static size_t next_run(const char *a, const char *b, size_t bytes, size_t *at) {
    size_t i = *at;
    while (i < bytes && !lines_differ(a + i, b + i, bytes - i))
        i += LINE;
    *at = i;
    while (i < bytes && lines_differ(a + i, b + i, bytes - i))
        i += LINE;
    if (*at >= bytes)
        return 0;
    return (i < bytes ? i : bytes) - *at;
}

void keeli_journal_write(keeli_journal *journal, void *memory, char *at, const char *from,
                         size_t bytes) {
    keeli_memory *m = header_of(memory);
    char *const mirror = m->mirror ? m->mirror + (at - start_of(m)) : NULL;
    if (!journal->step || journal->is_first) {
        memcpy(at, from, bytes);
        if (mirror)
            memcpy(mirror, from, bytes);
        return;
    }

    if (journal->is_full)
        return;
    for (size_t i = 0, n; (n = next_run(at, from, bytes, &i)) != 0; i += n) {
        const record r = { at + i, mirror ? mirror + i : NULL, n };
        if (!add_record(journal, &r, at + i)) {
            journal->is_full = true;
            return;
        }
        memcpy(at + i, from + i, n);
        if (r.mirror)
            memcpy(r.mirror, from + i, n);
    }
}

void keeli_journal_values(const keeli_journal *journal, void *memory) {
    if (memory)
        header_of(memory)->same = journal->turn;
}

void keeli_journal_same(const keeli_journal *journal, void *memory) {
    if (memory && header_of(memory)->mirror)
        keeli_journal_values(journal, memory);
}

// Copies the memory to its mirror, which is allocated if there is none; false when out of memory.
static bool make_mirror(keeli_journal *journal, keeli_memory *m) {
    if (!m->mirror)
        m->mirror = keeli_new(&journal->heap, m->size, 1);
    if (m->mirror)
        memcpy(m->mirror, start_of(m), m->size);
    return m->mirror != NULL;
}

// Compares memory with its mirror and records what was written in this step; false when out of
// memory.
static bool compare_memory(keeli_journal *journal, keeli_memory *m) {
    if (m->is_pinned || m->same == journal->turn)
        return true;
    if (!m->is_there && m->died != journal->turn)
        return true;
    if (journal->is_first || m->born == journal->turn)
        return !m->is_there || make_mirror(journal, m);

    if (!m->mirror) {
        if (!m->is_there)
            return true; // plain values, whose writes are recorded already
        // the memory held plain values, so it has no mirror, but their component has hooks now
        journal->is_lost = true;
        return make_mirror(journal, m);
    }

    char *const at = start_of(m);
    for (size_t i = 0, n; (n = next_run(m->mirror, at, m->size, &i)) != 0; i += n) {
        const record r = { at + i, m->mirror + i, n };
        if (!add_record(journal, &r, m->mirror + i))
            return false;
        memcpy(m->mirror + i, at + i, n);
    }
    return true;
}

// ------------------------------------------------------------------ steps
void keeli_journal_begin(keeli_journal *journal, keeli_delta *step, bool has_ahead) {
    *step = (keeli_delta){ .link = has_ahead };
    ++journal->turn;
    journal->step = step;
    journal->is_full = journal->is_lost = false;
}

// Frees memory that was both allocated and freed in the step: neither the state before the step nor
// the state after it has the memory.
static void free_passing(keeli_journal *journal, keeli_delta *step) {
    for (keeli_memory **at = &step->dead; *at;) {
        keeli_memory **next = &(*at)->next_dead[step->link];
        if ((*at)->born == journal->turn)
            *at = *next;
        else
            at = next;
    }

    for (keeli_memory **at = &step->born; *at;) {
        keeli_memory *m = *at;
        if (m->is_there) {
            at = &m->next_born;
            continue;
        }
        *at = m->next_born;
        free_allocation(journal, m);
    }
}

bool keeli_journal_end(keeli_journal *journal) {
    bool has_room = !journal->is_full;
    for (keeli_memory *m = journal->all; has_room && m; m = m->next)
        has_room = compare_memory(journal, m);
    if (!has_room) {
        keeli_journal_undo(journal);
        return false;
    }

    keeli_delta *step = journal->step;
    journal->step = NULL;
    free_passing(journal, step);
    trim_records(journal, step);
    if (journal->is_first) {
        journal->is_first = false;
        keeli_journal_forget_before(journal, step);
    }
    return true;
}

void keeli_journal_undo(keeli_journal *journal) {
    keeli_delta *step = journal->step;
    journal->step = NULL;
    if (journal->is_first) { // there is no state to go back to, and the image is not used yet
        keeli_journal_forget_before(journal, step);
        return;
    }

    keeli_journal_swap(step, true);
    for (keeli_memory *m = journal->all; m; m = m->next)
        if (m->is_there && !m->is_pinned && m->mirror && m->same != journal->turn)
            memcpy(start_of(m), m->mirror, m->size);
    keeli_journal_forget_after(journal, step);
}

// Exchanges the bytes of `a` and `b`, and copies the new bytes of `a` to `mirror` unless it is
// NULL.
static void swap_bytes(char *a, char *b, char *mirror, size_t bytes) {
    char part[256];
    if (mirror)
        memcpy(mirror, b, bytes);
    for (size_t i = 0, n; i < bytes; i += n) {
        n = bytes - i < sizeof part ? bytes - i : sizeof part;
        memcpy(part, a + i, n);
        memcpy(a + i, b + i, n);
        memcpy(b + i, part, n);
    }
}

void keeli_journal_swap(keeli_delta *step, bool is_back) {
    for (size_t i = 0; i < step->bytes;) { // in any order, as no two records overlap
        record r;
        memcpy(&r, step->records + i, sizeof r);
        swap_bytes(r.at, step->records + i + sizeof r, r.mirror, r.bytes);
        i += record_bytes(r.bytes);
    }

    for (keeli_memory *m = is_back ? step->dead : step->born; m;
         m = is_back ? m->next_dead[step->link] : m->next_born)
        m->is_there = true;
    for (keeli_memory *m = is_back ? step->born : step->dead; m;
         m = is_back ? m->next_born : m->next_dead[step->link])
        m->is_there = false;
}

void keeli_journal_join(keeli_delta *step) {
    if (!step->link)
        return;

    for (keeli_memory *m = step->dead; m; m = m->next_dead[1])
        m->next_dead[0] = m->next_dead[1];
    step->link = 0;
}

static void free_records(keeli_journal *journal, keeli_delta *step) {
    keeli_free(&journal->heap, step->records, step->capacity, _Alignof(max_align_t));
    step->records = NULL;
    step->bytes = step->capacity = 0;
}

static void drop_all_owned(keeli_owned **list) {
    for (keeli_owned *owned; (owned = remove_first(list)) != NULL;) {
        keeli_owner *o = owned->owner;
        o->drop(owned_value(owned), o->data);
        free_owned(owned);
    }
}

void keeli_journal_forget_before(keeli_journal *journal, keeli_delta *step) {
    for (keeli_owned *owned = step->dropped; owned; owned = owned->next)
        free_spare(owned->owner, 1);
    drop_all_owned(&step->dropped);
    for (keeli_owned *owned; (owned = remove_first(&step->made)) != NULL;)
        free_owned(owned);

    for (keeli_memory *m = step->dead, *next; m; m = next) {
        next = m->next_dead[step->link];
        free_allocation(journal, m);
    }
    step->born = step->dead = NULL;
    free_records(journal, step);
}

void keeli_journal_forget_after(keeli_journal *journal, keeli_delta *step) {
    for (keeli_owned *owned; (owned = remove_first(&step->dropped)) != NULL;)
        put_first(&owned->owner->spare, owned);
    for (keeli_owned *owned = step->made; owned; owned = owned->next)
        free_spare(owned->owner, 2);
    drop_all_owned(&step->made);

    for (keeli_memory *m = step->born, *next; m; m = next) {
        next = m->next_born;
        free_allocation(journal, m);
    }
    step->born = step->dead = NULL;
    free_records(journal, step);
}
