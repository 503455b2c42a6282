// The picture: a record folded into what the machinery holds, event by event.

import { Pipeline } from "./pipeline";
import { type Event, isSaid } from "./record";

const NOTHING = new Pipeline();

export class Picture {
  /** By kind of object, as in `Pod`. */
  pipelines = new Map<string, Pipeline>();

  /** Goes on by one event. A new run begins with an empty picture. */
  apply(event: Event): void {
    if (event.event === "run") this.pipelines = new Map();
    if (isSaid(event)) return;
    const of = event.of ?? "";
    const pipeline = this.pipelines.get(of) ?? new Pipeline();
    this.pipelines.set(of, pipeline);
    pipeline.apply(event);
  }

  of(kind: string | undefined): Pipeline {
    return this.pipelines.get(kind ?? "") ?? NOTHING;
  }
}
