// What the page shows, as the fragment of its address: one link shows somebody else the same. Nothing of it reaches a server by itself.

/** The name before the state in the fragment, with the version of its form. */
const NAME = 'v1=';

/** The longest fragment that is written or read, in characters; programs that carry links cut longer ones. */
export const LONGEST_LINK = 200_000;

/** The longest state, in bytes: a short fragment can unpack to a very long text. */
const LONGEST_STATE = 4_000_000;

/** The state cannot be read; its message says why, and what helps. */
export class BrokenLink extends Error {}

/** The fragment of a state, or undefined where it is too long for a link. */
export async function written(state) {
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)));
  const fragment = `#${NAME}${toText(packed)}`;
  return fragment.length > LONGEST_LINK ? undefined : fragment;
}

/** The state in a fragment; undefined where there is none. */
export async function read(fragment) {
  if (!fragment.startsWith(`#${NAME}`)) {
    if (fragment.length < 2 || /^#[a-z-]{1,40}$/.test(fragment)) return undefined;
    throw new BrokenLink('The part of the address behind # is no state of this page, so nothing of it is shown.');
  }
  if (fragment.length > LONGEST_LINK) {
    throw new BrokenLink(
      `The link is too long to be read: ${count(fragment.length)} characters, and ${count(LONGEST_LINK)} are possible. Ask for the answer as a file, and open that.`,
    );
  }
  let state;
  try {
    const unpacked = await through(new DecompressionStream('deflate-raw'), toBytes(fragment.slice(NAME.length + 1)));
    state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(unpacked));
  } catch (error) {
    if (error instanceof BrokenLink) throw error;
    throw new BrokenLink('The link is damaged, perhaps cut off, so nothing of it is shown. Ask for it again, or for the answer as a file.');
  }
  if (typeof state?.answer !== 'string') throw new BrokenLink('The link holds no answer, so nothing of it is shown.');
  return state;
}

function count(number) {
  return number.toLocaleString('en-US');
}

/** Sends bytes through a stream, and gives what comes out. */
async function through(stream, bytes) {
  const writer = stream.writable.getWriter();
  // A fault shows at the other end as well.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const parts = [];
  let length = 0;
  for (const reader = stream.readable.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LONGEST_STATE) {
      reader.cancel().catch(() => {});
      throw new BrokenLink('The link unpacks to more than this page takes, so nothing of it is shown.');
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toText(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function toBytes(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}
