// A WASI system (preview 1) for informer-lab as WebAssembly: arguments, clocks, random numbers, three streams, and
// files in memory. Every other call is answered with "not supported".

/** The result of a program: its exit code, its output, and the files at its end. */
export interface Outcome { code: number; out: string; err: string; files: Map<string, Uint8Array> }

/** The start of a program: its arguments without the program's name, its environment, and its files by name. */
export interface Start { args: string[]; env?: Record<string, string>; files?: Map<string, Uint8Array> }

const [BADF, INVAL, NOENT, NOSYS] = [8, 28, 44, 52];
const [DIRECTORY, REGULAR] = [3, 4];
const ROOT = 3; // the first number after the three streams
const [CREATE, EXCLUSIVE, TRUNCATE] = [1, 4, 8];
const [EXIST, APPEND] = [20, 1];

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit code ${code}`);
  }
}

/** An open file or stream. Standard input is empty. */
interface Open { name: string | undefined; bytes: Uint8Array; at: number; appends: boolean }

/** Runs a program to its end. Throws the error of a trap. */
export function run(module: WebAssembly.Module, start: Start): Outcome {
  const system = new System(start);
  const imports: Record<string, (...given: never[]) => number> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from !== "wasi_snapshot_preview1") throw new Error(`the program asks for ${from}.${name}`);
    imports[name] = system.calls[name] ?? (() => NOSYS);
  }
  const program = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  system.memory = program.exports["memory"] as WebAssembly.Memory;
  try {
    (program.exports["_start"] as () => void)();
  } catch (error) {
    if (!(error instanceof Exit)) throw Object.assign(error as Error, { said: system.written(2) });
    system.code = error.code;
  }
  return { code: system.code, out: system.written(1), err: system.written(2), files: system.files };
}

class System {
  memory!: WebAssembly.Memory;
  code = 0;
  readonly files: Map<string, Uint8Array>;
  private readonly args: Uint8Array[];
  private readonly env: Uint8Array[];
  private readonly open = new Map<number, Open>();

  constructor({ args, env = {}, files = new Map() }: Start) {
    const text = new TextEncoder();
    this.args = ["informer-lab", ...args].map((word) => text.encode(`${word}\0`));
    this.env = Object.entries(env).map(([name, value]) => text.encode(`${name}=${value}\0`));
    this.files = new Map(files);
    for (const stream of [0, 1, 2]) this.open.set(stream, { name: undefined, bytes: new Uint8Array(), at: 0, appends: true });
  }

  written(stream: number): string {
    return new TextDecoder().decode(this.contents(this.open.get(stream)!));
  }

  /** A view of the memory, made anew each time, because the buffer is replaced when the memory grows. */
  private get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  private part(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at >>> 0, length >>> 0);
  }

  private contents(file: Open): Uint8Array {
    return file.name === undefined ? file.bytes : (this.files.get(file.name) ?? new Uint8Array());
  }

  private keep(file: Open, bytes: Uint8Array): void {
    if (file.name === undefined) file.bytes = bytes;
    else this.files.set(file.name, bytes);
  }

  /** Returns the pieces of memory that an iovec list names. */
  private pieces(list: number, count: number): Uint8Array[] {
    const { view } = this;
    return Array.from({ length: count }, (_, n) => this.part(view.getUint32(list + 8 * n, true), view.getUint32(list + 8 * n + 4, true)));
  }

  private name(at: number, length: number): string {
    return new TextDecoder().decode(this.part(at, length)).replace(/^(\.?\/)+/, "");
  }

  private sizes(texts: Uint8Array[], count: number, size: number): number {
    this.view.setUint32(count, texts.length, true);
    this.view.setUint32(size, texts.reduce((sum, text) => sum + text.length, 0), true);
    return 0;
  }

  private texts(texts: Uint8Array[], places: number, at: number): number {
    texts.forEach((text, n) => {
      this.view.setUint32(places + 4 * n, at, true);
      this.part(at, text.length).set(text);
      at += text.length;
    });
    return 0;
  }

  private describe(at: number, type: number, size: number): number {
    this.part(at, 64).fill(0);
    this.view.setUint8(at + 16, type);
    this.view.setBigUint64(at + 32, BigInt(size), true);
    return 0;
  }

  private write(file: Open, pieces: Uint8Array[]): number {
    const before = this.contents(file);
    const begin = file.appends ? before.length : file.at;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    // The buffer grows by half, because a record is written line by line.
    const end = Math.max(before.length, begin + length);
    let bytes = new Uint8Array(before.buffer, 0, Math.min(end, before.buffer.byteLength));
    if (end > before.buffer.byteLength) {
      bytes = new Uint8Array(new ArrayBuffer(Math.ceil(end * 1.5) + 1024), 0, end);
      bytes.set(before);
    }
    let at = begin;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.keep(file, bytes);
    file.at = at;
    return length;
  }

  private read(file: Open, pieces: Uint8Array[]): number {
    const bytes = this.contents(file);
    const begin = file.at;
    for (const piece of pieces) {
      const part = bytes.subarray(file.at, file.at + piece.length);
      piece.set(part);
      file.at += part.length;
    }
    return file.at - begin;
  }

  readonly calls: Record<string, (...given: never[]) => number> = {
    args_sizes_get: (count: number, size: number) => this.sizes(this.args, count, size),
    args_get: (places: number, at: number) => this.texts(this.args, places, at),
    environ_sizes_get: (count: number, size: number) => this.sizes(this.env, count, size),
    environ_get: (places: number, at: number) => this.texts(this.env, places, at),

    clock_time_get: (clock: number, _precision: bigint, at: number) => {
      const ms = clock === 0 ? Date.now() : performance.now();
      this.view.setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    random_get: (at: number, length: number) => {
      const bytes = this.part(at, length);
      for (let begin = 0; begin < length; begin += 65536) crypto.getRandomValues(bytes.subarray(begin, begin + 65536) as Uint8Array<ArrayBuffer>);
      return 0;
    },
    // Sleeping returns at once, because a recorded run has its own virtual clock.
    poll_oneoff: (asked: number, told: number, count: number, done: number) => {
      for (let n = 0; n < count; n++) {
        this.part(told + 32 * n, 32).fill(0);
        this.view.setBigUint64(told + 32 * n, this.view.getBigUint64(asked + 48 * n, true), true);
        this.view.setUint8(told + 32 * n + 10, this.view.getUint8(asked + 48 * n + 8));
      }
      this.view.setUint32(done, count, true);
      return 0;
    },
    sched_yield: () => 0,
    proc_exit: (code: number) => {
      throw new Exit(code);
    },

    fd_write: (number: number, list: number, count: number, done: number) => {
      const file = this.open.get(number);
      if (!file) return BADF;
      this.view.setUint32(done, this.write(file, this.pieces(list, count)), true);
      return 0;
    },
    fd_read: (number: number, list: number, count: number, done: number) => {
      const file = this.open.get(number);
      if (!file) return BADF;
      this.view.setUint32(done, this.read(file, this.pieces(list, count)), true);
      return 0;
    },
    fd_seek: (number: number, offset: bigint, from: number, at: number) => {
      const file = this.open.get(number);
      if (!file) return BADF;
      const begin = [0, file.at, this.contents(file).length][from];
      if (begin === undefined || begin + Number(offset) < 0) return INVAL;
      file.at = begin + Number(offset);
      this.view.setBigUint64(at, BigInt(file.at), true);
      return 0;
    },
    fd_close: (number: number) => (this.open.delete(number) ? 0 : BADF),
    fd_fdstat_get: (number: number, at: number) => {
      if (number !== ROOT && !this.open.has(number)) return BADF;
      this.part(at, 24).fill(0);
      this.view.setUint8(at, number === ROOT ? DIRECTORY : REGULAR); // no stream is a terminal
      this.view.setBigUint64(at + 8, ~0n, true);
      this.view.setBigUint64(at + 16, ~0n, true);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (number: number, at: number) => {
      if (number === ROOT) return this.describe(at, DIRECTORY, 0);
      const file = this.open.get(number);
      return file ? this.describe(at, REGULAR, this.contents(file).length) : BADF;
    },
    fd_prestat_get: (number: number, at: number) => {
      if (number !== ROOT) return BADF;
      this.view.setUint32(at, 0, true);
      this.view.setUint32(at + 4, 1, true);
      return 0;
    },
    fd_prestat_dir_name: (number: number, at: number, length: number) => {
      if (number !== ROOT || length < 1) return BADF;
      this.view.setUint8(at, "/".charCodeAt(0));
      return 0;
    },

    path_open: (
      folder: number, _links: number, text: number, length: number, how: number, _rights: bigint, _inherited: bigint, flags: number, at: number,
    ) => {
      const name = this.name(text, length);
      const there = this.files.has(name);
      if (folder !== ROOT) return BADF;
      if (!there && !(how & CREATE)) return NOENT;
      if (there && how & EXCLUSIVE) return EXIST;
      if (!there || how & TRUNCATE) this.files.set(name, new Uint8Array());
      let number = ROOT + 1;
      while (this.open.has(number)) number++;
      this.open.set(number, { name, bytes: new Uint8Array(), at: 0, appends: (flags & APPEND) !== 0 });
      this.view.setUint32(at, number, true);
      return 0;
    },
    path_filestat_get: (_folder: number, _links: number, text: number, length: number, at: number) => {
      const name = this.name(text, length);
      if (name === "") return this.describe(at, DIRECTORY, 0);
      const file = this.files.get(name);
      return file ? this.describe(at, REGULAR, file.length) : NOENT;
    },
  };
}
