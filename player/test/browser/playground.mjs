// Tests of the playground: lessons are chosen, edited, run, compared and shared in the page.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, open, pageFile } from "../browser.mjs";
import { run } from "../player.mjs";
import { PACKED } from "../program.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let chromium, server, address;
before(async () => {
  chromium = await browser();
  const page = (options) => readFileSync(fileURLToPath(pageFile("playground", [], options)));
  server = createServer((asked, answer) => {
    const [content, type] = {
      "/": [page({ program: "informer-lab.wasm.gz" }), "text/html"],
      "/gone": [page({ program: "not-there.wasm.gz", lang: "en" }), "text/html"],
      "/informer-lab.wasm.gz": [PACKED, "application/octet-stream"],
    }[asked.url] ?? [];
    answer.writeHead(content ? 200 : 404, { "content-type": type ?? "text/plain" });
    answer.end(content ?? "not there");
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  address = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  server.close();
  await chromium?.close();
});

const shown = (page, part) => page.waitForFunction((part) => document.getElementById("name").textContent.includes(part) && !document.getElementById("playground").open, part);
/** Returns the number of events on the page's time line. */
const steps = (page) => page.locator("#heading").textContent().then((heading) => Number(heading.match(/\/(\d+)/)[1]));

test("a page without a record asks what to run, and shows the run", async (context) => {
  const { page, faults, close } = await open(chromium, address);
  const dialog = page.locator("#playground");
  await dialog.waitFor();
  const began = Date.now();
  await page.keyboard.press("Tab"); // from the lesson to the first era, because Enter on the lesson would open the list
  await dialog.locator("[type=submit]").click();
  await shown(page, "reflector");
  context.diagnostic(`loaded and run in ${Date.now() - began} ms; not judged: the machine may be busy`);
  assert.equal(await steps(page), run("reflector").record.split("\n").length);
  assert.equal(await page.evaluate(() => location.hash), "#run=reflector");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.locator("#heading").textContent()).startsWith("2/"));
  assert.deepEqual(faults, []);
  await close();
});

test("by the keyboard alone: another lesson, another era, a fault, beside the first", async () => {
  const { page, faults, close } = await open(chromium, `${address}#run=relist`);
  await shown(page, "relist");
  await page.keyboard.press("r");
  await page.locator("#playground").waitFor();
  await page.keyboard.type("reflector --known");
  await page.keyboard.press("Tab");
  await page.keyboard.type("modern");
  assert.equal(await page.locator("#playground select").first().inputValue(), "reflector --known-objects");
  for (let at = 0; at < 20 && (await page.evaluate(() => document.activeElement.textContent)) !== "Run beside"; at++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".stage").length === 2);
  const link = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
  assert.equal(link.get("run"), "relist");
  assert.equal(new URLSearchParams(link.get("beside")).get("run"), "reflector --known-objects");
  assert.equal(new URLSearchParams(link.get("beside")).get("client"), "modern");
  assert.deepEqual(faults, []);
  await close();
});

test("a link contains the whole run, and shows the same run to others", async () => {
  const first = await open(chromium, address);
  const { page } = first;
  const dialog = page.locator("#playground");
  await dialog.locator("select").first().selectOption("shared --step list-watch");
  await dialog.locator("input").fill("15");
  const scenario = dialog.locator("textarea").first();
  await scenario.fill('- {at: 1s, run: mine, image: "nginx:1.27"}\n');
  await dialog.locator("select").filter({ hasText: "hide-events" }).selectOption("hide-events");
  assert.equal(await scenario.inputValue(), '- {at: 1s, run: mine, image: "nginx:1.27"}\n- {at: 3s, fault: "hide-events"}\n');
  await dialog.locator("[type=submit]").click();
  await shown(page, "seed 15");
  const [link, all] = [await page.evaluate(() => location.href), await steps(page)];
  await page.keyboard.press("End");
  const end = await page.locator("#heading").textContent();
  await first.close();
  const second = await open(chromium, link);
  await shown(second.page, "seed 15");
  assert.equal(await steps(second.page), all);
  await second.page.keyboard.press("End");
  assert.equal(await second.page.locator("#heading").textContent(), end);
  await second.page.keyboard.press("r");
  assert.ok((await second.page.locator("#playground textarea").first().inputValue()).includes("run: mine"), "and can change it");
  assert.deepEqual(second.faults, []);
  await second.close();
});

test("the list of lessons runs the chosen one", async () => {
  const { page, faults, close } = await open(chromium, address);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "relist --known-objects" }).press("Enter");
  await shown(page, "relist --known-objects");
  assert.ok(await page.locator("#lessons").isHidden());
  assert.deepEqual(faults, []);
  await close();
});

test("a page that shows the playground in a frame says what runs, in which language, and whether it plays", async () => {
  const { page, faults, close } = await open(chromium, `${address}#run=reflector&embedded=1&lang=zh&speed=8&play=1`, { still: false });
  await page.waitForFunction(() => document.getElementById("heading").textContent.startsWith("10/"));
  assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
  await page.evaluate(() => { location.hash = "#run=reflector&beside=run%3Dreflector%2B--known-objects&at=difference&embedded=1&lang=zh"; });
  await page.waitForFunction(() => document.querySelectorAll(".stage").length === 2);
  assert.ok((await page.locator("#heading").textContent()).includes("≠"));
  await page.setViewportSize({ width: 900, height: 700 });
  assert.ok(await page.locator("body.embedded").isVisible(), "and it stays so when it is drawn again");
  assert.deepEqual(faults, []);
  await close();
});

test("a mistake is shown in the dialogue, and can be corrected", async () => {
  const { page, close } = await open(chromium, address);
  const dialog = page.locator("#playground");
  await dialog.locator("textarea").first().fill("- {at: soon, run: web}\n");
  await dialog.locator("[type=submit]").click();
  await page.waitForFunction(() => document.querySelector("#playground .wrong")?.textContent.includes("scenario.yaml:1"));
  await dialog.locator("textarea").first().fill('- {at: 1s, run: web, image: "nginx:1.27"}\n');
  await dialog.locator("[type=submit]").click();
  await shown(page, "reflector");
  await close();
});

test("the game: a goal is missed, then reached by clicks, and the best is kept", async () => {
  const { page, faults, close } = await open(chromium, `${address}#run=reflector`);
  await shown(page, "reflector");
  await page.locator("[data-does=goals]").click();
  const dialog = page.locator("#goals"), status = dialog.locator("[role=status]");
  const says = (words) => page.waitForFunction((words) => document.querySelector("#goals [role=status]").textContent.includes(words), words);
  const click = (name) => dialog.getByRole("button", { name, exact: true }).click();
  await dialog.locator("select").selectOption("ghost");
  await click("kubectl delete pod web-1");
  await click("Run");
  await says("Not reached.");
  await click("From the start");
  assert.equal(await status.textContent(), "");
  await click("Watches get no more events");
  await click("kubectl delete pod web-1");
  assert.equal(await dialog.locator("li").count(), 2);
  await click("Run");
  await says("Reached with 2 clicks.");
  assert.match(await dialog.locator("option[value=ghost]").textContent(), /^✓ .* \(best 2\)$/);
  await click("See it on the board");
  assert.equal(await dialog.isVisible(), false);
  assert.deepEqual(faults, []);
  await close();
});

test("a run that takes too long is ended, and the next one runs", async () => {
  const { page, faults, close } = await open(chromium, address);
  await page.clock.install();
  const dialog = page.locator("#playground");
  await dialog.locator("select").first().selectOption("resync");
  const pod = (n) => `- {metadata: {name: pod-${n}}, spec: {containers: [{name: a, image: a}]}}\n`;
  await dialog.locator("textarea").nth(1).fill(Array.from({ length: 300 }, (_, n) => pod(n)).join(""));
  await dialog.locator("textarea").first().fill('- {at: 24h, run: web, image: "nginx:1.27"}\n'); // a day of resyncs, of 300 pods each
  await dialog.locator("[type=submit]").click();
  await page.waitForFunction(() => document.querySelector("#playground [role=status]").textContent === "Running …");
  for (let times = 0; times < 50 && !(await dialog.locator(".wrong").isVisible()); times++) await page.clock.fastForward(5000);
  assert.ok((await dialog.locator(".wrong").textContent()).includes("within 20 seconds"));
  await dialog.locator("select").first().selectOption("reflector");
  await dialog.locator("[type=submit]").click();
  await shown(page, "reflector");
  assert.deepEqual(faults, []);
  await close();
});

test("a missing program is reported, and the page still opens records", async () => {
  const { page, close } = await open(chromium, `${address}gone`);
  await page.locator("#playground [type=submit]").click();
  await page.waitForFunction(() => document.querySelector("#playground .wrong")?.textContent.includes("404"));
  await page.keyboard.press("Escape");
  assert.ok((await page.locator("#said").textContent()).includes("Open a record"));
  await close();
});

test("a page without a program has no playground", async () => {
  const { page, close } = await open(chromium, pageFile("plain", [run("reflector").record], { lang: "en" }));
  assert.ok(await page.locator("[data-does=playground]").isHidden());
  await page.keyboard.press("r");
  assert.ok(await page.locator("#playground").isHidden());
  await close();
});

for (const [width, height, dark] of [[1280, 720, false], [390, 844, true]]) {
  for (const lang of ["en", "zh"]) {
    test(`axe finds no violation in the dialogue at ${width}×${height}, ${lang}`, async () => {
      const { page, close } = await open(chromium, `${address}#lang=${lang}`, { width, height, dark });
      await page.locator("#playground").waitFor();
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/playground-${width}-${lang}.png` });
      await close();
    });
  }
}
