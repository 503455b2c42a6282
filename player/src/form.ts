// The dialogue of the playground, in which the reader chooses a run.

import type { Board } from "./board";
import { FAULTS, FILES, type File, type Option, RUNS, rowOf, STAGES, takes, usual, type Wanted } from "./wanted";

export interface Acts { run(wanted: Wanted): void; beside(wanted: Wanted): void; copy(wanted: Wanted): void }

const FIRST = "reflector";

/** A field with its label. */
interface Field<E extends HTMLElement> { box: HTMLElement; label: HTMLElement; field: E }

export class Form {
  private readonly title = document.createElement("h2");
  private readonly lesson = field(document.createElement("select"));
  private readonly about = document.createElement("p");
  private readonly eras = { client: field(document.createElement("select")), server: field(document.createElement("select")) };
  private readonly seed = field(document.createElement("input"));
  private readonly files: Record<File, Field<HTMLTextAreaElement>> = {
    pods: field(document.createElement("textarea")), scenario: field(document.createElement("textarea")), stages: field(document.createElement("textarea")),
  };
  private readonly fault = field(document.createElement("select"));
  private readonly named = field(document.createElement("select"));
  private readonly said = document.createElement("p");
  private readonly buttons = { run: button(), beside: button(), copy: button(), close: button() };

  constructor(private readonly dialog: HTMLDialogElement, private readonly board: Board, acts: Acts) {
    this.said.setAttribute("role", "status");
    this.seed.field.inputMode = "numeric";
    for (const { field } of Object.values(this.files)) field.spellcheck = false;
    const [row, offers] = [document.createElement("div"), document.createElement("div")];
    row.append(this.eras.client.box, this.eras.server.box, this.seed.box);
    offers.append(this.fault.box, this.named.box);
    const { run, beside, copy, close } = this.buttons;
    const last = document.createElement("div");
    last.append(run, beside, copy, close);
    const { pods, scenario, stages } = this.files;
    const form = document.createElement("form");
    form.append(this.title, this.lesson.box, this.about, row, scenario.box, offers, pods.box, stages.box, this.said, last);
    dialog.replaceChildren(form);
    this.lesson.field.addEventListener("change", () => this.choose({ command: this.lesson.field.value }));
    this.fault.field.addEventListener("change", () => this.addFault());
    this.named.field.addEventListener("change", () => this.nameStages());
    run.type = "submit";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      acts.run(this.wanted);
    });
    beside.addEventListener("click", () => acts.beside(this.wanted));
    copy.addEventListener("click", () => acts.copy(this.wanted));
    close.addEventListener("click", () => this.close());
  }

  /** Opens the dialogue with the last run, or with the first lesson. */
  show(wanted: Wanted | undefined, canBeside: boolean): void {
    this.label();
    this.choose(wanted ?? { command: FIRST });
    this.buttons.beside.hidden = !canBeside;
    if (!this.dialog.open) this.dialog.showModal();
    this.say("");
    this.lesson.field.focus();
  }

  close(): void {
    if (this.dialog.open) this.dialog.close();
  }

  /** Shows a status message. */
  say(text: string): void {
    this.said.className = "";
    this.said.textContent = text;
    if (!this.dialog.open) this.board.complain(text);
  }

  /** Shows why a run failed, beside its settings. */
  complain(wanted: Wanted, why: string): void {
    if (!this.dialog.open) this.show(wanted, false);
    this.said.className = "wrong";
    this.said.textContent = why;
  }

  private get wanted(): Wanted {
    const wanted: Wanted = { command: this.lesson.field.value, seed: this.seed.field.value };
    for (const era of ["client", "server"] as const) wanted[era] = this.eras[era].field.value;
    for (const file of FILES) wanted[file] = this.files[file].field.value;
    return wanted;
  }

  /** Fills the fields for a lesson: with the wanted values, or with the lesson's own. */
  private choose(wanted: Wanted): void {
    const row = rowOf(wanted.command) ?? RUNS[0]!;
    const show = ({ box }: Field<HTMLElement>, option: Option): void => { box.hidden = !takes(row, option); };
    this.lesson.field.value = row.command;
    this.about.textContent = row[this.board.lang];
    for (const era of ["client", "server"] as const) {
      show(this.eras[era], era);
      this.eras[era].field.value = wanted[era] ?? "classic";
    }
    show(this.seed, "seed");
    this.seed.field.value = wanted.seed ?? String(row.seed);
    for (const file of FILES) {
      const { field } = this.files[file];
      show(this.files[file], file);
      field.value = wanted[file] ?? usual(row, file);
      field.rows = Math.min(10, Math.max(3, field.value.split("\n").length));
    }
    show(this.fault, "scenario");
    show(this.named, "stages");
    this.named.field.value = STAGES.includes(this.files.stages.field.value.trim()) ? this.files.stages.field.value.trim() : "";
  }

  /** Adds the chosen fault as a step of the scenario. */
  private addFault(): void {
    const { field } = this.files.scenario;
    const before = field.value.trimEnd();
    field.value = `${before}${before === "" ? "" : "\n"}- {at: 3s, fault: "${this.fault.field.value}"}\n`;
    this.fault.field.selectedIndex = 0;
    field.rows = Math.min(10, field.value.split("\n").length);
    field.focus();
  }

  private nameStages(): void {
    const row = rowOf(this.lesson.field.value);
    this.files.stages.field.value = this.named.field.value || (row ? usual(row, "stages") : "");
  }

  private label(): void {
    const { text, lang } = this.board;
    this.dialog.setAttribute("aria-label", text.playground);
    this.title.textContent = text.playground;
    this.lesson.label.textContent = text.lesson;
    this.lesson.field.replaceChildren(...RUNS.map((row) => new Option(`${row.command} — ${row[lang]}`, row.command)));
    for (const era of ["client", "server"] as const) {
      this.eras[era].label.textContent = text[era];
      this.eras[era].field.replaceChildren(...["classic", "modern"].map((value) => new Option(text[value as "classic" | "modern"], value)));
    }
    this.seed.label.textContent = text.seed;
    for (const [file, label] of [["pods", text.pods], ["scenario", text.scenario], ["stages", text.courses]] as const) this.files[file].label.textContent = label;
    this.fault.label.textContent = text.addFault;
    this.fault.field.replaceChildren(new Option("…", ""), ...FAULTS.map((fault) => new Option(fault, fault)));
    this.named.label.textContent = text.namedStages;
    this.named.field.replaceChildren(new Option(text.ownStages, ""), ...STAGES.map((name) => new Option(name, name)));
    const { run, beside, copy, close } = this.buttons;
    [run.textContent, beside.textContent, copy.textContent, close.textContent] = [text.runIt, text.runBeside, text.copy, text.close];
  }
}

let fields = 0;

function field<E extends HTMLElement>(made: E): Field<E> {
  const [box, label] = [document.createElement("div"), document.createElement("label")];
  made.id = label.htmlFor = `field-${++fields}`;
  box.className = "field";
  box.append(label, made);
  return { box, label, field: made };
}

function button(): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  return made;
}
