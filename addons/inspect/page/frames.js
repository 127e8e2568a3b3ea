// SPDX-License-Identifier: MIT
// The tab Frames: a strip of frame times, the lanes of the workers in the frame that is chosen, and a table by system.
import { useEffect, useMemo, useState } from "preact/hooks";
import { withParameters } from "./api.js";
import { Chart } from "./chart.js";
import { count, milliseconds, percent, plural } from "./format.js";
import { Lanes } from "./lanes.js";
import { Answer, Bar, Empty, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { go, link } from "./route.js";
import { addFrames, state, useStore } from "./store.js";

const SHOWN = 240; // frames in the strip

function Strip({ chosen }) {
    const frames = useStore((all) => all.frames);
    const [held, setHeld] = useState(null);
    useEffect(() => setHeld(chosen === null ? null : state.frames), [chosen === null]);
    const { numbers, nanoseconds } = held ?? frames;
    const data = useMemo(() => {
        const shown = numbers.slice(-SHOWN);
        const times = nanoseconds.slice(-SHOWN);
        return [shown, times, times.map((time, at) => (shown[at] === chosen ? time : null))];
    }, [numbers, nanoseconds, chosen]);
    const list = data[1];
    if (list.length === 0) return html`<${Empty}>No frame has been timed yet.</${Empty}>`;
    const mean = list.reduce((sum, time) => sum + time, 0) / list.length;
    const worst = list.reduce((best, time, at) => (time > list[best] ? at : best), 0);
    const text = `mean ${milliseconds(mean)} ms, worst ${milliseconds(list[worst])} ms in frame ${data[0][worst]}`;
    return html`<p>Mean <b>${milliseconds(mean)}</b> ms, worst <a href=${link(["frames", String(data[0][worst])])}><b>
        ${milliseconds(list[worst])}</b> ms
            in frame ${count(data[0][worst])}</a> of the last ${count(list.length)}.
            ${held ? html` <span class="warn">The strip stands still while a frame is chosen.</span>` : html` <span
                class="dim">Click a frame to see its systems.</span>`}</p>
        <${Chart} data=${data} labels=${["ms", "chosen"]} bars valueText=${(value) => milliseconds(value, 2)} xText=${count} height=${150}
            hidesLegend
            text=${`Times of frames: ${text}`} onPick=${(frame) => go(link(["frames", String(frame)]))} />`;
}

function SystemTimes({ systems, frame }) {
    const own = frame?.systems && new Map(frame.systems);
    const time = (row) => (own ? (own.get(row.position) ?? null) : row.nanoseconds);
    const total = systems.reduce((sum, row) => sum + (time(row) ?? 0), 0) || 1;
    const share = (row) => (time(row) ?? 0) / total;
    const each = (row) => (time(row) !== null && row.entities ? time(row) / row.entities : null);
    const columns = [
        { key: "name", head: "System", value: (row) => row.name, cell: (row) => html`<${SystemLink} ...${row} />` },
        { key: "time", head: "ms", number: true, value: time, cell: (row) => milliseconds(time(row)) },
        { key: "share", head: "Share", number: true, value: share, cell: (row) => percent(share(row)) },
        { key: "bar", head: "", cell: (row) => html`<${Bar} share=${share(row)} />` },
        { key: "worst", head: "Worst ms", number: true, value: (row) => row.worst, cell: (row) => milliseconds(row.worst) },
        { key: "entities", head: "Entities", number: true, value: (row) => row.entities, cell: (row) => count(row.entities) },
        { key: "each", head: "ns each", number: true, value: each, cell: (row) => each(row)?.toFixed(1) ?? "–" },
        { key: "commands", head: "Commands", number: true, value: (row) => row.commands, cell: (row) => count(row.commands) },
        {
            key: "applying",
            head: "Applying ms",
            number: true,
            title: "its commands",
            value: (row) => row.applying,
            cell: (row) => milliseconds(row.applying),
        },
        {
            key: "waited",
            head: "Waited ms",
            number: true,
            title: "until a worker took it",
            value: (row) => row.waited,
            cell: (row) => milliseconds(row.waited),
        },
        { key: "runs", head: "Runs", number: true, value: (row) => row.runs, cell: (row) => count(row.runs) },
    ];
    return html`<${Table} label="Times of systems" columns=${columns} rows=${systems}
        keyOf=${(row) => `${row.workload} ${row.position} ${row.name}`} order=${{ key: "time", isDown: true }}
        empty="No workload has been timed: pass .workload to keel_inspect_begin." />`;
}

function Chosen({ number }) {
    const path = number === null ? "frames" : withParameters("frames", { from: number, to: number, lanes: number });
    const answer = usePoll(path, number === null ? 1000 : 0);
    useEffect(() => {
        if (number === null && answer.data) addFrames(answer.data.frames.map((frame) => [frame.frame, frame.end - frame.begin]));
    }, [answer.data]);
    return html`<${Answer} of=${answer}>${(data) => {
        const frame = number === null ? null : data.frames.find((one) => one.frame === number);
        if (number !== null && !frame) return html`<${Empty}>The times of frame ${count(number)} are no longer kept.</${Empty}>`;
        return html`${
            frame
                ? html`<h2>Frame ${count(number)} <small>${milliseconds(frame.end - frame.begin)} ms</small>
            <span class="actions"><a href=${link(["frames", String(number - 1)])}>← before</a><a href=${link(["frames",
                String(number + 1)])}>after →</a>
            <a href=${link(["frames"])}>all frames</a></span></h2>
            <${Lanes} lanes=${data.lanes ?? []} length=${frame.end - frame.begin} systems=${data.systems} />`
                : html`<h2>Systems <small>mean of the last frames</small></h2>`
        }
            <${SystemTimes} systems=${data.systems} frame=${frame} />
            ${data.missed > 0 ? html`<p class="warn">${plural(data.missed, "time")} did not fit into the memory of timings.</p>` : null}`;
    }}</${Answer}>`;
}

export function Frames() {
    const part = useStore((all) => all.route.parts[1]);
    const number = /^\d+$/.test(part ?? "") ? Number(part) : null;
    return html`<section><h2>Frames</h2><${Strip} chosen=${number} /></section><section><${Chosen} number=${number} /></section>`;
}
