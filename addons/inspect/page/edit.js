// SPDX-License-Identifier: MIT
// Edits of values in place: a field for each type, the answer of the program, its error beside the field. fields.js draws it.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, tell, withParameters } from "./api.js";
import { Icon } from "./icons.js";
import { Dialog } from "./keys.js";
import { html } from "./parts.js";
import { isAway, useStore } from "./store.js";

/** Sends edits, and keeps the error of the last. `run` returns the answer, or null. */
export function useEdit() {
    const [error, setError] = useState(null);
    const run = async (path, body) => {
        try {
            const answer = await tell(path, body);
            setError(null);
            return answer;
        } catch (refusal) {
            setError(refusal);
            return null;
        }
    };
    return { error, run, clear: () => setError(null) };
}

/** Draws a button that is disabled while there is no program to do what it says. */
export function NeedsProgram({ disabled, title, children, ...rest }) {
    const away = useStore(isAway);
    return html`<button type="button" ...${rest} disabled=${disabled || away}
        title=${away ? "The program has ended, or cannot be reached" : title}>${children}</button>`;
}

/** Draws a dialog in which an entity is found by a query. `onChoose` gets its handle, or null. */
export function ChooseEntity({ isOpen, onClose, onChoose, title, takesNull = true }) {
    const [text, setText] = useState("");
    const [found, setFound] = useState({ text: null, rows: [], error: null });
    const [wanted, setWanted] = useState(null); // the text whose first match is chosen as soon as it is there
    useEffect(() => {
        if (!isOpen) return undefined;
        const control = new AbortController();
        const timer = setTimeout(async () => {
            try {
                const query = text.trim();
                const path = query ? withParameters("query", { text: query, limit: 50 }) : "entities?limit=50";
                const answer = await ask(path, { signal: control.signal });
                setFound({ text, rows: answer.rows ?? answer.entities, error: null });
            } catch (error) {
                if (!control.signal.aborted) setFound({ text, rows: [], error });
            }
        }, 150);
        return () => {
            control.abort();
            clearTimeout(timer);
        };
    }, [isOpen, text]);
    const choose = (handle) => {
        onChoose(handle);
        onClose();
    };
    useEffect(() => {
        if (wanted === null || found.text !== wanted) return;
        setWanted(null);
        if (isOpen && found.rows.length > 0) choose(found.rows[0].entity);
    }, [wanted, found]);
    const keys = (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        setWanted(text);
    };
    return html`<${Dialog} ...${{ isOpen, onClose, title }}>
        <label class="field">Query <input type="search" autofocus value=${text} placeholder='name ~ "ship*"' spellcheck="false"
            onInput=${(event) => setText(event.target.value)} onKeyDown=${keys} /></label>
        ${found.error ? html`<p class="failure" role="alert">${found.error.message}</p>` : null}
        <ul class="choices">
            ${takesNull ? html`<li><button type="button" onClick=${() => choose(null)}><span class="dim">null: no entity</span></button>
                </li>` : null}
            ${found.rows.map(
                (row) => html`<li key=${row.entity}><button type="button" onClick=${() => choose(row.entity)}>
                ${row.name ?? ""} <span class="handle">#${row.entity}</span></button></li>`,
            )}
        </ul>
    </${Dialog}>`;
}

function Input({ leaf, commit, cancel, error, id }) {
    const box = useRef(null);
    useEffect(() => {
        box.current.focus();
        box.current.select?.();
    }, []);
    const keys = (event) => {
        if (event.key === "Enter") commit(event.target.value);
        if (event.key === "Escape") cancel();
    };
    const common = {
        ref: box,
        onKeyDown: keys,
        "aria-label": leaf.path,
        "aria-invalid": error ? "true" : null,
        "aria-describedby": error ? id : null,
    };
    if (leaf.type === "bool" || (leaf.values && !leaf.flags)) {
        const values = leaf.type === "bool" ? ["false", "true"] : leaf.values;
        return html`<select ...${common} onChange=${(event) => commit(event.target.value)} onBlur=${cancel}>
            ${values.map((value) => html`<option key=${value} selected=${value === leaf.text}>${value}</option>`)}</select>`;
    }
    return html`<input ...${common} class="edit" defaultValue=${leaf.text} spellcheck="false" autocomplete="off"
        onBlur=${(event) => (event.target.value === leaf.text || error ? cancel() : commit(event.target.value))} />`;
}

/** Draws a value that can be edited. `onDone` gets the fields as they are now. */
export function EditableValue({ entity, component, leaf, onDone, children }) {
    const [isOpen, setOpen] = useState(false);
    const { error, run, clear } = useEdit();
    const path = `${component}.${leaf.path}`;
    const id = `error-${path}`;
    const close = () => {
        setOpen(false);
        clear();
    };
    const commit = async (value) => {
        const answer = await run("set", { entity, path, value: value === null ? "null" : value });
        if (!answer) return;
        onDone(answer.fields);
        close();
    };
    const failure = error ? html`<span class="failure" id=${id} role="alert">${error.message}</span>` : null;
    const pen = html`<${NeedsProgram} class="pen" aria-label=${`Edit ${path}, now ${leaf.text}`} onClick=${() => setOpen(true)}>
        <${Icon} name="edit" /></${NeedsProgram}>`;
    if (leaf.type === "entity") {
        return html`${children}${pen}${failure}<${ChooseEntity} isOpen=${isOpen} onClose=${() => setOpen(false)}
            title=${`${path}: choose an entity`}
            onChoose=${(handle) => commit(handle)} />`;
    }
    if (!isOpen) return html`<span class="editable" onDblClick=${() => setOpen(true)}>${children}</span>${pen}`;
    return html`<${Input} ...${{ leaf, commit, error, id }} cancel=${close} />${failure}`;
}
