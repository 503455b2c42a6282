// The picture: applies events one by one to the contents of all boxes.

import { Pipeline } from "./pipeline";
import { type Event, isOfWork, isSaid } from "./record";
import { Work } from "./work";

const NOTHING = new Pipeline();

export class Picture {
  /** The pipelines by kind of object, such as `Pod`. */
  pipelines = new Map<string, Pipeline>();
  /** The work queue that the handlers fill, with its workers. */
  work = new Work();

  /** Applies the next event. A new run begins with an empty picture. */
  apply(event: Event): void {
    if (event.event === "run") {
      this.pipelines = new Map();
      this.work = new Work();
    }
    if (isSaid(event)) return;
    if (isOfWork(event)) return this.work.apply(event);
    const of = event.of ?? "";
    const pipeline = this.pipelines.get(of) ?? new Pipeline();
    this.pipelines.set(of, pipeline);
    pipeline.apply(event);
  }

  of(kind: string | undefined): Pipeline {
    return this.pipelines.get(kind ?? "") ?? NOTHING;
  }
}
