// Fills the dialogue with the list of keys.

import type { Board } from "./board";
import { options } from "./embedded";

export function fillHelp(dialog: HTMLDialogElement, { text }: Board): void {
  const title = document.createElement("h2");
  title.textContent = text.help;
  const list = document.createElement("dl");
  const keys = options().program === undefined ? text.keys.filter(([key]) => key !== "r") : text.keys;
  for (const [key, does] of keys) {
    const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = key!;
    meaning.textContent = does!;
    list.append(term, meaning);
  }
  const close = document.createElement("button");
  close.textContent = text.close;
  close.addEventListener("click", () => dialog.close());
  dialog.setAttribute("aria-label", text.help);
  dialog.replaceChildren(title, list, close);
}
