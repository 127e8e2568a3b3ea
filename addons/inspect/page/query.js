// SPDX-License-Identifier: MIT
// The line for queries in the header. Submitting it opens the list of entities with that query; the answer's error stands below the line.
import { useEffect, useState } from "preact/hooks";
import { html } from "./parts.js";
import { go, link } from "./route.js";
import { change, useStore } from "./store.js";

// The text up to the word that is being written, with each component behind it.
function completions(text, components) {
    const head = text.match(/^(?:.*[,!?(|]\s*|)/s)[0];
    const word = text.slice(head.length).toLowerCase();
    if (word.includes(" ") || word.includes(".")) return [];
    return components
        .filter(({ name }) => name.toLowerCase().startsWith(word))
        .slice(0, 20)
        .map(({ name }) => head + name);
}

/** Shows where in the text of a query the error is. */
export function QueryError({ error, text }) {
    const column = error.column;
    return html`<p class="failure" id="query-error" role="alert">${error.message}${
        column && text
            ? html`<code class="spot" aria-hidden="true">${text.slice(0, column - 1)}<mark>${text.slice(column - 1) || " "}</mark></code>`
            : null
    }</p>`;
}

export function QueryLine() {
    const asked = useStore((all) => (all.route.tab === "entities" ? (all.route.parameters.q ?? "") : ""));
    const components = useStore((all) => all.world?.components);
    const error = useStore((all) => all.queryError);
    const [text, setText] = useState(asked);
    useEffect(() => setText(asked), [asked]);
    const submit = (event) => {
        event.preventDefault();
        change({ queryError: null });
        go(link(["entities"], { q: text.trim() || null, columns: null, list: null }));
    };
    const leave = (event) => {
        if (event.key === "Escape") event.target.blur();
    };
    return html`<form class="query" role="search" onSubmit=${submit}>
        <label for="query">Query</label>
        <input id="query" type="search" list="query-words" value=${text} placeholder="Position, Health.points < 10" maxlength="4096"
            autocomplete="off" autocapitalize="off" spellcheck="false" aria-invalid=${error ? "true" : null}
            aria-describedby=${error ? "query-error" : null} enterkeyhint="search"
            onInput=${(event) => setText(event.target.value)} onKeyDown=${leave} />
        <datalist id="query-words">${completions(text, components ?? []).map((line) => html`<option key=${line} value=${line} />`)}
            </datalist>
    </form>`;
}
