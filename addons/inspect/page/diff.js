// SPDX-License-Identifier: MIT
// The tab Diff: what is different between two frames that the past has. Rows come in pages, and no more than a few thousand are kept.
import { useEffect, useState } from "preact/hooks";
import { ask, withParameters } from "./api.js";
import { count, plural } from "./format.js";
import { Empty, Entity, Failure, html, ValueText } from "./parts.js";
import { go, here } from "./route.js";
import { useStore } from "./store.js";

const PAGE = 200;
const MOST = 2000; // entities on the page

function useDiff(from, to, limit) {
    const [diff, setDiff] = useState({ entities: [], uniques: [], isFinished: false, error: null });
    useEffect(() => {
        const control = new AbortController();
        const run = async () => {
            let entities = [];
            let after = null;
            let answer;
            let uniques = [];
            do {
                answer = await ask(withParameters("diff", { from, to, after, limit: PAGE }), { signal: control.signal });
                entities = entities.concat(answer.entities);
                if (answer.uniques?.length) uniques = answer.uniques;
                after = answer.next;
                setDiff({ entities, uniques, isFinished: answer.finished, isCut: !!after && entities.length >= limit, error: null });
            } while (after && entities.length < limit);
        };
        run().catch((error) => {
            if (!control.signal.aborted) setDiff((old) => ({ ...old, isFinished: true, error }));
        });
        return () => control.abort();
    }, [from, to, limit]);
    return diff;
}

const Change = ({ path, before, after, from, to }) =>
    html`<li><span class="dim">${path}</span> <code><${ValueText} text=${before} frame=${from} /></code>${" → "}<code><${ValueText}
        text=${after} frame=${to} /></code></li>`;

// The entity opens at the later frame, or at the earlier one if it is gone then. A frame that is null is now.
function Row({ row, from, to }) {
    const { added = [], removed = [] } = row.components ?? {};
    const isBare = row.change === "changed" && added.length + removed.length + row.fields.length === 0;
    return html`<tr><th scope="row"><${Entity} of=${row}
        frame=${row.change === "removed" ? from : to} /></th><td class=${row.change}>${row.change}</td><td class="text"><ul
        class="differences">
        ${added.length ? html`<li><span class="good">+ ${added.join(", ")}</span></li>` : null}
        ${isBare ? html`<li class="dim">bytes that no field describes</li>` : null}
        ${removed.length ? html`<li><span class="warn">− ${removed.join(", ")}</span></li>` : null}
        ${row.fields.map((field) => html`<${Change} key=${field.path} ...${{ ...field, from, to }} />`)}</ul></td></tr>`;
}

function Result({ from, to }) {
    const diff = useDiff(from, to, MOST);
    if (!diff.error && diff.isFinished && diff.entities.length + diff.uniques.length === 0)
        return html`<${Empty}>Nothing is different.</${Empty}>`;
    return html`<${Failure} error=${diff.error} />
        ${diff.error?.code === "gone" ? html`<p class="dim">Pause the program: it keeps these frames then.</p>` : null}
        <p class="dim" role="status">${plural(diff.entities.length, "entity", "entities")} ${diff.isFinished ? "" : diff.isCut
        ? "shown; there are more" : "so far …"}</p>
        ${diff.uniques.length ? html`<section><h2>Uniques</h2><ul class="differences">${diff.uniques.map((field) => html`<${Change}
            key=${field.path} ...${{ ...field, from, to }} />`)}</ul></section>` : null}
        <section><h2>Entities</h2><div class="scroll"><table aria-label="Entities that are different"><thead><tr><th
            scope="col">Entity</th><th scope="col">Change</th>
            <th scope="col">Components and fields</th></tr></thead><tbody>${diff.entities.map((row) => html`<${Row} key=${row.entity}
                ...${{ row, from, to }} />`)}</tbody></table></div></section>`;
}

function Form({ past, from, to, onSubmit }) {
    const [first] = useState({ from: Math.max(past.oldest, past.newest - 60), to: past.newest }); // the past moves, the fields do not
    const submit = (event) => {
        event.preventDefault();
        const data = new FormData(event.target);
        go(here({ from: data.get("from"), to: data.get("to") }));
        onSubmit();
    };
    const field = (name, value, more) => html`<label>${name} <input type="number" name=${name} key=${value} defaultValue=${value}
        min=${past.oldest} ...${more} /></label>`;
    return html`<form class="frames-form" onSubmit=${submit}>${field("from", from ?? first.from, { required: true })}
        ${field("to", from === null ? first.to : to, { placeholder: "now" })}
        <button type="submit">Compare</button> <span class="dim">Begins of frames; kept: ${count(past.oldest)} to ${count(past.newest)}.
            An empty "to" is now.</span></form>`;
}

export function Diff() {
    const past = useStore((all) => all.live?.past ?? all.world.past);
    const parameters = useStore((all) => all.route.parameters);
    const [turn, setTurn] = useState(0); // the same frames are compared again: now is another now
    const number = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : null);
    const from = number(parameters.from);
    const to = number(parameters.to);
    if (!past?.capacity)
        return html`<h2>Diff</h2>
            <${Empty}>The past is off: pass <code>.past = 300</code> to <code>keel_inspect_begin</code> to compare frames.</${Empty}>`;
    return html`<h2>Diff of two frames</h2><${Form} ...${{ past, from, to }} onSubmit=${() => setTurn(turn + 1)} />${
        from !== null
            ? html`<${Result} key=${`${from} ${to} ${turn}`} ...${{ from, to }} />`
            : html`<${Empty}>Choose two frames: all that is different between them is listed.</${Empty}>`
    }`;
}
