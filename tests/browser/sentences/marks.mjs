// Sees what a browser marks on a page: the color of the mark is found where text stands, or elsewhere.

import { pictureOf } from '../picture.mjs';

/** Text that a text fragment marks is only this color, which no page has. */
export const STYLE = '<style>::target-text { background-color: rgb(255, 0, 255); color: rgb(255, 0, 255) }</style>';

/** How long a browser may take until it marks something. */
const LIMIT_MS = 20_000;

/** What is known to pages: their blocks of text, and where a part of one stands. */
export function knowBlocks() {
  const BLOCKS = 'p, li, dd, dt, td, th, h1, h2, h3, h4, h5, h6, pre, div';
  const texts = (block) => {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  };
  /** The blocks that hold no other one, and that readers see. */
  window.blocks = () =>
    [...document.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(`${BLOCKS}, table, ul, ol, dl`) && block.checkVisibility());
  /** The boxes on the screen of a part of the text of a block. */
  window.boxes = (at, start, end) => {
    const range = document.createRange();
    let before = 0;
    for (const node of texts(window.blocks()[at])) {
      const [from, to] = [start - before, end - before];
      if (from >= 0 && from < node.length) range.setStart(node, from);
      if (to > 0 && to <= node.length) range.setEnd(node, to);
      before += node.length;
    }
    return [...range.getClientRects()].map(({ x, y, width, height }) => ({ x, y, width, height }));
  };
}

/** Which share of some boxes has the color of the mark, and how many pixels outside of them have it. */
export async function marked(eye, page, boxes) {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const picture = (await pictureOf(page)).toString('base64');
    const seen = await eye.evaluate(look, { picture, boxes: await boxes() });
    if (seen.inside + seen.outside > 0 || Date.now() > end) return seen;
  }
}

async function look({ picture, boxes }) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const within = (x, y, edge) =>
    boxes.some((box) => x >= box.x - edge && x < box.x + box.width + edge && y >= box.y - edge && y < box.y + box.height + edge);
  const seen = { area: 0, inside: 0, outside: 0 };
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const at = 4 * (y * image.width + x);
      const isMarked = data[at] > 220 && data[at + 1] < 40 && data[at + 2] > 220;
      const isWithin = within(x, y, 0);
      seen.area += isWithin;
      if (!isMarked) continue;
      if (within(x, y, 3)) seen.inside += 1;
      else seen.outside += 1;
    }
  }
  return seen;
}

/** How a browser has marked a text: exactly, not at all, or elsewhere. */
export function verdict({ area, inside, outside }) {
  if (inside + outside === 0) return 'nothing';
  return inside > area * 0.75 && outside < inside * 0.03 ? 'exact' : 'elsewhere';
}
