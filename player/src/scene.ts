// Computes the scene: the contents of each box at one event, as chips with places. It depends on the recording and
// the layout only.

import { type Layout, type Part, type Rect } from "./layout";
import { deltaText, handlerLines, indexLines, slotLine, sorted, toldText } from "./lines";
import type { Told } from "./listener";
import type { Pipeline, Slot, Waiting } from "./pipeline";
import { type Event, short } from "./record";
import type { Recording } from "./recording";
import { dirtyKeys, laterLine, type Work } from "./work";

/** Something that is drawn and can travel: an object, a delta, a notification, a label. */
export interface Chip extends Rect {
  /** The same thing has the same id in all scenes. */
  id: string;
  text: string;
  /** The key of the object, which decides the colour; undefined for a label. */
  key: string | undefined;
  shape: "object" | "deletion" | "tombstone" | "label" | "more" | "fallen" | "later";
  /** The line of the terminal's box that this chip begins. */
  line?: string;
  part: Part;
  /** The origins of a new chip: ids of chips, and boxes. The first one that exists is used. */
  from: (string | Part)[];
}

export interface Scene {
  chips: Chip[];
  /** A short text at the top of each box. */
  notes: Map<Part, string>;
  /** The parts that the event is about. */
  active: Set<Part>;
}

const TITLE_HEIGHT = 1.6;
const ROW = 1.52;
/** The width of a letter of the monospaced font, in units of the font size. */
const LETTER = 0.602;

/** The event for a picture of another kind, in which nothing happens. */
const QUIET: Event = { atMs: 0, event: "" };

export function scene(recording: Recording, layout: Layout, words: SceneWords): Scene {
  const event = recording.isShown ? recording.event : QUIET;
  return new Drawing(recording.pipeline, recording.picture.work, event, layout, words).scene();
}

/** The words in a picture that are not names. */
export interface SceneWords {
  noWatch: string;
  watching: string;
  seen: (version: string) => string;
  knownObjects: string;
  noKnownObjects: string;
  handler: (id: number) => string;
  called: (times: number) => string;
  objects: (count: number) => string;
  dropped: string;
  objectVersion: string;
  lanes: string;
}

const ACTIVE: { [event: string]: Part[] } = {
  committed: ["server"], listed: ["listwatch", "reflector"], list_failed: ["listwatch"], watching: ["listwatch"],
  watch_failed: ["listwatch"], watched: ["reflector"], relisting: ["reflector"], queued: ["queue"], merged: ["queue"],
  dropped: ["queue"], popped: ["controller"], stored: ["store"], removed: ["store"], replaced: ["store"],
  joined: ["processor"], notified: ["processor"], coalesced: ["processor"], calling: ["processor"], called: ["processor"],
  resynced: ["reflector"], synced: ["controller"],
  work_added: ["work"], work_taken: ["workers"], work_done: ["workers"], work_delayed: ["work"],
};

/** The events that change no box of `informer-lab step`. */
const CHANGES_NONE = new Set(["listed", "list_failed", "watching", "watch_failed", "watched", "relisting", "resynced", "synced"]);

export function changesABox(event: Event): boolean {
  return event.event in ACTIVE && !CHANGES_NONE.has(event.event) && event.effect !== "nothing";
}

/** The events during which the Controller processes the deltas that it popped. */
const PROCESSING = new Set(["popped", "stored", "removed", "replaced", "notified", "coalesced"]);

class Drawing {
  private chips: Chip[] = [];
  private notes = new Map<Part, string>();

  constructor(
    private readonly pipeline: Pipeline,
    private readonly work: Work,
    private readonly event: Event,
    private readonly layout: Layout,
    private readonly words: SceneWords,
  ) {}

  scene(): Scene {
    this.server();
    this.reflector();
    this.queue();
    this.controller();
    this.store();
    this.handlers();
    if (this.layout.parts.work) this.keys();
    this.note();
    return { chips: this.chips, notes: this.notes, active: new Set(ACTIVE[this.event.event]) };
  }

  private get row(): number {
    return this.layout.font * ROW;
  }

  private width(text: string): number {
    let letters = 0;
    for (const letter of text) letters += letter > "\u2e80" ? 1.67 : 1;
    return (letters + 1.4) * this.layout.font * LETTER;
  }

  private inside(part: Part): Rect {
    const { x, y, w, h } = this.layout.parts[part]!;
    const title = this.layout.font * TITLE_HEIGHT;
    return { x: x + 8, y: y + title, w: w - 16, h: h - title - 4 };
  }

  private add(part: Part, chip: Omit<Chip, "w" | "h" | "part"> & { most?: number }): Chip {
    const { most, ...rest } = chip;
    const room = Math.max(1, Math.floor((most ?? Infinity) / (this.layout.font * LETTER) - 1.4));
    const text = fitted(rest.text, room);
    const added: Chip = { ...rest, text, w: this.width(text), h: this.layout.font * 1.4, part };
    this.chips.push(added);
    return added;
  }

  /**
   * Fills the rows and columns of a box. If not all items fit, it shows the item of the event anyway, and the number
   * of hidden items.
   */
  private fill<T>(part: Part, area: Rect, columns: number, all: T[], keyOf: (item: T) => string, put: (item: T, x: number, y: number, w: number) => void): void {
    const rows = Math.max(1, Math.floor(area.h / this.row));
    const room = rows * columns;
    const shown = all.length > room ? all.slice(0, room - 1) : [...all];
    const about = all.findLastIndex((item) => keyOf(item) === this.event.key);
    if (about >= shown.length && shown.length > 0) shown[shown.length - 1] = all[about]!;
    const w = area.w / columns;
    const place = (index: number): [number, number] =>
      [area.x + Math.floor(index / rows) * w, area.y + (index % rows) * this.row];
    shown.forEach((item, index) => put(item, ...place(index), w - 4));
    if (shown.length === all.length) return;
    const [x, y] = place(shown.length);
    const text = `… +${all.length - shown.length}`;
    this.add(part, { id: `more:${part}:${area.x}`, text, key: undefined, shape: "more", x, y, from: [] });
  }

  private server(): void {
    const area = this.inside("server");
    const columns = this.layout.width < 400 ? 2 : 1;
    this.fill("server", area, columns, sorted(this.pipeline.server), ([key]) => key, ([key, version], x, y, most) => {
      const text = `${short(key)} ${version}`;
      this.add("server", { id: `server:${key}`, text, key, shape: "object", line: text, x, y, most, from: [] });
    });
  }

  /** Shows what the Reflector has just received: a watch event or a list. */
  private reflector(): void {
    const { event } = this;
    const area = this.inside("reflector");
    const y = area.y + area.h - this.row;
    if (event.event === "watched" && event.key) {
      const shape = event.kind === "DELETED" ? "deletion" : "object";
      const from = [`server:${event.key}`, "server"];
      this.add("reflector", { id: "reflector", text: short(event.key), key: event.key, shape, x: area.x, y, most: area.w, from });
    }
    if (event.event === "listed") {
      const text = this.words.objects(event.objects?.length ?? 0);
      this.add("reflector", { id: "reflector", text, key: undefined, shape: "label", x: area.x, y, most: area.w, from: ["server"] });
    }
  }

  private queue(): void {
    const area = this.inside("queue");
    this.fill("queue", area, 1, this.pipeline.queue, (slot) => slot.key, (slot, x, y, w) => this.slot(slot, x, y, w));
    if (this.event.event === "dropped" && this.event.key) this.fallen("queue", `${this.words.dropped} ${short(this.event.key)}`);
  }

  /** Draws a slot of the queue: the key, and the newest deltas that fit. */
  private slot(slot: Slot, x: number, y: number, width: number): void {
    const named = short(slot.key);
    const label = named === "" ? undefined : this.add("queue", {
      id: `slot:${slot.deltas[0]?.serial}`, text: named, key: undefined, shape: "label", line: slotLine(slot), x, y,
      most: width * 0.5, from: [],
    });
    let left = x + (label?.w ?? 0);
    const fits = this.fitting(slot.deltas, width - (label?.w ?? 0));
    fits.forEach((delta, place) => {
      const line = label === undefined && place === 0 ? slotLine(slot) : undefined;
      const chip = this.add("queue", {
        ...this.delta(`queue:${delta.serial}`, slot.key, delta), x: left, y, most: x + width - left, line,
        from: ["reflector", `store:${slot.key}`, "reflector"],
      });
      left += chip.w + 6;
    });
  }

  private fitting(deltas: Waiting[], room: number): Waiting[] {
    let used = 0;
    const newest = [...deltas].reverse().filter((delta, place) => {
      used += this.width(deltaText(delta)) + 6;
      return used <= room || place === 0;
    });
    return newest.reverse();
  }

  private delta(id: string, key: string, delta: Waiting): Pick<Chip, "id" | "text" | "key" | "shape"> {
    const shape = delta.tombstone ? "tombstone" : delta.delta === "Deleted" ? "deletion" : "object";
    return { id, text: deltaText(delta), key, shape };
  }

  private controller(): void {
    if (!PROCESSING.has(this.event.event)) return;
    const area = this.inside("controller");
    this.fill("controller", area, 1, this.pipeline.inHand, (hand) => hand.key, ({ key, delta }, x, y, most) => {
      const from = [`queue:${delta.serial}`, "queue"];
      this.add("controller", { ...this.delta(`hand:${delta.serial}`, key, delta), x, y, most, from });
    });
  }

  private store(): void {
    const area = this.inside("store");
    const objects = sorted(this.pipeline.store);
    const sets = indexLines(this.pipeline);
    const columns = this.layout.storeColumns;
    const share = sets.length > 0 && columns > 1 ? 0.48 : 1;
    const upper = columns > 1 || sets.length === 0 ? area : { ...area, h: area.h / 2 };
    const fit = Math.floor(upper.h / this.row);
    const plain = sets.length === 0 && objects.length > fit ? columns : 1;
    this.fill("store", { ...upper, w: area.w * share }, plain, objects, ([key]) => key, ([key, version], x, y, most) => {
      const text = `${short(key)} ${version}`;
      const from = [...this.pipeline.inHand.map((hand) => `hand:${hand.delta.serial}`), "controller"];
      this.add("store", { id: `store:${key}`, text, key, shape: "object", line: text, x, y, most, from });
    });
    this.sets(area, sets, share);
    if (this.event.event === "removed" && this.event.key) this.fallen("store", short(this.event.key));
  }

  /** Draws the indices: each value with its keys. */
  private sets(area: Rect, sets: string[], share: number): void {
    if (sets.length === 0) return;
    const place = share < 1
      ? { ...area, x: area.x + area.w * share, w: area.w * (1 - share) }
      : { ...area, y: area.y + area.h / 2, h: area.h / 2 };
    this.fill("store", place, 1, sets, String, (text, x, y, most) => {
      this.add("store", { id: `index:${text}`, text, key: undefined, shape: "label", line: text, x, y, most, from: [] });
    });
  }

  /** Draws a lane for each handler: its buffer, and the notification that it is being called with. */
  private handlers(): void {
    const area = this.inside("processor");
    const ids = [...this.pipeline.listeners.keys()].sort((a, b) => a - b);
    const lines = handlerLines(this.pipeline);
    const lanes = ids.map((id, place) => ({ id, line: lines[place]! }));
    this.fill("processor", area, 1, lanes, ({ id }) => (id === this.event.listener ? (this.event.key ?? "") : ""), ({ id, line }, x, y, w) => this.lane(id, line, x, y, w));
  }

  private lane(id: number, line: string, x: number, y: number, width: number): void {
    const { pending, inHand, called } = this.pipeline.listeners.get(id)!;
    const narrow = width < 300;
    const text = narrow || this.layout.width < 1000 ? `${id}` : this.words.handler(id);
    const label = this.add("processor", { id: `lane:${id}`, text, key: undefined, shape: "label", line, x, y, from: ["controller"] });
    const hand = width * (narrow ? 0.6 : 0.38);
    this.buffer(id, pending, x + label.w, y, width - label.w - hand);
    if (inHand) {
      const from = [`told:${id}:${inHand.serial}`, "processor"];
      this.add("processor", { ...told(`called:${id}:${inHand.serial}`, inHand), text: `▶ ${toldText(inHand)}`, x: x + width - hand, y, most: hand, from });
    } else if (called > 0) {
      this.add("processor", { id: `count:${id}`, text: this.words.called(called), key: undefined, shape: "more", x: x + width - hand, y, most: hand, from: [] });
    }
  }

  /** Draws the work queue: its queued and delayed keys, below them `dirty`, and the keys in `processing`. */
  private keys(): void {
    const { queued, delayed, processing } = this.work;
    const box = this.inside("work");
    const dirty = dirtyKeys(this.work).join(" ");
    const bottom = box.y + box.h - this.row;
    if (dirty !== "") this.add("work", { id: "dirty", text: `dirty: ${dirty}`, key: undefined, shape: "label", line: `dirty: ${dirty}`, x: box.x, y: bottom, most: box.w, from: [] });
    const waiting = [...queued.map((key) => ({ key, later: undefined })), ...delayed.map((later) => ({ key: later.key, later }))];
    this.fill("work", { ...box, h: box.h - this.row }, 1, waiting, ({ key }) => key, ({ key, later }, x, y, most) => {
      const text = later ? laterLine(later) : short(key);
      const id = later ? `later:${key}` : `work:${key}`;
      const from = [`worker:${key}`, ...(later ? [] : [`later:${key}`]), later ? "workers" as const : "processor" as const];
      this.add("work", { id, text, key, shape: later ? "later" : "object", line: text, x, y, most, from });
    });
    this.fill("workers", this.inside("workers"), 1, processing, ({ key }) => key, ({ key }, x, y, most) => {
      const text = short(key);
      this.add("workers", { id: `worker:${key}`, text, key, shape: "object", line: text, x, y, most, from: [`work:${key}`, "work"] });
    });
  }

  /** Draws the waiting notifications of a handler; the oldest is nearest to the handler. */
  private buffer(id: number, pending: Told[], left: number, y: number, width: number): void {
    let right = left + width - 10;
    for (const [place, next] of pending.entries()) {
      const w = this.width(toldText(next));
      const rest = pending.length - place;
      const most = right - left - (rest > 1 ? this.width(`+${rest - 1}`) : 0);
      if (place > 0 && w > most) {
        const text = `+${rest}`;
        this.add("processor", { id: `rest:${id}`, text, key: undefined, shape: "more", x: right - this.width(text), y, from: [] });
        return;
      }
      const chip = this.add("processor", {
        ...told(`told:${id}:${next.serial}`, next), x: 0, y, most,
        from: [...this.pipeline.inHand.map((hand) => `hand:${hand.delta.serial}`), "controller"],
      });
      chip.x = right - chip.w;
      right = chip.x - 4;
    }
  }

  /** Draws what left a box: a dropped deletion below the queue, a removed object at the bottom of the store. */
  private fallen(part: Part, text: string): void {
    const box = this.layout.parts[part]!;
    const { key } = this.event;
    const from = part === "queue" ? ["reflector"] : [`store:${key}`, "store"];
    const y = part === "queue" ? box.y + box.h + 8 : box.y + box.h - this.row;
    const chip = this.add(part, { id: `fallen:${part}:${key}`, text, key, shape: "fallen", x: 0, y, most: box.w - 20, from });
    chip.x = box.x + box.w - chip.w - 14;
  }

  private note(): void {
    const { pipeline, words } = this;
    if (pipeline.server.size > 0 && this.layout.parts.server!.w > 250) this.notes.set("server", words.objectVersion);
    if (pipeline.listeners.size > 0) this.notes.set("processor", words.lanes);
    if (pipeline.seen !== undefined) this.notes.set("reflector", words.seen(pipeline.seen));
    if (pipeline.lists > 0 || pipeline.watching) this.notes.set("listwatch", pipeline.watching ? words.watching : words.noWatch);
    if (pipeline.queueName !== undefined) this.notes.set("queue", pipeline.knownObjects ? words.knownObjects : words.noKnownObjects);
  }
}

/** Shortens a text to so many letters, at the end of its longest word, which is a name. */
function fitted(text: string, room: number): string {
  if (text.length <= room) return text;
  const words = text.split(" ");
  const longest = words.reduce((best, word, at) => (word.length > words[best]!.length ? at : best), 0);
  const left = Math.max(1, words[longest]!.length - (text.length - room) - 1);
  words[longest] = `${words[longest]!.slice(0, left)}…`;
  const shorter = words.join(" ");
  return shorter.length <= room ? shorter : `${text.slice(0, Math.max(1, room - 1))}…`;
}

function told(id: string, told: Told): Pick<Chip, "id" | "text" | "key" | "shape"> {
  const shape = told.tombstone ? "tombstone" : told.notification === "delete" ? "deletion" : "object";
  return { id, text: toldText(told), key: told.key, shape };
}
