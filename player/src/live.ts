// A run that goes on: its events come from the program one by one, and what the reader does goes back to it.

import type { Board } from "./board";
import { options } from "./embedded";
import { byId } from "./view";

/** What can be done, as it is typed in the terminal. NAME stands for the name in the field. */
const ACTS = [
  "run NAME", "delete NAME", "label NAME tier=front", "scale NAME 5", "cut", "heal", "fault hide-events:times=1", "fault compact", "resync",
] as const;

/** Listens, if the page was served by a run that goes on. */
export function follow(board: Board): void {
  const { live } = options();
  if (!live) return;
  const stream = new EventSource("events");
  stream.addEventListener("message", (message) => board.hear(String(message.data)));
  stream.addEventListener("error", () => {
    stream.close(); // the run has ended, or was stopped: what came is still here
    board.endOfRun();
  });
  if (live === "acts") offer(board);
}

/** The buttons, and the name that they act on. */
function offer(board: Board): void {
  const bar = byId("acts");
  bar.hidden = false;
  const field = document.createElement("input");
  field.type = "search";
  field.value = "nettool";
  field.setAttribute("aria-label", "NAME");
  const buttons = ACTS.map((act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = act.replace("NAME", "…");
    button.dataset["act"] = act;
    button.addEventListener("click", () => send(act.replace("NAME", field.value.trim()), board));
    return button;
  });
  bar.replaceChildren(field, ...buttons);
}

/** Does what the keyboard of the terminal does. What comes of it is in the events. */
async function send(line: string, board: Board): Promise<void> {
  board.followAgain();
  const answer = await fetch("typed", { method: "POST", body: line }).catch(() => undefined);
  if (!answer?.ok) board.endOfRun();
}
