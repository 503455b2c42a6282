// What the tests share: the player's modules, and the frames that Rust wrote (cargo test --test it board).

import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A module of the player. */
export async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}";`).join("\n");
  const stdin = { contents, resolveDir: here("../src"), loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm", target: "es2022" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

const FOLDER = process.env.PLAYER_FRAMES ?? here("../../target/tmp/board");

/** The runs of the catalog in both eras: name, command, record, and each frame in both languages. */
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
