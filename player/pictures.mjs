// Makes the animated pictures of the README: a run in the player, and a run on a terminal. `node pictures.mjs FOLDER`
// writes them there. INFORMER_LAB names the program (default: the debug build).

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "./load.mjs";

const PROGRAM = process.env.INFORMER_LAB ?? fileURLToPath(new URL("../target/debug/informer-lab", import.meta.url));
const MOVES = "shared --step list-watch";
const PRINTS = "reflector --known-objects";

const folder = process.argv[2];
const { film, terminal } = await load("film", "terminal");
const record = join(mkdtempSync(join(tmpdir(), "pictures-")), "run.ndjson");
execFileSync(PROGRAM, [...MOVES.split(" "), "--record", record], { stdio: "ignore" });
for (const lang of ["en", "zh"]) {
  writeFileSync(join(folder, `run.${lang}.svg`), film(readFileSync(record, "utf8"), lang));
  // Both streams together, as on a terminal.
  const printed = execFileSync("sh", ["-c", `exec "$0" "$@" 2>&1`, PROGRAM, ...PRINTS.split(" "), "--lang", lang, "--color", "always", "--narrate", "--speed", "max"]);
  writeFileSync(join(folder, `terminal.${lang}.svg`), terminal(`informer-lab ${PRINTS}`, printed.toString()));
}
