// Streams: cut anywhere, with late sources, broken off, and framed in every way that the standard allows.

import { CONTENTS, all, keys, pieces, reads, sourcesOf, spans, written } from "./contents.mjs";
import { FRAMEWORKS } from "./frameworks.mjs";
import { events, lines } from "./framing.mjs";
import { BLOCKS } from "./providers-blocks.mjs";
import { MARKED } from "./providers-marked.mjs";
import { LINKED, linkedReads } from "./providers-openai.mjs";
import { SPANS } from "./providers-spans.mjs";

const SSE = "https://html.spec.whatwg.org/multipage/server-sent-events.html";
const answer = (id) => CONTENTS.find((content) => content.id === id);
const ENGLISH = answer("two-sources");

const marked = (content) => {
  const order = keys(content);
  return written(
    content,
    (cited) => (cited.length ? " " : "") + cited.map((key) => `[${order.indexOf(key) + 1}]`).join(""),
  );
};
const given = (content) => Object.values(all(content)).map(({ title, url, quote }) => ({ title, url, content: quote }));
const deltas = (content, size) => pieces(marked(content), size).map((delta) => ({ delta }));
const DONE = { done: true };

const vector = (id, shows, input, content, more = {}) => ({
  id: `streams/${id}`,
  format: "answer",
  page: SSE,
  shows,
  input,
  sources: all(content),
  expect: { reads: reads(content), ...more },
});

/** A stream cut into pieces of each size, in several languages. */
const cuts = () =>
  [1, 2, 3, 5, 64].flatMap((size) =>
    ["two-sources", "chinese", "emoji", "emphasis"].map((id) => {
      const content = answer(id);
      const stream = events([{ sources: given(content) }, ...deltas(content, size), DONE]);
      return vector(
        `pieces-of-${size}-${id}`,
        `Pieces of ${size} code points give the whole answer (${content.shows}).`,
        stream,
        content,
      );
    }),
  );

/** Sources that come behind the text. */
const late = () =>
  CONTENTS.slice(0, 8).map((content) => {
    const stream = events([...deltas(content, 7), { sources: given(content) }, DONE]);
    return vector(
      `late-${content.id}`,
      `Sources that come behind the text are cited in it (${content.shows}).`,
      stream,
      content,
    );
  });

/** Spans that come behind the text. */
const lateSpans = () =>
  ["english", "emoji", "chinese", "german"].map((id) => {
    const content = answer(id);
    const text = written(content, () => "");
    const named = keys(content).map((key) => ({
      id: key,
      title: all(content)[key].title,
      url: all(content)[key].url,
      content: all(content)[key].quote,
    }));
    const annotations = spans(content, "char").map(([start, end, sources]) => ({ start, end, unit: "char", sources }));
    const stream = events([{ sources: named }, ...pieces(text).map((delta) => ({ delta })), { annotations }, DONE]);
    return vector(
      `late-spans-${id}`,
      `Spans that come behind the text cite in it (${content.shows}).`,
      stream,
      content,
    );
  });

const WHOLE = events([{ sources: given(ENGLISH) }, ...deltas(ENGLISH, 7), DONE]);
const framed = (id, shows, text, more) =>
  vector(`framing-${id}`, shows, { file: "input.sse", text, stream: true }, ENGLISH, more);

const framings = () => [
  framed("crlf", "Lines may end with CR and LF.", WHOLE.text.replaceAll("\n", "\r\n")),
  framed("cr", "Lines may end with CR.", WHOLE.text.replaceAll("\n", "\r")),
  framed("comments", "Comments say nothing.", WHOLE.text.replaceAll("data:", ": keep-alive\n\ndata:")),
  framed("no-blank", "A blank behind the colon may be missing.", WHOLE.text.replaceAll("data: ", "data:")),
  framed("ids", "Ids and times of retries say nothing.", WHOLE.text.replaceAll("data:", "id: 7\nretry: 100\ndata:")),
  framed(
    "two-lines",
    "An event may have its data in several lines.",
    WHOLE.text.replaceAll('{"delta":', '{\ndata: "delta":'),
  ),
  framed("byte-order-mark", "A byte order mark begins the stream.", `\ufeff${WHOLE.text}`),
  framed("done-sign", "Nothing behind [DONE] is read.", `${WHOLE.text}data: [DONE]\n\ndata: {"delta": "More."}\n\n`),
  framed("not-json", "An event that is not JSON is skipped.", WHOLE.text.replace("data:", "data: ping\n\ndata:")),
  framed(
    "unknown-event",
    "An event that nobody knows is skipped.",
    WHOLE.text.replace("data:", 'data: {"heartbeat": 1}\n\ndata:'),
  ),
  framed("open-end", "The last event needs no blank line behind it.", WHOLE.text.trimEnd()),
  vector(
    "framing-json-lines",
    "A stream may come as lines of JSON.",
    lines([{ sources: given(ENGLISH) }, ...deltas(ENGLISH, 7), DONE]),
    ENGLISH,
  ),
];

/** What is left of an answer that breaks off behind its first sentence. */
function brokenOff() {
  const content = answer("english");
  const first = { ...content, sentences: [content.sentences[0]] };
  const begun = [{ sources: given(content) }, ...deltas(first, 7)];
  const named = { ...vector("x", "", undefined, content).sources };
  const cut = (id, shows, stream) => ({
    ...vector(id, shows, stream, content, { reads: reads(first), complete: false }),
    sources: named,
  });
  return [
    cut("no-end-sign", "A stream without its end sign is not whole.", events(begun)),
    cut(
      "error",
      "An error keeps the text that came, and the answer is not whole.",
      events([
        ...begun,
        { error: { code: "overloaded", message: "The model is overloaded." } },
        { delta: "More." },
        DONE,
      ]),
    ),
    cut("cut-event", "Half of an event is no text.", {
      ...events(begun),
      text: `${events(begun).text}data: {"delta": "Mo`,
    }),
  ];
}

/** Streams of providers without their end. */
const ENDS = {
  "azure-oyd-stream": 2,
  "perplexity-stream": 1,
  "dify-stream": null,
  "openai-responses-stream": 3,
  "openai-chat-stream": 2,
  "gemini-stream": null,
  "anthropic-stream": 1,
  "cohere-stream": 1,
  "mistral-stream": 1,
  "vercel-numbered-stream": 2,
};

const providersBrokenOff = () =>
  [...MARKED, ...FRAMEWORKS, ...LINKED, ...BLOCKS, ...SPANS]
    .filter(({ id }) => ENDS[id])
    .map((provider) => {
      const content = answer("english");
      const { text, ...stream } = provider.body(content);
      const all = text.split("\n\n").filter(Boolean);
      const input = { ...stream, text: `${all.slice(0, all.length - ENDS[provider.id]).join("\n\n")}\n\n` };
      return {
        id: `streams/without-end-${provider.id}`,
        format: provider.format ?? provider.id,
        page: provider.page,
        input,
        shows: `A stream of \`${provider.format ?? provider.id}\` without its end sign is not whole.`,
        sources: sourcesOf(provider, content),
        expect: { reads: provider.isLinked ? [reads(content), linkedReads(content)] : reads(content), complete: false },
      };
    });

export const streams = () => [
  ...cuts(),
  ...late(),
  ...lateSpans(),
  ...framings(),
  ...brokenOff(),
  ...providersBrokenOff(),
];
