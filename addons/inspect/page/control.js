// SPDX-License-Identifier: MIT
// Pause, play, steps and the slider of the past: the right end of the header. keys.js calls the same functions.
import { fullAddress, tell } from "./api.js";
import { Icon } from "./icons.js";
import { html } from "./parts.js";
import { PastSlider } from "./past.js";
import { change, isAway, say, state, useStore } from "./store.js";

/** Sends an edit of the program's course; what it refuses is said in the live region. */
export async function command(path, body) {
    try {
        const now = await tell(path, body);
        if ("paused" in now) change({ live: { ...state.live, ...now } });
        return now;
    } catch (error) {
        say(error.message, true);
        return null;
    }
}

export const isPaused = () => (state.live ?? state.world)?.paused ?? false;
export const mayEdit = () => (state.world?.allowed.edits ?? false) && !isAway(state);
export const togglePause = () => command(isPaused() ? "play" : "pause");
export const step = (frames = 1) => command("step", { frames });

function StepMenu() {
    const choose = (event) => {
        const { value } = event.target;
        event.target.value = "";
        if (value) step(Number(value));
    };
    return html`<select class="small" aria-label="Step further" value="" onChange=${choose}>
        <option value="">▾</option>
        ${[10, 60, 600].map((frames) => html`<option key=${frames} value=${frames}>${frames} frames</option>`)}
    </select>`;
}

async function copyAddress() {
    try {
        await navigator.clipboard.writeText(fullAddress());
        say("The address of this place is copied, with the token.");
    } catch {
        say("The browser does not allow to copy.", true);
    }
}

export function Control({ onHelp }) {
    const paused = useStore((all) => (all.live ?? all.world)?.paused ?? false);
    const allowed = useStore((all) => all.world?.allowed.edits ?? false);
    const away = useStore(isAway);
    const edits = allowed && !away;
    const why = away ? "The program has ended, or cannot be reached" : allowed ? null : "Pass .allow_edits to keel_inspect_begin";
    return html`<div class="control" role="group" aria-label="Time">
        <button type="button" class="pause" disabled=${!edits} title=${why ?? "Space"} aria-pressed=${String(paused)}
            onClick=${togglePause}>
            <${Icon} name=${paused ? "play" : "pause"} /> ${paused ? "Play" : "Pause"}</button>
        <span class="joined"><button type="button" disabled=${!edits} title=${why ?? "."} onClick=${() => step()}>
            <${Icon} name="step" /> Step</button>${edits ? html`<${StepMenu} />` : null}</span>
        <${PastSlider} />
        <button type="button" class="plain" title="Copy the address of this place, with the token" aria-label="Copy address"
            onClick=${copyAddress}><${Icon} name="copy" /></button>
        <button type="button" class="plain" title="Keys (?)" aria-label="Help" onClick=${onHelp}>?</button>
    </div>`;
}
