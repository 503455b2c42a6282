// The marks under the slider of the time line, one for each step.

import { isSaid } from "./record";
import type { Session } from "./session";

const COLOURS: [string[], string][] = [
  [["committed"], "--of-server"],
  [["listed", "list_failed", "watching", "watch_failed", "watched", "relisting"], "--of-reflector"],
  [["queued", "merged", "dropped", "popped", "resynced"], "--of-queue"],
  [["stored", "removed", "replaced", "synced"], "--of-store"],
  [["joined", "notified", "coalesced", "calling", "called"], "--of-handlers"],
  [["work_added", "work_taken", "work_done", "work_delayed"], "--of-work"],
];

const COLOUR_OF = new Map(COLOURS.flatMap(([events, colour]) => events.map((event) => [event, colour] as const)));

/**
 * Draws a mark for each step in the colour of its part. A mark above it shows a sentence or a question, a mark below
 * it a difference.
 */
export function mark(canvas: HTMLCanvasElement, session: Session): void {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context || session.steps.length === 0) return;
  const style = getComputedStyle(canvas);
  const each = canvas.width / Math.max(session.steps.length, 1);
  const bar = Math.max(each * 0.7, scale);
  session.steps.forEach((step, at) => {
    const place = step.at[0];
    const event = session.recordings[0]!.events[place]!;
    const x = at * each;
    if (event.said || event.question) {
      context.fillStyle = style.getPropertyValue("--accent");
      context.fillRect(x, 0, Math.max(bar, 3 * scale), canvas.height * 0.22);
    }
    context.fillStyle = style.getPropertyValue(COLOUR_OF.get(event.event) ?? "--of-program");
    const top = isSaid(event) ? 0.55 : 0.3;
    context.fillRect(x, canvas.height * top, bar, canvas.height * (0.8 - top));
    if (!step.differs) return;
    context.fillStyle = style.getPropertyValue("--differs");
    context.fillRect(x, canvas.height * 0.84, Math.max(bar, 2 * scale), canvas.height * 0.16);
  });
}
