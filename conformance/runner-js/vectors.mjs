// The vectors, as they lie in their folders, and the requests that are made of them.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** All vectors of a folder, in the order of their ids. */
export function read(folder) {
  const paths = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => /(^|[\\/])vector\.json$/.test(path));
  const vectors = paths.map((path) => {
    const vector = JSON.parse(readFileSync(join(folder, path), "utf8"));
    const body = readFileSync(join(folder, path, "..", vector.input), "utf8");
    return { ...vector, answer: vector.stream ? body : whole(body) };
  });
  return vectors.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A body as the value that it holds, or as its text if it holds none. */
function whole(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The vectors whose ids are or begin with one of the names; all without names. */
export function chosen(vectors, names) {
  if (names.length === 0) return vectors;
  return vectors.filter(({ id }) =>
    names.some((name) => id === name || id.startsWith(`${name}/`) || `${id}/` === name),
  );
}

/** The requests of a vector, one for each channel. */
export function requests(vector, channels) {
  return Object.keys(vector.channels)
    .filter((channel) => channels.length === 0 || channels.includes(channel))
    .map((channel) => ({
      id: vector.id,
      channel,
      format: vector.format,
      stream: vector.stream === true,
      answer: vector.answer,
    }));
}
