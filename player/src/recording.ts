// A recording, and the event at which it is shown.

import { AllParts, type Parts } from "./parts";
import { Picture } from "./picture";
import type { Pipeline } from "./pipeline";
import { type Event, keyOf, nameOf } from "./record";

export class Recording {
  at = 0;
  picture = new Picture();
  /** The kind of object that is shown; none for that of the event. */
  chosen: string | undefined;

  constructor(readonly events: Event[]) {
    this.picture.apply(this.event);
  }

  get event(): Event {
    return this.events[this.at]!;
  }

  /** Shows another event. Forward, the picture goes on; back, it begins again, as an event cannot be undone. */
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

  /** The run that the event is of. */
  get header(): Event {
    for (let at = this.at; at > 0; at--) if (this.events[at]!.event === "run") return this.events[at]!;
    return this.events[0]!;
  }

  /** The kind of the event, or of the last one that had a kind; at the beginning, of the next one. */
  get kind(): string | undefined {
    if (this.chosen !== undefined) return this.chosen;
    for (let at = this.at; at >= 0; at--) if (this.events[at]!.of) return this.events[at]!.of;
    return this.known().kinds.values().next().value;
  }

  private readonly partsOfRuns = new AllParts();

  /** What the run of the event has at all, of the kind that is shown. */
  get parts(): Parts {
    return this.partsOfRuns.at(this.events, this.at, this.kind);
  }

  /** Has any of its runs a work queue? */
  get works(): boolean {
    return this.known().names.has("work_added");
  }

  /** The kinds of the objects, in the order in which they come. */
  get kinds(): string[] {
    return [...this.known().kinds];
  }

  /** The names of the events, in the order in which they come. */
  get names(): string[] {
    return [...this.known().names];
  }

  private readonly all = { names: new Set<string>(), kinds: new Set<string>(), events: 0 };

  /** A live recording becomes longer: only what is new is looked at. */
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

  /** The lines of the trace until now, the newest last. */
  printed(most: number): Event[] {
    const lines: Event[] = [];
    for (let at = this.at; at >= 0 && lines.length < most; at--) {
      const event = this.events[at]!;
      if (event.event === "run") break;
      if (event.event === "printed") lines.unshift(event);
    }
    return lines;
  }

  /** A number for each object, in the order in which they come: it decides the colour. */
  private readonly colours = new Map<string, number>();
  /** How many events have been looked at for that. */
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
