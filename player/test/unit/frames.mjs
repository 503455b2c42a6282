// Tests that the player shows, at each event of each run, forward and back, the same as `informer-lab step`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, runs } from "../player.mjs";

const player = await load("record", "recording", "lines", "words", "work");

function shown(recording, lang) {
  const { pipeline, events, at } = recording;
  return {
    heading: `${at + 1}/${events.length}  ${player.heading(recording.event, lang)}`,
    server: player.serverLines(pipeline),
    queue: player.queueLines(pipeline),
    store: player.storeLines(pipeline),
    handlers: player.handlerLines(pipeline),
    work: player.workLines(recording.picture.work),
    workers: player.workerLines(recording.picture.work),
    said: player.saying(recording.event, lang),
  };
}

for (const run of runs()) {
  test(run.name, () => {
    const recording = new player.Recording(player.parse(run.record));
    assert.equal(recording.events.length, run.en.length);
    recording.chosen = ""; // as `informer-lab step`, which shows the kind of each event
    const compare = (at) => {
      recording.go(at);
      assert.deepEqual(shown(recording, "en"), run.en[at]);
      assert.deepEqual(shown(recording, "zh"), run.zh[at]);
    };
    for (let at = 0; at < run.en.length; at++) compare(at);
    for (let at = run.en.length - 1; at >= 0; at -= 7) compare(at);
  });
}
