// Tests of a live run, which the program itself plays: actions in the page have their effects, and requests from
// other origins are refused.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, open } from "../browser.mjs";
import { run } from "../player.mjs";

const PROGRAM = process.env.INFORMER_LAB ?? fileURLToPath(new URL("../../../target/debug/informer-lab", import.meta.url));

const programs = [];

/** Starts a live run of a lesson, and returns the address of its page. */
function follow(...lesson) {
  const program = spawn(PROGRAM, ["board", ...lesson, "--follow", "--lang", "en"], { stdio: ["ignore", "ignore", "pipe"] });
  programs.push(program);
  const lines = createInterface({ input: program.stderr });
  return new Promise((found) => lines.on("line", (line) => {
    const at = line.match(/http:\/\/\S+\//);
    if (at) found(at[0]);
  }));
}

let chromium, address;
before(async () => {
  address = await follow("reflector", "--known-objects");
  chromium = await browser();
});
after(async () => {
  for (const program of programs) program.kill("SIGKILL");
  await chromium?.close();
});

/** Sends a request with these headers, and returns its status. */
function status(path, method, headers, body = "run stranger") {
  return new Promise((answered, failed) => {
    const sent = request(new URL(path, address), { method, headers }, (answer) => { answer.destroy(); answered(answer.statusCode); });
    sent.on("error", failed);
    sent.end(method === "POST" ? body : undefined);
  });
}

const said = (page, part) => page.waitForFunction((part) => document.getElementById("said").textContent.includes(part), part);

/** Waits until some event of the run has this text. */
const happens = (page, part) => page.waitForFunction((part) => {
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  press("G");
  for (let at = 0; at < 400; at++) {
    if (document.getElementById("said").textContent.includes(part)) return true;
    if (document.getElementById("heading").textContent.startsWith("1/")) return false;
    press("ArrowLeft");
  }
  return false;
}, part, { polling: 100 });

test("each button does what the keyboard does", async () => {
  const { page, faults, close } = await open(chromium, address);
  await page.locator("#acts button").first().waitFor();
  await page.locator("#acts input").fill("mine");
  const acts = [
    ["run NAME", "kubectl run mine"],
    ["label NAME tier=front", "kubectl label pod mine tier=front"],
    ["scale NAME 5", "kubectl scale replicaset mine"],
    ["resync", "resync"],
    ["late", "this lesson takes no other handler"],
    ["cut", "the connection is cut"],
    ["heal", "connected again"],
    ["fault hide-events:times=1", "hide-events"],
    ["fault compact", "compact"],
    ["delete NAME", "kubectl delete pod mine"],
  ];
  for (const [act, said] of acts) {
    await page.locator(`[data-act="${act}"]`).click();
    await happens(page, said);
  }
  const buttons = await page.locator("#acts button").evaluateAll((buttons) => buttons.map((button) => button.dataset.act));
  assert.deepEqual(buttons.filter((act) => !acts.some(([clicked]) => clicked === act)), ["slow 2000"], "the next test has an informer for it");
  const names = await page.locator("#controls select option").evaluateAll((options) => options.map((option) => option.value));
  for (const name of ["watched", "stored", "resynced", "watch_failed"]) assert.ok(names.includes(name), `${name} came later, and can be chosen: ${names}`);
  assert.deepEqual(faults, []);
  await close();
});

test("a late handler gets every object, and a slow one keeps its notifications waiting", async () => {
  const { page, faults, close } = await open(chromium, await follow("shared", "--step", "list-watch"));
  await page.locator('[data-act="late"]').click();
  await happens(page, "handler 2 joins while the informer runs");
  await page.locator('[data-act="slow 2000"]').click();
  await happens(page, "take 2000 ms for each notification");
  await page.locator("#acts input").fill("mine");
  await page.locator('[data-act="run NAME"]').click();
  // Its lane in the picture shows the pod at some event, waiting or being handled.
  await page.waitForFunction(() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "G", bubbles: true }));
    const lane = [...document.querySelectorAll('.chip[data-part="processor"]')].find((chip) => chip.dataset.line?.startsWith("2: "));
    return lane?.dataset.line.includes("mine");
  }, undefined, { polling: 100 });
  assert.deepEqual(faults, []);
  await close();
});

test("a refused line does not end the run, and the page says why", async () => {
  const { page, close } = await open(chromium, address);
  await page.locator("#acts button").first().waitFor();
  await page.locator("#acts input").fill("x".repeat(1001));
  await page.locator('[data-act="run NAME"]').click();
  await said(page, "too long");
  await page.route("**/typed", (route) => route.fulfill({ status: 429 }));
  await page.locator('[data-act="resync"]').click();
  await said(page, "Try again in a moment");
  await close();
});

test("an opened file replaces the live run", async () => {
  const { page, close } = await open(chromium, "about:blank");
  await page.addInitScript(() => {
    const { EventSource } = window;
    window.EventSource = class extends EventSource { constructor(address) { super(address); window.stream = this; } };
  });
  await page.goto(address);
  await page.waitForFunction(() => document.getElementById("name").textContent.startsWith("reflector"));
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "run.ndjson"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, run("late").record);
  await said(page, "does not follow the run any more");
  assert.equal(await page.evaluate(() => window.stream.readyState), 2, "its stream is closed");
  assert.ok(await page.locator("#acts").isHidden(), "nothing can be done in a run that is not shown");
  await close();
});

test("the page says why the events end", async () => {
  const { page, close } = await open(chromium, "about:blank");
  const answers = [
    [{ status: 200, contentType: "text/event-stream", body: "event: end\ndata: full\n\n" }, "a page takes no more"],
    [{ status: 200, contentType: "text/event-stream", body: "event: end\ndata: ended\n\n" }, "The run has ended"],
    [{ status: 503, body: "" }, "too many pages"],
  ];
  for (const [answer, part] of answers) {
    await page.route("**/events", (route) => route.fulfill(answer));
    await page.goto(address);
    await said(page, part);
    await page.unroute("**/events");
  }
  await close();
});

test("requests from other origins and with other host names are refused", async () => {
  assert.equal(await status("typed", "POST", { origin: "http://evil.example" }), 403);
  assert.equal(await status("events", "GET", { host: "evil.example" }), 403);
  assert.equal(await status("", "GET", { host: "evil.example" }), 403);
  assert.equal(await status("", "GET", {}), 200);
});
