// SPDX-License-Identifier: MIT
// The tab Systems: a table of all, and the page of one: its terms with the entities that are left after each, conditions, what it touches.
import { withParameters } from "./api.js";
import { queryName } from "./component.js";
import { count, milliseconds, percent, plural } from "./format.js";
import { Answer, Bar, ComponentLink, Empty, Entity, Failure, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { link } from "./route.js";
import { useStore } from "./store.js";

const VISITS = 20; // entities that are listed

const perEntity = (row) => (row.nanoseconds !== null && row.entities ? row.nanoseconds / row.entities : null);

function how(system) {
    const words = [];
    if (system.disabled) words.push("disabled");
    if (system.main_thread) words.push("main thread");
    if (system.parallel) words.push("parallel");
    return words.join(" · ");
}

function columnsOf(total) {
    const share = (row) => (row.nanoseconds ?? 0) / (total || 1);
    return [
        { key: "position", head: "#", number: true, value: (row) => row.position, cell: (row) => row.position + 1 },
        { key: "name", head: "System", value: (row) => row.name, cell: (row) => html`<${SystemLink} ...${row} />` },
        {
            key: "time",
            head: "ms",
            number: true,
            title: "mean of the last 60 frames",
            value: (row) => row.nanoseconds,
            cell: (row) => milliseconds(row.nanoseconds),
        },
        { key: "share", head: "Share", number: true, value: share, cell: (row) => percent(share(row)) },
        { key: "bar", head: "", cell: (row) => html`<${Bar} share=${share(row)} />` },
        { key: "entities", head: "Entities", number: true, value: (row) => row.entities, cell: (row) => count(row.entities) },
        {
            key: "each",
            head: "ns each",
            number: true,
            title: "nanoseconds an entity",
            value: perEntity,
            cell: (row) => perEntity(row)?.toFixed(1) ?? "–",
        },
        { key: "how", head: "Runs", value: how, cell: how, className: "dim" },
        {
            key: "file",
            head: "Source",
            value: (row) => row.file,
            cell: (row) => (row.file ? `${row.file}:${row.line}` : ""),
            className: "dim",
        },
    ];
}

export function Systems() {
    const answer = usePoll("systems", 1000);
    return html`<${Answer} of=${answer}>${({ workload, systems }) => {
        const total = systems.reduce((sum, system) => sum + (system.nanoseconds ?? 0), 0);
        return html`<h2>Systems <small>${workload ? `${plural(systems.length,
            "system")} of workload ${workload}, ${milliseconds(total)} ms a frame` : ""}</small></h2>
            <${Table} label="Systems" columns=${columnsOf(total)} rows=${systems} keyOf=${(row) => row.position}
                mark=${(row) => (row.disabled ? "no" : "")}
                order=${{ key: "position" }} empty="No workload: pass .workload to keel_inspect_begin." />`;
    }}</${Answer}>`;
}

// "nothing is left after term 3, without Frozen" is what somebody looks for who asks why a system does nothing.
function Left({ system }) {
    const left = system.left ?? [];
    const first = left.find((row) => row.left === 0);
    const isOnce = system.matches === null || system.matches === undefined;
    const isBetween = system.matches === 0 && system.entities > 0; // what it visits is gone again at the end of a frame
    const matching = isBetween
        ? `visited ${count(system.entities)} in the last frames, 0 match between frames`
        : isOnce ? "" : `of ${plural(system.all, "entity", "entities")}, ${count(system.matches)} match`;
    const columns = [
        { key: "term", head: "Term", number: true, cell: (row) => row.term + 1 },
        { key: "text", head: "Asks for", cell: (row) => html`<code>${row.text}</code>` },
        { key: "left", head: "Entities left", number: true, cell: (row) => count(row.left) },
        { key: "bar", head: "", cell: (row) => html`<${Bar} share=${system.all ? row.left / system.all : 0} />` },
        { key: "note", head: "", cell: (row) => (row === first ? html`<b class="warn">nothing is left</b>` : "") },
    ];
    return html`<section><h2>Terms <small>${matching}</small></h2>
        ${first ? html`<p class="warn" role="status">Nothing is left after term ${first.term + 1}, ${first.text}.</p>` : null}
        <${Table} label="Terms" columns=${columns} rows=${left} keyOf=${(row) => row.term} mark=${(row) => (row === first ? "bad" : "")}
            empty="It visits no entities by itself: it runs once." /></section>`;
}

function Conditions({ system }) {
    const says = {
        true: html`<b class="good">holds</b>`,
        false: html`<b class="warn">says no</b>`,
        null: html`<span class="dim">not asked now</span>`,
    };
    return html`<section><h2>Would it run now?</h2>
        <p>${
            system.disabled
                ? html`<b class="warn">No: it is disabled.</b>`
                : system.runs === false
                  ? html`<b class="warn">No: ${system.reason ?? "a condition says no"}.</b>`
                  : system.runs === null
                    ? "That depends on its conditions."
                    : html`<b class="good">Yes.</b>`
        }</p>
        ${system.waiting_events ? html`<p>${plural(system.waiting_events, "event")} wait${system.waiting_events === 1 ? "s" : ""} for
            it.</p>` : null}
        ${
            system.conditions.length === 0
                ? html`<p class="dim">It has no conditions.</p>`
                : html`<ul class="edges">${system.conditions.map((condition) => {
                      const { text, holds } = typeof condition === "string" ? { text: condition, holds: null } : condition;
                      return html`<li key=${text}><code>${text}</code> ${says[String(holds)]}</li>`;
                  })}</ul>`
        }</section>`;
}

function Touches({ system }) {
    const columns = [
        {
            key: "storage",
            head: "Storage",
            value: (row) => row.storage,
            cell: (row) => (row.kind === "component" ? html`<${ComponentLink} name=${row.storage} />` : row.storage),
        },
        {
            key: "access",
            head: "Access",
            value: (row) => row.access,
            cell: (row) => (row.access === "write" ? html`<b>write</b>` : row.access),
        },
        { key: "kind", head: "Kind", value: (row) => row.kind, cell: (row) => row.kind, className: "dim" },
    ];
    return html`<section><h2>Touches</h2><${Table} label="Touches" columns=${columns} rows=${system.touches}
        keyOf=${(row) => `${row.kind} ${row.storage} ${row.access}`}
        empty="It declares no access." /></section>`;
}

const WORDS = { read: "", write: "", with: "", has: "", optional: "?", without: "!" };

// The terms as a text of a query, as far as that has them; null if it has too few.
function queryOf(system) {
    const known = system.terms.filter((term) => term.kind in WORDS && term.components?.length === 1);
    const texts = known.map((term) => WORDS[term.kind] + queryName(term.components[0]));
    return texts.length ? { text: [...new Set(texts)].join(", "), isWhole: known.length === system.terms.length } : null;
}

// Entities that the system visits: those that a query of the same terms finds.
function Visits({ system }) {
    const query = queryOf(system);
    const answer = usePoll(query && system.matches !== 0 ? withParameters("query", { text: query.text, limit: VISITS }) : null, 0);
    if (!query) return null;
    const rows = answer.data?.rows ?? [];
    return html`<section><h2>Visits <small><a href=${link(["entities"], { q: query.text })}>${query.text}</a></small></h2>
        ${query.isWhole ? null : html`<p class="dim">A query does not have all of its terms, so it may visit fewer.</p>`}
        <${Failure} error=${answer.error} />
        ${
            rows.length === 0
                ? html`<${Empty}>No entity.</${Empty}>`
                : html`<ul class="edges">${rows.map((row) => html`<li key=${row.entity}><${Entity} of=${row} tab="systems" /></li>`)}</ul>`
        }</section>`;
}

function SystemPage({ system }) {
    const source = system.file ? ` · ${system.file}:${system.line}` : "";
    const entities = plural(system.entities ?? 0, "entity", "entities");
    return html`<h2>
            ${system.name} <small>system ${system.position + 1} of workload ${" "}<a href=${link(["workload", system.workload])}>
                ${system.workload}</a>${source}</small>
        </h2>
        <p>
            ${milliseconds(system.nanoseconds)} ms · ${entities} · ${perEntity(system)?.toFixed(1) ?? "–"} ns each <span class="dim">
                ${how(system)}</span>
        </p>
        <div class="columns even">
            <div><${Left} system=${system} /><${Conditions} system=${system} /></div>
            <div><${Touches} system=${system} /><${Visits} system=${system} /></div>
        </div>`;
}

export function System() {
    const position = useStore((all) => all.route.parts[1]);
    const answer = usePoll(`system/${encodeURIComponent(position)}`, 1000);
    return html`<${Answer} of=${answer}>${(system) => html`<${SystemPage} system=${system} />`}</${Answer}>`;
}
