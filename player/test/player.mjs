// Helpers of the tests: the player's modules, and the frames that Rust wrote (cargo test --test it board).

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export { load } from "../load.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const FOLDER = process.env.PLAYER_FRAMES ?? here("../../target/tmp/board");

/** Returns all runs of the catalog in both eras: name, command, record, and each frame in both languages. */
export function runs() {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json")).sort();
  if (files.length < 40) throw new Error(`${FOLDER} has ${files.length} runs: run cargo test --test it board`);
  return files.map((name) => ({ name, ...JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")) }));
}

export const PAGE = process.env.PLAYER_PAGE ?? here("../../src/board/page.html");

export function run(command, era = "classic") {
  const found = runs().find((run) => run.command === command && run.name.endsWith(`.${era}.json`));
  if (!found) throw new Error(`no run ${command}`);
  return found;
}

/** Returns a record with so many events about so many objects, made from the events of a lesson. */
export function long(events, objects) {
  const [header, ...lines] = run("shared --step list-watch").record.split("\n");
  const all = [header, ...lines.filter((line) => JSON.parse(line).event === "joined")];
  for (let at = 0; all.length < events; at++) {
    const key = `default/pod-${at % objects}`;
    const version = String(at + 2);
    const event = (event, fields) => all.push(JSON.stringify({ atMs: at, event, key, resourceVersion: version, of: "Pod", cause: "watch", ...fields }));
    event("committed", { change: at < objects ? "created" : "updated", hidden: false });
    event("watched", { kind: "MODIFIED" });
    event("queued", { queue: "DeltaFIFO", knownObjects: true, delta: "Updated" });
    if (at % 3 === 0) continue;
    event("popped", { queue: "DeltaFIFO", deltas: [{ delta: "Updated", resourceVersion: version }], initial: false });
    event("stored", { old: null });
    event("notified", { listener: 0, notification: "update", tombstone: false, pending: 1 });
    event("calling", { listener: 0, notification: "update", pending: 0 });
    event("called", { listener: 0, notification: "update", pending: 0 });
  }
  return all.slice(0, events).join("\n");
}
