// The program as WebAssembly: loaded when it is first needed, and run in a worker, so that an endless run can be
// ended.

import type { Outcome, Start } from "./wasi";

/** The messages to and from the worker. */
export interface Order { module: WebAssembly.Module; start: Start }
export type Report = { outcome: Outcome } | { trap: string };

/** The time in milliseconds after which a run counts as endless. A normal run takes milliseconds. */
const PATIENCE = 20_000;

export class Program {
  private loaded: Promise<WebAssembly.Module> | undefined;

  constructor(private readonly address: string) {}

  /** Returns the compiled program. Tries again after a failure. */
  load(): Promise<WebAssembly.Module> {
    this.loaded ??= load(this.address).catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  /** Runs the program. Returns undefined if it does not end, and throws the text of a trap. */
  async run(start: Start): Promise<Outcome | undefined> {
    const module = await this.load();
    const source = new Blob([document.getElementById("worker")!.textContent ?? ""], { type: "text/javascript" });
    const address = URL.createObjectURL(source);
    const worker = new Worker(address);
    let patience: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((ended, failed) => {
        patience = setTimeout(() => ended(undefined), PATIENCE);
        worker.addEventListener("message", ({ data }: MessageEvent<Report>) => ("trap" in data ? failed(new Error(data.trap)) : ended(data.outcome)));
        worker.addEventListener("error", (event) => failed(new Error(event.message)));
        worker.postMessage({ module, start } satisfies Order);
      });
    } finally {
      clearTimeout(patience);
      worker.terminate();
      URL.revokeObjectURL(address);
    }
  }
}

/** Loads the program. Some servers decompress .gz files on the way, others do not. */
async function load(address: string): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return WebAssembly.compile(bytes);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}
