// The words about events, in both languages. Rust writes the table words.json, which `informer-lab step` shares. The
// sentences about an event are in the record.

import { type Event, keyOf, nameOf, type Sentence } from "./record";
import table from "./words.json";

export type Lang = "en" | "zh";

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

/** Returns the sentences about the event: the caption, the narrator's, and the lesson's. */
export function saying(event: Event, lang: Lang): string[] {
  const said = [...(event.caption ? [event.caption] : []), ...(event.said ?? [])].map((sentence) => sentence[lang]);
  if (event.event === "run") said.push(table.introduction[lang]);
  if (event.event === "narrated") said.push(event[lang] ?? "");
  return said;
}
