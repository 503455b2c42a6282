// A recording, with the current event and the picture at that event.

import { AllParts, type Parts } from "./parts";
import { Picture } from "./picture";
import type { Pipeline } from "./pipeline";
import { type Event, keyOf, nameOf } from "./record";

export class Recording {
  at = 0;
  picture = new Picture();
  /** The kind of object that the reader has chosen. An empty text means the kind of each event. */
  chosen: string | undefined;

  constructor(readonly events: Event[]) {
    this.picture.apply(this.event);
  }

  get event(): Event {
    return this.events[this.at]!;
  }

  /**
   * Goes to another event. Forward, only the events in between are applied; back, all events from the first, because
   * an event cannot be undone.
   */
  go(at: number): void {
    const target = Math.max(0, Math.min(at, this.events.length - 1));
    let from = this.at + 1;
    if (target < this.at) {
      this.picture = new Picture();
      from = 0;
    }
    for (let next = from; next <= target; next++) this.picture.apply(this.events[next]!);
    this.at = target;
  }

  /** The `run` event of the current run. */
  get header(): Event {
    for (let at = this.at; at > 0; at--) if (this.events[at]!.event === "run") return this.events[at]!;
    return this.events[0]!;
  }

  /**
   * The kind that the reader has chosen, in the form of `chosen`. Before that, it is each event's kind. The steps of a
   * controller alternate between kinds, so its picture begins with the kind of most events.
   */
  get choice(): string {
    return this.chosen ?? (this.works ? this.mostFrequent : "");
  }

  private get mostFrequent(): string {
    const kinds = [...this.known().kinds].sort(([, a], [, b]) => b - a);
    return kinds[0]?.[0] ?? "";
  }

  /** The shown kind. If it follows the events, an event without a kind has that of the last one before it. */
  get kind(): string | undefined {
    if (this.choice !== "") return this.choice;
    for (let at = this.at; at >= 0; at--) if (this.events[at]!.of) return this.events[at]!.of;
    return this.kinds[0];
  }

  /** True if the current event is about the shown kind, or about no kind. */
  get isShown(): boolean {
    return this.event.of === undefined || this.event.of === this.kind;
  }

  private readonly partsOfRuns = new AllParts();

  /** The parts that the shown kind uses in the current run. */
  get parts(): Parts {
    return this.partsOfRuns.at(this.events, this.at, this.kind);
  }

  /** True if one of the runs has a work queue. */
  get works(): boolean {
    return this.known().names.has("work_added");
  }

  /** The kinds of objects, in order of appearance. */
  get kinds(): string[] {
    return [...this.known().kinds.keys()];
  }

  /** The names of events, in order of appearance. */
  get names(): string[] {
    return [...this.known().names];
  }

  private readonly all = { names: new Set<string>(), kinds: new Map<string, number>(), events: 0 };

  /** Collects names, and kinds with the number of their events. Reads only new events, because a live recording grows. */
  private known(): { names: Set<string>; kinds: Map<string, number> } {
    for (; this.all.events < this.events.length; this.all.events++) {
      const event = this.events[this.all.events]!;
      this.all.names.add(nameOf(event));
      if (event.of !== undefined) this.all.kinds.set(event.of, (this.all.kinds.get(event.of) ?? 0) + 1);
    }
    return this.all;
  }

  get pipeline(): Pipeline {
    return this.picture.of(this.kind);
  }

  /** The last printed lines of the current run, oldest first. */
  printed(most: number): Event[] {
    const lines: Event[] = [];
    for (let at = this.at; at >= 0 && lines.length < most; at--) {
      const event = this.events[at]!;
      if (event.event === "run") break;
      if (event.event === "printed") lines.unshift(event);
    }
    return lines;
  }

  /** A number for each object, in order of appearance, which decides its colour. */
  private readonly colours = new Map<string, number>();
  /** The number of events that were searched for objects. */
  private coloured = 0;

  colour(key: string): number {
    for (; this.coloured < this.events.length; this.coloured++) this.colourOf(this.events[this.coloured]!);
    return this.colours.get(key) ?? 0;
  }

  private colourOf(event: Event): void {
    const keys = [keyOf(event), ...(event.objects ?? []).map((object) => object.key)];
    for (const key of keys) if (key && !this.colours.has(key)) this.colours.set(key, this.colours.size);
  }
}
