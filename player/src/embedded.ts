// Reads the records and options that are embedded in the page.

import { SPEEDS } from "./choices";
import type { Lang } from "./words";

/** Options of the page. */
export interface Options {
  lang?: Lang;
  predict?: boolean;
  /** The index of an event, the name of an event, or `difference`: the first difference of two recordings. */
  at?: number | string;
  /** Plays at once. */
  play?: boolean;
  speed?: number;
  /** Hides what a figure in another page does not need. */
  embedded?: boolean;
  live?: "acts" | "reads";
  /** The address of informer-lab as WebAssembly. */
  program?: string;
  /** The address of the folder in which each run has a page. */
  boards?: string;
}

/** The source of the page before anything was drawn; "save page" writes it again with other records. */
const MADE = document.documentElement.outerHTML;

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** Returns the embedded records, at most two. */
export function records(): string[] {
  return ["first", "second"].map(text).filter((record) => record.trim() !== "");
}

export function options(): Options {
  return { ...(JSON.parse(text("options") || "{}") as Options), ...ofAddress() };
}

/** Reads options from the fragment of the address, because the book links to single frames: #at=17&lang=zh. */
function ofAddress(): Options {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const [at, lang, speed] = [chosen.get("at"), chosen.get("lang"), Number(chosen.get("speed"))];
  return {
    ...(at === null ? {} : { at: /^\d+$/.test(at) ? Number(at) : at }),
    ...(chosen.has("embedded") ? { embedded: true } : {}),
    ...(chosen.has("play") ? { play: true } : {}),
    ...(SPEEDS.includes(speed) ? { speed } : {}),
    ...(lang === "en" || lang === "zh" ? { lang } : {}),
  };
}

/** Returns the page with these records embedded. */
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
