// The places of the parts in the picture, for each size of page: wide for a screen, half beside another recording,
// tall for a phone.

export type Part = "server" | "listwatch" | "reflector" | "queue" | "controller" | "store" | "processor" | "work" | "workers";

export interface Rect { x: number; y: number; w: number; h: number }

/** An arrow from one part to another. */
export interface Way { from: Part; to: Part; d: string }

export interface Layout {
  width: number;
  height: number;
  /** The size of letters, in units of the picture. */
  font: number;
  parts: { [part in Part]?: Rect };
  /** The number of columns for the store's objects. */
  storeColumns: number;
  /** The arrows along which changes travel. */
  ways: Way[];
  /** The line on which the queue asks the store for known objects. */
  question: string;
}

const rect = (x: number, y: number, w: number, h: number): Rect => ({ x, y, w, h });

const ENDS: [Part, Part][] = [
  ["server", "listwatch"], ["listwatch", "reflector"], ["reflector", "queue"], ["queue", "controller"], ["controller", "store"],
  ["controller", "processor"], ["processor", "work"], ["work", "workers"],
];

/** Adds the parts of `ENDS` to the lines, which are in the same order. */
const ways = (...lines: string[]): Way[] => lines.map((d, place) => ({ from: ENDS[place]![0], to: ENDS[place]![1], d }));

export const WIDE: Layout = {
  width: 1280,
  height: 446,
  font: 20,
  storeColumns: 2,
  parts: {
    server: rect(12, 8, 290, 190),
    listwatch: rect(346, 54, 150, 98),
    reflector: rect(540, 54, 180, 98),
    queue: rect(764, 8, 504, 190),
    store: rect(12, 248, 484, 190),
    controller: rect(540, 294, 180, 98),
    processor: rect(764, 248, 504, 190),
  },
  ways: ways("M302 103H346", "M496 103H540", "M720 103H764", "M804 198V232H630V294", "M540 343H496", "M720 343H764"),
  question: "M440 248V218H784V198",
};

export const HALF: Layout = {
  width: 640,
  height: 404,
  font: 15,
  storeColumns: 1,
  parts: {
    server: rect(4, 4, 190, 156),
    listwatch: rect(220, 4, 118, 68),
    reflector: rect(220, 92, 118, 68),
    queue: rect(364, 4, 272, 156),
    store: rect(4, 204, 190, 196),
    controller: rect(220, 204, 118, 84),
    processor: rect(364, 204, 272, 196),
  },
  ways: ways("M194 38H220", "M279 72V92", "M338 126H364", "M400 160V188H279V204", "M220 246H194", "M338 246H364"),
  question: "M160 204V174H382V160",
};

export const TALL: Layout = {
  width: 390,
  height: 556,
  font: 15,
  storeColumns: 1,
  parts: {
    server: rect(6, 4, 378, 84),
    listwatch: rect(6, 108, 178, 56),
    reflector: rect(206, 108, 178, 56),
    queue: rect(6, 184, 378, 104),
    controller: rect(6, 326, 126, 92),
    store: rect(156, 326, 228, 92),
    processor: rect(6, 438, 378, 114),
  },
  ways: ways("M95 88V108", "M184 136H206", "M295 164V184", "M69 288V326", "M132 372H156", "M69 418V438"),
  question: "M240 326V288",
};

/** The wide layout with the work queue and its workers. */
export const WIDE_WORK: Layout = {
  ...WIDE,
  storeColumns: 1,
  parts: {
    ...WIDE.parts,
    store: rect(12, 248, 340, 190),
    controller: rect(384, 294, 140, 98),
    processor: rect(556, 248, 272, 190),
    work: rect(860, 248, 200, 190),
    workers: rect(1092, 248, 176, 190),
  },
  ways: ways(
    "M302 103H346", "M496 103H540", "M720 103H764", "M804 198V232H454V294", "M384 343H352", "M524 343H556", "M828 343H860", "M1060 343H1092",
  ),
  question: "M300 248V216H784V198",
};

export const HALF_WORK: Layout = {
  ...HALF,
  parts: {
    ...HALF.parts,
    processor: rect(364, 204, 272, 86),
    work: rect(364, 314, 140, 86),
    workers: rect(528, 314, 108, 86),
  },
  ways: [...HALF.ways, ...ways("", "", "", "", "", "", "M434 290V314", "M504 357H528").slice(6)],
};

export const TALL_WORK: Layout = {
  ...TALL,
  height: 636,
  parts: {
    ...TALL.parts,
    queue: rect(6, 184, 378, 84),
    controller: rect(6, 304, 126, 124),
    store: rect(156, 304, 228, 124),
    processor: rect(6, 448, 378, 78),
    work: rect(6, 546, 200, 86),
    workers: rect(230, 546, 154, 86),
  },
  ways: ways(
    "M95 88V108", "M184 136H206", "M295 164V184", "M69 268V304", "M132 366H156", "M69 428V448", "M69 526V546", "M206 589H230",
  ),
  question: "M240 304V268",
};

export const TITLES: Record<Part, string> = {
  server: "API server",
  listwatch: "ListWatch",
  reflector: "Reflector",
  queue: "queue",
  controller: "Controller",
  store: "Indexer (store)",
  processor: "Processor (handlers)",
  work: "work queue",
  workers: "processing",
};
