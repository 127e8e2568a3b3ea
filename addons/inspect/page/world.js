// SPDX-License-Identifier: MIT
// The tab World: components with counts and bytes, what grows, uniques with their values, events that wait, and memory.
import { useEffect, useMemo } from "preact/hooks";
import { send, withParameters } from "./api.js";
import { Chart } from "./chart.js";
import { NeedsProgram } from "./edit.js";
import { Fields } from "./fields.js";
import { bytes, count, milliseconds, plural, signed } from "./format.js";
import { Answer, Bar, ComponentLink, Empty, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { say, useStore } from "./store.js";

const GROWERS = 6;

// What a list has gained from its first number to its last.
export function growth(list) {
    const numbers = (list ?? []).filter((value) => value !== null);
    return numbers.length < 2 ? 0 : numbers[numbers.length - 1] - numbers[0];
}

// A list as what its numbers are above the first.
function sinceFirst(list) {
    const first = list.find((value) => value !== null);
    return list.map((value) => (value === null ? null : value - first));
}

// A line as small as a word.
export function Spark({ list }) {
    const numbers = (list ?? []).filter((value) => value !== null);
    if (numbers.length < 2) return null;
    const low = Math.min(...numbers);
    const span = Math.max(...numbers) - low || 1;
    const points = numbers.map(
        (value, at) => `${((at / (numbers.length - 1)) * 58 + 1).toFixed(1)},${(13 - ((value - low) / span) * 11).toFixed(1)}`,
    );
    return html`<svg class="spark" viewBox="0 0 60 15" width="60" height="15" aria-hidden="true"><polyline points=${points.join(" ")} />
        </svg>`;
}

function notes(component) {
    const words = [component.storage];
    if (component.relation) words.push(component.exclusive ? "exclusive relation" : "relation");
    else if (component.tag) words.push("tag");
    if (component.tracking?.length) words.push("tracked");
    const title = component.tracking?.length ? `tracks ${component.tracking.join(", ")}` : null;
    return html`<span title=${title}>${words.join(" · ")}</span>`;
}

function Components({ world }) {
    const counts = useStore((all) => all.counts);
    const isPast = useStore((all) => all.route.frame !== null);
    const rows = world.components.map((component) => ({ ...component, ...(isPast ? null : counts.last?.get(component.name)) }));
    const most = Math.max(1, ...rows.map((row) => row.bytes));
    const columns = [
        { key: "name", head: "Component", value: (row) => row.name, cell: (row) => html`<${ComponentLink} name=${row.name} />` },
        { key: "count", head: "Entities", number: true, value: (row) => row.count, cell: (row) => count(row.count) },
        {
            key: "growth",
            head: "Growth",
            number: true,
            title: "since the page was opened, at most ten minutes",
            value: (row) => growth(counts.components.get(row.name)),
            cell: (row) => signed(growth(counts.components.get(row.name))),
        },
        { key: "line", head: "", cell: (row) => html`<${Spark} list=${counts.components.get(row.name)} />` },
        { key: "bytes", head: "Memory", number: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
        { key: "share", head: "", cell: (row) => html`<${Bar} share=${row.bytes / most} />` },
        { key: "size", head: "Size", number: true, title: "bytes of a value", value: (row) => row.size, cell: (row) => count(row.size) },
        { key: "notes", head: "Storage", value: (row) => row.storage, cell: notes, className: "dim text" },
    ];
    return html`<section><h2>Components <small>${count(rows.length)}</small></h2>
        <${Table} label="Components" columns=${columns} rows=${rows} keyOf=${(row) => row.name} order=${{ key: "bytes", isDown: true }}
            empty="No component: the program has added none to an entity yet." /></section>`;
}

// The lists that have moved most, as lines.
function Growing() {
    const counts = useStore((all) => all.counts);
    const names = useMemo(
        () =>
            [...counts.components.entries()]
                .map(([name, list]) => [Math.abs(growth(list)), name])
                .filter(([moved]) => moved > 0)
                .sort(([a], [b]) => b - a)
                .slice(0, GROWERS)
                .map(([, name]) => name)
                .sort(),
        [counts],
    );
    const data = useMemo(() => [counts.times, ...names.map((name) => sinceFirst(counts.components.get(name)))], [counts]);
    return html`<section><h2>What grows <small>since the page was opened</small></h2>${
        names.length === 0
            ? html`<${Empty}>No count has changed since the page was opened. Lines appear here when one does.</${Empty}>`
            : html`<${Chart} data=${data} labels=${names} isTime valueText=${signed} height=${150}
            text=${names.map((name) => `${name}: ${signed(growth(counts.components.get(name)))}`).join("; ")} />`
    }</section>`;
}

function Systems({ names, systems }) {
    if (!names) return html`<span class="dim">–</span>`;
    if (names.length === 0) return html`<span class="warn">nobody</span>`;
    return names.map((name, at) => {
        const system = systems?.find((one) => one.name === name);
        return html`${at > 0 ? ", " : ""}${system ? html`<${SystemLink} position=${system.position} name=${name} />` : name}`;
    });
}

function Events({ world }) {
    const waiting = useStore((all) => all.counts.waiting);
    const lines = useStore((all) => all.counts);
    const { data } = usePoll(world.events.length > 0 ? "systems" : null, 0);
    const isPast = useStore((all) => all.route.frame !== null);
    const rows = world.events.map((event) => ({ ...event, waiting: isPast ? event.waiting : (waiting?.get(event.name) ?? event.waiting) }));
    const columns = [
        { key: "name", head: "Event", value: (row) => row.name, cell: (row) => row.name },
        { key: "waiting", head: "Waiting", number: true, value: (row) => row.waiting, cell: (row) => count(row.waiting) },
        { key: "limit", head: "Limit", number: true, cell: (row) => count(row.limit) },
        { key: "line", head: "", cell: (row) => html`<${Spark} list=${lines.events.get(row.name)} />` },
        { key: "senders", head: "Sent by", cell: (row) => html`<${Systems} names=${row.senders} systems=${data?.systems} />` },
        { key: "receivers", head: "Received by", cell: (row) => html`<${Systems} names=${row.receivers} systems=${data?.systems} />` },
    ];
    const isStuck = (row) => (row.waiting > 0 && row.receivers?.length === 0 ? "bad" : "");
    return html`<section><h2>Events</h2><${Table} label="Events" columns=${columns} rows=${rows} keyOf=${(row) => row.name} mark=${isStuck}
        order=${{ key: "waiting", isDown: true }} empty="No event: the program sends none." /></section>`;
}

function Uniques({ world }) {
    const isPast = useStore((all) => all.route.frame !== null);
    return html`<section><h2>Uniques</h2>${
        world.uniques.length === 0
            ? html`<${Empty}>No unique: the program has set none.</${Empty}>`
            : world.uniques.map(
                  (unique) => html`<article class="component" key=${unique.name}>
            <h3>${unique.name} ${unique.set ? null : html`<small>not set</small>`}</h3>
            ${unique.set ? html`<${Fields} entity=${null} component=${unique} isPast=${isPast} />` : null}</article>`,
              )
    }</section>`;
}

// Hands the world to the browser as a file, for a report of a bug.
async function save() {
    try {
        const answer = await send("save");
        const name = /filename="([^"]*)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "world.keel";
        const address = URL.createObjectURL(await answer.blob());
        Object.assign(document.createElement("a"), { href: address, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
    } catch (error) {
        say(error.message, true);
    }
}

const Save = () => html`<p><${NeedsProgram} onClick=${save}>Save the world as a file</${NeedsProgram}></p>`;

const PARTS = [
    ["components", "components"],
    ["entities", "entities"],
    ["uniques", "uniques"],
    ["commands", "commands"],
    ["other", "other"],
];

function Memory({ world }) {
    const live = useStore((all) => all.live);
    const past = live?.past ?? world.past;
    const cost = world.inspector?.past;
    return html`<section><h2>Memory <small>${bytes(world.bytes.total)}</small></h2><table aria-label="Memory"><tbody>
        ${PARTS.map(
            ([key, text]) => html`<tr key=${key}><th scope="row">${text}</th><td class="number">${bytes(world.bytes[key])}</td>
            <td><${Bar} share=${world.bytes[key] / (world.bytes.total || 1)} /></td></tr>`,
        )}
        <tr><th scope="row">the past</th><td class="number">${bytes(past?.bytes ?? 0)}</td>
            <td class="dim">${past?.capacity ? plural(past.frames ?? past.newest - past.oldest + 1, "frame") : "off"}
                ${cost ? ` · ${milliseconds(cost, 1)} ms a frame` : null}</td></tr></tbody>
                </table>
        <${Save} />
        ${world.dropped_commands > 0 ? html`<p class="warn">${plural(world.dropped_commands, "command")} dropped.</p>` : null}</section>`;
}

export function World() {
    const frame = useStore((all) => all.route.frame);
    const answer = usePoll(withParameters("world", { frame }), frame === null ? 1000 : 0);
    const first = useStore((all) => all.world);
    const pausedAt = useStore((all) => (all.live?.paused ? all.live.frame : null));
    useEffect(() => {
        if (pausedAt !== null && frame === null) answer.again(); // a step shows at once
    }, [pausedAt]);
    return html`<${Answer} of=${{ ...answer, data: answer.data ?? (frame === null ? first : null), isStale: answer.isStale
        && frame !== null }}>${(
        world,
    ) => html`<div class="columns">
        <div class="wide"><${Components} world=${world} /><${Events} world=${world} /></div>
        <div><${Growing} /><${Memory} world=${world} /><${Uniques} world=${world} /></div></div>`}</${Answer}>`;
}
