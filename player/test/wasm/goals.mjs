// Plays the goals of the game: the fewest clicks reach each goal, and without any one of them it is not reached.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../player.mjs";
import { informerLab } from "../program.mjs";

const { GOALS, MOVES, parse, runOf, startOf } = await load("goals", "record", "wanted");

const FEWEST = {
  missing: ["hide", "run"],
  ghost: ["hide", "delete"],
  tombstone: ["hide", "delete", "compact", "drop"],
  impostor: ["hide", "delete", "again", "compact", "drop"],
};

/** Returns true if these clicks reach the goal. */
function reaches(goal, clicks) {
  const { args, files } = startOf(runOf(clicks.map((id) => MOVES.find((move) => move.id === id))), "en");
  const texts = Object.fromEntries([...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
  const { err, file } = informerLab(args.join(" "), texts);
  if (err.includes("the scenario cannot continue")) return false;
  assert.ok(file("run.ndjson") !== "", err);
  return goal.reached(parse(file("run.ndjson")));
}

for (const goal of GOALS) {
  test(`the goal ${goal.id} takes ${goal.fewest} clicks`, () => {
    const clicks = FEWEST[goal.id];
    assert.equal(clicks.length, goal.fewest);
    assert.ok(reaches(goal, clicks));
    for (const [at, left] of clicks.entries()) assert.ok(!reaches(goal, clicks.filter((_, n) => n !== at)), `without ${left}`);
  });
}
