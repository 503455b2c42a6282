// The sentences about events, in both languages. Rust writes the table words.json, which `informer-lab step` shares.

import { type Event, keyOf, nameOf, type Sentence } from "./record";
import table from "./words.json";

export type Lang = "en" | "zh";

const meanings: Partial<{ [name: string]: Sentence }> = table.meanings;
const causes: Partial<{ [name: string]: Sentence }> = table.causes;
const events: Partial<{ [name: string]: Sentence }> = table.events;

/** Returns the event, its object and its cause in words. */
export function heading(event: Event, lang: Lang): string {
  const key = keyOf(event);
  const known = event.cause === undefined ? undefined : (causes[event.cause] ?? causes["other"]);
  const cause = known ? `  [${known[lang]}]` : "";
  return `${event.atMs} ms  ${whatHappened(event, lang)}${key ? ` ${key}` : ""}${cause}`;
}

function whatHappened(event: Event, lang: Lang): string {
  const name = eventName(nameOf(event), lang);
  if (event.event === "watched") return `${name} ${event.kind} ${event.resourceVersion}`;
  if (event.event !== "queued") return name;
  const tombstone = lang === "en" ? " (tombstone)" : "（tombstone）";
  return `${name} ${event.delta}${event.tombstone ? tombstone : ""}`;
}

export function eventName(name: string, lang: Lang): string {
  return events[name]?.[lang] ?? name;
}

/** Returns the sentences of the narrator or the lesson about the event, or else the general meaning of such an event. */
export function saying(event: Event, lang: Lang): string[] {
  const said = (event.said ?? []).map((sentence) => sentence[lang]);
  if (event.event === "narrated") said.push(event[lang] ?? "");
  if (said.length > 0) return said;
  const meaning = meanings[meant(event)];
  return meaning ? [meaning[lang]] : [];
}

/** Returns the name of the event's meaning in the table. */
function meant(event: Event): string {
  const name = nameOf(event);
  if (name === "committed" && event.hidden) return "committed hidden";
  if (name === "committed" && event.change === "existing") return "committed existing";
  if (name === "work_added" && event.effect !== "queued") return `work_added ${event.effect}`;
  if (name === "work_done" && event.again) return "work_done again";
  return name === "work_delayed" && event.rateLimited ? "work_delayed rate_limited" : name;
}
