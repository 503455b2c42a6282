// A work queue and its workers. Applies events exactly as src/trace/picture/work.rs does.

import { type Event, short } from "./record";

/** A key that a worker processes. `again` is true if it was added meanwhile, so that it will be queued again. */
export interface InWork { key: string; again: boolean }

/** A key that will be added later, with the time. */
export interface Later { key: string; dueMs: number }

export class Work {
  queued: string[] = [];
  processing: InWork[] = [];
  delayed: Later[] = [];

  apply(event: Event): void {
    const key = event.key ?? "";
    switch (event.event) {
      case "work_added":
        if (event.cause === "timer") this.delayed = this.delayed.filter((later) => later.key !== key);
        this.added(key, event.effect);
        break;
      case "work_taken": {
        const place = this.queued.indexOf(key);
        if (place >= 0) this.queued.splice(place, 1);
        this.processing.push({ key, again: false });
        break;
      }
      case "work_done":
        this.processing = this.processing.filter((work) => work.key !== key);
        if (event.again) this.queued.push(key);
        break;
      case "work_delayed":
        this.delay(key, event.atMs + (event.delayMs ?? 0));
        break;
    }
  }

  private added(key: string, effect: string | undefined): void {
    if (effect === "queued") this.queued.push(key);
    if (effect === "when_done") for (const work of this.processing) if (work.key === key) work.again = true;
  }

  /** Keeps the earliest of several times for a key. */
  private delay(key: string, dueMs: number): void {
    const known = this.delayed.findIndex((later) => later.key === key);
    if (known >= 0 && this.delayed[known]!.dueMs <= dueMs) return;
    if (known >= 0) this.delayed.splice(known, 1);
    const after = this.delayed.findIndex((later) => later.dueMs > dueMs);
    this.delayed.splice(after < 0 ? this.delayed.length : after, 0, { key, dueMs });
  }
}

export function laterLine({ key, dueMs }: Later): string {
  return `${short(key)} @${dueMs} ms`;
}

export function workLines(work: Work): string[] {
  return [...work.queued.map(short), ...work.delayed.map(laterLine)];
}

/** Returns the keys that need work, client-go's `dirty`: the queued ones, and those added while a worker has them. */
export function dirtyKeys(work: Work): string[] {
  return [...work.queued, ...work.processing.filter(({ again }) => again).map(({ key }) => key)].map(short);
}

export function processingKeys(work: Work): string[] {
  return work.processing.map(({ key }) => short(key));
}
