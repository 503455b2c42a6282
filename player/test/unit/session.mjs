// Tests of the player's logic that need no browser: questions, searching, aligned recordings, broken files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, run } from "../player.mjs";

const player = await load("record", "recording", "picture", "session", "align");
const recording = (command, era) => new player.Recording(player.parse(run(command, era).record));

test("a question is asked once before its event, and judged by what happens", () => {
  const session = new player.Session([recording("reflector")], true);
  const asked = [];
  while (session.forward()) {
    if (!session.question) continue;
    asked.push(session.question.asks.en);
    session.answer(session.question.answer);
    assert.equal(session.verdict.right, true);
  }
  assert.equal(asked.length, session.questions);
  assert.ok(asked.some((text) => text.includes("What does the queue do with it")), asked.join());
  assert.deepEqual(session.score, { right: asked.length, all: asked.length });
});

test("a wrong answer is counted, and a jump drops the question", () => {
  const session = new player.Session([recording("reflector")], true);
  while (!session.question) assert.ok(session.forward());
  session.jump(session.at);
  assert.equal(session.question, undefined);
  const other = new player.Session([recording("reflector")], true);
  while (!other.question) assert.ok(other.forward());
  const { answer, choices } = other.question;
  other.answer(choices.length);
  assert.ok(other.question, "there is no such choice");
  other.answer((answer + 1) % choices.length);
  assert.equal(other.verdict.right, false);
  assert.deepEqual(other.score, { right: 0, all: 1 });
});

test("the next event of a kind or of a key is found, or reported missing", () => {
  const session = new player.Session([recording("reflector")], false);
  assert.ok(session.findKind("dropped"));
  assert.equal(session.event.event, "dropped");
  assert.ok(!session.findKind("dropped"));
  session.jump(0);
  assert.ok(session.findKey("nettool"));
  assert.ok(!session.findKey("nobody"));
});

test("two recordings are aligned at their common events, and differ where one drops the deletion", () => {
  const [left, right] = [recording("reflector"), recording("reflector --known-objects")];
  const steps = player.align(left.events, right.events);
  assert.deepEqual(steps.at(-1).at, [left.events.length - 1, right.events.length - 1]);
  for (const [side, one] of [left, right].entries()) {
    const seen = new Set(steps.map((step) => step.at[side]));
    assert.equal(seen.size, one.events.length, "each event is seen");
    const places = steps.map((step) => step.at[side]);
    assert.deepEqual(places, [...places].sort((a, b) => a - b), "nothing goes back");
  }
  for (const step of steps.filter((step) => !step.differs)) {
    const [a, b] = [left.events[step.at[0]], right.events[step.at[1]]];
    assert.equal(a.event, b.event);
    assert.equal(a.key, b.key);
  }
  const differing = steps.filter((step) => step.differs).flatMap((step) => [left.events[step.at[0]].event, right.events[step.at[1]].event]);
  assert.ok(differing.includes("dropped") && differing.includes("stored"), differing.join());
});

test("a recording beside itself does not differ", () => {
  const one = recording("relist --known-objects");
  const steps = player.align(one.events, one.events);
  assert.equal(steps.length, one.events.length);
  assert.ok(steps.every((step) => !step.differs));
});

test("a broken file is refused with its line", () => {
  const header = run("reflector").record.split("\n")[0];
  for (const [text, said] of [
    ["", "empty"],
    ["no json", "Line 1 is not an event"],
    [`${header}\n{"atMs":1`, "Line 2 is not an event"],
    [`${header}\n[]`, "Line 2 is not an event"],
    ['{"atMs":1,"event":"watching"}', "Line 1 is not an event"],
    [header.replace('"schema":1', '"schema":2'), "has schema 2"],
  ]) {
    assert.throws(() => player.parse(text), (error) => error.sentence.en.includes(said) && error.sentence.zh !== "", text);
  }
});

test("events of later programs are ignored", () => {
  const header = run("reflector").record.split("\n")[0];
  const later = new player.Recording(player.parse(`${header}\n{"atMs":1,"event":"teleported","to":{"a":1},"cause":"magic"}`));
  later.go(1);
  assert.equal(later.pipeline.queue.length, 0);
});

test("a step applies one event, a jump those in between, and going back all from the first", () => {
  const one = recording("shared --step list-watch");
  let folded = 0;
  const { apply } = player.Picture.prototype;
  player.Picture.prototype.apply = function (event) { folded += 1; return apply.call(this, event); };
  const folds = (at) => { folded = 0; one.go(at); return folded; };
  assert.deepEqual([folds(1), folds(11), folds(11), folds(12), folds(10)], [1, 10, 0, 1, 11]);
  player.Picture.prototype.apply = apply;
});

test("names and kinds that come during a live run can be chosen", () => {
  const one = new player.Recording(player.parse('{"atMs":0,"event":"run","schema":1}'));
  assert.deepEqual([one.names, one.kinds], [["run"], []]);
  one.events.push({ atMs: 1, event: "watched", of: "Pod" }, { atMs: 2, event: "watched", of: "Node" });
  assert.deepEqual([one.names, one.kinds], [["run", "watched"], ["Pod", "Node"]]);
});
