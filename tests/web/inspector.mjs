// SPDX-License-Identifier: MIT
// Finds the planted faults of tests/inspect/faults/ on the page of the inspector, by clicking, in few steps, on a desktop's screen
// and a phone's. Called by run.sh: inspector.mjs PROGRAMS SHOTS [QUESTION...]. inspector_page.mjs has what the scripts share.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
    SCREENS, begin, check, click, close, end, failures, open, overflow, picture, press, attempt, start, stop, text, waitForFrame,
} from "./inspector_page.mjs";

const [programs, shots, ...chosen] = process.argv.slice(2);
const MOST_STEPS = 8;
const LATE = 310; // a frame after that in which something happens once

// Steps that several scripts have.
const linkIn = (place, name) => (page) =>
    click(page.getByRole("navigation", { name: place, exact: true }).getByRole("link", { name, exact: true }));
const tab = (name) => linkIn("Views", name);
const part = (name) => linkIn("Entity", name);
const row = (name) => (page) => click(page.getByRole("treeitem", { name: new RegExp(`^\\W*${name} #`) }).locator("a").first());
const link = (name) => (page) => click(page.locator("main").getByRole("link", { name, exact: true }).first());
const button = (name) => (page) => click(page.getByRole("button", { name, exact: true }));
const fill = (name, value) => (page) => page.getByRole("spinbutton", { name }).fill(value);

// The question, the program that has the fault, what is clicked, and what the page has to say then.
const QUESTIONS = [
    { program: "forgotten_component", question: "why does move not match ship 7",
        steps: [tab("Entities"), row("ship 7"), part("Systems")], answer: ["has no Velocity (term 2 of 2, read Velocity)"] },
    { program: "filter", question: "why does move leave out ship 7",
        steps: [tab("Entities"), row("ship 7"), part("Systems")], answer: ["has Frozen (term 3 of 3, without Frozen)"] },
    { program: "disabled", question: "why does protect leave out ship 2, which has a Shield",
        steps: [tab("Entities"), row("ship 2"), part("Systems")], answer: ["its Shield is disabled (term 2 of 2, read Shield)"] },
    { program: "matches_nobody", question: "why does repair match nobody",
        steps: [tab("Systems"), link("repair")], answer: ["Nothing is left after term 2, read Crew", "0 match"] },
    { program: "two_writers", question: "who changes Health.points in each frame",
        steps: [tab("Entities"), row("ship 2"), part("Changes"), button("Watch the next frame")],
        answer: ["Written by heal, bleed", "2 systems changed it", /heal\s*200\.0\s*202\.0/, /bleed\s*202\.0\s*200\.0/] },
    { program: "late_writer", question: "who changed Health.points, and when", frame: LATE,
        steps: [tab("Entities"), row("ship 2"), part("Changes")], answer: [/300\s*200\.0\s*180\.0\s*storm/] },
    { program: "slow_system", question: "which system makes the frame slow", steps: [tab("Frames")],
        answer: [/Runs\s*path\s*\d+\.\d+\s*[89]\d(\.\d)? ?%/] },
    { program: "main_thread", question: "why do animate and draw not run at once", steps: [tab("Workload")],
        answer: ["animate runs on the thread that runs the workload", /Edges[\s\S]*animate\s*(→ )?draw/] },
    { program: "barrier", question: "why do animate and think not run at once", steps: [tab("Workload")],
        answer: ["a barrier stands between them", /animate\s*(→ )?a barrier/, /a barrier\s*(→ )?think/] },
    { program: "no_receiver", question: "which events does nobody receive", steps: [tab("World")],
        answer: [/Hit\s*[\d,]+\s*65,536\s*(drawn)?\s*fight\s*nobody/] },
    { program: "leak", question: "what grows, and who adds it", frame: 120,
        steps: [tab("World"), button("Growth"), link("Bullet")],
        answer: [/Growth\s*\+\d+/, /Added or removed by commands of\s*shoot/, /Read by\s*fly/, /Filtered by\s*land/] },
    { program: "flip", question: "what is different since frame 295", frame: LATE,
        steps: [tab("Diff"), fill("from", "295"), fill("to", "305"), button("Compare")],
        answer: ["door 3", "1 entity", /Door\.open\s*false\s*→\s*true/] },
];

async function answer(page, { program, question, steps, answer: expected }, screen) {
    check(steps.length <= MOST_STEPS, `${program}: ${steps.length} steps`);
    for (const step of steps) await step(page);
    for (const part of expected) {
        const found = await text(page, part);
        check(found, `${program}, ${screen}: '${question}' is not answered: no '${part}' in: ${await page.locator("main").innerText()}`);
    }
    await overflow(page, `${program}, ${screen}`);
    await picture(page, `${shots}/inspector/${program}-${screen}.png`);
}

async function ask(question, screen) {
    const program = await start(programs, question.program);
    const page = await open(screen, program, question.program);
    if (question.frame) await waitForFrame(page, question.frame);
    await answer(page, question, screen);
    await close(page);
    await stop(program);
}

// ---- what else must hold -------------------------------------------------------------------------

// axe-core knows the rules of pages that everybody can use.
async function accessible(screen) {
    const program = await start(programs, "two_writers");
    const page = await open(screen, program, "axe");
    const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const places = ["world", "component/Health", "entities", "entity/1v0/values", "entity/1v0/systems", "entity/1v0/changes",
        "entity/1v0/relations", "entities?q=Health", "systems", "system/0", "frames", "workload", "diff"];
    for (const place of places) {
        await page.evaluate((hash) => {
            location.hash = hash;
        }, `#/${place}`);
        await page.waitForTimeout(600);
        await page.evaluate(source);
        const found = await page.evaluate(() => globalThis.axe.run());
        for (const { id, help, nodes } of found.violations) {
            check(false, `axe, ${screen}, ${place}: ${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
        }
        await overflow(page, `${place}, ${screen}`);
        await picture(page, `${shots}/inspector/tab-${place.replace(/\W+/g, "-")}-${screen}.png`);
    }
    await close(page);
    await stop(program);
}

async function query(page, words) {
    await page.locator("#query").fill(words);
    await page.keyboard.press("Enter");
}

// A name as markup stays text, and the first rows of a query over 1,000,000 entities are there at once.
async function million(screen) {
    const FIRST_ROWS = 1500; // milliseconds, with everything else that two cores do
    const program = await start(programs, "many");
    const page = await open(screen, program, "many");
    page.on("dialog", () => check(false, "many: a name has run as a script"));
    await query(page, "Odd");
    const name = "<img src=x onerror=alert(1)>";
    check(await text(page, name), "many: the name that is markup is not there as text");
    await page.getByText(name).first().click();
    await page.waitForTimeout(300);
    check(await page.locator("main img").count() === 0, "many: a name has become markup");
    check(await text(page, name), "many: the title of the entity is not its name");
    const before = Date.now();
    await query(page, "Position.x < 2");
    await page.getByRole("table", { name: "Entities found" }).getByText("#5v0").waitFor({ timeout: 10000 });
    const took = Date.now() - before;
    console.log(`  first rows of 1,000,000 entities after ${took} ms`);
    check(took < FIRST_ROWS, `many: first rows after ${took} ms`);
    check(await text(page, "999,999 found", 20000), "many: the count is not there");
    await picture(page, `${shots}/inspector/many-${screen}.png`);
    await close(page);
    await stop(program);
}

// A page that is loaded again is where it was; a program that ends is said, and comes back; two pages are served at once.
async function lives(screen) {
    let program = await start(programs, "two_writers");
    const page = await open(screen, program, "lives");
    await tab("Entities")(page);
    await row("ship 2")(page);
    await part("Changes")(page);
    await page.reload();
    check(await text(page, "Written by heal, bleed"), `${screen}: a reload loses the place`);
    const second = await open(screen, program, "second page");
    check(await text(second, "Health"), `${screen}: a second page is not served`);
    await waitForFrame(second, 5);
    await waitForFrame(page, 5);
    await close(second);
    page.mayLose = true;
    await stop(program);
    check(await text(page, "The program has ended", 5000, "body"), `${screen}: the page does not say that the program has ended`);
    for (const name of ["Pause", "Step", "Watch the next frame", "Delete"]) {
        check(await page.getByRole("button", { name, exact: true }).isDisabled(), `${screen}: '${name}' can be pressed without a program`);
    }
    await picture(page, `${shots}/inspector/ended-${screen}.png`);
    program = await start(programs, "two_writers");
    await page.getByText("The program has ended").waitFor({ state: "hidden", timeout: 8000 })
        .catch(() => check(false, `${screen}: the page does not come back`));
    check(await text(page, "Written by heal, bleed"), `${screen}: the page comes back at another place`);
    await close(page);
    await stop(program);
}

// Runs in the page: what shows an answer for a second or two shows it for a minute, so that a test finds who relies on that time.
function keepAnswers() {
    const plain = window.setTimeout;
    window.setTimeout = (call, time, ...rest) => plain(call, time > 1000 && time < 5000 ? 60000 : time, ...rest);
}

// Pause, edit, back to a frame before the edit, and on.
async function edits(screen) {
    const program = await start(programs, "forgotten_component");
    const page = await open(screen, program, "edits");
    await page.evaluate(keepAnswers);
    await waitForFrame(page, 30);
    await button("Pause")(page);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const paused = await page.evaluate(() => document.querySelector(".facts b").textContent);
    await tab("Entities")(page);
    await row("ship 7")(page);
    await click(page.getByRole("button", { name: /^Edit Position\.y/ }));
    await page.getByRole("textbox", { name: "y", exact: true }).fill("123.5");
    await page.keyboard.press("Enter");
    check(await text(page, "123.5"), `${screen}: the edit is not shown`);
    check(await page.evaluate(() => document.querySelector(".facts b").textContent) === paused, `${screen}: a paused program has run`);
    await press(page, "ArrowLeft");
    check(await text(page, `Begin of frame ${paused}, 1 frame ago`, 5000, "body"), `${screen}: a step back is not the begin of this frame`);
    await press(page, "ArrowLeft");
    check(await text(page, "the world is paused", 5000, "body"), `${screen}: the past is not shown`);
    await page.locator("main").getByText("123.5").waitFor({ state: "hidden", timeout: 5000 })
        .catch(() => check(false, `${screen}: the past has the value that came after it`));
    await picture(page, `${shots}/inspector/past-${screen}.png`);
    await button("Continue from here")(page);
    await button("Forget what came after, and continue")(page);
    await page.getByText("the world is paused").waitFor({ state: "hidden" });
    await page.locator("main").getByText("123.5").waitFor({ state: "hidden", timeout: 5000 })
        .catch(() => check(false, `${screen}: the edit is still there after the way back`));
    check(await text(page, "ship 7"), `${screen}: the way back leaves the place`);
    await button("Play")(page);
    await waitForFrame(page, Number(paused.replace(/\D/g, "")) + 10);
    await close(page);
    await stop(program);
}

// Enter goes to the first match; an edit is known as one; a step shows no value of the frame before; "now" is the other side of a diff.
async function follows(screen) {
    const program = await start(programs, "two_writers");
    const page = await open(screen, program, "follows");
    await waitForFrame(page, 5);
    await tab("Entities")(page);
    await button("Go to …")(page);
    await page.getByRole("searchbox", { name: "Query" }).last().fill('name ~ "ship 2"');
    await page.keyboard.press("Enter");
    check(await text(page, /ship 2 #\d+v0[\s\S]*points/), `${screen}: Enter does not go to the first match`);
    await button("Pause")(page);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const health = page.getByRole("table", { name: "Health" });
    await click(health.getByRole("button", { name: /^Edit Health\.points/ }));
    await page.getByRole("textbox", { name: "points", exact: true }).fill("150");
    await page.keyboard.press("Enter");
    check(await text(page, "150.0"), `${screen}: the edit is not shown`);
    await button("Step")(page);
    await part("Changes")(page);
    check(await text(page, /200\.0\s*150\.0\s*edited on the page/), `${screen}: an edit is not told from the changes of systems`);
    await press(page, "ArrowLeft");
    await press(page, "ArrowLeft");
    await click(page.getByRole("link", { name: "What is different now?" }));
    check(await text(page, /ship 2[\s\S]*Health\.points\s*200\.0\s*→\s*150\.0/), `${screen}: the difference to now is not shown`);
    await close(page);
    await stop(program);
}

// Runs in the page: returns the nodes of the graph whose words, with a long time, are wider than their box.
function wideNodes() {
    return [...document.querySelectorAll(".node-box")].filter((node) => {
        const note = node.querySelector(".note");
        note.textContent = note.textContent.replace(/^[\d.]+/, "999.999");
        return note.getBoundingClientRect().width > node.querySelector("rect").getBoundingClientRect().width;
    }).map((node) => node.textContent);
}

// What one looks for is in sight: the reason of an edge, the time of a node, and on a desktop's screen the storage of a component.
async function fits(screen) {
    const program = await start(programs, "main_thread");
    const page = await open(screen, program, "fits");
    await tab("Workload")(page);
    const reason = page.getByRole("table", { name: "Edges" }).getByText("animate runs on the thread");
    await reason.waitFor();
    const { x, width } = await reason.boundingBox();
    check(x + width <= SCREENS[screen].viewport.width, `${screen}: the reason of an edge is out of sight`);
    const wide = await page.evaluate(wideNodes);
    check(wide.length === 0, `${screen}: wider than their boxes: ${wide.join(", ")}`);
    await tab("World")(page);
    const table = page.getByRole("group", { name: "Components" });
    await table.waitFor();
    const [needs, has] = await table.evaluate((box) => [box.scrollWidth, box.clientWidth]);
    check(screen !== "desktop" || needs <= has, `${screen}: the table of components needs ${needs} pixels of ${has}`);
    check(await text(page, /the past[\s\S]*frames? · \d+\.\d ms a frame/), `${screen}: the time that the past takes is not there`);
    await close(page);
    await stop(program);
}

// ---- all ------------------------------------------------------------------------------------------

const OTHERS = { accessible, million, lives, edits, follows, fits };
const wanted = (name) => chosen.length === 0 || chosen.includes(name);
await begin(`${shots}/inspector`);
for (const screen of Object.keys(SCREENS)) {
    for (const question of QUESTIONS) {
        if (wanted(question.program)) await attempt(`${question.question} (${screen})`, () => ask(question, screen));
    }
    for (const [name, run] of Object.entries(OTHERS)) {
        if (wanted(name)) await attempt(`${name} (${screen})`, () => run(screen));
    }
}
await end();
console.log(failures.length === 0 ? "all questions are answered" : `${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
