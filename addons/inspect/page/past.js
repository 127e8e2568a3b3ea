// SPDX-License-Identifier: MIT
// The past: a slider over the frames that the program keeps, and the banner over a view that shows one. The frame stands in the address;
// the world itself goes on.
import { useState } from "preact/hooks";
import { command, mayEdit } from "./control.js";
import { count, plural } from "./format.js";
import { html } from "./parts.js";
import { go, here, link } from "./route.js";
import { isAway, state, useStore } from "./store.js";

const usePast = () => useStore((all) => all.live?.past ?? all.world?.past ?? null);

// Nothing is kept while the past is off, and before its first frame.
const isEmpty = (past) => !past?.capacity || past.oldest === null;

// The number that now has on the slider. The newest image is the begin of the frame that ran last; now is behind it. After "continue
// from here" no frame has run, so now is the newest image.
const nowOf = (past, frame) => Math.min(past.newest, frame) + 1;

const lastFrame = (all) => all.live?.frame ?? all.world?.frame ?? 0;

/** Returns the frame whose begin is the end of this one, or null if that is now. */
export function frameAfter(frame) {
    const past = state.live?.past ?? state.world?.past;
    return isEmpty(past) || frame + 1 >= nowOf(past, lastFrame(state)) ? null : frame + 1;
}

/** Shows the begin of a frame of the past, or the present if it is behind the newest or null. */
export function showFrame(frame) {
    const past = state.live?.past ?? state.world?.past;
    const isNow = frame === null || isEmpty(past) || frame >= nowOf(past, lastFrame(state));
    go(here({ frame: isNow ? null : Math.max(frame, past.oldest) }), true);
}

/** Moves by frames through the past; called for the arrow keys. */
export function moveThroughPast(by) {
    const past = state.live?.past ?? state.world?.past;
    if (isEmpty(past)) return;
    showFrame((state.route.frame ?? nowOf(past, lastFrame(state))) + by);
}

export function PastSlider() {
    const past = usePast();
    const frame = useStore((all) => all.route.frame);
    const last = useStore(lastFrame);
    if (!past) return null;
    if (!past.capacity) {
        return html`<span class="past dim" title="Pass .past = 300 to keel_inspect_begin to look at frames that are over">past: off</span>`;
    }
    if (isEmpty(past)) return html`<span class="past dim" title=${past.problem}>past: ${past.problem ? "failed" : "empty"}</span>`;
    const now = nowOf(past, last);
    const value = Math.max(frame ?? now, past.oldest);
    return html`<label class="past"><span>past</span>
        <input type="range" aria-label="Past" min=${past.oldest} max=${now} value=${value} aria-valuetext=${
            frame === null ? "now" : `begin of frame ${frame}, ${plural(now - frame, "frame")} ago`
        }
            onInput=${(event) => showFrame(Number(event.target.value))} />
        <output>${frame === null ? "now" : `−${count(now - frame)}`}</output></label>`;
}

const PLACES = ["world", "entities", "diff"]; // tabs that show the past

export function PastBanner() {
    const past = usePast();
    const frame = useStore((all) => all.route.frame);
    const last = useStore(lastFrame);
    const paused = useStore((all) => all.live?.paused ?? false);
    const tab = useStore((all) => all.route.tab);
    useStore(isAway); // mayEdit looks at it
    const [isAsking, setAsking] = useState(false);
    if (frame === null || !past) return null;
    const isGone = isEmpty(past) || frame < past.oldest;
    const back = async () => {
        setAsking(false);
        if (await command("back", { frame })) showFrame(null);
    };
    return html`<div class="banner then" role="status">
        <strong>Begin of frame ${count(frame)}</strong>, ${plural(last + 1 - frame, "frame")} ago; ${paused ? "the world is paused"
            : "the world goes on"}.
        ${isGone ? html` It is no longer kept${isEmpty(past) ? "" : `: the past begins with frame ${count(past.oldest)}`}.` : null}
        ${PLACES.includes(tab) ? null : html` <b>This view shows the world as it is now.</b>`}
        <span class="actions">
            <button type="button" onClick=${() => showFrame(null)}>Back to now</button>
            ${isGone ? null : html`<a href=${link(["diff"], { frame: null, from: frame, to: null })}>What is different now?</a>`}
            ${
                mayEdit() && !isGone
                    ? isAsking
                        ? html`<button type="button" class="danger" onClick=${back}>Forget what came after, and continue</button>
                    <button type="button" onClick=${() => setAsking(false)}>Cancel</button>`
                        : html`<button type="button" onClick=${() => setAsking(true)}>Continue from here</button>`
                    : null
            }
        </span>
    </div>`;
}
