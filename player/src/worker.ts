// The worker that runs the program once, so that the page stays responsive.

import type { Order, Report } from "./program";
import { run } from "./wasi";

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  let report: Report;
  try {
    report = { outcome: run(data.module, data.start) };
  } catch (error) {
    const { message, said = "" } = error as Error & { said?: string };
    report = { trap: `${said}${message}` };
  }
  postMessage(report);
});
