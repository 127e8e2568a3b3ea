// SPDX-License-Identifier: MIT
// Addresses: every place of the page is a link behind the token, `#token/entity/17v3?frame=12`. The token is taken out of what is
// visible. Other files make links by `link` and read where they are from the state's `route`.
import { keepToken } from "./api.js";
import { change, state } from "./store.js";

const TABS = {
    world: "world",
    component: "world",
    entities: "entities",
    entity: "entities",
    systems: "systems",
    system: "systems",
    frames: "frames",
    workload: "workload",
    diff: "diff",
};
// Parameters that stay when another place is opened: the frame of the past, and the list beside an entity.
const KEPT = { frame: () => true, path: isEntities, q: isEntities, columns: isEntities, list: isEntities };

function isEntities(parts) {
    return TABS[parts[0]] === "entities";
}

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function parse(text) {
    const [path, query = ""] = text.split(/\?(.*)/s);
    const parts = path.split("/").filter(Boolean).map(decode);
    if (!TABS[parts[0]]) parts.splice(0, parts.length, "world");
    const parameters = Object.fromEntries(new URLSearchParams(query));
    const frame = /^\d+$/.test(parameters.frame ?? "") ? Number(parameters.frame) : null;
    return { tab: TABS[parts[0]], parts, parameters, frame };
}

/** Returns the fragment of a place. Parameters that are null are left out, others stay as they are now where that makes sense. */
export function link(parts, parameters = {}) {
    const all = {};
    for (const [name, fits] of Object.entries(KEPT)) {
        if (fits(parts) && state.route?.parameters[name]) all[name] = state.route.parameters[name];
    }
    Object.assign(all, parameters);
    const kept = Object.entries(all).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const query = kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`;
    return `#/${parts.map(encodeURIComponent).join("/")}${query}`;
}

/** Returns the link of this place with other parameters. */
export const here = (parameters) => link(state.route.parts, { ...state.route.parameters, ...parameters });

/** Opens a place; `replace` leaves no entry in the history of the browser. */
export function go(fragment, replace = false) {
    if (!replace) {
        location.hash = fragment;
        return;
    }
    history.replaceState(null, "", fragment);
    readAddress();
}

/** Takes the token of the address, if there is one, and tells the page where it is. */
export function readAddress() {
    const text = location.hash.slice(1);
    const slash = text.search(/[/?]/);
    const first = slash < 0 ? text : text.slice(0, slash);
    const rest = slash < 0 ? "" : text.slice(slash);
    if (first) {
        keepToken(first);
        history.replaceState(null, "", `#${rest || "/world"}`);
    }
    change({ route: parse(rest) });
    return first !== "";
}
