// What the page was made with: the records and the options in its own elements.

import type { Lang } from "./words";

/**
 * `at` is the number of an event, or the first difference of two recordings; `embedded` leaves out what a figure needs not; `program` is
 * where informer-lab is as WebAssembly.
 */
export interface Options { lang?: Lang; predict?: boolean; at?: number | "difference"; embedded?: boolean; live?: "acts" | "reads"; program?: string }

/** The page as it was made, before anything was drawn: what "save page" writes again. */
const MADE = document.documentElement.outerHTML;

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** The embedded records, none to two. */
export function records(): string[] {
  return ["first", "second"].map(text).filter((record) => record.trim() !== "");
}

export function options(): Options {
  return { ...(JSON.parse(text("options") || "{}") as Options), ...ofAddress() };
}

/** The part of the address behind # chooses too: the book links to a frame by #at=17&lang=zh. */
function ofAddress(): Options {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const [at, lang] = [chosen.get("at"), chosen.get("lang")];
  return {
    ...(at === "difference" ? { at } : at !== null && /^\d+$/.test(at) ? { at: Number(at) } : {}),
    ...(chosen.has("embedded") ? { embedded: true } : {}),
    ...(lang === "en" || lang === "zh" ? { lang } : {}),
  };
}

/** The page with these records in it. */
export function pageWith(records: string[], options: Options): string {
  const page = new DOMParser().parseFromString(MADE, "text/html");
  const put = (id: string, text: string): void => {
    page.getElementById(id)!.textContent = text.replaceAll("<", "\\u003c");
  };
  put("first", records[0] ?? "");
  put("second", records[1] ?? "");
  put("options", JSON.stringify(options));
  return `<!doctype html>\n${page.documentElement.outerHTML}\n`;
}
