// The boxes of one kind of object, from the API server to the handlers. Applies events exactly as
// src/trace/picture/pipeline.rs does.

import { Listener, type Told } from "./listener";
import type { Delta, Event, IndexSets, Versioned } from "./record";

/** A delta in the queue. Its serial number stays the same, so that the delta can be followed. */
export interface Waiting extends Delta { serial: number }

export interface Slot { key: string; deltas: Waiting[] }

export interface InHand { key: string; delta: Waiting }

export class Pipeline {
  server = new Map<string, string>();
  seen: string | undefined;
  lists = 0;
  watching = false;
  queueName: string | undefined;
  knownObjects = false;
  queue: Slot[] = [];
  inHand: InHand[] = [];
  hasStore = false;
  store = new Map<string, string>();
  indices = new Map<string, Map<string, Set<string>>>();
  listeners = new Map<number, Listener>();
  synced = false;
  private serials = 0;

  private get isByKey(): boolean {
    return this.queueName !== "RealFIFO";
  }

  apply(event: Event): void {
    const key = event.key ?? "";
    if (showsStore(event)) this.hasStore = true;
    switch (event.event) {
      case "committed":
        if (event.change === "deleted") this.server.delete(key);
        else this.server.set(key, event.resourceVersion ?? "");
        break;
      case "listed":
        this.lists += 1;
        this.seen = event.resourceVersion;
        break;
      case "watching":
        this.watching = true;
        break;
      case "watch_failed":
      case "relisting":
        this.watching = false;
        break;
      case "watched":
        this.seen = event.resourceVersion;
        break;
      case "queued":
        this.queueName = event.queue;
        this.knownObjects = event.knownObjects ?? false;
        this.push(key, event);
        break;
      case "merged":
        this.merge(key);
        break;
      case "dropped":
        this.knownObjects = event.knownObjects ?? false;
        break;
      case "popped":
        this.pop(key, event.deltas ?? []);
        break;
      case "stored":
        this.store.set(key, event.resourceVersion ?? "");
        this.index(key, event.indices ?? []);
        break;
      case "removed":
        this.store.delete(key);
        this.index(key, event.indices ?? []);
        break;
      case "replaced":
        this.replace(event.objects ?? []);
        break;
      case "joined":
        this.listeners.set(event.listener ?? 0, new Listener(event.coalesces));
        break;
      case "notified":
        this.listener(event).pending.push(this.told(event));
        break;
      case "coalesced":
        this.listener(event).coalesced(this.told(event), event.pending ?? 0);
        break;
      case "calling":
        this.listener(event).calling(event.notification ?? "", key);
        break;
      case "called":
        this.listener(event).finished();
        break;
      case "synced":
        this.synced = true;
        break;
    }
  }

  private serial(): number {
    this.serials += 1;
    return this.serials;
  }

  private told(event: Event): Told {
    const { notification = "", key = "", resourceVersion: version = "", tombstone = false } = event;
    return { serial: this.serial(), notification, key, version, tombstone };
  }

  private listener(event: Event): Listener {
    const id = event.listener ?? 0;
    const known = this.listeners.get(id) ?? new Listener();
    this.listeners.set(id, known);
    return known;
  }

  private push(key: string, event: Event): void {
    const { delta = "", resourceVersion, tombstone, cause: because } = event;
    const waiting: Waiting = { serial: this.serial(), delta, resourceVersion, tombstone, because };
    const slot = this.isByKey ? this.queue.find((slot) => slot.key === key) : undefined;
    if (slot) slot.deltas.push(waiting);
    else this.queue.push({ key, deltas: [waiting] });
  }

  /** Merges the last two deletions of a key: keeps the one with the final state, else the newer tombstone. */
  private merge(key: string): void {
    const deltas = this.queue.find((slot) => slot.key === key)?.deltas ?? [];
    const [older, newer] = deltas.slice(-2);
    if (older?.delta !== "Deleted" || newer?.delta !== "Deleted") return;
    deltas.splice(older.tombstone ? deltas.length - 2 : deltas.length - 1, 1);
  }

  private pop(key: string, deltas: Delta[]): void {
    const taken = this.isByKey ? this.takeSlot(key) : this.queue.splice(0, Math.min(deltas.length, this.queue.length));
    const waiting = taken.flatMap((slot) => slot.deltas);
    this.inHand = deltas.map((delta, place) => ({
      key: this.isByKey ? key : (taken[place]?.key ?? ""),
      delta: { ...delta, serial: waiting[place]?.serial ?? this.serial() },
    }));
  }

  private takeSlot(key: string): Slot[] {
    const taken = this.queue.filter((slot) => slot.key === key);
    this.queue = this.queue.filter((slot) => slot.key !== key);
    return taken;
  }

  private replace(objects: Versioned[]): void {
    this.store = new Map(objects.map((object) => [object.key, object.resourceVersion]));
    for (const sets of this.indices.values())
      for (const keys of sets.values()) for (const key of keys) if (!this.store.has(key)) keys.delete(key);
  }

  private index(key: string, changes: IndexSets[]): void {
    for (const { index, values, left } of changes) {
      const sets = this.indices.get(index) ?? new Map<string, Set<string>>();
      this.indices.set(index, sets);
      for (const value of left) sets.get(value)?.delete(key);
      for (const [value, keys] of sets) if (keys.size === 0) sets.delete(value);
      for (const value of values) sets.set(value, (sets.get(value) ?? new Set()).add(key));
    }
  }
}

/** Returns true if the event can only happen with a store. */
function showsStore(event: Event): boolean {
  if (event.event === "queued" || event.event === "dropped") return event.knownObjects ?? false;
  return ["stored", "removed", "replaced", "joined"].includes(event.event);
}
