// The goals of the game: a state to reach with the fewest clicks. Each click adds a step to a scenario, the program runs
// it, and the check reads the record.

import type { Event } from "./record";
import { Recording } from "./recording";
import type { Wanted } from "./wanted";
import type { Lang } from "./words";

export type Bilingual = Record<Lang, string>;

/** A click: a step of a scenario. */
export interface Move { id: string; step: string; says: Bilingual }

export const MOVES: Move[] = [
  { id: "run", step: "run: web-3", says: { en: "kubectl run web-3", zh: "kubectl run web-3" } },
  { id: "delete", step: "delete: web-1", says: { en: "kubectl delete pod web-1", zh: "kubectl delete pod web-1" } },
  { id: "again", step: "run: web-1", says: { en: "kubectl run web-1", zh: "kubectl run web-1" } },
  { id: "hide", step: 'fault: "hide-events:for=1h"', says: { en: "Watches get no more events", zh: "watch 不再收到事件" } },
  { id: "compact", step: "fault: compact", says: { en: "The server drops its history", zh: "服务端丢弃历史" } },
  { id: "drop", step: "fault: drop-watches", says: { en: "The server ends the watches", zh: "服务端结束 watch" } },
];

export interface Goal {
  id: string;
  title: Bilingual;
  /** What has happened when the goal is reached. */
  because: Bilingual;
  /** The fewest clicks that reach it. */
  fewest: number;
  reached(events: Event[]): boolean;
}

export const GOALS: Goal[] = [
  {
    id: "missing",
    title: { en: "Make a pod that the cache does not have", zh: "让集群里出现一个 Pod，而缓存里没有它" },
    because: { en: "A watch that stays open without events looks like a quiet cluster.", zh: "一直开着却没有事件的 watch，看起来就像一个安静的集群。" },
    fewest: 2,
    reached: (events) => atTheEnd(events, ({ server, store }) => [...server.keys()].some((key) => !store.has(key))),
  },
  {
    id: "ghost",
    title: { en: "Make a ghost: a pod that only the cache still has", zh: "造一个幽灵：只有缓存里还有的 Pod" },
    because: { en: "No event reported the deletion, so the cache keeps the pod until the next list.", zh: "没有事件报告这次删除，所以缓存会一直留着它，直到下一次 list。" },
    fewest: 2,
    reached: (events) => atTheEnd(events, ({ server, store }) => [...store.keys()].some((key) => !server.has(key))),
  },
  {
    id: "tombstone",
    title: { en: "Let the handlers get a tombstone", zh: "让 handler 收到一个 tombstone" },
    because: { en: "The list after the broken watch showed that the pod was gone, but not its last state.", zh: "watch 断开之后的 list 只能说明 Pod 没了，说不出它最后的状态。" },
    fewest: 4,
    reached: (events) => events.some((event) => event.event === "notified" && event.tombstone === true),
  },
  {
    id: "impostor",
    title: { en: "Replace a pod by another of its name, so that the handlers get only an update", zh: "用一个同名的 Pod 换掉原来的，而 handler 只收到一次更新" },
    because: { en: "The key of a cache is the name. Only the uid shows that it is another pod.", zh: "缓存的 key 是名字。是不是另一个 Pod，只有 uid 看得出来。" },
    fewest: 5,
    reached: isReplacedUnnoticed,
  },
];

interface Ends { server: Map<string, string>; store: Map<string, string> }

/** Checks the pods of the server and of the cache after the last event. */
function atTheEnd(events: Event[], check: (ends: Ends) => boolean): boolean {
  const recording = new Recording(events);
  recording.go(events.length - 1);
  return check(recording.picture.of("Pod"));
}

/** Returns true if a pod was deleted and created again, and the handlers got an update after that, but no deletion. */
function isReplacedUnnoticed(events: Event[]): boolean {
  const is = (event: Event, key: string, name: string, what: string): boolean =>
    event.event === name && event.key === key && (event.change ?? event.notification) === what;
  const keys = new Set(events.flatMap((event) => (event.event === "committed" && event.of === "Pod" && event.key ? [event.key] : [])));
  return [...keys].some((key) => {
    const gone = events.findIndex((event) => is(event, key, "committed", "deleted"));
    const back = events.findIndex((event, at) => gone >= 0 && at > gone && is(event, key, "committed", "created"));
    const told = events.findIndex((event, at) => back >= 0 && at > back && is(event, key, "notified", "update"));
    return told >= 0 && !events.some((event) => is(event, key, "notified", "delete"));
  });
}

/** The pods at the start. */
const PODS = ["web-1", "web-2"].map((name) => `- {metadata: {name: ${name}}, spec: {containers: [{name: main, image: nginx}]}}\n`).join("");

/** The time between two steps, and the time after the last one, in seconds. A pod ends within the first, a relist within the second. */
const PACE = { step: 2, rest: 8 };

/** Returns the run with these clicks. Its last step changes nothing: it only keeps the run going. */
export function runOf(moves: Move[]): Wanted {
  const steps = moves.map(({ step }, at) => `- {at: ${1 + at * PACE.step}s, ${step}}\n`);
  const end = 1 + moves.length * PACE.step + PACE.rest;
  return { command: "factory", pods: PODS, scenario: `${steps.join("")}- {at: ${end}s, fault: "freeze-bookmarks:for=1ms"}\n` };
}

/** The fewest clicks of the reader for each goal that was reached, kept by the browser. */
export class Best {
  private static readonly NAME = "informer-lab goals";
  private readonly kept: Partial<Record<string, number>>;

  constructor(private readonly storage: Pick<Storage, "getItem" | "setItem"> | undefined) {
    this.kept = Best.read(storage);
  }

  private static read(storage: Pick<Storage, "getItem"> | undefined): Partial<Record<string, number>> {
    try {
      return (JSON.parse(storage?.getItem(Best.NAME) ?? "{}") as Record<string, number> | null) ?? {};
    } catch {
      return {}; // a page from a file may have no storage, and another program may have written there
    }
  }

  of(goal: Goal): number | undefined {
    return this.kept[goal.id];
  }

  /** Notes that a goal was reached with so many clicks. */
  note(goal: Goal, clicks: number): void {
    this.kept[goal.id] = Math.min(clicks, this.of(goal) ?? clicks);
    try {
      this.storage?.setItem(Best.NAME, JSON.stringify(this.kept));
    } catch {
      // The storage is full or refused: the best is kept until the page is closed.
    }
  }
}
