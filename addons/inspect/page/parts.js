// SPDX-License-Identifier: MIT
// Small parts that all views are made of: links to entities, tables that sort, empty states, errors, lists that draw only what is
// visible. They know nothing of the program.
import { h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import htm from "htm";
import { link } from "./route.js";

export const html = htm.bind(h);
export const ROW = 24; // pixels of a row of a list; style.css has the same

// A link keeps the frame that is shown, unless it names another; null is now.
const atFrame = (frame) => (frame === undefined ? {} : { frame });

/** Draws an entity as a link: its name if it has one, and its handle. */
export function Entity({ of, tab = "values", frame }) {
    if (!of) return html`<span class="dim">null</span>`;
    if (typeof of === "string") return html`<span class="handle">#${of}</span>`; // of another world
    return html`<a class="entity" href=${link(["entity", of.entity, tab], atFrame(frame))}>
        ${of.name !== null && of.name !== undefined ? html`<span class="name">${of.name}</span> ` : null}
        <span class="handle">#${of.entity}</span></a>`;
}

const HANDLES = /^#?\d+v\d+(, #?\d+v\d+)*$/;

/** Draws a text of a value. The handles of entities in it, the targets of a relation, are links. */
export function ValueText({ text, frame }) {
    if (text === null || text === undefined) return html`<span class="dim">–</span>`;
    if (!HANDLES.test(text)) return text;
    return text.split(", ").map((one, at) => {
        const handle = one.replace("#", "");
        return html`${at > 0 ? ", " : ""}<a class="entity" href=${link(["entity", handle, "values"], atFrame(frame))}>#${handle}</a>`;
    });
}

/** Leaves out the components of Keel itself, whose values are shown as name and parent. */
export const ownNames = (names = []) => names.filter((name) => name !== "keel_name" && name !== "keel_child");

export const ComponentLink = ({ name }) => html`<a href=${link(["component", name])}>${name}</a>`;

/** Draws a system as a link, or as text if it is none of the workload that is shown. */
export const SystemLink = ({ position, name }) =>
    position === null || position === undefined ? name : html`<a href=${link(["system", String(position)])}>${name}</a>`;

/** Says why there is nothing, and what to do. */
export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

/** Says what went wrong, in the words of the program. */
export const Failure = ({ error }) => (error ? html`<p class="failure" role="alert">${error.message}</p>` : null);

/** Draws an answer: an error, nothing yet, or what `children` makes of it. */
export function Answer({ of, children }) {
    if (!of.data) return of.error ? html`<${Failure} error=${of.error} />` : html`<p class="empty" aria-busy="true">…</p>`;
    return html`<div class=${of.isStale ? "stale" : ""}><${Failure} error=${of.error} />${children(of.data)}</div>`;
}

/** Draws tabs inside of a view; each is a link. */
export function Tabs({ label, tabs, chosen }) {
    return html`<nav class="subtabs" aria-label=${label}>${tabs.map(
        ([key, text, href]) => html`<a key=${key} href=${href} aria-current=${key === chosen ? "page" : null}>${text}</a>`,
    )}</nav>`;
}

// On a narrow screen a table may be wider than its box, and keys have to scroll it.
const isNarrow = () => innerWidth <= 900;

function compare(a, b) {
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    return a < b ? -1 : 1;
}

function sorted(rows, column, isDown) {
    if (!column?.value) return rows;
    const sign = isDown ? -1 : 1;
    return rows
        .map((row) => [column.value(row), row])
        .sort(([a], [b]) => sign * compare(a, b))
        .map(([, row]) => row);
}

function Head({ column, order, setOrder }) {
    const isChosen = order.key === column.key;
    const turn = () => setOrder({ key: column.key, isDown: isChosen ? !order.isDown : !!column.number });
    const direction = order.isDown ? "descending" : "ascending";
    return html`<th scope="col" class=${column.number ? "number" : ""} title=${column.title}
        aria-sort=${isChosen ? direction : null}>
        ${
            column.value
                ? html`<button type="button" class="head" onClick=${turn}>${column.head}<span class="arrow" aria-hidden="true">
                ${isChosen ? (order.isDown ? "▾" : "▴") : ""}</span></button>`
                : column.head || html`<span class="unseen">drawn</span>`
        }</th>`;
}

/** Draws a table that sorts. A column: key, head, cell(row), and value(row) to sort by; number aligns to the right. */
export function Table({ label, columns, rows, keyOf, order: first = {}, mark, empty }) {
    const [order, setOrder] = useState(first);
    if (rows.length === 0) return html`<${Empty}>${empty ?? "Nothing."}</${Empty}>`;
    const list = sorted(
        rows,
        columns.find((column) => column.key === order.key),
        order.isDown,
    );
    return html`<div class="scroll" tabindex=${isNarrow() ? 0 : null} role="group" aria-label=${label}><table aria-label=${label}>
        <thead><tr>${columns.map((column) => html`<${Head} key=${column.key} ...${{ column, order, setOrder }} />`)}</tr></thead>
        <tbody>${list.map(
            (row) =>
                html`<tr key=${keyOf(row)} class=${mark?.(row) ?? ""}>${columns.map((column, at) => {
                    const style = column.number ? "number" : (column.className ?? "");
                    return at === 0
                        ? html`<th key=${column.key} scope="row" class=${style}>${column.cell(row)}</th>`
                        : html`<td key=${column.key} class=${style}>${column.cell(row)}</td>`;
                })}</tr>`,
        )}</tbody>
    </table></div>`;
}

/** Returns a reference for a box that scrolls, and which of `total` rows are visible in it, with a few more on both sides. */
export function useWindow(total, height = ROW) {
    const box = useRef(null);
    const [range, setRange] = useState([0, 60]);
    useEffect(() => {
        const look = () => {
            if (!box.current) return;
            const first = Math.max(0, Math.floor(box.current.scrollTop / height) - 8);
            const last = first + Math.ceil(box.current.clientHeight / height) + 16;
            setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
        };
        const observer = new ResizeObserver(look);
        observer.observe(box.current);
        box.current.addEventListener("scroll", look, { passive: true });
        const element = box.current;
        return () => {
            observer.disconnect();
            element.removeEventListener("scroll", look);
        };
    }, [height]);
    return { box, first: Math.min(range[0], Math.max(0, total - 1)), last: Math.min(range[1], total) };
}

/** Draws a bar as long as a share of 1; the figure beside it says the same. */
export function Bar({ share }) {
    return html`<span class="bar" aria-hidden="true"><span style=${{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} /></span>`;
}
