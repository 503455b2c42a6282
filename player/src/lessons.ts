// The list of the lessons, which a page without a record shows.

import type { Board } from "./board";
import { options } from "./embedded";
import { fileName } from "./files";
import { linkOf, RUNS } from "./wanted";

/** Fills the list. Each lesson leads to its page or to its run in the playground, or else names the command for its page. */
export function fillLessons(box: HTMLElement, { lang, text }: Board): void {
  box.setAttribute("aria-label", text.lessons);
  const list = document.createElement("ul");
  list.append(...RUNS.map((row) => {
    const item = document.createElement("li");
    const name = address(row.command, lang);
    item.append(name === undefined ? command(row.command) : link(row.command, name), row[lang]);
    return item;
  }));
  box.replaceChildren(list);
}

function address(run: string, lang: string): string | undefined {
  const { program, boards } = options();
  if (program !== undefined) return `#${linkOf({ command: run }, undefined)}`;
  return boards === undefined ? undefined : `${boards}${fileName(run)}-classic.html#lang=${lang}`;
}

function command(run: string): HTMLElement {
  const element = document.createElement("code");
  element.textContent = `informer-lab board ${run}`;
  return element;
}

function link(run: string, address: string): HTMLElement {
  const element = document.createElement("a");
  element.href = address;
  element.textContent = run;
  return element;
}
