// Draws scenes as one SVG. A chip that stays keeps its element, so that its movement can be animated.

import { type Layout, type Part, TITLES } from "./layout";
import { type Chip, type Scene } from "./scene";
import { set, svg } from "./svg";
import { appear, fall, travel } from "./travel";

/** The number of colours for objects in style.css. */
const COLOURS = 10;

/** Returns the colour of an object, by the object's number. */
export function chipColour(number: number): number {
  return number % COLOURS;
}

/** Facts about the recording that the picture needs. */
export interface Names {
  queue: string;
  /** The parts that the run uses. */
  has: Set<Part>;
  /** The parts that the picture has room for. */
  shows: Set<Part>;
  /** The parts whose contents differ in the other recording. */
  differs: Set<Part>;
  knownObjects: boolean;
  colour: (key: string) => number;
}

interface Drawn { element: SVGElement; chip: Chip; looks: string }

export class Picture {
  readonly element = svg("svg", { class: "picture", role: "img" }) as SVGSVGElement;
  private boxes = new Map<Part, { group: SVGElement; title: SVGElement; note: SVGElement }>();
  private chips = new Map<string, Drawn>();
  private layer = svg("g");
  private layout: Layout | undefined;
  private ways: { element: SVGElement; ends: Part[] }[] = [];

  /** Draws the frame of the picture: the parts, and the arrows between them. */
  lay(layout: Layout): void {
    if (this.layout === layout) return;
    this.layout = layout;
    this.chips.clear();
    this.boxes.clear();
    this.layer = svg("g");
    set(this.element, { "font-size": layout.font });
    this.ways = ways(layout);
    this.element.replaceChildren(arrowHead(), ...this.ways.map(({ element }) => element));
    for (const part of Object.keys(layout.parts) as Part[]) this.element.append(this.box(layout, part));
    this.element.append(this.layer);
  }

  private box(layout: Layout, part: Part): SVGElement {
    const { x, y, w, h } = layout.parts[part]!;
    const group = svg("g", { class: "box", "data-part": part });
    const baseline = y + layout.font * 1.2;
    const title = svg("text", { x: x + 10, y: baseline, class: "title" }, TITLES[part]);
    const small = part === "reflector" || part === "listwatch";
    const note = svg("text", small
      ? { x: x + 10, y: baseline + layout.font * 1.35, class: "note" }
      : { x: x + w - 10, y: baseline, class: "note", "text-anchor": "end" });
    group.append(svg("rect", { x, y, width: w, height: h, rx: 10 }), title, note);
    this.boxes.set(part, { group, title, note });
    return group;
  }

  /** Shows a scene. If `move` is more than 0, chips travel to their places in so many milliseconds. */
  show(scene: Scene, names: Names, move: number): void {
    set(this.element, { viewBox: viewBox(this.layout!, names.shows) });
    for (const [part, { group, title, note }] of this.boxes) {
      group.classList.toggle("active", scene.active.has(part));
      group.classList.toggle("unused", !names.has.has(part));
      group.classList.toggle("differs", names.differs.has(part));
      title.textContent = this.title(part, names);
      note.textContent = this.fittingNote(part, title.textContent, scene.notes.get(part) ?? "");
    }
    for (const { element, ends } of this.ways) element.classList.toggle("unused", !ends.every((part) => names.has.has(part)));
    if (!names.knownObjects) this.element.querySelector(".question")?.classList.add("unused");
    const before = new Map([...this.chips].map(([id, { chip }]) => [id, chip]));
    const now = new Set(scene.chips.map((chip) => chip.id));
    for (const [id, { element }] of this.chips) {
      if (now.has(id)) continue;
      element.remove();
      this.chips.delete(id);
    }
    for (const chip of scene.chips) this.place(chip, before, names.colour, move);
  }

  /** Returns the title of a part, without the words in brackets if the part is narrow. */
  private title(part: Part, names: Names): string {
    const name = part === "queue" ? names.queue : TITLES[part];
    return this.letters(name) > this.layout!.parts[part]!.w - 20 ? name.replace(/ \(.*/, "") : name;
  }

  /** Returns the note, or nothing if it stands beside the title and has no room there. */
  private fittingNote(part: Part, title: string, note: string): string {
    const below = part === "reflector" || part === "listwatch";
    const width = title.length * 0.64 + 0.6 + letterWidths(note) * 0.46;
    return below || width * this.layout!.font < this.layout!.parts[part]!.w - 20 ? note : "";
  }

  private letters(text: string): number {
    return text.length * this.layout!.font * 0.58;
  }

  private place(chip: Chip, before: Map<string, Chip>, colour: (key: string) => number, move: number): void {
    const of = chip.key === undefined ? undefined : chipColour(colour(chip.key));
    const looks = `${chip.shape} ${of ?? ""} ${chip.text} ${chip.w}`;
    const was = before.get(chip.id);
    let drawn = this.chips.get(chip.id);
    if (drawn === undefined || drawn.looks !== looks) {
      const element = chipElement(chip, of);
      if (drawn) drawn.element.replaceWith(element);
      else this.layer.append(element);
      drawn = { element, chip, looks };
      this.chips.set(chip.id, drawn);
    }
    drawn.chip = chip;
    set(drawn.element, { transform: `translate(${chip.x} ${chip.y})`, "data-line": chip.line ?? "", "data-id": chip.id, "data-part": chip.part });
    if (move > 0) this.move(drawn.element, chip, was, before, move);
  }

  private move(element: SVGElement, chip: Chip, was: Chip | undefined, before: Map<string, Chip>, duration: number): void {
    const from = was ?? this.origin(chip, before);
    if (chip.shape === "fallen" && from) return fall(element, from, chip, duration);
    if (from && (from.x !== chip.x || from.y !== chip.y)) return travel(element, from, chip, duration);
    if (was === undefined) appear(element, duration);
  }

  private origin(chip: Chip, before: Map<string, Chip>): { x: number; y: number } | undefined {
    for (const name of chip.from) {
      const from = before.get(name);
      if (from) return from;
      const box = this.layout!.parts[name as Part] as Layout["parts"][Part] | undefined;
      if (box) return { x: box.x + box.w / 2 - chip.w / 2, y: box.y + box.h / 2 };
    }
    return undefined;
  }
}

/** The picture shows a few parts larger than the whole, but at most so many times. */
const LARGEST = 1.6;

/** Returns the piece of a layout that has these parts in its middle. */
function viewBox({ width, height, parts }: Layout, shows: Set<Part>): string {
  const rects = [...shows].map((part) => parts[part]).filter((rect) => rect !== undefined);
  if (rects.length === 0) return `0 0 ${width} ${height}`;
  const [x, w] = stretch(rects.map(({ x, w }) => [x, x + w]), width);
  const [y, h] = stretch(rects.map(({ y, h }) => [y, y + h]), height);
  return `${x} ${y} ${w} ${h}`;
}

/** Returns the begin and the length of a stretch that contains these spans with a margin, and is not too short for a whole of this length. */
function stretch(spans: [number, number][], whole: number): [number, number] {
  const begin = Math.min(...spans.map(([from]) => from)), end = Math.max(...spans.map(([, to]) => to));
  const length = Math.max(end - begin + 12, whole / LARGEST);
  return [(begin + end - length) / 2, length];
}

/** Returns the width of a text in small letters; a Chinese letter counts as two. */
function letterWidths(text: string): number {
  return [...text].reduce((width, letter) => width + (letter > "\u2e80" ? 2 : 1), 0);
}

function arrowHead(): SVGElement {
  const head = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  head.append(svg("path", { d: "M0 0 L8 4 L0 8 z", class: "head" }));
  const defs = svg("defs");
  defs.append(head);
  return defs;
}

/** Draws the arrows along which changes travel, and the line on which the queue asks the store for known objects. */
function ways(layout: Layout): { element: SVGElement; ends: Part[] }[] {
  const changes = layout.ways.map(({ d, from, to }) => (
    { element: svg("path", { d, class: "arrow", "marker-end": "url(#head)" }), ends: [from, to] }
  ));
  const question = svg("path", { d: layout.question, class: "arrow question" });
  return [...changes, { element: question, ends: ["queue", "store"] }];
}

function chipElement(chip: Chip, colour: number | undefined): SVGElement {
  const group = svg("g", { class: `chip ${chip.shape}${colour === undefined ? "" : ` c${colour}`}` });
  if (chip.shape !== "label" && chip.shape !== "more") group.append(outline(chip));
  const baseline = chip.h * 0.7;
  const plain = chip.shape === "label" || chip.shape === "more";
  group.append(svg("text", plain ? { x: 4, y: baseline } : { x: chip.w / 2, y: baseline, "text-anchor": "middle" }, chip.text));
  return group;
}

/** Returns the outline of a chip: a tombstone, or a rounded box. */
function outline({ shape, w, h }: Chip): SVGElement {
  return shape === "tombstone" ? svg("path", { d: tombstone(w, h) }) : svg("rect", { width: w, height: h, rx: 6 });
}

export function tombstone(w: number, h: number): string {
  const arch = h * 0.5;
  return `M0 ${h} V${arch} Q0 0 ${arch} 0 H${w - arch} Q${w} 0 ${w} ${arch} V${h} Z`;
}

