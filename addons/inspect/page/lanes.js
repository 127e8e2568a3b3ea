// SPDX-License-Identifier: MIT
// The lanes of a frame: a row for each worker, a box for each time that a system ran there. The place of a
// system in the workload decides the colour of its boxes, so that neighbours differ; a pattern tells those of one colour apart. frames.js
// shows it.
import { useEffect, useRef, useState } from "preact/hooks";
import { count, milliseconds, plural } from "./format.js";
import { Empty, html, Table } from "./parts.js";
import { go, link } from "./route.js";

const HEIGHT = 26;
const COLOURS = 6;
const PATTERNS = ["", "stripes", "dots", "cross"];

const nameOf = (lane) => (lane.kind === "commands" ? `commands of ${lane.system}` : lane.system);

const look = (place) => ({ colour: (place % COLOURS) + 1, pattern: PATTERNS[Math.floor(place / COLOURS) % PATTERNS.length] });

const Patterns = () => html`<defs>
    <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6"
        class="ink" /></pattern>
    <pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1.2" class="ink" /></pattern>
    <pattern id="cross" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 0L6 6M6 0L0 6" class="line-ink" /></pattern></defs>`;

function Box({ lane, row, scale, say, place }) {
    const { colour, pattern } = look(place);
    const x = lane.begin * scale;
    const width = Math.max(1, (lane.end - lane.begin) * scale);
    const open = () => lane.position !== null && go(link(["system", String(lane.position)]));
    const tell = () =>
        say(
            `${nameOf(lane)}: ${milliseconds(lane.end - lane.begin)} ms on worker ${lane.worker}, from ${milliseconds(lane.begin)} ms, ` +
                `${plural(lane.entities, "entity", "entities")}`,
        );
    return html`<g class="box" onMouseEnter=${tell} onClick=${open}>
        <rect x=${x} y=${row * HEIGHT + 3} width=${width} height=${HEIGHT - 6} class=${lane.kind === "commands"
            ? `fill-${colour} commands` : `fill-${colour}`} />
        ${pattern ? html`<rect x=${x} y=${row * HEIGHT + 3} width=${width} height=${HEIGHT - 6} fill=${`url(#${pattern})`} />` : null}
        ${width > nameOf(lane).length * 7 + 6 ? html`<text x=${x + 4} y=${row * HEIGHT + 17}>${nameOf(lane)}</text>` : null}</g>`;
}

// The width of a box on the page, as it is now.
function useWidth() {
    const box = useRef(null);
    const [width, setWidth] = useState(600);
    useEffect(() => {
        const element = box.current;
        const observer = new ResizeObserver(() => setWidth(element.clientWidth));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    return [box, width];
}

function LaneTable({ lanes }) {
    const columns = [
        { key: "system", head: "System", value: (row) => row.system, cell: nameOf },
        { key: "worker", head: "Worker", number: true, value: (row) => row.worker, cell: (row) => row.worker },
        { key: "begin", head: "Begin ms", number: true, value: (row) => row.begin, cell: (row) => milliseconds(row.begin) },
        { key: "time", head: "ms", number: true, value: (row) => row.end - row.begin, cell: (row) => milliseconds(row.end - row.begin) },
        { key: "entities", head: "Entities", number: true, value: (row) => row.entities, cell: (row) => count(row.entities) },
    ];
    return html`<details><summary>Lanes as a table</summary><${Table} label="Lanes" columns=${columns} rows=${lanes}
        keyOf=${(row) => `${row.worker} ${row.begin} ${row.position}`} order=${{ key: "begin" }} /></details>`;
}

export function Lanes({ lanes, length, systems }) {
    const [box, width] = useWidth();
    const [said, say] = useState("");
    const workers = [...new Set(lanes.map((lane) => lane.worker))].sort((a, b) => a - b);
    const names = [...systems].sort((a, b) => (a.position ?? 0) - (b.position ?? 0)).map((system) => system.name);
    const places = new Map([...new Set(names)].map((name, at) => [name, at]));
    const end = Math.max(length, ...lanes.map((lane) => lane.end), 1);
    const scale = (width - 70) / end;
    const height = workers.length * HEIGHT + 20;
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * end);
    return html`<div class="lanes" ref=${box}>${
        lanes.length === 0
            ? html`<${Empty}>The lanes of this frame are not known.</${Empty}>`
            : html`<svg width=${width} height=${height} aria-hidden="true"><${Patterns} />
            ${workers.map((worker, row) => html`<text key=${worker} x="0" y=${row * HEIGHT + 17} class="name">worker ${worker}</text>`)}
            <g transform="translate(66 0)">
                ${ticks.map(
                    (tick, at) => html`<g key=${at}><line x1=${tick * scale} x2=${tick * scale} y1="0" y2=${height - 16} class="tick" />
                    <text x=${tick * scale} y=${height - 4} text-anchor=${at === 0 ? "start" : at === 4 ? "end" : "middle"} class="name">
                        ${milliseconds(tick, 2)}</text></g>`,
                )}
                ${lanes.map((lane, at) => html`<${Box} key=${at} ...${{ lane, scale, say }} row=${workers.indexOf(lane.worker)}
                    place=${places.get(lane.system) ?? 0} />`)}
            </g></svg><p class="dim said">${said || "Point at a box to see its figures, click it for its system. Times in ms."}</p>
                <${LaneTable} lanes=${lanes} />`
    }</div>`;
}
