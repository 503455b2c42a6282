// Turns a recording into an SVG that is animated by CSS alone, for pages that run no scripts. Each event is shown for
// as long as it takes to read.

import { chipColour, tombstone } from "./drawing";
import { type Layout, type Part, type Rect, TITLES, WIDE, WIDE_WORK } from "./layout";
import { isSaid, parse } from "./record";
import { Recording } from "./recording";
import { type Chip, type Scene, scene } from "./scene";
import { SCENE_WORDS } from "./texts";
import { heading, type Lang, saying } from "./words";

/** The time for an event, and the additional time for each letter of the narrator, in milliseconds. */
const BEAT = 750;
const READING = { en: 32, zh: 90 };
/** The time for which a chip travels, in milliseconds. */
const TRAVEL = 400;
/** The time for which the last frame stays, in milliseconds. */
const REST = 2500;
/** The number of letters in a line of a sentence. */
const LINE = { en: 88, zh: 46 };

interface Frame { scene: Scene; has: Set<Part>; heading: string; said: string; beginsMs: number; endsMs: number; queue: string }

/** A span of time in which something is at one place, and the place where it comes from, if any. */
interface Stay { from: number; to: number; x: number; y: number; origin: { x: number; y: number } | undefined }

/** Something that always looks the same, with the times and places at which it is shown. */
interface Actor { markup: string; stays: Stay[] }

/** Returns the film of a record. Throws `Unreadable`. */
export function film(record: string, lang: Lang): string {
  const recording = new Recording(parse(record));
  const layout = recording.works ? WIDE_WORK : WIDE;
  const frames = framesOf(recording, layout, lang);
  const lasts = frames.at(-1)!.endsMs;
  const actors = [...boxes(frames, layout), ...chips(recording, frames, layout), ...words(frames, layout, lang)];
  const styles = actors.map(({ stays }, number) => keyframes(number, stays, lasts));
  const last = (stays: Stay[]): Stay | undefined => stays.find(({ to }) => to >= lasts);
  const elements = actors.map(({ markup, stays }, number) => {
    const stay = last(stays); // readers without animations see the last frame
    const at = stay ?? stays[0]!;
    return `<g id="a${number}" style="transform:translate(${at.x}px,${at.y}px)"${stay ? "" : ' opacity="0"'}>${markup}</g>`;
  });
  const height = layout.height + 112;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${height}" font-size="${layout.font}" role="img" lang="${lang}">
<title>informer-lab ${escaped(recording.header.command ?? "")}</title>
<style>${STYLE}g[id]{animation:${round(lasts / 1000)}s step-end infinite}
${styles.join("\n")}
@media (prefers-reduced-motion:reduce){g[id]{animation:none!important}}</style>
<rect width="${layout.width}" height="${height}" class="back"/>
${frame(layout, frames)}
${elements.join("\n")}
</svg>
`;
}

function framesOf(recording: Recording, layout: Layout, lang: Lang): Frame[] {
  const frames: Frame[] = [];
  let now = 0;
  for (let at = 0; at < recording.events.length; at++) {
    recording.go(at);
    const { event, parts } = recording;
    if (isSaid(event) && event.event !== "narrated") continue;
    const spoken = (event.said ?? []).map((sentence) => sentence[lang].length).reduce((sum, length) => sum + length, 0);
    const endsMs = now + BEAT + spoken * READING[lang];
    const said = saying(event, lang).join(lang === "en" ? " " : "");
    frames.push({ scene: scene(recording, layout, SCENE_WORDS[lang]), has: parts.has, queue: parts.queue ?? "queue",
      heading: heading(event, lang), said, beginsMs: now, endsMs });
    now = endsMs;
  }
  frames.at(-1)!.endsMs += REST;
  return frames;
}

/** Draws the fixed parts: the boxes with their names, and the arrows between the parts that the run uses. */
function frame(layout: Layout, frames: Frame[]): string {
  const has = new Set(frames.flatMap((frame) => [...frame.has]));
  const queue = frames.at(-1)!.queue;
  const ways = layout.ways.filter(({ from, to }) => has.has(from) && has.has(to)).map(({ d }) => `<path d="${d}" class="way" marker-end="url(#head)"/>`);
  const parts = (Object.entries(layout.parts) as [Part, Rect][]).map(([part, box]) => {
    const title = part === "queue" ? queue : TITLES[part];
    return `<g${has.has(part) ? "" : ' opacity=".35"'}>${rect(box, "box")}<text x="${box.x + 10}" y="${box.y + layout.font * 1.2}" class="title">${escaped(title)}</text></g>`;
  });
  const head = '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" class="head"/></marker></defs>';
  return [head, ...ways, ...parts].join("\n");
}

/** Highlights each part while an event is about it. */
function boxes(frames: Frame[], layout: Layout): Actor[] {
  return (Object.entries(layout.parts) as [Part, Rect][]).flatMap(([part, box]) => {
    const stays = during(frames, (frame) => (frame.scene.active.has(part) ? "active" : undefined));
    const of = stays.get("active");
    return of ? [{ markup: rect({ ...box, x: 0, y: 0 }, "active"), stays: of.map((stay) => ({ ...stay, x: box.x, y: box.y })) }] : [];
  });
}

/** Returns the chips. A chip that changes its looks becomes another actor. */
function chips(recording: Recording, frames: Frame[], layout: Layout): Actor[] {
  const actors = new Map<string, Actor>();
  let before = new Map<string, Chip>();
  for (const { scene: { chips }, beginsMs: from, endsMs: to } of frames) {
    for (const chip of chips) {
      const markup = chipMarkup(chip, layout, chip.key === undefined ? undefined : chipColour(recording.colour(chip.key)));
      const name = `${chip.id} ${markup}`;
      const actor = actors.get(name) ?? { markup, stays: [] };
      actors.set(name, actor);
      const { x, y } = chip;
      const last = actor.stays.at(-1);
      if (last?.to === from && last.x === x && last.y === y) last.to = to;
      else actor.stays.push({ from, to, x, y, origin: before.get(chip.id) ?? origin(chip, before, layout) });
    }
    before = new Map(chips.map((chip) => [chip.id, chip]));
  }
  return [...actors.values()];
}

function origin(chip: Chip, before: Map<string, Chip>, layout: Layout): { x: number; y: number } | undefined {
  for (const name of chip.from) {
    const from = before.get(name);
    if (from) return from;
    const box = layout.parts[name as Part];
    if (box) return { x: box.x + box.w / 2 - chip.w / 2, y: box.y + box.h / 2 };
  }
  return undefined;
}

/** Returns the notes in the boxes, the headings, and the sentences of each event. */
function words(frames: Frame[], layout: Layout, lang: Lang): Actor[] {
  const below = layout.height + 24;
  const lines = (text: string): string => broken(text, LINE[lang]).map((line, row) => `<text y="${30 + row * 30}" class="said">${escaped(line)}</text>`).join("");
  const place = { x: 16, y: below };
  const headings = [...during(frames, ({ heading }) => heading)].map(([text, stays]) => actor(`<text class="note">${escaped(text)}</text>`, stays, place));
  const said = [...during(frames, ({ said }) => said || undefined)].map(([text, stays]) => actor(lines(text), stays, place));
  const notes = (Object.entries(layout.parts) as [Part, Rect][]).filter(([part]) => part === "reflector" || part === "listwatch").flatMap(([part, { x, y }]) =>
    [...during(frames, ({ scene }) => scene.notes.get(part))].map(([text, stays]) =>
      actor(`<text class="note">${escaped(text)}</text>`, stays, { x: x + 10, y: y + layout.font * 2.55 })));
  return [...notes, ...headings, ...said];
}

const actor = (markup: string, stays: Stay[], { x, y }: { x: number; y: number }): Actor => ({ markup, stays: stays.map((stay) => ({ ...stay, x, y })) });

/** Groups the frames by the name that `of` returns, as the spans of time in which the name applies. */
function during(frames: Frame[], of: (frame: Frame) => string | undefined): Map<string, Stay[]> {
  const all = new Map<string, Stay[]>();
  for (const frame of frames) {
    const name = of(frame);
    if (name === undefined) continue;
    const stays = all.get(name) ?? [];
    all.set(name, stays);
    const last = stays.at(-1);
    if (last?.to === frame.beginsMs) last.to = frame.endsMs;
    else stays.push({ from: frame.beginsMs, to: frame.endsMs, x: 0, y: 0, origin: undefined });
  }
  return all;
}

function keyframes(number: number, stays: Stay[], lasts: number): string {
  const percent = (ms: number): string => `${round((100 * ms) / lasts)}%`;
  const at = ({ x, y }: { x: number; y: number }): string => `transform:translate(${round(x)}px,${round(y)}px)`;
  const steps = stays.flatMap((stay) => {
    const { from, to, origin } = stay;
    const travels = origin && (origin.x !== stay.x || origin.y !== stay.y);
    const comes = travels
      ? [`${percent(from)}{opacity:1;${at(origin)};animation-timing-function:ease}`, `${percent(from + TRAVEL)}{opacity:1;${at(stay)}}`]
      : [`${percent(from)}{opacity:1;${at(stay)}}`];
    const goes = to < lasts && !stays.some((next) => next.from === to) ? [`${percent(to)}{opacity:0}`] : [];
    return [...comes, ...goes];
  });
  const begins = stays[0]!.from > 0 ? ["0%{opacity:0}"] : [];
  const ends = stays.at(-1)!.to >= lasts ? [`to{opacity:1;${at(stays.at(-1)!)}}`] : [];
  return `#a${number}{animation-name:k${number}}@keyframes k${number}{${[...begins, ...steps, ...ends].join("")}}`;
}

function chipMarkup({ shape, text, w, h }: Chip, layout: Layout, colour: number | undefined): string {
  const plain = shape === "label" || shape === "more";
  const looks = `${shape}${colour === undefined ? "" : ` c${colour}`}`;
  const outline = plain ? "" : shape === "tombstone" ? `<path d="${tombstone(round(w), round(h))}"/>` : `<rect width="${round(w)}" height="${round(h)}" rx="6"/>`;
  const place = plain ? 'x="4"' : `x="${round(w / 2)}" text-anchor="middle"`;
  return `<g class="chip ${looks}">${outline}<text ${place} y="${round(layout.font * 0.98)}">${escaped(text)}</text></g>`;
}

function rect({ x, y, w, h }: Rect, name: string): string {
  return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="10" class="${name}"/>`;
}

/** Breaks a text into lines of so many letters: between words, or anywhere in Chinese. */
function broken(text: string, room: number): string[] {
  const lines = [""];
  for (const word of text.match(/(?:[\u2e80-\uffff]|[^\s\u2e80-\uffff]+)[、，。：；）”]*\s*/gu) ?? []) {
    if ((lines.at(-1)! + word).trimEnd().length > room) lines.push("");
    lines[lines.length - 1] += word;
  }
  return lines.map((line) => line.trimEnd());
}

const round = (value: number): number => Math.round(value * 100) / 100;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The light colours of style.css. */
const STYLE = `text{font-family:"DejaVu Sans Mono",ui-monospace,Menlo,Consolas,"Noto Sans Mono CJK SC",monospace;fill:#1b1d22}
.back{fill:#fff}.box{fill:#fff;stroke:#c9c8c2;stroke-width:1.5}.active{fill:none;stroke:#0b57d0;stroke-width:4}
.title,.note,.said{font-family:system-ui,"Noto Sans","Noto Sans CJK SC",sans-serif}.title{font-weight:700}.note{fill:#565b66;font-size:16px}
.said{font-weight:600;font-size:23px}.way{fill:none;stroke:#565b66;stroke-width:2}.head{fill:#565b66}
.chip rect,.chip path{fill:#fff;stroke:#1b1d22;stroke-opacity:.35}
.deletion rect{stroke:#b3261e;stroke-opacity:1;stroke-width:2.5}.fallen text{text-decoration:line-through}
.tombstone path{stroke-opacity:1;stroke-width:2.5;stroke-dasharray:5 3}.fallen rect{stroke:#b3261e;stroke-opacity:1;stroke-width:2.5;stroke-dasharray:6 4}
.later rect{stroke-dasharray:3 3}
.chip.c0>*{fill:#cfe0ff}.chip.c1>*{fill:#ffe0b5}.chip.c2>*{fill:#c9efcf}.chip.c3>*{fill:#f6cfe6}.chip.c4>*{fill:#fff1a8}.chip.c5>*{fill:#c6edf2}.chip.c6>*{fill:#e2d4fb}.chip.c7>*{fill:#ffd2c9}.chip.c8>*{fill:#e0ecb4}.chip.c9>*{fill:#dcdcd6}
.chip.chip>text{fill:#1b1d22}.chip.more>text{fill:#565b66}.fallen.fallen.fallen>rect{fill:#fff}
`;
