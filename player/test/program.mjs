// Runs the program as WebAssembly, as built by .ci/wasm.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { load } from "./player.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The file that a page downloads. */
export const PACKED = readFileSync(process.env.PLAYER_PROGRAM ?? here("../../target/wasm/informer-lab.wasm.gz"));

const { run } = await load("wasi");
const module = new WebAssembly.Module(gunzipSync(PACKED));
const text = new TextEncoder();

/** Runs a command line with these files, as the page does. */
export function informerLab(line, files = {}) {
  const all = new Map(Object.entries(files).map(([name, content]) => [name, text.encode(content)]));
  const { code, out, err, files: left } = run(module, { args: line.split(" "), files: all });
  return { code, out, err, file: (name) => new TextDecoder().decode(left.get(name)) };
}

export const fixture = (name) => readFileSync(here(`../../fixtures/${name}`), "utf8");
