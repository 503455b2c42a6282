// A recording, with the current event and the picture at that event.

import { AllParts, type Parts } from "./parts";
import { Picture } from "./picture";
import type { Pipeline } from "./pipeline";
import { type Event, keyOf, nameOf } from "./record";

export class Recording {
  at = 0;
  picture = new Picture();
  /** The kind of object to show; undefined means the kind of the current event. */
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
   * The chosen kind; else the kind of the current event or of the last one before it that has a kind; else the first
   * kind of the recording.
   */
  get kind(): string | undefined {
    if (this.chosen !== undefined) return this.chosen;
    for (let at = this.at; at >= 0; at--) if (this.events[at]!.of) return this.events[at]!.of;
    return this.known().kinds.values().next().value;
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
    return [...this.known().kinds];
  }

  /** The names of events, in order of appearance. */
  get names(): string[] {
    return [...this.known().names];
  }

  private readonly all = { names: new Set<string>(), kinds: new Set<string>(), events: 0 };

  /** Collects names and kinds. Reads only new events, because a live recording grows. */
  private known(): { names: Set<string>; kinds: Set<string> } {
    for (; this.all.events < this.events.length; this.all.events++) {
      const event = this.events[this.all.events]!;
      this.all.names.add(nameOf(event));
      if (event.of !== undefined) this.all.kinds.add(event.of);
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
