// SPDX-License-Identifier: MIT
// The sliders of the page with two machines: they change the network between them, and a table shows what each machine does. The
// program sets window.keelSides, one for each side: {frame, guessed, again, checked, problem}.
"use strict";

(function () {
    var form = document.getElementById("network");
    var rows = document.querySelectorAll("#sides tbody tr");
    var automatic = document.getElementById("automatic");
    var units = { delay: " ms", jitter: " ms", loss: " %" };
    var isRunning = false;

    function showValues() {
        Object.keys(units).forEach(function (name) {
            form.querySelector("output[for=" + name + "]").textContent = form.elements[name].value + units[name];
        });
    }

    // Hands the sliders over to the program, which does not run yet when the page is new.
    function apply() {
        showValues();
        if (!isRunning) return;
        Module._page_set_network(+form.elements.delay.value, +form.elements.jitter.value, +form.elements.loss.value);
    }

    function showSide(side, row) {
        var same = side.problem || side.checked.toLocaleString("en");
        var texts = [side.frame.toLocaleString("en"), String(side.guessed), String(side.again), same];
        texts.forEach(function (text, i) {
            var cell = row.cells[i + 1];
            if (cell.textContent !== text) cell.textContent = text;
        });
        row.classList.toggle("differs", side.problem !== "");
    }

    function show() {
        if (!window.keelSides || document.hidden) return;
        if (!isRunning) {
            isRunning = true;
            apply();
            Module._page_set_automatic(automatic.checked ? 1 : 0);
        }
        automatic.checked = Module._page_is_automatic() !== 0; // WASD takes over
        window.keelSides.forEach(function (side, i) { showSide(side, rows[i]); });
    }

    form.addEventListener("input", apply);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    automatic.addEventListener("change", function () {
        if (isRunning) Module._page_set_automatic(automatic.checked ? 1 : 0);
    });
    showValues();
    setInterval(show, 250);
})();
