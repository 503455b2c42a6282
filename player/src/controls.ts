// The buttons, the slider and the fields. Each has a key that does the same.

import type { Board } from "./board";
import type { Playground } from "./playground";
import { byId } from "./view";
import { eventName } from "./words";

type Label = "playground" | "open" | "beside" | "alone" | "predict" | "save" | "picture" | "language" | "theme" | "help"
  | "first" | "back" | "forward" | "last" | "difference" | "next";

export class Controls {
  private labelled: [HTMLButtonElement, Label, string][] = [];
  private play = button();
  private speed = document.createElement("output");
  private search = document.createElement("input");
  private kinds = document.createElement("select");
  private objects = document.createElement("select");
  private slider = byId<HTMLInputElement>("slider");
  private slower = button();
  private faster = button();

  constructor(private readonly board: Board, private readonly playground: Playground | undefined) {
    byId("tools").append(...this.tools());
    byId("controls").append(...this.steps(), ...this.pace(), ...this.finding());
    this.slider.addEventListener("input", () => board.jump(Number(this.slider.value)));
  }

  private tools(): HTMLElement[] {
    const { board } = this;
    this.objects.addEventListener("change", () => board.kind(this.objects.value));
    return [
      this.objects,
      this.make("playground", "", () => this.playground?.open()),
      this.make("predict", "", () => board.predict()),
      this.make("open", "", () => void board.open()),
      this.make("beside", "", () => void board.beside()),
      this.make("alone", "", () => board.alone()),
      this.make("save", "", () => board.savePage()),
      this.make("picture", "", () => board.savePicture()),
      this.make("language", "", () => board.language()),
      this.make("theme", "◐", () => board.theme()),
      this.make("help", "?", () => byId<HTMLDialogElement>("help").showModal()),
    ];
  }

  private steps(): HTMLElement[] {
    const { board } = this;
    this.play.className = "play";
    this.play.addEventListener("click", () => board.toggle());
    return [
      this.make("first", "|◀", () => board.first()),
      this.make("back", "◀", () => board.back()),
      this.play,
      this.make("forward", "▶", () => board.forward()),
      this.make("last", "▶|", () => board.last()),
    ];
  }

  private pace(): HTMLElement[] {
    this.slower.textContent = "−";
    this.faster.textContent = "+";
    this.slower.addEventListener("click", () => this.board.faster(-1));
    this.faster.addEventListener("click", () => this.board.faster(1));
    return [this.slower, this.speed, this.faster];
  }

  private finding(): HTMLElement[] {
    const { board } = this;
    this.kinds.addEventListener("change", () => {
      const kind = this.kinds.value;
      this.kinds.selectedIndex = 0;
      if (kind) board.nextOfKind(kind);
    });
    this.search.type = "search";
    this.search.id = "search";
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.search.value !== "") board.search(this.search.value);
    });
    return [this.kinds, this.make("difference", "≠", () => board.nextDifference()), this.search];
  }

  private make(label: Label, sign: string, act: () => void): HTMLButtonElement {
    const made = button();
    made.dataset["does"] = label;
    made.addEventListener("click", act);
    this.labelled.push([made, label, sign]);
    return made;
  }

  /** Writes the labels in the reader's language, and fills the lists. */
  label(): void {
    const { board } = this;
    const { text, session } = board;
    for (const [element, label, sign] of this.labelled) name(element, text[label], sign);
    this.find("playground").hidden = this.playground === undefined;
    this.find("alone").hidden = board.stages.length < 2;
    this.find("beside").hidden = board.stages.length !== 1;
    this.find("difference").hidden = board.stages.length < 2;
    this.find("predict").setAttribute("aria-pressed", String(session.predict));
    this.slower.setAttribute("aria-label", `${text.speed} −`);
    this.faster.setAttribute("aria-label", `${text.speed} +`);
    this.speed.setAttribute("aria-label", text.speed);
    this.search.placeholder = text.search;
    this.search.setAttribute("aria-label", text.search);
    this.slider.setAttribute("aria-label", text.timeline);
    this.lengthen();
    this.chooseKinds();
    this.chooseObjects();
  }

  /** Updates the slider and the lists after new events. */
  lengthen(): void {
    this.slider.max = String(Math.max(this.board.session.last, 0));
    if (this.eventNames().length !== this.kinds.length - 1) this.chooseKinds();
    if (this.objectKinds().length !== this.objects.length - 1) this.chooseObjects();
  }

  private eventNames(): string[] {
    const names = this.board.session.recordings.flatMap((recording) => recording.names);
    return [...new Set(names)].filter((name) => name !== "run");
  }

  private objectKinds(): string[] {
    return [...new Set(this.board.session.recordings.flatMap((recording) => recording.kinds))];
  }

  private find(label: Label): HTMLButtonElement {
    return this.labelled.find(([, known]) => known === label)![0];
  }

  private chooseKinds(): void {
    const { board } = this;
    const options = this.eventNames().map((kind) => new Option(eventName(kind, board.lang), kind));
    this.kinds.setAttribute("aria-label", board.text.nextKind);
    this.kinds.replaceChildren(new Option(`${board.text.next} …`, ""), ...options);
  }

  private chooseObjects(): void {
    const { board } = this;
    const kinds = this.objectKinds();
    this.objects.hidden = kinds.length < 2;
    this.objects.setAttribute("aria-label", board.text.kind);
    this.objects.replaceChildren(...kinds.map((kind) => new Option(kind, kind)), new Option(board.text.anyKind, ""));
  }

  /** Shows the current step. */
  step(): void {
    const { session, text, choices, isPlaying } = this.board;
    name(this.play, isPlaying ? text.pause : text.play, "");
    this.objects.value = session.recordings[0]?.choice ?? "";
    this.speed.textContent = `${choices.speed}×`;
    this.slider.value = String(session.at);
    this.slider.setAttribute("aria-valuetext", text.step(session.at + 1, session.steps.length));
  }
}

function button(): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  return made;
}

/** Names a button. A button with a sign shows the sign, and has the name as label and as tool tip. */
function name(element: HTMLElement, label: string, sign: string): void {
  element.textContent = sign === "" ? label : sign;
  element.setAttribute("aria-label", label);
  element.title = label;
}
