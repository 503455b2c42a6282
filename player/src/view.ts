// Draws the board's state on the page.

import type { Board, Change } from "./board";
import { Controls } from "./controls";
import { options } from "./embedded";
import { fillHelp } from "./help";
import { fillLessons } from "./lessons";
import type { Playground } from "./playground";
import { showQuestion, showSaid, showTrace } from "./telling";
import { mark } from "./timeline";
import { heading } from "./words";

export const byId = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E;

export class View {
  private controls: Controls;

  constructor(private readonly board: Board, playground: Playground | undefined) {
    this.controls = new Controls(board, playground);
    board.onChange((what, move) => this.draw(what, move));
    addEventListener("resize", () => this.draw("all", 0));
  }

  private draw(what: Change, move: number): void {
    if (what === "all") this.drawFrame();
    if (what === "longer") this.controls.lengthen();
    else this.drawStep(move);
    if (what !== "step") mark(byId<HTMLCanvasElement>("marks"), this.board.session);
  }

  private drawFrame(): void {
    const { board } = this;
    const root = document.documentElement;
    root.lang = board.lang === "zh" ? "zh-CN" : "en";
    root.dataset["theme"] = board.choices.dark ? "dark" : "light";
    root.style.setProperty("--zoom", String(board.choices.zoom));
    document.body.classList.toggle("embedded", options().embedded ?? false);
    document.body.dataset["sides"] = String(board.stages.length);
    document.title = [...board.stages.map((stage) => stage.title(board.lang)), board.text.title].join(" · ");
    byId("main").setAttribute("aria-label", document.title); // because a page with a figure has two such landmarks
    byId("footer").setAttribute("aria-label", board.text.controls);
    byId("stages").replaceChildren(...board.stages.map((stage) => stage.element));
    fillLessons(byId("lessons"), board);
    byId("stages").setAttribute("aria-label", board.text.stages);
    fillHelp(byId<HTMLDialogElement>("help"), board);
    this.controls.label();
  }

  private drawStep(move: number): void {
    const { board } = this;
    const { session } = board;
    const alone = board.stages.length < 2;
    byId("lessons").hidden = board.stages.length > 0 || board.notice !== undefined || options().live !== undefined;
    for (const stage of board.stages) stage.show(board.layout, board.lang, move, alone, board.differs);
    const place = `${session.at + 1}/${Math.max(session.steps.length, 1)}`;
    const score = session.score.all > 0 ? `  ${session.score.right}/${session.score.all}` : "";
    byId("heading").textContent = session.event && alone ? `${place}  ${heading(session.event, board.lang)}${score}` : `${place}${score}`;
    const differs = session.steps[session.at]?.differs ?? false;
    byId("heading").classList.toggle("differs", differs);
    if (differs) byId("heading").append(`  ≠ ${board.text.differs}`);
    byId("name").textContent = alone && session.event ? board.stages[0]!.title(board.lang) : board.text.title;
    showSaid(board);
    showQuestion(board);
    showTrace(board);
    this.controls.step();
  }
}
