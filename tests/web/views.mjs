// SPDX-License-Identifier: MIT
// Opens the page of a program that runs with keel::inspect, in Chromium, on a desktop's screen and a phone's, and goes through all of its
// views. Fails for an error on the console, a request to another machine, a view that is wider than the screen, what axe finds, a dialog
// that a name could open, or figures that stand still. Called by run.sh: views.mjs ADDRESS SHOTS
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [address, shots] = process.argv.slice(2);
const SCREENS = {
    desktop: { viewport: { width: 1280, height: 800 } },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" },
};
const PLACES = ["world", "entities", "entities?list=all", "systems", "system/0", "frames", "workload", "diff"];
const PARTS = ["values", "systems", "changes", "relations"];
const SCROLLING = ".scroll, .virtual, .unseen, .chart, dialog";
const FIRST_VALUES = 2000; // milliseconds
const SETTLED = 1200; // milliseconds in which every view has asked what it asks each second
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const { origin, hash } = new URL(address);
const token = hash.slice(1).replace(/\/.*/, "");
const failures = [];

function check(is_right, what) {
    if (is_right || failures.includes(what)) return;
    failures.push(what);
    console.log(`  FAILED: ${what}`);
}

// Opens the page; what it reports and asks for in vain is a failure.
async function open(browser, screen) {
    const context = await browser.newContext(SCREENS[screen]);
    const page = await context.newPage();
    page.on("console", (message) => check(message.type() !== "error", `${screen}: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `${screen}: ${error.message}`));
    page.on("dialog", (dialog) => check(false, `${screen}: a dialog says ${dialog.message()}`));
    page.on("request", (request) => check(request.url().startsWith(origin), `${screen}: asks for ${request.url()}`));
    await page.goto(address);
    return page;
}

// Runs in the page: returns the first element that reaches over the edge of the screen, unless it is in a box that scrolls by itself.
// The width of the document says nothing, since what is too wide is cut off.
function find_wide(scrolling) {
    const wide = [...document.querySelectorAll("#app *")].find((element) => {
        const { right, width } = element.getBoundingClientRect();
        return width > 0 && right > innerWidth + 1 && !element.closest(scrolling);
    });
    return wide?.outerHTML.slice(0, 100);
}

async function look_at(page, screen, place) {
    await page.evaluate((fragment) => { location.hash = fragment; }, `#/${place}`);
    await page.waitForTimeout(SETTLED);
    check(!await page.evaluate(find_wide, SCROLLING), `${screen}, ${place}: wider than the screen: ${await page.evaluate(find_wide, SCROLLING)}`);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map((one) => `${one.id}: ${one.nodes[0].html}`));
    for (const violation of found) check(false, `${screen}, ${place}: ${violation}`);
    await page.screenshot({ path: join(shots, `inspector_${screen}_${place.replace(/\W+/g, "_")}.png`) });
}

async function go_through(browser, screen) {
    const begin = Date.now();
    const page = await open(browser, screen);
    await page.waitForSelector("main table", { timeout: 10000 });
    check(Date.now() - begin < FIRST_VALUES, `${screen}: the first values came after ${Date.now() - begin} ms`);
    check(!page.url().includes(token), `${screen}: the token stays in the address`);
    const facts = () => page.locator(".facts").innerText();
    const before = await facts();
    for (const place of PLACES) await look_at(page, screen, place);
    check(before !== await facts(), `${screen}: the figures of the header stand still`);

    await page.evaluate(() => { location.hash = "#/entities?list=all"; });
    const first = page.locator(".virtual tbody th a").first();
    const entity = /entity\/([^/]+)/.exec(await first.getAttribute("href"))[1];
    for (const part of PARTS) await look_at(page, screen, `entity/${entity}/${part}`);
    await look_at(page, screen, `entities?q=${encodeURIComponent(`#${entity}`)}`);
    check(await page.locator(".virtual tbody th a").count() === 1, `${screen}: the query #${entity} does not find one entity`);
    await page.context().close();
}

// A page without the token says so, and shows nothing of the world.
async function try_without_token(browser) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${origin}/#/world`);
    await page.waitForSelector("form.token");
    check(await page.locator("main table").count() === 0, "without the token the page shows a table");
    await page.context().close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
for (const screen of Object.keys(SCREENS)) await go_through(browser, screen);
await try_without_token(browser);
await browser.close();
console.log(failures.length === 0 ? "inspector: all views are fine" : `inspector: ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
