// Where the parts of the architecture stand: wide for a screen, half beside another recording, tall for a phone.

export type Part = "server" | "listwatch" | "reflector" | "queue" | "controller" | "store" | "processor";

export interface Rect { x: number; y: number; w: number; h: number }

export interface Layout {
  width: number;
  height: number;
  /** The size of letters, in the units of the picture. */
  font: number;
  parts: Record<Part, Rect>;
  /** How many columns the objects of the store take. */
  storeColumns: number;
  /** The ways of changes, from part to part. */
  ways: string[];
  /** The way of the one question: the queue asks the store which objects are known. */
  question: string;
}

const rect = (x: number, y: number, w: number, h: number): Rect => ({ x, y, w, h });

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
  ways: ["M302 103H346", "M496 103H540", "M720 103H764", "M804 198V232H630V294", "M540 343H496", "M720 343H764"],
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
  ways: ["M194 38H220", "M279 72V92", "M338 126H364", "M400 160V188H279V204", "M220 246H194", "M338 246H364"],
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
  ways: ["M95 88V108", "M184 136H206", "M295 164V184", "M69 288V326", "M132 372H156", "M69 418V438"],
  question: "M240 326V288",
};

export const TITLES: Record<Part, string> = {
  server: "API server",
  listwatch: "ListWatch",
  reflector: "Reflector",
  queue: "queue",
  controller: "Controller",
  store: "Indexer",
  processor: "Processor",
};
