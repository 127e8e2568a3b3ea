// SPDX-License-Identifier: MIT
// The stream of facts: server-sent events, read by fetch since an EventSource cannot send the token. It stops while the page is
// hidden, and tries again until the program is back.
import { ask, hasToken, Refusal, send, withParameters } from "./api.js";
import { addCounts, addFrames, change, forget, state } from "./store.js";

const EVERY = 100; // milliseconds between events
const RETRY = [250, 500, 1000, 2000];

let entity = null; // whose values the stream carries
let control = null;
let running = false;

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const HANDLERS = {
    // a stream that begins does not know the rate yet
    world: (data) => change({ live: { ...data, rate: data.paused ? 0 : data.rate || state.live?.rate || 0 } }),
    frames(data) {
        addFrames(data.frames);
        change({ times: new Map(data.systems.map(([position, nanoseconds, entities]) => [position, { nanoseconds, entities }])) });
    },
    counts: (data) => addCounts(data, Date.now() / 1000),
    entity: (data) => change({ entity: data }),
    end: () => change({ connection: "ended" }),
};

function handle(block) {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        if (line.startsWith("data:")) data.push(line.slice(5));
    }
    if (HANDLERS[name] && data.length) HANDLERS[name](JSON.parse(data.join("\n")));
}

async function read(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
        rest = blocks.pop();
        blocks.forEach(handle);
    }
}

// A program that has come anew has other components.
async function meet(signal) {
    const world = await ask("world", { signal });
    if (state.world && (state.world.pid !== world.pid || state.world.program !== world.program)) forget();
    change({ world, connection: "live", generation: state.generation + 1 });
}

async function connect(signal) {
    if (state.connection !== "live") await meet(signal);
    const answer = await send(withParameters("stream", { entity, every: EVERY }), { signal });
    await read(answer.body);
}

// Returns whether to try again at once: the page itself cut the stream, to follow something else.
async function once() {
    control = new AbortController();
    const { signal } = control;
    try {
        await connect(signal);
        if (state.connection === "live") change({ connection: "lost" });
    } catch (error) {
        if (signal.aborted) return true;
        if (error instanceof Refusal && error.status === 401) change({ connection: "refused" });
        else if (state.connection !== "ended") change({ connection: "lost" });
    }
    return false;
}

/** Keeps the stream open from now on. Calling it again does nothing. */
export async function startStream() {
    if (running) return;
    running = true;
    for (let failures = 0; hasToken();) {
        if (document.hidden) {
            change({ connection: state.connection === "live" ? "hidden" : state.connection });
            await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
            continue;
        }
        const before = state.generation;
        if (await once()) continue;
        if (state.connection === "refused") break;
        failures = state.generation === before ? failures + 1 : 0;
        await sleep(RETRY[Math.min(failures, RETRY.length - 1)]);
    }
    running = false;
}

/** Makes the stream carry the values of an entity, or of none. */
export function follow(handleText) {
    if (entity === handleText) return;
    entity = handleText;
    change({ entity: null });
    control?.abort();
}

document.addEventListener("visibilitychange", () => {
    if (document.hidden) control?.abort();
});
