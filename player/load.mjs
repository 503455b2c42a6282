// Loads the player's TypeScript modules into Node programs.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

/** Returns the exports of these modules in src/. */
export async function load(...names) {
  const contents = names.map((name) => `export * from "./${name}";`).join("\n");
  const stdin = { contents, resolveDir: fileURLToPath(new URL("src", import.meta.url)), loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm", target: "es2022" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
