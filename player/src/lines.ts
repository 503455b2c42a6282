// The contents of each box as lines of text, the same as in `informer-lab step`.

import type { Told } from "./listener";
import type { Pipeline, Slot, Waiting } from "./pipeline";
import { short } from "./record";

/** Returns the entries sorted by key. */
export function sorted<V>(map: Map<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

export function serverLines(pipeline: Pipeline): string[] {
  return sorted(pipeline.server).map(([key, version]) => `${short(key)} ${version}`);
}

export function deltaText(delta: Waiting): string {
  const version = delta.resourceVersion === undefined ? "" : ` ${delta.resourceVersion}`;
  return `${delta.delta}${delta.tombstone ? "†" : ""}${version}`;
}

export function slotLine(slot: Slot): string {
  return `${short(slot.key)}: [${slot.deltas.map(deltaText).join(", ")}]`;
}

export function queueLines(pipeline: Pipeline): string[] {
  return pipeline.queue.map(slotLine);
}

export function storeLines(pipeline: Pipeline): string[] {
  return [...sorted(pipeline.store).map(([key, version]) => `${short(key)} ${version}`), ...indexLines(pipeline)];
}

export function indexLines(pipeline: Pipeline): string[] {
  return sorted(pipeline.indices).flatMap(([index, sets]) =>
    sorted(sets).map(([value, keys]) => `${index}/${value}: ${[...keys].sort().map(short).join(" ")}`),
  );
}

export function toldText(told: Told): string {
  return `${told.notification} ${short(told.key)}`;
}

export function handlerLines(pipeline: Pipeline): string[] {
  const ids = [...pipeline.listeners.keys()].sort((a, b) => a - b);
  return ids.map((id) => {
    const { pending, inHand } = pipeline.listeners.get(id)!;
    return `${id}: [${pending.map(toldText).join(", ")}]${inHand ? ` ▶ ${toldText(inHand)}` : ""}`;
  });
}
