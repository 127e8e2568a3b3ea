// SPDX-License-Identifier: MIT
// A component: its count and memory, its fields, and which systems read and write it. Names of components lead here.
import { Spark, growth } from "./world.js";
import { bytes, count, signed } from "./format.js";
import { Empty, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { link } from "./route.js";
import { useStore } from "./store.js";

// What a component is used for, and the accesses that say so. A system may stand in several lists.
const USES = [
    { title: "Written by", accesses: ["write", "edit"], any: "world" },
    { title: "Added or removed by commands of", accesses: ["commands"], any: "commands" },
    { title: "Read by", accesses: ["read"] },
    { title: "Filtered by", accesses: ["filter"] },
];
const NOTES = { edit: "may add and remove it at once" };

// A term without a component is about all of them: the commands of KEEL_COMMANDS(c), or the whole world.
const usesAny = (system, use) => system.terms.some((term) => term.kind === use.any && term.components.length === 0);

function usersOf(use, name, systems) {
    const users = [];
    for (const system of systems) {
        const touch = system.touches.find((one) => one.storage === name && use.accesses.includes(one.access));
        if (touch) users.push({ system, note: NOTES[touch.access] });
        else if (usesAny(system, use)) users.push({ system, note: "may be any component" });
    }
    return users;
}

function Users({ title, users }) {
    return html`<section><h2>${title}</h2><ul class="edges">${users.map(
        ({ system, note }) => html`<li key=${system.position}><${SystemLink} position=${system.position} name=${system.name} />
            ${note ? html` <small>${note}</small>` : null}</li>`,
    )}</ul></section>`;
}

// A list that is empty is left out. That nobody writes a value is an answer, too; tags and edges have no value.
function AllUsers({ component, systems }) {
    const lists = USES.map((use) => ({ title: use.title, users: usersOf(use, component.name, systems) }));
    const hasWriter = lists[0].users.length > 0 || component.tag || component.relation;
    return html`<div>${lists.map((list) => (list.users.length ? html`<${Users} key=${list.title} ...${list} />` : null))}
        ${hasWriter ? null : html`<${Empty}>No system of the workload writes it.</${Empty}>`}
        ${lists.some((list) => list.users.length) ? null : html`<${Empty}>No system of the workload names it.</${Empty}>`}</div>`;
}

function Facts({ component }) {
    const counts = useStore((all) => all.counts);
    const last = counts.last?.get(component.name) ?? component;
    const list = counts.components.get(component.name);
    const facts = [
        ["Entities", html`<a href=${link(["entities"], { q: queryName(component.name) })}>${count(last.count)}</a>`],
        ["Growth", html`<span class="beside">${signed(growth(list))} <${Spark} list=${list} /></span>`],
        ["Memory", bytes(last.bytes)],
        ["Size", plainSize(component)],
        ["Storage", component.storage],
        ["Tracking", component.tracking?.length ? component.tracking.join(", ") : "none"],
    ];
    if (component.relation) facts.push(["Relation", component.exclusive ? "one target each" : "any number of targets"]);
    return html`<dl class="facts-list">${facts.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function plainSize(component) {
    if (!component.tag) return `${bytes(component.size)} each`;
    return component.relation ? "no value" : "tag: no value";
}

/** Returns a name as it stands in a query: in quotes, if it is more than a word. */
export const queryName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replace(/[\\"]/g, "\\$&")}"`);

export function Component() {
    const name = useStore((all) => all.route.parts[1]);
    const first = useStore((all) => all.world);
    const now = usePoll("world", 1000); // components come, and tracking begins, while the page is open
    const { data } = usePoll("systems", 0);
    const component = (now.data ?? first).components.find((one) => one.name === name);
    const columns = [
        { key: "name", head: "Field", cell: (row) => row.name },
        { key: "type", head: "Type", cell: (row) => row.type },
        { key: "unit", head: "Unit", cell: (row) => row.unit ?? "" },
    ];
    if (!component) return html`<h2>${name}</h2><${Empty}>No component of this name is known to the world.</${Empty}>`;
    return html`<h2>${name} <small>component</small></h2><${Facts} component=${component} />
        <div class="columns even">${data ? html`<${AllUsers} component=${component} systems=${data.systems} />` : html`<div />`}
            <section><h2>Fields</h2><${Table} label="Fields" columns=${columns} rows=${component.fields ?? []} keyOf=${(row) => row.name}
                empty=${component.tag ? "It has no value." : "The fields are not described: KEEL_FIELDS names them."} /></section>
                    </div>`;
}
