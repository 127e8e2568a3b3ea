// SPDX-License-Identifier: MIT
// A component: its count and memory, its fields, and which systems read and write it. Names of components lead here.
import { Spark, growth } from "./world.js";
import { bytes, count, signed } from "./format.js";
import { Empty, html, SystemLink, Table } from "./parts.js";
import { usePoll } from "./poll.js";
import { link } from "./route.js";
import { useStore } from "./store.js";

function Users({ name, systems, access, title }) {
    const users = systems.filter((system) =>
        system.touches.some((touch) => touch.storage === name && (touch.access === "write") === (access === "write")),
    );
    return html`<section><h2>${title}</h2>${
        users.length === 0
            ? html`<${Empty}>No system of the workload.</${Empty}>`
            : html`<ul class="edges">${users.map(
                  (system) => html`<li key=${system.position}><${SystemLink} position=${system.position} name=${system.name} />
            <small> ${system.touches
                .filter((touch) => touch.storage === name)
                .map((touch) => touch.access)
                .join(", ")}</small></li>`,
              )}</ul>`
    }</section>`;
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

const plainSize = (component) => (component.tag ? "tag: no value" : `${bytes(component.size)} each`);

/** Returns a name as it stands in a query: in quotes, if it is more than a word. */
export const queryName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replace(/[\\"]/g, "\\$&")}"`);

export function Component() {
    const name = useStore((all) => all.route.parts[1]);
    const world = useStore((all) => all.world);
    const { data } = usePoll("systems", 0);
    const component = world.components.find((one) => one.name === name);
    const columns = [
        { key: "name", head: "Field", cell: (row) => row.name },
        { key: "type", head: "Type", cell: (row) => row.type },
        { key: "unit", head: "Unit", cell: (row) => row.unit ?? "" },
    ];
    if (!component) return html`<h2>${name}</h2><${Empty}>No component of this name is known to the world.</${Empty}>`;
    const systems = data?.systems ?? [];
    return html`<h2>${name} <small>component</small></h2><${Facts} component=${component} />
        <div class="columns even"><div><${Users} ...${{ name, systems }} access="write" title="Written by" />
            <${Users} ...${{ name, systems }} access="read" title="Read by" /></div>
            <section><h2>Fields</h2><${Table} label="Fields" columns=${columns} rows=${component.fields ?? []} keyOf=${(row) => row.name}
                empty=${component.tag ? "A tag has no value." : "The fields are not described: KEEL_FIELDS names them."} /></section>
                    </div>`;
}
