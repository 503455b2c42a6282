// Tests of the website that .ci/site has built in target/site (SITE names another folder): in headless Chromium, from
// a static host under a path, as GitHub Pages serves it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, open } from "../browser.mjs";

const SITE = process.env.SITE ?? fileURLToPath(new URL("../../../target/site", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const UNDER = "/informer-lab/";
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png" };

/** Returns the file for a path of the site, or undefined. */
function fileOf(path) {
  const file = join(SITE, normalize(decodeURIComponent(path)));
  const found = existsSync(file) && statSync(file).isDirectory() ? join(file, "index.html") : file;
  return existsSync(found) ? found : undefined;
}

let chromium, server, address;
before(async () => {
  chromium = await browser();
  server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url, "http://site");
    const file = pathname.startsWith(UNDER) ? fileOf(pathname.slice(UNDER.length)) : undefined;
    answer.writeHead(file ? 200 : 404, { "content-type": TYPES[extname(file ?? "")] ?? "application/octet-stream" });
    answer.end(file ? readFileSync(file) : "not there");
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  address = `http://127.0.0.1:${server.address().port}${UNDER}`;
});
after(async () => {
  server.close();
  await chromium?.close();
});

/** Waits until the frame of the first page shows so many runs, and returns the frame. */
async function shows(page, runs) {
  const frame = page.frame({ name: "run" });
  await frame.waitForFunction((runs) => document.querySelectorAll(".stage").length === runs, runs);
  return frame;
}

for (const [path, lang, run] of [["", "en", "1 · Run"], ["index.zh.html", "zh-CN", "1 · 运行"]]) {
  test(`the first page (${lang}) runs the program that loses a deletion, and then the other one beside it`, async () => {
    const { page, faults, close } = await open(chromium, address + path);
    assert.equal(await page.locator("html").getAttribute("lang"), lang);
    const frame = await shows(page, 1);
    assert.equal(await frame.locator("html").getAttribute("lang"), lang);
    await frame.locator(".stage").evaluate((stage) => { stage.dataset.before = "it ran again"; });
    await page.getByRole("link", { name: run }).press("Enter");
    await frame.locator(".stage:not([data-before])").waitFor();
    await frame.locator("#stages").press("End");
    const alone = await frame.locator("#trace").textContent();
    assert.ok(alone.includes("Updated : nettool : Running") && !alone.includes("Deleted"), "the disease");
    await page.locator(".button.second").press("Enter");
    await shows(page, 2);
    await frame.locator("#stages").press("End");
    const [left, right] = await frame.locator(".stage .trace").allTextContents();
    assert.ok(!left.includes("Deleted") && right.includes("Deleted : nettool : Running"), "the cure");
    assert.deepEqual(faults, []);
    await close();
  });
}

/** The pages that axe examines: one of each sort, and each that is written by hand. */
const PAGES = [
  "", "index.zh.html", "boards/", "boards/index.zh.html", "board.html", "playground.html#run=relist", "boards/relist-known-objects-classic.html",
  "boards/puzzle.html#at=dropped", "en/04-reflector.en.html", "zh/04-reflector.zh.html", "en/glossary.en.html", "docs/", "docs/library.html", "docs/zh/cluster.html",
];

for (const [width, height] of [[1280, 800], [390, 844]]) {
  for (const dark of [false, true]) {
    test(`axe finds no violation at ${width}×${height}, ${dark ? "dark" : "light"}`, async (context) => {
      for (const path of PAGES) await context.test(path, async () => {
        const { page, faults, close } = await open(chromium, address + path, { width, height, dark });
        if (path === "" || path === "index.zh.html") await shows(page, 1);
        for (const frame of page.frames()) if (frame.url() !== "") await frame.evaluate(AXE); // a figure that is far below is not loaded yet
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.html} ${node.failureSummary}`).slice(0, 4).join("\n")}`), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
        assert.deepEqual(faults, [], "and it asks no other origin for anything");
        if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${path.replace(/\W+/g, "-")}-${width}${dark ? "-dark" : ""}.png`), fullPage: true });
        await close();
      });
    });
  }
}

/** Returns all pages of the site, without those that rustdoc and mdBook make for themselves. */
function pages(folder = "") {
  return readdirSync(join(SITE, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return path === "api" ? [] : pages(`${path}/`);
    return /\.html$/.test(path) && !/(404|toc|print)\.html$/.test(path) ? [path] : [];
  });
}

test("every link of a page leads to a page of the site, or to another host", () => {
  const broken = pages().flatMap((path) => {
    const text = readFileSync(join(SITE, path), "utf8").replace(/<script[\s\S]*?<\/script>/g, "");
    const links = [...text.matchAll(/ (?:href|src)="([^"#]*)(#[^"]*)?"/g)].map(([, link]) => link.replaceAll("&amp;", "&"));
    return links.filter((link) => link !== "" && !/^(https?|data|mailto):/.test(link) && !fileOf(new URL(link, `http://site/${path}`).pathname.slice(1)))
      .map((link) => `${path}: ${link}`);
  });
  assert.deepEqual([...new Set(broken)], []);
});

test("every board has a title of its own", () => {
  const boards = pages("boards/").filter((path) => /-(classic|modern)\.html$/.test(path) && !path.includes("/eras-"));
  const titles = boards.map((path) => readFileSync(join(SITE, path), "utf8").match(/<title>(.*?)<\/title>/)[1]);
  assert.ok(boards.length > 60, `${boards.length} boards`);
  assert.equal(new Set(titles).size, titles.length, titles.sort().join("\n"));
});

test("the list of boards names every lesson once in each language, and the player alone lists them too", async () => {
  const { runs } = JSON.parse(readFileSync(new URL("../../src/runs.json", import.meta.url), "utf8"));
  for (const path of ["boards/", "boards/index.zh.html"]) {
    const { page, close } = await open(chromium, address + path);
    assert.deepEqual((await page.locator("li > a:first-child").allTextContents()).sort(), runs.map(({ command }) => command).sort());
    await close();
  }
  const { page, close } = await open(chromium, `${address}board.html`);
  const links = await page.locator("#lessons a").evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
  assert.deepEqual(links.filter((link) => !fileOf(link.slice(UNDER.length))), []);
  assert.equal(links.length, runs.length);
  await close();
});

test("a link to the site is shown with a picture", () => {
  for (const [path, lang] of [["index.html", "en"], ["index.zh.html", "zh"]]) {
    const text = readFileSync(join(SITE, path), "utf8");
    assert.ok(text.includes(`<meta property="og:image" content="https://informer-lab.github.io/informer-lab/card.${lang}.png">`));
    const picture = readFileSync(join(SITE, `card.${lang}.png`));
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1200, 630]);
  }
});
