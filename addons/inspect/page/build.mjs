// SPDX-License-Identifier: MIT
// Bundles the page into one HTML file and writes it as C, or compares it with the C that is there. Called by tools/build_inspector_page:
// build.mjs page.c LICENSES.txt [--check]
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const [target, texts, mode] = process.argv.slice(2);
const LIMIT = 140; // columns of a line
const LIBRARIES = ["preact", "htm", "uplot", "@dagrejs/dagre", "@dagrejs/graphlib"];
const SOURCES = /\.(js|css|html|mjs)$|^package(-lock)?\.json$/;

const sha256 = (text, form) => createHash("sha256").update(text).digest(form);

function hashSources() {
    const hash = createHash("sha256");
    for (const name of readdirSync(".")
        .filter((file) => SOURCES.test(file))
        .sort())
        hash.update(`${name}\n`).update(readFileSync(name));
    return hash.digest("hex");
}

// The licences of what is bundled ask for their text beside it.
function licenses() {
    const texts = LIBRARIES.map((name) => {
        const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`));
        const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8").replace(/[ \t]+$/gm, "");
        return `---- ${name} ${version} ----\n\n${text.trim()}\n`;
    });
    return ["The libraries that are bundled into the page of the inspector, addons/inspect/page.c, and their licences.\n", ...texts].join("\n");
}

async function bundle() {
    const { outputFiles } = await build({
        entryPoints: ["main.js"],
        bundle: true,
        minify: true,
        write: false,
        outdir: "out",
        format: "iife",
        target: ["chrome115", "firefox115", "safari16.4"],
        legalComments: "none",
        charset: "utf8",
    });
    const text = (end) => outputFiles.find((file) => file.path.endsWith(end)).text.trim();
    return { script: text(".js"), style: text(".css") };
}

// A replacement by function: a `$` in the bundle is a `$`.
function assemble({ script, style }) {
    return readFileSync("index.html", "utf8")
        .replace("/*style*/", () => style)
        .replace("/*script*/", () => script);
}

function policy({ script, style }) {
    const hash = (text) => `'sha256-${sha256(text, "base64")}'`;
    return [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ];
}

function lines(bytes) {
    const list = [];
    let line = "   ";
    for (const byte of bytes) {
        if (line.length + String(byte).length + 2 > LIMIT) {
            list.push(line);
            line = "   ";
        }
        line += ` ${byte},`;
    }
    return [...list, line].join("\n").replaceAll(", ", ",").replace(/^ +/gm, "    ");
}

function print(html, rules, hash) {
    const bytes = gzipSync(html, { level: 9 });
    return `// SPDX-License-Identifier: MIT
// The page of the inspector, compressed by gzip, and its security policy. It is made from page/ by
// tools/build_inspector_page, and not edited by hand; the server sends it. page/LICENSES.txt has
// the licences of what is bundled. The next line is the hash of the sources:
//
// ${hash}
#include "page.h"

// clang-format off
const char keeli_inspect_page_policy[] =
${rules.map((rule, at) => `    "${rule}${at + 1 < rules.length ? "; " : ""}"`).join("\n")};
const size_t keeli_inspect_page_size = ${bytes.length};
const size_t keeli_inspect_page_plain_size = ${Buffer.byteLength(html)};
const unsigned char keeli_inspect_page[] = {
${lines(bytes)}
};
`;
}

// Reads the page out of a page.c: gzip may write other bytes for the same page with another version of zlib, so the page is compared.
function read(text) {
    const bytes = text
        .slice(text.indexOf("keeli_inspect_page[] = {"))
        .match(/\d+(?=,)/g)
        .map(Number);
    const rules = text
        .slice(text.indexOf("_policy[]"), text.indexOf("keeli_inspect_page_size"))
        .match(/"[^"]*"/g)
        .map((part) => part.slice(1, -1));
    return { html: gunzipSync(Buffer.from(bytes)).toString(), policy: rules.join(""), hash: text.match(/^\/\/ ([0-9a-f]{64})$/m)?.[1] };
}

const parts = await bundle();
const html = assemble(parts);
const rules = policy(parts);
const hash = hashSources();
if (mode === "--check") {
    const there = read(readFileSync(target, "utf8"));
    const wrong = [
        there.html !== html && "the page",
        there.policy !== rules.join("; ") && "the policy",
        there.hash !== hash && "the hash",
        readFileSync(texts, "utf8") !== licenses() && "LICENSES.txt",
    ].filter(Boolean);
    if (wrong.length > 0) {
        console.error(`addons/inspect/page/ makes other bytes: ${wrong.join(", ")}; run tools/build_inspector_page`);
        process.exit(1);
    }
} else {
    writeFileSync(target, print(html, rules, hash));
    writeFileSync(texts, licenses());
}
console.log(`page: ${Buffer.byteLength(html)} bytes, ${gzipSync(html, { level: 9 }).length} with gzip`);
