// Finds the parts that a run uses. A part that the run does not use takes no room, or is dim beside another run. The counterpart of
// src/step/run_parts.rs.

import type { Part } from "./layout";
import { type Event, isSaid, isOfWork } from "./record";

/** The parts that a kind of object uses in a run. */
export interface Parts {
  has: Set<Part>;
  /** The queue's name, if there is a queue. */
  queue: string | undefined;
  /** True if the queue has known objects. */
  knownObjects: boolean;
}

const USES: [Part, string[]][] = [
  ["server", ["committed", "listed", "watching", "watched", "list_failed"]],
  ["listwatch", ["listed", "watching", "watched", "list_failed"]],
  ["reflector", ["listed", "watching", "watched", "relisting", "resynced"]],
  ["queue", ["queued", "popped", "dropped"]],
  ["controller", ["popped"]],
  ["store", ["stored", "removed", "replaced"]],
  ["processor", ["joined", "notified", "calling"]],
  ["work", ["work_added", "work_delayed", "work_taken"]],
  ["workers", ["work_taken"]],
];

/** The key for the events of work queues, which belong to no kind: all kinds share the queue. */
const WORK = "";

export class AllParts {
  /** The parts of each run by kind, with the index of the run's last event. */
  private runs: { until: number; kinds: Map<string, Parts> }[] = [{ until: Infinity, kinds: new Map() }];
  private seen = 0;

  /** Returns the parts of a kind in the run of this event. Reads only new events, because a live recording grows. */
  at(events: Event[], at: number, kind: string | undefined): Parts {
    for (; this.seen < events.length; this.seen++) this.see(events[this.seen]!, this.seen);
    const run = this.runs.find(({ until }) => at <= until)!;
    const of = run.kinds.get(kind ?? WORK);
    const work = run.kinds.get(WORK);
    return { has: new Set([...(of?.has ?? []), ...(work?.has ?? [])]), queue: of?.queue, knownObjects: of?.knownObjects ?? false };
  }

  private see(event: Event, at: number): void {
    if (event.event === "run" && at > 0) {
      this.runs.at(-1)!.until = at - 1;
      this.runs.push({ until: Infinity, kinds: new Map() });
    }
    if (isSaid(event)) return;
    const { kinds } = this.runs.at(-1)!;
    const kind = isOfWork(event) ? WORK : (event.of ?? WORK);
    const parts = kinds.get(kind) ?? { has: new Set<Part>(), queue: undefined, knownObjects: false };
    kinds.set(kind, parts);
    for (const [part, events] of USES) if (events.includes(event.event)) parts.has.add(part);
    parts.queue = event.queue ?? parts.queue;
    parts.knownObjects ||= event.knownObjects ?? false;
    // An informer has a store, even if nothing ever comes into it.
    if (parts.has.has("reflector") && parts.has.has("processor")) parts.has.add("store");
  }
}
