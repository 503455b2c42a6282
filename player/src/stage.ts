// One recording on the page: its name, its picture, and what is said.

import { Picture } from "./drawing";
import { type Layout, type Part } from "./layout";
import { handlerLines, queueLines, serverLines, storeLines } from "./lines";
import type { Pipeline } from "./pipeline";
import type { Recording } from "./recording";
import { scene } from "./scene";
import { SCENE_WORDS, TEXTS } from "./texts";
import { heading, type Lang, saying } from "./words";

export class Stage {
  readonly element = document.createElement("figure");
  private caption = document.createElement("figcaption");
  private name = document.createElement("strong");
  private what = document.createElement("span");
  private picture = new Picture();
  /** The parts that the recording does without, and of how many of its events that was found. */
  private unused = { parts: new Set<Part>(), events: -1 };

  constructor(readonly recording: Recording) {
    this.element.className = "stage";
    this.caption.append(this.name, this.what);
    const window = document.createElement("div");
    window.className = "window";
    window.append(this.picture.element);
    this.element.append(this.caption, window);
  }

  show(layout: Layout, lang: Lang, move: number, alone: boolean, differs: Set<Part>): void {
    const { recording } = this;
    this.caption.hidden = alone;
    this.name.textContent = this.title(lang);
    this.what.textContent = heading(recording.event, lang);
    this.picture.lay(layout);
    const pipeline = recording.pipeline;
    this.picture.show(scene(recording, layout, SCENE_WORDS[lang]), {
      queue: pipeline.queueName ?? "queue",
      unused: this.without(),
      differs,
      knownObjects: pipeline.knownObjects,
      colour: (key) => recording.colour(key),
    }, move);
    this.picture.element.setAttribute("aria-label", described(pipeline, lang, this.title(lang)));
  }

  /** Which run it is. */
  title(lang: Lang): string {
    const { command = "", options = [], client = "", server, seed = 0 } = this.recording.header;
    const era = server && server !== client ? `${client}/${server}` : client;
    return TEXTS[lang].run([command, ...options].join(" "), era, seed);
  }

  private without(): Set<Part> {
    const { recording } = this;
    if (this.unused.events !== recording.events.length) this.unused = { parts: unusedParts(recording), events: recording.events.length };
    return this.unused.parts;
  }

  get svg(): SVGSVGElement {
    return this.picture.element;
  }

  said(lang: Lang): string[] {
    return saying(this.recording.event, lang);
  }
}

/** The picture in words, for those who do not see it. */
function described(pipeline: Pipeline, lang: Lang, command: string): string {
  const { holds, pictureOf } = TEXTS[lang];
  const boxes: [string, string[]][] = [
    ["API server", serverLines(pipeline)], [pipeline.queueName ?? "queue", queueLines(pipeline)],
    ["Indexer", storeLines(pipeline)], ["handlers", handlerLines(pipeline)],
  ];
  return `${pictureOf(command)}. ${boxes.map(([box, lines]) => holds(box, lines.slice(0, 12))).join(". ")}`;
}

/** The boxes that differ between two recordings. */
export function differing(left: Pipeline, right: Pipeline): Set<Part> {
  const differ = (lines: (pipeline: Pipeline) => string[]): boolean => lines(left).join("\n") !== lines(right).join("\n");
  const parts: [Part, (pipeline: Pipeline) => string[]][] = [
    ["server", serverLines], ["queue", queueLines], ["store", storeLines], ["processor", handlerLines],
  ];
  return new Set(parts.filter(([, lines]) => differ(lines)).map(([part]) => part));
}

const USES: [Part, string[]][] = [
  ["server", ["committed"]],
  ["listwatch", ["listed", "watching", "watched", "list_failed"]],
  ["reflector", ["listed", "watching", "watched", "relisting", "resynced"]],
  ["queue", ["queued", "popped", "dropped"]],
  ["controller", ["popped"]],
  ["store", ["stored", "removed", "replaced"]],
  ["processor", ["joined", "notified", "calling"]],
];

/** The parts that nothing happens in: the lesson does without them. */
function unusedParts(recording: Recording): Set<Part> {
  const happens = new Set(recording.names);
  return new Set(USES.filter(([, events]) => !events.some((event) => happens.has(event))).map(([part]) => part));
}
