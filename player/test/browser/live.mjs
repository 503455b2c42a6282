// A run that goes on, played by the program itself: what is done in the page happens, and strangers are refused.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, open } from "../browser.mjs";

const PROGRAM = process.env.INFORMER_LAB ?? fileURLToPath(new URL("../../../target/debug/informer-lab", import.meta.url));

let chromium, program, address;
before(async () => {
  program = spawn(PROGRAM, ["board", "reflector", "--known-objects", "--follow", "--lang", "en"], { stdio: ["ignore", "ignore", "pipe"] });
  const lines = createInterface({ input: program.stderr });
  address = await new Promise((found) => lines.on("line", (line) => {
    const at = line.match(/http:\/\/\S+\//);
    if (at) found(at[0]);
  }));
  chromium = await browser();
});
after(async () => {
  program.kill("SIGKILL");
  await chromium?.close();
});

/** The status of a request with these headers. */
function status(path, method, headers) {
  return new Promise((answered, failed) => {
    const sent = request(new URL(path, address), { method, headers }, (answer) => { answer.destroy(); answered(answer.statusCode); });
    sent.on("error", failed);
    sent.end(method === "POST" ? "run stranger" : undefined);
  });
}

test("each button does what the keyboard does", async () => {
  const { page, faults, close } = await open(chromium, address);
  await page.locator("#acts button").first().waitFor();
  await page.locator("#acts input").fill("mine");
  /** Waits for an event of the record that came over the stream. */
  const happens = (part) => page.waitForFunction((part) => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("G");
    for (let at = 0; at < 400; at++) {
      if (document.getElementById("said").textContent.includes(part)) return true;
      if (document.getElementById("heading").textContent.startsWith("1/")) return false;
      press("ArrowLeft");
    }
    return false;
  }, part, { polling: 100 });
  for (const [act, said] of [
    ["run NAME", "kubectl run mine"],
    ["label NAME tier=front", "kubectl label pod mine tier=front"],
    ["scale NAME 5", "kubectl scale replicaset mine"],
    ["resync", "resync"],
    ["cut", "the connection is cut"],
    ["heal", "connected again"],
    ["fault hide-events:times=1", "hide-events"],
    ["fault compact", "compact"],
    ["delete NAME", "kubectl delete pod mine"],
  ]) {
    await page.locator(`[data-act="${act}"]`).click();
    await happens(said);
  }
  assert.deepEqual(faults, []);
  await close();
});

test("a page of another origin is refused, and a name that only points here", async () => {
  assert.equal(await status("typed", "POST", { origin: "http://evil.example" }), 403);
  assert.equal(await status("events", "GET", { host: "evil.example" }), 403);
  assert.equal(await status("", "GET", { host: "evil.example" }), 403);
  assert.equal(await status("", "GET", {}), 200);
});
