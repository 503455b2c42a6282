// Tests that at each event of each run, on every size of page, what the picture shows of a part is inside the part's box.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, runs } from "../player.mjs";

const player = await load("record", "recording", "layout", "scene", "texts");
const LAYOUTS = { WIDE: player.WIDE, HALF: player.HALF, TALL: player.TALL };
const WORK = { WIDE: player.WIDE_WORK, HALF: player.HALF_WORK, TALL: player.TALL_WORK };

test("no chip leaves the box of its part", () => {
  const outside = new Set();
  for (const run of runs()) {
    const recording = new player.Recording(player.parse(run.record));
    for (const [size, layout] of Object.entries(recording.works ? WORK : LAYOUTS)) {
      for (let at = 0; at < recording.events.length; at++) {
        recording.go(at);
        for (const chip of player.scene(recording, layout, player.SCENE_WORDS.en).chips) {
          const box = layout.parts[chip.part];
          const fallsOut = chip.part === "queue" && chip.shape === "fallen"; // a dropped deletion is drawn below the queue
          const below = fallsOut ? 0 : chip.y + chip.h - box.y - box.h;
          const over = Math.max(box.x - chip.x, chip.x + chip.w - box.x - box.w, box.y - chip.y, below);
          if (over > 0) outside.add(`${run.name} ${size} ${chip.part} ${chip.shape}: ${Math.ceil(over)}`);
        }
      }
    }
  }
  assert.deepEqual([...outside].slice(0, 30), []);
});
