// Shows the sentences about the event, the question, and the printed lines.

import type { Board } from "./board";
import type { Event } from "./record";
import type { Stage } from "./stage";
import { byId } from "./view";
import type { Lang } from "./words";

/** The number of printed lines that are shown. */
const LINES = 40;

function paragraph(text: string, name = ""): HTMLElement {
  const element = document.createElement("p");
  element.textContent = text;
  element.className = name;
  return element;
}

/**
 * Shows the sentences of the event; those of two recordings stand in their figures. The answer to the reader's last
 * action comes first: a verdict, or a message.
 */
export function showSaid(board: Board): void {
  const { session, text, lang } = board;
  const said: HTMLElement[] = [];
  if (board.notice !== undefined) said.push(paragraph(board.notice, "notice"));
  else if (board.stages.length === 0) said.push(paragraph(text.empty, "notice"));
  if (session.verdict) {
    const { right, question } = session.verdict;
    const verdict = right ? text.right : text.wrong(question.choices[question.answer]![lang].replace(/[.。]$/, ""));
    said.push(paragraph(`${verdict}${question.why[lang]}`, right ? "right" : "wrong"));
  }
  const alone = board.stages.length < 2;
  for (const stage of board.stages) {
    const sentences = session.question ? [] : sentencesOf(stage, lang);
    if (alone) said.push(...sentences);
    else fill(stage.told, sentences);
  }
  fill(byId("said"), said);
}

/** Replaces what a box shows, if it differs, because a screen reader reads the box again after each change. */
function fill(box: HTMLElement, said: HTMLElement[]): void {
  const same = box.childElementCount === said.length && said.every((element, at) => element.isEqualNode(box.children[at]!));
  if (!same) box.replaceChildren(...said);
}

/** Returns the sentences about the event, or else the line that it printed, which narrow pages show nowhere else. */
function sentencesOf(stage: Stage, lang: Lang): HTMLElement[] {
  const { event } = stage.recording;
  const said = stage.said(lang);
  return said.length === 0 && event.event === "printed" ? [line(event, "code")] : said.map((sentence) => paragraph(sentence));
}

/** The lines of the fifth handler have the looks of the first one's, as in src/trace/color.rs. */
const HANDLER_LOOKS = 4;

function line({ style = "", line = "" }: Event, name: "code" | "span"): HTMLElement {
  const element = document.createElement(name);
  element.className = `line ${style.replace(/\d+$/, (handler) => String(Number(handler) % HANDLER_LOOKS))}`;
  element.textContent = `${line}\n`;
  return element;
}

export function showQuestion(board: Board): void {
  const { session, text, lang } = board;
  const box = byId("question");
  box.hidden = !session.question;
  if (!session.question) return box.replaceChildren();
  const { asks, choices } = session.question;
  const of = board.stages.length > 1 ? `${board.stages[0]!.title(lang)}: ` : ""; // questions are asked about the first of two recordings
  const button = (label: string, act: () => void): HTMLElement => {
    const element = document.createElement("button");
    element.textContent = label;
    element.addEventListener("click", act);
    return element;
  };
  const answers = document.createElement("div");
  answers.className = "answers";
  answers.append(
    ...choices.map((choice, at) => button(`${at + 1}  ${choice[lang]}`, () => board.answer(at))),
    button(text.skip, () => board.forward()),
  );
  box.replaceChildren(paragraph(`${of}${asks[lang]}`), answers);
}

/** Shows the printed lines: beside the sentences, or below each of two pictures. */
export function showTrace(board: Board): void {
  const alone = board.stages.length < 2;
  board.session.recordings.forEach((recording, side) => {
    const box = alone ? byId("trace") : board.stages[side]!.trace;
    box.setAttribute("aria-label", board.text.trace);
    const lines = recording.printed(LINES).map((event) => line(event, "span"));
    box.replaceChildren(...lines);
    box.dataset["empty"] = lines.length === 0 ? board.text.nothingPrinted : "";
    box.scrollTop = box.scrollHeight;
  });
}
