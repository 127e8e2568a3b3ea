// SPDX-License-Identifier: MIT
// What inspector.mjs needs to start programs and to drive their pages: a browser, contexts, clicks that wait, checks.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const SCREENS = {
    desktop: { viewport: { width: 1280, height: 800 } },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};
const WAIT = 8000; // milliseconds, for a machine that is busy
export const failures = [];
let browser = null;
let port = 0;
const running = new Set();

export function check(isRight, what) {
    if (isRight) return;
    failures.push(what);
    console.log(`  FAILED: ${what}`);
}

// Finds a port that nobody uses. A program that is started again gets the same.
function freePort() {
    return new Promise((done) => {
        const server = createServer();
        server.listen(0, "127.0.0.1", () => {
            const { port: free } = server.address();
            server.close(() => done(free));
        });
    });
}

export async function begin(shots) {
    mkdirSync(shots, { recursive: true });
    port = await freePort();
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
}

export async function end() {
    await browser.close();
    for (const program of running) program.kill();
}

/** Starts a program with a planted fault, and waits until it has printed its address. */
export function start(folder, name) {
    const program = spawn(join(folder, name), [String(port)], { stdio: ["ignore", "ignore", "pipe"] });
    running.add(program);
    return new Promise((done, refuse) => {
        let said = "";
        program.on("exit", (status) => {
            running.delete(program);
            refuse(new Error(`${name} has ended with ${status}: ${said}`));
        });
        program.stderr.on("data", (chunk) => {
            said += chunk;
            const address = /http:\S+/.exec(said);
            if (!address) return;
            program.address = address[0];
            done(program);
        });
    });
}

export function stop(program) {
    if (program.exitCode !== null) return Promise.resolve();
    return new Promise((done) => {
        program.on("exit", (status) => {
            check(status === 0, `a program has ended with ${status}`);
            done();
        });
        program.kill("SIGTERM");
    });
}

/** Opens the page of a program, and waits until it shows frames. Errors of the console are failures, unless `page.mayLose`. */
export async function open(screen, program, name) {
    const context = await browser.newContext(SCREENS[screen]);
    const page = await context.newPage();
    page.on("console", (message) => check(message.type() !== "error" || page.mayLose, `${name}, ${screen}: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `${name}, ${screen}: ${error.message}`));
    await page.goto(program.address);
    await waitForFrame(page, 1);
    return page;
}

export const close = (page) => page.context().close();

const frameOf = () => Number((document.querySelector(".facts b")?.textContent ?? "0").replace(/\D/g, ""));

/** Waits until the page shows this frame or a later one. */
export async function waitForFrame(page, least) {
    const until = Date.now() + WAIT + least * 50;
    while (Date.now() < until) {
        if (await page.evaluate(frameOf) >= least) return;
        await page.waitForTimeout(100);
    }
    check(false, `the page does not come to frame ${least}`);
}

export const click = (locator) => locator.click({ timeout: WAIT });

/** Presses a key where no field has the focus. */
export async function press(page, key) {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press(key);
    await page.waitForTimeout(200);
}

/** Returns whether a text or pattern is on the page, now or soon. */
export async function text(page, wanted, patience = WAIT, where = "main") {
    const until = Date.now() + patience;
    do {
        const all = await page.locator(where).innerText();
        if (wanted instanceof RegExp ? wanted.test(all) : all.includes(wanted)) return true;
        await page.waitForTimeout(100);
    } while (Date.now() < until);
    return false;
}

/** Fails if the page is wider than the screen. */
export async function overflow(page, name) {
    const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    check(width <= room, `${name}: the page is ${width} pixels wide on a screen of ${room}`);
}

export const picture = (page, path) => page.screenshot({ path });

/** Runs one question, prints what it is and how long it took; what it throws is a failure. */
export async function attempt(name, run) {
    const before = Date.now();
    try {
        await run();
    } catch (error) {
        check(false, `${name}: ${error.message.split("\n").slice(0, 3).join(" ")}`);
        for (const program of [...running]) await stop(program);
        await Promise.all(browser.contexts().map((context) => context.close()));
    }
    console.log(`${name}: ${((Date.now() - before) / 1000).toFixed(1)} s`);
}
