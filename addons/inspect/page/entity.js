// SPDX-License-Identifier: MIT
// An entity: its values, the systems that match it and why others do not, what changed, and its relations. entities.js shows it.
import { useEffect, useState } from "preact/hooks";
import { withParameters } from "./api.js";
import { Changes } from "./changes.js";
import { ChooseEntity, NeedsProgram, useEdit } from "./edit.js";
import { Fields } from "./fields.js";
import { count } from "./format.js";
import { ComponentLink, Empty, Entity, Failure, html, ownNames, SystemLink, Table, Tabs } from "./parts.js";
import { usePoll } from "./poll.js";
import { go, link } from "./route.js";
import { isAway, useStore } from "./store.js";
import { follow } from "./stream.js";

const TABS = [
    ["values", "Values"],
    ["systems", "Systems"],
    ["changes", "Changes"],
    ["relations", "Relations"],
];

// The entity as the stream has it, over what was asked for once: systems are not in the stream.
function useEntity(handle, tab, frame) {
    const first = usePoll(withParameters(`entity/${handle}`, { frame }), frame === null && tab === "systems" ? 500 : 0);
    const live = useStore((all) => all.entity);
    useEffect(() => {
        follow(frame === null ? handle : null);
        return () => follow(null);
    }, [handle, frame]);
    const isGone = first.error?.code === "gone" || (frame === null && live?.gone === true);
    const isLive = frame === null && live?.entity === handle && !first.isStale;
    return { ...first, isGone, data: isLive ? { ...first.data, ...live } : first.data };
}

function Actions({ entity, name, disabled, run }) {
    return html`<span class="actions">
        <${NeedsProgram} onClick=${() => run("disable", { entity, component: name, disabled: !disabled })}>${disabled ? "Enable"
            : "Disable"}</${NeedsProgram}>
        <${NeedsProgram} onClick=${() => run("remove", { entity, component: name })} aria-label=${`Remove ${name}`}>Remove</${NeedsProgram}>
            </span>`;
}

function changedText(changed) {
    if (!changed) return null;
    const by = changed.system ? ` by ${changed.system}` : "";
    return changed.frame === null || changed.frame === undefined ? null : `written in frame ${count(changed.frame)}${by}`;
}

function Values({ entity, frame, mayEdit, run }) {
    const components = entity.components.filter((component) => ownNames([component.name]).length > 0);
    if (components.length === 0) return html`<${Empty}>This entity has no component.</${Empty}>`;
    return components.map(
        (component) => html`<article class=${component.disabled ? "component off" : "component"} key=${component.name}>
        <h3><${ComponentLink} name=${component.name} /> ${component.tag ? html`<small>tag</small>` : null}
            ${component.disabled ? html`<small>disabled</small>` : null}
            <small class="when">${changedText(component.changed)}</small>
            ${mayEdit ? html`<${Actions} ...${{ entity: entity.entity, name: component.name, disabled: component.disabled, run }} />`
                : null}</h3>
        <${Fields} entity=${entity.entity} component=${component} isPast=${frame !== null} /></article>`,
    );
}

function AddComponent({ entity, run }) {
    const components = useStore((all) => all.world?.components ?? []);
    const away = useStore(isAway);
    const has = new Set(entity.components.map((component) => component.name));
    const add = (event) => {
        const component = event.target.value;
        event.target.value = "";
        if (component) run("add", { entity: entity.entity, component });
    };
    return html`<select aria-label="Add a component" disabled=${away} value="" onChange=${add}><option value="">+ component</option>
        ${components.filter((one) => !has.has(one.name) && !one.relation).map((one) => html`<option key=${one.name}>${one.name}
            </option>`)}</select>`;
}

// An access that changes something, and the words around its names.
const CHANGING = [
    ["write", "writes", ""],
    ["edit", "edits", ""],
    ["commands", "edits", " by commands"],
    ["send", "sends", ""],
];

function writes(system, all) {
    const touches = all?.find((one) => one.position === system.position)?.touches ?? [];
    const texts = CHANGING.map(([access, before, after]) => {
        const names = touches.filter((touch) => touch.access === access).map((touch) => touch.storage);
        return names.length ? `${before} ${names.join(", ")}${after}` : null;
    }).filter(Boolean);
    return texts.length ? texts.join("; ") : "reads only";
}

const nowNot = (reason) => reason.replace(/^does not match: /, "does not match now: ");

function EntitySystems({ entity, frame }) {
    const all = usePoll(frame === null ? "systems" : null, 0);
    if (frame !== null) return html`<${Empty}>Systems are asked about the world as it is now. Go back to now to see them.</${Empty}>`;
    if (!entity.systems) return html`<p class="empty">…</p>`;
    const columns = [
        { key: "position", head: "#", number: true, value: (row) => row.position, cell: (row) => row.position + 1 },
        {
            key: "system",
            head: "System",
            value: (row) => row.system,
            cell: (row) => html`<${SystemLink} position=${row.position} name=${row.system} />`,
        },
        {
            key: "matches",
            head: "Matches",
            value: (row) => (row.matches ? 0 : 1),
            cell: (row) => (row.matches ? html`<b class="good">yes</b>` : "no"),
        },
        { key: "why", head: "Why", className: "text", cell: (row) => (row.matches ? writes(row, all.data?.systems) : nowNot(row.reason)) },
    ];
    return html`<p class="dim">As the world is between two frames: a component that is added and removed within a frame shows only in Watch
        (Changes).</p><${Table} label="Systems and this entity" columns=${columns} rows=${entity.systems}
        keyOf=${(row) => `${row.workload} ${row.position}`}
        mark=${(row) => (row.matches ? "" : "no")} order=${{ key: "position" }}
        empty="No workload: pass .workload to keel_inspect_begin, and its systems are asked here." />`;
}

function Relation({ relation, entity, mayEdit, run }) {
    const [isOpen, setOpen] = useState(false);
    const more = (total, list) => (total > list.length ? html`<li class="dim">and ${count(total - list.length)} more</li>` : null);
    return html`<article class="component"><h3><${ComponentLink} name=${relation.name} />
        ${
            mayEdit
                ? html`<span class="actions"><${NeedsProgram} onClick=${() => setOpen(true)}>Relate …</${NeedsProgram}></span>
            <${ChooseEntity} isOpen=${isOpen} onClose=${() => setOpen(false)} title=${`${relation.name}: choose a target`}
                takesNull=${false}
                onChoose=${(target) => run("relate", { entity, relation: relation.name, target })} />`
                : null
        }</h3>
        <ul class="edges">${relation.targets.map(
            (target) => html`<li key=${target.entity}>→ <${Entity} of=${target} />
            ${
                mayEdit
                    ? html` <${NeedsProgram} class="pen" aria-label=${`End ${relation.name} to ${target.name ?? target.entity}`}
                onClick=${() => run("unrelate", { entity, relation: relation.name, target: target.entity })}>✕</${NeedsProgram}>`
                    : null
            }
            ${target.fields?.length ? html`<${Fields} entity=${entity} component=${{ name: relation.name, fields: target.fields }}
                isPast />` : null}</li>`,
        )}
            ${more(relation.target_count, relation.targets)}
            ${relation.sources.map((source) => html`<li key=${`s${source.entity}`}>← <${Entity} of=${source} /></li>`)}
            ${more(relation.source_count, relation.sources)}</ul></article>`;
}

// Another relation than those that the entity has: chosen by name, then its target by a query.
function NewRelation({ entity, run }) {
    const components = useStore((all) => all.world?.components ?? []);
    const away = useStore(isAway);
    const [relation, setRelation] = useState(null);
    const known = new Set(entity.relations.map((one) => one.name));
    const names = components.filter((one) => one.relation && !known.has(one.name)).map((one) => one.name);
    const choose = (event) => {
        setRelation(event.target.value || null);
        event.target.value = "";
    };
    if (names.length === 0) return null;
    return html`<p><select aria-label="Add a relation" disabled=${away} value="" onChange=${choose}><option value="">+ relation</option>
        ${names.map((name) => html`<option key=${name}>${name}</option>`)}</select></p>
        <${ChooseEntity} isOpen=${relation !== null} onClose=${() => setRelation(null)} title=${`${relation}: choose a target`}
            takesNull=${false}
            onChoose=${(target) => run("relate", { entity: entity.entity, relation, target })} />`;
}

function Relations({ entity, mayEdit, run }) {
    const { children } = entity;
    return html`<dl class="facts-list">
        <dt>Parent</dt><dd>${entity.parent ? html`<${Entity} of=${entity.parent} tab="relations" />` : html`<span
            class="dim">none</span>`}</dd>
        <dt>Prefab</dt><dd>${entity.prefab ? html`<${Entity} of=${entity.prefab} />` : html`<span class="dim">none</span>`}</dd>
        <dt>Children</dt><dd>${
            children.count === 0
                ? html`<span class="dim">none</span>`
                : html`<a href=${link(["entity", entity.entity, "relations"], {
                      q: `child of #${entity.entity}`,
                  })}>${count(children.count)}</a>`
        }
            <ul class="edges">${children.first.map((child) => html`<li key=${child.entity}><${Entity} of=${child} tab="relations" />
                </li>`)}</ul></dd></dl>
        ${mayEdit ? html`<${NewRelation} entity=${entity} run=${run} />` : null}
        ${
            entity.relations.length === 0
                ? html`<${Empty}>No relation leads from or to this entity.</${Empty}>`
                : entity.relations.map(
                      (relation) => html`<${Relation} key=${relation.name} ...${{ relation, entity: entity.entity, mayEdit, run }} />`,
                  )
        }`;
}

function Delete({ entity, run }) {
    const [isAsking, setAsking] = useState(false);
    const remove = async () => {
        if (await run("delete", { entity: entity.entity })) go(link(["entities"]));
    };
    if (!isAsking) return html`<${NeedsProgram} onClick=${() => setAsking(true)}>Delete</${NeedsProgram}>`;
    return html`<${NeedsProgram} class="danger" onClick=${remove}>Delete #${entity.entity}${entity.children.count
        ? " and its children" : ""}</${NeedsProgram}>
        <button type="button" onClick=${() => setAsking(false)}>Cancel</button>`;
}

function Title({ handle, entity }) {
    const folder =
        entity?.path && entity.name && entity.path !== entity.name ? entity.path.slice(0, -entity.name.length).replace(/\/$/, "") : null;
    return html`<h2>${entity?.name ?? ""} <span class="handle">#${handle}</span> ${
        folder
            ? html`<small>in ${entity.parent ? html`<a href=${link(["entity", entity.parent.entity, "values"])}>${folder}</a>` : folder}
                </small>`
            : null
    }</h2>`;
}

export function EntityPanel({ handle, tab }) {
    const frame = useStore((all) => all.route.frame);
    const edits = useStore((all) => all.world?.allowed.edits ?? false);
    const answer = useEntity(handle, tab, frame);
    const { error, run: send } = useEdit();
    const entity = answer.data;
    const run = async (path, body) => {
        const result = await send(path, body);
        if (result && path !== "delete") answer.again();
        return result;
    };
    const mayEdit = edits && frame === null && !answer.isGone;
    const shared = { entity, frame, mayEdit, run };
    const VIEW = { values: Values, systems: EntitySystems, relations: Relations, changes: Changes }[tab] ?? Values;
    return html`<section class=${answer.isStale ? "right stale" : "right"} aria-label="Entity">
        <a class="back" href=${link(["entities"])}>← list</a>
        <div class="title"><${Title} handle=${entity?.entity ?? handle} entity=${entity} />
            ${mayEdit && entity ? html`<span class="actions"><${AddComponent} ...${shared} /><${Delete} key=${handle} ...${shared} />
                </span>` : null}</div>
        ${
            answer.isGone
                ? html`<p class="warn" role="status">${
                      frame === null ? `#${handle} is deleted.` : `#${handle}: ${answer.error?.message}.`
                  }</p>`
                : html`<${Failure} error=${answer.error} />`
        }
        <${Failure} error=${error} />
        <${Tabs} label="Entity" chosen=${tab} tabs=${TABS.map(([key, text]) => [key, text, link(["entity", handle, key])])} />
        ${entity ? html`<div class=${answer.isGone ? "stale" : ""}><${VIEW} ...${shared} /></div>` : null}
    </section>`;
}
