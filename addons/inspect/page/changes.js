// SPDX-License-Identifier: MIT
// The changes of a field: the frames in which it changed, who writes it, and the next frame watched system by system. entity.js shows it.
import { useEffect, useState } from "preact/hooks";
import { withParameters } from "./api.js";
import { NeedsProgram, useEdit } from "./edit.js";
import { count, plural } from "./format.js";
import { Answer, Empty, Failure, html, SystemLink, Table, ValueText } from "./parts.js";
import { frameAfter } from "./past.js";
import { usePoll } from "./poll.js";
import { go, here, link } from "./route.js";
import { useStore } from "./store.js";

const MOST = 200; // rows that the program lists

function fieldPaths(entity) {
    return entity.components.flatMap((component) =>
        (component.fields ?? []).filter((leaf) => leaf.more === undefined).map((leaf) => `${component.name}.${leaf.path}`),
    );
}

// The path of a relation is its name. A relation that the entity has no more may have ended a moment ago, so all are there.
function usePaths(entity) {
    const components = useStore((all) => all.world?.components ?? []);
    const own = entity.relations.map((relation) => relation.name);
    const others = components.filter((one) => one.relation && !own.includes(one.name)).map((one) => one.name);
    return [
        ["Fields", fieldPaths(entity)],
        ["Relations", own],
        ["Relations that it does not have now", others],
    ].filter(([, paths]) => paths.length > 0);
}

const isUnsure = (row) => row.by === "system" && row.certain === false;

// A relation is not watched, and has no value to track.
const isFieldPath = (path) => path.includes(".");

// Lists the systems that may have changed it in a frame. Of several writers of which none is certain, the one that visited it last comes first.
function By({ row, changes }) {
    const writers = changes.writers.map((writer) => writer.system);
    const names = [...new Set([row.system, ...writers])].filter(Boolean);
    if (row.by === "edit") return html`edited on the page`;
    if (isUnsure(row) && names.length > 1) return names.join(" or ");
    if (row.system) return row.system;
    if (changes.tracked || names.length === 0) return html`<span class="dim">outside of systems, or too long ago</span>`;
    return html`${names.join(" or ")} <span class="dim">not tracked</span>`;
}

// What one has to know to read the list.
function Notes({ changes }) {
    const hint = isFieldPath(changes.path) ? " Watch tells which of them changes it." : "";
    return html`${changes.frames.some(isUnsure) ? html`<p class="dim">Of several systems in a row, the first visited it last.${hint}</p>`
            : null}
        ${changes.frames.length >= MOST ? html`<p class="dim" role="status">The latest ${MOST} frames in which it changed; there may be
            earlier ones.</p>` : null}`;
}

function Frames({ entity, changes }) {
    const place = (frame) => link(["entity", entity, "values"], { frame });
    const columns = [
        {
            key: "frame",
            head: "Frame",
            number: true,
            value: (row) => row.frame,
            cell: (row) => html`<a href=${place(row.frame)} title="Look at the begin of this frame">${count(row.frame)}</a>`,
        },
        { key: "before", head: "Before", className: "value", cell: (row) => html`<${ValueText} text=${row.before} frame=${row.frame} />` },
        {
            key: "after",
            head: "After",
            className: "value",
            cell: (row) => html`<${ValueText} text=${row.after} frame=${frameAfter(row.frame)} />`,
        },
        { key: "by", head: "By", className: "text", cell: (row) => html`<${By} row=${row} changes=${changes} />` },
        {
            key: "look",
            head: "Look at",
            cell: (row) => html`<span class="beside"><a href=${place(row.frame)} title="The entity at the begin of this frame">begin</a>
                <a href=${place(frameAfter(row.frame))} title="The entity after this frame">end</a>
                <a href=${link(["frames", String(row.frame)], { frame: null })} title="The systems of this frame">systems</a></span>`,
        },
    ];
    const empty = `It is the same at the begins of frames ${count(changes.from)} to ${count(changes.to)}.`;
    const hint = isFieldPath(changes.path) ? " What changes within a frame shows only in Watch." : "";
    return html`<${Notes} changes=${changes} /><${Table} label="Changes" columns=${columns} rows=${changes.frames}
        keyOf=${(row) => row.frame} order=${{ key: "frame", isDown: true }} empty=${changes.missing ?? empty + hint} />`;
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
        ${isDone ? " It is tracked from now on." : html` <${NeedsProgram} onClick=${track}>Track ${component}</${NeedsProgram}>`}</p>
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
        { key: "before", head: "Before", className: "value", cell: (row) => html`<${ValueText} text=${row.before} />` },
        {
            key: "after",
            head: "After it",
            className: "value",
            cell: (row) => (row.after === row.before ? html`<span class="dim">the same</span>` : html`<${ValueText} text=${row.after} />`),
        },
    ];
    const changed = watched.steps.filter((row) => row.before !== row.after).length;
    return html`<h3><a href=${link(["frames", String(watched.frame)], { frame: null })}>Frame ${count(watched.frame)}</a>: ${plural(changed,
        "system")} changed it</h3><${Table} label="Watched frame"
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
    return html`<p><${NeedsProgram} disabled=${isBusy} onClick=${watch}>Watch the next frame</${NeedsProgram}>
        <span class="dim"> runs it one system after the other and looks after each</span></p><${Failure} error=${error} />
        ${watched ? html`<${Steps} watched=${watched} />` : null}`;
}

export function Changes({ entity, mayEdit, frame }) {
    const groups = usePaths(entity);
    const paths = groups.flatMap(([, list]) => list);
    const asked = useStore((all) => all.route.parameters.path);
    const path = paths.includes(asked) ? asked : paths[0];
    const answer = usePoll(path ? withParameters("changes", { entity: entity.entity, path }) : null, frame === null ? 1000 : 0);
    if (!path) return html`<${Empty}>This entity has no described field.</${Empty}>`;
    const isField = isFieldPath(path);
    return html`<label class="field">Field <select value=${path} onChange=${(event) => go(here({ path: event.target.value }), true)}>
            ${groups.map(([name, list]) => html`<optgroup key=${name} label=${name}>${list.map((one) => html`<option key=${one}
                selected=${one === path}>${one}</option>`)}</optgroup>`)}</select></label>
        ${mayEdit && isField ? html`<${Watch} entity=${entity.entity} path=${path} />` : null}
        <${Answer} of=${answer}>${(changes) => html`<${Writers} changes=${changes} />
            ${!changes.tracked && mayEdit && isField ? html`<${Track} key=${path} component=${path.split(".")[0]} />` : null}
            <${Frames} entity=${entity.entity} changes=${changes} />`}</${Answer}>`;
}
