// Measures a long record in Chromium's own trace: the main thread's processor time for script, style, layout and
// painting. The limits are those that the page promises; the measured figures are printed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, open, pageFile } from "../browser.mjs";
import { long } from "../player.mjs";

const [EVENTS, OBJECTS, FRAMES] = [10_000, 200, 240];

let chromium;
before(async () => { chromium = await browser(); });
after(() => chromium.close());

/** Returns Chromium's trace of an action, each event with its times in microseconds. */
async function traced(page, does) {
  const session = await page.context().newCDPSession(page);
  const chunks = [];
  session.on("Tracing.dataCollected", ({ value }) => chunks.push(...value));
  const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.start", { traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "blink.user_timing"] }, transferMode: "ReportEvents" });
  await does();
  await session.send("Tracing.end");
  await complete;
  return chunks;
}

/** Returns the tasks of the page's main thread, in order. A mark that the page has set identifies the page. */
function mainTasks(trace) {
  const mark = trace.find(({ name }) => name === "this page");
  return trace.filter(({ name, ph, pid, tid }) => ph === "X" && /RunTask/.test(name) && pid === mark.pid && tid === mark.tid).sort((a, b) => a.ts - b.ts);
}

const sum = (tasks) => tasks.reduce((all, { tdur, dur }) => all + (tdur ?? dur), 0) / 1000;

test("10,000 events open in under a second, and play with less than 8 ms of main-thread work a frame", async (context) => {
  const url = pageFile("speed", [long(EVENTS, OBJECTS)], { lang: "en", at: EVENTS / 2 });
  const { page, close } = await open(chromium, "about:blank", { still: false });
  const opening = mainTasks(await traced(page, async () => {
    await page.goto(url);
    await page.evaluate(() => performance.mark("this page"));
  }));
  const playing = await traced(page, () => page.evaluate(async (frames) => {
    performance.mark("this page");
    for (let times = 0; times < 3; times++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ">", bubbles: true }));
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    for (let frame = 0; frame < frames; frame++) await new Promise((shown) => requestAnimationFrame(() => { performance.mark("frame"); shown(); }));
  }, FRAMES));
  const step = Number((await page.locator("#heading").textContent()).split("/")[0]);
  await close();
  const tasks = mainTasks(playing);
  const begins = playing.filter(({ name }) => name === "frame").map(({ ts }) => ts).sort((a, b) => a - b);
  assert.ok(begins.length > FRAMES * 0.9, `${begins.length} frames`);
  assert.ok(step > EVENTS / 2 + 10, `it played: at ${step}`);
  // The work of a frame: the tasks that begin before the next frame's callback.
  const work = begins.slice(1).map((to, at) => sum(tasks.filter(({ ts }) => ts >= begins[at] && ts < to))).sort((a, b) => a - b);
  const [median, most] = [work[Math.floor(work.length / 2)], work[Math.floor(work.length * 0.95)]];
  context.diagnostic(`opens with ${sum(opening).toFixed(0)} ms of main-thread work; a frame: median ${median.toFixed(2)} ms, 95 of 100 below ${most.toFixed(2)} ms`);
  assert.ok(sum(opening) < 1000, `opening takes ${sum(opening)} ms`);
  // The second bound is generous, because the machine may be slow.
  assert.ok(median < 8 && most < 16, `a frame takes ${median} ms, 95 of 100 up to ${most} ms`);
});
