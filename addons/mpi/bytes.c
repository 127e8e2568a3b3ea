// SPDX-License-Identifier: MIT
// Bytes that grow, and reading them back with every length checked.
#include "domain.h"

#include <stdlib.h>
#include <string.h>

static size_t padded(size_t size) { return (size + 7) & ~(size_t)7; }

void *keeli_bytes_push(mpi_bytes *b, size_t size) {
    const size_t need = b->size + size;
    if (need > b->room || !b->items) {
        unsigned char *larger = realloc(b->items, 2 * need + 64);
        if (!larger) return NULL;
        b->items = larger;
        b->room = 2 * need + 64;
    }
    unsigned char *at = b->items + b->size;
    b->size = need;
    return at;
}

void *keeli_bytes_add(mpi_bytes *b, size_t size) {
    unsigned char *at = keeli_bytes_push(b, padded(size));
    if (at) memset(at + size, 0, padded(size) - size);
    return at;
}

bool keeli_bytes_copy(mpi_bytes *b, const void *bytes, size_t size) {
    void *at = keeli_bytes_add(b, size);
    if (at && size) memcpy(at, bytes, size);
    return at != NULL;
}

mpi_reader keeli_reader(keel_rank_bytes in) {
    return (mpi_reader){ in.bytes, (const unsigned char *)in.bytes + in.size, false };
}

const void *keeli_bytes_read(mpi_reader *r, size_t size) {
    const unsigned char *at = r->at;
    if (r->is_short || size > (size_t)(r->end - at) || padded(size) > (size_t)(r->end - at)) {
        r->is_short = true;
        return NULL;
    }
    r->at = at + padded(size);
    return at;
}

uint32_t keeli_read_u32(mpi_reader *r) {
    const uint32_t *number = keeli_bytes_read(r, sizeof *number);
    return number ? *number : 0;
}

bool keeli_list_add(mpi_list *list, keel_entity e) {
    if (list->count == list->room) {
        const uint32_t room = list->room ? 2 * list->room : 64;
        keel_entity *larger = realloc(list->items, room * sizeof *larger);
        if (!larger) return false;
        list->items = larger;
        list->room = room;
    }
    list->items[list->count++] = e;
    return true;
}
