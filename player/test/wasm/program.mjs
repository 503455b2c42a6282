// Runs the program as WebAssembly in Node, under the page's own WASI system: its output must be the native program's,
// byte for byte.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, runs } from "../player.mjs";
import { fixture, informerLab } from "../program.mjs";

const { RUNS, startOf } = await load("wanted");

/** Returns the option for the era, if the command has one. */
function era(command, name) {
  const row = RUNS.find((row) => row.command === command);
  return name.endsWith(".modern.json") && row.options.includes("client") ? " --era modern" : "";
}

for (const { name, command, trace, record } of runs()) {
  const line = `${command}${era(command, name)}`;
  if (name.endsWith(".modern.json") && line === command) continue; // the lesson has no eras
  test(`informer-lab ${line}`, () => {
    if (trace !== null) {
      const { code, out, err } = informerLab(line);
      assert.equal(code, 0, err);
      assert.equal(out, fixture(`traces/${trace}`), "the golden trace");
    }
    const recorded = informerLab(`board ${line} --out run.ndjson`);
    assert.equal(recorded.code, 0, recorded.err);
    assert.equal(recorded.file("run.ndjson"), `${record}\n`, "the record");
  });
}

test("every golden trace is of a run above, or is compared here", () => {
  for (const lesson of ["deltafifo", "listwatch", "reflector", "resync"]) {
    assert.equal(informerLab(`eras ${lesson}`).out, fixture(`traces/eras-${lesson}.txt`), lesson);
  }
  assert.ok(runs().filter(({ trace }) => trace !== null).length > 50);
});

test("every choice in the page makes a valid command line", () => {
  const scenario = '- {at: 1s, run: web, image: "nginx:1.27"}\n- {at: 2s, fault: "hide-events:times=1"}\n- {at: 3s, delete: web}\n';
  for (const row of RUNS) {
    const wanted = { command: row.command, client: "modern", server: "modern", seed: "7", pods: "", scenario, stages: "fast" };
    const { args, files } = startOf(wanted, "en");
    const { code, err, file } = informerLab(args.join(" "), Object.fromEntries([...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])));
    assert.equal(code, 0, `${args.join(" ")}: ${err}`);
    assert.ok(file("run.ndjson").startsWith('{"atMs":0'), row.command);
  }
});

test("a file that is wrong is refused with its line, in both languages", () => {
  const wrong = { "scenario.yaml": "- {at: 1s, run: web}\n- {at: soon, delete: web}\n" };
  const { code, err } = informerLab("reflector --scenario scenario.yaml --lang en", wrong);
  assert.equal(code, 1);
  assert.match(err, /^error: scenario\.yaml:2/);
  assert.match(informerLab("reflector --scenario scenario.yaml --lang zh", wrong).err, /scenario\.yaml:2/);
});

test("a long list is read, and a deeply nested text is refused", () => {
  const pods = Array.from({ length: 400 }, (_, n) => `- {metadata: {name: pod-${n}, annotations: {text: "${"x".repeat(400)}"}}, spec: {containers: [{name: a, image: a}]}}`);
  const { code, out, err } = informerLab("shared --step list-watch --pods pods.yaml", { "pods.yaml": pods.join("\n") });
  assert.equal(code, 0, err);
  assert.equal(out.split("\n").filter((line) => line.includes("pod-399")).length > 0, true);
  const deep = `- {metadata: {name: a, annotations: ${"{a: ".repeat(60)}1${"}".repeat(60)}}}`;
  assert.equal(informerLab("reflector --pods pods.yaml", { "pods.yaml": deep }).code, 1, "refused, and no trap");
});

test("commands that need a socket or a signal fail with an explanation", () => {
  for (const line of ["cluster", "reflector --follow", "reflector --cluster", "indexer --serve", "reflector --listen", "board reflector"]) {
    const { code, err } = informerLab(`${line} --lang en`);
    assert.equal(code, 1, `${line}: ${err}`);
    assert.match(err, /^error: /, line);
  }
});
