// Tests of the game's goals that run no lesson: the checks of records, and the best of the reader.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../player.mjs";

const { Best, GOALS, MOVES, runOf } = await load("goals");

const goal = (id) => GOALS.find((goal) => goal.id === id);
/** Returns a record in which a pod is committed, cached and notified as these words say, such as "committed created". */
const record = (...words) => [
  { atMs: 0, event: "run", schema: 1 },
  ...words.map((word) => {
    const [event, what, tombstone] = word.split(" ");
    return { atMs: 1, event, of: "Pod", key: "default/web-1", change: event === "committed" ? what : undefined, notification: event === "notified" ? what : undefined, tombstone: tombstone !== undefined };
  }),
];

test("a goal is reached by what the record shows at its end", () => {
  const cases = [
    ["missing", true, ["committed created"]],
    ["missing", false, ["committed created", "stored"]],
    ["ghost", true, ["committed created", "stored", "committed deleted"]],
    ["ghost", false, ["committed created", "stored", "committed deleted", "removed"]],
    ["tombstone", true, ["notified delete tombstone"]],
    ["tombstone", false, ["notified delete"]],
    ["impostor", true, ["committed existing", "notified add", "committed deleted", "committed created", "notified update"]],
    ["impostor", false, ["committed existing", "committed deleted", "notified delete", "committed created", "notified update"]],
    ["impostor", false, ["committed existing", "notified update", "committed deleted", "committed created"]],
  ];
  for (const [id, reached, words] of cases) assert.equal(goal(id).reached(record(...words)), reached, `${id}: ${words}`);
});

test("each click is a step, in turn, and a last step keeps the run going", () => {
  const steps = runOf([MOVES[1], MOVES[3]]).scenario.trim().split("\n");
  assert.deepEqual(steps.slice(0, 2), ["- {at: 1s, delete: web-1}", '- {at: 3s, fault: "hide-events:for=1h"}']);
  assert.match(steps[2], /^- \{at: 13s/);
});

test("the best of the reader is kept, and a storage that refuses is no error", () => {
  const kept = new Map();
  const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) };
  const best = new Best(storage);
  for (const clicks of [4, 2, 3]) best.note(goal("ghost"), clicks);
  assert.equal(new Best(storage).of(goal("ghost")), 2);
  assert.equal(new Best(storage).of(goal("tombstone")), undefined);
  const refuses = () => { throw new Error("refused"); };
  const without = new Best({ getItem: refuses, setItem: refuses });
  without.note(goal("ghost"), 2);
  assert.equal(without.of(goal("ghost")), 2);
});
