// Tests of the page in headless Chromium: each run, from the first event to the last and back by keys, must show the
// frames that Rust wrote.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { boxLines, browser, open, pageFile } from "../browser.mjs";
import { long, run, runs } from "../player.mjs";

let chromium;
before(async () => { chromium = await browser(); });
after(() => chromium.close());

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns the line of `dirty` below the keys of the work queue, if it has keys. */
const dirty = (frame) => (frame.dirty.length > 0 ? [`dirty: ${frame.dirty.join(" ")}`] : []);

/** Asserts that the page shows the same as the terminal, or as much of it as fits. */
function assertShows(shown, frame, number, frames, name) {
  assert.equal(shown.heading, `${number}/${frames}  ${frame.heading}`, name);
  assert.deepEqual(shown.said, frame.said, name);
  for (const [part, lines] of [["server", frame.server], ["queue", frame.queue], ["store", frame.store], ["processor", frame.handlers], ["work", [...frame.work, ...dirty(frame)]], ["workers", frame.processing]]) {
    const drawn = shown.parts[part];
    assert.equal(drawn.length + (shown.more[part] ?? 0), lines.length, `${name}: ${part}`);
    const rest = [...lines]; // only the server's and the store's objects stand in columns, so that their order may differ
    for (const line of drawn) {
      const at = rest.indexOf(line);
      assert.ok(at >= 0, `${name}: ${part} has ${line}, and not in the order of ${lines}`);
      const ordered = part !== "server" && part !== "store";
      rest.splice(ordered ? 0 : at, ordered ? at + 1 : 1);
    }
  }
}

for (const { name, record, en } of runs().filter(({ name }) => name.endsWith(".classic.json"))) {
  test(name, async () => {
    const { page, faults, close } = await open(chromium, pageFile("run", [record], { lang: "en" }));
    // One call for the whole way there and back, because each call to the page is slow.
    const shown = await page.evaluate(([boxes, steps]) => {
      const look = new Function(`return (${boxes})()`);
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const kinds = document.querySelector("#tools select");
      if (!kinds.hidden) { kinds.value = ""; kinds.dispatchEvent(new Event("change")); } // as the terminal, which shows the kind of each event
      press("Home");
      const frames = [look()];
      for (let step = 1; step < steps; step++) { press("ArrowRight"); frames.push(look()); }
      for (let step = 1; step < steps; step++) { press("ArrowLeft"); frames.push(look()); }
      return frames;
    }, [boxLines.toString(), en.length]);
    const expected = [...en, ...en.slice(0, -1).reverse()];
    assert.equal(shown.length, expected.length);
    const number = (at) => (at < en.length ? at : expected.length - 1 - at) + 1;
    shown.forEach((frame, at) => assertShows(frame, expected[at], number(at), en.length, `${name} ${at}`));
    assert.deepEqual(faults, []);
    await close();
  });
}

test("the keyboard alone does everything", async () => {
  const { page, faults, close } = await open(chromium, pageFile("keys", [run("reflector").record], { lang: "en" }));
  const heading = () => page.locator("#heading").textContent();
  const said = () => page.locator("#said").textContent();
  for (const [key, expected] of [
    ["Home", "1/54"], ["Enter", "2/54"], ["ArrowRight", "3/54"], ["b", "2/54"], ["ArrowLeft", "1/54"], ["End", "54/54"], ["G", "54/54"], ["g", "1/54"],
  ]) {
    await page.keyboard.press(key);
    assert.ok((await heading()).startsWith(`${expected} `), `${key}: ${await heading()}`);
  }
  await page.keyboard.press("/");
  await page.keyboard.type("nettool");
  await page.keyboard.press("Enter");
  assert.ok((await heading()).includes("default/nettool"), await heading());
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  assert.ok((await heading()).includes("committed"), await heading());
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("l");
  assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
  await page.keyboard.press("l");
  await page.keyboard.press("t");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.keyboard.press("+");
  await page.keyboard.press("-");
  await page.keyboard.press("p");
  assert.ok((await said()).includes("will come"), await said());
  await page.keyboard.press("g");
  for (let at = 0; at < 60 && !(await page.locator("#question").isVisible()); at++) await page.keyboard.press("Enter");
  await page.keyboard.press("1");
  assert.ok(/^(Right: |Not quite\. )/.test(await said()), await said());
  assert.deepEqual(faults, []);
  await close();
});

test("every control can be reached by Tab, and says its name", async () => {
  const { page, close } = await open(chromium, pageFile("tab", [run("shared --step list-watch").record], { lang: "en" }));
  const controls = await page.locator("button:visible, select:visible, input:visible").count();
  const names = new Set();
  for (let at = 0; at < controls + 4; at++) {
    await page.keyboard.press("Tab");
    names.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent));
  }
  assert.ok(names.size >= controls, `${names.size} of ${controls}: ${[...names].join()}`);
  await close();
});

test("no arrow leads to a part that the run does not use, from the first frame on", async () => {
  for (const [command, ways] of [["reflector", 4], ["reflector --known-objects", 6], ["shared --step list-watch", 7], ["controller", 9], ["workqueue", 1]]) {
    const { page, close } = await open(chromium, pageFile("ways", [run(command).record], { lang: "en" }));
    assert.equal(await page.locator(".arrow:not(.unused)").count(), ways, command);
    await page.keyboard.press("End");
    assert.equal(await page.locator(".arrow:not(.unused)").count(), ways, `${command}, at the end`);
    await close();
  }
});

test("a part that a run does not use takes no room, and the others are larger", async () => {
  for (const [command, parts] of [["workqueue", ["work", "workers"]], ["deltafifo", ["controller", "queue"]]]) {
    const { page, close } = await open(chromium, pageFile("room", [run(command).record], { lang: "en" }));
    const visible = await page.locator(".box:visible").evaluateAll((boxes) => boxes.map(({ dataset }) => dataset.part).sort());
    assert.deepEqual(visible, parts, command);
    const [, , width] = (await page.locator(".picture").getAttribute("viewBox")).split(" ").map(Number);
    assert.ok(width < 1280, `${command}: ${width}`);
    await close();
  }
  const { page, close } = await open(chromium, pageFile("room", [run("reflector").record, run("reflector --known-objects").record], { lang: "en" }));
  assert.ok(await page.locator(".box.unused:visible").count() > 0, "beside another run, a part that only the other one uses is dim");
  await close();
});

test("play goes on by itself, and stops at a question", async () => {
  const { page, close } = await open(chromium, pageFile("play", [run("reflector").record], { lang: "en", predict: true }), { still: false });
  for (let times = 0; times < 3; times++) await page.keyboard.press(">");
  await page.keyboard.press(" ");
  await page.locator("#question button").first().waitFor();
  assert.equal(await page.locator(".play").textContent(), "Play", "it waits for the answer");
  await close();
});

test("a dropped file is shown, and a broken one is refused with its line", async () => {
  const { page, close } = await open(chromium, pageFile("empty", []));
  assert.ok((await page.locator("#said").textContent()).includes("Open a record"));
  const drop = (text) => page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "run.ndjson"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, text);
  await drop(run("late").record);
  await page.waitForFunction(() => document.getElementById("name").textContent.startsWith("late"));
  await drop("no json");
  await page.waitForFunction(() => document.getElementById("said").textContent.includes("Line 1 is not an event"));
  await close();
});

test("the saved page is the same page with the record in it, and the picture stands alone", async () => {
  const { page, close } = await open(chromium, pageFile("save", [run("reflector").record], { lang: "en" }));
  await page.keyboard.press("End");
  const saved = async (does) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-does=${does}]`).click()]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8"), path: await download.path() };
  };
  const html = await saved("save");
  assert.equal(html.name, "reflector.html");
  const copy = await open(chromium, `data:text/html;base64,${Buffer.from(html.text).toString("base64")}`);
  assert.equal(await copy.page.locator("#heading").textContent(), await page.locator("#heading").textContent());
  const picture = await saved("picture");
  assert.ok(picture.name.endsWith(".svg") && picture.text.includes("DeltaFIFO"), picture.name);
  const alone = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent, picture.text);
  assert.equal(alone, undefined, "it is an SVG");
  await copy.close();
  await close();
});

test("two recordings are shown side by side, and the difference is found", async () => {
  const both = [run("reflector").record, run("reflector --known-objects").record];
  const { page, faults, close } = await open(chromium, pageFile("beside", both, { lang: "en" }));
  assert.equal(await page.locator(".stage").count(), 2);
  await page.keyboard.press("d");
  assert.ok((await page.locator("#heading").textContent()).includes("≠"));
  await page.keyboard.press("End");
  assert.equal(await page.locator(".stage").first().locator(".box.differs").count() > 0, false, "at the end both stores are empty");
  assert.deepEqual(faults, []);
  await close();
});

test("every board opens on a picture that shows something, under its own title", async () => {
  const titles = new Set();
  const classic = runs().filter(({ name }) => name.endsWith(".classic.json"));
  for (const { command, record } of classic) {
    const { page, close } = await open(chromium, pageFile("opens", [record], { lang: "en" }));
    const shown = await page.locator("#stages .chip, #trace .line").count();
    assert.ok(shown > 0, command);
    titles.add(await page.title());
    await close();
  }
  assert.equal(titles.size, classic.length, [...titles].join("\n"));
});

test("a controller's board opens on the pods, and all parts of the informer are in use", async () => {
  const { page, close } = await open(chromium, pageFile("controller", [run("controller").record], { lang: "en" }));
  assert.equal(await page.locator("#tools select").inputValue(), "Pod");
  assert.equal(await page.locator(".box.unused").count(), 0);
  await close();
});

test("a page without a record lists the lessons, with the command that shows each", async () => {
  const { page, close } = await open(chromium, pageFile("list", [], { lang: "en" }));
  assert.equal(await page.locator("#lessons li").count(), runs().filter(({ name }) => name.endsWith(".classic.json")).length);
  assert.ok((await page.locator("#lessons").textContent()).includes("informer-lab board reflector --known-objects"));
  await close();
});

test("a tombstone's type is printed whole on a screen of 1280×800", async () => {
  const { page, close } = await open(chromium, pageFile("whole", [run("relist --known-objects").record], { lang: "en" }), { height: 800 });
  await page.keyboard.press("End");
  const clipped = await page.evaluate(() => {
    const box = document.getElementById("trace");
    const texts = [...box.querySelectorAll(".line")].map((line) => line.firstChild).filter((text) => text.data.includes("DeletedFinalStateUnknown"));
    return texts.map((text) => {
      const range = document.createRange();
      const at = text.data.indexOf("DeletedFinalStateUnknown");
      range.setStart(text, at);
      range.setEnd(text, at + "DeletedFinalStateUnknown".length);
      return range.getClientRects().length > 1 || range.getBoundingClientRect().right > box.getBoundingClientRect().right;
    });
  });
  assert.ok(clipped.length > 0 && !clipped.includes(true), clipped.join());
  await close();
});

test("on a phone, the whole text about two recordings and both pictures can be reached", async () => {
  const both = [run("reflector").record, run("reflector --known-objects").record];
  const { page, close } = await open(chromium, pageFile("phone", both, { lang: "en", at: "difference" }), { width: 390, height: 844 });
  for (let at = 0; at < 4; at++) await page.keyboard.press("ArrowRight");
  const [hidden, ends] = await page.locator(".told").first().evaluate((box) => [box.scrollHeight - box.clientHeight, box.getBoundingClientRect().bottom]);
  assert.ok(hidden <= 1 && ends < 844 / 2, `${hidden} pixels of the text are hidden, it ends at ${ends}`);
  const second = page.locator(".stage").nth(1);
  const peeks = await second.evaluate((stage) => innerWidth - stage.getBoundingClientRect().left);
  assert.ok(peeks > 20, `the edge of the second picture shows: ${peeks}`);
  await second.evaluate((stage) => stage.scrollIntoView({ inline: "center" }));
  const box = await second.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390, `it is shown whole: ${JSON.stringify(box)}`);
  await close();
});

for (const [width, height] of [[1280, 720], [390, 844]]) {
  for (const dark of [false, true]) {
    test(`axe finds no violation at ${width}×${height}, ${dark ? "dark" : "light"}`, async () => {
      const both = [run("relist --known-objects").record, run("relist").record];
      for (const [records, keys] of [[both.slice(0, 1), ["End", "b"]], [both, ["d"]], [both.slice(0, 1), ["?"]], [[run("controller").record], ["G"]], [[], []]]) {
        const { page, close } = await open(chromium, pageFile("axe", records, { lang: "zh", predict: true }), { width, height, dark });
        for (const key of keys) await page.keyboard.press(key);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
        await close();
      }
    });
  }
}

/** Opens a page with a long record. Returns its number of elements, and the largest number of changes by one step. */
async function work(events) {
  const { page, close } = await open(chromium, pageFile(`long-${events}`, [long(events, 200)], { lang: "en" }));
  const done = await page.evaluate((middle) => {
    document.getElementById("slider").value = middle;
    document.getElementById("slider").dispatchEvent(new Event("input"));
    const watcher = new MutationObserver(() => {});
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    const [changes, times] = [[], []];
    for (let step = 0; step < 300; step++) {
      const began = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      document.body.getBoundingClientRect(); // includes the layout
      times.push(performance.now() - began);
      changes.push(watcher.takeRecords().length);
    }
    return { opened: performance.getEntriesByType("navigation")[0].domComplete, step: times.sort((a, b) => a - b)[150],
      elements: document.querySelectorAll("*").length, changed: Math.max(...changes) };
  }, events - 1000);
  await close();
  return done;
}

test("a page with five times the events has no more elements, and a step changes no more of them", async (context) => {
  const [short, tall] = [await work(2_000), await work(10_000)];
  context.diagnostic(`10,000 events open in ${tall.opened} ms, a step takes ${tall.step} ms; not judged: the machine may be busy`);
  context.diagnostic(`elements ${short.elements} and ${tall.elements}, changed ${short.changed} and ${tall.changed}`);
  assert.ok(tall.elements <= short.elements * 1.1, `${tall.elements} elements, not ${short.elements}`);
  assert.ok(tall.changed <= short.changed * 1.1, `${tall.changed} changes, not ${short.changed}`);
  assert.ok(tall.elements < 500 && tall.changed < 150, `${tall.elements} elements, ${tall.changed} changes`);
});
