// SPDX-License-Identifier: MIT
// Opens the page with two machines in Chromium, on a desktop's screen and a phone's, plays on both sides, and moves the sliders by keys.
// Fails unless guesses and frames that are played again rise with the delay, both sides have the same world all the time, the page is no
// wider than the screen, and neither the console nor axe has a complaint. Called by run.sh: together.mjs SITE SHOTS
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [site, shots] = process.argv.slice(2);
const SCREENS = {
    desktop: { viewport: { width: 1280, height: 800 } },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" },
};
const PLAYING = 2;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const failures = [];

function check(is_right, what) {
    if (is_right) return;
    failures.push(what);
    console.log(`  FAILED: ${what}`);
}

const sides = (page) => page.evaluate(() => window.keelSides);
const state = (page) => page.evaluate(() => window.keelState);
const cells = (page) => page.locator("#sides tbody td").allInnerTexts();

// Moves a slider by keys to its begin or its end.
async function move(page, name, key) {
    await page.locator(`#${name}`).focus();
    await page.keyboard.press(key);
}

// Plays for some seconds with arrows, so that the other side has something to guess. Returns the most that was seen of each figure.
async function play(page, seconds) {
    const most = { guessed: [0, 0], again: [0, 0] };
    const keys = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"];
    await page.locator("#canvas").focus();
    await page.waitForTimeout(2500); // what was counted for the network before is over
    for (let i = 0; i < seconds * 4; ++i) {
        await page.keyboard.press(keys[i % keys.length], { delay: 200 });
        (await sides(page)).forEach((side, at) => {
            most.guessed[at] = Math.max(most.guessed[at], side.guessed);
            most.again[at] = Math.max(most.again[at], side.again);
        });
    }
    return most;
}

async function check_page(page, name) {
    const sizes = await page.evaluate(() => {
        const box = document.getElementById("canvas").getBoundingClientRect();
        return { overflow: document.documentElement.scrollWidth, width: innerWidth, bottom: box.bottom, height: innerHeight, canvas: box.height };
    });
    check(sizes.overflow <= sizes.width, `${name}: the page is wider than the screen`);
    check(sizes.bottom <= sizes.height + 1 && sizes.canvas > 200, `${name}: the canvas has ${sizes.canvas} pixels and ends at ${sizes.bottom}`);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await globalThis.axe.run({ preload: false })).violations.map((one) => `${one.id}: ${one.nodes[0].html}`));
    for (const violation of found) check(false, `${name}: ${violation}`);
}

// Returns where both sides are, if their worlds were the same up to now.
async function check_same(page, name) {
    const [left, right] = await sides(page);
    check(left.problem === "" && right.problem === "", `${name}: ${left.problem || right.problem}`);
    check(left.checked > 0 && right.checked > 0, `${name}: no frame was compared`);
    return Math.max(left.checked, right.checked);
}

async function open(browser, screen) {
    const page = await (await browser.newContext(SCREENS[screen])).newPage();
    page.on("console", (message) => check(message.type() !== "error", `${screen}: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `${screen}: ${error.message}`));
    page.on("requestfailed", (request) => check(false, `${screen}: no ${request.url()}`));
    await page.goto(pathToFileURL(resolve(site, "square_eater_together.html")).href);
    await page.waitForFunction(() => window.keelFirstFrame && window.keelSides, null, { timeout: 15000 });
    return page;
}

async function start(page, screen, name) {
    const box = await page.locator("#canvas").boundingBox();
    if (screen === "phone") await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 4);
    else await page.keyboard.press("Enter");
    await page.waitForFunction((playing) => window.keelState.phase === playing, PLAYING, { timeout: 5000 })
        .catch(() => check(false, `${name}: the game does not start`));
}

async function visit(browser, screen) {
    const name = `together on a ${screen}`;
    const page = await open(browser, screen);
    await start(page, screen, name);
    check((await cells(page)).every((text) => text !== "-"), `${name}: the table is empty`);

    for (const slider of ["delay", "jitter", "loss"]) await move(page, slider, "Home");
    check((await page.locator("output[for=delay]").innerText()) === "0 ms", `${name}: the slider does not tell its value`);
    const x = (await state(page)).x;
    const calm = await play(page, 2);
    check((await state(page)).x !== x, `${name}: the arrows move nothing`);
    const checked = await check_same(page, name);

    await move(page, "delay", "End");
    await move(page, "loss", "End");
    const bad = await play(page, 3);
    console.log(`${name}: guessed ${calm.guessed} to ${bad.guessed}, played again ${calm.again} to ${bad.again} frames a second`);
    for (const side of [0, 1]) {
        check(bad.guessed[side] > calm.guessed[side] + 10, `${name}: side ${side} guesses ${calm.guessed[side]} frames, and ${bad.guessed[side]}`);
        check(bad.again[side] > calm.again[side] + 20, `${name}: side ${side} plays ${calm.again[side]} again, and ${bad.again[side]}`);
    }
    // Hashes are packets that are lost, too.
    await page.waitForFunction((before) => window.keelSides.every((side) => side.checked > before), checked, { timeout: 30000 })
        .catch(() => check(false, `${name}: nothing more was compared`));
    await check_same(page, name);

    check(await page.locator("#automatic").isChecked(), `${name}: the right side does not play by itself`);
    await page.keyboard.press("d", { delay: 300 });
    await page.waitForTimeout(400);
    check(!await page.locator("#automatic").isChecked(), `${name}: WASD does not take over`);
    await page.locator("#automatic").check();
    await page.waitForTimeout(400);
    check(await page.locator("#automatic").isChecked(), `${name}: the box does not give the right side back`);
    await check_page(page, name);
    await page.screenshot({ path: join(shots, `together-${screen}.png`) });
    await page.context().close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
for (const screen of Object.keys(SCREENS)) await visit(browser, screen).catch((error) => check(false, `${screen}: ${error.message}`));
await browser.close();
console.log(failures.length ? `${failures.length} failed` : "together: 2 screens, no failure");
process.exit(failures.length ? 1 : 0);
