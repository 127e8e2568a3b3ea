// SPDX-License-Identifier: MIT
// What the page of a program does: it loads the program, shows how far that is, says what is missing, and prints what
// a frame costs. Programs set window.keelFrame = {work: milliseconds, entities: count}; without, the page measures.
"use strict";

var canvas = document.getElementById("canvas");
var loading = document.getElementById("loading");
var notice = document.getElementById("notice");
var line = document.getElementById("line");
var program = document.body.dataset.program;

// Shows a message in place of the program.
function tell(text) {
    loading.hidden = true;
    notice.hidden = false;
    notice.querySelector("p").textContent = text;
}

function hasWebGL() {
    try {
        var test = document.createElement("canvas");
        return !!(test.getContext("webgl2") || test.getContext("webgl"));
    } catch (error) {
        return false;
    }
}

function showStep(value) {
    loading.querySelector("progress").value = value;
}

// Keys belong to the program while the canvas has the focus; Tab and the rest of the page stay the browser's.
function keepKeys(event) {
    if (document.activeElement !== canvas || event.key === "Tab") event.stopImmediatePropagation();
}

// Prints the work of a frame twice in a second, which can be read.
function printWork() {
    var frame = window.keelFrame;
    if (!frame || document.hidden) return;
    var text = "work of a frame: " + frame.work.toFixed(1) + " ms";
    if (frame.entities !== undefined) text += ", " + frame.entities.toLocaleString("en") + " entities";
    line.textContent = text + ", one thread";
}

// Some pages have options of their own.
function optionsOfPage() {
    return (document.body.dataset.options || "").split(" ").filter(Boolean);
}

// "?belt=50000" is the option --belt 50000 of the program.
function optionsOfAddress() {
    return Array.from(new URLSearchParams(location.search)).flatMap(function (pair) {
        return pair[1] === "" ? ["--" + pair[0]] : ["--" + pair[0], pair[1]];
    });
}

var frameBegin = 0, meanWork = 0, frameOfPage = null;

var Module = {
    canvas: canvas,
    arguments: optionsOfPage().concat(optionsOfAddress()),
    printErr: function (text) {
        console.warn(text);
        Module.lastError = text;
    },
    onRuntimeInitialized: function () { showStep(3); },
    onAbort: function (what) { tell("The program stopped: " + (Module.lastError || what)); },
    quit: function (code, error) {
        if (code) tell("The program stopped: " + (Module.lastError || "exit status " + code)); // 0: its frames go on
        throw error;
    },
    preMainLoop: function () { frameBegin = performance.now(); },
    postMainLoop: function () {
        var now = performance.now();
        if (!window.keelFirstFrame) window.keelFirstFrame = now;
        loading.hidden = true;
        meanWork += (now - frameBegin - meanWork) * (meanWork ? 0.05 : 1);
        if (window.keelFrame && window.keelFrame !== frameOfPage) return; // the program tells it
        frameOfPage = window.keelFrame = { work: meanWork };
    },
};

function start() {
    if (typeof WebAssembly !== "object") {
        return tell("This browser has no WebAssembly, or it is switched off. Every browser since 2017 has it.");
    }
    if (!hasWebGL()) {
        return tell("This browser has no WebGL, or it is switched off. The program draws with it: " +
            "switch on hardware acceleration, or try another browser.");
    }
    window.addEventListener("keydown", keepKeys, true);
    window.addEventListener("keyup", keepKeys, true);
    canvas.addEventListener("pointerdown", function () { canvas.focus(); });
    canvas.focus();
    setInterval(printWork, 500);
    var script = document.createElement("script");
    script.src = program + ".js";
    script.onload = function () { showStep(2); };
    script.onerror = function () {
        tell("The file " + program + ".js could not be loaded: it must lie beside this page. Run make web again.");
    };
    showStep(1);
    document.body.appendChild(script);
}

start();
