// Opens records by a file dialogue or by drag and drop, and saves pages and pictures as files.

/** Asks the reader for files. Returns an empty list if the reader chose none. */
export function choose(): Promise<File[]> {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ".ndjson,.jsonl,.json,application/x-ndjson";
  return new Promise((chosen) => {
    input.addEventListener("change", () => chosen([...(input.files ?? [])]));
    input.addEventListener("cancel", () => chosen([]));
    input.click();
  });
}

/** Calls `take` with files that are dropped anywhere on the page. */
export function onDrop(take: (files: File[]) => void): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    take([...(event.dataTransfer?.files ?? [])]);
  });
}

/** Returns the name of a run's files, without an ending. */
export function fileName(command: string): string {
  return command.replace(/[^a-z0-9]+/gi, "-");
}

export function save(name: string, type: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-weight", "text-decoration"];

/** Returns the picture as a stand-alone SVG, with the colours that it has on the page. */
export function standalone(picture: SVGSVGElement, background: string): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const [shown, copied] = [picture.querySelectorAll("*"), copy.querySelectorAll("*")];
  shown.forEach((element, place) => {
    const style = getComputedStyle(element);
    const kept = COPIED.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    copied[place]?.setAttribute("style", kept);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("style", `background:${background}`);
  return copy.outerHTML;
}
