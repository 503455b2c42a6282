// Aligns two recordings on one time line: the same events stand side by side. Where the recordings differ, one of
// them waits.

import type { Event } from "./record";

/** A step of the time line: the index of the current event in each recording. */
export interface Step { at: [number, number]; differs: boolean }

/**
 * Returns the part of an event by which two events count as the same: without times and versions, and without
 * knownObjects, which the queue's box shows.
 */
export function signature(event: Event): string {
  const { event: name, of, key, change, kind, delta, tombstone, notification, listener, line, en } = event;
  const deltas = event.deltas?.map((delta) => delta.delta);
  const objects = event.objects?.map((object) => object.key);
  if (name === "run") return name;
  return JSON.stringify([name, of, key, change, kind, delta, tombstone, notification, listener, line, en, deltas, objects]);
}

/**
 * With more differences, the events are aligned by time, because the cost of the comparison grows with the square of
 * their number.
 */
const MOST_DIFFERENCES = 2000;

export function align(left: Event[], right: Event[]): Step[] {
  const [a, b] = [left.map(signature), right.map(signature)];
  const pairs = common(a, b) ?? byClock(left, right);
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  const wait = (untilI: number, untilJ: number): void => {
    while (i < untilI || j < untilJ) {
      const leftNext = j >= untilJ || (i < untilI && left[i]!.atMs <= right[j]!.atMs);
      if (leftNext) i++;
      else j++;
      steps.push({ at: [Math.max(i - 1, 0), Math.max(j - 1, 0)], differs: true });
    }
  };
  for (const [x, y] of pairs) {
    wait(x, y);
    [i, j] = [x + 1, y + 1];
    steps.push({ at: [x, y], differs: false });
  }
  wait(left.length, right.length);
  return steps;
}

/**
 * Finds the longest common subsequence by Myers' algorithm, as pairs of indices. Returns undefined if too much
 * differs.
 */
function common(a: string[], b: string[]): [number, number][] | undefined {
  const trace: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_DIFFERENCES); d++) {
    const next = new Map(furthest);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
      let x = down ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return backwards(a, b, [...trace, furthest], d);
    }
    trace.push(furthest);
    furthest = next;
  }
  return undefined;
}

function backwards(a: string[], b: string[], trace: Map<number, number>[], d: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [a.length, b.length];
  for (let step = d; step >= 0; step--) {
    const furthest = trace[step]!;
    const k = x - y;
    const down = k === -step || (k !== step && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
    const before = step === 0 ? 0 : (furthest.get(down ? k + 1 : k - 1) ?? 0);
    const beforeY = step === 0 ? 0 : before - (down ? k + 1 : k - 1);
    while (x > before && y > beforeY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) pairs.unshift([--x, --y]);
    [x, y] = [before, beforeY];
  }
  return pairs;
}

/** Pairs events that have the same time and signature. */
function byClock(left: Event[], right: Event[]): [number, number][] {
  const places = new Map<string, number>();
  right.forEach((event, place) => places.set(`${event.atMs} ${signature(event)}`, place));
  let last = -1;
  return left.flatMap((event, place): [number, number][] => {
    const other = places.get(`${event.atMs} ${signature(event)}`) ?? -1;
    if (other <= last) return [];
    last = other;
    return [[place, other]];
  });
}
