// SPDX-License-Identifier: MIT
// What the whole page knows: the program, its last facts, and bounded histories of them. The stream and the address write it, and
// components read it by useStore.
import { useEffect, useState } from "preact/hooks";

const FRAMES_KEPT = 600;
const COUNTS_KEPT = 600;
const NOTICE_SHOWN = 6000; // milliseconds

export const state = {
    connection: "connecting", // "live", "ended" (the program said so), "lost", "refused" (another token), "hidden"
    generation: 0, // grows with each connection: what was asked before is asked again
    route: null,
    world: null, // GET world
    live: null, // the event "world" of the stream
    entity: null, // the event "entity" of the stream
    frames: { numbers: [], nanoseconds: [] },
    times: new Map(), // position of a system -> nanoseconds and entities of the last frame
    counts: { times: [], components: new Map(), events: new Map() },
    notice: null, // a sentence for the live region, and whether it tells of an error
    queryError: null,
};

const listeners = new Set();

/** Returns whether the program has ended or cannot be reached: what needs it is disabled. For useStore. */
export const isAway = (all) => all.connection === "ended" || all.connection === "lost";

/** Changes some of the state, and draws what depends on it. */
export function change(patch) {
    Object.assign(state, patch);
    for (const listener of [...listeners]) listener();
}

/** Says a sentence in the corner of the page, and to screen readers, for some seconds. */
export function say(text, isError = false) {
    const notice = { text, isError };
    change({ notice });
    setTimeout(() => {
        if (state.notice === notice) change({ notice: null });
    }, NOTICE_SHOWN);
}

/** Returns a part of the state; the component is drawn again when that part is another one. */
export function useStore(select) {
    const [, draw] = useState(0);
    const selected = select(state);
    useEffect(() => {
        let last = selected;
        const listener = () => {
            const now = select(state);
            if (Object.is(now, last)) return;
            last = now;
            draw((count) => count + 1);
        };
        listener();
        listeners.add(listener);
        return () => listeners.delete(listener);
    }, [selected]);
    return selected;
}

function cut(list, limit) {
    return list.length > limit ? list.slice(list.length - limit) : list;
}

/** Adds frames, as pairs of number and nanoseconds; the oldest are forgotten. */
export function addFrames(pairs) {
    if (pairs.length === 0) return;
    // after "continue from here" numbers begin again: what came after them is forgotten
    const known = state.frames.numbers.filter((frame) => frame < pairs[0][0]).length;
    change({
        frames: {
            numbers: cut(state.frames.numbers.slice(0, known).concat(pairs.map(([frame]) => frame)), FRAMES_KEPT),
            nanoseconds: cut(state.frames.nanoseconds.slice(0, known).concat(pairs.map(([, time]) => time)), FRAMES_KEPT),
        },
    });
}

function addTo(series, name, value, length) {
    const list = series.get(name) ?? new Array(length).fill(null);
    list.push(value);
    series.set(name, cut(list, COUNTS_KEPT));
}

/** Adds the counts of a second. A name that is missing has a gap; one that never comes again is dropped. */
export function addCounts({ components = [], events = [] }, seconds) {
    const { times, components: series, events: queues } = state.counts;
    for (const [name, count] of components) addTo(series, name, count, times.length);
    for (const [name, waiting] of events) addTo(queues, name, waiting, times.length);
    const kept = cut([...times, seconds], COUNTS_KEPT);
    for (const lists of [series, queues]) {
        for (const [name, list] of lists) {
            if (list.length < kept.length) list.push(null);
            if (list.every((value) => value === null)) lists.delete(name);
        }
    }
    const last = new Map(components.map(([name, count, bytes]) => [name, { count, bytes }]));
    change({ counts: { times: kept, components: series, events: queues, last, waiting: new Map(events) } });
}

/** Forgets the histories: another program has come. */
export function forget() {
    change({
        frames: { numbers: [], nanoseconds: [] },
        times: new Map(),
        entity: null,
        live: null,
        counts: { times: [], components: new Map(), events: new Map() },
    });
}
