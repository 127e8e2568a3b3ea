// SPDX-License-Identifier: MIT
// The fields of a value as a table: name, value, unit and limits. World, Entity and Relations show values through it.
import { useRef, useState } from "preact/hooks";
import { EditableValue } from "./edit.js";
import { Entity, html } from "./parts.js";
import { useStore } from "./store.js";

/** Returns what a leaf is, in text; entities are links. */
export function Value({ leaf }) {
    if (leaf.type === "entity") return html`<${Entity} of=${leaf.reference} />`;
    if (leaf.type === "bool") return html`<span class=${leaf.value === false ? "dim" : ""}>${leaf.text}</span>`;
    return leaf.text;
}

function limits(leaf) {
    const known = leaf.min !== undefined || leaf.max !== undefined;
    return [leaf.unit, known ? `${leaf.min ?? "…"} to ${leaf.max ?? "…"}` : null].filter(Boolean).join(" · ");
}

function Row({ entity, component, leaf, mayEdit, onDone }) {
    if (leaf.more !== undefined) {
        return html`<tr><th scope="row">${leaf.path}</th><td colspan="2" class="dim">${leaf.more} more elements</td></tr>`;
    }
    const isNumber = typeof leaf.value === "number";
    const value = html`<${Value} leaf=${leaf} />`;
    return html`<tr class=${leaf.hidden ? "hidden-field" : ""}><th scope="row">${leaf.path}</th>
        <td class=${isNumber ? "value number" : "value"}>${
            mayEdit && leaf.type !== "bytes"
                ? html`<${EditableValue} ...${{ entity, component, leaf, onDone }}>${value}</${EditableValue}>`
                : value
        }</td>
        <td class="dim">${limits(leaf)}</td></tr>`;
}

/** Draws the fields of a component or a unique. The entity is null for a unique. */
export function Fields({ entity, component, isPast = false }) {
    const edits = useStore((all) => all.world?.allowed.edits ?? false);
    // What an edit has answered stands until the program tells the component anew: then all values are of one frame.
    const [answered, setAnswered] = useState({ over: null, fields: null });
    const fields = answered.over === component ? answered.fields : component.fields;
    const latest = useRef(component);
    latest.current = component;
    const onDone = (now) => setAnswered({ over: latest.current, fields: now });
    if (!fields) {
        return component.bytes
            ? html`<p class="bytes"><code>${component.bytes}</code></p>
            <p class="dim">The fields of ${component.name} are not described: <code>KEEL_FIELDS</code> names them.</p>`
            : null;
    }
    if (fields.length === 0) return null;
    return html`<table class="fields" aria-label=${component.name}><tbody>${fields.map(
        (leaf) => html`<${Row} key=${leaf.path}
        ...${{ entity, leaf, component: component.name, mayEdit: edits && !isPast && !component.disabled, onDone }} />`,
    )}</tbody></table>`;
}
