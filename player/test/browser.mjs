// Opens pages in headless Chromium. CHROMIUM names another program than Debian's.

import { chromium } from "playwright-core";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PAGE } from "./player.mjs";

const folder = mkdtempSync(join(tmpdir(), "player-"));

export async function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** Writes the page with these records to a file, as `informer-lab board` does, and returns its URL. */
export function pageFile(name, records, options = {}) {
  const fill = (page, id, type, text) =>
    page.replace(`<script type="${type}" id="${id}"></script>`, () => `<script type="${type}" id="${id}">${text.replaceAll("<", "\\u003c")}</script>`);
  let page = readFileSync(PAGE, "utf8");
  ["first", "second"].forEach((id, side) => { page = fill(page, id, "application/x-ndjson", records[side] ?? ""); });
  page = fill(page, "options", "application/json", JSON.stringify(options));
  const path = join(folder, `${name}.html`);
  writeFileSync(path, page);
  return pathToFileURL(path).href;
}

/** Opens a page. Its errors, and its requests to other origins, are collected in `faults`. */
export async function open(chromium, url, { width = 1280, height = 720, still = true, dark = false } = {}) {
  const context = await chromium.newContext({
    viewport: { width, height }, reducedMotion: still ? "reduce" : "no-preference", colorScheme: dark ? "dark" : "light", locale: "en-US",
  });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  page.on("request", (request) => { if (/^(https?|wss?):/.test(request.url()) && !request.url().startsWith(new URL(url).origin)) faults.push(request.url()); });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/**
 * Returns the lines in each box of the page, as the terminal has them, from top to bottom, and the number of hidden
 * lines.
 */
export function boxLines() {
  const parts = { server: [], queue: [], store: [], processor: [], work: [], workers: [] };
  const more = {};
  const place = (chip) => chip.getAttribute("transform").match(/[\d.]+/g).map(Number);
  const chips = [...document.querySelectorAll("#stages .chip")].sort((a, b) => place(a)[1] - place(b)[1] || place(a)[0] - place(b)[0]);
  for (const chip of chips) {
    const part = chip.dataset.part;
    if (chip.dataset.line && parts[part]) parts[part].push(chip.dataset.line);
    if (chip.dataset.id.startsWith("more:")) more[part] = (more[part] ?? 0) + Number(chip.textContent.replace(/\D/g, ""));
  }
  return { parts, more, heading: document.getElementById("heading").textContent,
    said: [...document.querySelectorAll("#said p")].map((p) => p.textContent) };
}
