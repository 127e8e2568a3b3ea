// SPDX-License-Identifier: MIT
// The tree of entities: children are asked for when a node is opened, and only rows that are visible are drawn. entities.js shows it.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { ask, withParameters } from "./api.js";
import { count } from "./format.js";
import { Empty, Failure, html, ownNames, ROW, useWindow } from "./parts.js";
import { go, link } from "./route.js";
import { useStore } from "./store.js";

const PAGE = 200;
const MOST = 4000; // children of a node; more are found by a query
const REFRESHED = 1000; // a node with more children is not asked again
const REFRESH = 2000;

class Forest {
    constructor(frame, draw) {
        this.frame = frame;
        this.draw = draw;
        this.nodes = new Map([["none", { children: [], next: undefined }]]); // handle of a parent -> its children
        this.open = new Set(["none"]);
        this.error = null;
        this.control = new AbortController();
    }

    ask(parent, after, limit) {
        return ask(withParameters("entities", { parent, after, limit, frame: this.frame }), { signal: this.control.signal });
    }

    // Asks for more children of a node: the first time, or when the end of those that are known becomes visible.
    async grow(parent) {
        const node = this.nodes.get(parent) ?? { children: [], next: undefined };
        this.nodes.set(parent, node);
        // an error is asked again by the timer, not by the drawing of the error
        if (node.isBusy || this.error || node.next === null || node.children.length >= MOST) return;
        node.isBusy = true;
        await this.attempt(async () => {
            const answer = await this.ask(parent, node.next ?? null, PAGE);
            node.children = node.children.concat(answer.entities);
            node.next = answer.next;
            if (parent === "none") this.total = answer.total;
        });
        node.isBusy = false;
    }

    async attempt(action) {
        try {
            await action();
            this.error = null;
        } catch (error) {
            if (this.control.signal.aborted) return;
            this.error = error;
        }
        this.draw();
    }

    // Asks for as many children as are known. The program answers with fewer when its time for a frame is over.
    async renew(parent, node) {
        let children = [];
        let next = null;
        do {
            const answer = await this.ask(parent, next, PAGE);
            children = children.concat(answer.entities);
            next = answer.next;
            if (parent === "none") this.total = answer.total;
        } while (next && children.length < node.children.length);
        Object.assign(node, { children, next });
    }

    // Asks again for the nodes whose children are visible.
    refresh(parents) {
        return this.attempt(async () => {
            for (const parent of parents) {
                const node = this.nodes.get(parent);
                if (!node || node.isBusy || node.children.length > REFRESHED) continue;
                node.isBusy = true;
                await this.renew(parent, node);
                node.isBusy = false;
            }
        });
    }

    toggle(handle, isOpen) {
        this.error = null;
        if (isOpen) this.open.add(handle);
        else this.open.delete(handle);
        if (isOpen) this.grow(handle);
        else this.nodes.delete(handle);
        this.draw();
    }

    // The rows that the tree has now, from top to bottom.
    rows() {
        const list = [];
        const walk = (parent, depth) => {
            const node = this.nodes.get(parent);
            if (!node) return;
            node.children.forEach((child, at) => {
                const isOpen = this.open.has(child.entity);
                list.push({ kind: "node", entity: child, depth, isOpen, parent, at: at + 1 });
                if (isOpen) walk(child.entity, depth + 1);
            });
            if (node.next !== null) list.push({ kind: node.children.length >= MOST ? "many" : "more", parent, depth });
        };
        walk("none", 1);
        return list;
    }
}

function TreeRow({ row, chosen, active, id, onToggle }) {
    const indent = { paddingInlineStart: `${row.depth * 16 - 12}px` };
    if (row.kind === "more") return html`<div class="node dim" style=${indent}>…</div>`;
    if (row.kind === "many") {
        const query = row.parent === "none" ? { list: "all" } : { q: `child of #${row.parent}` };
        return html`<div class="node" style=${indent}><a href=${link(["entities"],
            query)}>more than ${count(MOST)}: show all as a list</a></div>`;
    }
    const { entity } = row;
    const hasChildren = entity.children > 0;
    return html`<div id=${id} class=${`node${entity.entity === chosen ? " chosen" : ""}${active ? " active" : ""}`} style=${indent}
        role="treeitem"
        aria-level=${row.depth} aria-expanded=${hasChildren ? String(row.isOpen) : null} aria-selected=${String(entity.entity === chosen)}>
        <span class="twist" onClick=${() => hasChildren && onToggle(entity.entity, !row.isOpen)}>${hasChildren ? (row.isOpen ? "▾" : "▸")
            : ""}</span>
        <a tabindex="-1" class="entity" href=${link(["entity", entity.entity, "values"])}>${
            entity.name !== null ? html`<span class="name">${entity.name}</span> ` : null
        }<span class="handle">#${entity.entity}</span></a>
        ${hasChildren ? html`<small>${count(entity.children)}</small>` : null}
        ${entity.name === null ? html`<span class="dim words">${ownNames(entity.components).join(", ")}</span>` : null}</div>`;
}

// What a key does to the tree: returns the row that is active then.
function press(key, rows, at, onToggle) {
    const row = rows[at];
    if (key === "ArrowDown") return Math.min(rows.length - 1, at + 1);
    if (key === "ArrowUp") return Math.max(0, at - 1);
    if (key === "Home") return 0;
    if (key === "End") return rows.length - 1;
    if (row?.kind !== "node") return null;
    if (key === "Enter") go(link(["entity", row.entity.entity, "values"]));
    if (key === "ArrowRight" && row.entity.children > 0) {
        if (row.isOpen) return at + 1;
        onToggle(row.entity.entity, true);
    }
    if (key === "ArrowLeft") {
        if (row.isOpen) onToggle(row.entity.entity, false);
        else
            return Math.max(
                0,
                rows.findIndex((one) => one.entity?.entity === row.parent),
            );
    }
    return ["Enter", "ArrowRight", "ArrowLeft"].includes(key) ? at : null;
}

function useForest(frame) {
    const [, draw] = useReducer((turn) => turn + 1, 0);
    const forest = useRef(null);
    forest.current ??= new Forest(frame, () => draw());
    const generation = useStore((all) => all.generation);
    const visible = useRef(new Set());
    useEffect(() => {
        const own = forest.current;
        if (own.nodes.get("none").next === undefined) own.grow("none");
        const timer =
            frame !== null
                ? 0
                : setInterval(() => {
                      if (!document.hidden) own.refresh(visible.current);
                  }, REFRESH);
        return () => clearInterval(timer);
    }, [generation]);
    useEffect(() => () => forest.current.control.abort(), []);
    return { forest: forest.current, visible };
}

export function Tree({ chosen, frame }) {
    const { forest, visible } = useForest(frame);
    const [active, setActive] = useState(0);
    const rows = forest.rows();
    const { box, first, last } = useWindow(rows.length);
    const shown = rows.slice(first, last);
    useEffect(() => {
        visible.current = new Set(shown.map((row) => row.parent));
        for (const row of shown) if (row.kind === "more") forest.grow(row.parent);
    });
    const toggle = (handle, isOpen) => forest.toggle(handle, isOpen);
    const keys = (event) => {
        const next = press(event.key, rows, active, toggle);
        if (next === null) return;
        event.preventDefault();
        setActive(next);
        const top = next * ROW;
        if (top < box.current.scrollTop) box.current.scrollTop = top;
        if (top + ROW > box.current.scrollTop + box.current.clientHeight) box.current.scrollTop = top + ROW - box.current.clientHeight;
    };
    const isEmpty = rows.length === 0 && forest.nodes.get("none").next === null;
    return html`<p class="count">${forest.total === undefined ? "…" : `${count(forest.total)} entities`}</p><${Failure}
        error=${forest.error} />
        ${isEmpty ? html`<${Empty}>No entity is alive.</${Empty}>` : null}
        <div class="virtual tree" ref=${box} role="tree" tabindex="0" aria-label="Tree of entities" onKeyDown=${keys}
            aria-activedescendant=${rows[active]?.kind === "node" ? `node-${active}` : null}>
            <div style=${{ height: `${first * ROW}px` }} />
            ${shown.map(
                (row, at) => html`<${TreeRow} key=${row.kind === "node" ? row.entity.entity : `${row.kind} ${row.parent}`}
                ...${{ row, chosen, onToggle: toggle, active: first + at === active, id: `node-${first + at}` }} />`,
            )}
            <div style=${{ height: `${Math.max(0, rows.length - last) * ROW}px` }} />
        </div>`;
}
