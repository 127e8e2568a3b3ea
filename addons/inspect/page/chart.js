// SPDX-License-Identifier: MIT
// Lines and bars over time: uPlot inside of a component. The colours come from the style sheet, so they follow dark and light.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { html } from "./parts.js";

export const LINES = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axis(values) {
    return {
        space: values.space,
        stroke: () => colour("--dim"),
        font: "11px system-ui, sans-serif",
        size: values.size ?? 56,
        values: values.values,
        grid: { stroke: () => colour("--rule"), width: 1 },
        ticks: { stroke: () => colour("--rule"), width: 1, size: 4 },
    };
}

// Without a pointer over the chart, the legend has the last value.
function lastOr(list, value, text) {
    const shown = value ?? list[list.length - 1];
    return shown === null || shown === undefined ? "–" : text(shown);
}

function options({ labels, height, width, isTime, bars, valueText, xText, onPick, hidesLegend }) {
    const x = { label: isTime ? "time" : "frame" };
    const ticks = isTime ? (value) => new Date(value * 1000).toLocaleTimeString("en-GB") : xText;
    if (isTime) x.value = (plot, value) => lastOr(plot.data[0], value, ticks);
    if (xText) x.value = (plot, value) => lastOr(plot.data[0], value, xText);
    return {
        width,
        height,
        cursor: { points: { size: 5 }, drag: { x: false, y: false } },
        legend: { show: !hidesLegend, live: true },
        scales: { x: { time: isTime }, y: { range: (_, low, high) => [bars ? 0 : Math.min(low, 0), high > 0 ? high * 1.05 : 1] } },
        axes: [
            axis({ size: 28, space: 80, values: (_, list) => list.map((value) => (Number.isInteger(value) ? ticks(value) : "")) }),
            axis({ space: 30, values: (_, list) => list.map(valueText) }),
        ],
        series: [
            x,
            ...labels.map((label, at) => ({
                label,
                stroke: () => colour(LINES[at]),
                width: 1.5,
                points: { show: false },
                value: (plot, value, series) => lastOr(plot.data[series], value, valueText),
                ...(bars ? { paths: uPlot.paths.bars({ size: [0.9, 12], gap: 0 }), fill: () => colour(LINES[at]), width: 0 } : {}),
            })),
        ],
        hooks: {
            ready: [
                (plot) =>
                    plot.over.addEventListener("click", () => {
                        if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) onPick?.current?.(plot.data[0][plot.cursor.idx]);
                    }),
            ],
        },
    };
}

/** Draws series over x. `labels` names them, `text` says the same in words. `onPick` gets the x that is clicked. */
export function Chart({ data, labels, height = 160, isTime = false, bars = false, valueText, xText, onPick, text, hidesLegend = false }) {
    const box = useRef(null);
    const plot = useRef(null);
    const pick = useRef(onPick);
    pick.current = onPick;
    const key = labels.join("\n");
    useEffect(() => {
        const element = box.current;
        const width = () => Math.max(120, element.clientWidth);
        const settings = { labels, height, width: width(), isTime, bars, valueText, xText, onPick: pick, hidesLegend };
        plot.current = new uPlot(options(settings), data, element);
        const observer = new ResizeObserver(() => plot.current.setSize({ width: width(), height }));
        observer.observe(element);
        const theme = matchMedia("(prefers-color-scheme: dark)");
        const redraw = () => plot.current.redraw();
        theme.addEventListener("change", redraw);
        return () => {
            theme.removeEventListener("change", redraw);
            observer.disconnect();
            plot.current.destroy();
        };
    }, [key, height]);
    useEffect(() => plot.current.setData(data), [data]);
    return html`<div class=${onPick ? "chart picks" : "chart"} ref=${box} role="img" aria-label=${text} />`;
}
