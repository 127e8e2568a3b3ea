// SPDX-License-Identifier: MIT
// Keys of the whole page, and the dialog that lists them. Fields keep their own keys.
import { useEffect, useRef } from "preact/hooks";
import { mayEdit, step, togglePause } from "./control.js";
import { html } from "./parts.js";
import { moveThroughPast } from "./past.js";

const KEYS = [
    ["/", "write a query"],
    ["Space", "pause, play"],
    [".", "one frame"],
    ["← →", "the begin of the frame before, of the frame after"],
    ["Shift ← →", "ten frames"],
    ["?", "this list"],
    ["Esc", "close, cancel"],
];
const LANGUAGE = [
    ["Position, !Frozen, ?Name", "has Position, not Frozen; shows Name"],
    ["Health.points < 10", "compares a field"],
    ['name ~ "ship*"', "by name"],
    ['DockedAt -> "port/dock 3"', "related to an entity"],
    ['below "fleet"', "in this tree"],
    ["Position changed", "written lately"],
    ["any(Red|Blue)", "has one of them"],
    ["#17v3", "this entity"],
];

const ACTIONS = {
    "/": () => document.getElementById("query")?.focus(),
    " ": () => mayEdit() && togglePause(),
    ".": () => mayEdit() && step(),
    ArrowLeft: (event) => moveThroughPast(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => moveThroughPast(event.shiftKey ? 10 : 1),
};

function isOwnOf(target, key) {
    if (!(target instanceof Element)) return false;
    if (target.closest("input, select, textarea, dialog, [contenteditable]")) return true;
    return key === " " && target.closest("button, summary") !== null;
}

/** Listens to the keys of the page. */
export function useKeys(onHelp) {
    useEffect(() => {
        const listener = (event) => {
            if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isOwnOf(event.target, event.key)) return;
            const action = event.key === "?" ? onHelp : ACTIONS[event.key];
            if (!action) return;
            event.preventDefault();
            action(event);
        };
        document.addEventListener("keydown", listener);
        return () => document.removeEventListener("keydown", listener);
    }, []);
}

/** Draws a modal dialog, which the browser closes by Esc. */
export function Dialog({ isOpen, onClose, title, children }) {
    const box = useRef(null);
    useEffect(() => {
        if (isOpen && !box.current.open) box.current.showModal();
        if (!isOpen && box.current.open) box.current.close();
    }, [isOpen]);
    return html`<dialog ref=${box} onClose=${onClose} aria-label=${title}>
        ${
            isOpen
                ? html`<div class="title"><h2>${title}</h2>
            <button type="button" class="plain" aria-label="Close" onClick=${() => box.current.close()}>✕</button></div>${children}`
                : null
        }
    </dialog>`;
}

export function Help({ isOpen, onClose }) {
    return html`<${Dialog} ...${{ isOpen, onClose }} title="Help">
        <h3>Keys</h3>
        <dl class="keys">${KEYS.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
        <h3>Queries</h3>
        <dl class="keys">${LANGUAGE.map(([text, meaning]) => html`<div key=${text}><dt><code>${text}</code></dt><dd>${meaning}</dd>
            </div>`)}</dl>
        <p class="dim">Made with preact, htm, uPlot and dagre.</p>
    </${Dialog}>`;
}
