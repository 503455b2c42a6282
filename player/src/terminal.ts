// Turns the output of a program on a terminal into an SVG in which the lines appear one after the other.

/** The time between two lines, and the time for which the whole output stays, in milliseconds. */
const LINE = 420;
const REST = 4000;
const WIDTH = 8.45;
const HEIGHT = 20;
const EDGE = 14;

/** The program's colours, by their number among the 256 of a terminal (src/trace/palette.rs). */
const COLOURS: { [index: number]: string } = { 29: "#00875f", 63: "#5f5fff", 98: "#875fd7", 131: "#af5f5f", 163: "#d700af", 243: "#767676" };

/** Returns the picture of a command and its coloured output. */
export function terminal(command: string, printed: string): string {
  const lines = [`\u001b[1m$ ${command}\u001b[0m`, ...printed.trimEnd().split("\n")];
  const lasts = lines.length * LINE + REST;
  const columns = Math.max(60, ...lines.map((line) => columnsOf(line)));
  const [width, height] = [Math.round(columns * WIDTH + 2 * EDGE), lines.length * HEIGHT + 2 * EDGE];
  const shown = lines.map((line, row) => `<text id="l${row}" x="${EDGE}" y="${EDGE + row * HEIGHT + 15}">${spans(line)}</text>`);
  const times = lines.map((_, row) => {
    const from = Math.round((10_000 * row * LINE) / lasts) / 100;
    return row === 0 ? "" : `#l${row}{animation-name:k${row}}@keyframes k${row}{0%{opacity:0}${from}%{opacity:1}}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(command)}</title>
<style>text{font:14px "DejaVu Sans Mono",ui-monospace,Menlo,Consolas,"Noto Sans Mono CJK SC",monospace;fill:#eceef2;white-space:pre;animation:${lasts / 1000}s step-end infinite}
${times.filter(Boolean).join("\n")}
@media (prefers-reduced-motion:reduce){text{animation:none!important}}</style>
<rect width="${width}" height="${height}" rx="8" fill="#000"/>
${shown.join("\n")}
</svg>
`;
}

const SGR = /\u001b\[([\d;]*)m/;

/** Returns the width of a line in columns; a Chinese letter takes two. */
function columnsOf(line: string): number {
  const text = line.replaceAll(new RegExp(SGR, "g"), "");
  return [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1), 0);
}

/** Returns the text as spans with the colours of its SGR codes. */
function spans(line: string): string {
  const pieces = line.split(SGR); // text, codes, text, codes, …
  let looks = { colour: "", bold: false };
  return pieces.map((piece, place) => {
    if (place % 2 === 1) {
      looks = styled(looks, piece.split(";").map(Number));
      return "";
    }
    if (piece === "") return "";
    const fill = looks.colour ? ` fill="${looks.colour}"` : "";
    const weight = looks.bold ? ' font-weight="700"' : "";
    return fill || weight ? `<tspan${fill}${weight}>${escaped(piece)}</tspan>` : escaped(piece);
  }).join("");
}

/** Returns the looks after the codes of a sequence: 0 is plain, 1 is bold, and 38;5;N is the colour N. */
function styled(now: { colour: string; bold: boolean }, codes: number[]): { colour: string; bold: boolean } {
  const [code, ...rest] = codes;
  if (code === undefined) return now;
  if (code === 0) return styled({ colour: "", bold: false }, rest);
  if (code === 1) return styled({ ...now, bold: true }, rest);
  if (code === 38 && rest[0] === 5) return styled({ ...now, colour: COLOURS[rest[1]!] ?? now.colour }, rest.slice(2));
  return styled(now, rest);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
