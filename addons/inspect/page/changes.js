// SPDX-License-Identifier: MIT
// The changes of a field: the frames in which it changed, who writes it, and the next frame watched system by system. entity.js shows it.
import { useEffect, useState } from "preact/hooks";
import { withParameters } from "./api.js";
import { useEdit } from "./edit.js";
import { count, plural } from "./format.js";
import { Answer, Empty, Failure, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { go, here } from "./route.js";
import { useStore } from "./store.js";

function pathsOf(entity) {
    return entity.components.flatMap((component) =>
        (component.fields ?? []).filter((leaf) => leaf.more === undefined).map((leaf) => `${component.name}.${leaf.path}`),
    );
}

function Frames({ changes }) {
    const columns = [
        {
            key: "frame",
            head: "Frame",
            number: true,
            value: (row) => row.frame,
            cell: (row) => html`<a href=${here({ frame: row.frame })} title="Look at this frame">${count(row.frame)}</a>`,
        },
        { key: "before", head: "Before", className: "value", cell: (row) => row.before },
        { key: "after", head: "After", className: "value", cell: (row) => row.after },
        {
            key: "system",
            head: "By",
            cell: (row) =>
                row.system ??
                html`<span class="dim">${
                    changes.writers.length === 1 ? `${changes.writers[0].system}, the only writer` : "not known"
                }</span>`,
        },
    ];
    return html`<${Table} label="Changes" columns=${columns} rows=${changes.frames} keyOf=${(row) => row.frame} order=${{ key: "frame",
        isDown: true }}
        empty=${changes.missing ?? `It did not change from frame ${count(changes.from)} to ${count(changes.to)}.`} />`;
}

function Last({ last }) {
    if (!last) return null;
    const frame = last.frame === null ? "" : ` in frame ${count(last.frame)}`;
    return html`<p>Last${frame}: ${last.text}${last.system ? ` (${last.system})` : ""}.</p>`;
}

function Writers({ changes }) {
    if (changes.writers.length === 0) return html`<p>No system of the workload declares to write it: it is changed outside of systems.</p>`;
    const names = changes.writers.map((writer, at) => {
        const access = writer.access === "write" ? "" : ` (${writer.access})`;
        return html`${at > 0 ? ", " : ""}<${SystemLink} position=${writer.position} name=${writer.system} />${access}`;
    });
    return html`<p>Written by ${names}.</p><${Last} last=${changes.last} />`;
}

function Track({ component }) {
    const { error, run } = useEdit();
    const [isDone, setDone] = useState(false);
    const track = async () => setDone(!!(await run("track", { component })));
    return html`<p class="dim">${component} is not tracked, so only frames are known, not systems.
        ${isDone ? " It is tracked from now on." : html` <button type="button" onClick=${track}>Track ${component}</button>`}</p>
            <${Failure} error=${error} />`;
}

function Steps({ watched }) {
    const columns = [
        {
            key: "system",
            head: "After",
            cell: (row) =>
                row.kind === "commands" ? `commands of ${row.system}` : html`<${SystemLink} position=${row.position} name=${row.system} />`,
        },
        { key: "before", head: "Before", className: "value", cell: (row) => row.before },
        {
            key: "after",
            head: "After it",
            className: "value",
            cell: (row) => (row.after === row.before ? html`<span class="dim">the same</span>` : row.after),
        },
    ];
    const changed = watched.steps.filter((row) => row.before !== row.after).length;
    return html`<h3>Frame ${count(watched.frame)}: ${plural(changed, "system")} changed it</h3><${Table} label="Watched frame"
        columns=${columns}
        rows=${watched.steps} keyOf=${(row) => `${row.kind} ${row.position}`} mark=${(row) => (row.after === row.before ? "no" : "")}
            empty="Nothing ran." />`;
}

function Watch({ entity, path }) {
    const { error, run } = useEdit();
    const [watched, setWatched] = useState(null);
    const [isBusy, setBusy] = useState(false);
    useEffect(() => setWatched(null), [entity, path]);
    const watch = async () => {
        setBusy(true);
        setWatched((await run("watch", { entity, path })) ?? watched);
        setBusy(false);
    };
    return html`<p><button type="button" disabled=${isBusy} onClick=${watch}>Watch the next frame</button>
        <span class="dim"> runs it one system after the other and looks after each</span></p><${Failure} error=${error} />
        ${watched ? html`<${Steps} watched=${watched} />` : null}`;
}

export function Changes({ entity, mayEdit, frame }) {
    const paths = pathsOf(entity);
    const asked = useStore((all) => all.route.parameters.path);
    const path = paths.includes(asked) ? asked : paths[0];
    const answer = usePoll(path ? withParameters("changes", { entity: entity.entity, path }) : null, frame === null ? 1000 : 0);
    if (!path) return html`<${Empty}>This entity has no described field.</${Empty}>`;
    return html`<label class="field">Field <select value=${path} onChange=${(event) => go(here({ path: event.target.value }), true)}>
            ${paths.map((one) => html`<option key=${one} selected=${one === path}>${one}</option>`)}</select></label>
        <${Answer} of=${answer}>${(changes) => html`<${Writers} changes=${changes} />
            ${!changes.tracked && mayEdit ? html`<${Track} key=${path} component=${path.split(".")[0]} />` : null}
            <${Frames} changes=${changes} />`}</${Answer}>
        ${mayEdit ? html`<${Watch} entity=${entity.entity} path=${path} />` : null}`;
}
