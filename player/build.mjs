// Builds src/board/page.html: the player as one file that loads nothing else. `node build.mjs FILE` writes it to
// FILE.

import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = process.argv[2] ?? here("../src/board/page.html");

async function built(entry, loader) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, target: "es2022", format: "iife", charset: "utf8", ...loader,
  });
  return outputFiles[0].text.trim();
}

const page = await readFile(here("src/page.html"), "utf8");
const [script, worker, style] = await Promise.all([built("src/main.ts", {}), built("src/worker.ts", {}), built("src/style.css", {})]);
if (/<\/script|<!--/i.test(script + worker)) throw new Error("the script would end its element");
const filled = page.replace("/*style*/", () => style).replace("/*worker*/", () => worker).replace("/*script*/", () => script);
await writeFile(target, filled);
