// Writes the vectors. They are generated from tables of forms and contents; what must hold is known from where the generator
// puts each marker, and never from what a program answers.
//
//     node conformance/generate/generate.mjs           writes conformance/vectors
//     node conformance/generate/generate.mjs --check   fails if it is not what would be written

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { CONTENTS, reads, sourcesOf } from "./contents.mjs";
import { FRAMEWORKS } from "./frameworks.mjs";
import { GATEWAYS } from "./gateways.mjs";
import { harmful, unreadable } from "./harm.mjs";
import { listed } from "./listed.mjs";
import { markdown } from "./markdown.mjs";
import { markers, unresolved } from "./markers.mjs";
import { BLOCKS } from "./providers-blocks.mjs";
import { MARKED } from "./providers-marked.mjs";
import { LINKED, linkedReads } from "./providers-openai.mjs";
import { SPANS } from "./providers-spans.mjs";
import { ofSources } from "./sources.mjs";
import { streams } from "./streams.mjs";

const FOLDER = join(import.meta.dirname, "../vectors");
const CHANNELS = { neutral: {}, "web-chat": {}, teams: {}, plain: {} };

const provided = () =>
  [...MARKED, ...FRAMEWORKS, ...GATEWAYS, ...LINKED, ...BLOCKS, ...SPANS].flatMap((provider) =>
    CONTENTS.map((content) => ({
      id: `providers/${provider.id}-${content.id}`,
      format: provider.format ?? provider.id,
      page: provider.page,
      shows: `\`${provider.id}\` cites sentences: ${content.shows}.`,
      input: provider.body(content),
      sources: sourcesOf(provider, content),
      expect: { reads: provider.isLinked ? [reads(content), linkedReads(content)] : reads(content) },
    })),
  );

/** The files of a vector, by path. */
function files({ id, format, page, shows, input, sources, expect, channels = CHANNELS }) {
  const spare = (object) =>
    Object.fromEntries(Object.entries(object).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
  const vector = {
    id,
    shows,
    page,
    format,
    input: input.file,
    ...(input.stream ? { stream: true } : {}),
    sources,
    expect: spare(expect),
    channels,
  };
  return [
    [`${id}/vector.json`, `${JSON.stringify(vector, null, 2)}\n`],
    [`${id}/${input.file}`, input.text],
  ];
}

const vectors = [
  ...provided(),
  ...listed(),
  ...markers(),
  ...unresolved(),
  ...markdown(),
  ...harmful(),
  ...unreadable(),
  ...ofSources(),
  ...streams(),
];
const wanted = new Map(vectors.flatMap(files));
if (wanted.size !== 2 * vectors.length) throw new Error("two vectors have one id");

function found(folder = FOLDER) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)));
}

if (process.argv.includes("--check")) {
  const stale = [...wanted].filter(
    ([path, text]) => !existsSync(join(FOLDER, path)) || readFileSync(join(FOLDER, path), "utf8") !== text,
  );
  const foreign = found().filter((path) => !wanted.has(path));
  const wrong = [...stale.map(([path]) => path), ...foreign];
  if (wrong.length > 0) {
    console.error(
      `${wrong.length} files are not what the generator writes, such as ${wrong[0]}: run node conformance/generate/generate.mjs`,
    );
    process.exit(1);
  }
  console.log(`${vectors.length} vectors are what the generator writes`);
} else {
  rmSync(FOLDER, { recursive: true, force: true });
  for (const [path, text] of wanted) {
    mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
    writeFileSync(join(FOLDER, path), text);
  }
  console.log(`${vectors.length} vectors written`);
}
