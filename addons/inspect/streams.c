// SPDX-License-Identifier: MIT
// Writes the facts of streams, on the world's thread: as the events that are sent, because writing
// a kilobyte costs a microsecond here, and waking another thread costs a hundred. A page that reads
// slowly misses events; they never queue.
#include "answers.h"
#include "frames.h"
#include "past.h"
#include "print.h"

#include <stdlib.h>

static const uint64_t second = 1000000000;

static keeli_facts *streams_take_spare(keeli_stream *stream) {
    keeli_facts *facts = atomic_exchange(&stream->spare, NULL);
    if (!facts) facts = calloc(1, sizeof *facts);
    if (facts) keeli_out_clear(&facts->out);
    return facts;
}

static void streams_publish(keeli_stream *stream, keeli_facts *facts) {
    keeli_facts *missed = atomic_exchange(&stream->ready, facts);
    keeli_facts *spare = missed ? atomic_exchange(&stream->spare, missed) : NULL;
    if (spare) keeli_out_free(&spare->out);
    free(spare);
}

// Returns the length before the event, for streams_end_event.
static size_t streams_begin_event(keeli_out *out, const char *name) {
    const size_t begin = out->length;
    keeli_out_raw_text(out, "event: ");
    keeli_out_raw_text(out, name);
    keeli_out_raw_text(out, "\ndata: ");
    out->needs_comma = false;
    keeli_out_open(out, '{');
    return begin;
}

// Ends an event that began at a length. One that is too long, or for which there is no memory, is
// left out as a whole: its begin alone would spoil the next one.
static void streams_end_event(keeli_out *out, size_t begin) {
    keeli_out_close(out, '}');
    keeli_out_raw_text(out, "\n\n");
    if (!out->failed) return;
    out->length = begin;
    out->failed = out->is_long = false;
}

// The frames a second since the last event, as a mean over about a second.
static void streams_measure_rate(keel_inspect *inspect, keeli_stream *stream, uint64_t now) {
    const uint64_t passed = now - stream->last_time;
    if (passed < second / 2) return;
    if (stream->last_time && inspect->frame >= stream->last_frame)
        stream->rate = (double)(inspect->frame - stream->last_frame) * 1e9 / (double)passed;
    stream->last_time = now;
    stream->last_frame = inspect->frame;
}

static void streams_write_world(keel_inspect *inspect, keeli_stream *stream, keeli_out *out) {
    const keel_statistics statistics = keel_world_statistics(inspect->world);
    const size_t begin = streams_begin_event(out, "world");
    keeli_out_key_number(out, "frame", inspect->frame);
    keeli_out_key_bool(out, "paused", inspect->paused);
    keeli_out_key_number(out, "entities", keel_entity_count(inspect->world));
    keeli_out_key_number(out, "bytes", statistics.memory.total);
    keeli_out_key(out, "rate");
    keeli_out_decimal(out, stream->rate);
    keeli_out_key_open(out, "inspector", '{');
    keeli_out_key_number(out, "nanoseconds", inspect->spent);
    keeli_out_key_number(out, "worst", inspect->worst);
    keeli_out_close(out, '}');
    keeli_out_key(out, "past");
    keeli_past_write(inspect->past, out);
    keeli_out_key_bool(out, "stopped", false);
    streams_end_event(out, begin);
}

static void streams_write_counts(keel_inspect *inspect, keeli_out *out) {
    const keel_world *world = inspect->world;
    const size_t begin = streams_begin_event(out, "counts");
    keeli_out_key_open(out, "components", '[');
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c)) {
        keeli_out_open(out, '[');
        keeli_out_text(out, c->name);
        keeli_out_number(out, keel_component_count(world, c));
        keeli_out_number(out, keel_component_memory(world, c));
        keeli_out_close(out, ']');
    }
    keeli_out_close(out, ']');
    keeli_out_key_open(out, "events", '[');
    for (const keel_component *e = keel_next_event_type(world, NULL); e;
         e = keel_next_event_type(world, e)) {
        keeli_out_open(out, '[');
        keeli_out_text(out, e->name);
        keeli_out_number(out, keel_event_count_of(world, e));
        keeli_out_close(out, ']');
    }
    keeli_out_close(out, ']');
    streams_end_event(out, begin);
}

static void streams_write_entity(keel_inspect *inspect, keel_entity entity, keeli_out *out) {
    const size_t begin = streams_begin_event(out, "entity");
    if (keel_is_alive(inspect->world, entity)) {
        keeli_out_key_number(out, "frame", inspect->frame);
        keeli_out_key_bool(out, "past", false);
        keeli_write_entity(out, inspect->world, entity);
    } else {
        keeli_out_key_bool(out, "gone", true);
    }
    streams_end_event(out, begin);
}

// Writes the times of the frames since the last event, and the mean times of the systems in them.
static void streams_write_frames(keel_inspect *inspect, keeli_stream *stream, keeli_out *out) {
    enum { FRAMES_SENT = 120 };
    static const uint64_t time_to_read = 100000;
    keeli_sum sums[KEELI_SOURCES];
    uint32_t order[KEELI_SOURCES];
    const keeli_frame *frame;
    bool memory;
    uint32_t count = 0;
    if (!keeli_frames_read(inspect->frames, keeli_inspect_now() + time_to_read, &memory))
        return; // there are more entries, or no memory: the next event has them
    while (count < FRAMES_SENT && (frame = keeli_frames_latest(inspect->frames, count)) != NULL &&
           frame->frame > stream->last_timed)
        ++count;
    if (!count) return;

    const uint64_t from = keeli_frames_latest(inspect->frames, count - 1)->frame,
                   to = inspect->frame;
    const size_t begin = streams_begin_event(out, "frames");
    keeli_out_key_open(out, "frames", '[');
    for (uint32_t i = count; i-- > 0;) {
        frame = keeli_frames_latest(inspect->frames, i);
        keeli_out_open(out, '[');
        keeli_out_number(out, frame->frame);
        keeli_out_number(out, frame->end > frame->begin ? frame->end - frame->begin : 0);
        keeli_out_close(out, ']');
    }
    keeli_out_close(out, ']');
    keeli_frames_add_up(inspect->frames, from, to, sums);
    keeli_out_key_open(out, "systems", '[');
    const uint32_t systems = keeli_frames_in_order(inspect, order);
    for (uint32_t i = 0; i < systems; ++i) {
        const keeli_sum *sum = &sums[order[i]];
        if (!sum->runs) continue;
        keeli_out_open(out, '[');
        keeli_out_number(out, keeli_frames_source(inspect->frames, order[i])->position);
        keeli_out_number(out, sum->nanoseconds / count);
        keeli_out_number(out, sum->entities / count);
        keeli_out_close(out, ']');
    }
    keeli_out_close(out, ']');
    streams_end_event(out, begin);
    stream->last_timed = to;
}

static void streams_write_one(keel_inspect *inspect, keeli_stream *stream) {
    keeli_facts *facts = streams_take_spare(stream);
    if (!facts) return; // the page misses this event
    const uint64_t now = keeli_inspect_now();
    const keel_entity entity = { (keel_entity_bits)atomic_load(&stream->entity) };
    facts->generation = atomic_load(&stream->generation);
    if (facts->generation != stream->known_generation) {
        stream->known_generation = facts->generation;
        stream->last_time = now;
        stream->last_frame = inspect->frame;
        stream->last_counts = 0;
        stream->last_timed = inspect->frame;
    }
    streams_measure_rate(inspect, stream, now);
    streams_write_world(inspect, stream, &facts->out);
    if (stream->last_timed > inspect->frame)
        stream->last_timed = inspect->frame; // the program went back
    streams_write_frames(inspect, stream, &facts->out);
    if (now - stream->last_counts >= second) {
        streams_write_counts(inspect, &facts->out);
        keeli_frames_ask_again(inspect->frames);
        stream->last_counts = now;
    }
    if (!keel_is_null(entity)) streams_write_entity(inspect, entity, &facts->out);
    streams_publish(stream, facts);
}

// Reading the plan clears the errors of the world, which are the program's.
void keeli_streams_write(keel_inspect *inspect, unsigned wanted) {
    keeli_guest guest;
    keeli_guest_begin(inspect->world, &guest);
    for (int i = 0; i < KEELI_STREAMS; ++i)
        if (wanted >> i & 1) streams_write_one(inspect, &inspect->streams[i]);
    keeli_guest_end(inspect->world, &guest);
}
