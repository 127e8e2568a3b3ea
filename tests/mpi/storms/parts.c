// SPDX-License-Identifier: MIT
// The hooks of the values in a storm that own memory. parts.h declares the components.
#include "parts.h"

#include <stdio.h>

static void *parts_room(size_t size) {
    void *room = malloc(size);
    if (room) return room;
    fputs("mpi_storms: out of memory\n", stderr);
    exit(2);
}

// ------------------------------------------------------------------ diaries
void parts_drop_diary(void *value, void *data) {
    (void)data;
    free(((Diary *)value)->entries);
}

bool parts_copy_diary(void *to, const void *from, void *data) {
    (void)data;
    const Diary *source = from;
    Diary copy = { parts_room((source->count + 1) * sizeof(Entry)), source->count };
    if (copy.count) memcpy(copy.entries, source->entries, copy.count * sizeof(Entry));
    memcpy(to, &copy, sizeof copy);
    return true;
}

keel_result parts_save_diary(const void *value, keel_stream *out, void *data) {
    (void)data;
    const Diary *d = value;
    keel_stream_write_int(out, d->count);
    for (uint32_t i = 0; i < d->count; ++i) {
        keel_stream_write_entity(out, d->entries[i].about);
        keel_stream_write(out, &d->entries[i].number, sizeof d->entries[i].number);
    }
    return KEEL_OK;
}

keel_result parts_load_diary(void *value, keel_stream *in, void *data) {
    (void)data;
    Diary *d = value;
    const uint64_t count = (uint64_t)keel_stream_read_int(in);
    if (count > keel_stream_left(in) / 16) return KEEL_ERROR_FORMAT;
    d->entries = parts_room(((size_t)count + 1) * sizeof *d->entries);
    for (d->count = 0; d->count < count; ++d->count) {
        Entry *entry = &d->entries[d->count];
        entry->about = keel_stream_read_entity(in);
        (void)keel_stream_read(in, &entry->number, sizeof entry->number);
    }
    return KEEL_OK;
}

void parts_write_diary(Diary *diary, keel_entity about, uint64_t number) {
    Entry *entries = parts_room(4 * sizeof *entries);
    const uint32_t kept = diary->count < 3 ? diary->count : 3;
    for (uint32_t i = 0; i < kept; ++i)
        entries[i] = diary->entries[diary->count - kept + i];
    entries[kept] = (Entry){ about, number };
    free(diary->entries);
    *diary = (Diary){ entries, kept + 1 };
}

// ------------------------------------------------------------------ titles
void parts_drop_title(void *value, void *data) {
    (void)data;
    free(((Title *)value)->text);
}

static char *parts_copy_text(const char *text) {
    return text ? strcpy(parts_room(strlen(text) + 1), text) : NULL;
}

bool parts_copy_title(void *to, const void *from, void *data) {
    (void)data;
    Title copy = *(const Title *)from;
    copy.text = parts_copy_text(copy.text);
    memcpy(to, &copy, sizeof copy);
    return true;
}

char *parts_text(uint64_t number) {
    char text[40];
    (void)snprintf(text, sizeof text, "%.*s %llu", (int)(number % 9), "excellent",
                   (unsigned long long)number);
    return number % 5 ? parts_copy_text(text) : NULL;
}
