// Sees which parts of the lines of a PDF the browser's viewer has marked.

import { pictureOf } from '../picture.mjs';

/** How long a viewer may take until it marks something. */
const LIMIT_MS = 20_000;

/** The left margin of lines and their width, in points, as `office.mjs` writes them. */
const [MARGIN, WIDTH] = [60, 595];

/** The ends of the marks on each line, from the left edge of the paper, in points: those of a sentence, and those that are seen. */
export async function markedLines(page, eye, sentence, lines) {
  const end = Date.now() + LIMIT_MS;
  const expected = await eye.evaluate(measure, { sentence, lines, margin: MARGIN });
  let before = '';
  for (;;) {
    const picture = (await pictureOf(page)).toString('base64');
    const marked = picture === before ? await eye.evaluate(look, { picture, width: WIDTH }) : [];
    if (marked.length > 0 || Date.now() > end) return { expected, marked };
    before = picture;
  }
}

/** Where the words of a sentence stand on the lines of its paragraph. */
function measure({ sentence, lines, margin }) {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.font = '1100px Helvetica, Arial, "Liberation Sans"';
  const wide = (text) => margin + canvas.measureText(text).width / 100;
  const from = lines.join(' ').indexOf(sentence);
  const to = from + sentence.replace(/[^\p{L}\p{N}]+$/u, '').length;
  let before = 0;
  const ends = lines.map((line) => {
    const [start, end] = [Math.max(from - before, 0), Math.min(to - before, line.length)];
    before += line.length + 1;
    return start < end && [wide(line.slice(0, start)), wide(line.slice(0, end))];
  });
  return ends.filter(Boolean);
}

/** The ends of the marks on each line of the paper. They have one colour; the edges of letters have many. */
async function look({ picture, width }) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
  const rows = Array.from({ length: image.height }, (_, y) => pixels.subarray(y * image.width, (y + 1) * image.width));
  const colours = new Map();
  let paper = [0, 0];
  for (const row of rows) {
    for (let start = 0, x = 1; x <= row.length; x += 1) {
      if (row[x] === row[start]) continue;
      const values = [0, 8, 16].map((bits) => (row[start] >> bits) & 0xff);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      if (least === 255 && x - start > paper[1] - paper[0]) paper = [start, x];
      if (most - least > 16 && x - start > 2) colours.set(row[start], (colours.get(row[start]) ?? 0) + x - start);
      start = x;
    }
  }
  const [colour] = [...colours].sort(([, one], [, other]) => other - one)[0] ?? [];
  const marks = [];
  for (const [y, row] of rows.entries()) {
    const [start, end] = [row.indexOf(colour, paper[0]), row.lastIndexOf(colour, paper[1] - 1) + 1];
    if (start < 0 || end <= paper[0]) continue;
    if (y - (marks.at(-1)?.y ?? -9) > 3) marks.push({ start, end });
    const mark = marks.at(-1);
    Object.assign(mark, { y, start: Math.min(mark.start, start), end: Math.max(mark.end, end) });
  }
  return marks.map(({ start, end }) => [start, end].map((x) => ((x - paper[0]) * width) / (paper[1] - paper[0])));
}
