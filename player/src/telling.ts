// Shows the sentences about the event, the question, and the printed lines.

import type { Board } from "./board";
import type { Event } from "./record";
import { byId } from "./view";

/** The number of printed lines that are shown. */
const LINES = 40;

function paragraph(text: string, name = ""): HTMLElement {
  const element = document.createElement("p");
  element.textContent = text;
  element.className = name;
  return element;
}

/** Shows the sentences of the event. The answer to the reader's last action comes first: a verdict, or a message. */
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
  if (!session.question) said.push(...sentences(board));
  const box = byId("said");
  box.setAttribute("aria-label", text.said);
  const same = box.childElementCount === said.length && said.every((element, at) => element.isEqualNode(box.children[at]!));
  if (!same) box.replaceChildren(...said); // because a screen reader reads the box again after each change
}

/** Returns the sentences of each recording. Sentences that both share are shown once. */
function sentences(board: Board): HTMLElement[] {
  const [left, right] = board.stages.map((stage) => stage.said(board.lang));
  if (!left) return [];
  if (!right && left.length === 0) return printed(board.session.event);
  if (!right || left.join() === right.join()) return left.map((sentence) => paragraph(sentence));
  return [...left.map((sentence) => paragraph(sentence, "left")), ...right.map((sentence) => paragraph(sentence, "right-side"))];
}

/** Returns the printed line of the event, which narrow pages show nowhere else. */
function printed(event: Event | undefined): HTMLElement[] {
  return event?.event === "printed" ? [line(event, "code")] : [];
}

function line({ style = "", line = "" }: Event, name: "code" | "span"): HTMLElement {
  const element = document.createElement(name);
  element.className = `line ${style}`;
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

export function showTrace(board: Board): void {
  const box = byId("trace");
  box.setAttribute("aria-label", board.text.trace);
  const lines = (board.session.recordings[0]?.printed(LINES) ?? []).map((event) => line(event, "span"));
  box.replaceChildren(...lines);
  box.dataset["empty"] = lines.length === 0 ? board.text.nothingPrinted : "";
  box.scrollTop = box.scrollHeight;
}
