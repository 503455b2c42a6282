// One recording on the page: its name, its picture and its sentences.

import { Picture } from "./drawing";
import { type Layout, type Part, TITLES } from "./layout";
import { handlerLines, queueLines, serverLines, storeLines } from "./lines";
import type { Recording } from "./recording";
import { scene } from "./scene";
import { SCENE_WORDS, TEXTS } from "./texts";
import { heading, type Lang, saying } from "./words";
import { dirtyKeys, processingKeys, workLines } from "./work";

export class Stage {
  readonly element = document.createElement("figure");
  private caption = document.createElement("figcaption");
  private name = document.createElement("strong");
  private what = document.createElement("span");
  private picture = new Picture();
  /** The sentences and the printed lines, if the picture stands beside another one. */
  readonly told = document.createElement("div");
  readonly trace = document.createElement("pre");

  constructor(readonly recording: Recording) {
    this.element.className = "stage";
    this.caption.append(this.name, this.what);
    const window = document.createElement("div");
    window.className = "window";
    window.append(this.picture.element);
    this.told.className = "told";
    this.told.setAttribute("aria-live", "polite");
    this.trace.className = "trace";
    for (const box of [this.told, this.trace]) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
    }
    this.element.append(this.caption, window, this.told, this.trace);
  }

  show(layout: Layout, lang: Lang, move: number, alone: boolean, differs: Set<Part>): void {
    const { recording } = this;
    this.caption.hidden = this.told.hidden = this.trace.hidden = alone;
    this.name.textContent = this.title(lang);
    this.what.textContent = heading(recording.event, lang);
    this.picture.lay(layout);
    const { parts } = recording;
    this.picture.show(scene(recording, layout, SCENE_WORDS[lang]), {
      queue: parts.queue ?? "queue",
      has: parts.has,
      shows: alone ? parts.has : new Set(Object.keys(layout.parts) as Part[]),
      differs,
      knownObjects: parts.knownObjects,
      colour: (key) => recording.colour(key),
    }, move);
    this.picture.element.setAttribute("aria-label", described(recording, lang, this.title(lang)));
  }

  /** Returns the name of the run: command, era and seed. */
  title(lang: Lang): string {
    const { command = "", options = [], client = "", server, seed = 0 } = this.recording.header;
    const era = server && server !== client ? `${client}/${server}` : client;
    return TEXTS[lang].run([command, ...options].join(" "), era, seed);
  }

  get svg(): SVGSVGElement {
    return this.picture.element;
  }

  said(lang: Lang): string[] {
    return saying(this.recording.event, lang);
  }
}

/** Describes the picture in words, for screen readers. */
function described({ pipeline, parts, works, picture }: Recording, lang: Lang, command: string): string {
  const { holds, pictureOf } = TEXTS[lang];
  const boxes: [string, string[]][] = [
    [TITLES.server, serverLines(pipeline)], [parts.queue ?? TITLES.queue, queueLines(pipeline)],
    [TITLES.store, storeLines(pipeline)], [TITLES.processor, handlerLines(pipeline)],
  ];
  if (works) boxes.push([TITLES.work, workLines(picture.work)], ["dirty", dirtyKeys(picture.work)], [TITLES.workers, processingKeys(picture.work)]);
  return `${pictureOf(command)}. ${boxes.map(([box, lines]) => holds(box, lines.slice(0, 12))).join(". ")}`;
}

/** Returns the boxes that differ between two recordings. */
export function differing(left: Recording, right: Recording): Set<Part> {
  const differ = (lines: (of: Recording) => string[]): boolean => lines(left).join("\n") !== lines(right).join("\n");
  const parts: [Part, (of: Recording) => string[]][] = [
    ["server", ({ pipeline }) => serverLines(pipeline)], ["queue", ({ pipeline }) => queueLines(pipeline)],
    ["store", ({ pipeline }) => storeLines(pipeline)], ["processor", ({ pipeline }) => handlerLines(pipeline)],
    ["work", ({ picture }) => [...workLines(picture.work), ...dirtyKeys(picture.work)]], ["workers", ({ picture }) => processingKeys(picture.work)],
  ];
  return new Set(parts.filter(([, lines]) => differ(lines)).map(([part]) => part));
}
