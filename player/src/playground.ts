// The playground: runs lessons in the page. The reader chooses a run in a dialogue, and its record is shown like any
// other.

import type { Board } from "./board";
import { options } from "./embedded";
import { Form } from "./form";
import { Program } from "./program";
import { byId } from "./view";
import { linkOf, ofLink, RECORD, startOf, type Wanted } from "./wanted";

export class Playground {
  private readonly form: Form;
  /** The runs that are shown, if they were made here. */
  private shown: Wanted[] = [];
  private busy = false;

  /** Returns the playground, if the page has the address of the program. */
  static of(board: Board): Playground | undefined {
    const { program } = options();
    return program === undefined ? undefined : new Playground(board, new Program(new URL(program, document.baseURI).href));
  }

  private constructor(private readonly board: Board, private readonly program: Program) {
    this.form = new Form(byId<HTMLDialogElement>("playground"), board, {
      run: (wanted) => void this.run([wanted]),
      beside: (wanted) => void this.run([...this.shown.slice(0, 1), wanted]),
      copy: (wanted) => void this.copy(wanted),
    });
    addEventListener("hashchange", () => this.runLink());
  }

  /** Runs the lesson in the link. Without one, opens the dialogue if the page shows no record. */
  begin(): void {
    if (!this.runLink() && this.board.stages.length === 0) this.open();
  }

  open(): void {
    this.form.show(this.shown.at(-1), this.shown.length > 0);
    void this.program.load().catch(() => undefined); // loads while the reader chooses; errors are shown when the lesson is run
  }

  private runLink(): boolean {
    const wanted = ofLink(location.hash);
    if (!wanted) return false;
    const [first, second] = wanted;
    const wished = options();
    void this.run(second ? [first, second] : [first]).then(() => this.board.go(wished));
    return true;
  }

  /** Runs one lesson, or two to show them side by side. */
  private async run(wanted: Wanted[]): Promise<void> {
    const { board, form } = this;
    if (this.busy) return;
    this.busy = true;
    form.say(board.text.running);
    try {
      const records: string[] = [];
      for (const each of wanted) records.push(await this.recordOf(each));
      this.shown = wanted;
      form.close();
      if (board.showRun(records)) history.replaceState(null, "", `#${linkOf(wanted[0]!, wanted[1])}${embedding()}`);
    } catch (error) {
      form.complain(wanted.at(-1)!, (error as Error).message);
    } finally {
      this.busy = false;
    }
  }

  /** Runs a lesson and returns its record. Throws an error with the program's message. */
  async recordOf(wanted: Wanted): Promise<string> {
    const { board } = this;
    await this.program.load().catch((error: unknown) => {
      throw new Error(board.text.noProgram((error as Error).message));
    });
    const outcome = await this.program.run(startOf(wanted, board.lang));
    if (!outcome) throw new Error(board.text.endless);
    if (outcome.code !== 0) throw new Error(outcome.err.trim());
    return new TextDecoder().decode(outcome.files.get(RECORD));
  }

  private async copy(wanted: Wanted): Promise<void> {
    const link = new URL(`#${linkOf(wanted, undefined)}`, location.href).href;
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    this.form.say(copied ? this.board.text.copied : link);
  }
}

/** Returns the part of the address that says how another page shows this one. */
function embedding(): string {
  const { embedded, lang } = options();
  return embedded ? `&embedded=1${lang ? `&lang=${lang}` : ""}` : "";
}
