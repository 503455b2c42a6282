// The reader's choices: language, colours, speed and size.

import type { Lang } from "./words";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const ZOOMS = [0.75, 0.9, 1, 1.25, 1.5, 2, 2.5];

export class Choices {
  zoom = 1;

  constructor(public lang: Lang, public dark: boolean, public speed = 1) {}

  faster(by: 1 | -1): void {
    this.speed = next(SPEEDS, this.speed, by);
  }

  larger(by: 1 | -1): void {
    this.zoom = next(ZOOMS, this.zoom, by);
  }
}

function next(all: number[], now: number, by: 1 | -1): number {
  return all[Math.max(0, Math.min(all.length - 1, all.indexOf(now) + by))]!;
}

/** Returns true if the reader prefers pages without animations. */
export function wantsStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function prefersDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
