// Parses records: NDJSON, one event on each line. docs/record.md describes the format.

export interface Sentence { en: string; zh: string }

export interface Delta { delta: string; resourceVersion?: string; tombstone?: boolean; because?: string }

export interface Versioned { key: string; resourceVersion: string }

export interface IndexSets { index: string; values: string[]; left: string[] }

/** A question with its choices. `answer` is the index of the one that comes true. */
export interface Question { asks: Sentence; choices: Sentence[]; answer: number; why: Sentence }

/** An event. Its fields depend on `event`; unknown events and fields are ignored. */
export interface Event extends Partial<Versioned> {
  atMs: number;
  event: string;
  of?: string;
  cause?: string;
  said?: Sentence[];
  caption?: Sentence;
  question?: Question;
  // run
  schema?: number;
  program?: string;
  command?: string;
  options?: string[];
  seed?: number;
  client?: string;
  server?: string;
  source?: string;
  // printed, narrated
  style?: string;
  line?: string;
  en?: string;
  zh?: string;
  // events of the pipeline
  change?: string;
  hidden?: boolean;
  objects?: Versioned[];
  error?: string;
  reason?: string;
  kind?: string;
  queue?: string;
  knownObjects?: boolean;
  delta?: string;
  tombstone?: boolean;
  deltas?: Delta[];
  old?: string | null;
  indices?: IndexSets[];
  listener?: number;
  coalesces?: boolean;
  existing?: number;
  notification?: string;
  pending?: number;
  // events of the work queue
  effect?: string;
  again?: boolean;
  delayMs?: number;
  rateLimited?: boolean;
}

const SCHEMA = 1;

/** The error for a text that is no record, with a message in both languages. */
export class Unreadable extends Error {
  constructor(readonly sentence: Sentence) {
    super(sentence.en);
  }
}

/** Returns the events of a record. Throws `Unreadable` with the number of the line. */
export function parse(text: string): Event[] {
  const events: Event[] = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const event = eventOf(line, index + 1);
    if (events.length === 0 && event.event !== "run") throw noRecord(index + 1);
    if (event.event === "run" && (event.schema ?? 0) > SCHEMA) throw tooNew(event);
    events.push(event);
  });
  if (events.length === 0) throw new Unreadable({ en: "The record is empty.", zh: "记录是空的。" });
  return events;
}

/** Parses one line. Throws `Unreadable`. */
export function eventOf(line: string, number: number): Event {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw noRecord(number);
  }
  const event = value as Event | null;
  if (typeof event !== "object" || typeof event?.event !== "string" || typeof event.atMs !== "number") throw noRecord(number);
  return event;
}

function noRecord(line: number): Unreadable {
  return new Unreadable({
    en: `Line ${line} is not an event of a record. Make a record with: informer-lab LESSON --record FILE`,
    zh: `第 ${line} 行不是记录中的事件。录制一次运行：informer-lab LESSON --record FILE`,
  });
}

function tooNew(event: Event): Unreadable {
  return new Unreadable({
    en: `The record has schema ${event.schema}; this page reads up to ${SCHEMA}. Use informer-lab ${event.program} or later.`,
    zh: `记录的 schema 是 ${event.schema}，这个页面最高支持 ${SCHEMA}。请使用 informer-lab ${event.program} 或更新的版本。`,
  });
}

/** Returns the part of a key after its namespace. */
export function short(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

const SAID = new Set(["run", "printed", "narrated"]);

/** Returns true for events that only tell something (printed, narrated, the header of a run), and for unknown events. */
export function isSaid(event: Event): boolean {
  return SAID.has(event.event) || !KNOWN.has(event.event);
}

const KNOWN = new Set([
  "committed", "listed", "list_failed", "watching", "watch_failed", "watched", "relisting", "queued", "merged", "dropped",
  "popped", "stored", "removed", "replaced", "joined", "notified", "coalesced", "calling", "called", "resynced", "synced",
  "work_added", "work_taken", "work_done", "work_delayed",
]);

/** Returns true for a printed line of a drawing of boxes. */
export function isDrawn(event: Event | undefined): boolean {
  return event?.event === "printed" && /[│┌└├]/.test(event.line ?? "");
}

/** Returns true for events of the work queue that the handlers fill. */
export function isOfWork(event: Event): boolean {
  return event.event.startsWith("work_");
}

/** Returns the name of an event; `unknown` if this page does not know it. */
export function nameOf(event: Event): string {
  return SAID.has(event.event) || KNOWN.has(event.event) ? event.event : "unknown";
}

/** Returns the key of the event's object, if the event has one. */
export function keyOf(event: Event): string | undefined {
  return isSaid(event) || !event.key ? undefined : event.key;
}
