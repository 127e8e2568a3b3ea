// SPDX-License-Identifier: MIT
// Opens every page of out/book from the disk in Chromium, on a desktop's screen and a phone's. Fails for an error on the console, a
// file that is missing, a request to another machine, a page that is wider than the screen, or a link whose target or heading does
// not exist. Searches for some words, too. Called by run.sh: book.mjs BOOK SHOTS
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [book, shots] = process.argv.slice(2).map((path) => resolve(path));
const SCREENS = {
    desktop: { viewport: { width: 1280, height: 800 } },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};
// Pages to look at: pictures of these are kept.
const PICTURES = ["index", "start/index", "start/square_eater", "guide/systems", "tasks/find", "tasks/saves", "understand/graph",
    "coming_from/flecs", "reference/cheat_sheet", "reference/errors", "reference/api/edit"];
// What a reader may search for, and the page that has to be among the results.
const SEARCHES = { singleton: "guide/uniques", "structural change": "reference/glossary", rollback: "tasks/rollback", keel_add_entity: "reference/api/typed_verbs" };
const failures = [];

function check(is_right, what) {
    if (is_right || failures.includes(what)) return;
    failures.push(what);
    console.log(`  FAILED: ${what}`);
}

function files(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? (entry.name.startsWith("_") ? [] : files(join(folder, entry.name))) :
            entry.name.endsWith(".html") ? [join(folder, entry.name)] : []);
}

const headings = new Map(); // the ids of a page
function ids(path) {
    if (!headings.has(path)) headings.set(path, new Set([...readFileSync(path, "utf8").matchAll(/ id="([^"]*)"/g)].map((m) => m[1].replaceAll("&#64;", "@"))));
    return headings.get(path);
}

function check_links(page, links) {
    for (const link of links) {
        if (!link.startsWith("file:")) {
            check(/^(https?:|mailto:)/.test(link), `${page}: a link to ${link}`);
            continue;
        }
        const [address, heading] = link.split("#");
        const path = fileURLToPath(address.split("?")[0]);
        const there = existsSync(path) && statSync(path).isFile();
        check(there, `${page}: there is no ${relative(book, path)}`);
        if (there && heading && path.endsWith(".html"))
            check(ids(path).has(decodeURIComponent(heading)), `${page}: there is no #${heading} in ${relative(book, path)}`);
    }
}

async function visit(page, path, screen) {
    const name = relative(book, path);
    page.removeAllListeners();
    page.on("console", (message) => check(message.type() !== "error", `${name}, ${screen}: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `${name}, ${screen}: ${error.message}`));
    page.on("requestfailed", (request) => check(request.failure().errorText === "net::ERR_ABORTED", `${name}, ${screen}: no ${request.url()}`));
    page.on("request", (request) => check(/^(file:|data:|blob:)/.test(request.url()), `${name}: asks for ${request.url()}`));
    await page.goto(pathToFileURL(path).href);
    const seen = await page.evaluate(() => ({
        links: [...document.querySelectorAll("a[href]")].map((a) => a.href),
        overflow: document.documentElement.scrollWidth - innerWidth,
        broken: [...document.images].filter((i) => i.complete && i.naturalWidth === 0).map((i) => i.getAttribute("src")),
        title: document.querySelector("h1")?.textContent ?? "",
    }));
    check(seen.overflow <= 0, `${name}, ${screen}: the page is ${seen.overflow} pixels wider than the screen`);
    check(seen.broken.length === 0, `${name}: no picture ${seen.broken}`);
    check(seen.title !== "" || /genindex|search/.test(name), `${name}: the page has no title`);
    if (screen === "desktop") check_links(name, seen.links);
    const picture = PICTURES.find((p) => name === `${p}.html`);
    if (picture) await page.screenshot({ path: join(shots, `book-${picture.replaceAll("/", "-")}-${screen}.png`) });
}

async function check_search(page, words, wanted) {
    await page.goto(pathToFileURL(join(book, "search.html")).href + "?q=" + encodeURIComponent(words));
    const found = await page.waitForSelector("ul.search li", { timeout: 10000 }).catch(() => null);
    await page.waitForTimeout(1000);
    const results = await page.evaluate(() => [...document.querySelectorAll("ul.search li > a")].map((a) => a.href));
    check(found && results.some((r) => r.includes(`/${wanted}.html`)), `search: '${words}' does not find ${wanted}.html`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const pages = files(book);
for (const [screen, options] of Object.entries(SCREENS)) {
    const page = await (await browser.newContext(options)).newPage();
    for (const path of pages) await visit(page, path, screen);
    page.removeAllListeners();
    if (screen === "desktop") for (const [words, wanted] of Object.entries(SEARCHES)) await check_search(page, words, wanted);
}
await browser.close();
console.log(`${pages.length} pages, 2 screens, ${failures.length ? failures.length + " failures" : "no failure"}`);
process.exit(failures.length ? 1 : 0);
