// SPDX-License-Identifier: MIT
// The tab Workload: the graph of systems, each edge with its reason, the critical path, and the plan as it would be without one access.
import dagre from "@dagrejs/dagre";
import { useMemo, useState } from "preact/hooks";
import { withParameters } from "./api.js";
import { milliseconds, plural, signed } from "./format.js";
import { Answer, Empty, Failure, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { go, here, link } from "./route.js";
import { useStore } from "./store.js";

const NODE = { height: 38, least: 96, letter: 7.4, noteLetter: 6.8 };
const LONGEST_TIME = "999.999 ms"; // times change, and boxes stay

// The commands of a system are a node of their own, which has the name of the system.
const nameOf = (node) => (node.kind === "commands" ? `commands of ${node.name}` : node.name);

// The words beside the time of a node.
function addition(node) {
    if (node.kind === "commands") return " · commands";
    return node.main_thread ? " · main" : "";
}

const isNarrow = () => innerWidth < 700;

function widthOf(node) {
    const note = LONGEST_TIME.length + addition(node).length;
    return Math.max(NODE.least, node.name.length * NODE.letter + 20, note * NODE.noteLetter + 16);
}

// The places of nodes and edges depend on the plan, not on its times: they stay while those change.
function useLayout(plan) {
    const key = JSON.stringify([
        plan.nodes.map((node) => [node.index, node.name, addition(node)]),
        plan.edges.map((edge) => [edge.from, edge.to]),
    ]);
    return useMemo(() => {
        const graph = new dagre.graphlib.Graph();
        graph.setGraph({ rankdir: isNarrow() ? "TB" : "LR", nodesep: 14, ranksep: 46, marginx: 8, marginy: 8 });
        graph.setDefaultEdgeLabel(() => ({}));
        for (const node of plan.nodes) graph.setNode(String(node.index), { width: widthOf(node), height: NODE.height });
        for (const edge of plan.edges) graph.setEdge(String(edge.from), String(edge.to));
        dagre.layout(graph);
        return graph;
    }, [key]);
}

// Nodes are in an order in which they may run, so the critical path is ascending.
const criticalNodes = (plan) => [...(plan.critical?.nodes ?? [])].sort((a, b) => a - b);

function criticalEdges(plan) {
    const nodes = criticalNodes(plan);
    return new Set(nodes.slice(1).map((node, at) => `${nodes[at]} ${node}`));
}

// The time of the longest chain of edges. Both plans are asked with the times of one of them, so that only the edges differ.
function longest(nodes, edges) {
    const ends = new Map();
    for (const node of [...nodes].sort((a, b) => a.index - b.index)) {
        const begin = Math.max(0, ...edges.filter((edge) => edge.to === node.index).map((edge) => ends.get(edge.from) ?? 0));
        ends.set(node.index, begin + (node.nanoseconds ?? 0));
    }
    return Math.max(0, ...ends.values());
}

const pathOf = (points) => points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// Several storages may be the reason of one arrow.
function arrows(edges) {
    const all = new Map();
    for (const edge of edges) {
        const key = `${edge.from} ${edge.to}`;
        all.set(key, [...(all.get(key) ?? []), edge]);
    }
    return [...all.entries()];
}

function Node({ node, place, isCritical, isNear }) {
    const open = () =>
        node.position !== null && node.position !== undefined && node.kind === "system" && go(link(["system", String(node.position)]));
    const note =
        node.nanoseconds === null || node.nanoseconds === undefined
            ? node.kind
            : `${milliseconds(node.nanoseconds)} ms${addition(node)}`;
    return html`<g class=${`node-box ${node.kind}${isCritical ? " critical" : ""}${isNear ? " near" : ""}`}
        transform=${`translate(${place.x - place.width / 2} ${place.y - place.height / 2})`} onClick=${open}>
        <rect width=${place.width} height=${place.height} rx="4" />
        <text x=${place.width / 2} y="16" text-anchor="middle">${node.name}</text>
        <text x=${place.width / 2} y="31" text-anchor="middle" class="note">${note}</text></g>`;
}

function Arrow({ name, edges, points, isCritical, isChosen, choose }) {
    const text = edges.map((edge) => edge.text).join("; ");
    const pick = () => choose({ name, text, from: edges[0].from, to: edges[0].to });
    return html`<g class=${`arrow-line${isCritical ? " critical" : ""}${isChosen ? " near" : ""}`} tabindex="0" role="img"
        aria-label=${text}
        onMouseEnter=${pick} onFocus=${pick}><path d=${pathOf(points)} class="reach" /><path d=${pathOf(points)} class="line"
        marker-end=${`url(#${isChosen ? "tip-near" : isCritical ? "tip-critical" : "tip"})`} /></g>`;
}

const Tip = ({
    id,
}) => html`<marker id=${id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">
    <path d="M0 0L8 4L0 8z" /></marker>`;

function Graph({ plan }) {
    const layout = useLayout(plan);
    const [chosen, choose] = useState(null);
    const { width = 100, height = 60 } = layout.graph();
    const critical = criticalEdges(plan);
    const onPath = new Set(plan.critical?.nodes ?? []);
    return html`<div class="graph scroll" tabindex="0" role="region" aria-label="Graph of systems"><svg width=${width} height=${height}
        role="group"
            aria-label=${`${plural(plan.nodes.length, "node")}, ${plural(plan.edges.length, "edge")}`}>
        <defs><${Tip} id="tip" /><${Tip} id="tip-critical" /><${Tip} id="tip-near" /></defs>
        ${arrows(plan.edges).map(
            ([name, edges]) => html`<${Arrow} key=${name} ...${{ name, edges, choose }} isChosen=${chosen?.name === name}
            isCritical=${critical.has(name)} points=${layout.edge(String(edges[0].from), String(edges[0].to)).points} />`,
        )}
        ${plan.nodes.map(
            (
                node,
            ) => html`<${Node} key=${node.index} node=${node} place=${layout.node(String(node.index))} isCritical=${onPath.has(node.index)}
            isNear=${chosen && (chosen.from === node.index || chosen.to === node.index)} />`,
        )}
        </svg></div><p class="said">${chosen ? chosen.text : html`<span
            class="dim">Point at an arrow to see why it is there. Thick: the critical path.</span>`}</p>`;
}

function wideColumns(names, isCritical) {
    return [
        { key: "from", head: "First", value: (row) => names.get(row.from), cell: (row) => names.get(row.from) },
        { key: "to", head: "Then", value: (row) => names.get(row.to), cell: (row) => names.get(row.to) },
        { key: "storage", head: "Storage", value: (row) => row.storage, cell: (row) => row.storage ?? "" },
        {
            key: "critical",
            head: "Critical path",
            value: (row) => (isCritical(row) ? 0 : 1),
            cell: (row) => (isCritical(row) ? "yes" : ""),
        },
        { key: "why", head: "Why they do not run at once", className: "text", cell: (row) => row.text },
    ];
}

// On a narrow screen the reason, which is what one looks for, stands below the names; it tells of the storage.
function narrowColumns(names, isCritical) {
    const cell = (row) => html`${names.get(row.from)} → ${names.get(row.to)}${isCritical(row) ? html` <small>critical path</small>` : null}
        <small class="why">${row.text}</small>`;
    return [
        { key: "edge", head: "Why they do not run at once", className: "text", value: (row) => names.get(row.from), cell },
    ];
}

function Edges({ plan }) {
    const names = new Map(plan.nodes.map((node) => [node.index, nameOf(node)]));
    const critical = criticalEdges(plan);
    const isCritical = (row) => critical.has(`${row.from} ${row.to}`);
    const columns = isNarrow() ? narrowColumns(names, isCritical) : wideColumns(names, isCritical);
    return html`<section><h2>Edges <small>only direct ones</small></h2><${Table} label="Edges" columns=${columns} rows=${plan.edges}
        keyOf=${(row) => `${row.from} ${row.to} ${row.storage} ${row.text}`} empty="No edge: all systems may run at once." /></section>`;
}

// "What if move did not use Position": the plan without one access, and what it would bring.
function WhatIf({ systems, without, base, plan }) {
    const [position, storage] = without ? [without.slice(0, without.indexOf(":")), without.slice(without.indexOf(":") + 1)] : ["", ""];
    const [chosen, setChosen] = useState(position);
    const system = systems.find((one) => String(one.position) === chosen);
    const storages = [...new Set((system?.touches ?? []).map((touch) => touch.storage))];
    const now = base && without ? longest(plan.nodes, base.edges) : 0;
    const then = longest(plan.nodes, plan.edges);
    return html`<p class="what-if">What if
        <select aria-label="System" value=${chosen} onChange=${(event) => setChosen(event.target.value)}><option value=""
            selected=${chosen === ""}>a system</option>
            ${systems.map((one) => html`<option key=${one.position} value=${String(one.position)}
                selected=${String(one.position) === chosen}>${one.name}</option>`)}</select>
        did not use
        <select aria-label="Storage" disabled=${!system} value=${storage} onChange=${(event) =>
            go(here({ without: event.target.value ? `${chosen}:${event.target.value}` : null }))}><option value="">anything</option>
            ${storages.map((one) => html`<option key=${one} selected=${one === storage}>${one}</option>`)}</select>?
        ${without ? html`<a href=${here({ without: null })}>as it is</a>` : null}</p>
        ${
            without && base
                ? html`<p class="banner then">Without that: ${plural(plan.edges.length,
                    "edge")} (${signed(plan.edges.length - base.edges.length)}), ${" "}
            ${plural(plan.batches, "batch",
                "batches")} (${signed(plan.batches - base.batches)}), critical path ${milliseconds(then)} ms ${" "}
            (${now > then ? `${milliseconds(now - then)} ms shorter` : "not shorter"}).</p>`
                : null
        }`;
}

function Critical({ plan }) {
    const nodes = criticalNodes(plan);
    const byIndex = new Map(plan.nodes.map((node) => [node.index, node]));
    const all = plan.nodes.reduce((sum, node) => sum + (node.nanoseconds ?? 0), 0);
    return html`<p>Critical path ${milliseconds(plan.critical?.nanoseconds)} ms of ${milliseconds(all)} ms: ${nodes.map((index, at) => {
        const node = byIndex.get(index);
        return html`${at > 0 ? " → " : ""}${node?.kind === "system" ? html`<${SystemLink} position=${node.position} name=${node.name} />`
            : node && nameOf(node)}`;
    })}. <span class="dim">${plural(plan.batches, "batch", "batches")}.</span></p>`;
}

export function Workload() {
    const parts = useStore((all) => all.route.parts);
    const without = useStore((all) => all.route.parameters.without ?? null);
    const path = parts[1] ? `workload/${encodeURIComponent(parts[1])}` : "workload";
    const answer = usePoll(withParameters(path, { without }), 1000);
    const base = usePoll(without && path, 2000);
    const systems = usePoll("systems", 0);
    const name = answer.data?.name ?? parts[1];
    if (answer.error && !answer.data) return html`<h2>Workload</h2><${Failure} error=${answer.error} />`;
    return html`<h2>Workload ${name}</h2>
        <${Answer} of=${answer}>${(plan) =>
            plan.nodes.length === 0
                ? html`<${Empty}>No workload: pass <code>.workload</code> to <code>keel_inspect_begin</code>.</${Empty}>`
                : html`<${Critical} plan=${plan} /><${WhatIf} key=${`${name} ${without}`}
                    systems=${(systems.data?.systems ?? []).filter((one) => one.workload === name)} without=${without}
                base=${base.data} plan=${plan} /><${Graph} plan=${plan} /><${Edges} plan=${plan} />`}</${Answer}>`;
}
