// SPDX-License-Identifier: MIT
// Begin of the page: reads the address, starts the stream, draws the application. tools/build_inspector_page bundles from here.
import { render } from "preact";
import { hasToken, wantToken } from "./api.js";
import { App } from "./app.js";
import { html } from "./parts.js";
import { readAddress } from "./route.js";
import { change } from "./store.js";
import { startStream } from "./stream.js";
import "uplot/dist/uPlot.min.css";
import "./style.css";

function begin() {
    change({ connection: "connecting" });
    startStream();
}

addEventListener("hashchange", () => {
    if (readAddress()) begin();
});
readAddress();
if (hasToken()) {
    begin();
} else {
    change({ connection: "refused" });
    wantToken(begin);
}
render(html`<${App} onToken=${begin} />`, document.getElementById("app"));
