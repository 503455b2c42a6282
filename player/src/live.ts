// A run that goes on: its events come from the program one by one, and what the reader does goes back to it. As src/board/live.rs.

import type { Board } from "./board";
import { options } from "./embedded";
import { byId } from "./view";

/** What can be done, as it is typed in the terminal. NAME stands for the name in the field. */
const ACTS = [
  "run NAME", "delete NAME", "label NAME tier=front", "scale NAME 5", "cut", "heal", "fault hide-events:times=1", "fault compact", "resync", "late", "slow 2000",
] as const;

/** Listens, if the page was served by a run that goes on. */
export function follow(board: Board): void {
  const { live } = options();
  if (!live) return;
  const stream = new EventSource("events");
  board.leave = () => {
    stream.close();
    byId("acts").hidden = true;
  };
  const end = (why: "ended" | "full" | "refused"): void => {
    stream.close(); // what came is still here
    board.endOfRun(board.text[why]);
  };
  stream.addEventListener("message", (message) => board.hear(String(message.data)));
  stream.addEventListener("end", (message) => end(message.data === "full" ? "full" : "ended"));
  // A stream that breaks off would be opened anew; one that was answered with an error is closed at once.
  stream.addEventListener("error", () => end(stream.readyState === EventSource.CLOSED ? "refused" : "ended"));
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
  if (!answer?.ok) board.complain(why(answer?.status, board));
}

/** Why a line was not taken. Whether the run has ended, the stream says. */
function why(status: number | undefined, { text }: Board): string {
  if (status === 413) return text.tooLong;
  return status === 429 ? text.busy : text.notTaken;
}
