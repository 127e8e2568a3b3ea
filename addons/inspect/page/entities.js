// SPDX-License-Identifier: MIT
// The tab Entities: on the left the tree, the list of all, or the results of a query; on the right the entity that the address names.
import { useEffect, useState } from "preact/hooks";
import { ask, withParameters } from "./api.js";
import { EntityPanel } from "./entity.js";
import { ChooseEntity, NeedsProgram, useEdit } from "./edit.js";
import { count } from "./format.js";
import { usePages } from "./pages.js";
import { Empty, Entity, Failure, html, ownNames, ROW, useWindow } from "./parts.js";
import { QueryError } from "./query.js";
import { go, here, link } from "./route.js";
import { change, useStore } from "./store.js";
import { Tree } from "./tree.js";

const REFRESH = 1000;

const chosenEntity = (route) => (route.parts[0] === "entity" ? route.parts[1] : null);

function names(row) {
    const disabled = new Set(row.disabled ?? []);
    return html`<span class="dim">${ownNames(row.components).map(
        (name, at) => html`${at > 0 ? ", " : ""}${disabled.has(name) ? html`<s title="disabled">${name}</s>` : name}`,
    )}${[...disabled]
        .filter((name) => !(row.components ?? []).includes(name))
        .map((name) => html`, <s title="disabled">${name}</s>`)}</span>`;
}

// Draws the rows of pages that are visible, as a table with room above and below for the others.
function Rows({ pages, look, columns, cells, chosen, label }) {
    const total = pages.count;
    const { box, first, last } = useWindow(total);
    useEffect(() => look(first, last + 1));
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push([at, pages.row(at)]);
    const width = columns.length + 1;
    return html`<div class="virtual" ref=${box} tabindex="0" role="region" aria-label=${label}><table aria-rowcount=${total + 1}
        aria-label=${label}>
        <thead><tr><th scope="col">Entity</th>${columns.map((column) => html`<th scope="col" key=${column}>${column}</th>`)}</tr></thead>
        <tbody>
            <tr aria-hidden="true" class="room"><td colspan=${width} style=${{ height: `${first * ROW}px` }} /></tr>
            ${rows.map(
                ([at, row]) =>
                    html`<tr key=${at} aria-rowindex=${at + 2} class=${row && row.entity === chosen ? "chosen" : ""}>${
                        row
                            ? html`<th scope="row"><${Entity} of=${row} /></th>${cells(row).map((cell, column) => html`<td key=${column}
                                class="value">${cell}</td>`)}`
                            : html`<td colspan=${width} class="dim">…</td>`
                    }</tr>`,
            )}
            <tr aria-hidden="true" class="room"><td colspan=${width} style=${{ height: `${Math.max(0, total - last) * ROW}px` }} /></tr>
        </tbody></table></div>`;
}

function AllEntities({ chosen }) {
    const frame = useStore((all) => all.route.frame);
    const load = async (after, limit, signal) => {
        const answer = await ask(withParameters("entities", { after, limit, frame }), { signal });
        return { rows: answer.entities, next: answer.next, facts: { total: answer.total } };
    };
    const { pages, look } = usePages(`all ${frame}`, load, frame === null ? REFRESH : 0);
    return html`<p class="count">${count(pages.facts.total)} entities, by index</p><${Failure} error=${pages.error} />
        <${Rows} ...${{ pages, look, chosen }} columns=${["Components"]} cells=${(row) => [names(row)]} label="All entities" />`;
}

// Counts what a query finds, slice by slice, beside the rows that are shown.
function useFound(text) {
    const [found, setFound] = useState({ count: 0, visited: 0, isFinished: false });
    useEffect(() => {
        const control = new AbortController();
        const run = async () => {
            let after = null;
            let sum = 0;
            let visited = 0;
            do {
                const answer = await ask(withParameters("query", { text, count: 1, after }), { signal: control.signal });
                sum += answer.found;
                visited += answer.visited;
                after = answer.next;
                setFound({ count: sum, visited, isFinished: !after });
            } while (after);
        };
        run().catch(() => {
            // the rows say what is wrong with the query
        });
        return () => control.abort();
    }, [text]);
    return found;
}

function ColumnChooser({ columns }) {
    const components = useStore((all) => all.world?.components ?? []);
    const add = (event) => {
        const name = event.target.value;
        event.target.value = "";
        if (name) go(here({ columns: [...columns, name].join(",") }));
    };
    const fields = components.flatMap((component) => (component.fields ?? []).map((field) => `${component.name}.${field.name}`));
    return html`<select class="small" aria-label="Add a column" value="" onChange=${add}><option value="">+ column</option>
        ${fields.filter((name) => !columns.includes(name)).map((name) => html`<option key=${name}>${name}</option>`)}</select>`;
}

function Results({ text, chosen }) {
    const asked = useStore((all) => all.route.parameters.columns ?? null);
    const load = async (after, limit, signal) => {
        const answer = await ask(withParameters("query", { text, limit, after, columns: asked }), { signal });
        return { rows: answer.rows, next: answer.finished ? null : answer.next, facts: { columns: answer.columns, moving: answer.moving } };
    };
    const { pages, look } = usePages(`query ${text}\n${asked}`, load, REFRESH);
    const found = useFound(text);
    useEffect(() => {
        change({ queryError: pages.error });
        return () => change({ queryError: null });
    }, [pages.error]);
    const columns = pages.facts.columns ?? [];
    if (pages.error?.code === "query") return html`<${QueryError} error=${pages.error} text=${text} />`;
    return html`<p class="count">${count(found.count)} found${found.isFinished ? "" : ` so far, ${count(found.visited)} looked at`}${
        pages.facts.moving ? html` · <span title="It changed while it was searched: what moved may be missing.">moving</span>` : null
    }
        <${ColumnChooser} columns=${columns} />
        ${asked ? html`<a href=${here({ columns: null })}>usual columns</a>` : null}</p>
        <${Failure} error=${pages.error} />
        ${
            pages.isFinished && pages.count === 0
                ? html`<${Empty}>No entity matches. The tab Systems of an entity says why one does not.</${Empty}>`
                : html`<${Rows} ...${{ pages, look, chosen, columns }} cells=${(row) => row.values.map((value) => value ?? html`<span
                    class="dim">–</span>`)}
                label="Entities found" />`
        }`;
}

function Spawn() {
    const edits = useStore((all) => all.world?.allowed.edits ?? false);
    const { error, run } = useEdit();
    if (!edits) return null;
    const spawn = async () => {
        const answer = await run("spawn", { name: null, parent: null });
        if (answer) go(link(["entity", answer.entity, "values"]));
    };
    return html`<${NeedsProgram} onClick=${spawn}>+ Entity</${NeedsProgram}><${Failure} error=${error} />`;
}

function Find() {
    const [isOpen, setOpen] = useState(false);
    return html`<${NeedsProgram} onClick=${() => setOpen(true)}>Go to …</${NeedsProgram}>
        <${ChooseEntity} isOpen=${isOpen} onClose=${() => setOpen(false)} title="Go to an entity" takesNull=${false}
            onChoose=${(handle) => go(link(["entity", handle, "values"]))} />`;
}

function List({ chosen }) {
    const { q, list } = useStore((all) => all.route.parameters);
    const frame = useStore((all) => all.route.frame);
    const kind = q ? "query" : list === "all" ? "all" : "tree";
    const modes = [
        ["tree", "Tree", { q: null, list: null, columns: null }],
        ["all", "All", { q: null, list: "all", columns: null }],
    ];
    return html`<section class="left" aria-label="List of entities">
        <div class="modes"><nav class="subtabs" aria-label="Kind of list">${modes.map(
            ([key, text, parameters]) =>
                html`<a key=${key} href=${here(parameters)} aria-current=${key === kind ? "page" : null}>${text}</a>`,
        )}
            ${q ? html`<a href=${here({})} aria-current="page">Query</a>` : null}</nav><${Find} /><${Spawn} /></div>
        ${kind === "query" && frame !== null ? html`<${Empty}>Queries look at the world as it is now.</${Empty}>` : null}
        ${
            kind === "query"
                ? html`<${Results} key=${q} text=${q} chosen=${chosen} />`
                : kind === "all"
                  ? html`<${AllEntities} chosen=${chosen} />`
                  : html`<${Tree} key=${frame} chosen=${chosen} frame=${frame} />`
        }
    </section>`;
}

export function Entities() {
    const route = useStore((all) => all.route);
    const chosen = chosenEntity(route);
    const isWide = !chosen && route.parameters.q; // a query has many columns
    return html`<div class=${chosen ? "split has-entity" : isWide ? "split wide-list" : "split"}><${List} chosen=${chosen} />${
        chosen
            ? html`<${EntityPanel} handle=${chosen} tab=${route.parts[2] ?? "values"} />`
            : html`<section class="right"><${Empty}>Choose an entity, or write a query: <kbd>/</kbd></${Empty}></section>`
    }</div>`;
}
