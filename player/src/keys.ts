// The keyboard: the keys of `informer-lab step`, and more.

import type { Board } from "./board";
import type { Playground } from "./playground";
import { byId } from "./view";

export function onKeys(board: Board, playground: Playground | undefined): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const act = action(event.key, board, playground);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** Returns true if the key belongs to a field, a button or the open dialogue. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (byId<HTMLDialogElement>("help").open) return event.key !== "?";
  if (byId<HTMLDialogElement>("playground").open) return true;
  if (target.matches("input[type=search]")) {
    if (event.key === "Escape") target.blur();
    return true;
  }
  if (target.matches("select")) return !["?", "/"].includes(event.key);
  return target.matches("button, a") && ["Enter", " "].includes(event.key);
}

function action(key: string, board: Board, playground: Playground | undefined): (() => void) | undefined {
  const asked = board.session.question !== undefined;
  const keys: { [key: string]: () => void } = {
    ArrowRight: () => board.forward(), Enter: () => board.forward(),
    ArrowLeft: () => board.back(), b: () => board.back(),
    " ": () => board.toggle(),
    g: () => board.first(), Home: () => board.first(),
    G: () => board.last(), End: () => board.last(),
    n: () => board.nextLikeThis(),
    "/": () => byId("search").focus(),
    d: () => board.nextDifference(),
    "<": () => board.faster(-1), ">": () => board.faster(1),
    "+": () => board.larger(1), "=": () => board.larger(1), "-": () => board.larger(-1),
    p: () => board.predict(),
    o: () => void board.open(),
    l: () => board.language(),
    t: () => board.theme(),
    "?": () => help(),
  };
  if (playground) keys["r"] = () => playground.open();
  if (asked && /^[1-9]$/.test(key)) return () => board.answer(Number(key) - 1);
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

function help(): void {
  const dialog = byId<HTMLDialogElement>("help");
  if (dialog.open) dialog.close();
  else dialog.showModal();
}
