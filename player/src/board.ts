// The board: the state of the page, and every action of a button or a key.

import { Choices, prefersDark, wantsStillness } from "./choices";
import { options, type Options, pageWith, records } from "./embedded";
import { choose, fileName, save, standalone } from "./files";
import { HALF, HALF_WORK, type Layout, type Part, TALL, TALL_WORK, WIDE, WIDE_WORK } from "./layout";
import { eventOf, nameOf, parse, type Sentence, Unreadable } from "./record";
import { Recording } from "./recording";
import { changesABox } from "./scene";
import { Session } from "./session";
import { differing, Stage } from "./stage";
import { TEXTS } from "./texts";
import { eventName, type Lang } from "./words";

/** The time of one event at speed 1, in milliseconds. */
const BEAT = 1100;
/** The time to read a letter, in milliseconds. */
const READING = { en: 38, zh: 110 };

/** What changed: the current step, the number of steps, or everything. */
export type Change = "step" | "longer" | "all";

export class Board {
  readonly choices: Choices;
  session: Session;
  stages: Stage[] = [];
  texts: string[] = [];
  /** A message for the reader, shown until the next key. */
  notice: string | undefined;
  /** Stops following a live run. Undefined if the page follows none. */
  leave: (() => void) | undefined;
  /** True if new events of a live run start playing. */
  private following = true;
  private redrawing = false;
  private playing: ReturnType<typeof setTimeout> | undefined;
  private changed: (what: Change, move: number) => void = () => {};

  constructor() {
    const { lang, predict = false, speed } = options();
    const browser: Lang = navigator.language.startsWith("zh") ? "zh" : "en";
    this.choices = new Choices(lang ?? browser, prefersDark(), speed);
    this.session = new Session([], predict);
  }

  /** Calls `changed` after each change. `move` is the time in milliseconds for which chips travel. */
  onChange(changed: (what: Change, move: number) => void): void {
    this.changed = changed;
  }

  begin(): void {
    this.show(records());
    this.go(options());
  }

  /** Goes to the event that the options name, and plays if they say so, but not for a reader who prefers stillness. */
  go({ at, play = false }: Options): void {
    if (at === "difference") this.nextDifference();
    else if (typeof at === "string") this.nextOfKind(at);
    else if (at !== undefined) this.jump(at);
    if (play && !wantsStillness() && this.stages.length > 0) this.toggle();
  }

  get lang(): Lang {
    return this.choices.lang;
  }

  get text(): (typeof TEXTS)[Lang] {
    return TEXTS[this.lang];
  }

  /** Shows one record, or two side by side. Returns false if a record cannot be read. */
  show(texts: string[]): boolean {
    this.pause();
    let read = true;
    try {
      const recordings = texts.slice(0, 2).map((text) => new Recording(parse(text)));
      this.texts = texts.slice(0, 2);
      this.session = new Session(recordings, this.session.predict);
      this.session.begin();
      this.stages = recordings.map((recording) => new Stage(recording));
      this.notice = undefined;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.tell(error.sentence);
      read = false;
    }
    this.changed("all", 0);
    return read;
  }

  /** Shows files, and stops following a live run, whose next events do not belong to them. */
  private showFiles(texts: string[]): void {
    if (!this.show(texts) || !this.leave) return;
    this.leave();
    this.leave = undefined;
    this.complain(this.text.left);
  }

  /** Shows records of runs in the playground. Like files, they end the following of a live run. */
  showRun(texts: string[]): boolean {
    this.showFiles(texts);
    return this.stages.length === texts.length;
  }

  get layout(): Layout {
    const works = this.session.recordings.some((recording) => recording.works);
    if (innerWidth < 700) return works ? TALL_WORK : TALL;
    if (this.stages.length > 1 || innerWidth < 1000) return works ? HALF_WORK : HALF;
    return works ? WIDE_WORK : WIDE;
  }

  get isPlaying(): boolean {
    return this.playing !== undefined;
  }

  /** The parts in which the two recordings differ. */
  get differs(): Set<Part> {
    const [left, right] = this.session.recordings;
    return left && right ? differing(left, right) : new Set();
  }

  forward(): void {
    this.pause();
    this.notice = undefined;
    this.step();
  }

  private step(): boolean {
    const went = this.session.forward();
    this.changed("step", this.moves);
    return went;
  }

  private get moves(): number {
    return wantsStillness() ? 0 : Math.min(650, 650 / this.choices.speed);
  }

  jump(at: number): void {
    this.pause();
    this.notice = undefined;
    this.session.jump(at);
    this.changed("step", 0);
  }

  back(): void {
    this.following = false;
    this.jump(this.session.at - 1);
  }

  first(): void {
    this.jump(0);
  }

  last(): void {
    this.jump(this.session.last);
  }

  toggle(): void {
    this.following = !this.isPlaying;
    this.notice = undefined;
    if (this.isPlaying) this.pause();
    else {
      if (this.session.at >= this.session.last) this.session.jump(0);
      this.play(0);
    }
    this.changed("step", 0);
  }

  private play(after: number): void {
    this.playing = setTimeout(() => {
      this.playing = undefined;
      if (this.step() && !this.session.question) this.play(this.pauseFor());
      this.changed("step", 0);
    }, after);
  }

  /** The time until the next event: long enough to read the narrator's sentences, shorter if a live run is ahead. */
  private pauseFor(): number {
    const said = (this.session.event?.said ?? []).map((sentence) => sentence[this.lang].length);
    const letters = said.reduce((sum, length) => sum + length, 0);
    const behind = this.leave && this.following ? Math.max(1, (this.session.last - this.session.at) / 4) : 1;
    return (BEAT + letters * READING[this.lang]) / this.choices.speed / behind;
  }

  pause(): void {
    clearTimeout(this.playing);
    this.playing = undefined;
  }

  nextOfKind(kind = this.session.event && nameOf(this.session.event)): void {
    this.pause();
    if (kind !== undefined) this.found(this.session.findKind(kind), this.text.noNext(eventName(kind, this.lang)));
  }

  /** Goes to the next event of the same kind; if there is none, to the next event that changes a box. */
  nextLikeThis(): void {
    const { event } = this.session;
    if (!event) return;
    this.pause();
    const found = this.session.findKind(nameOf(event));
    const changes = !found && this.session.find(changesABox);
    const kind = eventName(nameOf(event), this.lang);
    this.notice = found ? undefined : changes ? this.text.nextChange(kind) : this.text.noNext(kind);
    this.changed("step", 0);
  }

  search(part: string): void {
    this.pause();
    this.found(this.session.findKey(part), this.text.noKey(part));
  }

  nextDifference(): void {
    this.pause();
    this.found(this.session.findDifference(), this.text.noDifference);
  }

  private found(found: boolean, otherwise: string): void {
    this.notice = found ? undefined : otherwise;
    this.changed("step", 0);
  }

  answer(answer: number): void {
    this.session.answer(answer);
    this.changed("step", 0);
  }

  /** Turns questions on or off. */
  predict(): void {
    const { session, text } = this;
    session.predict = !session.predict;
    if (!session.predict) session.question = undefined;
    const announced = session.questions === 0 ? text.noQuestions : text.questions(session.questions);
    this.notice = session.predict ? announced : undefined;
    this.changed("all", 0);
  }

  faster(by: 1 | -1): void {
    this.choices.faster(by);
    this.changed("step", 0);
  }

  larger(by: 1 | -1): void {
    this.choices.larger(by);
    this.changed("all", 0);
  }

  language(): void {
    this.choices.lang = this.lang === "en" ? "zh" : "en";
    this.changed("all", 0);
  }

  theme(): void {
    this.choices.dark = !this.choices.dark;
    this.changed("all", 0);
  }

  /** Shows only objects of one kind. An empty text means the kind of each event. */
  kind(kind: string): void {
    for (const recording of this.session.recordings) recording.chosen = kind;
    this.changed("step", 0);
  }

  /** Takes an event of a live run. Goes on to it, unless the reader has gone back. */
  hear(line: string): void {
    const [recording] = this.session.recordings;
    if (!recording) {
      this.show([line]);
      return;
    }
    recording.events.push(eventOf(line, recording.events.length + 1));
    this.texts[0] += `\n${line}`;
    this.session.extend();
    if (this.following && !this.isPlaying) this.play(0);
    this.heard();
  }

  /** Draws the time line once per frame, for all events that came since the last one. */
  private heard(): void {
    if (this.redrawing) return;
    this.redrawing = true;
    requestAnimationFrame(() => {
      this.redrawing = false;
      this.changed("longer", 0);
    });
  }

  /** Ends a live run, and says why. */
  endOfRun(why: string): void {
    this.leave = undefined;
    this.following = false;
    this.complain(why);
  }

  /** Shows a failure until the next key. */
  complain(why: string): void {
    this.notice = why;
    this.changed("step", 0);
  }

  /** Jumps to the newest event of a live run, and follows it again. */
  followAgain(): void {
    this.following = true;
    this.notice = undefined;
    this.session.jump(this.session.last);
    this.changed("step", 0);
  }

  async open(): Promise<void> {
    const files = await choose();
    if (files.length > 0) await this.take(files);
  }

  async beside(): Promise<void> {
    const [file] = await choose();
    if (file) this.showFiles([...this.texts.slice(0, 1), await file.text()]);
  }

  /** Shows only the first record again. */
  alone(): void {
    this.show(this.texts.slice(0, 1));
  }

  async take(files: File[]): Promise<void> {
    this.showFiles(await Promise.all(files.slice(0, 2).map((file) => file.text())));
  }

  savePage(): void {
    const page = pageWith(this.texts, { lang: this.lang, predict: this.session.predict, at: this.session.at });
    save(`${this.fileName}.html`, "text/html", page);
  }

  savePicture(): void {
    const background = getComputedStyle(document.body).backgroundColor;
    this.stages.forEach((stage, side) => {
      const name = `${this.fileName}-${this.session.at + 1}${side > 0 ? "-beside" : ""}.svg`;
      save(name, "image/svg+xml", standalone(stage.svg, background));
    });
  }

  private get fileName(): string {
    return fileName(this.session.recordings[0]?.header.command ?? "board");
  }

  tell(sentence: Sentence): void {
    this.notice = sentence[this.lang];
  }
}
