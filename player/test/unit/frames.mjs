// Tests that the player shows, at each event of each run, forward and back, the same as `informer-lab step`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, runs } from "../player.mjs";

const player = await load("record", "recording", "lines", "words", "work", "session");

function shown(recording, lang) {
  const { pipeline, at } = recording;
  return {
    event: at,
    heading: player.heading(recording.event, lang),
    server: player.serverLines(pipeline),
    queue: player.queueLines(pipeline),
    store: player.storeLines(pipeline),
    handlers: player.handlerLines(pipeline),
    work: player.workLines(recording.picture.work),
    dirty: player.dirtyKeys(recording.picture.work),
    processing: player.processingKeys(recording.picture.work),
    said: player.saying(recording.event, lang),
  };
}

for (const run of runs()) {
  test(run.name, () => {
    const recording = new player.Recording(player.parse(run.record));
    const steps = new player.Session([recording], false).steps.map((step) => step.at[0]);
    assert.deepEqual(steps, run.en.map((frame) => frame.event), "the page has the steps of the terminal");
    recording.chosen = ""; // as `informer-lab step`, which shows the kind of each event
    const compare = (at) => {
      recording.go(run.en[at].event);
      assert.deepEqual(shown(recording, "en"), run.en[at]);
      assert.deepEqual(shown(recording, "zh"), run.zh[at]);
    };
    for (let at = 0; at < run.en.length; at++) compare(at);
    for (let at = run.en.length - 1; at >= 0; at -= 7) compare(at);
  });
}
