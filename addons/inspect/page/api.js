// SPDX-License-Identifier: MIT
// Requests to the program: the token, GET and POST, and errors as objects. Every other file asks through these functions.
const KEY = "keel-inspect-token";

/** What the program answered instead of what was asked for: its code, sentence, and column of a query. */
export class Refusal extends Error {
    constructor(status, error) {
        super(error?.message ?? `the program answered with status ${status}`);
        this.status = status;
        this.code = error?.code ?? "unknown";
        this.column = error?.column ?? null;
    }
}

let token = sessionStorage.getItem(KEY) ?? "";

export const hasToken = () => token !== "";

/** Keeps the token for this tab: a reload finds it again, another program's page does not. */
export function keepToken(text) {
    token = text;
    sessionStorage.setItem(KEY, text);
}

/** Returns the address of this place with the token, to be opened in another tab or browser of this machine. */
export const fullAddress = () => `${location.origin}/#${token}${location.hash.slice(1)}`;

// A tab that was opened from a link has no token of its own: tabs of the same origin tell each other.
const tabs = new BroadcastChannel(KEY);
tabs.onmessage = ({ data }) => {
    if (data.want && token) tabs.postMessage({ token });
    if (data.token && !token) {
        keepToken(data.token);
        tabs.dispatchEvent(new Event("token"));
    }
};

/** Asks other tabs for the token, and calls back when one has told it. */
export function wantToken(callback) {
    tabs.addEventListener("token", callback, { once: true });
    tabs.postMessage({ want: true });
}

/** Returns a path with its parameters; those that are null, undefined or empty are left out. */
export function withParameters(path, parameters) {
    const kept = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
    return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

async function reach(path, options) {
    try {
        return await fetch(path, options);
    } catch (error) {
        if (options.signal?.aborted) throw error;
        throw new Refusal(0, { code: "away", message: "The program has ended, or cannot be reached." });
    }
}

/** Sends a request with the token. Throws a Refusal if the program refuses, or if there is none. */
export async function send(path, options = {}) {
    const headers = { "X-Keel-Token": token, ...options.headers };
    const answer = await reach(`/api/v1/${path}`, { cache: "no-store", ...options, headers });
    if (answer.ok) return answer;
    let error = null;
    try {
        error = (await answer.json()).error;
    } catch {
        // an answer without a body of JSON has its status only
    }
    throw new Refusal(answer.status, error);
}

/** Returns the JSON of an answer. */
export async function ask(path, options) {
    return (await send(path, options)).json();
}

/** Sends an edit, and returns what the program says is so now. */
export function tell(path, body = {}) {
    return ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}
