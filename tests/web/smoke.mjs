// SPDX-License-Identifier: MIT
// Opens each page of out/web in Chromium, on a desktop's screen and a phone's, and fails unless the program draws its
// first frame soon, reacts to keys and fingers, and reports no error. Called by run.sh: smoke.mjs SITE SHOTS [PROGRAM...]
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [site, shots, ...chosen] = process.argv.slice(2);
const FIRST_FRAME = 2000; // milliseconds
const SCREENS = {
    desktop: { viewport: { width: 1280, height: 800 } },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png" };
const programs = ["square_eater", "swarm", "orrery"].filter((name) => existsSync(join(site, name + ".html")) &&
    (chosen.length === 0 || chosen.includes(name)));
const failures = [];

function check(is_right, what) {
    if (is_right) return;
    failures.push(what);
    console.log(`  FAILED: ${what}`);
}

// Serves the files of a folder on a free port of this machine.
function serve(folder) {
    const root = resolve(folder);
    const server = createServer((request, answer) => {
        const path = normalize(join(root, decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
        if (!path.startsWith(root) || !existsSync(path)) return answer.writeHead(404).end();
        answer.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/plain" }).end(readFileSync(path));
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// Opens a page; what it reports and asks for in vain is a failure.
async function open(browser, screen, address, name) {
    const context = await browser.newContext(SCREENS[screen]);
    const page = await context.newPage();
    page.on("console", (message) => check(message.type() !== "error", `${name}, ${screen}: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `${name}, ${screen}: ${error.message}`));
    page.on("requestfailed", (request) => check(false, `${name}, ${screen}: no ${request.url()}`));
    page.on("response", (answer) => check(answer.status() < 400, `${name}, ${screen}: ${answer.status()} ${answer.url()}`));
    const own = /^(http:\/\/127\.0\.0\.1|file:|data:|blob:)/;
    page.on("request", (request) => check(own.test(request.url()), `${name}: asks for ${request.url()}`));
    await page.goto(address);
    return page;
}

// Returns what the program tells of itself, as text that differs when something has changed.
const state = (page) => page.evaluate(() => JSON.stringify(window.keelState ?? null));
const frame = (page) => page.evaluate(() => window.keelFrame);
const picture = async (page) => {
    const clip = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
    return (await page.screenshot({ clip })).toString("base64");
};

// Does something, and fails unless the state, or the picture of a program without one, is another then.
async function changes(page, name, what, act, part = null) {
    const see = async () => {
        const text = await state(page);
        if (text === "null") return picture(page);
        return part ? JSON.stringify(JSON.parse(text)[part]) : text;
    };
    const before = await see();
    await act();
    await page.waitForTimeout(400);
    check((await see()) !== before, `${name}: ${what} changes nothing`);
}

// Plays each program a little.
const plays = {
    async orrery(page, name, screen) {
        const box = await page.locator("#canvas").boundingBox();
        const middle = [box.x + box.width / 2, box.y + box.height / 2];
        if (screen === "phone") {
            await changes(page, name, "a tap on the Sun", () => page.touchscreen.tap(...middle), "followed");
            await changes(page, name, "a tap on the button +", () => page.touchscreen.tap(middle[0] + 78, box.y + box.height - 34), "zoom");
            await changes(page, name, "two fingers", () => pinch(page, ...middle), "zoom");
            return;
        }
        await changes(page, name, "the key right", () => page.keyboard.press("ArrowRight"), "speed");
        await changes(page, name, "the key +", () => page.keyboard.press("+"), "zoom");
        await changes(page, name, "the wheel", () => page.mouse.move(...middle).then(() => page.mouse.wheel(0, -200)), "zoom");
        await changes(page, name, "the key 5", () => page.keyboard.press("5"), "followed");
        await changes(page, name, "dragging", () => drag(page, ...middle), "followed");
        await changes(page, name, "the key Space", () => page.keyboard.press("Space"), "paused");
        const before = await state(page);
        await page.waitForTimeout(300);
        check((await state(page)) === before, `${name}: the time runs although it is paused`);
        await page.keyboard.press("Space");
        await changes(page, name, "time", () => page.waitForTimeout(300), "day");
    },
    async square_eater(page, name, screen) {
        const box = await page.locator("#canvas").boundingBox();
        const place = [box.x + box.width / 2, box.y + box.height / 2];
        const start = () => (screen === "phone" ? page.touchscreen.tap(...place) : page.keyboard.press("Enter"));
        await changes(page, name, "the start of a game", start, "phase");
        await changes(page, name, "time", () => page.waitForTimeout(800), "time");
        if (screen === "phone") return changes(page, name, "a finger", () => page.touchscreen.tap(place[0] + 90, place[1]), "x");
        await changes(page, name, "the key right", () => page.keyboard.press("ArrowRight", { delay: 300 }), "x");
        await changes(page, name, "the key P", () => page.keyboard.press("p"), "phase");
        await changes(page, name, "the key P again", () => page.keyboard.press("p"), "phase");
        const before = JSON.parse(await state(page)).time;
        await page.waitForTimeout(1500);
        await page.keyboard.press("z");
        await page.waitForTimeout(100);
        check(JSON.parse(await state(page)).time < before + 30, `${name}: the key Z does not go back in time`);
    },
    async swarm(page, name, screen) {
        const box = await page.locator("#canvas").boundingBox();
        const place = [box.x + box.width / 2, box.y + box.height / 2];
        await changes(page, name, "time", () => page.waitForTimeout(500));
        if (screen === "phone") return changes(page, name, "a tap", () => page.touchscreen.tap(...place));
        const before = (await frame(page)).entities;
        await page.keyboard.press("-");
        await page.waitForTimeout(1000);
        check((await frame(page)).entities !== before, `${name}: the key - changes no number`);
    },
};

async function drag(page, x, y) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 40, { steps: 4 });
    await page.mouse.up();
}

// Moves two fingers apart, which Playwright's touchscreen cannot.
async function pinch(page, x, y) {
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x: x - 40, y, id: 1 }, { x: x + 40, y, id: 2 }]);
    for (let way = 50; way <= 120; way += 10) await touch("touchMove", [{ x: x - way, y, id: 1 }, { x: x + way, y, id: 2 }]);
    await touch("touchEnd", []);
}

// The canvas fills what the bar leaves, and nothing is wider than the screen.
async function check_layout(page, name) {
    const sizes = await page.evaluate(() => {
        const box = document.getElementById("canvas").getBoundingClientRect();
        return { right: box.right, bottom: box.bottom, left: box.left, width: innerWidth, height: innerHeight,
            overflow: document.documentElement.scrollWidth, pixels: document.getElementById("canvas").width };
    });
    check(sizes.left === 0 && Math.abs(sizes.right - sizes.width) < 1, `${name}: the canvas is not as wide as the window`);
    check(Math.abs(sizes.bottom - sizes.height) < 1, `${name}: the canvas ends at ${sizes.bottom} of ${sizes.height}`);
    check(sizes.overflow <= sizes.width, `${name}: the page is wider than the screen`);
    check(sizes.pixels >= sizes.width - 1, `${name}: the canvas has ${sizes.pixels} pixels for ${sizes.width}`);
}

async function visit(browser, screen, address, program) {
    const name = `${program} on a ${screen}`;
    const page = await open(browser, screen, `${address}/${program}.html`, program);
    const seen = await page.waitForFunction(() => window.keelFirstFrame, null, { timeout: 15000 }).catch(() => null);
    check(seen, `${name}: no frame is drawn within 15 s`);
    if (seen) {
        const first = await seen.jsonValue();
        check(first < FIRST_FRAME, `${name}: the first frame comes after ${Math.round(first)} ms, the limit is ${FIRST_FRAME}`);
        await page.waitForTimeout(1200);
        await check_layout(page, name);
        await plays[program](page, name, screen);
        check(/work of a frame: \d/.test(await page.locator("#line").textContent()), `${name}: the page does not tell the work of a frame`);
        const { work, entities } = await frame(page);
        console.log(`${name}: first frame after ${Math.round(first)} ms, ` +
            `work of a frame ${work.toFixed(1)} ms, ${entities ?? "?"} entities`);
    }
    await page.screenshot({ path: join(shots, `${program}-${screen}.png`) });
    await page.context().close();
}

async function visit_start(browser, screen, address) {
    const page = await open(browser, screen, `${address}/index.html`, "index");
    const links = await page.locator("a").evaluateAll((all) => all.map((link) => link.href));
    for (const link of links) check((await page.request.get(link)).ok(), `index: the link ${link} leads nowhere`);
    check((await page.locator(".card").count()) >= programs.length, "index: a program has no card");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `index on a ${screen}: wider than the screen`);
    await page.screenshot({ path: join(shots, `index-${screen}.png`), fullPage: true });
    await page.context().close();
}

// Pages work without a server, say that WebGL is missing, and print why a program stops.
async function visit_special(browser, program) {
    const page = await open(browser, "desktop", pathToFileURL(resolve(site, program + ".html")).href, program);
    const seen = await page.waitForFunction(() => window.keelFirstFrame, null, { timeout: 15000 }).catch(() => null);
    check(seen, `${program} from a disk: no frame is drawn`);
    const context = await browser.newContext(SCREENS.phone);
    await context.addInitScript(() => { HTMLCanvasElement.prototype.getContext = () => null; });
    const poor = await context.newPage();
    await poor.goto(page.url());
    check(/no WebGL/.test(await poor.locator("#notice").innerText()), `${program} without WebGL: no notice`);
    await context.close();
    await page.goto(page.url() + "?no_such_option");
    await page.waitForFunction(() => !document.getElementById("notice").hidden, null, { timeout: 15000 }).catch(() => null);
    const notice = await page.locator("#notice").innerText();
    check(/no_such_option/.test(notice), `${program} with an option that it does not know says: ${notice}`);
    await page.context().close();
}

// Counts what goes wrong on the way as a failure, so that the other pages are visited, too.
const guard = (name, visiting) => visiting.catch((error) => check(false, `${name}: ${error.message}`));

if (programs.length === 0) {
    console.error(`smoke.mjs: ${site} has no page of ${chosen.join(", ") || "a program"}: run make web`);
    process.exit(2);
}
const server = await serve(site);
const address = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
for (const screen of Object.keys(SCREENS)) {
    await guard(`index on a ${screen}`, visit_start(browser, screen, address));
    for (const program of programs) await guard(`${program} on a ${screen}`, visit(browser, screen, address, program));
}
for (const program of programs) await guard(program, visit_special(browser, program));
await browser.close();
server.close();
console.log(failures.length ? `${failures.length} failed` : `${programs.length} programs, 2 screens, no failure`);
process.exit(failures.length ? 1 : 0);
