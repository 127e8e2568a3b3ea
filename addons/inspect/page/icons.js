// SPDX-License-Identifier: MIT
// The few signs on buttons, drawn, since not every system's fonts have them. A button with a sign alone has a label.
import { html } from "./parts.js";

const SHAPES = {
    pause: "M3 2h3v10H3zM8 2h3v10H8z",
    play: "M3 1.5l9 5.5-9 5.5z",
    step: "M2 2l6 5-6 5zM9 2h3v10H9z",
    copy: "M4 1h8v9h-2V3H4zM2 4h7v9H2z",
    edit: "M2 9.5V12h2.5L11 5.5 8.5 3zM9.3 2.2l2.5 2.5.9-.9-2.5-2.5z",
};

export const Icon = ({ name }) =>
    html`<svg class="icon" viewBox="0 0 14 14" width="12" height="12" aria-hidden="true"><path d=${SHAPES[name]} /></svg>`;
