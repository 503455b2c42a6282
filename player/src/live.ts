// Follows a live run: the program sends its events one by one, and the reader's actions go back to it. The
// counterpart of src/board/live.rs.

import type { Board } from "./board";
import { options } from "./embedded";
import { byId } from "./view";

/** The actions, as they are typed in the terminal. NAME stands for the name in the field. */
const ACTS = [
  "run NAME", "delete NAME", "label NAME tier=front", "scale NAME 5", "cut", "heal", "fault hide-events:times=1", "fault compact", "resync", "late", "slow 2000",
] as const;

/** Follows the run, if the page was served by one. */
export function follow(board: Board): void {
  const { live } = options();
  if (!live) return;
  const stream = new EventSource("events");
  board.leave = () => {
    stream.close();
    byId("acts").hidden = true;
  };
  const end = (why: "ended" | "full" | "refused"): void => {
    stream.close(); // the events so far stay
    board.endOfRun(board.text[why]);
  };
  stream.addEventListener("message", (message) => board.hear(String(message.data)));
  stream.addEventListener("end", (message) => end(message.data === "full" ? "full" : "ended"));
  // EventSource reconnects after a broken stream, but is closed at once after an error status.
  stream.addEventListener("error", () => end(stream.readyState === EventSource.CLOSED ? "refused" : "ended"));
  if (live === "acts") offer(board);
}

/** Shows a button for each action, and the field for the name. */
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

/** Sends a line, as the keyboard of the terminal would. Its effects come back as events. */
async function send(line: string, board: Board): Promise<void> {
  board.followAgain();
  const answer = await fetch("typed", { method: "POST", body: line }).catch(() => undefined);
  if (!answer?.ok) board.complain(why(answer?.status, board));
}

/** Returns why a line was refused. The end of the run is no reason here, because the stream reports it. */
function why(status: number | undefined, { text }: Board): string {
  if (status === 413) return text.tooLong;
  return status === 429 ? text.busy : text.notTaken;
}
