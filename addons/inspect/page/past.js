// SPDX-License-Identifier: MIT
// The past: a slider over the frames that the program keeps, and the banner over a view that shows one. The frame stands in the address;
// the world itself goes on.
import { useState } from "preact/hooks";
import { command, mayEdit } from "./control.js";
import { count, plural } from "./format.js";
import { html } from "./parts.js";
import { go, here, link } from "./route.js";
import { state, useStore } from "./store.js";

const usePast = () => useStore((all) => all.live?.past ?? all.world?.past ?? null);

// Nothing is kept while the past is off, and before its first frame.
const isEmpty = (past) => !past?.capacity || past.oldest === null;

/** Shows a frame of the past, or the present if it is the newest or null. */
export function showFrame(frame) {
    const past = state.live?.past ?? state.world?.past;
    const isNow = frame === null || isEmpty(past) || frame >= past.newest;
    go(here({ frame: isNow ? null : Math.max(frame, past.oldest) }), true);
}

/** Moves by frames through the past; called for the arrow keys. */
export function moveThroughPast(by) {
    const past = state.live?.past ?? state.world?.past;
    if (isEmpty(past)) return;
    showFrame((state.route.frame ?? past.newest) + by);
}

export function PastSlider() {
    const past = usePast();
    const frame = useStore((all) => all.route.frame);
    if (!past) return null;
    if (!past.capacity) {
        return html`<span class="past dim" title="Pass .past = 300 to keel_inspect_begin to look at frames that are over">past: off</span>`;
    }
    if (isEmpty(past)) return html`<span class="past dim" title=${past.problem}>past: ${past.problem ? "failed" : "empty"}</span>`;
    const value = Math.max(frame ?? past.newest, past.oldest);
    return html`<label class="past"><span>past</span>
        <input type="range" aria-label="Past" min=${past.oldest} max=${past.newest} value=${value} aria-valuetext=${
            frame === null ? "now" : `frame ${frame}, ${plural(past.newest - frame, "frame")} ago`
        }
            onInput=${(event) => showFrame(Number(event.target.value))} />
        <output>${frame === null ? "now" : `−${count(past.newest - frame)}`}</output></label>`;
}

const PLACES = ["world", "entities", "diff"]; // tabs that show the past

export function PastBanner() {
    const past = usePast();
    const frame = useStore((all) => all.route.frame);
    const newest = useStore((all) => all.live?.frame ?? all.world?.frame ?? 0);
    const paused = useStore((all) => all.live?.paused ?? false);
    const tab = useStore((all) => all.route.tab);
    const [isAsking, setAsking] = useState(false);
    if (frame === null || !past) return null;
    const isGone = isEmpty(past) || frame < past.oldest;
    const back = async () => {
        setAsking(false);
        if (await command("back", { frame })) showFrame(null);
    };
    return html`<div class="banner then" role="status">
        <strong>Frame ${count(frame)}</strong>, ${plural(newest - frame, "frame")} ago; ${paused ? "the world is paused"
            : "the world goes on"}.
        ${isGone ? html` It is no longer kept${isEmpty(past) ? "" : `: the past begins with frame ${count(past.oldest)}`}.` : null}
        ${PLACES.includes(tab) ? null : html` <b>This view shows the world as it is now.</b>`}
        <span class="actions">
            <button type="button" onClick=${() => showFrame(null)}>Back to now</button>
            ${isGone ? null : html`<a href=${link(["diff"], { frame: null, from: frame, to: past.newest })}>What is different now?</a>`}
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
