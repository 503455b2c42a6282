// The dialogue of the game: the reader chooses a goal, clicks together what happens in the cluster, and runs it.

import type { Board } from "./board";
import { Best, type Goal, GOALS, type Move, MOVES, runOf } from "./goals";
import type { Playground } from "./playground";
import { parse } from "./record";
import { byId } from "./view";
import type { Lang } from "./words";

const TEXTS = {
  en: {
    goals: "Goals", goal: "Goal", clicks: (count: number) => `Clicks: ${count}`, play: "Run", again: "From the start", watch: "See it on the board",
    intro: "The pods web-1 and web-2 run, and an informer watches them. Each click happens two seconds after the one before.",
    reached: (clicks: number, because: string) => `Reached with ${clicks} ${clicks === 1 ? "click" : "clicks"}. ${because}`,
    fewer: (fewest: number) => `It can be done with ${fewest}.`,
    missed: "Not reached. See on the board what happened, and try something else.", close: "Close",
    best: (best: number) => `best ${best}`, running: "Running …",
  },
  zh: {
    goals: "关卡", goal: "目标", clicks: (count: number) => `点击次数：${count}`, play: "运行", again: "重新开始", watch: "在图上看",
    intro: "web-1 和 web-2 两个 Pod 正在运行，一个 informer 在 watch 它们。每次点击都发生在前一次的两秒之后。",
    reached: (clicks: number, because: string) => `用 ${clicks} 次点击达到了目标。${because}`,
    fewer: (fewest: number) => `其实 ${fewest} 次就够。`,
    missed: "没有达到目标。在图上看看发生了什么，再试试别的办法。", close: "关闭",
    best: (best: number) => `最好成绩 ${best}`, running: "正在运行……",
  },
};

export class GoalDialog {
  private readonly dialog = document.createElement("dialog");
  private readonly opener = button();
  private readonly title = document.createElement("h2");
  private readonly intro = document.createElement("p");
  private readonly goals = document.createElement("select");
  private readonly moves = document.createElement("div");
  private readonly done = document.createElement("ol");
  private readonly count = document.createElement("p");
  private readonly said = document.createElement("p");
  private readonly buttons = { play: button(), again: button(), watch: button(), close: button() };
  private readonly best = new Best(storage());
  private clicks: Move[] = [];

  constructor(private readonly board: Board, private readonly playground: Playground) {
    this.dialog.id = "goals";
    this.said.setAttribute("role", "status");
    const { play, again, watch, close } = this.buttons;
    const last = document.createElement("div");
    last.append(play, again, watch, close);
    this.dialog.append(this.title, this.intro, this.goals, this.moves, this.count, this.done, this.said, last);
    document.body.append(this.dialog);
    byId("tools").prepend(this.opener);
    this.opener.dataset["does"] = "goals";
    this.opener.addEventListener("click", () => this.open());
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation()); // the keys of the board do nothing here
    this.goals.addEventListener("change", () => this.start());
    again.addEventListener("click", () => this.start());
    for (const leaves of [watch, close]) leaves.addEventListener("click", () => this.dialog.close());
    play.addEventListener("click", () => void this.play());
    // The page notes the reader's language in its root element.
    new MutationObserver(() => this.label()).observe(document.documentElement, { attributeFilter: ["lang"] });
    this.label();
  }

  private get text(): (typeof TEXTS)[Lang] {
    return TEXTS[this.board.lang];
  }

  private get goal(): Goal {
    return GOALS.find(({ id }) => id === this.goals.value) ?? GOALS[0]!;
  }

  private open(): void {
    this.dialog.showModal();
  }

  /** Begins a goal with no clicks. */
  private start(): void {
    this.clicks = [];
    this.said.textContent = "";
    this.show();
  }

  private click(move: Move): void {
    this.clicks.push(move);
    this.said.textContent = "";
    this.show();
  }

  /** Runs the clicks, shows the run on the board, and says whether it reaches the goal. */
  private async play(): Promise<void> {
    const { goal, clicks, text, board, buttons } = this;
    buttons.play.disabled = true;
    this.said.textContent = text.running;
    try {
      const record = await this.playground.recordOf(runOf(clicks));
      board.showRun([record]);
      const reached = goal.reached(parse(record));
      if (reached) this.best.note(goal, clicks.length);
      this.said.textContent = reached ? this.praise(goal, clicks.length) : text.missed;
    } catch (error) {
      this.said.textContent = (error as Error).message;
    }
    buttons.play.disabled = false;
    this.show();
  }

  private praise(goal: Goal, clicks: number): string {
    const { text, board } = this;
    const reached = text.reached(clicks, goal.because[board.lang]);
    return clicks > goal.fewest ? `${reached} ${text.fewer(goal.fewest)}` : reached;
  }

  /** Writes everything in the reader's language. */
  private label(): void {
    const { text, board, buttons } = this;
    this.opener.textContent = text.goals;
    this.dialog.setAttribute("aria-label", text.goals);
    this.title.textContent = text.goals;
    this.intro.textContent = text.intro;
    this.goals.setAttribute("aria-label", text.goal);
    buttons.play.textContent = text.play;
    buttons.again.textContent = text.again;
    buttons.watch.textContent = text.watch;
    buttons.close.textContent = text.close;
    this.moves.replaceChildren(...MOVES.map((move) => {
      const made = button();
      made.textContent = move.says[board.lang];
      made.addEventListener("click", () => this.click(move));
      return made;
    }));
    this.show();
  }

  /** Shows the clicks so far, and the best of each goal. */
  private show(): void {
    const { text, board, clicks, goals } = this;
    const chosen = this.goal.id;
    goals.replaceChildren(...GOALS.map((goal) => {
      const best = this.best.of(goal);
      return new Option(best === undefined ? goal.title[board.lang] : `✓ ${goal.title[board.lang]} (${text.best(best)})`, goal.id);
    }));
    goals.value = chosen;
    this.count.textContent = text.clicks(clicks.length);
    this.done.replaceChildren(...clicks.map((move) => {
      const line = document.createElement("li");
      line.textContent = move.says[board.lang];
      return line;
    }));
    this.buttons.play.disabled = clicks.length === 0;
  }
}

/** Returns the browser's storage, or undefined where a page may have none. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

function button(): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  return made;
}
