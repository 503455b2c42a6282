// The reader's place on the time line, the questions and their answers. The counterpart of src/step/session.rs.

import { align, type Step } from "./align";
import { type Event, isDrawn, keyOf, nameOf, type Question } from "./record";
import type { Recording } from "./recording";

/** The events that put something into a box behind the API server. */
const FILLS = new Set(["watched", "queued", "stored", "replaced", "notified", "work_added"]);

export class Session {
  readonly steps: Step[] = [];
  /** The number of events that have a step, in a recording alone. */
  private stepped = 0;
  at = 0;
  /** The question before the next event. */
  question: Question | undefined;
  /** The verdict on the last answer. */
  verdict: { right: boolean; question: Question } | undefined;
  /** The number of right answers, and of all answers. */
  score = { right: 0, all: 0 };
  private asked = new Set<number>();

  constructor(readonly recordings: Recording[], public predict: boolean) {
    const [left, right] = recordings;
    if (left && right) this.steps = align(left.events, right.events);
    else this.extend();
    this.go(0);
  }

  /** Adds steps for the new events of a recording. The lines of a drawing are one step. */
  extend(): void {
    const events = this.recordings[0]?.events ?? [];
    for (; this.stepped < events.length; this.stepped++) {
      const at = this.stepped;
      if (isDrawn(events[at]) && isDrawn(events[at - 1])) this.steps.pop();
      this.steps.push({ at: [at, 0], differs: false });
    }
  }

  get event(): Event | undefined {
    return this.recordings[0]?.event;
  }

  get last(): number {
    return this.steps.length - 1;
  }

  get questions(): number {
    return (this.recordings[0]?.events ?? []).filter((event) => event.question).length;
  }

  /** Shows another step. */
  go(at: number): void {
    this.at = Math.max(0, Math.min(at, this.last));
    const step = this.steps[this.at];
    if (step) this.recordings.forEach((recording, side) => recording.go(step.at[side as 0 | 1]));
  }

  /**
   * Goes to the first step whose picture shows a change on its way, or else to the first printed line, because empty
   * boxes explain nothing. No question is skipped.
   */
  begin(): void {
    const kind = this.recordings[0]?.choice ?? "";
    const isShown = ({ of = kind }: Event): boolean => kind === "" || of === kind;
    if (!this.find((event) => FILLS.has(event.event) && isShown(event))) this.find((event) => event.event === "printed");
    const asked = this.predict ? (this.recordings[0]?.events ?? []).findIndex((event) => event.question) : -1;
    if (asked >= 0) this.go(Math.min(this.at, asked));
  }

  /** Goes to the next event, or asks the question before it. Returns false at the end. */
  forward(): boolean {
    this.verdict = undefined;
    if (this.question) this.question = undefined;
    else if (this.asks()) return true;
    if (this.at >= this.last) return false;
    this.go(this.at + 1);
    return true;
  }

  /** Goes to any step. Drops an open question, which was about the next event. */
  jump(at: number): void {
    this.question = undefined;
    this.verdict = undefined;
    this.go(at);
  }

  /** Goes to the next step with such an event in any recording. Returns false if there is none. */
  find(is: (event: Event) => boolean, from = this.at): boolean {
    const found = this.steps.findIndex((step, at) => at > from && this.arrives(step, at).some(is));
    if (found >= 0) this.jump(found);
    return found >= 0;
  }

  findKind(kind: string): boolean {
    return this.find((event) => nameOf(event) === kind);
  }

  findKey(part: string): boolean {
    return this.find((event) => keyOf(event)?.includes(part) ?? false);
  }

  /** Goes to the next step at which the two recordings differ. Returns false if there is none. */
  findDifference(): boolean {
    const found = this.steps.findIndex((step, at) => at > this.at && step.differs);
    if (found >= 0) this.jump(found);
    return found >= 0;
  }

  /** Returns the events that are new at this step. */
  private arrives(step: Step, at: number): Event[] {
    const before = this.steps[at - 1];
    return this.recordings.flatMap((recording, side) => {
      const place = step.at[side as 0 | 1];
      return before && before.at[side as 0 | 1] === place ? [] : [recording.events[place]!];
    });
  }

  /** Answers the question with the choice of this index. */
  answer(answer: number): void {
    if (!this.question?.choices[answer]) return;
    const right = this.question.answer === answer;
    this.score = { right: this.score.right + (right ? 1 : 0), all: this.score.all + 1 };
    this.verdict = { right, question: this.question };
    this.question = undefined;
  }

  /** Asks the question before the next event, once. Returns false if there is none. */
  private asks(): boolean {
    const question = this.event?.question;
    if (!this.predict || !question || this.asked.has(this.at)) return false;
    this.asked.add(this.at);
    this.question = question;
    return true;
  }
}
