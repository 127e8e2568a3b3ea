// SPDX-License-Identifier: MIT
// The frame of the page: header, tabs, banners, and the view that the address names. main.js draws it.
import { useEffect, useState } from "preact/hooks";
import { keepToken } from "./api.js";
import { Control } from "./control.js";
import { Diff } from "./diff.js";
import { Entities } from "./entities.js";
import { count, milliseconds } from "./format.js";
import { Frames } from "./frames.js";
import { Help, useKeys } from "./keys.js";
import { html } from "./parts.js";
import { PastBanner } from "./past.js";
import { QueryLine } from "./query.js";
import { link } from "./route.js";
import { useStore } from "./store.js";
import { Component } from "./component.js";
import { System, Systems } from "./systems.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

const TABS = [
    ["world", "World"],
    ["entities", "Entities"],
    ["systems", "Systems"],
    ["frames", "Frames"],
    ["workload", "Workload"],
    ["diff", "Diff"],
];
const VIEWS = {
    world: World,
    component: Component,
    entities: Entities,
    entity: Entities,
    systems: Systems,
    system: System,
    frames: Frames,
    workload: Workload,
    diff: Diff,
};
const AWAY = {
    connecting: "Connecting …",
    hidden: "Connecting …",
    lost: "The connection to the program is lost. The page tries again until it is back; what is shown is the last that was heard.",
    ended:
        "The program has ended; what is shown is the last that was heard. When it runs again with the same .token, the page comes back by " +
        "itself. Without one, open the address that it prints then.",
};

function Facts() {
    const live = useStore((all) => all.live);
    const world = useStore((all) => all.world);
    if (!world) return null;
    const now = live ?? world;
    const cost = now.inspector ?? world.inspector;
    const title = cost ? `at most ${milliseconds(cost.worst)} ms; the limit is ${milliseconds(world.inspector?.budget)} ms a frame` : null;
    return html`<p class="facts">
        <strong>${world.program}</strong>
        <span>frame <b>${count(now.frame)}</b></span>
        <span><b>${(live?.rate ?? 0).toFixed(1)}</b>/s</span>
        <span><b>${count(now.entities)}</b> entities</span>
        <span title=${title}>inspector <b>${milliseconds(cost?.nanoseconds)}</b> ms</span>
    </p>`;
}

function Navigation() {
    const route = useStore((all) => all.route);
    return html`<nav class="tabs" aria-label="Views">${TABS.map(
        ([tab, text]) => html`<a key=${tab} href=${link([tab])} aria-current=${route.tab === tab ? "page" : null}>${text}</a>`,
    )}</nav>`;
}

// Takes an address with a token, or the token alone.
function TokenForm({ onToken }) {
    const [text, setText] = useState("");
    const submit = (event) => {
        event.preventDefault();
        const token = text
            .trim()
            .replace(/^.*#/, "")
            .replace(/[/?].*$/, "");
        if (!token) return;
        keepToken(token);
        onToken();
    };
    return html`<form class="token" onSubmit=${submit}>
        <p>The program does not know this page. Open the address that it prints when it starts, or paste it here.
            A program that is started again has another token, unless it passes <code>.token</code>.</p>
        <label>Address or token <input value=${text} onInput=${(event) => setText(event.target.value)} autocomplete="off"
            spellcheck="false" />
        </label> <button type="submit">Connect</button>
    </form>`;
}

function Status({ onToken }) {
    const connection = useStore((all) => all.connection);
    if (connection === "refused") return html`<${TokenForm} onToken=${onToken} />`;
    return AWAY[connection] ? html`<p class="banner away" role="status">${AWAY[connection]}</p>` : null;
}

function Notice() {
    const notice = useStore((all) => all.notice);
    return html`<p class=${notice ? `notice ${notice.isError ? "failure" : ""}` : "unseen"} role="status" aria-live="polite">
        ${notice?.text}</p>`;
}

export function App({ onToken }) {
    const route = useStore((all) => all.route);
    const world = useStore((all) => all.world);
    const [isHelping, setHelping] = useState(false);
    useKeys(() => setHelping(true));
    const View = VIEWS[route.parts[0]];
    const place = TABS.find(([tab]) => tab === route.tab)[1];
    useEffect(() => {
        document.title = `${place} · ${world?.program ?? "Keel"}`;
    }, [place, world]);
    return html`
        <a class="skip" href="#main" onClick=${(event) => {
            event.preventDefault();
            document.getElementById("main").focus();
        }}>Skip to the view</a>
        <header class="top">
            <div class="line"><h1>Keel</h1><${Facts} /><${Control} onHelp=${() => setHelping(true)} /></div>
            <div class="line"><${Navigation} /><${QueryLine} /></div>
        </header>
        <${PastBanner} />
        <${Status} onToken=${onToken} />
        <main id="main" tabindex="-1" aria-label=${place} class=${`view-${route.tab}`}>${world ? html`<${View} />` : null}</main>
        <${Notice} />
        <${Help} isOpen=${isHelping} onClose=${() => setHelping(false)} />`;
}
