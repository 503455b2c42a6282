// The run that the reader wants: a lesson, its options and its files. It becomes a command line with files, and it
// fits into a link.

import table from "./runs.json";
import type { Start } from "./wasi";
import type { Lang } from "./words";

/** A wanted run. Undefined options have the lesson's own values. */
export interface Wanted {
  command: string;
  client?: string;
  server?: string;
  seed?: string;
  pods?: string;
  scenario?: string;
  stages?: string;
}

export type Option = "client" | "server" | "seed" | "pods" | "scenario" | "stages";
/** The options whose values are the texts of files. */
export const FILES = ["pods", "scenario", "stages"] as const;
export type File = (typeof FILES)[number];
const OPTIONS: Option[] = ["client", "server", "seed", ...FILES];

interface Row { command: string; en: string; zh: string; options: string[]; seed: number; pods: string | null; scenario: string | null; stages: string | null }

export const RUNS: Row[] = table.runs;
export const STAGES: string[] = table.stages;
export const FAULTS: string[] = table.faults;

export function rowOf(command: string): Row | undefined {
  return RUNS.find((row) => row.command === command);
}

export function takes(row: Row, option: Option): boolean {
  return row.options.includes(option);
}

/** Returns the lesson's own text for a file option. */
export function usual(row: Row, file: File): string {
  const name = row[file];
  return name === null ? "" : ((table.files as Record<string, string>)[name] ?? "");
}

/** Returns the options that the lesson accepts and that differ from the lesson's own values. */
export function chosen(wanted: Wanted): Wanted {
  const row = rowOf(wanted.command);
  const kept: Wanted = { command: wanted.command };
  if (!row) return kept;
  for (const option of OPTIONS) {
    const value = wanted[option];
    if (value === undefined || !takes(row, option) || isUsual(row, option, value)) continue;
    kept[option] = value;
  }
  return kept;
}

function isUsual(row: Row, option: Option, value: string): boolean {
  if (option === "client" || option === "server") return value === "classic" || value === "";
  if (option === "seed") return value.trim() === "" || value.trim() === String(row.seed);
  return value.trim() === usual(row, option).trim();
}

/** The name of the record's file. */
export const RECORD = "run.ndjson";

/** Returns the command line and the files of a run. An empty file is written as an empty list. */
export function startOf(wanted: Wanted, lang: Lang): Start {
  const text = new TextEncoder();
  const files = new Map<string, Uint8Array>();
  const args = ["board", ...wanted.command.split(" ")];
  const kept = chosen(wanted);
  for (const option of OPTIONS) {
    const value = kept[option];
    if (value === undefined) continue;
    const isFile = (FILES as readonly string[]).includes(option) && !(option === "stages" && STAGES.includes(value.trim()));
    if (isFile) files.set(`${option}.yaml`, text.encode(value.trim() === "" ? "[]\n" : value));
    args.push(`--${option}`, isFile ? `${option}.yaml` : value.trim());
  }
  return { args: [...args, "--lang", lang, "--out", RECORD], files };
}

/** Returns the fragment of a link to one run, or to two side by side. */
export function linkOf(wanted: Wanted, beside: Wanted | undefined): string {
  const link = query(wanted);
  if (beside) link.set("beside", query(beside).toString());
  return link.toString();
}

function query(wanted: Wanted): URLSearchParams {
  const { command, ...options } = chosen(wanted);
  return new URLSearchParams({ run: command, ...options });
}

/** Returns the runs that a link names, one or two, or undefined if it names none. */
export function ofLink(hash: string): [Wanted, Wanted | undefined] | undefined {
  const link = new URLSearchParams(hash.replace(/^#/, ""));
  const first = wantedBy(link);
  if (!first) return undefined;
  return [first, wantedBy(new URLSearchParams(link.get("beside") ?? ""))];
}

function wantedBy(link: URLSearchParams): Wanted | undefined {
  const command = link.get("run");
  if (command === null || !rowOf(command)) return undefined;
  const wanted: Wanted = { command };
  for (const option of OPTIONS) {
    const value = link.get(option);
    if (value !== null) wanted[option] = value;
  }
  return wanted;
}
