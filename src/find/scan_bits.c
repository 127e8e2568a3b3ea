// SPDX-License-Identifier: MIT
// The scan of presence bits, page by page. It hands out spans where all bits of a run are set,
// masks where values lie at the entity's index, and lists elsewhere. Besides a component, the
// leader may be all living entities, the union of several components, or the entities without a
// target (level 0 of levels.c). This does not choose the leader: see plan.c. iterate.c and levels.c
// call it; gather.c finds the values of its lists.
#include "base/assert.h"
#include "base/memory.h"
#include "find/iterate.h"

// ------------------------------------------------------------------ the matches of a page
// Returns the 64 words of presence of a page of 4,096 indices.
static const uint64_t *words_of(const keeli_storage *s, uint32_t page) {
    return page < s->presence.root.page_count ? s->presence.root.pages[page] : keeli_no_bits;
}

// Sets `some` to the bits of one page that are set for any component of a term.
static void unite(const keeli_iterator *it, const keeli_bound_term *any, uint32_t page,
                  uint64_t *some) {
    memset(some, 0, KEELI_PAGE_WORDS * sizeof *some);
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = it->view->storages[any->first + i];
        const uint64_t *words = s ? words_of(s, page) : keeli_no_bits;
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            some[w] |= words[w];
    }
}

static void keep_any(keeli_iterator *it, const keeli_bound_term *any, uint32_t page) {
    uint64_t some[KEELI_PAGE_WORDS];
    unite(it, any, page, some);
    for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
        it->words[w] &= some[w];
}

const uint64_t *keeli_leading_words(const keeli_iterator *it, uint32_t page, uint64_t *room) {
    if (it->plan->leader)
        return words_of(it->plan->leader, page);
    unite(it, it->plan->united, page, room);
    return room;
}

// Sets it->words to the leading bits of a page.
static void copy_leading(keeli_iterator *it, uint32_t page) {
    const uint64_t *words = keeli_leading_words(it, page, it->words);
    if (words != it->words)
        memcpy(it->words, words, sizeof it->words);
}

// Returns the next page that may have leading bits; UINT32_MAX at the end.
static uint32_t next_page(const keeli_iterator *it, uint32_t page) {
    const keeli_bound_term *any = it->plan->united;
    if (it->plan->leader)
        return keeli_presence_next_page(&it->plan->leader->presence, page);
    if (!any)
        return page; // living entities lead

    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = it->view->storages[any->first + i];
        if (s)
            next = keeli_least(next, keeli_presence_next_page(&s->presence, page));
    }
    return next;
}

// LEVELS: clears the bits of entities that have a target, which later levels visit, and of entities
// without a target that do not pass KEEL_CHANGED_UP.
static __attribute__((noinline)) void keep_roots(keeli_iterator *it, uint32_t page) {
    const uint64_t *sources = words_of(it->plan->relation, page);
    const keeli_change_filter *f = &it->plan->changed_up;
    const bool all = !it->plan->is_changed_up || it->all_changed;
    for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w) {
        it->words[w] &= ~sources[w];
        if (!all && it->words[w])
            it->words[w] = keeli_change_bits(f, page * KEELI_PAGE_WORDS + w, it->words[w]);
    }
}

static void keep_both(uint64_t *words, const uint64_t *a, const uint64_t *b) {
    for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
        words[w] = a[w] & b[w];
}

// True if the leader has few entities on each page, on average, so that gather_rare is faster.
static bool is_rare(const keeli_plan *plan) {
    enum { FEW = KEELI_SIZE(KEELI_MASK_SLOTS / 256, 8) };
    if (plan->united)
        return plan->united_count < (uint64_t)plan->united_pages * FEW;
    if (!plan->leader)
        return false;
    const keeli_presence *p = &plan->leader->presence;
    return p->count < keeli_presence_page_end(p) * FEW;
}

// Clears the bits that are not in the iterator's piece. This must happen before ticks are read,
// because other threads may be marking ticks of the rest of the page.
static void trim_words(keeli_iterator *it, uint32_t page) {
    const uint32_t first = page * KEELI_MASK_SLOTS;
    const uint32_t from = it->from > first ? it->from - first : 0;
    const uint32_t end = keeli_least(it->end - first, KEELI_MASK_SLOTS);
    uint64_t *words = it->words;
    if (!from && end == KEELI_MASK_SLOTS)
        return;
    memset(words, 0, from / 64 * sizeof *words);
    if (from % 64)
        words[from / 64] &= ~(uint64_t)0 << from % 64;
    if (end % 64)
        words[end / 64] &= ((uint64_t)1 << end % 64) - 1;
    for (uint32_t w = (end + 63) / 64; w < KEELI_PAGE_WORDS; ++w)
        words[w] = 0;
}

uint32_t keeli_used_words(const uint64_t *words) {
    uint32_t n = KEELI_PAGE_WORDS;
    while (n > 3 && !(words[n - 1] | words[n - 2] | words[n - 3] | words[n - 4]))
        n -= 4;
    while (n && !words[n - 1])
        --n;
    return n;
}

// Sets it->words to the matches of a page. Returns the number of words up to the last match.
static uint32_t match_page(keeli_iterator *it, uint32_t page) {
    const keeli_plan *plan = it->plan;
    uint64_t *words = it->words;
    if (plan->lead && !keeli_change_page_may_match(plan->lead, page))
        return 0;
    if (plan->is_changed_up && !it->all_changed &&
        !keeli_change_page_may_match(&plan->changed_up, page))
        return 0;
    if (is_rare(plan)) { // the filters are checked for each candidate: see gather_rare
        copy_leading(it, page);
        trim_words(it, page);
        return keeli_used_words(words);
    }

    for (uint32_t i = 0; i < plan->need_count; ++i)
        if (words_of(plan->need[i], page) == keeli_no_bits)
            return 0;
    if (!plan->leader && !plan->united) {
        if (!keeli_entity_index_living(&it->view->world->entities, page, words))
            return 0;
    } else if (!plan->need_count)
        copy_leading(it, page);
    else
        keep_both(words, keeli_leading_words(it, page, words), words_of(plan->need[0], page));

    for (uint32_t i = 1; i < plan->need_count; ++i)
        keep_both(words, words, words_of(plan->need[i], page));
    for (uint32_t i = 0; i < plan->without_count; ++i) {
        const uint64_t *without = words_of(plan->without[i], page);
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            words[w] &= ~without[w];
    }
    if (plan->relation)
        keep_roots(it, page);
    for (uint32_t i = 0; i < plan->any_count; ++i)
        keep_any(it, plan->any[i], page);
    trim_words(it, page);

    for (uint32_t i = 0; i < plan->change_count; ++i)
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            if (words[w])
                words[w] =
                    keeli_change_bits(&plan->changes[i], page * KEELI_PAGE_WORDS + w, words[w]);
    return keeli_used_words(words);
}

// Sets the entities of the chunk to `slots` consecutive indices. The columns were set before.
static void set_chunk(keeli_iterator *it, keel_chunk_form form, uint32_t first, uint32_t slots) {
    const uint32_t *versions = it->view->world->entities.root.versions[first / KEELI_PAGE];
    it->chunk.form = form;
    it->chunk.count = slots;
    it->chunk.entities = it->wants_entities ? it->entities : NULL;
    it->who = KEELI_WHO_RANGE;
    it->who_first = first;
    if (!it->wants_entities)
        return;
    for (uint32_t i = 0; i < slots; ++i)
        it->entities[i] = (keel_entity){ (keel_entity_bits)versions[first % KEELI_PAGE + i]
                                             << KEEL_ENTITY_INDEX_BITS |
                                         (first + i) };
}

// Moves to the next page that has matches; false at the end.
static bool next_words(keeli_iterator *it) {
    uint32_t page = it->next_page, words = 0;
    if (page * KEELI_MASK_SLOTS >= it->end)
        return false;
    for (;; ++page) {
        page = next_page(it, page);
        if (page > (it->end - 1) / KEELI_MASK_SLOTS)
            return false; // UINT32_MAX too
        words = match_page(it, page);
        if (words)
            break;
    }

    // A piece may begin and end inside of a page.
    it->at = page * KEELI_MASK_SLOTS;
    it->next_page = page + 1;
    it->words_end = keeli_least(it->at + words * 64, (it->end + 63) / 64 * 64);
    if (it->at < it->from)
        it->at = it->from / 64 * 64;
    return true;
}

// ------------------------------------------------------------------ spans
// Returns the table of a column's places for a page of 4,096 indices; NULL if there is none.
static const uint32_t *places_of(const keeli_iterator *it, const keeli_plan_column *column,
                                 uint32_t page) {
    const keeli_sparse_set *set = &column->storage->set;
    if (column->how == KEELI_BY_ROW)
        return it->view->world->entities.root.where[page];
    return page < set->root.page_count ? set->root.sparse[page] : NULL;
}

// Returns the length of the first run of `numbers` in which each is the one before plus 1; at most
// `limit`.
static uint32_t range_length(const uint32_t *numbers, uint32_t limit) {
    uint32_t n = 0;
    for (uint32_t differ = 0; n + 64 <= limit; n += 64) {
        for (uint32_t i = n; i < n + 64; ++i)
            differ |= numbers[i] ^ (numbers[0] + i);
        if (differ)
            break;
    }
    while (n < limit && numbers[n] == numbers[0] + n)
        ++n;
    return n;
}

// Returns the address of a value. For a tag, which has no values, returns an address that nobody
// reads, because NULL would mean that the entity lacks the tag.
static void *base_at(const keeli_storage *s, uint32_t place) {
    return s->size ? keeli_store_at(s, place) : (void *)(uintptr_t)keeli_no_bits;
}

// Returns for how many indices from `first` on (at most `count`) the values lie side by side in
// each column, and sets the bases of the columns to the values of `first`. 0 if they are too few
// for a span.
static uint32_t set_span_columns(keeli_iterator *it, uint32_t first, uint32_t count) {
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        const keeli_storage *s = column->storage;
        uint32_t place = first;
        if (column->maybe && !(s && s->size))
            return 0; // a span needs values side by side
        if (column->how == KEELI_BY_CELL || column->how == KEELI_BY_ROW) {
            const uint32_t *places = places_of(it, column, first / KEELI_MASK_SLOTS);
            if (!places)
                return 0;
            places += first % KEELI_MASK_SLOTS;
            place = places[0];
            count = range_length(places, count);
        } else if (column->how != KEELI_BY_INDEX)
            return 0;
        if (s->size)
            count = keeli_least(count, s->root->mask + 1 - (place & s->root->mask));
        if (count < KEELI_SHORT_RANGE && !it->plan->has_masks)
            return 0;
        it->chunk.columns[column->term].base = base_at(s, place);
    }
    return count;
}

static uint32_t leading_full(const uint64_t *words, uint32_t count) {
    uint32_t n = 0;
    while (n + 4 <= count && (words[n] & words[n + 1] & words[n + 2] & words[n + 3]) == UINT64_MAX)
        n += 4;
    while (n < count && words[n] == UINT64_MAX)
        ++n;
    return n;
}

// Returns the length of the run of set bits that begins at `slot` of the page.
static uint32_t ones_from(const uint64_t *words, uint32_t slot) {
    const uint64_t zeros = ~words[slot / 64] >> slot % 64;
    if (zeros)
        return (uint32_t)__builtin_ctzll(zeros);
    const uint32_t next = slot / 64 + 1;
    const uint32_t w = next + leading_full(words + next, KEELI_PAGE_WORDS - next);
    const uint32_t more = w < KEELI_PAGE_WORDS ? (uint32_t)__builtin_ctzll(~words[w]) : 0;
    return w * 64 + more - slot;
}

// Hands out a span of the next matches, and clears their bits. False if too few values lie side by
// side in all storages. The last matches of a page may form a span of any length.
static bool next_span(keeli_iterator *it) {
    const uint32_t page = it->at / KEELI_MASK_SLOTS * KEELI_MASK_SLOTS;
    uint64_t *words = &it->words[it->at % KEELI_MASK_SLOTS / 64];
    const uint32_t slot = it->at - page + (uint32_t)__builtin_ctzll(words[0]);
    const uint32_t least = it->plan->has_masks ? KEELI_SPAN_WORDS * 64 : KEELI_SHORT_RANGE;
    uint32_t count = ones_from(it->words, slot), end = slot + count;
    const bool is_last = page + (end + 63) / 64 * 64 >= it->words_end &&
                         !(end % 64 && it->words[end / 64] >> end % 64);
    if (count < least && !is_last)
        return false;

    // Checks a short range first. Where values do not lie side by side, this mostly shows soon;
    // checking the whole range again before each list would cost more (benchmark tree_target).
    if (!it->plan->has_masks &&
        !set_span_columns(it, page + slot, keeli_least(count, KEELI_SHORT_RANGE)))
        return false;
    count = set_span_columns(it, page + slot, count);
    if (!count)
        return false;

    set_chunk(it, KEEL_CHUNK_SPAN, page + slot, count);
    end = slot + count;
    it->at = page + end / 64 * 64;
    if (end % 64)
        it->words[end / 64] &= ~(uint64_t)0 << end % 64;
    return true;
}

// ------------------------------------------------------------------ masks
// Returns the number of slots from it->at on for which each column has one base address, so that
// they can form a mask. 0 if values are not at the entity's index (has_masks of the plan).
static uint32_t mask_slots(const keeli_iterator *it) {
    uint32_t slots = it->words_end - it->at;
    if (!it->plan->has_masks)
        return 0;
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_storage *s = it->plan->columns[c].storage;
        if (!s || !s->size)
            continue;
        const uint32_t page = (uint32_t)1 << s->root->shift;
        slots = keeli_least(slots, page - (it->at & (page - 1)));
    }
    return slots;
}

// Sets the base of each column for `slots` slots. False if some of the matches have an optional
// component and others lack it, which a mask cannot express.
static bool set_mask_columns(keeli_iterator *it, uint32_t slots) {
    const uint64_t *words = &it->words[it->at % KEELI_MASK_SLOTS / 64];
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        const keeli_storage *s = column->storage;
        uint64_t there = 0, absent = 0;
        if (column->maybe) {
            for (uint32_t w = 0; w < slots / 64; ++w) {
                const uint64_t bits = s ? keeli_presence_word(&s->presence, it->at / 64 + w) : 0;
                there |= words[w] & bits;
                absent |= words[w] & ~bits;
            }
        }
        if (there && absent)
            return false;
        it->chunk.columns[column->term].base = absent ? NULL : base_at(s, it->at);
    }
    return true;
}

// Returns the number of words of the next chunk. If enough words at the start are full, or all
// words are, the chunk is a span of these full words. Otherwise it is a mask, which ends before the
// next run of full words that is long enough for a span.
static uint32_t words_together(const uint64_t *words, uint32_t count, bool *is_span) {
    uint32_t n = leading_full(words, count);
    *is_span = n == count || n >= KEELI_SPAN_WORDS;
    while (!*is_span && n < count) {
        const uint32_t full = leading_full(words + n, count - n);
        if (full >= KEELI_SPAN_WORDS)
            break;
        n += full + (n + full < count);
    }
    return n;
}

static bool next_mask(keeli_iterator *it, uint32_t slots) {
    uint64_t *words = &it->words[it->at % KEELI_MASK_SLOTS / 64];
    bool is_span;
    const uint32_t n = words_together(words, slots / 64, &is_span);
    if (!set_mask_columns(it, 64 * n))
        return false;
    it->chunk.words = words;
    set_chunk(it, is_span ? KEEL_CHUNK_SPAN : KEEL_CHUNK_MASK, it->at, 64 * n);
    it->at += 64 * n;
    return true;
}

// Skips words without matches; false at the end of the page.
static bool skip_empty(keeli_iterator *it) {
    while (it->at < it->words_end && !it->words[it->at % KEELI_MASK_SLOTS / 64])
        it->at += 64;
    return it->at < it->words_end;
}

// ------------------------------------------------------------------ lists
// Appends the matches of a word to `out`; returns how many.
static uint32_t append_word(uint32_t *out, uint64_t bits, uint32_t index) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        out[count++] = index + (uint32_t)__builtin_ctzll(bits);
    return count;
}

// Appends the next matches before index `end` to the candidates, as long as there is room for a
// whole word. `count` is the number of candidates before; returns their number after.
static uint32_t append_words(keeli_iterator *it, uint32_t count, uint32_t end) {
    uint32_t *out = it->candidates, at = it->at;
    while (at < end && count + 64 <= KEELI_BLOCK) {
        const uint64_t *words = &it->words[at % KEELI_MASK_SLOTS / 64];
        if (words[0])
            count += append_word(out + count, words[0], at);
        at += end - at >= 256 && !(words[1] | words[2] | words[3]) ? 256 : 64;
    }
    it->at = at;
    return count;
}

// Hands out a list of the next matches of the page; false if there are none.
static bool next_list(keeli_iterator *it, uint32_t slots) {
    const uint32_t count = append_words(it, 0, it->at + slots);
    it->one_page = true;
    it->highest = it->at;
    return count && keeli_gather_chunk(it, count);
}

// Hands out lists if the leader has few entities on each page (is_rare). Masks would be nearly
// empty, cache misses would not overlap, and most words of the other storages would be read in
// vain. So the leader's entities of several pages form one list, and gather.c filters it. False at
// the end.
static bool gather_rare(keeli_iterator *it) {
    for (;;) {
        uint32_t count = 0;
        while (count + 64 <= KEELI_BLOCK) {
            if (it->at < it->words_end)
                count = append_words(it, count, it->words_end);
            else if (!next_words(it))
                break;
        }
        if (!count)
            return false;
        it->highest = it->candidates[count - 1];
        it->one_page =
            it->candidates[0] / KEELI_MASK_SLOTS == it->candidates[count - 1] / KEELI_MASK_SLOTS;
        if (keeli_gather(it, count))
            return true;
    }
}

bool keeli_scan_bits(keeli_iterator *it) {
    if (it->end == 0)
        return false;
    if (is_rare(it->plan))
        return gather_rare(it);
    for (;;) {
        if (!skip_empty(it)) {
            if (!next_words(it))
                return false;
            continue;
        }
        if (next_span(it))
            return true;
        const uint32_t slots = mask_slots(it), left = it->words_end - it->at;
        if (slots && next_mask(it, slots))
            return true;
        if (next_list(it, slots ? slots : keeli_least(left, KEELI_BLOCK)))
            return true;
    }
}
